/* Red-black reduction of matrices with two colours in random numberings. x agrees with elimination
 * in long double, and the iterations are halved. A matrix that is not reduced gives the bits of the
 * unreduced system. Also: new values; correct outcomes; no allocation; the same bits for any number
 * of threads and any interval between reads of the scalars. */
#include "dense.h"

#include <math.h>
#include <string.h>

/* --- matrices --------------------------------------------------------------------------------- */

/* The matrix of a graph while it is being built in a random numbering. It is dense or a list of
 * entries. */
typedef struct drawing {
    rng *r;
    fur_value_type value;
    int64_t n;
    int64_t width; /* width of a grid */
    int32_t *number;
    dense *d; /* NULL: a list of entries */
    int64_t entries;
    int64_t room;
    int32_t *rows;
    int32_t *cols;
    void *values;
} drawing;

static void add(drawing *g, int64_t row, int64_t col, fur_scalar entry)
{
    if (g->d) {
        dense_set(g->d, g->number[row], g->number[col], entry);
        return;
    }
    ck_assert_int_lt(g->entries, g->room);
    g->rows[g->entries] = g->number[row];
    g->cols[g->entries] = g->number[col];
    entry_set(g->value, g->values, g->entries++, entry);
}

/* Adds a random entry between two vertices, and its conjugate at the mirrored position. */
static void connect(drawing *g, int64_t i, int64_t j)
{
    fur_scalar entry = rng_scalar(g->r, g->value);
    add(g, i, j, entry);
    add(g, j, i, fur_complex(entry.re, -entry.im));
}

static void draw_line(drawing *g)
{
    for (int64_t i = 1; i < g->n; i++)
        connect(g, i - 1, i);
}

static void draw_grid(drawing *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        if (i % g->width > 0)
            connect(g, i - 1, i);
        if (i >= g->width)
            connect(g, i - g->width, i);
    }
}

static void draw_tree(drawing *g)
{
    for (int64_t i = 1; i < g->n; i++)
        connect(g, rng_below(g->r, i), i);
}

static void draw_star(drawing *g)
{
    for (int64_t i = 1; i < g->n; i++)
        connect(g, 0, i);
}

/* Draws pairs, lines of three, and isolated vertices. */
static void draw_pieces(drawing *g)
{
    for (int64_t i = 0; i + 5 < g->n; i += 6) {
        connect(g, i, i + 1);
        connect(g, i + 2, i + 3);
        connect(g, i + 3, i + 4);
    }
}

/* Draws random edges between even and odd vertices. */
static void draw_bipartite(drawing *g)
{
    int64_t n = g->n;
    for (int64_t k = 0; k < 3 * n; k++)
        connect(g, 2 * rng_below(g->r, (n + 1) / 2), 1 + 2 * rng_below(g->r, n / 2));
}

/* Draws a line with joined ends, which is an odd cycle if n is odd. */
static void draw_ring(drawing *g)
{
    draw_line(g);
    connect(g, 0, g->n - 1);
}

static void draw_nothing(drawing *g)
{
    (void)g;
}

/* Adds an entry without a mirror image between rows of one colour. */
static void draw_lone(drawing *g)
{
    draw_line(g);
    add(g, 0, 2, fur_real(0.5));
}

static void (*const graphs[])(drawing *) = {draw_line, draw_grid,   draw_tree,
                                            draw_star, draw_pieces, draw_bipartite};

/* Returns the matrix of a graph in a random numbering. The diagonal entry is larger than the sum of
 * its row by at least 1, so no row of the inverse has a sum of moduli above 1. */
static dense draw(rng *r, fur_value_type value, int64_t n, void (*graph)(drawing *))
{
    dense d = dense_make(value, n);
    drawing g = {.r = r, .value = value, .n = n, .width = 7, .number = rng_order(r, n), .d = &d};
    graph(&g);
    for (int64_t i = 0; i < n; i++) {
        double sum = 1.01 + fabs(rng_unit(r));
        for (int64_t j = 0; j < n; j++)
            sum += hypot(d.a[i * n + j].re, d.a[i * n + j].im);
        dense_set(&d, i, i, fur_real(sum));
    }
    dense_draw_b(&d, r);
    free(g.number);
    return d;
}

