#include "doors.h"

#include <string.h>

#define ROWS_MAX 500

static const int64_t extents[GRID_COUNT][3] = {{23, 19, 1}, {23, 19, 1}, {8, 7, 6}, {311, 1, 1}};

/* A matrix while it is being built. `diagonal` has the sum of the couplings of each row. */
typedef struct sketch {
    fur_value_type value;
    int64_t entries;
    int32_t row[7 * ROWS_MAX];
    int32_t col[7 * ROWS_MAX];
    double values[2 * 7 * ROWS_MAX];
    double diagonal[ROWS_MAX];
} sketch;

static void put(sketch *s, int64_t row, int64_t col, double entry)
{
    s->row[s->entries] = (int32_t)row;
    s->col[s->entries] = (int32_t)col;
    entry_set(s->value, s->values, s->entries++, fur_real(entry));
}

/* Couples rows i and j; if j < 0, couples row i with the boundary. */
static void couple(sketch *s, int64_t i, int64_t j, double weight)
{
    s->diagonal[i] += weight;
    if (j < 0)
        return;
    s->diagonal[j] += weight;
    put(s, i, j, -weight);
    put(s, j, i, -weight);
}

static void draw_grid(sketch *s, rng *r, const int64_t *extent, bool varies)
{
    int64_t n = extent[0] * extent[1] * extent[2];
    for (int64_t i = 0; i < n; i++) {
        int64_t step = 1;
        for (int axis = 0; axis < 3; step *= extent[axis++]) {
            int64_t place = i / step % extent[axis];
            if (extent[axis] == 1)
                continue;
            couple(s, i, place > 0 ? i - step : -1, varies ? 1.1 + rng_unit(r) : 1);
            if (place + 1 == extent[axis])
                couple(s, i, -1, varies ? 1.1 + rng_unit(r) : 1);
        }
    }
}

/* Draws a tree. Each row is also coupled with the boundary. */
static void draw_tree(sketch *s, rng *r, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        couple(s, i, -1, 1);
        if (i > 0)
            couple(s, i, rng_below(r, i), 1.1 + rng_unit(r));
    }
}

fur_csr *grid_make(fur_context *host, rng *r, fur_value_type value, int number)
{
    const int64_t *extent = extents[number];
    int64_t n = extent[0] * extent[1] * extent[2];
    sketch *s = calloc(1, sizeof *s);
    fur_csr *a = NULL;
    s->value = value;
    if (number < GRID_COUNT - 1)
        draw_grid(s, r, extent, number > 0);
    else
        draw_tree(s, r, n);
    for (int64_t i = 0; i < n; i++)
        put(s, i, i, s->diagonal[i]);
    fur_coo_view coo = {sizeof coo, n, n, s->entries, value, s->row, s->col, s->values};
    ck_ok(host, fur_csr_from_coo(host, &coo, FUR_DUPLICATES_ERROR, &a));
    free(s);
    return a;
}

/* --- preconditioners ---------------------------------------------------------------------------
 */

/* A preconditioner of a matrix, and the objects that it uses. */
typedef struct divider {
    fur_spmv *plan;
    fur_operator *op;
    fur_precond *precond;
    fur_operator *m;
} divider;

enum { OF_NONE, OF_THE_OPERATOR, OF_ANOTHER_OPERATOR, OF_PRECOND, DIVIDER_COUNT };

static divider divider_make(const fur_csr *a, const fur_operator *op, int kind)
{
    fur_context *context = fur_csr_context(a);
    fur_precond_options options = {.size = sizeof options, .kind = "jacobi"};
    divider d = {.m = NULL};
    if (kind == OF_ANOTHER_OPERATOR) {
        ck_ok(context, fur_spmv_plan(a, NULL, &d.plan));
        ck_ok(context, fur_operator_from_spmv(d.plan, &d.op));
        op = d.op;
    }
    if (kind == OF_PRECOND) {
        ck_ok(context, fur_precond_create(a, &options, &d.precond));
        ck_ok(context, fur_operator_from_precond(d.precond, &d.m));
    } else if (kind != OF_NONE) {
        ck_ok(context, fur_operator_jacobi(op, &d.m));
    }
    return d;
}

static void divider_release(divider *d)
{
    fur_operator_destroy(d->m);
    fur_precond_destroy(d->precond);
    fur_operator_destroy(d->op);
    fur_spmv_destroy(d->plan);
}

/* --- ways to solve -----------------------------------------------------------------------------
 */

/* A system, and the result of the first way to solve it. */
typedef struct entrance {
    const fur_csr *a;
    fur_context *context;
    fur_vector *b;
    fur_vector *x;
    void *first;
    int64_t *iterations;
} entrance;

static fur_solver_options options_of(const divider *d)
{
    return (fur_solver_options){
        .size = sizeof(fur_solver_options), .method = "cg", .rtol = 1e-5, .preconditioner = d->m};
}

static void compare(entrance *e, const char *way, const char *kernel, int kind,
                    const fur_solver_report *report)
{
    const fur_csr_view *a = fur_csr_get(e->a);
    void *x = vector_entries(e->x);
    ck_assert_msg(report->reduced, "%s, kernel %s, M %d: not reduced", way, kernel, kind);
    ck_assert_int_eq(report->outcome, FUR_OUTCOME_CONVERGED);
    if (!e->first) {
        e->first = x;
        *e->iterations = report->iterations;
    }
    ck_assert_msg(report->iterations == *e->iterations,
                  "%s, kernel %s, M %d: %lld iterations in place of %lld", way, kernel, kind,
                  (long long)report->iterations, (long long)*e->iterations);
    ck_assert_msg(first_difference(a->value_type, a->rows, x, e->first) < 0,
                  "%s, kernel %s, M %d: other bits", way, kernel, kind);
    if (x != e->first)
        free(x);
}

