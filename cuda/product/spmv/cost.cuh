// How long products take on the device: a launch, the latencies a thread meets one after the other,
// and bytes over a rate. Fitted by hand to times on an H200, the mean of cold and warm ones, of 90
// matrices (docs/results/choice.md).
#ifndef FURROW_CUDA_COST_CUH
#define FURROW_CUDA_COST_CUH

#include "kernel.h"
#include "split.h"

// A product of next to nothing.
#define FUR_LAUNCH_NS 3400.0
// Two fetches, one for the place of the other, and what is done with them.
#define FUR_HOP_NS 900.0
// A row's next entry for a thread that walks through it.
#define FUR_WALK_NS 170.0
// A row that blocks share.
#define FUR_SHARED_ROW_NS 1500.0
// Copy rate of an H200.
#define FUR_BYTES_A_NS 4200.0

// The bytes of x and y, each read or written once.
static inline double fur_vector_bytes(const fur_csr_view *a)
{
    return static_cast<double>(a->rows + a->cols) *
           static_cast<double>(fur_value_size(a->value_type));
}

// Bytes of a product by plain CSR: A, x and y once.
static inline double fur_product_bytes(const fur_csr_view *a)
{
    return static_cast<double>(fur_csr_bytes(a)) + fur_vector_bytes(a);
}

// The cost of a kernel whose threads wait so long for one load after the other, while `bytes` bytes
// move: half of the shorter time is hidden by the longer one.
static inline fur_spmv_cost fur_cuda_cost(double wait_ns, double bytes)
{
    double move_ns = bytes / FUR_BYTES_A_NS;
    double longer = wait_ns > move_ns ? wait_ns : move_ns;
    double shorter = wait_ns > move_ns ? move_ns : wait_ns;
    return {FUR_LAUNCH_NS + longer + 0.5 * shorter, 0, nullptr};
}

// The kernels over slices (sell_layout.cuh): a lane's entries in batches of `unroll`. Of a row of
// several segments a lane has FUR_ROW_SEGMENT / FUR_ROW_LANES entries.
static inline fur_spmv_cost fur_cuda_sliced_cost(const fur_spmv_profile *profile, int unroll,
                                                 double bytes)
{
    bool shared = profile->rows.row_max > FUR_ROW_SEGMENT;
    int64_t of_segment = shared ? FUR_ROW_SEGMENT / FUR_ROW_LANES : 0;
    double longest = static_cast<double>(fur_larger(profile->row_whole, of_segment));
    return fur_cuda_cost(FUR_HOP_NS * longest / unroll + (shared ? FUR_SHARED_ROW_NS : 0),
                         1.02 * bytes);
}

// Kernels in which one thread walks through a row in CSR: neighbours read a row apart, so that long
// rows cost them the same sectors again and again.
static inline fur_spmv_cost fur_cuda_walk_cost(const fur_csr_view *a,
                                               const fur_spmv_profile *profile)
{
    double again = profile->rows.row_mean > 8 ? 0.1 * (profile->rows.row_mean - 8) : 0;
    double slowness = 1.4 + (again < 2.5 ? again : 2.5);
    double walk = FUR_WALK_NS * static_cast<double>(profile->rows.row_max);
    return fur_cuda_cost(FUR_HOP_NS + walk, slowness * fur_product_bytes(a));
}

#endif
