/* Orders found on a GPU. The Cuthill-McKee methods give the orders and reports of the host, for
 * graphs of every kind. A refused allocation leaks nothing. */
#include "cuda_support.h"

#include <string.h>

/* Edges of a graph, which are the entries on one side of the diagonal. */
typedef struct edges {
    int64_t vertices;
    int64_t count;
    int64_t room;
    int32_t *from;
    int32_t *to;
} edges;

static edges edges_none(int64_t vertices)
{
    return (edges){.vertices = vertices};
}

static void edges_add(edges *e, int64_t from, int64_t to)
{
    if (e->count == e->room) {
        e->room = 2 * e->room + 64;
        e->from = realloc(e->from, (size_t)e->room * sizeof *e->from);
        e->to = realloc(e->to, (size_t)e->room * sizeof *e->to);
    }
    e->from[e->count] = (int32_t)from;
    e->to[e->count++] = (int32_t)to;
}

static void edges_release(edges *e)
{
    free(e->from);
    free(e->to);
}

/* Returns a matrix with both directions of all edges and the diagonal, or with the given edges
 * only. */
static fur_csr *edges_matrix(fur_context *host, const edges *e, bool both, fur_duplicates rule,
                             fur_offset_type offset)
{
    edges all = edges_none(e->vertices);
    for (int64_t k = 0; k < e->count; k++) {
        edges_add(&all, e->from[k], e->to[k]);
        if (both)
            edges_add(&all, e->to[k], e->from[k]);
    }
    for (int64_t i = 0; both && i < e->vertices; i++)
        edges_add(&all, i, i);
    float *values = entries_make(FUR_F32, all.count);
    fur_coo_view coo = {sizeof coo, e->vertices, e->vertices, all.count,
                        FUR_F32,    all.from,    all.to,      values};
    fur_csr *narrow = NULL;
    fur_csr *a = NULL;
    ck_ok(host, fur_csr_from_coo(host, &coo, rule, &narrow));
    ck_ok(host, fur_csr_convert(narrow, FUR_F32, offset, &a));
    fur_csr_destroy(narrow);
    free(values);
    edges_release(&all);
    return a;
}

/* Renumbers the vertices at random. */
static void edges_shuffle(edges *e, rng *r)
{
    int32_t *order = rng_order(r, e->vertices);
    for (int64_t k = 0; k < e->count; k++) {
        e->from[k] = order[e->from[k]];
        e->to[k] = order[e->to[k]];
    }
    free(order);
}

static edges grid_graph(rng *r, int64_t x, int64_t y, int64_t z)
{
    edges e = edges_none(x * y * z);
    (void)r;
    for (int64_t i = 0; i < e.vertices; i++) {
        if (i % x + 1 < x)
            edges_add(&e, i, i + 1);
        if (i / x % y + 1 < y)
            edges_add(&e, i, i + x);
        if (i / x / y + 1 < z)
            edges_add(&e, i, i + x * y);
    }
    return e;
}

static edges random_graph(rng *r, int64_t n, int64_t count)
{
    edges e = edges_none(n);
    for (int64_t k = 0; k < count; k++)
        edges_add(&e, rng_below(r, n), rng_below(r, n));
    return e;
}

/* Returns a graph with many isolated vertices and a few of very high degree (Chakrabarti, Zhan,
 * Faloutsos 2004). */
static edges rmat_graph(rng *r, int bits, int64_t count)
{
    edges e = edges_none(INT64_C(1) << bits);
    for (int64_t k = 0; k < count; k++) {
        int64_t from = 0;
        int64_t to = 0;
        for (int bit = 0; bit < bits; bit++) {
            int64_t draw = rng_below(r, 100);
            from = 2 * from + (draw >= 76);
            to = 2 * to + (draw >= 57 && (draw < 76 || draw >= 95));
        }
        edges_add(&e, from, to);
    }
    return e;
}

static edges star_graph(rng *r, int64_t n, int64_t centres)
{
    edges e = edges_none(n);
    for (int64_t i = centres; i < n; i++)
        edges_add(&e, rng_below(r, centres), i);
    return e;
}

static edges path_graph(rng *r, int64_t n, int64_t pieces)
{
    edges e = edges_none(n);
    (void)r;
    for (int64_t i = 0; i + 1 < n; i++)
        if ((i + 1) % (n / pieces) != 0)
            edges_add(&e, i, i + 1);
    return e;
}

static edges complete_graph(rng *r, int64_t n)
{
    edges e = edges_none(n);
    (void)r;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            edges_add(&e, i, j);
    return e;
}

