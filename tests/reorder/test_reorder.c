/* Reordering. On random graphs of many kinds every method gives a bijection that is not worse than
 * the input. rcm and cm give the order of a slow version written from docs/reordering.md, for both
 * offset widths and any number of threads. */
#include "support.h"

#include <string.h>

#define GRAPHS (TEST_SLOW ? 300 : 3000)
#define VERTICES_MAX 48

/* A graph as a table of the joined pairs of vertices, with the vertices sorted by (degree, index).
 */
typedef struct table {
    int64_t n;
    bool *joined;
    int32_t *degree;
    int32_t *sorted;
    int64_t edges; /* each edge counts at both ends */
} table;

static bool *cell(const table *t, int64_t i, int64_t j)
{
    return &t->joined[i * t->n + j];
}

static bool is_before(const table *t, int32_t a, int32_t b)
{
    return t->degree[a] < t->degree[b] || (t->degree[a] == t->degree[b] && a < b);
}

static table table_make(const fur_csr *a)
{
    fur_csr_view v = *fur_csr_get(a);
    int64_t n = v.rows;
    table t = {n, calloc((size_t)(n * n + 1), 1), calloc((size_t)n + 1, sizeof(int32_t)),
               calloc((size_t)n + 1, sizeof(int32_t)), 0};
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = offset_at(&v, i); k < offset_at(&v, i + 1); k++)
            if (v.columns[k] != i)
                *cell(&t, i, v.columns[k]) = *cell(&t, v.columns[k], i) = true;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            t.degree[i] += *cell(&t, i, j);
    for (int32_t i = 0; i < n; i++) {
        int32_t place = i;
        for (; place > 0 && is_before(&t, i, t.sorted[place - 1]); place--)
            t.sorted[place] = t.sorted[place - 1];
        t.sorted[place] = i;
        t.edges += t.degree[i];
    }
    return t;
}

static void table_release(table *t)
{
    free(t->joined);
    free(t->degree);
    free(t->sorted);
}

/* An order of some vertices and the level of each. */
typedef struct pass {
    int32_t *order;
    int32_t *level;
    int64_t size;
    int64_t bandwidth;
} pass;

static pass pass_make(const table *t)
{
    return (pass){calloc((size_t)t->n + 1, sizeof(int32_t)),
                  calloc((size_t)t->n + 1, sizeof(int32_t)), 0, 0};
}

static void pass_release(pass *p)
{
    free(p->order);
    free(p->level);
}

static void pass_copy(const pass *from, pass *to)
{
    memcpy(to->order, from->order, (size_t)from->size * sizeof *to->order);
    memcpy(to->level, from->level, (size_t)from->size * sizeof *to->level);
    to->size = from->size;
    to->bandwidth = from->bandwidth;
}

/* Returns the largest |i - j| over neighbours at positions i and j. */
static int64_t bandwidth_of(const table *t, const int32_t *order, int64_t size)
{
    for (int64_t distance = size - 1; distance > 0; distance--)
        for (int64_t i = 0; i + distance < size; i++)
            if (*cell(t, order[i], order[i + distance]))
                return distance;
    return 0;
}

static void cuthill_mckee(const table *t, int32_t root, pass *p)
{
    bool *numbered = calloc((size_t)t->n + 1, 1);
    p->order[0] = root;
    p->level[0] = 0;
    p->size = 1;
    numbered[root] = true;
    for (int64_t head = 0; head < p->size; head++) {
        for (int64_t k = 0; k < t->n; k++) {
            int32_t v = t->sorted[k];
            if (!numbered[v] && *cell(t, p->order[head], v)) {
                numbered[v] = true;
                p->level[p->size] = p->level[head] + 1;
                p->order[p->size++] = v;
            }
        }
    }
    free(numbered);
    p->bandwidth = bandwidth_of(t, p->order, p->size);
}

