/* Reduction to one of two colours on 1 to 8 ranks. It has the iterations and bits of one context,
 * for graphs whose parts cross ranks in any way. The ranks solve the unreduced system if one
 * context does. */
#include "doors.h"
#include "ranks_support.h"

#include <string.h>

/* Returns a solve by one context, with its b and x. */
static solve_job solve_reference(rng *r, const fur_csr *a, bool jacobi)
{
    const fur_csr_view *view = fur_csr_get(a);
    solve_job job = {.a = a, .method = "cg", .jacobi = jacobi};
    job.b = entries_random(r, view->value_type, view->rows);
    job.x = entries_make(view->value_type, view->rows);
    solve_alone(&job);
    return job;
}

static void release(const solve_job *job)
{
    free((void *)job->b);
    free(job->x);
}

/* Checks that a solve on `ranks` ranks has the bits of one context. */
static void compare(rng *r, const solve_job *want, int ranks, int kind, int graph)
{
    const fur_csr_view *view = fur_csr_get(want->a);
    int64_t bounds[RANKS_MAX + 1];
    fur_ranks_options options = {.size = sizeof options, .threads = 1 + (ranks + kind) % 2};
    solve_job job = *want;
    bounds_random(r, kind % BOUND_KINDS, ranks, view->rows, bounds);
    job.bounds = bounds;
    job.by_precond = job.jacobi && (ranks + graph) % 2 == 0;
    job.x = entries_make(view->value_type, view->rows);
    fur_status status = fur_ranks_run(ranks, &options, solve_on_ranks, &job);
    ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
    ck_assert_msg(job.report.reduced == want->report.reduced, "graph %d, %lld rows, %d ranks: %d",
                  graph, (long long)view->rows, ranks, job.report.reduced);
    ck_assert_int_eq(job.report.outcome, want->report.outcome);
    ck_assert_int_eq(job.report.iterations, want->report.iterations);
    ck_assert(memcmp(&job.report.residual, &want->report.residual, sizeof(double)) == 0);
    ck_assert(memcmp(&job.report.condition, &want->report.condition, sizeof(double)) == 0);
    ck_assert_msg(memcmp(job.x, want->x, (size_t)view->rows * fur_value_size(view->value_type)) ==
                      0,
                  "graph %d, %lld rows on %d ranks", graph, (long long)view->rows, ranks);
    free(job.x);
}

/* Returns whether one context reduces the matrix of a graph. */
static bool is_reduced(int graph, int64_t rows)
{
    if (graph == COLOURED_RING)
        return rows % 2 == 0;
    if (graph == COLOURED_SKEW)
        return rows == 2; /* the entry without a mirror image needs more rows */
    return graph < COLOURED_GRAPHS && rows > 1;
}

static void compare_graph(fur_value_type value, int64_t rows, int graph, int turn)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream((uint64_t)(1000 * graph + 100 * (int)value + turn));
    fur_csr *a = matrix_coloured(context, &r, value, rows, graph);
    solve_job want = solve_reference(&r, a, graph != COLOURED_HOLE && turn % 2 == 0);
    ck_assert_int_eq(want.report.reduced, is_reduced(graph, rows));
    for (int ranks = 1; ranks <= RANKS_MAX; ranks += TEST_SLOW && ranks > 2 ? 2 : 1)
        compare(&r, &want, ranks, ranks + turn, graph);
    release(&want);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}

/* Ranks reduce a system exactly if one context does. Loops over graphs. A ring of an odd number of
 * rows has an odd cycle that no single rank has. */
START_TEST(ranks_reduce_as_one_context)
{
    static const int64_t sizes[] = {2, 1, 12, 41, 600, 2500, 5001};
    for (int k = 0; k < COUNT_OF(sizes) - TEST_SLOW; k++)
        for (fur_value_type value = FUR_F32; value < FUR_VALUE_COUNT; value++)
            if (sizes[k] < 100 || (int)value == (k + _i) % FUR_VALUE_COUNT)
                compare_graph(value, sizes[k], _i, k);
}
END_TEST

/* A solve by ranks gives the result of all other ways to solve. Loops over the matrices of
 * test_doors. */
START_TEST(the_door_of_ranks_is_like_others)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(50 + (uint64_t)_i);
    fur_csr *a = grid_make(context, &r, FUR_F64, _i);
    solve_job want = solve_reference(&r, a, true);
    ck_assert_int_eq(want.report.reduced, 1);
    for (int ranks = 1; ranks <= 4; ranks++)
        for (int kind = 0; kind < BOUND_KINDS; kind++)
            compare(&r, &want, ranks, kind, _i);
    release(&want);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Scales the entries so that their products overflow or underflow, unless the solver scales them.
 */
static void scale_matrix(fur_csr *a, double factor)
{
    const fur_csr_view *view = fur_csr_get(a);
    double *values = malloc((size_t)view->entries * sizeof *values);
    for (int64_t k = 0; k < view->entries; k++)
        values[k] = factor * ((const double *)view->values)[k];
    ck_ok(fur_csr_context(a), fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    free(values);
}

/* Ranks scale very large and very small entries as one context does. Loops over both. */
START_TEST(entries_far_from_1_are_scaled_alike)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(60 + (uint64_t)_i);
    fur_csr *a = matrix_coloured(context, &r, FUR_F64, 300, _i % COLOURED_GRAPHS);
    scale_matrix(a, _i % 2 == 0 ? 0x1p700 : 0x1p-700);
    solve_job want = solve_reference(&r, a, _i % 3 == 0);
    ck_assert_int_eq(want.report.reduced, 1);
    ck_assert_int_gt(want.report.iterations, 0);
    for (int ranks = 1; ranks <= 4; ranks++)
        compare(&r, &want, ranks, ranks + _i, _i);
    release(&want);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, ranks_reduce_as_one_context, 0, COLOURED_HOLE + 1);
    tcase_add_loop_test(tests, entries_far_from_1_are_scaled_alike, 0, 6);
    tcase_add_loop_test(tests, the_door_of_ranks_is_like_others, 0, GRID_COUNT);
}

int main(void)
{
    return run_tests("ranks_colours", add);
}
