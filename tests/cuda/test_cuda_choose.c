/* Solves that choose by themselves on a GPU: the course and the bits of the CPU, through a trial, a
 * preconditioner that is made from the matrix, and one that is asked for; and by every way to cg.
 */
#include "cuda_support.h"
#include "doors.h"

#include <string.h>

#define ROWS 1500

/* A ring whose large entries are off the diagonal, in a random order of rows: for factors only. */
static fur_csr *scattered(fur_context *context, rng *r)
{
    static int32_t row[3 * ROWS];
    static int32_t col[3 * ROWS];
    static double values[3 * ROWS];
    static const double weight[] = {4, 1, -1};
    static const int32_t step[] = {1, 2, ROWS / 3};
    int32_t *order = rng_order(r, ROWS);
    for (int32_t k = 0; k < 3 * ROWS; k++) {
        row[k] = order[k / 3];
        col[k] = (k / 3 + step[k % 3]) % ROWS;
        values[k] = weight[k % 3];
    }
    free(order);
    fur_coo_view coo = {sizeof coo, ROWS, ROWS, (int64_t)3 * ROWS, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    return a;
}

/* A solve; without a library that makes complete factors that by "direct" is refused. */
static fur_status solve(const fur_csr *a, const char *precond, fur_vector *x,
                        fur_solver_report *report)
{
    fur_context *context = fur_csr_context(a);
    fur_solver_options solver = {.size = sizeof solver,
                                 .method = strcmp(precond, "direct") == 0 ? "direct" : "auto"};
    fur_solve_options options = {.size = sizeof options, .solver = &solver, .precond = precond};
    fur_vector *b = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, ROWS, &b));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    fur_status status = fur_solve(a, b, x, &options, report);
    fur_vector_destroy(b);
    return status;
}

/* Loops over what is asked for. */
START_TEST(choices_have_the_bits_of_the_cpu)
{
    static const char *const preconds[] = {"auto", "ilut", "direct"};
    rng r = rng_stream(7500 + (uint64_t)_i);
    counted c;
    counted_open(&c);
    fur_context *host = context_cpu(NULL, 2);
    fur_csr *near = scattered(host, &r);
    fur_csr *far = NULL;
    fur_vector *x[2] = {NULL, NULL};
    fur_solver_report reports[2] = {FUR_DEFAULT(fur_solver_report), FUR_DEFAULT(fur_solver_report)};
    ck_ok(host, fur_csr_transfer(near, c.context, &far));
    ck_ok(host, fur_vector_create(host, FUR_F64, ROWS, &x[0]));
    ck_ok(c.context, fur_vector_create(c.context, FUR_F64, ROWS, &x[1]));
    fur_status status = solve(near, preconds[_i], x[0], &reports[0]);
    ck_assert_int_eq(solve(far, preconds[_i], x[1], &reports[1]), status);
    ck_assert(status == FUR_OK || (status == FUR_UNSUPPORTED && _i == 2));
    if (status == FUR_OK) {
        void *found = vector_entries(x[1]);
        ck_assert_int_eq(reports[0].outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(reports[1].iterations, reports[0].iterations);
        ck_assert_int_lt(first_difference(FUR_F64, ROWS, found, fur_vector_const_data(x[0])), 0);
        free(found);
    }
    fur_vector_destroy(x[1]);
    fur_vector_destroy(x[0]);
    fur_csr_destroy(far);
    fur_csr_destroy(near);
    fur_context_destroy(host);
    counted_close(&c);
}
END_TEST

/* Loops over matrices. */
START_TEST(every_way_takes_the_iterations_of_the_cpu)
{
    rng r = rng_stream(7550 + (uint64_t)_i);
    counted c;
    counted_open(&c);
    fur_context *host = context_cpu(NULL, 2);
    fur_csr *near = grid_make(host, &r, FUR_F64, _i);
    fur_csr *far = NULL;
    int64_t iterations;
    ck_ok(host, fur_csr_transfer(near, c.context, &far));
    void *b = entries_random(&r, FUR_F64, fur_csr_get(near)->rows);
    void *x = doors_compare(near, b, NULL, &iterations);
    doors_compare(far, b, x, &iterations);
    free(x);
    free(b);
    fur_csr_destroy(far);
    fur_csr_destroy(near);
    fur_context_destroy(host);
    counted_close(&c);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, choices_have_the_bits_of_the_cpu, 0, 3);
    tcase_add_loop_test(tests, every_way_takes_the_iterations_of_the_cpu, 0, GRID_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_choose", add_tests);
}
