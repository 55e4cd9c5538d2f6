/* Tests of all preconditioners: names, refusals, new values, operators, memory. Also tests jacobi
 * and ssor, whose results other functions of the library define. */
#include "poisson.h"

#include <math.h>
#include <string.h>

/* Makes a random matrix with a dominant diagonal and a symmetric pattern. */
static fur_csr *make(fur_context *context, rng *r, fur_value_type value)
{
    fur_csr *a = matrix_random(context, r, &shapes[shape_find("small grid")], value, FUR_I32);
    fur_csr *shifted = NULL;
    ck_ok(context, fur_csr_shift(a, fur_real(9), &shifted));
    fur_csr_destroy(a);
    return shifted;
}

START_TEST(kinds_have_names_and_sentences)
{
    int count = 0;
    for (const fur_method_info *info; (info = fur_precond_at(count)); count++) {
        ck_assert_str_ne(info->name, "");
        ck_assert_str_ne(info->summary, "");
        ck_assert_str_ne(info->source, "");
        for (int before = 0; before < count; before++)
            ck_assert_str_ne(info->name, fur_precond_at(before)->name);
    }
    ck_assert_int_ge(count, 2);
    ck_assert_ptr_null(fur_precond_at(-1));
    ck_assert_str_eq(fur_precond_at(0)->name, "jacobi");
}
END_TEST

/* ssor gives the bits of two triangular solves with a product by the diagonal between them. */
START_TEST(sweeps_are_made_of_solves)
{
    rng r = rng_stream(900 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, value);
    int64_t n = fur_csr_get(a)->rows;
    fur_precond_options o = {.size = sizeof o, .kind = "ssor"};
    fur_precond *ssor = NULL;
    fur_trsv *lower = NULL;
    fur_trsv *upper = NULL;
    fur_vector *d = NULL;
    fur_vector *b = vector_random(context, &r, value, n);
    fur_vector *x = vector_random(context, &r, value, n);
    fur_vector *z = vector_random(context, &r, value, n);
    ck_ok(context, fur_precond_create(a, &o, &ssor));
    ck_ok(context,
          fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &lower));
    ck_ok(context,
          fur_trsv_plan(a, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &upper));
    for (int turn = 0; turn < 2; turn++) { /* ssor reads new values without an update */
        ck_ok(context, fur_csr_diagonal(a, &d));
        ck_ok(context, fur_trsv_apply(lower, fur_real(1), b, x));
        ck_ok(context, fur_multiply_elementwise(d, x, x));
        ck_ok(context, fur_trsv_apply(upper, fur_real(1), x, x));
        ck_ok(context, fur_precond_apply(ssor, b, z));
        ck_same_bits(x, z);
        fur_vector_destroy(d);
        ck_ok(context, fur_vector_fill(x, fur_real(2)));
        ck_ok(context, fur_csr_scale(a, x, NULL));
        if (turn == 1)
            ck_ok(context, fur_precond_update(ssor));
    }
    ck_assert_int_eq(fur_precond_describe(ssor)->symmetric, 1);
    fur_vector_destroy(z);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_trsv_destroy(upper);
    fur_trsv_destroy(lower);
    fur_precond_destroy(ssor);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* cg takes the iterations of published and repeated computations, to 1e-8 for N = 10, 20, 32. */
START_TEST(sweeps_take_the_known_iterations)
{
    static const int64_t extent[] = {10, 20, 32};
    static const int64_t jacobi[] = {23, 49, 79};
    static const int64_t ssor[] = {15, 26, 39};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < (TEST_SLOW ? 1 : 3); i++) {
        fur_precond_options o = {.size = sizeof o, .kind = "jacobi"};
        fur_csr *a = poisson_make(context, extent[i]);
        ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), jacobi[i]);
        o.kind = "ssor";
        ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), ssor[i]);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(jacobi_is_known_as_a_scaling)
{
    rng r = rng_stream(911);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = make(context, &r, FUR_F64);
    fur_precond *p = NULL;
    fur_operator *m = NULL;
    ck_ok(context, fur_precond_create(a, NULL, &p));
    ck_assert_str_eq(fur_precond_describe(p)->kind, "jacobi");
    ck_ok(context, fur_operator_from_precond(p, &m));
    ck_assert_ptr_nonnull(fur_operator_scaling(m));
    ck_assert_int_eq(fur_operator_recordable(m), 1);
    fur_operator_destroy(m);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* If new values of A have no diagonal, objects made from A refuse to work until good values are
 * set. */
START_TEST(what_follows_refuses_values_that_it_cannot_use)
{
    static const char *const kinds[] = {"jacobi", "ssor"};
    double good[] = {4, -1, -1, 4};
    const double bad[] = {4, -1, -1, 0};
    const int32_t offsets[] = {0, 2, 4};
    const int32_t columns[] = {0, 1, 0, 1};
    fur_csr_view view = {sizeof view, 2, 2, 4, FUR_F64, FUR_I32, offsets, columns, good};
    fur_precond_options o = {.size = sizeof o, .kind = kinds[_i]};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    fur_operator *m = NULL;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    ck_ok(context, fur_vector_create(context, FUR_F64, 2, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, 2, &y));
    ck_ok(context, fur_vector_fill(x, fur_real(1)));
    ck_ok(context, fur_precond_create(a, &o, &p));
    ck_ok(context, fur_operator_from_precond(p, &m));
    ck_ok(context, fur_csr_set_values(a, bad, FUR_OWNERSHIP_COPY));
    ck_assert_int_eq(fur_precond_apply(p, x, y), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 2"));
    ck_assert_int_eq(fur_operator_apply(m, x, y), FUR_INVALID);
    ck_assert_int_eq(fur_precond_update(p), FUR_INVALID);
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_precond_update(p));
    ck_ok(context, fur_operator_apply(m, x, y));
    fur_csr_destroy(a);
    ck_assert_int_eq(fur_precond_apply(p, x, y), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "has been destroyed"));
    ck_assert_int_eq(fur_precond_update(p), FUR_INVALID);
    fur_operator_destroy(m);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_precond_destroy(p);
    fur_context_destroy(context);
}
END_TEST

