/* Solves of ranks on GPUs have the bits of one context of the CPU, for every transport between the
 * ranks. If there is one GPU, all ranks use it. */
#include "ranks_support.h"

#include <string.h>

static const char *const methods[] = {"cg", "gmres", "bicgstab", "minres"};
static const char *const methods_of_least_squares[] = {"lsqr", "lsmr", "cgnr"};

/* One solve with balanced bounds, one with random bounds. */
#define SOLVES 2

static fur_status solve_in_turns(fur_ranks *group, void *user)
{
    solve_job *jobs = user;
    fur_status status = FUR_OK;
    for (int turn = 0; status == FUR_OK && turn < SOLVES; turn++)
        status = solve_on_ranks(group, &jobs[turn]);
    return status;
}

static void ck_solves(const solve_job *got, const solve_job *want, const char *way)
{
    fur_value_type value = fur_csr_get(want->a)->value_type;
    int64_t cols = fur_csr_get(want->a)->cols;
    ck_assert_int_eq(got->report.iterations, want->report.iterations);
    ck_assert(memcmp(&got->report.residual, &want->report.residual, sizeof(double)) == 0);
    ck_assert_msg(memcmp(got->x, want->x, (size_t)cols * fur_value_size(value)) == 0,
                  "%s of %lld %s columns by %s", want->method, (long long)cols,
                  fur_value_name(value), way);
}

static void compare_solves(rng *r, const char *method, const fur_csr *a, bool jacobi)
{
    fur_ranks_options options;
    int64_t rows = fur_csr_get(a)->rows;
    int64_t cols = fur_csr_get(a)->cols;
    fur_value_type value = fur_csr_get(a)->value_type;
    void *b = entries_random(r, value, rows);
    solve_job alone = {.a = a, .method = method, .jacobi = jacobi, .no_reduction = true, .b = b};
    alone.x = entries_make(value, cols);
    solve_alone(&alone);
    for (int way = 0; way < GPU_WAYS; way++) {
        solve_job jobs[SOLVES] = {alone, alone};
        int64_t bounds[GPU_RANKS + 1];
        if (!options_on_gpus(way, GPU_RANKS, &options))
            continue;
        bounds_random(r, 1, GPU_RANKS, rows, bounds);
        jobs[1].bounds = bounds;
        for (int turn = 0; turn < SOLVES; turn++)
            jobs[turn].x = entries_make(value, cols);
        fur_status status = fur_ranks_run(GPU_RANKS, &options, solve_in_turns, jobs);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        for (int turn = 0; turn < SOLVES; turn++) {
            ck_solves(&jobs[turn], &alone, options.device_transport);
            free(jobs[turn].x);
        }
    }
    free(alone.x);
    free(b);
}

/* Solves of square systems have the bits of the CPU. Loops over methods. */
START_TEST(solves)
{
    static const int64_t sizes[] = {1, 20000, 200000};
    fur_context *context = context_cpu(NULL, 2);
    rng r = rng_stream((uint64_t)_i);
    for (int s = 0; s < COUNT_OF(sizes) - (test_small() ? 1 : 0); s++) {
        fur_value_type value = (fur_value_type)((_i + s) % FUR_VALUE_COUNT);
        fur_csr *a = matrix_definite(context, &r, value, sizes[s]);
        compare_solves(&r, methods[_i], a, true);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* Returns a matrix with two entries in each row. One is half of the rows away, so the halos are
 * wide. */
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

/* Solves with wide halos have the bits of the CPU. Loops over value types. */
START_TEST(wide_halos)
{
    fur_context *context = context_cpu(NULL, 2);
    rng r = rng_stream(70 + (uint64_t)_i);
    fur_csr *a = matrix_far(context, (fur_value_type)_i, 600002);
    compare_solves(&r, "cg", a, true);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Least-squares solves have the bits of the CPU for matrices of any shape. x and b have different
 * bounds. Loops over methods. */
START_TEST(least_squares)
{
    fur_context *context = context_cpu(NULL, 2);
    rng r = rng_stream(50 + (uint64_t)_i);
    for (int wide = 0; wide < 2; wide++) {
        fur_value_type value = (fur_value_type)((_i + 2 * wide) % FUR_VALUE_COUNT);
        shape s = shapes[shape_find("tall")];
        s.rows = wide ? 9000 : 30000;
        s.cols = wide ? 30000 : 9000;
        fur_csr *a = matrix_random(context, &r, &s, value, FUR_I32);
        compare_solves(&r, methods_of_least_squares[_i], a, false);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, solves, 0, COUNT_OF(methods));
    tcase_add_loop_test(tests, wide_halos, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, least_squares, 0, COUNT_OF(methods_of_least_squares));
}

int main(void)
{
    return run_gpu_tests("ranks_cuda_solve", add);
}