/* --- solves ----------------------------------------------------------------------------------- */

static fur_solver_report solve_by(const dense_problem *p, fur_solver *solver)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(p->context, fur_solver_solve(solver, p->b, p->x, &report));
    return report;
}

static fur_solver_report solve(const dense_problem *p, fur_solver_options options)
{
    fur_solver *solver = NULL;
    options.size = sizeof options;
    ck_ok(p->context, fur_solver_create(p->a, &options, &solver));
    fur_solver_report report = solve_by(p, solver);
    fur_solver_destroy(solver);
    return report;
}

/* Checks the residual and the error of each entry. An error is at most the sum of a row of the
 * inverse, which is at most 1, times ||b - A x||. */
static void check_solution(const dense *d, const dense_problem *p, const fur_solver_report *report,
                           double rtol)
{
    void *x = vector_entries(p->x);
    long double complex *exact = dense_solution(d);
    long double bound = rtol * dense_b_norm(d) + dense_rounding(d, x);
    ck_assert_msg(report->outcome == FUR_OUTCOME_CONVERGED, "%s after %lld",
                  fur_outcome_name(report->outcome), (long long)report->iterations);
    ck_assert_double_le((double)dense_residual(d, x), (double)bound);
    for (int64_t i = 0; i < d->n; i++) {
        fur_scalar entry = entry_get(d->value, x, i);
        long double error = cabsl(exact[i] - entry.re - entry.im * (long double complex)I);
        ck_assert_double_le((double)error, (double)bound);
    }
    free(exact);
    free(x);
}

/* Solves from a guess that is not 0 and checks that the system is reduced. */
static void check_graph(fur_context *context, fur_value_type value, int graph, int64_t n)
{
    rng r = rng_stream((uint64_t)(100 * n + 10 * graph + value));
    dense d = draw(&r, value, n, graphs[graph]);
    dense_problem p = dense_open(&d, context);
    fur_operator *jacobi = NULL;
    ck_ok(context, fur_operator_jacobi(p.a, &jacobi));
    double rtol = value_epsilon(value) < 1e-10 ? 1e-11 : 1e-5;
    for (int scaled = 0; scaled < 2; scaled++) {
        fur_solver_options options = {.rtol = rtol, .preconditioner = scaled ? jacobi : NULL};
        ck_ok(context, fur_vector_fill(p.x, fur_real(0.5)));
        fur_solver_report report = solve(&p, options);
        ck_assert_int_eq(report.reduced, 1);
        ck_assert_int_le(report.iterations, (n + 1) / 2 + 20);
        check_solution(&d, &p, &report, rtol);
    }
    fur_operator_destroy(jacobi);
    dense_close(&p);
    dense_release(&d);
}

/* Matrices with two colours are reduced and solved. Loops over graphs and value types. */
START_TEST(two_colours_are_found_and_solved)
{
    static const int64_t sizes[] = {6, 35, 90};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < COUNT_OF(sizes) - TEST_SLOW; i++)
        check_graph(context, (fur_value_type)(_i % FUR_VALUE_COUNT), _i / FUR_VALUE_COUNT,
                    sizes[i]);
    fur_context_destroy(context);
}
END_TEST

/* --- larger grids ----------------------------------------------------------------------------- */

/* Poisson's matrix on an nx x ny grid in a random numbering, with its operators. */
typedef struct grid {
    fur_context *context;
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_operator *jacobi;
    fur_vector *b;
    fur_vector *x;
} grid;

