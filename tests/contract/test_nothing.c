/* Tests every function that takes a matrix with matrices without rows, columns or entries. Each
 * call succeeds or sets a message. The sanitizers find accesses to arrays that do not exist. */
#include "support.h"

#include <string.h>

/* Numbers of rows, columns and entries. Entry k is at row k and column k. */
typedef struct extent {
    int64_t rows;
    int64_t cols;
    int64_t entries;
} extent;
static const extent extents[] = {{0, 0, 0}, {0, 3, 0}, {3, 0, 0}, {1, 1, 0},
                                 {1, 1, 1}, {5, 5, 0}, {5, 5, 2}, {400, 400, 0}};

/* The arguments of the calls. */
typedef struct given {
    fur_context *context;
    extent e;
    fur_csr *a;
    fur_vector *x; /* x has `cols` entries, y has `rows` entries */
    fur_vector *y;
    fur_vectors *many_x;
    fur_vectors *many_y;
} given;

static bool told(const given *g, fur_status status)
{
    ck_assert_msg(status == FUR_OK || *fur_context_error(g->context), "no sentence");
    return status == FUR_OK;
}

static given begin(const extent *e)
{
    given g = {context_make(NULL, 2), *e, NULL, NULL, NULL, NULL, NULL};
    int32_t at[] = {0, 1};
    const double values[] = {2, 3};
    const fur_coo_view coo = {sizeof coo, e->rows, e->cols, e->entries, FUR_F64, at, at, values};
    ck_ok(g.context, fur_csr_from_coo(g.context, &coo, FUR_DUPLICATES_SUM, &g.a));
    ck_ok(g.context, fur_vector_create(g.context, FUR_F64, e->cols, &g.x));
    ck_ok(g.context, fur_vector_create(g.context, FUR_F64, e->rows, &g.y));
    ck_ok(g.context,
          fur_vectors_create(g.context, FUR_F64, e->cols, 3, FUR_LAYOUT_COLUMNS, &g.many_x));
    ck_ok(g.context,
          fur_vectors_create(g.context, FUR_F64, e->rows, 3, FUR_LAYOUT_COLUMNS, &g.many_y));
    ck_ok(g.context, fur_vector_fill(g.x, fur_real(1)));
    ck_ok(g.context, fur_vector_fill(g.y, fur_real(0)));
    ck_ok(g.context, fur_vectors_fill(g.many_x, fur_real(1)));
    ck_ok(g.context, fur_vectors_fill(g.many_y, fur_real(0)));
    return g;
}

static void end(given *g)
{
    fur_vectors_destroy(g->many_y);
    fur_vectors_destroy(g->many_x);
    fur_vector_destroy(g->y);
    fur_vector_destroy(g->x);
    fur_csr_destroy(g->a);
    fur_context_destroy(g->context);
}

/* All tests here loop over the extents. */
START_TEST(products)
{
    given g = begin(&extents[_i]);
    for (int k = 0; k < kernel_count(fur_spmv_kernel_at, g.context); k++)
        for (int op = 0; op < 3; op++) {
            fur_spmv_options o = {.size = sizeof o, .op = (fur_op)op};
            o.kernel = fur_spmv_kernel_at(g.context, k)->name;
            fur_spmv *plan = NULL;
            if (told(&g, fur_spmv_plan(g.a, &o, &plan)))
                (void)told(&g, fur_spmv_apply(plan, fur_real(1), op ? g.y : g.x, fur_real(0),
                                              op ? g.x : g.y));
            fur_csr_values_changed(g.a);
            fur_spmv_destroy(plan);
        }
    fur_spmm *plan = NULL;
    ck_ok(g.context, fur_spmm_plan(g.a, NULL, &plan));
    ck_ok(g.context, fur_spmm_apply(plan, fur_real(1), g.many_x, fur_real(0), g.many_y));
    fur_csr_values_changed(g.a);
    fur_spmm_destroy(plan);
    static const char *const orders[] = {NULL, "rcm", "auto"};
    for (int k = 0; k < COUNT_OF(orders); k++) {
        fur_product_options o = {.size = sizeof o, .uses = 50, .order = orders[k]};
        fur_product *p = NULL;
        if (told(&g, fur_product_create(g.a, &o, &p)))
            (void)told(&g, fur_operator_apply(fur_product_operator(p), g.x, g.y));
        fur_product_destroy(p);
    }
    end(&g);
}
END_TEST

