// The time of products on the device: a launch, the latencies that a thread meets in sequence, and
// bytes over a rate. Fitted by hand to times on an H200, the mean of cold and warm runs, for 90
// matrices (docs/results/choice.md).
#ifndef FURROW_CUDA_COST_CUH
#define FURROW_CUDA_COST_CUH

#include "kernel.h"
#include "split.h"

// Time of a product of a tiny matrix.
#define FUR_LAUNCH_NS 3400.0
// Time of two dependent loads and the use of their values.
#define FUR_HOP_NS 900.0
// Time for the next entry of a row in a thread that walks the row.
#define FUR_WALK_NS 170.0
// Time for a row that several blocks share.
#define FUR_SHARED_ROW_NS 1500.0
// Copy rate of an H200, in bytes a nanosecond.
#define FUR_BYTES_A_NS 4200.0

// Returns the bytes of x and y, each read or written once.
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

// Returns the cost of a kernel whose threads wait `wait_ns` for dependent loads while `bytes` bytes
// move. Half of the shorter time is hidden by the longer one.
static inline fur_spmv_cost fur_cuda_cost(double wait_ns, double bytes)
{
    double move_ns = bytes / FUR_BYTES_A_NS;
    double longer = wait_ns > move_ns ? wait_ns : move_ns;
    double shorter = wait_ns > move_ns ? move_ns : wait_ns;
    return {FUR_LAUNCH_NS + longer + 0.5 * shorter, 0, nullptr};
}

// Returns the cost of kernels over slices (sell_layout.cuh). A lane loads its entries in batches of
// `unroll`. In a row of several segments, a lane has FUR_ROW_SEGMENT / FUR_ROW_LANES
// entries.
static inline fur_spmv_cost fur_cuda_sliced_cost(const fur_spmv_profile *profile, int unroll,
                                                 double bytes)
{
    bool shared = profile->rows.row_max > FUR_ROW_SEGMENT;
    int64_t of_segment = shared ? FUR_ROW_SEGMENT / FUR_ROW_LANES : 0;
    double longest = static_cast<double>(fur_larger(profile->row_whole, of_segment));
    return fur_cuda_cost(FUR_HOP_NS * longest / unroll + (shared ? FUR_SHARED_ROW_NS : 0),
                         1.02 * bytes);
}

// Returns the cost of kernels in which one thread walks a row in CSR. Neighbouring threads read a
// row apart, so that long rows load the same sectors several times.
static inline fur_spmv_cost fur_cuda_walk_cost(const fur_csr_view *a,
                                               const fur_spmv_profile *profile)
{
    double again = profile->rows.row_mean > 8 ? 0.1 * (profile->rows.row_mean - 8) : 0;
    double slowness = 1.4 + (again < 2.5 ? again : 2.5);
    double walk = FUR_WALK_NS * static_cast<double>(profile->rows.row_max);
    return fur_cuda_cost(FUR_HOP_NS + walk, slowness * fur_product_bytes(a));
}

#endif
