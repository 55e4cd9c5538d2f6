/* Ranks on GPUs, by every transport between them: the bits of one context of the CPU. With one GPU
 * all ranks have it. */
#include "ranks_reductions.h"

#include <string.h>

#define WAYS 3
/* Not three on two GPUs: memory is freed between reductions, which waits for the other rank's. */
#define GPU_RANKS 2

#define GRAIN FUR_SHARING_GRAIN

/* Bounds: some, a rank without entries, one entry before a rank, no entries in the last, and whole
 * leaves. */
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

static void compare_reductions(rng *r, int way, fur_value_type value, int64_t rows)
{
    fur_context *context = context_make(NULL, 2);
    reductions job = reductions_make(context, r, value, rows);
    fur_scalar expected[REDUCED_RESULTS] = {{0, 0}};
    fur_ranks_options options;
    reduce_alone(&job, context, expected);
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t bounds[GPU_RANKS + 1] = {0};
        if (!options_on_gpus(way, GPU_RANKS, &options))
            continue;
        draw_bounds(r, turn, GPU_RANKS, rows, bounds);
        job.bounds = bounds;
        fur_status status = fur_ranks_run(GPU_RANKS, &options, reduce_on_ranks, &job);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        ck_reductions(&job, expected, GPU_RANKS, options.device_transport);
    }
    reductions_free(&job);
    fur_context_destroy(context);
}

START_TEST(reductions_of_parts)
{
    static const int64_t sizes[] = {1, 5000, 3 * GRAIN, 300001, 3000001};
    rng r = rng_stream((uint64_t)_i);
    for (int value = 0; value < FUR_VALUE_COUNT; value++)
        for (int s = 0; s < COUNT_OF(sizes) - (test_small() ? 2 : 0); s++)
            compare_reductions(&r, _i, (fur_value_type)value, sizes[s]);
}
END_TEST

static void compare_solves(rng *r, int way, const char *method, const fur_csr *a, bool jacobi)
{
    fur_ranks_options options;
    int64_t rows = fur_csr_get(a)->rows;
    int64_t cols = fur_csr_get(a)->cols;
    fur_value_type value = fur_csr_get(a)->value_type;
    if (!options_on_gpus(way, GPU_RANKS, &options))
        return;
    void *b = entries_random(r, value, rows);
    solve_job alone = {.a = a, .method = method, .jacobi = jacobi, .b = b};
    alone.x = entries_make(value, cols);
    solve_alone(&alone);
    for (int turn = 0; turn < 2; turn++) {
        int64_t bounds[GPU_RANKS + 1] = {0};
        draw_bounds(r, 0, GPU_RANKS, rows, bounds);
        solve_job job = alone;
        job.bounds = turn == 0 ? NULL : bounds;
        job.x = entries_make(value, cols);
        fur_status status = fur_ranks_run(GPU_RANKS, &options, solve_on_ranks, &job);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        ck_assert_int_eq(job.report.iterations, alone.report.iterations);
        ck_assert(memcmp(&job.report.residual, &alone.report.residual, sizeof(double)) == 0);
        ck_assert_msg(memcmp(job.x, alone.x, (size_t)cols * fur_value_size(value)) == 0,
                      "%s of %lld %s rows by %s", method, (long long)rows, fur_value_name(value),
                      options.device_transport);
        free(job.x);
    }
    free(alone.x);
    free(b);
}

START_TEST(solves)
{
    static const char *const methods[] = {"cg", "gmres", "bicgstab", "minres"};
    static const int64_t sizes[] = {1, 20000, 200000};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream((uint64_t)_i);
    for (int m = 0; m < COUNT_OF(methods); m++)
        for (int s = 0; s < COUNT_OF(sizes) - (test_small() ? 1 : 0); s++) {
            fur_value_type value = (fur_value_type)((m + s) % FUR_VALUE_COUNT);
            fur_csr *a = matrix_definite(context, &r, value, sizes[s]);
            compare_solves(&r, _i, methods[m], a, true);
            fur_csr_destroy(a);
        }
    fur_context_destroy(context);
}
END_TEST

