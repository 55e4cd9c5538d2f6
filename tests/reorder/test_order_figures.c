/* Bandwidth, profile and wavefronts of orders, compared with a naive version, and the promises of
 * the methods. The order of rcm-quality is at most as wide as rcm's and the input, and as narrow as
 * a grid can be. The profile of sloan's order is at most the input's. The order is the same for any
 * number of threads. */
#include "support.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 8};

typedef struct edge {
    int32_t row;
    int32_t col;
} edge;

static fur_csr *matrix_of(fur_context *context, int64_t n, int64_t count, const edge *edges)
{
    int32_t *rows = malloc(((size_t)count + 1) * sizeof *rows);
    int32_t *cols = malloc(((size_t)count + 1) * sizeof *cols);
    double *values = calloc((size_t)count + 1, sizeof *values);
    for (int64_t k = 0; k < count; k++) {
        rows[k] = edges[k].row;
        cols[k] = edges[k].col;
    }
    fur_coo_view coo = {sizeof coo, n, n, count, FUR_F64, rows, cols, values};
    fur_csr *a;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    free(values);
    free(cols);
    free(rows);
    return a;
}

/* A kind of graph with randomly numbered vertices. */
typedef struct kind {
    const char *name;
    int64_t (*fill)(rng *r, int32_t n, edge *edges); /* returns at most 4 n + 8 edges */
} kind;

static int64_t fill_nothing(rng *r, int32_t n, edge *edges)
{
    (void)r;
    (void)n;
    (void)edges;
    return 0;
}

static int64_t fill_diagonal(rng *r, int32_t n, edge *edges)
{
    (void)r;
    for (int32_t i = 0; i < n; i++)
        edges[i] = (edge){i, i};
    return n;
}

static int64_t fill_path(rng *r, int32_t n, edge *edges)
{
    (void)r;
    for (int32_t i = 0; i + 1 < n; i++)
        edges[i] = (edge){i + 1, i};
    return n > 0 ? n - 1 : 0;
}

static int64_t fill_star(rng *r, int32_t n, edge *edges)
{
    (void)r;
    for (int32_t i = 0; i + 1 < n; i++)
        edges[i] = (edge){0, i + 1};
    return n > 0 ? n - 1 : 0;
}

/* Fills unsymmetric edges with duplicates, diagonal entries, and isolated vertices. */
static int64_t fill_random(rng *r, int32_t n, edge *edges)
{
    int64_t count = n > 0 ? rng_below(r, 3 * n + 1) : 0;
    for (int64_t k = 0; k < count; k++)
        edges[k] = (edge){(int32_t)rng_below(r, n), (int32_t)rng_below(r, n)};
    return count;
}

static int64_t fill_grid(rng *r, int32_t n, edge *edges)
{
    int64_t count = 0;
    int32_t width = n < 2 ? 1 : (int32_t)(1 + rng_below(r, (int64_t)(2 * sqrt(n))));
    for (int32_t i = 0; i < n; i++) {
        if ((i + 1) % width > 0 && i + 1 < n)
            edges[count++] = (edge){i, i + 1};
        if (i + width < n)
            edges[count++] = (edge){i + width, i};
    }
    return count;
}

static int64_t fill_tree(rng *r, int32_t n, edge *edges)
{
    for (int32_t i = 1; i < n; i++)
        edges[i - 1] = (edge){i, (int32_t)rng_below(r, i)};
    return n > 0 ? n - 1 : 0;
}

/* Joins all pairs of the first few vertices, and the other vertices in separate pairs. */
static int64_t fill_clique(rng *r, int32_t n, edge *edges)
{
    int32_t size = (int32_t)fmin(n, sqrt(4.0 * n));
    int64_t count = 0;
    (void)r;
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = 0; j < i; j++)
            edges[count++] = (edge){i, j};
    for (int32_t i = size; i + 1 < n; i += 2)
        edges[count++] = (edge){i + 1, i};
    return count;
}

