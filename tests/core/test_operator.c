/* Operators of SpMV plans, of the user's functions and of Jacobi's preconditioner. Tests which
 * calls they refuse and which failures they return to the caller. */
#include "support.h"

#include <float.h>
#include <math.h>

/* A user's operator that scales by `factor` and counts its calls. */
typedef struct scaling {
    fur_context *context;
    double factor;
    fur_status apply_status;
    fur_status diagonal_status;
    bool silent; /* fails without a message */
    int applied;
    int released;
} scaling;

static fur_status scaling_apply(void *user, const fur_vector *x, fur_vector *y)
{
    scaling *s = user;
    s->applied++;
    if (s->silent)
        return s->apply_status;
    if (s->apply_status != FUR_OK)
        return fur_context_fail(s->context, s->apply_status, "the scale is out of order");
    return fur_axpby(fur_real(s->factor), x, fur_real(0), y);
}

static fur_status scaling_diagonal(void *user, fur_vector *d)
{
    scaling *s = user;
    if (s->silent)
        return s->diagonal_status;
    if (s->diagonal_status != FUR_OK)
        return fur_context_fail(s->context, s->diagonal_status, "the diagonal is out of order");
    return fur_vector_fill(d, fur_real(s->factor));
}

static void scaling_release(void *user)
{
    ((scaling *)user)->released++;
}

static fur_operator_definition scaling_definition(scaling *s, int64_t n)
{
    return (fur_operator_definition){
        .size = sizeof(fur_operator_definition),
        .rows = n,
        .cols = n,
        .value_type = FUR_F64,
        .user = s,
        .apply = scaling_apply,
        .diagonal = scaling_diagonal,
        .release = scaling_release,
    };
}

static fur_vector *vector_of(fur_context *context, fur_value_type value, int64_t n)
{
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, value, n, &x));
    ck_ok(context, fur_vector_fill(x, fur_real(1)));
    return x;
}

START_TEST(an_operator_is_what_its_definition_says)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    scaling s = {.context = context, .factor = 3};
    fur_operator_definition definition = scaling_definition(&s, 5);
    fur_operator *op = NULL;
    fur_vector *x = vector_of(context, FUR_F64, 5);
    fur_vector *y = vector_of(context, FUR_F64, 5);
    ck_ok(context, fur_operator_create(context, &definition, &op));
    ck_assert_ptr_eq(fur_operator_context(op), context);
    ck_assert_int_eq(fur_operator_rows(op), 5);
    ck_assert_int_eq(fur_operator_cols(op), 5);
    ck_assert_int_eq(fur_operator_value_type(op), FUR_F64);
    ck_ok(context, fur_operator_apply(op, x, y));
    ck_assert_double_eq(((double *)fur_vector_data(y))[4], 3);
    s.factor = 4;
    ck_ok(context, fur_operator_diagonal(op, y));
    ck_assert_double_eq(((double *)fur_vector_data(y))[4], 4);
    ck_assert_int_eq(s.released, 0);
    fur_operator_destroy(op);
    fur_operator_destroy(NULL);
    ck_assert_int_eq(s.released, 1);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* A definition of an older program ends before the members that the program does not know. */
START_TEST(an_older_definition_is_read_as_far_as_it_goes)
{
    fur_context *context = context_make(NULL, 1);
    scaling s = {.context = context, .factor = 3};
    fur_operator_definition definition = scaling_definition(&s, 5);
    fur_operator *op = NULL;
    fur_vector *d = vector_of(context, FUR_F64, 5);
    definition.size = offsetof(fur_operator_definition, diagonal);
    ck_ok(context, fur_operator_create(context, &definition, &op));
    ck_fails(context, FUR_UNSUPPORTED,
             "the operator does not define its diagonal, which this call needs",
             fur_operator_diagonal(op, d));
    fur_operator_destroy(op);
    ck_assert_int_eq(s.released, 0);
    fur_vector_destroy(d);
    fur_context_destroy(context);
}
END_TEST

