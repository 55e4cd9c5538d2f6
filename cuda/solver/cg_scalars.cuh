// The scalars of the persistent kernel. Every thread has the same values in registers, by the rules
// of furrow/author/scalars.h. They are written to memory at the end of a launch.
#ifndef FURROW_CUDA_CG_SCALARS_CUH
#define FURROW_CUDA_CG_SCALARS_CUH

#include "cg_layout.cuh"

namespace
{

// A slot of the scalars, in the registers of every thread.
struct held {
    double value;
    double previous;
    double floor;
    int64_t stores;

    __device__ explicit held(const fur_slot &slot)
        : value(slot.state->value[slot.index].re), previous(slot.state->previous[slot.index].re),
          floor(slot.state->floor[slot.index]), stores(slot.state->stores[slot.index])
    {
    }
    __device__ void write(const fur_slot &slot) const
    {
        slot.state->value[slot.index] = {value, 0};
        slot.state->previous[slot.index] = {previous, 0};
        slot.state->stores[slot.index] = stores;
    }
};

// The scalars of the method, by the rules of furrow/author/scalars.h. One thread of the grid stores
// the values that must persist.
struct scalars {
    held rz;
    held pq;
    held rr;
    int64_t halted;
    bool keeps;

    template <class Value>
    __device__ scalars(const fur_cg_job<Value> &w)
        : rz(w.rz), pq(w.pq), rr(w.rr), halted(w.rz.state->halted),
          keeps(blockIdx.x == 0 && threadIdx.x == 0)
    {
    }
    __device__ void store(const fur_slot &slot, held *h, double value)
    {
        if (halted >= 0)
            return;
        if (keeps && h->stores < slot.capacity)
            slot.log[h->stores] = value;
        h->previous = h->value;
        h->value = value;
        h->stores++;
        if (h->floor == h->floor && !(value > h->floor && value - value == 0))
            halted = slot.index;
    }
    // Returns a quotient that is used as a coefficient. The method halts if it is not finite.
    __device__ double quotient(double numerator, double denominator, int index)
    {
        double value = numerator / denominator;
        if (halted < 0 && !(value - value == 0))
            halted = index;
        return value;
    }
    template <class Value> __device__ void write(const fur_cg_job<Value> &w) const
    {
        rz.write(w.rz);
        pq.write(w.pq);
        rr.write(w.rr);
        w.rz.state->halted = halted;
    }
};

} // namespace

#endif