static grid grid_open(fur_context *context, fur_value_type value, int64_t nx, int64_t ny,
                      const char *kernel)
{
    int64_t n = nx * ny;
    rng r = rng_stream(77);
    int32_t *number = rng_order(&r, n);
    int32_t *rows = malloc((size_t)(5 * n) * sizeof *rows);
    int32_t *cols = malloc((size_t)(5 * n) * sizeof *cols);
    void *values = entries_make(value, 5 * n);
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t beside[] = {i, i % nx > 0 ? i - 1 : -1, i % nx + 1 < nx ? i + 1 : -1, i - nx,
                                  i + nx < n ? i + nx : -1};
        for (int at = 0; at < COUNT_OF(beside); at++)
            if (beside[at] >= 0) {
                rows[k] = number[i];
                cols[k] = number[beside[at]];
                entry_set(value, values, k++, fur_real(at == 0 ? 4 : -1));
            }
    }
    fur_coo_view coo = {sizeof coo, n, n, k, value, rows, cols, values};
    fur_spmv_options options = {.size = sizeof options, .kernel = kernel};
    grid g = {.context = context};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &g.a));
    ck_ok(context, fur_spmv_plan(g.a, &options, &g.plan));
    ck_ok(context, fur_operator_from_spmv(g.plan, &g.op));
    ck_ok(context, fur_operator_jacobi(g.op, &g.jacobi));
    ck_ok(context, fur_vector_create(context, value, n, &g.x));
    g.b = vector_random(context, &r, value, n);
    free(number);
    free(rows);
    free(cols);
    free(values);
    return g;
}

static void grid_close(grid *g)
{
    fur_vector_destroy(g->b);
    fur_vector_destroy(g->x);
    fur_operator_destroy(g->jacobi);
    fur_operator_destroy(g->op);
    fur_spmv_destroy(g->plan);
    fur_csr_destroy(g->a);
}

static fur_solver_report solve_grid(const grid *g, fur_solver_options options)
{
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    options.size = sizeof options;
    ck_ok(g->context, fur_vector_fill(g->x, fur_real(0)));
    ck_ok(g->context, fur_solver_create(g->op, &options, &solver));
    ck_ok(g->context, fur_solver_solve(solver, g->b, g->x, &report));
    fur_solver_destroy(solver);
    return report;
}

/* Sets b to a unit vector. Then the residuals of the iterations have one colour and the other in
 * turn. */
static void set_unit(grid *g, int64_t row)
{
    double *unit = calloc((size_t)fur_vector_size(g->b), sizeof *unit);
    unit[row] = 1;
    ck_ok(g->context, fur_vector_upload(unit, g->b));
    free(unit);
}

/* The reduced system needs half of the iterations. Both systems report the condition of M A. */
START_TEST(iterations_are_half_as_many)
{
    fur_context *context = context_make(NULL, 2);
    grid g = grid_open(context, FUR_F64, 50, 40, NULL);
    rng r = rng_stream(78);
    set_unit(&g, rng_below(&r, INT64_C(50) * 40));
    fur_solver_options options = {.preconditioner = g.jacobi, .no_reduction = 1};
    fur_solver_report whole = solve_grid(&g, options);
    options.no_reduction = 0;
    fur_solver_report half = solve_grid(&g, options);
    ck_assert_int_eq(whole.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(half.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(whole.reduced, 0);
    ck_assert_int_eq(half.reduced, 1);
    ck_assert_int_le(llabs(2 * half.iterations - whole.iterations), 2);
    ck_assert_double_eq_tol(half.condition, whole.condition, 0.03 * whole.condition);
    ck_assert_double_eq_tol(half.norm, whole.norm, 0.01);
    grid_close(&g);
    fur_context_destroy(context);
}
END_TEST

/* A reduced solve has the same bits for any threads and exact kernel. Loops over value types. */
START_TEST(bits_are_the_same_everywhere)
{
    const int64_t side = TEST_SLOW ? 60 : 120;
    fur_value_type value = (fur_value_type)_i;
    void *first = NULL;
    for (int threads = 1; threads <= 8; threads += TEST_SLOW ? 7 : threads < 3 ? 1 : 5) {
        fur_context *context = context_make(NULL, threads);
        for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
            fur_kernel_info info = *fur_spmv_kernel_at(context, kernel);
            if (!info.exact)
                continue;
            grid g = grid_open(context, value, 150, side, info.name);
            fur_solver_report report =
                solve_grid(&g, (fur_solver_options){.max_iterations = 20, .check_every = threads});
            void *x = vector_entries(g.x);
            ck_assert_int_eq(report.reduced, 1);
            if (!first)
                first = x;
            ck_assert_msg(first_difference(value, 150 * side, x, first) < 0,
                          "kernel %s, %d threads", info.name, threads);
            if (x != first)
                free(x);
            grid_close(&g);
        }
        fur_context_destroy(context);
    }
    free(first);
}
END_TEST

START_TEST(a_solve_does_not_allocate)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    grid g = grid_open(context, FUR_C64, 30, 20, NULL);
    fur_solver_options options = {.size = sizeof options, .preconditioner = g.jacobi};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver *solver = NULL;
    ck_ok(context, fur_solver_create(g.op, &options, &solver));
    int64_t calls = m.calls;
    for (int i = 0; i < 3; i++)
        ck_ok(context, fur_solver_solve(solver, g.b, g.x, &report));
    fur_csr_values_changed(g.a);
    ck_ok(context, fur_solver_solve(solver, g.b, g.x, &report));
    ck_assert_int_eq(m.calls, calls);
    ck_assert_int_eq(report.reduced, 1);
    fur_solver_destroy(solver);
    grid_close(&g);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* --- large graphs ------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    void (*draw)(drawing *);
    bool reduced;
} large[] = {{"line", draw_line, true},     {"grid", draw_grid, true},
             {"tree", draw_tree, true},     {"star", draw_star, true},
             {"pieces", draw_pieces, true}, {"nothing", draw_nothing, false},
             {"ring", draw_ring, false},    {"lone entry", draw_lone, false}};