/* After an update that failed, a kind that waits for updates has no usable values. It stays refused
 * until an update succeeds, whatever values A gets in between. Loops over kinds. */
START_TEST(a_failed_update_is_refused_until_the_next)
{
    static const char *const kinds[] = {"grid", "ic0", "fsai"};
    enum { POINTS = 64 };
    double good[3 * POINTS - 2];
    double bad[3 * POINTS - 2];
    int32_t offsets[POINTS + 1] = {0};
    int32_t columns[3 * POINTS - 2];
    int32_t at = 0;
    for (int32_t i = 0; i < POINTS; i++) {
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < POINTS; j++) {
            columns[at] = j;
            good[at] = i == j ? 2 : -1;
            bad[at++] = -1;
        }
        offsets[i + 1] = at;
    }
    fur_csr_view view = {sizeof view, POINTS, POINTS, at, FUR_F64, FUR_I32, offsets, columns, good};
    fur_precond_options o = {.size = sizeof o, .kind = kinds[_i]};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    ck_ok(context, fur_vector_create(context, FUR_F64, POINTS, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, POINTS, &y));
    ck_ok(context, fur_vector_fill(x, fur_real(1)));
    ck_ok(context, fur_precond_create(a, &o, &p));
    ck_ok(context, fur_csr_set_values(a, bad, FUR_OWNERSHIP_COPY));
    ck_assert_int_eq(fur_precond_update(p), FUR_INVALID);
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    ck_assert_int_eq(fur_precond_apply(p, x, y), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "could not be updated"));
    ck_ok(context, fur_precond_update(p));
    ck_ok(context, fur_precond_apply(p, x, y));
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    rng r = rng_stream(912);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = make(context, &r, FUR_F64);
    fur_csr *wide = matrix_random(context, &r, &shapes[shape_find("wide")], FUR_F64, FUR_I32);
    fur_vector *x = vector_random(context, &r, FUR_F64, fur_csr_get(a)->rows);
    fur_vector *y = vector_random(context, &r, FUR_F64, fur_csr_get(a)->rows + 1);
    fur_precond *p = NULL;
    fur_precond_options o = {.size = sizeof o, .kind = "magic"};
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "no preconditioner \"magic\""));
    ck_assert_int_eq(fur_precond_create(wide, NULL, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "square"));
    ck_assert_ptr_null(p);
    ck_ok(context, fur_precond_create(a, NULL, &p));
    ck_assert_int_eq(fur_precond_apply(p, x, x), FUR_INVALID);
    ck_assert_int_eq(fur_precond_apply(p, x, y), FUR_INVALID);
    ck_assert_int_eq(fur_precond_apply(p, y, x), FUR_INVALID);
    fur_precond_destroy(p);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(wide);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, kinds_have_names_and_sentences);
    tcase_add_loop_test(tests, sweeps_are_made_of_solves, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, sweeps_take_the_known_iterations);
    tcase_add_test(tests, jacobi_is_known_as_a_scaling);
    tcase_add_loop_test(tests, what_follows_refuses_values_that_it_cannot_use, 0, 2);
    tcase_add_loop_test(tests, a_failed_update_is_refused_until_the_next, 0, 3);
    tcase_add_test(tests, what_does_not_fit_is_refused);
}

int main(void)
{
    return run_tests("precond", add_tests);
}