START_TEST(matrices)
{
    given g = begin(&extents[_i]);
    fur_csr *made[24] = {NULL};
    int n = 0;
    double norm;
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    fur_csr_asymmetry pair = FUR_DEFAULT(fur_csr_asymmetry);
    fur_csr_traits traits = FUR_DEFAULT(fur_csr_traits);
    fur_csr_difference difference = FUR_DEFAULT(fur_csr_difference);
    const fur_csr *blocks[] = {g.a, NULL, NULL, g.a};
    (void)told(&g, fur_csr_transpose(g.a, 0, &made[n++]));
    (void)told(&g, fur_csr_add(g.a, fur_real(1), g.a, fur_real(1), &made[n++]));
    (void)told(&g, fur_csr_shift(g.a, fur_real(1), &made[n++]));
    (void)told(&g, fur_csr_multiply_elementwise(g.a, g.a, &made[n++]));
    (void)told(&g, fur_csr_kron(g.a, g.a, &made[n++]));
    (void)told(&g, fur_csr_band(g.a, -1, 1, &made[n++]));
    (void)told(&g, fur_csr_submatrix(g.a, 0, g.e.rows, 0, g.e.cols, &made[n++]));
    (void)told(&g, fur_csr_select(g.a, 0, NULL, 0, NULL, &made[n++]));
    (void)told(&g, fur_csr_from_blocks(2, 2, blocks, &made[n++]));
    (void)told(&g, fur_csr_drop(g.a, 1, &made[n++]));
    (void)told(&g, fur_csr_multiply(g.a, g.a, &made[n++]));
    (void)told(&g, fur_csr_triple(g.a, g.a, g.a, &made[n++]));
    (void)told(&g, fur_csr_convert(g.a, FUR_C64, FUR_I64, &made[n++]));
    (void)told(&g, fur_csr_from_diagonal(g.x, &made[n++]));
    (void)told(&g,
               fur_sddmm_multiply(fur_real(1), g.many_y, g.many_x, fur_real(1), g.a, &made[n++]));
    (void)told(&g, fur_csr_norm(g.a, FUR_NORM_1, &norm));
    (void)told(&g, fur_csr_norm(g.a, FUR_NORM_INF, &norm));
    (void)told(&g, fur_csr_norm(g.a, FUR_NORM_MAX, &norm));
    (void)told(&g, fur_csr_norm(g.a, FUR_NORM_FROBENIUS, &norm));
    (void)told(&g, fur_csr_measure(g.a, &figures));
    (void)told(&g, fur_csr_examine(g.a, &traits));
    (void)told(&g, fur_csr_find_asymmetry(g.a, FUR_SYMMETRY_SYMMETRIC, &pair));
    (void)told(&g, fur_csr_compare_within(g.a, g.a, 0, 0, &difference));
    (void)told(&g, fur_csr_scale(g.a, g.y, g.x));
    (void)told(&g, fur_csr_eliminate(g.a, 0, NULL, fur_real(1), NULL, NULL));
    while (n > 0)
        fur_csr_destroy(made[--n]);
    end(&g);
}
END_TEST

START_TEST(orders_and_classes)
{
    given g = begin(&extents[_i]);
    for (int k = 0; fur_reorder_method_at(k); k++) {
        fur_permutation *p = NULL;
        fur_csr *b = NULL;
        if (told(&g, fur_reorder(g.a, fur_reorder_method_at(k)->name, NULL, NULL, &p)))
            (void)told(&g, fur_csr_permute(g.a, p, p, &b));
        fur_csr_destroy(b);
        fur_permutation_destroy(p);
    }
    fur_classes *levels = NULL;
    fur_classes *colours = NULL;
    fur_classes *components = NULL;
    fur_permutation *p = NULL;
    (void)told(&g, fur_classes_from_levels(g.a, FUR_TRIANGLE_LOWER, &levels));
    if (told(&g, fur_classes_from_colours(g.a, NULL, &colours)))
        (void)told(&g, fur_classes_order(colours, &p));
    (void)told(&g, fur_classes_from_components(g.a, &components));
    fur_permutation_destroy(p);
    fur_classes_destroy(components);
    fur_classes_destroy(colours);
    fur_classes_destroy(levels);
    end(&g);
}
END_TEST

