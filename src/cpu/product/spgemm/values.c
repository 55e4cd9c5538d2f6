/* The values of C = alpha A B, row by row (Gustavson 1978): c_ij = alpha sum_k a_ik b_kj. Products
 * are added by fma in rising order of k, from +0.
 *
 * The sums of a row lie in a window that covers all columns from its first to its last. In banded
 * or nearly banded matrices this window is small. The pattern of C tells which sums to fetch.
 *
 * Compulsory traffic: A once, the rows of B each time the caches have lost them, C once. */
#ifndef FUR_TEMPLATE
#    include "product.h"
#    include "scalar.h"
#    include "table.h"

#    define FUR_TEMPLATE "values.c"
#    include "foreach_value.h"

static fur_status apply(fur_env *env, const void *state, const fur_csr_view *a,
                        const fur_csr_view *b, fur_scalar alpha, const fur_csr_view *c,
                        void *values)
{
    static spgemm_block *const run[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(sum_rows);
    spgemm_step step = {.state = (spgemm_state *)(uintptr_t)state,
                        .a = a,
                        .b = b,
                        .c = c,
                        .run = run[c->value_type],
                        .alpha = alpha,
                        .values = values};
    return ISA(spgemm_run)(env, &step);
}

extern const fur_spgemm_kernels ISA(spgemm_kernels);
const fur_spgemm_kernels ISA(spgemm_kernels) = {
    ISA(spgemm_count),
    ISA(spgemm_fill),
    apply,
    ISA(spgemm_release),
};
#else

/* sums[j - first] = sums[j - first] + a_ik b_kj for the entries of row k of B. */
static inline void FN(add_row)(VALUE factor, const int32_t *restrict columns,
                               const VALUE *restrict values, int64_t count, int32_t first,
                               VALUE *restrict sums)
{
    for (int64_t t = 0; t < count; t++) {
        VALUE *sum = sums + (columns[t] - first);
        *sum = V(fma)(factor, values[t], *sum);
    }
}

static void FN(sum_rows)(spgemm_step *s, int lane, int64_t block)
{
    const int64_t begin = s->state->bounds[block];
    const int64_t end = s->state->bounds[block + 1];
    const fur_csr_view *a = s->a;
    const fur_csr_view *b = s->b;
    const VALUE *a_values = a->values;
    const VALUE *b_values = b->values;
    const int32_t *columns = s->c->columns;
    const VALUE alpha = V(from)(s->alpha);
    const VALUE zero = V(from)((fur_scalar){0, 0});
    VALUE *values = s->values;
    VALUE *sums = (VALUE *)(void *)((char *)s->state->sums + lane * s->state->stride);
    int64_t stop = fur_offset_at(s->c, begin);
    for (int64_t i = begin; i < end; i++) {
        int64_t start = stop;
        stop = fur_offset_at(s->c, i + 1);
        if (start == stop)
            continue;
        int32_t first = columns[start];
        int64_t e_end = fur_offset_at(a, i + 1);
        for (int64_t e = fur_offset_at(a, i); e < e_end; e++) {
            int64_t from = fur_offset_at(b, a->columns[e]);
            int64_t count = fur_offset_at(b, a->columns[e] + 1) - from;
            FN(add_row)(a_values[e], b->columns + from, b_values + from, count, first, sums);
        }
        for (int64_t k = start; k < stop; k++) {
            VALUE *sum = sums + (columns[k] - first);
            values[k] = V(mul)(alpha, *sum);
            *sum = zero;
        }
    }
}

#endif