/* Returns a matrix on the host, with offsets of 64 bits if `wide`. Each diagonal entry is larger
 * than the sum of the moduli of the other entries in its row. */
static fur_csr *draw_large(fur_context *host, rng *r, fur_value_type value, int64_t n, int graph,
                           bool wide)
{
    drawing g = {.r = r, .value = value, .n = n, .width = 31, .room = 5 * n + 9};
    fur_csr *a = NULL;
    fur_csr *out = NULL;
    g.number = rng_order(r, n);
    g.rows = malloc((size_t)g.room * sizeof *g.rows);
    g.cols = malloc((size_t)g.room * sizeof *g.cols);
    g.values = entries_make(value, g.room);
    for (int64_t i = 0; i < n; i++)
        add(&g, i, i,
            fur_real((large[graph].draw == draw_star ? 2.0 * (double)n : 12) + rng_unit(r)));
    large[graph].draw(&g);
    fur_coo_view coo = {sizeof coo, n, n, g.entries, value, g.rows, g.cols, g.values};
    ck_ok(host, fur_csr_from_coo(host, &coo, FUR_DUPLICATES_LAST, &a));
    ck_ok(host, fur_csr_convert(a, value, wide ? FUR_I64 : FUR_I32, &out));
    fur_csr_destroy(a);
    free(g.number);
    free(g.rows);
    free(g.cols);
    free(g.values);
    return out;
}

/* A solver of a matrix, and the objects that it uses. */
typedef struct problem {
    fur_context *context;
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_vector *b;
    fur_vector *x;
    fur_solver *solver;
} problem;

static problem problem_open(fur_context *context, const fur_csr *a, const void *b,
                            fur_solver_options options)
{
    problem p = {.context = context};
    fur_value_type value = fur_csr_get(a)->value_type;
    int64_t n = fur_csr_get(a)->rows;
    options.size = sizeof options;
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, context, &p.a));
    ck_ok(context, fur_spmv_plan(p.a, NULL, &p.plan));
    ck_ok(context, fur_operator_from_spmv(p.plan, &p.op));
    p.b = vector_from(context, value, n, b);
    ck_ok(context, fur_vector_create(context, value, n, &p.x));
    ck_ok(context, fur_solver_create(p.op, &options, &p.solver));
    return p;
}

static void problem_close(problem *p)
{
    fur_solver_destroy(p->solver);
    fur_vector_destroy(p->x);
    fur_vector_destroy(p->b);
    fur_operator_destroy(p->op);
    fur_spmv_destroy(p->plan);
    fur_csr_destroy(p->a);
}

static fur_solver_report solve_problem(const problem *p)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(p->context, fur_vector_fill(p->x, fur_real(0)));
    ck_ok(p->context, fur_solver_solve(p->solver, p->b, p->x, &report));
    return report;
}