START_TEST(incomplete_definitions_are_refused)
{
    static const char sentence[] =
        "an operator needs a function apply(), rows and cols of 0 or more, and a value type";
    fur_context *context = context_make(NULL, 1);
    scaling s = {.context = context};
    fur_operator_definition wrong[4];
    fur_operator *op = NULL;
    for (int i = 0; i < COUNT_OF(wrong); i++)
        wrong[i] = scaling_definition(&s, 3);
    wrong[0].apply = NULL;
    wrong[1].rows = -1;
    wrong[2].cols = -1;
    wrong[3].value_type = (fur_value_type)4;
    for (int i = 0; i < COUNT_OF(wrong); i++)
        ck_fails(context, FUR_INVALID, sentence, fur_operator_create(context, &wrong[i], &op));
    ck_assert_ptr_null(op);
    ck_assert_int_eq(s.released, 0);
    fur_context_destroy(context);
}
END_TEST

START_TEST(failures_of_the_user_are_passed_on)
{
    fur_context *context = context_make(NULL, 1);
    scaling s = {
        .context = context, .apply_status = FUR_IO_ERROR, .diagonal_status = FUR_CANCELLED};
    fur_operator_definition definition = scaling_definition(&s, 2);
    fur_operator *op = NULL;
    fur_operator *jacobi = NULL;
    fur_vector *x = vector_of(context, FUR_F64, 2);
    fur_vector *y = vector_of(context, FUR_F64, 2);
    ck_ok(context, fur_operator_create(context, &definition, &op));
    ck_fails(context, FUR_IO_ERROR, "the scale is out of order", fur_operator_apply(op, x, y));
    ck_fails(context, FUR_CANCELLED, "the diagonal is out of order", fur_operator_diagonal(op, x));
    ck_fails(context, FUR_CANCELLED, "the diagonal is out of order",
             fur_operator_jacobi(op, &jacobi));
    ck_assert_ptr_null(jacobi);
    fur_operator_destroy(op);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

/* The message then names the failed function, not an earlier failure. */
START_TEST(failures_of_the_user_without_a_sentence_get_one)
{
    static const char applied[] =
        "the function \"apply\" of an operator of 2 x 2 returned status 5, input/output error, "
        "without a message; set one by fur_context_fail";
    static const char unknown[] =
        "the function \"diagonal\" of an operator of 2 x 2 returned status 99, unknown, without a "
        "message; set one by fur_context_fail";
    fur_context *context = context_make(NULL, 1);
    scaling s = {.context = context,
                 .silent = true,
                 .apply_status = FUR_IO_ERROR,
                 .diagonal_status = (fur_status)99};
    fur_operator_definition definition = scaling_definition(&s, 2);
    fur_operator *op = NULL;
    fur_operator *jacobi = NULL;
    fur_vector *x = vector_of(context, FUR_F64, 2);
    fur_vector *y = vector_of(context, FUR_F64, 2);
    ck_ok(context, fur_operator_create(context, &definition, &op));
    for (int earlier = 0; earlier < 2; earlier++) {
        if (earlier)
            fur_context_fail(context, FUR_INVALID, "something else");
        ck_fails(context, FUR_IO_ERROR, applied, fur_operator_apply(op, x, y));
        ck_fails(context, FUR_IO_ERROR, applied, fur_operator_apply(op, x, y));
        ck_fails(context, (fur_status)99, unknown, fur_operator_diagonal(op, x));
        ck_fails(context, (fur_status)99, unknown, fur_operator_jacobi(op, &jacobi));
    }
    ck_assert_ptr_null(jacobi);
    fur_operator_destroy(op);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

START_TEST(vectors_that_do_not_fit_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    scaling s = {.context = context};
    fur_operator_definition definition = scaling_definition(&s, 3);
    fur_operator *op = NULL;
    definition.cols = 4;
    ck_ok(context, fur_operator_create(context, &definition, &op));
    fur_vector *x = vector_of(context, FUR_F64, 4);
    fur_vector *y = vector_of(context, FUR_F64, 3);
    fur_vector *single = vector_of(context, FUR_F32, 4);
    fur_vector *foreign = vector_of(other, FUR_F64, 3);
    ck_fails(context, FUR_INVALID,
             "x has 3 entries of type f64, but the operator needs 4 of type f64",
             fur_operator_apply(op, y, y));
    ck_fails(context, FUR_INVALID,
             "x has 4 entries of type f32, but the operator needs 4 of type f64",
             fur_operator_apply(op, single, y));
    ck_fails(context, FUR_INVALID,
             "y has 4 entries of type f64, but the operator needs 3 of type f64",
             fur_operator_apply(op, x, x));
    ck_fails(context, FUR_INVALID, "y belongs to another context than the operator",
             fur_operator_apply(op, x, foreign));
    ck_fails(context, FUR_INVALID,
             "the diagonal has 4 entries of type f64, but the operator needs 3 of type f64",
             fur_operator_diagonal(op, x));
    ck_assert_int_eq(s.applied, 0);
    fur_operator_destroy(op);
    fur_vector_destroy(foreign);
    fur_vector_destroy(single);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

/* Computes y = factor x, where y is in another context than x. */
static fur_status crossing_apply(void *user, const fur_vector *x, fur_vector *y)
{
    const scaling *s = user;
    double *to = fur_vector_data(y);
    const double *from = fur_vector_const_data(x);
    if (s->apply_status != FUR_OK)
        return fur_context_fail(s->context, s->apply_status, "the scale is out of order");
    for (int64_t i = 0; i < fur_vector_size(x); i++)
        to[i] = s->factor * from[i];
    return FUR_OK;
}

/* x may be in another context for products and least squares, but not for methods of square
 * systems. */
START_TEST(x_may_have_its_own_context)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *domain = context_make(NULL, 1);
    scaling s = {.context = context, .factor = 3};
    scaling back = {.context = domain, .factor = 3};
    fur_operator_definition definition = scaling_definition(&s, 3);
    fur_operator_definition turned = scaling_definition(&back, 3);
    fur_solver_options options = {.size = sizeof options, .method = "lsqr"};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_operator *op = NULL;
    fur_operator *adjoint = NULL;
    fur_solver *solver = NULL;
    definition.apply = turned.apply = crossing_apply;
    definition.domain = domain;
    turned.domain = context;
    ck_ok(context, fur_operator_create(context, &definition, &op));
    ck_ok(domain, fur_operator_create(domain, &turned, &adjoint));
    ck_assert_ptr_eq(fur_operator_domain(op), domain);
    ck_assert_ptr_eq(fur_operator_context(op), context);
    fur_vector *x = vector_of(domain, FUR_F64, 3);
    fur_vector *y = vector_of(context, FUR_F64, 3);
    ck_ok(domain, fur_vector_fill(x, fur_real(1)));
    ck_ok(context, fur_operator_apply(op, x, y));
    ck_fails(context, FUR_INVALID, "x belongs to another context than its domain",
             fur_operator_apply(op, y, y));
    ck_fails(context, FUR_UNSUPPORTED,
             "the operator does not define its diagonal, which this call needs",
             fur_operator_diagonal(op, y));
    ck_fails(context, FUR_INVALID,
             "cg needs x and b in one context, but this operator has two contexts",
             fur_solver_create(op, NULL, &solver));
    options.adjoint = op; /* maps x to b, as A does: not an adjoint */
    ck_assert_int_eq(fur_solver_create(op, &options, &solver), FUR_INVALID);
    options.adjoint = adjoint;
    ck_ok(context, fur_solver_create(op, &options, &solver));
    ck_ok(domain, fur_vector_fill(x, fur_real(0)));
    ck_ok(context, fur_solver_solve(solver, y, x, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    fur_vectors *block_x = NULL;
    fur_vectors *block_y = NULL;
    ck_ok(domain, fur_vectors_create(domain, FUR_F64, 3, 2, FUR_LAYOUT_ROWS, &block_x));
    ck_ok(context, fur_vectors_create(context, FUR_F64, 3, 2, FUR_LAYOUT_COLUMNS, &block_y));
    ck_ok(context, fur_vectors_fill(block_y, fur_real(6)));
    ck_ok(context, fur_solver_solve_block(solver, block_y, block_x, NULL));
    double solved[6];
    ck_ok(domain, fur_vectors_download(block_x, solved));
    for (int i = 0; i < COUNT_OF(solved); i++)
        ck_assert_double_eq_tol(solved[i], 2, 100 * DBL_EPSILON);
    fur_vectors_destroy(block_y);
    fur_vectors_destroy(block_x);
    back.apply_status = FUR_IO_ERROR; /* fails in x's context, reported in b's */
    ck_ok(domain, fur_vector_fill(x, fur_real(0)));
    ck_fails(context, FUR_IO_ERROR, "the scale is out of order",
             fur_solver_solve(solver, y, x, NULL));
    fur_solver_destroy(solver);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_operator_destroy(adjoint);
    fur_operator_destroy(op);
    fur_context_destroy(domain);
    fur_context_destroy(context);
}
END_TEST

/* Checks the shape, product and diagonal of the operator op(A) of a plan. */
static void check_spmv_operator(fur_context *context, rng *r, fur_value_type value, fur_op kind)
{
    const shape *s = &shapes[shape_find("runs")];
    int64_t rows = kind == FUR_OP_N ? s->rows : s->cols;
    int64_t cols = kind == FUR_OP_N ? s->cols : s->rows;
    fur_csr *a = matrix_random(context, r, s, value, FUR_I32);
    fur_vector *x = vector_random(context, r, value, cols);
    fur_vector *y = vector_of(context, value, rows);
    fur_vector *z = vector_of(context, value, rows);
    fur_vector *d = vector_of(context, value, s->rows);
    fur_vector *expected = NULL;
    fur_spmv_options options = {.size = sizeof options, .op = kind};
    fur_spmv *plan = NULL;
    fur_operator *op = NULL;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    ck_assert(fur_operator_rows(op) == rows && fur_operator_cols(op) == cols);
    ck_assert_int_eq(fur_operator_value_type(op), value);
    ck_ok(context, fur_operator_apply(op, x, y));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), z));
    ck_assert_int_eq(first_difference(value, rows, fur_vector_data(y), fur_vector_data(z)), -1);
    ck_ok(context, fur_operator_diagonal(op, d));
    ck_ok(context, fur_csr_diagonal(a, &expected));
    for (int64_t i = 0; i < s->rows; i++) {
        fur_scalar entry = entry_get(value, fur_vector_data(expected), i);
        entry.im = kind == FUR_OP_H && entry.im != 0 ? -entry.im : entry.im;
        entry_set(value, fur_vector_data(expected), i, entry);
    }
    ck_assert_int_eq(
        first_difference(value, s->rows, fur_vector_data(d), fur_vector_data(expected)), -1);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_vector_destroy(expected);
    fur_vector_destroy(d);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
}

START_TEST(a_plan_is_an_operator)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(1);
    for (int op = FUR_OP_N; op <= FUR_OP_H; op++)
        check_spmv_operator(context, &r, (fur_value_type)_i, (fur_op)op);
    fur_context_destroy(context);
}
END_TEST

