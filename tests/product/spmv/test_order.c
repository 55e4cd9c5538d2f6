/* Tests of SpMV: the sums of rows near the lengths at which the order of summation changes. Every
 * exact kernel is compared with the order of docs/numerics.md, which is computed here. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENT 128
#define LANES 8

static const int64_t lengths[] = {0,   1,   127,  128,   129,   130,   135,   136,  255,
                                  256, 257, 1025, 16383, 16384, 16385, 16513, 40000};
#define ROWS COUNT_OF(lengths)
#define COLS 40003

/* Replaces s by the sums of its segments and returns their number. A segment sums a[k] s[k], or
 * s[k] if `a` is NULL. */
static int64_t fold_segments(const double *a, double *s, int64_t count)
{
    int64_t segments = 0;
    for (int64_t first = 0; first < count; first += SEGMENT) {
        double lane[LANES] = {0};
        for (int64_t k = first; k < count && k < first + SEGMENT; k++)
            lane[k % LANES] = a ? fma(a[k], s[k], lane[k % LANES]) : lane[k % LANES] + s[k];
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++)
                lane[l] += lane[l + half];
        s[segments++] = lane[0];
    }
    return segments;
}

static double expected_sum(const double *a, const int32_t *columns, const double *x, int64_t count)
{
    static double s[COLS];
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        s[k] = x[columns[k]];
    if (count > SEGMENT) {
        for (count = fold_segments(a, s, count); count > 1;)
            count = fold_segments(NULL, s, count);
        return s[0];
    }
    for (int64_t k = 0; k < count; k++)
        sum = fma(a[k], s[k], sum);
    return sum;
}

typedef struct rows_trial {
    int64_t offsets[ROWS + 1];
    int32_t *columns;
    double *values;
    double x[COLS];
    double expected[ROWS];
} rows_trial;

/* Fills the matrix and the expected sums. Row i has its first columns, with a gap of one after half
 * of them. */
static void fill(rows_trial *t, rng *r)
{
    t->offsets[0] = 0;
    for (int i = 0; i < ROWS; i++)
        t->offsets[i + 1] = t->offsets[i] + lengths[i];
    t->columns = calloc((size_t)t->offsets[ROWS], sizeof *t->columns);
    t->values = calloc((size_t)t->offsets[ROWS], sizeof *t->values);
    for (int64_t k = 0; k < t->offsets[ROWS]; k++)
        t->values[k] = rng_unit(r);
    for (int j = 0; j < COLS; j++)
        t->x[j] = rng_unit(r);
    for (int i = 0; i < ROWS; i++) {
        int32_t *columns = t->columns + t->offsets[i];
        for (int64_t k = 0; k < lengths[i]; k++)
            columns[k] = (int32_t)(k + (k > lengths[i] / 2));
        t->expected[i] = expected_sum(t->values + t->offsets[i], columns, t->x, lengths[i]);
    }
}

static void check_kernel(const rows_trial *t, const fur_csr *a, const char *kernel)
{
    fur_context *context = fur_csr_context(a);
    fur_spmv_options options = {.size = sizeof options, .kernel = kernel};
    fur_spmv *plan = NULL;
    fur_status status = fur_spmv_plan(a, &options, &plan);
    if (status == FUR_UNSUPPORTED)
        return;
    ck_ok(context, status);
    fur_vector *x = vector_from(context, FUR_F64, COLS, t->x);
    fur_vector *y = vector_from(context, FUR_F64, ROWS, t->expected);
    ck_ok(context, fur_vector_fill(y, fur_real(0)));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    const double *sums = fur_vector_data(y);
    for (int i = 0; i < ROWS; i++)
        ck_assert_msg(memcmp(&sums[i], &t->expected[i], sizeof *sums) == 0,
                      "kernel %s, row of %lld: %a, expected %a", kernel, (long long)lengths[i],
                      sums[i], t->expected[i]);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_spmv_destroy(plan);
}

START_TEST(long_rows_have_lanes)
{
    rng r = rng_stream(107);
    rows_trial *t = calloc(1, sizeof *t);
    fill(t, &r);
    fur_csr_view view = {.size = sizeof view,
                         .rows = ROWS,
                         .cols = COLS,
                         .entries = t->offsets[ROWS],
                         .value_type = FUR_F64,
                         .offset_type = FUR_I64,
                         .offsets = t->offsets,
                         .columns = t->columns,
                         .values = t->values};
    for (int i = 0; isa_name(i); i++) {
        fur_context *context = context_make(isa_name(i), 1 + 2 * i);
        fur_csr *a = NULL;
        ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_BORROW, &a));
        const fur_kernel_info *kernel;
        for (int k = 0; (kernel = fur_spmv_kernel_at(context, k)); k++)
            if (kernel->exact)
                check_kernel(t, a, kernel->name);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
    free(t->columns);
    free(t->values);
    free(t);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, long_rows_have_lanes);
}

int main(void)
{
    return run_tests("order", add_tests);
}