static void check_same(const problem *host, const problem *far, const char *name, bool reduced)
{
    fur_solver_report expected = solve_problem(host);
    fur_solver_report report = solve_problem(far);
    int64_t n = fur_vector_size(host->x);
    void *x = vector_entries(far->x);
    ck_assert_msg(expected.reduced == reduced && report.reduced == reduced, "%s of %lld: %d, %d",
                  name, (long long)n, expected.reduced, report.reduced);
    ck_assert_int_eq(report.outcome, expected.outcome);
    ck_assert_int_eq(report.iterations, expected.iterations);
    ck_assert_msg(
        first_difference(fur_vector_value_type(host->x), n, x, fur_vector_const_data(host->x)) < 0,
        "%s of %lld", name, (long long)n);
    free(x);
}

/* Compares the solves of a context and of one CPU thread, then again with new values. */
static void compare_graph(fur_context *context, fur_value_type value, int64_t n, int graph)
{
    rng r = rng_stream((uint64_t)(n + graph));
    fur_context *near = context_cpu("portable", 1);
    fur_csr *a = draw_large(near, &r, value, n, graph, graph % 2);
    void *b = entries_random(&r, value, n);
    fur_solver_options options = {.max_iterations = 12, .check_every = n % 3};
    problem host = problem_open(near, a, b, options);
    problem far = problem_open(context, a, b, options);
    bool reduced = large[graph].reduced && n > 1;
    check_same(&host, &far, large[graph].name, reduced);
    ck_ok(near, fur_csr_scale(host.a, host.b, host.b));
    ck_ok(context, fur_csr_scale(far.a, far.b, far.b));
    check_same(&host, &far, large[graph].name, reduced);
    problem_close(&far);
    problem_close(&host);
    free(b);
    fur_csr_destroy(a);
    fur_context_destroy(near);
}

/* Colours, blocks and new values give the bits of one CPU thread on any graph. The unreduced system
 * is solved if the pattern does not suit a reduction. Loops over graphs and value types. */
START_TEST(colours_and_bits_are_the_same_everywhere)
{
    static const int64_t sizes[] = {1, 6, 33, 1001, 100001};
    fur_context *context = context_make(NULL, 3);
    for (int i = 0; i < COUNT_OF(sizes) - (TEST_SHORT || !on_gpu()); i++)
        if (large[_i / FUR_VALUE_COUNT].reduced || sizes[i] > 2)
            compare_graph(context, (fur_value_type)(_i % FUR_VALUE_COUNT), sizes[i] | 1,
                          _i / FUR_VALUE_COUNT);
    fur_context_destroy(context);
}
END_TEST

/* --- systems that are not reduced ------------------------------------------------------------- */

/* Adds an entry without a mirror image between two vertices of a line, of the same colour or not.
 */
static void add_alone(dense *d, int64_t distance)
{
    for (int64_t i = 0; i + distance < d->n; i++)
        if (d->a[i * d->n + i + distance].re == 0) {
            dense_set(d, i, i + distance, fur_real(1e-3));
            return;
        }
}

static void drop_diagonal(dense *d)
{
    dense_set(d, d->n / 2, d->n / 2, fur_real(0));
}

/* Checks that solves with and without the option no_reduction have the same bits, and that the
 * report says "not reduced". */
static void check_whole(const dense *d, fur_context *context, const fur_operator *preconditioner)
{
    dense_problem p = dense_open(d, context);
    fur_solver_options options = {.preconditioner = preconditioner, .max_iterations = 15};
    fur_solver_report report = solve(&p, options);
    void *x = vector_entries(p.x);
    options.no_reduction = 1;
    ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
    fur_solver_report whole = solve(&p, options);
    void *y = vector_entries(p.x);
    ck_assert_int_eq(report.reduced, 0);
    ck_assert_int_eq(report.outcome, whole.outcome);
    ck_assert_int_eq(report.iterations, whole.iterations);
    ck_assert_int_lt(first_difference(d->value, d->n, x, y), 0);
    ck_assert_str_eq(fur_context_error(context), "");
    free(x);
    free(y);
    dense_close(&p);
}

