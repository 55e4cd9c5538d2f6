/* Row sums in which the lanes of a register lie along the row; a template over VALUE. */
#include "gathers.h"
#include "long_sum.h"

_Static_assert(LANES == FUR_ROW_LANES, "V(fold) folds the lanes of a long row");

/* For fewer entries single loads are faster, because the first load is done before a gather. On an
 * Intel Xeon they are faster by up to 1.4 times (docs/results/spmv.md). */
#define GATHERED_LEAST (8 * LANES)

/* The sum of values[k] x[columns[k]] over begin <= k < end in lanes, folded. */
static inline VALUE FN(folded_sum)(const VALUE *values, const int32_t *columns, int64_t begin,
                                   int64_t end, const VALUE *x)
{
    FUR_LANES(VALUE_NAME) sum = V(zero)();
    bool at_once = end - begin >= GATHERED_LEAST && fur_gathers_pay();
    int64_t k = begin;
    for (; k + LANES <= end; k += LANES)
        sum = V(madd)(V(load)(values + k),
                      at_once ? V(gather_at_once)(x, columns + k) : V(gather)(x, columns + k), sum);
    if (k < end) {
        unsigned mask = (1u << (end - k)) - 1;
        sum = V(madd_some)(V(load_some)(values + k, mask), V(gather_some)(x, columns + k, mask),
                           sum, mask);
    }
    return V(fold)(sum);
}

/* The sum of a row of more than one segment. Not inlined, because it would slow down the loop over
 * ordinary rows. */
static __attribute__((noinline, unused)) VALUE
FN(long_row_sum)(const VALUE *values, const int32_t *columns, int64_t count, const VALUE *x)
{
    FN(long_sum) s;
    VALUE sum;
    FN(long_start)(&s, 1);
    for (int64_t k = 0; k < count; k += FUR_ROW_SEGMENT) {
        sum = FN(folded_sum)(values, columns, k, fur_smaller(k + FUR_ROW_SEGMENT, count), x);
        FN(add_sum)(&s, 1, &sum);
    }
    FN(long_total)(&s, &sum);
    return sum;
}