/* An operator whose diagonal alone is tested. */
typedef struct diagonal {
    fur_value_type value;
    int64_t n;
    const fur_scalar *entries;
} diagonal;

static fur_status no_apply(void *user, const fur_vector *x, fur_vector *y)
{
    (void)user;
    return fur_vector_copy(x, y);
}

static fur_status diagonal_entries(void *user, fur_vector *d)
{
    const diagonal *own = user;
    for (int64_t i = 0; i < own->n; i++)
        entry_set(own->value, fur_vector_data(d), i, own->entries[i]);
    return FUR_OK;
}

static fur_operator *diagonal_operator(fur_context *context, diagonal *d)
{
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = d->n,
                                          .cols = d->n,
                                          .value_type = d->value,
                                          .user = d,
                                          .apply = no_apply,
                                          .diagonal = diagonal_entries};
    fur_operator *op = NULL;
    ck_ok(context, fur_operator_create(context, &definition, &op));
    return op;
}

/* The entries are powers of two, which have exact reciprocals. Loops over value types. */
START_TEST(jacobi_divides_by_the_diagonal)
{
    fur_value_type value = (fur_value_type)_i;
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    const fur_scalar entries[] = {{2, 0}, {-0.25, 0}, {0x1p100, 0}, {0x1p-100, 0}};
    const fur_scalar inverses[] = {{0.5, 0}, {-4, 0}, {0x1p-100, 0}, {0x1p100, 0}};
    diagonal d = {value, 4, entries};
    fur_operator *op = diagonal_operator(context, &d);
    fur_operator *jacobi = NULL;
    fur_vector *x = vector_of(context, value, 4);
    fur_vector *y = vector_of(context, value, 4);
    ck_ok(context, fur_operator_jacobi(op, &jacobi));
    ck_assert_int_eq(fur_operator_rows(jacobi), 4);
    ck_ok(context, fur_operator_apply(jacobi, x, y));
    ck_ok(context, fur_operator_diagonal(jacobi, x));
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq(entry_get(value, fur_vector_data(x), i).re, inverses[i].re);
        ck_assert_double_eq(entry_get(value, fur_vector_data(y), i).re, inverses[i].re);
    }
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_operator_destroy(jacobi);
    fur_operator_destroy(op);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Jacobi computes 1 / z = conj(z) / |z|^2, also if |z|^2 overflows or underflows. */
