// How long products take on the device: bytes over a rate, and the launch. Only ratios matter.
#ifndef FURROW_CUDA_COST_CUH
#define FURROW_CUDA_COST_CUH

#include "kernel.h"

// Nanoseconds of a launch that has nothing to do, and bytes a nanosecond at the copy rate of an
// H200.
#define FUR_LAUNCH_NS 2500.0
#define FUR_BYTES_A_NS 4000.0

static inline double fur_vector_bytes(const fur_csr_view *a)
{
    return static_cast<double>(a->rows + a->cols) * static_cast<double>(fur_value_size(a->value));
}

static inline double fur_csr_bytes(const fur_csr_view *a)
{
    return static_cast<double>(a->entries) * static_cast<double>(fur_value_size(a->value) + 4) +
           static_cast<double>(a->rows + 1) * static_cast<double>(fur_offset_size(a->offset)) +
           fur_vector_bytes(a);
}

// A kernel that reads A as it is and takes `slowness` times what the bytes alone would take.
static inline fur_spmv_cost fur_cuda_csr_cost(const fur_csr_view *a, double slowness)
{
    return {FUR_LAUNCH_NS + slowness * fur_csr_bytes(a) / FUR_BYTES_A_NS, 0, nullptr};
}

#endif
