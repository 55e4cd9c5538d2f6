/* Golden bits: reductions and conjugate gradients on inputs made by integer arithmetic give the
 * numbers of golden/. They do so for any thread count and instruction set, and in every build that
 * runs this test. A row that differs is printed in the form of the table.
 *
 * Input: with h(k) = (2654435761 k) mod 2^32 and u(k) = (h(k) - 2^31) / (3 2^31), a quotient of
 * doubles, rounded to the value type,
 *     x_i = u(i + 1), y_i = u(3 i + 2) for real types,
 *     x_i = u(2 i + 1) + u(2 i + 2) i, y_i = u(3 i + 2) + u(5 i + 3) i for complex ones. */
#include "support.h"

#include <string.h>

/* Results for n entries: dot of x and y, norms of x, and the norm of x / 3 + y, which is computed
 * last because it overwrites y. */
typedef struct golden_reductions {
    fur_value_type value;
    int64_t n;
    double dot_re;
    double dot_im;
    double norm1;
    double norm2;
    double norm_max;
    double axpy_norm2;
} golden_reductions;

static const golden_reductions reductions[] = {
#include "golden/reductions.h"
};

/* CG with Jacobi for A z = x to the default tolerance. A is the 5-point Laplacian of an nx x ny
 * grid plus 1/2 + u(1) .. 1/2 + u(n) on the diagonal. Results: iterations, the norms of residuals
 * and solution, and the middle entry of the solution. */
typedef struct golden_cg {
    fur_value_type value;
    int64_t nx;
    int64_t ny;
    int64_t iterations;
    double residual_recurrence;
    double residual;
    double norm2;
    double middle_re;
    double middle_im;
} golden_cg;

static const golden_cg solves[] = {
#include "golden/cg.h"
};

static double unit(int64_t k)
{
    uint32_t h = UINT32_C(2654435761) * (uint32_t)k;
    return ((double)h - 0x1p31) / (3 * 0x1p31);
}

/* Entry i has the real part u(re[0] i + re[1]) and the imaginary part u(im[0] i + im[1]). */
typedef struct rule {
    int64_t re[2];
    int64_t im[2];
} rule;

static fur_vector *vector_by(fur_context *context, fur_value_type value, int64_t n, const rule *r)
{
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, value, n, &x));
    for (int64_t i = 0; i < n; i++)
        entry_set(value, fur_vector_data(x), i,
                  fur_complex(unit(r->re[0] * i + r->re[1]), unit(r->im[0] * i + r->im[1])));
    return x;
}

static fur_vector *vector_x(fur_context *context, fur_value_type value, int64_t n)
{
    static const rule real = {{1, 1}, {0, 0}};
    static const rule complex = {{2, 1}, {2, 2}};
    return vector_by(context, value, n, value_is_complex(value) ? &complex : &real);
}

static fur_vector *vector_y(fur_context *context, fur_value_type value, int64_t n)
{
    static const rule r = {{3, 2}, {5, 3}};
    return vector_by(context, value, n, &r);
}

static void ck_row(fur_context *context, const char *row, const char *expected)
{
    ck_assert_msg(strcmp(row, expected) == 0, "isa %s, %d threads:\n%s\ninstead of\n%s",
                  fur_context_isa(context), fur_context_threads(context), row, expected);
}

static const char *const tags[] = {"FUR_F32", "FUR_F64", "FUR_C64", "FUR_C128"};

static void print_reductions(const golden_reductions *g, char *row, size_t size)
{
    snprintf(row, size, "{%s, %lld, %a, %a, %a, %a, %a, %a},", tags[g->value], (long long)g->n,
             g->dot_re, g->dot_im, g->norm1, g->norm2, g->norm_max, g->axpy_norm2);
}