START_TEST(jacobi_divides_by_complex_numbers)
{
    fur_context *context = context_make(NULL, 1);
    const fur_scalar entries[] = {{0, 2}, {1, 1}, {0x1p600, -0x1p600}, {0x1p-600, 0x1p-600}};
    const fur_scalar inverses[] = {
        {0, -0.5}, {0.5, -0.5}, {0x1p-601, 0x1p-601}, {0x1p599, -0x1p599}};
    diagonal d = {FUR_C128, 4, entries};
    fur_operator *op = diagonal_operator(context, &d);
    fur_operator *jacobi = NULL;
    fur_vector *inverse = vector_of(context, FUR_C128, 4);
    ck_ok(context, fur_operator_jacobi(op, &jacobi));
    ck_ok(context, fur_operator_diagonal(jacobi, inverse));
    for (int i = 0; i < 4; i++) {
        fur_scalar entry = entry_get(FUR_C128, fur_vector_data(inverse), i);
        ck_assert_msg(entry.re == inverses[i].re && entry.im == inverses[i].im, "1/z is %a%+ai",
                      entry.re, entry.im);
    }
    fur_vector_destroy(inverse);
    fur_operator_destroy(jacobi);
    fur_operator_destroy(op);
    fur_context_destroy(context);
}
END_TEST

