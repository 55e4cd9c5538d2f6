/* Products, operators and solvers give the same results in a permuted and in the original
 * numbering. */
#include "support.h"

/* Returns small whole numbers. Their products and sums are exact in every order. */
static void *whole_numbers(rng *r, fur_value_type value, int64_t n)
{
    void *entries = entries_make(value, n);
    for (int64_t i = 0; i < n; i++) {
        fur_scalar number = {(double)(1 + rng_below(r, 5)), (double)rng_below(r, 5) - 2};
        entry_set(value, entries, i, number);
    }
    return entries;
}

static fur_csr *whole_matrix(fur_context *context, rng *r, const shape *s, fur_value_type value)
{
    fur_csr *a = NULL;
    pattern p = pattern_make(s, r);
    void *values = whole_numbers(r, value, p.entries);
    fur_csr_view arrays = arrays_make(&p, value, FUR_I32, values);
    ck_ok(context, fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &a));
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    return a;
}

static fur_vector *whole_vector(fur_context *context, rng *r, fur_value_type value, int64_t n)
{
    void *entries = whole_numbers(r, value, n);
    fur_vector *x = vector_from(context, value, n, entries);
    free(entries);
    return x;
}

static void multiply(const fur_csr *a, const fur_vector *x, fur_vector *y)
{
    fur_spmv *plan = NULL;
    ck_ok(fur_csr_context(a), fur_spmv_plan(a, NULL, &plan));
    ck_ok(fur_csr_context(a), fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    fur_spmv_destroy(plan);
}

/* Checks that P (A x) = (P A Q^T) (Q x). */
static void check_product(fur_context *context, rng *r, const shape *s, fur_value_type value)
{
    fur_csr *a = whole_matrix(context, r, s, value);
    fur_permutation *p = permutation_random(context, r, s->rows);
    fur_permutation *q = permutation_random(context, r, s->cols);
    fur_vector *x = whole_vector(context, r, value, s->cols);
    fur_vector *qx = whole_vector(context, r, value, s->cols);
    fur_vector *y = whole_vector(context, r, value, s->rows);
    fur_vector *py = whole_vector(context, r, value, s->rows);
    fur_vector *result = whole_vector(context, r, value, s->rows);
    fur_csr *b = NULL;
    multiply(a, x, y);
    ck_ok(context, fur_vector_permute(p, y, py));
    ck_ok(context, fur_csr_permute(a, p, q, &b));
    ck_ok(context, fur_vector_permute(q, x, qx));
    multiply(b, qx, result);
    ck_assert_int_eq(first_difference(value, s->rows, fur_vector_data(py), fur_vector_data(result)),
                     -1);
    fur_csr_destroy(b);
    fur_vector_destroy(result);
    fur_vector_destroy(py);
    fur_vector_destroy(y);
    fur_vector_destroy(qx);
    fur_vector_destroy(x);
    fur_permutation_destroy(q);
    fur_permutation_destroy(p);
    fur_csr_destroy(a);
}

/* Permuting commutes with the product. Loops over shapes. */
START_TEST(permuting_commutes_with_the_product)
{
    rng r = rng_stream(6);
    fur_context *context = context_make(NULL, 2);
    for (int value = 0; value < FUR_VALUE_COUNT; value++)
        check_product(context, &r, &shapes[_i], (fur_value_type)value);
    fur_context_destroy(context);
}
END_TEST

/* A square matrix A, and an operator that permutes x, applies P A P^T and permutes back. */
typedef struct pair {
    fur_context *context;
    fur_csr *a;
    fur_csr *b;
    fur_permutation *p;
    fur_spmv *plan;
    fur_operator *inner;
    fur_operator *op;
} pair;

static pair pair_open(fur_context *context, rng *r, fur_csr *a)
{
    pair t = {.context = context, .a = a};
    t.p = permutation_random(context, r, fur_csr_get(a)->rows);
    ck_ok(context, fur_csr_permute(a, t.p, t.p, &t.b));
    ck_ok(context, fur_spmv_plan(t.b, NULL, &t.plan));
    ck_ok(context, fur_operator_from_spmv(t.plan, &t.inner));
    ck_ok(context, fur_operator_permute(t.inner, t.p, &t.op));
    return t;
}

static void pair_close(pair *t)
{
    fur_operator_destroy(t->op);
    fur_operator_destroy(t->inner);
    fur_spmv_destroy(t->plan);
    fur_permutation_destroy(t->p);
    fur_csr_destroy(t->b);
    fur_csr_destroy(t->a);
}

static void check_operator(fur_context *context, rng *r, fur_value_type value)
{
    const shape *s = &shapes[shape_find("small grid")];
    pair t = pair_open(context, r, whole_matrix(context, r, s, value));
    fur_vector *x = whole_vector(context, r, value, s->rows);
    fur_vector *y = whole_vector(context, r, value, s->rows);
    fur_vector *z = whole_vector(context, r, value, s->rows);
    fur_vector *d = NULL;
    ck_assert(fur_operator_rows(t.op) == s->rows && fur_operator_cols(t.op) == s->rows);
    ck_assert_int_eq(fur_operator_value_type(t.op), value);
    multiply(t.a, x, y);
    ck_ok(context, fur_operator_apply(t.op, x, z));
    ck_assert_int_eq(first_difference(value, s->rows, fur_vector_data(y), fur_vector_data(z)), -1);
    ck_ok(context, fur_csr_diagonal(t.a, &d));
    ck_ok(context, fur_operator_diagonal(t.op, z));
    ck_assert_int_eq(first_difference(value, s->rows, fur_vector_data(d), fur_vector_data(z)), -1);
    fur_vector_destroy(d);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    pair_close(&t);
}

/* The permuted operator gives the results of A. Loops over value types. */
START_TEST(a_permuted_operator_is_the_original_one)
{
    memory m = {0};
    rng r = rng_stream(7);
    fur_context *context = context_counting(&m, NULL, 2);
    check_operator(context, &r, (fur_value_type)_i);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Returns a positive definite matrix with 7 on the diagonal and -1 off the diagonal. */
static fur_csr *laplacian(fur_context *context, rng *r)
{
    fur_csr *a = NULL;
    pattern p = pattern_make(&shapes[shape_find("small grid")], r);
    double *values = malloc((size_t)p.entries * sizeof *values);
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t k = p.offsets[i]; k < p.offsets[i + 1]; k++)
            values[k] = p.columns[k] == i ? 7 : -1;
    fur_csr_view arrays = arrays_make(&p, FUR_F64, FUR_I32, values);
    ck_ok(context, fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &a));
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    return a;
}