static const kind kinds[] = {
    {"nothing", fill_nothing}, {"diagonal", fill_diagonal}, {"path", fill_path},
    {"star", fill_star},       {"random", fill_random},     {"grid", fill_grid},
    {"tree", fill_tree},       {"clique", fill_clique},
};

/* Returns the matrix of a graph, stored on one or both sides of the diagonal, and perhaps
 * renumbered. */
static fur_csr *graph_random(fur_context *context, rng *r, const kind *k, int32_t n)
{
    edge *edges = malloc(((size_t)n * 8 + 16) * sizeof *edges);
    int64_t count = k->fill(r, n, edges);
    int32_t *order = rng_order(r, n);
    bool both = rng_below(r, 2);
    bool renumbered = rng_below(r, 4) > 0;
    for (int64_t e = 0; e < count; e++) {
        if (renumbered)
            edges[e] = (edge){order[edges[e].row], order[edges[e].col]};
        if (both)
            edges[count + e] = (edge){edges[e].col, edges[e].row};
    }
    fur_csr *a = matrix_of(context, n, both ? 2 * count : count, edges);
    free(order);
    free(edges);
    return a;
}

/* Returns the first column of each row, computed from the definition; the caller frees it. */
static int64_t *first_columns(const fur_csr_view *v, const int32_t *position)
{
    int64_t *first = calloc((size_t)v->rows + 1, sizeof *first);
    for (int64_t i = 0; i < v->rows; i++)
        first[i] = i;
    for (int64_t i = 0; i < v->rows; i++) {
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
            int64_t p = position ? position[i] : i;
            int64_t q = position ? position[v->columns[k]] : v->columns[k];
            int64_t low = p < q ? p : q;
            int64_t high = p < q ? q : p;
            first[high] = low < first[high] ? low : first[high];
        }
    }
    return first;
}

static fur_order_figures figures_naive(const fur_csr *a, const int32_t *position)
{
    fur_csr_view v = *fur_csr_get(a);
    int64_t *first = first_columns(&v, position);
    fur_order_figures f = {.size = sizeof f};
    double squares = 0;
    for (int64_t i = 0; i < v.rows; i++) {
        int64_t wavefront = 0;
        for (int64_t j = i; j < v.rows; j++)
            wavefront += first[j] <= i;
        f.bandwidth = i - first[i] > f.bandwidth ? i - first[i] : f.bandwidth;
        f.profile += i - first[i];
        f.wavefront_max = wavefront > f.wavefront_max ? wavefront : f.wavefront_max;
        squares += (double)wavefront * (double)wavefront;
    }
    f.wavefront_rms = v.rows > 0 ? sqrt(squares / (double)v.rows) : 0;
    free(first);
    return f;
}

static fur_order_figures measured(const fur_csr *a, const fur_permutation *order)
{
    fur_order_figures f = FUR_DEFAULT(fur_order_figures);
    ck_ok(fur_csr_context(a), fur_order_measure(a, order, &f));
    return f;
}

static void ck_same_figures(fur_order_figures a, fur_order_figures b)
{
    ck_assert_int_eq(a.bandwidth, b.bandwidth);
    ck_assert_int_eq(a.profile, b.profile);
    ck_assert_int_eq(a.wavefront_max, b.wavefront_max);
    ck_assert_msg(a.wavefront_rms == b.wavefront_rms, "%a and %a", a.wavefront_rms,
                  b.wavefront_rms);
}

