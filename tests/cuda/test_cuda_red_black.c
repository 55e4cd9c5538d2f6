/* Red-black reduction on a GPU: colours, blocks and new values give the bits of the CPU, whatever
 * the graph; patterns that are no good are solved whole. */
#include "cuda_support.h"

/* A graph's matrix while it is being drawn, in a random numbering. */
typedef struct drawing {
    rng *r;
    fur_value_type value;
    int64_t n;
    int32_t *number;
    int64_t entries;
    int64_t room;
    int32_t *rows;
    int32_t *cols;
    void *values;
} drawing;

static void add(drawing *g, int64_t row, int64_t col, fur_scalar entry)
{
    ck_assert_int_lt(g->entries, g->room);
    g->rows[g->entries] = g->number[row];
    g->cols[g->entries] = g->number[col];
    entry_set(g->value, g->values, g->entries++, entry);
}

/* A random entry between two vertices, and its conjugate. */
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
        if (i % 31 > 0)
            connect(g, i - 1, i);
        if (i >= 31)
            connect(g, i - 31, i);
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

static void draw_pieces(drawing *g)
{
    for (int64_t i = 0; i + 5 < g->n; i += 6) {
        connect(g, i, i + 1);
        connect(g, i + 2, i + 3);
        connect(g, i + 3, i + 4);
    }
}

static void draw_nothing(drawing *g)
{
    (void)g;
}

/* An odd cycle where n is odd. */
static void draw_ring(drawing *g)
{
    draw_line(g);
    connect(g, 0, g->n - 1);
}

/* An entry without a mirror image, between rows of one colour. */
static void draw_lone(drawing *g)
{
    draw_line(g);
    add(g, 0, 2, fur_real(0.5));
}

static const struct {
    const char *name;
    void (*draw)(drawing *);
    bool reduced;
} graphs[] = {{"line", draw_line, true},     {"grid", draw_grid, true},
              {"tree", draw_tree, true},     {"star", draw_star, true},
              {"pieces", draw_pieces, true}, {"nothing", draw_nothing, false},
              {"ring", draw_ring, false},    {"lone entry", draw_lone, false}};

/* On the host; offsets of 64 bits if `wide`. Diagonals are larger than any sum of a row. */
static fur_csr *draw(fur_context *host, rng *r, fur_value_type value, int64_t n, int graph,
                     bool wide)
{
    drawing g = {.r = r, .value = value, .n = n, .room = 5 * n + 9};
    fur_csr *a = NULL;
    fur_csr *out = NULL;
    g.number = rng_order(r, n);
    g.rows = malloc((size_t)g.room * sizeof *g.rows);
    g.cols = malloc((size_t)g.room * sizeof *g.cols);
    g.values = entries_make(value, g.room);
    for (int64_t i = 0; i < n; i++)
        add(&g, i, i,
            fur_real((graphs[graph].draw == draw_star ? 2.0 * (double)n : 12) + rng_unit(r)));
    graphs[graph].draw(&g);
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

/* A solver of a matrix with what it stands on. */
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

static fur_solver_report solve(const problem *p)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(p->context, fur_vector_fill(p->x, fur_real(0)));
    ck_ok(p->context, fur_solver_solve(p->solver, p->b, p->x, &report));
    return report;
}

static void check_same(const problem *host, const problem *gpu, const char *name, bool reduced)
{
    fur_solver_report expected = solve(host);
    fur_solver_report report = solve(gpu);
    int64_t n = fur_vector_size(host->x);
    void *x = vector_entries(gpu->x);
    ck_assert_msg(expected.reduced == reduced && report.reduced == reduced, "%s of %lld: %d, %d",
                  name, (long long)n, expected.reduced, report.reduced);
    ck_assert_int_eq(report.outcome, expected.outcome);
    ck_assert_int_eq(report.iterations, expected.iterations);
    ck_assert_msg(
        first_difference(fur_vector_value_type(host->x), n, x, fur_vector_const_data(host->x)) < 0,
        "%s of %lld", name, (long long)n);
    free(x);
}

/* Twice: with other values the second time. */
static void check_graph(fur_context *context, fur_value_type value, int64_t n, int graph)
{
    rng r = rng_stream((uint64_t)(n + graph));
    fur_context *near = fur_context_host(context);
    fur_csr *a = draw(near, &r, value, n, graph, graph % 2);
    void *b = entries_random(&r, value, n);
    fur_solver_options options = {.max_iterations = 12, .check_every = n % 3};
    problem host = problem_open(near, a, b, options);
    problem gpu = problem_open(context, a, b, options);
    bool reduced = graphs[graph].reduced && n > 1;
    check_same(&host, &gpu, graphs[graph].name, reduced);
    ck_ok(near, fur_csr_scale(host.a, host.b, host.b));
    ck_ok(context, fur_csr_scale(gpu.a, gpu.b, gpu.b));
    check_same(&host, &gpu, graphs[graph].name, reduced);
    problem_close(&gpu);
    problem_close(&host);
    free(b);
    fur_csr_destroy(a);
}

/* Loops over graphs and value types. */
START_TEST(colours_and_bits_are_those_of_the_cpu)
{
    static const int64_t sizes[] = {1, 6, 33, 1001, 100001};
    fur_context *context = context_cuda();
    for (int i = 0; i < COUNT_OF(sizes) - test_small(); i++)
        if (graphs[_i / FUR_VALUE_COUNT].reduced || sizes[i] > 2)
            check_graph(context, (fur_value_type)(_i % FUR_VALUE_COUNT), sizes[i] | 1,
                        _i / FUR_VALUE_COUNT);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, colours_and_bits_are_those_of_the_cpu, 0,
                        COUNT_OF(graphs) * FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_red_black", add_tests);
}
