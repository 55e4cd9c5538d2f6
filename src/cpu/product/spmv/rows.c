/* SpMV by rows: parts of consecutive rows with equal shares of entries plus rows.
 *
 * Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "table.h"
#    include "work.h"

#    define FUR_TEMPLATE "product/spmv/rows.c"
#    include "foreach_type.h"

static fur_status apply(const fur_spmv_call *call)
{
    static void (*const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(
        const fur_spmv_call *, int64_t, int64_t) = FUR_TYPE_TABLE(multiply_rows);
    return fur_spmv_by_rows(call, table[call->a->value_type][call->a->offset_type]);
}

extern const fur_spmv_kernel ISA(spmv_rows);
const fur_spmv_kernel ISA(spmv_rows) = {
    .info.name = "rows",
    .info.summary = "consecutive rows for each thread, with equal numbers of entries",
    .info.source = "",
    .info.exact = true,
    .work = fur_csr_work,
    .apply = apply,
};
#else
#    include "finish.h"
#    include "row_sum.h"
#endif