static void ck_same_numbers(int64_t n, const int32_t *gpu, const int32_t *host, const char *what)
{
    int32_t *fetched = malloc(((size_t)n + 1) * sizeof *fetched);
    ck_cuda(cudaMemcpy(fetched, gpu, (size_t)n * sizeof *fetched, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(fetched[i] == host[i], "%s[%lld] of %lld is %d, not %d", what, (long long)i,
                      (long long)n, fetched[i], host[i]);
    free(fetched);
}

static void ck_same_report(const fur_reorder_report *gpu, const fur_reorder_report *host)
{
    ck_assert_int_eq(gpu->components, host->components);
    ck_assert_int_eq(gpu->components_kept, host->components_kept);
    ck_assert_int_eq(gpu->bandwidth_before, host->bandwidth_before);
    ck_assert_int_eq(gpu->bandwidth_after, host->bandwidth_after);
}

/* Checks that both methods find the host's order. One keeps components; the other may make them
 * worse. */
static void check_matrix(fur_context *gpu, const fur_csr *on_host)
{
    fur_context *host = fur_context_host(gpu);
    int64_t n = fur_csr_get(on_host)->rows;
    fur_csr *on_gpu = NULL;
    ck_ok(host, fur_csr_transfer(on_host, gpu, &on_gpu));
    for (int i = 0; i < 2; i++) {
        fur_reorder_options options = {.size = sizeof options, .allow_worse = i};
        fur_permutation *here = NULL;
        fur_permutation *there = NULL;
        fur_reorder_report report_here = FUR_DEFAULT(fur_reorder_report);
        fur_reorder_report report_there = FUR_DEFAULT(fur_reorder_report);
        const char *method = i ? "cm" : "rcm";
        ck_ok(host, fur_reorder(on_host, method, &options, &report_here, &here));
        ck_ok(gpu, fur_reorder(on_gpu, method, &options, &report_there, &there));
        ck_assert_ptr_eq(fur_permutation_context(there), gpu);
        ck_assert_int_eq(fur_permutation_size(there), n);
        ck_ok(gpu, fur_context_synchronize(gpu));
        ck_same_numbers(n, fur_permutation_order(there), fur_permutation_order(here), "order");
        ck_same_numbers(n, fur_permutation_position(there), fur_permutation_position(here),
                        "position");
        ck_same_report(&report_there, &report_here);
        fur_permutation_destroy(there);
        fur_permutation_destroy(here);
    }
    fur_csr_destroy(on_gpu);
}

/* Checks a graph in its order and shuffled, symmetric and not, with duplicates, and with both
 * offset widths. */
static void check_graph(fur_context *gpu, rng *r, edges e)
{
    for (int i = 0; i < 5; i++) {
        static const fur_duplicates rules[] = {FUR_DUPLICATES_LAST, FUR_DUPLICATES_KEEP};
        if (i == 2)
            edges_shuffle(&e, r);
        fur_csr *a = edges_matrix(fur_context_host(gpu), &e, i != 1 && i != 3, rules[i / 4],
                                  (fur_offset_type)(i % 2));
        check_matrix(gpu, a);
        fur_csr_destroy(a);
    }
    edges_release(&e);
}

START_TEST(grids)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(1);
    int64_t scale = test_small() ? 1 : 4;
    check_graph(gpu, &r, grid_graph(&r, 20 * scale, 13 * scale, 1));
    check_graph(gpu, &r, grid_graph(&r, 11 * scale, 7 * scale, 5 * scale));
    check_graph(gpu, &r, grid_graph(&r, 2, 3, 700));
    if (!test_small()) {
        check_graph(gpu, &r, grid_graph(&r, 3000, 90, 1));
        check_graph(gpu, &r, grid_graph(&r, 60, 60, 60));
    }
    fur_context_destroy(gpu);
}
END_TEST

START_TEST(random_graphs_of_one_and_many_components)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(2);
    for (int i = 0; i < (test_small() ? 6 : 20); i++) {
        int64_t n = 1 + rng_below(&r, test_small() ? 300 : 3000);
        check_graph(gpu, &r, random_graph(&r, n, rng_below(&r, 3 * n)));
    }
    check_graph(gpu, &r, rmat_graph(&r, test_small() ? 9 : 13, test_small() ? 2000 : 40000));
    if (!test_small()) {
        check_graph(gpu, &r, random_graph(&r, 200000, 100000));
        check_graph(gpu, &r, random_graph(&r, 200000, 1600000));
        check_graph(gpu, &r, rmat_graph(&r, 17, 1000000));
    }
    fur_context_destroy(gpu);
}
END_TEST

START_TEST(graphs_of_extreme_degrees_and_depths)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(3);
    int64_t n = test_small() ? 1500 : 60000;
    check_graph(gpu, &r, star_graph(&r, n, 1));
    check_graph(gpu, &r, star_graph(&r, n, 7));
    check_graph(gpu, &r, path_graph(&r, n / 5, 1)); /* too deep: the host computes the order */
    check_graph(gpu, &r, path_graph(&r, 250, 1));
    check_graph(gpu, &r, path_graph(&r, n, n / 11));
    check_graph(gpu, &r, complete_graph(&r, test_small() ? 70 : 300));
    fur_context_destroy(gpu);
}
END_TEST

/* Orders are right for levels whose numbers of edges are close to what a block, a cluster or the
 * grid processes at a time. */
