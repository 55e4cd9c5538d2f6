/* Reductions, transposes and failures of ranks on GPUs have the bits of one context of the CPU.
 * This holds for every transport between the ranks. If there is one GPU, all ranks use it. */
#include "ranks_reductions.h"

#include <string.h>

#define GRAIN FUR_SHARING_GRAIN

/* Kinds of bounds by turn: any; all entries on the last rank; one entry on each rank but the last;
 * all entries on rank 0; parts of complete leaves of the sum. */
#define TURNS 5

static void draw_bounds(rng *r, int turn, int ranks, int64_t rows, int64_t *bounds)
{
    for (int i = 1; i < ranks; i++) {
        bounds[i] = bounds[i - 1] + rng_below(r, rows + 1 - bounds[i - 1]);
        if (turn == 1)
            bounds[i] = bounds[i - 1];
        if (turn == 2)
            bounds[i] = bounds[i - 1] < rows ? bounds[i - 1] + 1 : rows;
        if (turn == 3)
            bounds[i] = rows;
        if (turn == 4)
            bounds[i] = bounds[i] / GRAIN * GRAIN;
    }
    bounds[ranks] = rows;
}

/* Reduces with all bounds in one group, because NCCL needs as long to make a group as for many
 * reductions. */
static fur_status reduce_in_turns(fur_ranks *group, void *user)
{
    reductions *jobs = user;
    fur_status status = FUR_OK;
    for (int turn = 0; status == FUR_OK && turn < TURNS; turn++)
        status = reduce_on_ranks(group, &jobs[turn]);
    return status;
}

static void compare_reductions(rng *r, fur_value_type value, int64_t rows)
{
    fur_context *context = context_cpu(NULL, 2);
    reductions job = reductions_make(context, r, value, rows);
    reductions jobs[TURNS];
    int64_t bounds[TURNS][GPU_RANKS + 1] = {{0}};
    fur_scalar expected[REDUCED_RESULTS] = {{0, 0}};
    fur_ranks_options options;
    reduce_alone(&job, context, expected);
    for (int way = 0; way < GPU_WAYS; way++) {
        if (!options_on_gpus(way, GPU_RANKS, &options))
            continue;
        for (int turn = 0; turn < TURNS; turn++) {
            draw_bounds(r, turn, GPU_RANKS, rows, bounds[turn]);
            jobs[turn] = job;
            jobs[turn].bounds = bounds[turn];
        }
        fur_status status = fur_ranks_run(GPU_RANKS, &options, reduce_in_turns, jobs);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        for (int turn = 0; turn < TURNS; turn++)
            ck_reductions(&jobs[turn], expected, GPU_RANKS, options.device_transport);
    }
    reductions_free(&job);
    fur_context_destroy(context);
}

/* Reductions on GPUs have the bits of the CPU for all bounds. Loops over value types. */
START_TEST(reductions_of_parts)
{
    static const int64_t sizes[] = {1, 5000, 3 * GRAIN, 300001, 3000001};
    rng r = rng_stream((uint64_t)_i);
    for (int s = 0; s < COUNT_OF(sizes) - (test_small() ? 2 : 0); s++)
        compare_reductions(&r, (fur_value_type)_i, sizes[s]);
}
END_TEST

/* A product y = op(A) x with the transposed matrix of all ranks. */
typedef struct turned {
    const fur_csr *a;
    const int64_t *bounds;
    int conjugate;
    const void *x;
    void *y;
} turned;

static fur_status multiply_turned(fur_ranks *group, void *user)
{
    const turned *t = user;
    int rank = fur_ranks_rank(group);
    const int64_t *own = t->bounds + rank;
    fur_value_type value = fur_csr_get(t->a)->value_type;
    fur_ranks_csr *a = NULL;
    fur_ranks_csr *b = NULL;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    fur_status status = fur_ranks_csr_scatter(group, rank == 0 ? t->a : NULL, t->bounds, &a);
    if (status == FUR_OK)
        status = fur_ranks_csr_transpose(a, t->conjugate, &b);
    if (status == FUR_OK)
        status = fur_vector_wrap(fur_ranks_csr_context(b), value, own[1] - own[0],
                                 (char *)t->x + (size_t)own[0] * fur_value_size(value),
                                 FUR_OWNERSHIP_COPY, &x);
    if (status == FUR_OK)
        status = fur_vector_create(fur_ranks_csr_context(b), value, own[1] - own[0], &y);
    if (status == FUR_OK)
        status = fur_ranks_multiply(b, x, y);
    if (status == FUR_OK)
        status = fur_ranks_gather_vector(b, y, rank == 0 ? t->y : NULL);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_ranks_csr_destroy(b);
    fur_ranks_csr_destroy(a);
    return status;
}