static void solve(const fur_operator *op, const fur_vector *b, fur_vector *x)
{
    fur_context *context = fur_operator_context(op);
    fur_operator *jacobi = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_operator_jacobi(op, &jacobi));
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi};
    ck_ok(context, fur_solver_create(op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, b, x, &report));
    ck_assert_str_eq(fur_outcome_name(report.outcome), "converged");
    fur_solver_destroy(solver);
    fur_operator_destroy(jacobi);
}

START_TEST(a_solver_on_it_works_in_the_original_numbering)
{
    rng r = rng_stream(8);
    fur_context *context = context_make(NULL, 2);
    pair t = pair_open(context, &r, laplacian(context, &r));
    int64_t n = fur_operator_rows(t.op);
    fur_vector *expected = vector_random(context, &r, FUR_F64, n);
    fur_vector *b = vector_random(context, &r, FUR_F64, n);
    fur_vector *x = NULL;
    double norm;
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &x));
    multiply(t.a, expected, b);
    solve(t.op, b, x);
    ck_ok(context, fur_axpby(fur_real(-1), expected, fur_real(1), x));
    ck_ok(context, fur_norm_max(x, &norm));
    ck_assert_double_lt(norm, 1e-8);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_vector_destroy(expected);
    pair_close(&t);
    fur_context_destroy(context);
}
END_TEST

static fur_permutation *identity(fur_context *context, int64_t n)
{
    fur_permutation *p = NULL;
    ck_ok(context, fur_permutation_create(context, n, NULL, &p));
    return p;
}

START_TEST(operators_and_permutations_that_do_not_fit_are_refused)
{
    memory m = {0};
    rng r = rng_stream(9);
    fur_context *context = context_counting(&m, NULL, 1);
    fur_context *other = context_make(NULL, 1);
    pair t = pair_open(context, &r, laplacian(context, &r));
    fur_permutation *small = identity(context, 5);
    fur_permutation *foreign = identity(other, 315);
    fur_operator *op = NULL;
    int64_t outstanding = m.outstanding;
    ck_fails(context, FUR_INVALID, "the operator is 315 x 315, but the permutation has 5 numbers",
             fur_operator_permute(t.inner, small, &op));
    ck_fails(context, FUR_INVALID, "the permutation belongs to another context than the operator",
             fur_operator_permute(t.inner, foreign, &op));
    ck_assert_ptr_null(op);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_permutation_destroy(foreign);
    fur_permutation_destroy(small);
    pair_close(&t);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, permuting_commutes_with_the_product, 0, shape_count);
    tcase_add_loop_test(tests, a_permuted_operator_is_the_original_one, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_solver_on_it_works_in_the_original_numbering);
    tcase_add_test(tests, operators_and_permutations_that_do_not_fit_are_refused);
}

int main(void)
{
    return run_tests("permuted", add_tests);
}