START_TEST(levels_around_what_a_block_takes)
{
    static const int64_t sizes[] = {1,    2,    3,    31,   32,   33,   127,   128,   129,   255,
                                    256,  257,  511,  512,  513,  1023, 1024,  1025,  2047,  2048,
                                    2049, 4095, 4096, 4097, 8191, 8192, 16384, 16385, 32768, 65537};
    fur_context *gpu = context_cuda();
    rng r = rng_stream(4);
    for (int i = 0; i < (test_small() ? 18 : COUNT_OF(sizes)); i++) {
        check_graph(gpu, &r, star_graph(&r, sizes[i], 1));
        check_graph(gpu, &r, grid_graph(&r, sizes[i], 2, 1));
    }
    fur_context_destroy(gpu);
}
END_TEST

START_TEST(shapes_of_the_other_tests)
{
    fur_context *gpu = context_cuda();
    for (int i = 0; i < shape_count; i++) {
        rng r = rng_stream(100 + (uint64_t)i);
        if (shapes[i].rows != shapes[i].cols || (test_small() && shapes[i].rows > 1000))
            continue;
        for (int offset = 0; offset < FUR_OFFSET_COUNT; offset++) {
            fur_csr *a = matrix_random(fur_context_host(gpu), &r, &shapes[i], FUR_F64,
                                       (fur_offset_type)offset);
            check_matrix(gpu, a);
            fur_csr_destroy(a);
        }
    }
    fur_context_destroy(gpu);
}
END_TEST

/* Methods that run on the host also give orders for matrices on the GPU. Invalid requests are
 * refused. */
START_TEST(other_methods_and_matrices)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(5);
    edges e = grid_graph(&r, 9, 8, 1);
    fur_csr *on_host = edges_matrix(fur_context_host(gpu), &e, true, FUR_DUPLICATES_LAST, FUR_I32);
    fur_csr *wide = matrix_random(gpu, &r, &shapes[shape_find("wide")], FUR_F32, FUR_I32);
    fur_csr *a = NULL;
    fur_permutation *p = NULL;
    ck_ok(gpu, fur_csr_transfer(on_host, gpu, &a));
    for (int i = 0; fur_reorder_method_at(i); i++) {
        fur_permutation *here = NULL;
        ck_ok(fur_context_host(gpu),
              fur_reorder(on_host, fur_reorder_method_at(i)->name, NULL, NULL, &here));
        ck_ok(gpu, fur_reorder(a, fur_reorder_method_at(i)->name, NULL, NULL, &p));
        ck_ok(gpu, fur_context_synchronize(gpu));
        ck_same_numbers(72, fur_permutation_order(p), fur_permutation_order(here), "order");
        fur_permutation_destroy(p);
        fur_permutation_destroy(here);
    }
    p = NULL;
    ck_assert_int_eq(fur_reorder(wide, NULL, NULL, NULL, &p), FUR_INVALID);
    ck_assert_int_eq(fur_reorder(a, "none", NULL, NULL, &p), FUR_UNSUPPORTED);
    ck_assert_ptr_null(p);
    fur_csr_destroy(a);
    fur_csr_destroy(wide);
    fur_csr_destroy(on_host);
    edges_release(&e);
    fur_context_destroy(gpu);
}
END_TEST

/* Checks reorderings in which each allocation fails once. */
static void check_failures(counted *c, const fur_csr *a)
{
    fur_status status = FUR_OUT_OF_MEMORY;
    int64_t host = c->host.outstanding;
    int64_t device = c->device.outstanding;
    for (int64_t n = 1; status != FUR_OK; n++) {
        fur_permutation *p = NULL;
        ck_assert_int_lt(n, 1000);
        c->device.fail_at = c->device.calls + n;
        status = fur_reorder(a, "rcm", NULL, NULL, &p);
        c->device.fail_at = 0;
        ck_assert(status == FUR_OK || (status == FUR_OUT_OF_MEMORY && !p));
        fur_permutation_destroy(p);
        ck_assert_int_eq(c->host.outstanding, host);
        ck_assert_int_eq(c->device.outstanding, device);
    }
}

START_TEST(refused_memory_leaves_nothing_behind)
{
    counted c;
    rng r = rng_stream(6);
    counted_open(&c);
    for (int both = 0; both < 2; both++) {
        edges e = random_graph(&r, 200, 150);
        fur_csr *on_host =
            edges_matrix(fur_context_host(c.context), &e, both != 0, FUR_DUPLICATES_LAST, FUR_I32);
        fur_csr *a = NULL;
        ck_ok(c.context, fur_csr_transfer(on_host, c.context, &a));
        check_failures(&c, a);
        fur_csr_destroy(a);
        fur_csr_destroy(on_host);
        edges_release(&e);
    }
    counted_close(&c);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, grids);
    tcase_add_test(tests, random_graphs_of_one_and_many_components);
    tcase_add_test(tests, graphs_of_extreme_degrees_and_depths);
    tcase_add_test(tests, levels_around_what_a_block_takes);
    tcase_add_test(tests, shapes_of_the_other_tests);
    tcase_add_test(tests, other_methods_and_matrices);
    tcase_add_test(tests, refused_memory_leaves_nothing_behind);
}

int main(void)
{
    return run_gpu_tests("cuda_reorder", add_tests);
}