/* Solves by fur_solver with each preconditioner and compares the results. */
static void enter_solver(entrance *e, const char *way, const char *kernel, const fur_operator *op)
{
    for (int kind = 0; kind < DIVIDER_COUNT; kind++) {
        divider d = divider_make(e->a, op, kind);
        fur_solver_options options = options_of(&d);
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        fur_solver *solver = NULL;
        ck_ok(e->context, fur_vector_fill(e->x, fur_real(0)));
        ck_ok(e->context, fur_solver_create(op, &options, &solver));
        ck_ok(e->context, fur_solver_solve(solver, e->b, e->x, &report));
        compare(e, way, kernel, kind, &report);
        fur_solver_destroy(solver);
        divider_release(&d);
    }
}

/* Solves by fur_solve, which makes the preconditioner itself or is given one. */
static void enter_auto(entrance *e, const char *kernel, const fur_product *product)
{
    static const char *const names[] = {"none", "jacobi", "jacobi", "jacobi"};
    for (int kind = 0; kind < DIVIDER_COUNT; kind++) {
        divider d = divider_make(e->a, NULL, kind == OF_THE_OPERATOR ? OF_NONE : kind);
        fur_solver_options solver = options_of(&d);
        fur_solve_options options = {
            .size = sizeof options, .solver = &solver, .precond = names[kind], .product = product};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        ck_ok(e->context, fur_vector_fill(e->x, fur_real(0)));
        ck_ok(e->context, fur_solve(e->a, e->b, e->x, &options, &report));
        compare(e, "fur_solve", kernel, kind, &report);
        divider_release(&d);
    }
}

static void enter_plan(entrance *e)
{
    fur_spmv *plan = NULL;
    fur_operator *op = NULL;
    ck_ok(e->context, fur_spmv_plan(e->a, NULL, &plan));
    ck_ok(e->context, fur_operator_from_spmv(plan, &op));
    enter_solver(e, "a plan", "auto", op);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
}

/* Solves with a product. A tree is not a stencil, so a stencil kernel may be refused. */
static void enter_product(entrance *e, const char *kernel)
{
    fur_product_options options = {.size = sizeof options, .kernel = kernel};
    fur_product *product = NULL;
    fur_status status = fur_product_create(e->a, &options, &product);
    if (status == FUR_UNSUPPORTED && strcmp(kernel, "stencil") == 0)
        return;
    ck_ok(e->context, status);
    enter_solver(e, "a product", kernel, fur_product_operator(product));
    enter_auto(e, kernel, product);
    fur_product_destroy(product);
}

/* Solves with the product of a reordered matrix. Its bits differ, but the iterations differ by at
 * most one. The reordered matrix may have two colours, too. */
static void enter_order(entrance *e)
{
    fur_product_options options = {.size = sizeof options, .order = "rcm"};
    const fur_csr_view *a = fur_csr_get(e->a);
    fur_vector *b = e->b;
    fur_product *product = NULL;
    entrance in_order = *e;
    int64_t iterations;
    ck_ok(e->context, fur_product_create(e->a, &options, &product));
    const fur_permutation *order = fur_product_order(product);
    in_order.first = NULL;
    in_order.iterations = &iterations;
    ck_ok(e->context, fur_vector_create(e->context, a->value_type, a->rows, &in_order.b));
    ck_ok(e->context,
          order ? fur_vector_permute(order, b, in_order.b) : fur_vector_copy(b, in_order.b));
    for (int kind = OF_NONE; kind <= OF_THE_OPERATOR; kind++) {
        divider d = divider_make(e->a, fur_product_operator(product), kind);
        fur_solver_options solver = options_of(&d);
        fur_solve_options given = {
            .size = sizeof given, .solver = &solver, .precond = "jacobi", .product = product};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        ck_ok(e->context, fur_vector_fill(e->x, fur_real(0)));
        ck_ok(e->context, fur_solve(e->a, in_order.b, e->x, &given, &report));
        compare(&in_order, "another order", "auto", kind, &report);
        divider_release(&d);
    }
    ck_assert_int_le(llabs(iterations - *e->iterations), 1);
    free(in_order.first);
    fur_vector_destroy(in_order.b);
    fur_product_destroy(product);
}

void *doors_compare(const fur_csr *a, const void *b, void *x, int64_t *iterations)
{
    static const char *const kernels[] = {"auto", "stencil", "reference"};
    const fur_csr_view *view = fur_csr_get(a);
    fur_context *context = fur_csr_context(a);
    entrance e = {.a = a, .context = context, .first = x, .iterations = iterations};
    e.b = vector_from(context, view->value_type, view->rows, b);
    ck_ok(context, fur_vector_create(context, view->value_type, view->rows, &e.x));
    enter_plan(&e);
    enter_auto(&e, "of its own", NULL);
    for (int i = 0; i < COUNT_OF(kernels); i++)
        enter_product(&e, kernels[i]);
    enter_order(&e);
    fur_vector_destroy(e.x);
    fur_vector_destroy(e.b);
    return e.first;
}