START_TEST(what_has_no_two_colours_stays_whole)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(300);
    for (int64_t n = 3; n <= 41; n += 38) {
        dense odd = draw(&r, FUR_F64, n, draw_ring);
        check_whole(&odd, context, NULL);
        dense_release(&odd);
        dense hole = draw(&r, FUR_F64, n, draw_line);
        drop_diagonal(&hole);
        check_whole(&hole, context, NULL);
        dense_release(&hole);
        for (int64_t distance = 1; distance <= 2 && n > 3; distance++) {
            dense skew = draw(&r, FUR_F64, n, draw_tree);
            add_alone(&skew, distance);
            check_whole(&skew, context, NULL);
            dense_release(&skew);
        }
    }
    dense alone = dense_make(FUR_F64, 9);
    for (int64_t i = 0; i < 9; i++)
        dense_set(&alone, i, i, fur_real(1 + (double)i));
    dense_draw_b(&alone, &r);
    check_whole(&alone, context, NULL);
    dense_release(&alone);
    fur_context_destroy(context);
}
END_TEST

START_TEST(another_preconditioner_than_jacobi_stays_whole)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(301);
    dense d = draw(&r, FUR_F64, 40, draw_grid);
    dense other = draw(&r, FUR_F64, 40, draw_grid);
    dense_problem p = dense_open(&other, context);
    fur_operator *foreign = NULL;
    ck_ok(context, fur_operator_jacobi(p.a, &foreign));
    check_whole(&d, context, foreign);
    check_whole(&d, context, p.a);
    fur_operator_destroy(foreign);
    dense_close(&p);
    dense_release(&other);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* --- new values ------------------------------------------------------------------------------- */

/* Multiplies the diagonal by a factor and divides the other entries by it. If `zero`, one diagonal
 * entry becomes 0. */
static void set_values(const dense_problem *p, const void *values, double factor, bool zero)
{
    fur_csr *near = matrix_near(p->matrix);
    fur_csr_view a = *fur_csr_get(near);
    void *changed = entries_make(a.value_type, a.entries);
    for (int64_t row = 0; row < a.rows; row++)
        for (int64_t k = offset_at(&a, row); k < offset_at(&a, row + 1); k++) {
            fur_scalar entry = entry_get(a.value_type, values, k);
            double f = a.columns[k] == row ? (zero && row == 2 ? 0 : factor) : 1 / factor;
            entry_set(a.value_type, changed, k, fur_complex(f * entry.re, f * entry.im));
        }
    ck_ok(p->context, fur_csr_set_values(p->matrix, changed, FUR_OWNERSHIP_COPY));
    free(changed);
    fur_csr_destroy(near);
}

/* After new values, a solver gives the bits of a new solver. If a diagonal entry is 0, both solve
 * the unreduced system. Loops over value types. */
START_TEST(new_values_are_taken_over)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(302);
    dense d = draw(&r, (fur_value_type)_i, 60, draw_grid);
    dense_problem p = dense_open(&d, context);
    fur_csr *near = matrix_near(p.matrix);
    fur_csr_view a = *fur_csr_get(near);
    size_t bytes = (size_t)a.entries * (value_is_complex(a.value_type) ? 2 : 1) * sizeof(double);
    void *values = entries_make(a.value_type, a.entries);
    memcpy(values, a.values, value_epsilon(a.value_type) < 1e-10 ? bytes : bytes / 2);
    fur_solver_options options = {.size = sizeof options, .max_iterations = 6};
    fur_solver *solver = NULL;
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    for (int round = 0; round < 6; round++) {
        bool zero = round % 3 == 1;
        set_values(&p, values, 1 + 0.25 * round, zero);
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        fur_solver_report report = solve_by(&p, solver);
        void *x = vector_entries(p.x);
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        fur_solver_report fresh = solve(&p, options);
        void *y = vector_entries(p.x);
        ck_assert_int_eq(report.reduced, !zero);
        ck_assert_int_eq(fresh.reduced, !zero);
        ck_assert_int_lt(first_difference(d.value, d.n, x, y), 0);
        free(x);
        free(y);
    }
    fur_solver_destroy(solver);
    free(values);
    fur_csr_destroy(near);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* --- outcomes --------------------------------------------------------------------------------- */

