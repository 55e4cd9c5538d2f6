/* The work of kernels that read CSR for a product. */
#ifndef FURROW_CPU_WORK_H
#define FURROW_CPU_WORK_H

#include "balance.h"
#include "kernel.h"
#include "split.h"

static inline double fur_vector_bytes(const fur_csr_view *a)
{
    return (double)(a->rows + a->cols) * (double)fur_value_size(a->value_type);
}

/* The work of a kernel that walks the rows, in this order: entries, entries late in their row,
 * rows, and turns. At a turn the processor mispredicts the end of a row. */
static inline fur_spmv_work fur_csr_work(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    return (fur_spmv_work){
        .part = {(double)a->entries, profile->late_entries, (double)a->rows, profile->turns},
        .bytes = (double)a->entries * (double)(fur_value_size(a->value_type) + 4) +
                 (double)a->rows * (double)fur_offset_size(a->offset_type) + fur_vector_bytes(a),
        .worth = (double)(a->entries + a->rows) / FUR_SPMV_GRAIN,
        .longest = a->entries > 0 ? (double)profile->rows.row_max / (double)a->entries : 0,
    };
}

#endif