static int32_t least_of_last_level(const table *t, const pass *p)
{
    int32_t least = p->order[p->size - 1];
    for (int64_t i = 0; i < p->size; i++)
        if (p->level[i] == p->level[p->size - 1] && is_before(t, p->order[i], least))
            least = p->order[i];
    return least;
}

/* Steps 2 to 5 of the algorithm in docs/reordering.md. */
static void search(const table *t, int32_t least, pass *best)
{
    pass p = pass_make(t);
    int32_t levels = -1;
    cuthill_mckee(t, least, &p);
    pass_copy(&p, best);
    while (p.level[p.size - 1] > levels) {
        levels = p.level[p.size - 1];
        cuthill_mckee(t, least_of_last_level(t, &p), &p);
        if (p.bandwidth >= best->bandwidth)
            break;
        pass_copy(&p, best);
    }
    if (t->edges < 1 << 20) {
        int64_t n = best->size;
        int32_t roots[] = {best->order[n - 1 - n / 4], best->order[n - 1 - 3 * n / 4]};
        for (int i = 0; i < 2; i++) {
            cuthill_mckee(t, roots[i], &p);
            if (p.bandwidth < best->bandwidth)
                pass_copy(&p, best);
        }
    }
    pass_release(&p);
}

static int compare_index(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void turn_round(int32_t *order, int64_t n)
{
    for (int64_t i = 0; i < n / 2; i++) {
        int32_t v = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = v;
    }
}

/* Computes the order of all steps in `order` and returns the number of components. `input`: the
 * bandwidth of the matrix. */
static int64_t reorder_slowly(const table *t, int64_t input, bool reversed, bool allow_worse,
                              int32_t *order)
{
    bool *done = calloc((size_t)t->n + 1, 1);
    pass best = pass_make(t);
    int64_t components = 0;
    int64_t place = 0;
    for (int64_t k = 0; k < t->n; k++) {
        if (done[t->sorted[k]])
            continue;
        search(t, t->sorted[k], &best);
        if (best.size > 1 && best.bandwidth >= input && !allow_worse) {
            qsort(best.order, (size_t)best.size, sizeof *best.order, compare_index);
            if (reversed)
                turn_round(best.order, best.size);
        }
        for (int64_t i = 0; i < best.size; i++) {
            done[best.order[i]] = true;
            order[place++] = best.order[i];
        }
        components++;
    }
    if (reversed)
        turn_round(order, t->n);
    pass_release(&best);
    free(done);
    return components;
}

/* Entries of a matrix that is being built. */
typedef struct entries {
    int32_t n;
    int64_t count;
    int32_t rows[4 * VERTICES_MAX * VERTICES_MAX];
    int32_t cols[4 * VERTICES_MAX * VERTICES_MAX];
    double values[4 * VERTICES_MAX * VERTICES_MAX];
} entries;

static void add(entries *e, int64_t i, int64_t j)
{
    e->rows[e->count] = (int32_t)i;
    e->cols[e->count] = (int32_t)j;
    e->values[e->count++] = 1;
}

/* Returns whether vertices i < j are joined in a graph of this kind. */
static bool is_joined(rng *r, int kind, int64_t i, int64_t j, int64_t n)
{
    switch (kind) {
    case 0: /* no edges */
        return false;
    case 1: /* path */
        return j == i + 1;
    case 2: /* star, or a dense row */
        return i == 0;
    case 3: /* complete */
        return true;
    case 4: /* grid */
        return j == i + 7 || (j == i + 1 && j % 7 != 0);
    case 5: /* separate groups of three */
        return i / 3 == j / 3;
    case 6: /* three vertices with many edges */
        return i < 3 && rng_below(r, 2) == 0;
    case 7: /* binary tree */
        return (j - 1) / 2 == i;
    default: /* random, from sparse to dense */
        return rng_below(r, n) < kind - 7;
    }
}

#define KINDS 13

/* Draws a graph of this kind with shuffled vertices as a matrix. It stores each edge on one side or
 * on both, and all, some or none of the diagonal. */
static void draw(rng *r, int kind, entries *e)
{
    int64_t diagonal = rng_below(r, 3);
    bool symmetric = rng_below(r, 2) == 0;
    bool shuffled = rng_below(r, 4) > 0;
    e->n = (int32_t)rng_below(r, VERTICES_MAX);
    e->count = 0;
    int32_t *name = rng_order(r, e->n);
    for (int32_t i = 0; i < e->n; i++)
        name[i] = shuffled ? name[i] : i;
    for (int64_t i = 0; i < e->n; i++) {
        if (diagonal == 0 || (diagonal == 1 && rng_below(r, 2) == 0))
            add(e, i, i);
        for (int64_t j = i + 1; j < e->n; j++) {
            if (!is_joined(r, kind, i, j, e->n))
                continue;
            int64_t sides = symmetric ? 2 : rng_below(r, 3);
            if (sides != 0)
                add(e, name[i], name[j]);
            if (sides != 1)
                add(e, name[j], name[i]);
        }
    }
    free(name);
}

static fur_csr *matrix_make(fur_context *context, const entries *e, bool repeat)
{
    fur_csr *a = NULL;
    entries twice = *e;
    for (int64_t k = 0; repeat && k < e->count; k += 3)
        add(&twice, e->rows[k], e->cols[k]);
    fur_coo_view coo = {sizeof coo, e->n,       e->n,       twice.count,
                        FUR_F64,    twice.rows, twice.cols, twice.values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    return a;
}

static bool is_bijection(const int32_t *order, int64_t n)
{
    bool *seen = calloc((size_t)n + 1, 1);
    bool good = true;
    for (int64_t i = 0; i < n; i++) {
        good = good && order[i] >= 0 && order[i] < n && !seen[order[i]];
        if (good)
            seen[order[i]] = true;
    }
    free(seen);
    return good;
}

static fur_permutation *reorder(const fur_csr *a, const char *method, int allow_worse,
                                fur_reorder_report *report)
{
    fur_permutation *p = NULL;
    fur_reorder_options options = {.size = sizeof options, .allow_worse = allow_worse};
    ck_ok(fur_csr_context(a), fur_reorder(a, method, &options, report, &p));
    ck_assert_int_eq(fur_permutation_size(p), fur_csr_get(a)->rows);
    return p;
}

static bool is_same_order(const fur_permutation *p, const int32_t *order)
{
    size_t bytes = (size_t)fur_permutation_size(p) * sizeof *order;
    return bytes == 0 || memcmp(fur_permutation_order(p), order, bytes) == 0;
}

/* Checks that rcm or cm gives the order of the slow version. */
static void check_exactly(const fur_csr *a, const table *t, bool reversed, int allow_worse)
{
    int32_t *expected = calloc((size_t)t->n + 1, sizeof *expected);
    int32_t *input = calloc((size_t)t->n + 1, sizeof *input);
    fur_reorder_report report = FUR_DEFAULT(fur_reorder_report);
    for (int32_t i = 0; i < t->n; i++)
        input[i] = i;
    int64_t before = bandwidth_of(t, input, t->n);
    int64_t components = reorder_slowly(t, before, reversed, allow_worse != 0, expected);
    fur_permutation *p = reorder(a, reversed ? "rcm" : "cm", allow_worse, &report);
    ck_assert_msg(is_same_order(p, expected), "another order than the slow version's");
    ck_assert_int_eq(report.components, components);
    ck_assert_int_eq(report.bandwidth_before, before);
    ck_assert_int_eq(report.bandwidth_after, bandwidth_of(t, expected, t->n));
    ck_assert(allow_worse || report.bandwidth_after <= before);
    fur_permutation_destroy(p);
    free(input);
    free(expected);
}

/* Checks the promises that every method makes. */
static void check_method(const fur_csr *a, const table *t, const char *method)
{
    fur_reorder_report report = FUR_DEFAULT(fur_reorder_report);
    fur_permutation *p = reorder(a, method, 0, &report);
    ck_assert_msg(is_bijection(fur_permutation_order(p), t->n), "%s: no bijection", method);
    ck_assert_int_eq(report.bandwidth_after, bandwidth_of(t, fur_permutation_order(p), t->n));
    ck_assert(strcmp(method, "sloan") == 0 || report.bandwidth_after <= report.bandwidth_before);
    fur_permutation_destroy(p);
}

static void check_graph(const fur_csr *a)
{
    table t = table_make(a);
    for (int i = 0; i < 4; i++)
        check_exactly(a, &t, (i & 1) != 0, i >> 1);
    for (int i = 0; fur_reorder_method_at(i); i++)
        check_method(a, &t, fur_reorder_method_at(i)->name);
    table_release(&t);
}

START_TEST(small_graphs_come_out_as_the_slow_version_has_them)
{
    static entries e;
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    for (int g = 0; g < GRAPHS; g++) {
        rng r = rng_stream((uint64_t)g);
        fur_csr *wide = NULL;
        draw(&r, g % KINDS, &e);
        fur_csr *a = matrix_make(context, &e, rng_below(&r, 8) == 0);
        ck_ok(context, fur_csr_convert(a, FUR_F32, FUR_I64, &wide));
        check_graph(g % 2 == 0 ? a : wide);
        fur_csr_destroy(wide);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* The order of a dense graph, for which passes end early, is the order of the slow version. */
START_TEST(a_dense_graph_comes_out_as_the_slow_version_has_it)
{
    enum { N = 1200 };
    rng r = rng_stream(1);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = NULL;
    int32_t *rows = malloc(sizeof *rows * N * N);
    int32_t *cols = malloc(sizeof *cols * N * N);
    double *values = calloc((size_t)N * N, sizeof *values);
    int64_t count = 0;
    for (int32_t i = 0; i < N; i++) {
        for (int32_t j = 0; j < N; j++) {
            rows[count] = i;
            cols[count] = j;
            count += abs(i - j) < 600 && rng_below(&r, 8) > 0;
        }
    }
    fur_coo_view coo = {sizeof coo, N, N, count, FUR_F64, rows, cols, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    table t = table_make(a);
    ck_assert_int_gt(t.edges, 1 << 20);
    for (int i = 0; i < 4; i++)
        check_exactly(a, &t, (i & 1) != 0, i >> 1);
    table_release(&t);
    free(values);
    free(cols);
    free(rows);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Fills a graph so large that threads share a pass. Rows have about three entries, most of them
 * near the diagonal, so levels are narrow or wide. */
static int64_t fill_near(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    int64_t count = 0;
    int64_t column = row - rng_below(r, s->parameter);
    for (int i = 0; i < 4; i++, column += 1 + rng_below(r, s->parameter))
        if (column >= 0 && column < s->cols)
            columns[count++] = (int32_t)column;
    return count;
}

static const shape large[] = {
    {"wide levels", 40000, 40000, fill_near, 20000},
    {"levels around the grain", 40000, 40000, fill_near, 500},
    {"narrow levels", 40000, 40000, fill_near, 50},
};

/* Checks that contexts with different numbers of threads give the same bits. */
static void check_threads(const shape *s, fur_offset_type offset, const char *method,
                          int allow_worse)
{
    static const int counts[] = {1, 2, 3, 7};
    int32_t *first = calloc((size_t)s->rows + 1, sizeof *first);
    for (int k = 0; k < COUNT_OF(counts); k++) {
        rng r = rng_stream(7);
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, counts[k]);
        fur_csr *a = matrix_random(context, &r, s, FUR_F64, offset);
        fur_permutation *p = reorder(a, method, allow_worse, NULL);
        ck_assert(is_bijection(fur_permutation_order(p), s->rows));
        if (k == 0 && s->rows > 0)
            memcpy(first, fur_permutation_order(p), (size_t)s->rows * sizeof *first);
        ck_assert_msg(is_same_order(p, first), "%s, %s: another order for %d threads", s->name,
                      method, counts[k]);
        fur_permutation_destroy(p);
        fur_csr_destroy(a);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
    free(first);
}

START_TEST(the_order_does_not_depend_on_threads)
{
    for (int i = 0; i < shape_count; i++)
        for (int k = 0; shapes[i].rows == shapes[i].cols && fur_reorder_method_at(k); k++)
            check_threads(&shapes[i], (fur_offset_type)(i % FUR_OFFSET_COUNT),
                          fur_reorder_method_at(k)->name, 0);
}
END_TEST

/* Threads that share a pass give the same order for narrow and for wide levels. */
START_TEST(threads_that_share_a_pass_give_the_same_order)
{
    for (int i = 0; i < COUNT_OF(large); i++) {
        check_threads(&large[i], FUR_I32, "rcm", 1);
        check_threads(&large[i], FUR_I64, "cm", 0);
    }
}
END_TEST

/* A graph of pairs and equally many isolated vertices is reordered. */
START_TEST(a_million_components_are_no_trouble)
{
    int64_t pairs = TEST_SLOW ? 20000 : 500000;
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = NULL;
    fur_reorder_report report = FUR_DEFAULT(fur_reorder_report);
    int32_t *rows = malloc(sizeof *rows * (size_t)(2 * pairs));
    int32_t *cols = malloc(sizeof *cols * (size_t)(2 * pairs));
    double *values = calloc((size_t)(2 * pairs), sizeof *values);
    for (int64_t k = 0; k < pairs; k++) {
        rows[2 * k] = cols[2 * k + 1] = (int32_t)k;
        cols[2 * k] = rows[2 * k + 1] = (int32_t)(3 * pairs - 1 - k);
    }
    fur_coo_view coo = {sizeof coo, 3 * pairs, 3 * pairs, 2 * pairs, FUR_F64, rows, cols, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    fur_permutation *p = reorder(a, NULL, 0, &report);
    ck_assert_int_eq(report.components, 2 * pairs);
    ck_assert_int_eq(report.bandwidth_before, 3 * pairs - 1);
    ck_assert_int_eq(report.bandwidth_after, 1);
    ck_assert(is_bijection(fur_permutation_order(p), 3 * pairs));
    fur_permutation_destroy(p);
    free(values);
    free(cols);
    free(rows);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_cannot_be_reordered_is_told)
{
    rng r = rng_stream(1);
    fur_context *context = context_make(NULL, 1);
    fur_csr *wide = matrix_random(context, &r, &shapes[shape_find("wide")], FUR_F64, FUR_I32);
    fur_csr *square = matrix_random(context, &r, &shapes[shape_find("diagonal")], FUR_F64, FUR_I32);
    fur_permutation *p = NULL;
    ck_fails(context, FUR_INVALID, "only a square matrix can be reordered; this one is 17 x 3001",
             fur_reorder(wide, NULL, NULL, NULL, &p));
    ck_fails(context, FUR_UNSUPPORTED,
             "there is no reordering \"best\"; there are: rcm, cm, rcm-quality, sloan",
             fur_reorder(square, "best", NULL, NULL, &p));
    ck_assert_ptr_null(p);
    ck_assert_str_eq(fur_reorder_method_at(0)->name, "rcm");
    ck_assert_ptr_null(fur_reorder_method_at(-1));
    ck_assert_ptr_null(fur_reorder_method_at(1000));
    fur_csr_destroy(square);
    fur_csr_destroy(wide);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, small_graphs_come_out_as_the_slow_version_has_them);
    tcase_add_test(tests, a_dense_graph_comes_out_as_the_slow_version_has_it);
    tcase_add_test(tests, the_order_does_not_depend_on_threads);
    tcase_add_test(tests, threads_that_share_a_pass_give_the_same_order);
    tcase_add_test(tests, a_million_components_are_no_trouble);
    tcase_add_test(tests, what_cannot_be_reordered_is_told);
}

int main(void)
{
    return run_tests("reorder", add_tests);
}
