#include "narrow_cases.h"

#include <math.h>
#include <string.h>

enum { ROWS = 5000, DIAGONALS = 5 };

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns a real or imaginary part of an entry on a diagonal. */
static double part(rng *r, narrow_kind k, int64_t diagonal)
{
    const double constants[] = {0.1, -1, 6, 1e300, -1.0 / 3};
    const double special[] = {-0.0, from_bits(0x7ff8000012345678), INFINITY, 5e-324, -1e-40};
    switch (k) {
    case NARROW_CONSTANTS:
        return constants[diagonal];
    case NARROW_SPECIAL:
        return special[diagonal];
    case NARROW_SINGLES:
        return (double)(float)rng_unit(r);
    default:
        return rng_unit(r);
    }
}

fur_csr *narrow_matrix(fur_context *context, rng *r, fur_value_type value, narrow_kind k)
{
    static const int64_t shifts[DIAGONALS] = {-70, -1, 0, 1, 70};
    static int32_t rows[ROWS * DIAGONALS];
    static int32_t cols[ROWS * DIAGONALS];
    static double values[2 * ROWS * DIAGONALS];
    int64_t count = 0;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t d = 0; d < DIAGONALS; d++) {
            int64_t col = i + shifts[d];
            if (col < 0 || col >= ROWS || (d != 2 && (i / 8 * 37 + d * 11) % 19 == 0))
                continue;
            rows[count] = (int32_t)i;
            cols[count] = (int32_t)col;
            double re = part(r, k, d);
            entry_set(value, values, count++, fur_complex(re, part(r, k, DIAGONALS - 1 - d)));
        }
    fur_coo_view coo = {sizeof coo, ROWS, ROWS, count, value, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    return a;
}

fur_spmv *narrow_plan(const fur_csr *a, const char *kernel)
{
    fur_spmv_options options = {.size = sizeof options, .kernel = kernel};
    fur_spmv *plan = NULL;
    ck_ok(fur_csr_context(a), fur_spmv_plan(a, &options, &plan));
    return plan;
}

int64_t narrow_bytes(const fur_spmv *plan)
{
    return fur_spmv_describe(plan)->bytes;
}

void narrow_check(rng *r, const fur_csr *a, const fur_spmv *plan)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    int64_t n = fur_csr_get(a)->rows;
    fur_spmv *reference = narrow_plan(a, "reference");
    fur_vector *x = vector_random(context, r, value, fur_csr_get(a)->cols);
    void *start = entries_random(r, value, n);
    fur_vector *y = vector_from(context, value, n, start);
    fur_vector *z = vector_from(context, value, n, start);
    ck_ok(context, fur_spmv_apply(reference, fur_real(0.7), x, fur_real(-0.3), y));
    ck_ok(context, fur_spmv_apply(plan, fur_real(0.7), x, fur_real(-0.3), z));
    void *expected = vector_entries(y);
    void *found = vector_entries(z);
    int64_t at = first_difference(value, n, expected, found);
    ck_assert_msg(at < 0, "%s, %s, %s: y[%lld] differs", fur_spmv_describe(plan)->kernel,
                  fur_value_name(value), fur_context_isa(context), (long long)at);
    free(found);
    free(expected);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    free(start);
    fur_vector_destroy(x);
    fur_spmv_destroy(reference);
}