/* Rows of two entries, one of them half of the rows away: wide halos. */
static fur_csr *matrix_far(fur_context *context, fur_value_type value, int64_t rows)
{
    int64_t half = rows / 2;
    int32_t *row = malloc((size_t)(2 * rows) * sizeof *row);
    int32_t *col = malloc((size_t)(2 * rows) * sizeof *col);
    void *values = entries_make(value, 2 * rows);
    fur_csr *a = NULL;
    for (int64_t i = 0; i < rows; i++) {
        row[2 * i] = row[2 * i + 1] = col[2 * i] = (int32_t)i;
        col[2 * i + 1] = (int32_t)((i + half) % rows);
        entry_set(value, values, 2 * i, fur_real(4));
        entry_set(value, values, 2 * i + 1, fur_real(1 + (double)(i % half % 97) / 97));
    }
    fur_coo_view coo = {sizeof coo, rows, rows, 2 * rows, value, row, col, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_LAST, &a));
    free(row);
    free(col);
    free(values);
    return a;
}

START_TEST(wide_halos)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(70 + (uint64_t)_i);
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        fur_csr *a = matrix_far(context, (fur_value_type)value, 600002);
        compare_solves(&r, _i, "cg", a, true);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* Of any shape: x and b have bounds of their own. */
START_TEST(least_squares)
{
    static const char *const methods[] = {"lsqr", "lsmr", "cgnr"};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(50 + (uint64_t)_i);
    for (int m = 0; m < COUNT_OF(methods); m++)
        for (int wide = 0; wide < 2; wide++) {
            fur_value_type value = (fur_value_type)((m + _i) % FUR_VALUE_COUNT);
            shape s = shapes[shape_find("tall")];
            s.rows = wide ? 9000 : 30000;
            s.cols = wide ? 30000 : 9000;
            fur_csr *a = matrix_random(context, &r, &s, value, FUR_I32);
            compare_solves(&r, _i, methods[m], a, false);
            fur_csr_destroy(a);
        }
    fur_context_destroy(context);
}
END_TEST

/* y = op(A) x by the transpose of a matrix of all ranks. */
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
    fur_context *context = context_make(NULL, 2);
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

/* A norm, or a solve. */
static fur_status work_on(fur_ranks_csr *a, bool whole_solve, const fur_vector *b, fur_vector *x)
{
    fur_solver_options options = {.size = sizeof options};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    double norm;
    return whole_solve ? fur_ranks_solve(a, &options, b, x, &report) : fur_norm2(b, &norm);
}

/* Rank 1 fails while rank 0 waits for it on its GPU. */
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
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream((uint64_t)_i);
    int64_t bounds[] = {0, GRAIN, 2 * GRAIN};
    reductions job = reductions_make(context, &r, FUR_F64, 2 * GRAIN);
    fur_ranks_options options;
    job.bounds = bounds;
    if (options_on_gpus(_i, GPU_RANKS, &options)) {
        fur_status status =
            fur_ranks_run(GPU_RANKS, &options, _i < WAYS ? fail_in_norm : fail_in_solve, &job);
        ck_assert_int_eq(status, FUR_IO_ERROR);
        ck_assert_str_eq(fur_context_error(NULL), "the disk of rank 1 is full");
    }
    reductions_free(&job);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, reductions_of_parts, 0, WAYS);
    tcase_add_loop_test(tests, solves, 0, WAYS);
    tcase_add_loop_test(tests, wide_halos, 0, WAYS);
    tcase_add_loop_test(tests, least_squares, 0, WAYS);
    tcase_add_loop_test(tests, transposes, 0, 6);
    tcase_add_loop_test(tests, a_rank_that_fails, 0, 2 * WAYS);
}

int main(void)
{
    return run_gpu_tests("ranks_cuda", add);
}
