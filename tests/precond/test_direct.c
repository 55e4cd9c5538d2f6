/* Complete factors by UMFPACK: residuals within a bound, new values, singular matrices. Skipped
 * where the machine does not have it. */
#include "support.h"

#include <math.h>
#include <string.h>

static const fur_precond_options direct = {.size = sizeof direct, .kind = "direct"};

/* A random matrix whose diagonal dominates. */
static fur_csr *make(fur_context *context, rng *r, fur_value_type value, fur_offset_type offset)
{
    fur_csr *a = matrix_random(context, r, &shapes[shape_find("small grid")], value, offset);
    fur_csr *shifted = NULL;
    ck_ok(context, fur_csr_shift(a, fur_real(9), &shifted));
    fur_csr_destroy(a);
    return shifted;
}

/* ||b - A x|| / ||b|| */
static double residual_of(fur_context *context, const fur_csr *a, const fur_vector *b,
                          const fur_vector *x)
{
    const fur_csr_view *view = fur_csr_get(a);
    double norm;
    double rest;
    fur_spmv *plan = NULL;
    fur_vector *r = NULL;
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_vector_create(context, view->value_type, view->rows, &r));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), r));
    ck_ok(context, fur_axpby(fur_real(1), b, fur_real(-1), r));
    ck_ok(context, fur_norm2(r, &rest));
    ck_ok(context, fur_norm2(b, &norm));
    fur_vector_destroy(r);
    fur_spmv_destroy(plan);
    return rest / norm;
}

/* With a dominant diagonal pivots do not grow: the residual of Gaussian elimination is at most some
 * epsilon times the entries of a row of the factors, fewer than n, and || |A| || ||A^-1|| < 100. */
START_TEST(residuals_are_within_a_bound)
{
    fur_value_type value = (fur_value_type)(_i / 2);
    rng r = rng_stream(1300 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, value, _i % 2 ? FUR_I64 : FUR_I32);
    int64_t n = fur_csr_get(a)->rows;
    fur_vector *b = vector_random(context, &r, value, n);
    fur_vector *x = vector_random(context, &r, value, n);
    fur_precond *p = NULL;
    ck_ok(context, fur_precond_create(a, &direct, &p));
    ck_assert_int_ge(fur_precond_describe(p)->entries, n);
    for (int turn = 0; turn < 2; turn++) {
        ck_ok(context, fur_precond_apply(p, b, x));
        double residual = residual_of(context, a, b, x);
        ck_assert_msg(residual <= 100 * (double)n * value_epsilon(value), "%g", residual);
        ck_ok(context, fur_vector_fill(x, fur_real(0.375)));
        ck_ok(context, fur_csr_scale(a, x, NULL));
        ck_ok(context, fur_precond_update(p));
    }
    fur_precond_destroy(p);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(singular_matrices_are_refused)
{
    static const int32_t row[] = {0, 0, 1, 1};
    static const int32_t col[] = {0, 1, 0, 1};
    static const double values[] = {1, 2, 2, 4};
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {sizeof coo, 2, 2, 4, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_fails(context, FUR_INVALID, "the matrix is singular: UMFPACK met a pivot that is 0",
             fur_precond_create(a, &direct, &p));
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(no_rows_are_solved)
{
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {.size = sizeof coo, .value_type = FUR_F64};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_vector_create(context, FUR_F64, 0, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, 0, &x));
    ck_ok(context, fur_precond_create(a, &direct, &p));
    ck_ok(context, fur_precond_apply(p, b, x));
    fur_precond_destroy(p);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* UMFPACK has memory of its own; what the preconditioner takes is the context's. */
START_TEST(every_failing_allocation_is_survived)
{
    memory m = {.calls = 0};
    rng r = rng_stream(1320);
    fur_context *context = context_counting(&m, NULL, 1);
    fur_csr *a = make(context, &r, FUR_C64, FUR_I32);
    int64_t before = m.outstanding;
    int failures = 0;
    bool failed = true;
    for (int64_t n = 1; failed; n++) {
        fur_precond *p = NULL;
        m.fail_at = m.calls + n;
        fur_status status = fur_precond_create(a, &direct, &p);
        failed = m.calls >= m.fail_at;
        ck_assert_int_eq(status, failed ? FUR_OUT_OF_MEMORY : FUR_OK);
        failures += failed;
        fur_precond_destroy(p);
        ck_assert_int_eq(m.outstanding, before);
    }
    m.fail_at = 0;
    ck_assert_int_ge(failures, 8);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Prints why, if the machine does not have it. */
static bool is_here(void)
{
    fur_context *context = NULL;
    fur_coo_view coo = {.size = sizeof coo, .value_type = FUR_F64};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    bool here = fur_context_create(NULL, &context) == FUR_OK &&
                fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a) == FUR_OK &&
                fur_precond_create(a, &direct, &p) == FUR_OK;
    if (!here)
        printf("skipped: %s\n", fur_context_error(context));
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return here;
}

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, residuals_are_within_a_bound, 0, 8);
    tcase_add_test(tests, singular_matrices_are_refused);
    tcase_add_test(tests, no_rows_are_solved);
    tcase_add_test(tests, every_failing_allocation_is_survived);
}

int main(void)
{
    return is_here() ? run_tests("direct", add_tests) : TEST_SKIPPED;
}