/* Solves with the matrix of a grid and another diagonal, checks the report, and returns the
 * outcome. */
static fur_outcome outcome_of(fur_context *context, double diagonal, bool scaled)
{
    rng r = rng_stream(303);
    dense d = draw(&r, FUR_F64, 63, draw_grid);
    for (int64_t k = 0; k < d.n * d.n; k++)
        d.a[k] = fur_real(k % (d.n + 1) == 0 ? diagonal : d.a[k].re != 0 ? -1 : 0);
    dense_problem p = dense_open(&d, context);
    fur_operator *jacobi = NULL;
    ck_ok(context, fur_operator_jacobi(p.a, &jacobi));
    fur_solver_report report =
        solve(&p, (fur_solver_options){.preconditioner = scaled ? jacobi : NULL});
    void *x = vector_entries(p.x);
    double residual = (double)(dense_residual(&d, x) / dense_b_norm(&d));
    ck_assert_int_eq(report.reduced, 1);
    ck_assert_double_eq_tol(report.residual, residual, 1e-12 * (1 + residual));
    if (report.iterations == 0) { /* x is the guess */
        ck_assert_double_eq(report.residual, 1);
        ck_assert_double_eq(report.residual_recurrence, 1);
    }
    free(x);
    fur_operator_destroy(jacobi);
    dense_close(&p);
    dense_release(&d);
    return report.outcome;
}

START_TEST(outcomes_are_those_of_the_whole_system)
{
    fur_context *context = context_make(NULL, 1);
    for (int scaled = 0; scaled < 2; scaled++) {
        ck_assert_int_eq(outcome_of(context, 4, scaled), FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(outcome_of(context, 3, scaled), FUR_OUTCOME_INDEFINITE);
        ck_assert_int_eq(outcome_of(context, -4, scaled),
                         scaled ? FUR_OUTCOME_INDEFINITE_PRECONDITIONER : FUR_OUTCOME_INDEFINITE);
    }
    fur_context_destroy(context);
}
END_TEST

/* A solve ends without an iteration if only black rows have a nonzero residual. */
START_TEST(no_iteration_is_made_where_none_is_needed)
{
    fur_context *context = context_make(NULL, 1);
    dense d = dense_make(FUR_F64, 2);
    for (int64_t k = 0; k < 4; k++)
        dense_set(&d, k / 2, k % 2, fur_real(k % 3 == 0 ? 2 : -1));
    d.b[0] = fur_real(-3);
    d.b[1] = fur_real(6);
    dense_problem p = dense_open(&d, context);
    fur_solver_report report = solve(&p, FUR_DEFAULT(fur_solver_options));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(report.iterations, 0);
    ck_assert_double_eq(report.residual, 0);
    double *x = vector_entries(p.x);
    ck_assert(x[0] == 0 && x[1] == 3);
    free(x);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, colours_and_bits_are_the_same_everywhere, 0,
                        COUNT_OF(large) * FUR_VALUE_COUNT);
    if (on_gpu())
        return;
    tcase_add_loop_test(tests, two_colours_are_found_and_solved, 0,
                        COUNT_OF(graphs) * FUR_VALUE_COUNT);
    tcase_add_test(tests, iterations_are_half_as_many);
    tcase_add_turns(tests, bits_are_the_same_everywhere, FUR_VALUE_COUNT, 2);
    tcase_add_test(tests, a_solve_does_not_allocate);
    tcase_add_test(tests, what_has_no_two_colours_stays_whole);
    tcase_add_test(tests, another_preconditioner_than_jacobi_stays_whole);
    tcase_add_turns(tests, new_values_are_taken_over, FUR_VALUE_COUNT, 2);
    tcase_add_test(tests, outcomes_are_those_of_the_whole_system);
    tcase_add_test(tests, no_iteration_is_made_where_none_is_needed);
}

int main(void)
{
    return run_tests("red_black", add_tests);
}
