/* Reductions of vectors shared by ranks have the bits of one context, for all value types and kinds
 * of bounds. */
#include "ranks_reductions.h"

static void compare(rng *r, fur_value_type value, int64_t rows, int turn)
{
    static const char *const kinds[BOUND_KINDS] = {"even bounds", "odd bounds", "empty ranks",
                                                   "ranks of one row", "all at one rank"};
    fur_context *context = context_make(NULL, 1);
    reductions job = reductions_make(context, r, value, rows);
    fur_scalar expected[REDUCED_RESULTS] = {{0, 0}};
    reduce_alone(&job, context, expected);
    for (int kind = 0; kind < BOUND_KINDS; kind++) {
        int64_t bounds[RANKS_MAX + 1];
        int ranks = 1 + (turn + kind) % RANKS_MAX;
        fur_ranks_options options = {.size = sizeof options, .threads = 1 + kind % 2};
        bounds_random(r, kind, ranks, rows, bounds);
        job.bounds = bounds;
        fur_status status = fur_ranks_run(ranks, &options, reduce_on_ranks, &job);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        ck_reductions(&job, expected, ranks, kinds[kind]);
    }
    reductions_free(&job);
    fur_context_destroy(context);
}

START_TEST(reductions_of_parts)
{
    rng r = rng_stream((uint64_t)_i);
    static const int64_t sizes[] = {1, 63, 1025, 5000, 17000};
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int turn = 0; turn < (TEST_SLOW ? 1 : 2); turn++)
            compare(&r, (fur_value_type)_i, sizes[s], s + 3 * turn);
}
END_TEST

static fur_status misfit(fur_ranks *group, void *user)
{
    const reductions *job = user;
    int rank = fur_ranks_rank(group);
    fur_ranks_csr *a = NULL;
    fur_vector *x = NULL;
    double norm;
    FUR_TRY(fur_ranks_csr_scatter(group, rank == 0 ? job->a : NULL, job->bounds, &a));
    fur_status status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, 7, &x);
    if (status == FUR_OK)
        status = fur_norm2(x, &norm);
    fur_ranks_pass_on(group, fur_ranks_csr_context(a), status);
    fur_vector_destroy(x);
    fur_ranks_csr_destroy(a);
    return fur_ranks_agree(group, status);
}

START_TEST(vectors_of_another_size)
{
    fur_context *context = context_make(NULL, 1);
    int64_t bounds[] = {0, 7, 20};
    rng r = rng_stream(0);
    reductions job = reductions_make(context, &r, FUR_F64, 20);
    job.bounds = bounds;
    ck_assert_int_eq(fur_ranks_run(2, NULL, misfit, &job), FUR_UNSUPPORTED);
    ck_assert_str_eq(fur_context_error(NULL),
                     "the vector has 7 entries, but this rank's part of the shared vectors has 13");
    reductions_free(&job);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, reductions_of_parts, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, vectors_of_another_size);
}

int main(void)
{
    return run_tests("ranks_reduce", add);
}