START_TEST(transposes)
{
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_cpu(NULL, 2);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    int64_t rows = 3 * GRAIN + rng_below(&r, GRAIN);
    int64_t bounds[GPU_RANKS + 1] = {0};
    draw_bounds(&r, 0, GPU_RANKS, rows, bounds);
    fur_csr *a = matrix_definite(context, &r, value, rows);
    fur_vector *x = vector_random(context, &r, value, rows);
    fur_vector *y = vector_random(context, &r, value, rows);
    fur_spmv_options options = {.size = sizeof options, .op = _i % 2 ? FUR_OP_H : FUR_OP_T};
    fur_ranks_options where;
    fur_spmv *plan;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    turned t = {a, bounds, _i % 2, vector_entries(x), entries_make(value, rows)};
    void *expected = vector_entries(y);
    if (options_on_gpus(_i, GPU_RANKS, &where)) {
        fur_status status = fur_ranks_run(GPU_RANKS, &where, multiply_turned, &t);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        ck_assert(first_difference(value, rows, t.y, expected) < 0);
    }
    free(expected);
    free((void *)t.x);
    free(t.y);
    fur_spmv_destroy(plan);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Computes a norm, or solves. */
static fur_status work_on(fur_ranks_csr *a, bool whole_solve, const fur_vector *b, fur_vector *x)
{
    fur_solver_options options = {.size = sizeof options};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    double norm;
    return whole_solve ? fur_ranks_solve(a, &options, b, x, &report) : fur_norm2(b, &norm);
}

/* Rank 1 fails while rank 0 waits for rank 1's message on its GPU. */
static fur_status fail_alone(fur_ranks *group, bool whole_solve, const reductions *job)
{
    int rank = fur_ranks_rank(group);
    fur_ranks_csr *a = NULL;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    fur_status status = fur_ranks_csr_scatter(group, rank == 0 ? job->a : NULL, job->bounds, &a);
    if (status == FUR_OK)
        status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, GRAIN, &b);
    if (status == FUR_OK)
        status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, GRAIN, &x);
    if (status == FUR_OK)
        status = fur_vector_fill(b, fur_real(1));
    if (status == FUR_OK && rank == 1)
        status = fur_ranks_fail(group, FUR_IO_ERROR, "the disk of rank 1 is full");
    if (status == FUR_OK)
        status = work_on(a, whole_solve, b, x);
    status = fur_ranks_agree(group, status);
    fur_vector_destroy(b);
    fur_vector_destroy(x);
    fur_ranks_csr_destroy(a);
    return status;
}

static fur_status fail_in_norm(fur_ranks *group, void *user)
{
    return fail_alone(group, false, user);
}

static fur_status fail_in_solve(fur_ranks *group, void *user)
{
    return fail_alone(group, true, user);
}

START_TEST(a_rank_that_fails)
{
    fur_context *context = context_cpu(NULL, 1);
    rng r = rng_stream((uint64_t)_i);
    int64_t bounds[] = {0, GRAIN, 2 * GRAIN};
    reductions job = reductions_make(context, &r, FUR_F64, 2 * GRAIN);
    fur_ranks_options options;
    job.bounds = bounds;
    if (options_on_gpus(_i, GPU_RANKS, &options)) {
        fur_status status =
            fur_ranks_run(GPU_RANKS, &options, _i < GPU_WAYS ? fail_in_norm : fail_in_solve, &job);
        ck_assert_int_eq(status, FUR_IO_ERROR);
        ck_assert_str_eq(fur_context_error(NULL), "the disk of rank 1 is full");
    }
    reductions_free(&job);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, reductions_of_parts, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, transposes, 0, 6);
    tcase_add_loop_test(tests, a_rank_that_fails, 0, 2 * GPU_WAYS);
}

int main(void)
{
    return run_gpu_tests("ranks_cuda", add);
}