START_TEST(preconditioners)
{
    given g = begin(&extents[_i]);
    static const char *const smoothers[] = {"chebyshev", "jacobi", "gauss-seidel"};
    static const char *const kinds[] = {"aggregation", "classical"};
    for (int k = 0; fur_precond_at(k); k++) {
        fur_precond_options o = {.size = sizeof o, .kind = fur_precond_at(k)->name};
        fur_precond *p = NULL;
        if (told(&g, fur_precond_create(g.a, &o, &p))) {
            (void)told(&g, fur_precond_apply(p, g.x, g.y));
            (void)told(&g, fur_precond_update(p));
        }
        fur_precond_destroy(p);
    }
    for (int k = 0; k < 12; k++) {
        fur_amg_options o = {.size = sizeof o,
                             .smoother = smoothers[k % 3],
                             .coarsening = kinds[k / 3 % 2],
                             .nonsymmetric = k / 6,
                             .coarsest = 2};
        fur_amg *amg = NULL;
        if (told(&g, fur_amg_create(g.a, &o, &amg)))
            (void)told(&g, fur_amg_apply(amg, g.x, g.y));
        fur_csr_values_changed(g.a);
        fur_amg_destroy(amg);
    }
    for (int k = 0; k < 6; k++) {
        fur_trsv *plan = NULL;
        if (told(&g, fur_trsv_plan(g.a, (fur_triangle)(k % 2), (fur_op)(k / 2), FUR_DIAGONAL_UNIT,
                                   NULL, &plan)))
            (void)told(&g, fur_trsv_apply(plan, fur_real(1), g.x, g.y));
        fur_trsv_destroy(plan);
    }
    end(&g);
}
END_TEST

START_TEST(solvers)
{
    given g = begin(&extents[_i]);
    const fur_spmv_options back = {.size = sizeof back, .op = FUR_OP_H};
    const fur_solve_options wide = FUR_DEFAULT(fur_solve_options);
    fur_spmv *plan = NULL;
    fur_spmv *adjoint = NULL;
    fur_operator *a = NULL;
    fur_operator *h = NULL;
    double values[8];
    ck_ok(g.context, fur_spmv_plan(g.a, NULL, &plan));
    ck_ok(g.context, fur_spmv_plan(g.a, &back, &adjoint));
    ck_ok(g.context, fur_operator_from_spmv(plan, &a));
    ck_ok(g.context, fur_operator_from_spmv(adjoint, &h));
    for (int k = 0; fur_solver_method_at(k); k++) {
        fur_solver_options o = {.size = sizeof o, .adjoint = h, .bounds = 1, .max_iterations = 20};
        o.method = fur_solver_method_at(k)->name;
        fur_solver *solver = NULL;
        if (told(&g, fur_solver_create(a, &o, &solver))) {
            (void)told(&g, fur_solver_solve(solver, g.y, g.x, NULL));
            (void)told(&g, fur_solver_solve_block(solver, g.many_y, g.many_x, NULL));
        }
        fur_solver_destroy(solver);
    }
    (void)told(&g, fur_solve(g.a, g.y, g.x, &wide, NULL));
    if (g.e.rows <= 5) {
        (void)told(&g, fur_eigs(a, NULL, values, NULL, NULL, NULL));
        (void)told(&g, fur_lobpcg(a, NULL, values, NULL, NULL, NULL));
    }
    fur_operator_destroy(h);
    fur_operator_destroy(a);
    fur_spmv_destroy(adjoint);
    fur_spmv_destroy(plan);
    end(&g);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, products, 0, COUNT_OF(extents));
    tcase_add_loop_test(tests, matrices, 0, COUNT_OF(extents));
    tcase_add_loop_test(tests, orders_and_classes, 0, COUNT_OF(extents));
    tcase_add_loop_test(tests, preconditioners, 0, COUNT_OF(extents));
    tcase_add_loop_test(tests, solvers, 0, COUNT_OF(extents));
}

int main(void)
{
    return run_tests("nothing", add_tests);
}