static void check_reductions(fur_context *context, const golden_reductions *expected)
{
    char row[512];
    char expected_row[512];
    golden_reductions g = {.value = expected->value, .n = expected->n};
    fur_vector *x = vector_x(context, g.value, g.n);
    fur_vector *y = vector_y(context, g.value, g.n);
    fur_scalar dot;
    ck_ok(context, fur_dot(x, y, &dot));
    ck_ok(context, fur_norm1(x, &g.norm1));
    ck_ok(context, fur_norm2(x, &g.norm2));
    ck_ok(context, fur_norm_max(x, &g.norm_max));
    ck_ok(context, fur_axpy_norm2(fur_real(1.0 / 3), x, y, &g.axpy_norm2));
    g.dot_re = dot.re;
    g.dot_im = dot.im;
    print_reductions(&g, row, sizeof row);
    print_reductions(expected, expected_row, sizeof expected_row);
    ck_row(context, row, expected_row);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

/* Returns the Laplacian, assembled from coordinates. Neighbours outside of the grid have no
 * entry. */
static fur_csr *laplacian(fur_context *context, const golden_cg *g)
{
    int64_t n = g->nx * g->ny;
    int64_t entries = 0;
    const int64_t steps[] = {-g->nx, -1, 0, 1, g->nx};
    int32_t *rows = malloc((size_t)(5 * n) * sizeof *rows);
    int32_t *cols = malloc((size_t)(5 * n) * sizeof *cols);
    void *values = entries_make(g->value, 5 * n);
    for (int64_t k = 0; k < 5 * n; k++) {
        int64_t i = k / 5;
        int64_t j = i + steps[k % 5];
        bool wraps = (k % 5 == 1 && i % g->nx == 0) || (k % 5 == 3 && j % g->nx == 0);
        if (j < 0 || j >= n || wraps)
            continue;
        rows[entries] = (int32_t)i;
        cols[entries] = (int32_t)j;
        entry_set(g->value, values, entries++, fur_real(i == j ? 4.5 + unit(i + 1) : -1));
    }
    fur_coo_view coo = {sizeof coo, n, n, entries, g->value, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    free(values);
    free(cols);
    free(rows);
    return a;
}

static void solve(const fur_operator *op, golden_cg *g)
{
    fur_context *context = fur_operator_context(op);
    fur_vector *b = vector_x(context, g->value, g->nx * g->ny);
    fur_vector *x = NULL;
    fur_operator *jacobi = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_vector_create(context, g->value, g->nx * g->ny, &x));
    ck_ok(context, fur_operator_jacobi(op, &jacobi));
    fur_solver_options options = {
        .size = sizeof options, .preconditioner = jacobi, .no_reduction = 1};
    ck_ok(context, fur_solver_create(op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, b, x, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    fur_scalar middle = entry_get(g->value, fur_vector_data(x), g->nx * g->ny / 2);
    g->iterations = report.iterations;
    g->residual_recurrence = report.residual_recurrence;
    g->residual = report.residual;
    g->middle_re = middle.re;
    g->middle_im = middle.im;
    ck_ok(context, fur_norm2(x, &g->norm2));
    fur_solver_destroy(solver);
    fur_operator_destroy(jacobi);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
}

static void print_cg(const golden_cg *g, char *row, size_t size)
{
    snprintf(row, size, "{%s, %lld, %lld, %lld, %a, %a, %a, %a, %a},", tags[g->value],
             (long long)g->nx, (long long)g->ny, (long long)g->iterations, g->residual_recurrence,
             g->residual, g->norm2, g->middle_re, g->middle_im);
}

static void check_cg(fur_context *context, const golden_cg *expected)
{
    char row[512];
    char expected_row[512];
    golden_cg g = {.value = expected->value, .nx = expected->nx, .ny = expected->ny};
    fur_spmv *plan = NULL;
    fur_operator *op = NULL;
    fur_csr *a = laplacian(context, &g);
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    solve(op, &g);
    print_cg(&g, row, sizeof row);
    print_cg(expected, expected_row, sizeof expected_row);
    ck_row(context, row, expected_row);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
}

/* Calls a check in every instruction set with 1 to 8 threads; slow builds leave out some. */
static void everywhere(void (*check)(fur_context *context, int row), int row)
{
    for (int i = 0; isa_name(i); i++) {
        for (int threads = 1; threads <= 8; threads += TEST_SLOW ? 3 : 1) {
            fur_context *context = context_make(isa_name(i), threads);
            check(context, row);
            fur_context_destroy(context);
        }
    }
}

static void check_reductions_row(fur_context *context, int row)
{
    check_reductions(context, &reductions[row]);
}

static void check_cg_row(fur_context *context, int row)
{
    check_cg(context, &solves[row]);
}

/* These two tests loop over the rows of the tables. */
START_TEST(reductions_give_the_golden_bits)
{
    everywhere(check_reductions_row, _i);
}
END_TEST

START_TEST(cg_gives_the_golden_bits)
{
    everywhere(check_cg_row, _i);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, reductions_give_the_golden_bits, 0, COUNT_OF(reductions));
    tcase_add_loop_test(tests, cg_gives_the_golden_bits, 0, COUNT_OF(solves));
}

int main(void)
{
    return run_tests("golden", add_tests);
}