/* The numbers of the library equal those computed from the definition. Loops over kinds. */
START_TEST(figures_are_those_of_the_definition)
{
    static const int32_t sizes[] = {0, 1, 2, 3, 10, 63, 64, 65, 300, 1500};
    rng r = rng_stream(1);
    for (int t = 0; t < COUNT_OF(thread_counts); t++) {
        fur_context *context = context_make(NULL, thread_counts[t]);
        for (int s = 0; s < COUNT_OF(sizes); s++) {
            fur_csr *a = graph_random(context, &r, &kinds[_i], sizes[s]);
            fur_permutation *p = permutation_random(context, &r, sizes[s]);
            ck_same_figures(measured(a, NULL), figures_naive(a, NULL));
            ck_same_figures(measured(a, p), figures_naive(a, fur_permutation_position(p)));
            fur_permutation_destroy(p);
            fur_csr_destroy(a);
        }
        fur_context_destroy(context);
    }
}
END_TEST

/* The numbers do not depend on the threads. The graph is large enough for several threads. Its
 * random order has wavefronts whose squares are large. */
START_TEST(figures_do_not_depend_on_threads)
{
    int32_t n = TEST_SLOW ? 20000 : 200000;
    for (int i = 0; i < COUNT_OF(kinds); i++) {
        fur_order_figures first = {.size = sizeof first};
        for (int t = 0; t < COUNT_OF(thread_counts); t++) {
            rng r = rng_stream(2 + (uint64_t)i);
            fur_context *context = context_make(NULL, thread_counts[t]);
            fur_csr *a = graph_random(context, &r, &kinds[i], n);
            fur_permutation *p = permutation_random(context, &r, n);
            fur_order_figures found = measured(a, p);
            if (t == 0)
                first = found;
            ck_same_figures(found, first);
            fur_permutation_destroy(p);
            fur_csr_destroy(a);
            fur_context_destroy(context);
        }
    }
}
END_TEST

START_TEST(what_cannot_be_measured_is_refused)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_context *other = context_make(NULL, 1);
    rng r = rng_stream(20);
    fur_csr *wide = matrix_random(context, &r, &shapes[shape_find("wide")], FUR_F64, FUR_I32);
    fur_csr *a = graph_random(context, &r, &kinds[4], 5);
    fur_permutation *longer = permutation_random(context, &r, 6);
    fur_permutation *foreign = permutation_random(other, &r, 5);
    fur_order_figures f = {.size = sizeof f, .bandwidth = -7};
    int64_t outstanding = m.outstanding;
    ck_fails(context, FUR_INVALID,
             "bandwidth and profile need a square matrix; this one is 17 x 3001",
             fur_order_measure(wide, NULL, &f));
    ck_fails(context, FUR_INVALID, "the order has 6 numbers, but the matrix has 5 rows",
             fur_order_measure(a, longer, &f));
    ck_fails(context, FUR_INVALID, "the order belongs to another context than the matrix",
             fur_order_measure(a, foreign, &f));
    for (int64_t k = 1; k <= 2; k++) {
        m.fail_at = m.calls + k;
        ck_assert_int_eq(fur_order_measure(a, NULL, &f), FUR_OUT_OF_MEMORY);
    }
    ck_assert_int_eq(f.bandwidth, -7);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_permutation_destroy(foreign);
    fur_permutation_destroy(longer);
    fur_csr_destroy(a);
    fur_csr_destroy(wide);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

static fur_permutation *ordered(const fur_csr *a, const char *method, int allow_worse)
{
    fur_reorder_options options = {.size = sizeof options, .allow_worse = allow_worse};
    fur_permutation *p;
    ck_ok(fur_csr_context(a), fur_reorder(a, method, &options, NULL, &p));
    return p;
}

static fur_order_figures figures_of(const fur_csr *a, const char *method)
{
    fur_permutation *p = ordered(a, method, 0);
    fur_order_figures f = measured(a, p);
    fur_permutation_destroy(p);
    return f;
}