/* The diagonal of row 2 is 0, infinite, NaN, or has a reciprocal that overflows. Jacobi's error
 * names the row. Loops over value types. */
START_TEST(jacobi_names_the_row_without_a_reciprocal)
{
    static const double unusable[] = {0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-149, 0x1p-1074};
    fur_value_type value = (fur_value_type)_i;
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    for (int i = 0; i < COUNT_OF(unusable); i++) {
        fur_scalar entries[] = {{1, 0}, {2, 0}, {unusable[i], 0}, {0, 0}};
        diagonal d = {value, 4, entries};
        fur_operator *op = diagonal_operator(context, &d);
        fur_operator *jacobi = NULL;
        int64_t outstanding = m.outstanding;
        if (unusable[i] == 0x1p-149 && value_epsilon(value) == DBL_EPSILON)
            entries[2].re = 0;
        ck_fails(context, FUR_INVALID,
                 "the diagonal entry of row 3, counting from 1, is 0 or has no finite reciprocal; "
                 "Jacobi's preconditioner divides by it",
                 fur_operator_jacobi(op, &jacobi));
        ck_assert_ptr_null(jacobi);
        ck_assert_int_eq(m.outstanding, outstanding);
        fur_operator_destroy(op);
    }
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(jacobi_needs_a_square_operator_with_a_diagonal)
{
    fur_context *context = context_make(NULL, 1);
    scaling s = {.context = context, .factor = 3};
    fur_operator_definition definition = scaling_definition(&s, 5);
    fur_operator *op = NULL;
    fur_operator *jacobi = NULL;
    definition.cols = 6;
    ck_ok(context, fur_operator_create(context, &definition, &op));
    ck_fails(context, FUR_INVALID,
             "Jacobi's preconditioner needs a square operator; this one is 5 x 6",
             fur_operator_jacobi(op, &jacobi));
    fur_operator_destroy(op);
    definition.cols = 5;
    definition.diagonal = NULL;
    ck_ok(context, fur_operator_create(context, &definition, &op));
    ck_fails(context, FUR_UNSUPPORTED,
             "the operator does not define its diagonal, which this call needs",
             fur_operator_jacobi(op, &jacobi));
    ck_assert_ptr_null(jacobi);
    fur_operator_destroy(op);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, an_operator_is_what_its_definition_says);
    tcase_add_test(tests, an_older_definition_is_read_as_far_as_it_goes);
    tcase_add_test(tests, incomplete_definitions_are_refused);
    tcase_add_test(tests, failures_of_the_user_are_passed_on);
    tcase_add_test(tests, failures_of_the_user_without_a_sentence_get_one);
    tcase_add_test(tests, vectors_that_do_not_fit_are_refused);
    tcase_add_test(tests, x_may_have_its_own_context);
    tcase_add_loop_test(tests, a_plan_is_an_operator, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, jacobi_divides_by_the_diagonal, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, jacobi_divides_by_complex_numbers);
    tcase_add_loop_test(tests, jacobi_names_the_row_without_a_reciprocal, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, jacobi_needs_a_square_operator_with_a_diagonal);
}

int main(void)
{
    return run_tests("operator", add_tests);
}
