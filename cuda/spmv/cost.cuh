// How long products take on the device: a launch, the latencies a thread meets one after the other,
// and bytes over a rate. Fitted by hand to times on an H200 (docs/results). Only ratios matter.
#ifndef FURROW_CUDA_COST_CUH
#define FURROW_CUDA_COST_CUH

#include "kernel.h"

#define FUR_LAUNCH_NS 2500.0
// A fetch from the second-level cache.
#define FUR_FETCH_NS 250.0
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

// The cost of a kernel whose threads wait for `fetches` loads one after the other and that moves
// `bytes` bytes.
static inline fur_spmv_cost fur_cuda_cost(double fetches, double bytes)
{
    return {FUR_LAUNCH_NS + FUR_FETCH_NS * fetches + bytes / FUR_BYTES_A_NS, 0, nullptr};
}

// Entries of the longest segment.
static inline double fur_longest_segment(const fur_spmv_profile *profile)
{
    int64_t longest = profile->rows.row_max;
    return static_cast<double>(longest < FUR_ROW_SEGMENT ? longest : FUR_ROW_SEGMENT);
}

// The kernels over slices (sell_layout.cuh): a lane's entries in batches of `unroll`, and a second
// launch where rows are longer than a segment.
static inline fur_spmv_cost fur_cuda_sliced_cost(const fur_spmv_profile *profile, int unroll,
                                                 double bytes)
{
    double batches = fur_longest_segment(profile) / unroll;
    double second = profile->rows.row_max > FUR_ROW_SEGMENT ? 20 : 0;
    return fur_cuda_cost(3 + 2 * batches + second, 1.02 * bytes);
}

// Kernels in which one thread walks through a row in CSR: neighbours read a row apart, so that long
// rows cost them the same sectors again and again.
static inline fur_spmv_cost fur_cuda_walk_cost(const fur_csr_view *a,
                                               const fur_spmv_profile *profile)
{
    double again = profile->rows.row_mean > 8 ? 0.1 * (profile->rows.row_mean - 8) : 0;
    double slowness = 1.25 + (again < 2.5 ? again : 2.5);
    return fur_cuda_cost(static_cast<double>(profile->rows.row_max),
                         slowness * fur_product_bytes(a));
}

#endif
