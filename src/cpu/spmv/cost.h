/* How long products take: the model behind the kernels' cost functions.
 *
 * A product takes the time its instructions or its streams of memory need, whichever is longer, and
 * on top the latency of x from afar that it cannot hide. The constants are fitted by hand to
 * times on one thread of a Zen 4 server, over the matrices of docs/results; only ratios matter. */
#ifndef FURROW_CPU_COST_H
#define FURROW_CPU_COST_H

#include "kernel.h"

/* A matrix of this size stays in the cache between products. */
#define FUR_CACHE_BYTES (16 << 20)

typedef struct fur_work {
    double core_ns; /* instructions */
    double bytes;   /* of A and the vectors */
    double far_ns;  /* for each entry whose x comes from afar */
} fur_work;

static inline double fur_work_ns(const fur_work *work, const fur_spmv_profile *profile)
{
    double bytes_a_ns = work->bytes > FUR_CACHE_BYTES ? 20 : 60;
    double stream_ns = work->bytes / bytes_a_ns;
    return (work->core_ns > stream_ns ? work->core_ns : stream_ns) +
           work->far_ns * profile->far_entries;
}

static inline double fur_vector_bytes(const fur_csr_view *a)
{
    return (double)(a->rows + a->cols) * (double)fur_value_size(a->value_type);
}

/* The cost of a kernel that reads A as it is. */
static inline fur_spmv_cost fur_csr_cost(const fur_csr_view *a, const fur_spmv_profile *profile,
                                         double entry_ns, double row_ns, double far_ns)
{
    fur_work work = {
        .core_ns = entry_ns * (double)a->entries + row_ns * (double)a->rows,
        .bytes = (double)a->entries * (double)(fur_value_size(a->value_type) + 4) +
                 (double)a->rows * (double)fur_offset_size(a->offset_type) + fur_vector_bytes(a),
        .far_ns = far_ns,
    };
    return (fur_spmv_cost){.product_ns = fur_work_ns(&work, profile)};
}

/* Time to build a kernel's own format of A, for each entry. */
#define FUR_BUILD_NS 8.0

#endif