/* No method makes bandwidth or profile worse. Loops over kinds. */
START_TEST(no_method_makes_it_worse)
{
    rng r = rng_stream(30);
    fur_context *context = context_make(NULL, 1);
    for (int k = 0; k < (TEST_SLOW ? 20 : 200); k++) {
        fur_csr *a =
            graph_random(context, &r, &kinds[_i], (int32_t)rng_below(&r, k < 150 ? 30 : 600));
        fur_order_figures input = measured(a, NULL);
        fur_order_figures rcm = figures_of(a, "rcm");
        fur_order_figures quality = figures_of(a, "rcm-quality");
        ck_assert_int_le(rcm.bandwidth, input.bandwidth);
        ck_assert_int_le(quality.bandwidth, rcm.bandwidth);
        ck_assert_int_le(figures_of(a, "sloan").profile, input.profile);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* Each method gives the same order for any number of threads. Loops over kinds. */
START_TEST(orders_do_not_depend_on_threads)
{
    static const char *const methods[] = {"rcm-quality", "sloan"};
    int32_t n = TEST_SLOW ? 10000 : 40000;
    for (int m = 0; m < COUNT_OF(methods); m++) {
        int32_t *first = malloc((size_t)n * sizeof *first);
        for (int t = 0; t < COUNT_OF(thread_counts); t++) {
            rng r = rng_stream(40 + (uint64_t)_i);
            fur_context *context = context_make(NULL, thread_counts[t]);
            fur_csr *a = graph_random(context, &r, &kinds[_i], n);
            fur_permutation *p = ordered(a, methods[m], 1);
            const int32_t *order = fur_permutation_order(p);
            if (t == 0)
                memcpy(first, order, (size_t)n * sizeof *first);
            ck_assert(memcmp(first, order, (size_t)n * sizeof *first) == 0);
            fur_permutation_destroy(p);
            fur_csr_destroy(a);
            fur_context_destroy(context);
        }
        free(first);
    }
}
END_TEST

/* Returns the matrix of a grid of width x width x depth points, numbered at random. */
static fur_csr *grid(fur_context *context, rng *r, int32_t width, int32_t depth)
{
    int32_t n = width * width * depth;
    edge *edges = malloc(3 * (size_t)n * sizeof *edges);
    int32_t *order = rng_order(r, n);
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if ((i + 1) % width > 0)
            edges[count++] = (edge){order[i], order[i + 1]};
        if (i / width % width + 1 < width)
            edges[count++] = (edge){order[i], order[i + width]};
        if (i + width * width < n)
            edges[count++] = (edge){order[i], order[i + width * width]};
    }
    fur_csr *a = matrix_of(context, n, count, edges);
    free(order);
    free(edges);
    return a;
}

/* rcm-quality reaches the least bandwidth of grids. The bandwidth of a square grid is its width.
 * The bandwidth of a cube is floor(3 w^2 / 4 + w / 2) (FitzGerald 1974). */
START_TEST(grids_reach_their_bandwidth)
{
    rng r = rng_stream(50);
    fur_context *context = context_make(NULL, 2);
    for (int32_t width = 2; width <= 20; width++) {
        fur_csr *square = grid(context, &r, width, 1);
        fur_csr *cube = grid(context, &r, width, width);
        ck_assert_int_eq(figures_of(square, "rcm-quality").bandwidth, width);
        ck_assert_int_eq(figures_of(cube, "rcm-quality").bandwidth,
                         (3 * width * width + 2 * width) / 4);
        fur_csr_destroy(cube);
        fur_csr_destroy(square);
    }
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, figures_are_those_of_the_definition, 0, COUNT_OF(kinds));
    tcase_add_test(tests, figures_do_not_depend_on_threads);
    tcase_add_test(tests, what_cannot_be_measured_is_refused);
    tcase_add_loop_test(tests, no_method_makes_it_worse, 0, COUNT_OF(kinds));
    tcase_add_loop_test(tests, orders_do_not_depend_on_threads, 0, COUNT_OF(kinds));
    tcase_add_test(tests, grids_reach_their_bandwidth);
}

int main(void)
{
    return run_tests("order_figures", add_tests);
}
