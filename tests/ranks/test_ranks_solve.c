/* Products and solves on 1 to 8 ranks have the bits of one context for any bounds. */
#include "ranks_support.h"

#include <math.h>
#include <string.h>

static const char *const methods[] = {"cg",         "cg_single", "chebyshev", "fgmres",
                                      "minres",     "bicgstab",  "gmres",     "idrs",
                                      "richardson", "lsqr",      "lsmr",      "cgnr"};
#define LEAST_SQUARES 3 /* number of least-squares methods, which are last in the list */

/* Checks that solves on 1 to 8 ranks have the bits of one context. */
static void compare_solves(rng *r, const fur_csr *a, int method, bool jacobi)
{
    const fur_csr_view *view = fur_csr_get(a);
    fur_value_type value = view->value_type;
    int64_t rows = view->rows;
    size_t bytes = (size_t)view->cols * fur_value_size(value);
    void *b = entries_random(r, value, rows);
    solve_job alone = {.a = a, .method = methods[method], .jacobi = jacobi, .b = b};
    alone.x = entries_make(value, view->cols);
    solve_alone(&alone);
    for (int ranks = 1; ranks <= RANKS_MAX; ranks += TEST_SLOW && ranks > 2 ? 2 : 1) {
        int64_t bounds[RANKS_MAX + 1];
        fur_ranks_options options = {.size = sizeof options,
                                     .threads = 1 + (ranks + (int)rows + method) % 2};
        solve_job job = alone;
        bounds_random(r, (ranks + method) % BOUND_KINDS, ranks, rows, bounds);
        job.bounds = ranks == 5 ? NULL : bounds;
        job.x = entries_make(value, view->cols);
        fur_status status = fur_ranks_run(ranks, &options, solve_on_ranks, &job);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        ck_assert_int_eq(job.report.outcome, alone.report.outcome);
        ck_assert_int_eq(job.report.iterations, alone.report.iterations);
        ck_assert_int_eq(job.report.reduced, alone.report.reduced);
        ck_assert(memcmp(&job.report.residual, &alone.report.residual, sizeof(double)) == 0);
        ck_assert_msg(memcmp(job.x, alone.x, bytes) == 0, "%s on %d ranks", methods[method], ranks);
        free(job.x);
    }
    free(alone.x);
    free(b);
}

START_TEST(solves)
{
    static const int64_t sizes[] = {1, 40, 2048, 4999};
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream((uint64_t)_i);
    for (int s = 0; s < COUNT_OF(sizes) - TEST_SLOW; s++) {
        fur_csr *a =
            matrix_definite(context, &r, (fur_value_type)((_i + s) % FUR_VALUE_COUNT), sizes[s]);
        compare_solves(&r, a, _i, true);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* Least-squares solves have the bits of one context for matrices of every shape. Most are not
 * square, so x and b have different bounds. */
START_TEST(least_squares)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(100 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    fur_csr *a = matrix_random(context, &r, &shapes[_i], value, FUR_I32);
    compare_solves(&r, a, COUNT_OF(methods) - 1 - _i % LEAST_SQUARES, false);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* All ranks refuse a guess with a NaN. The NaN is in the last column, which has no entry. A rank
 * without that column may be the first to report it. */
START_TEST(a_guess_that_is_not_finite_is_refused)
{
    enum { N = 40 };
    int32_t offsets[N + 1];
    int32_t columns[N];
    double values[N];
    double b[N] = {1};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    for (int i = 0; i <= N; i++)
        offsets[i] = i < N ? i : N - 1;
    for (int i = 0; i < N; i++) {
        columns[i] = i;
        values[i] = 2;
    }
    fur_csr_view view = {sizeof view, N, N, N - 1, FUR_F64, FUR_I32, offsets, columns, values};
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    for (int ranks = 1; ranks <= 4; ranks++) {
        double x[N] = {[N - 1] = NAN};
        solve_job job = {.a = a, .method = "minres", .b = b, .x = x};
        ck_assert_int_eq(fur_ranks_run(ranks, NULL, solve_on_ranks, &job), FUR_INVALID);
        ck_assert_ptr_nonnull(strstr(fur_context_error(NULL), " of the initial guess"));
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A product op(A) x of any shape. */
typedef struct product {
    const fur_csr *a;
    fur_op op;
    const int64_t *bounds;
    const void *x;
    void *y;
} product;

/* Makes the matrix op(A) of all ranks. */
static fur_status make_matrix(fur_ranks *group, const product *p, fur_ranks_csr **out)
{
    fur_ranks_csr *a = NULL;
    const fur_csr *whole = fur_ranks_rank(group) == 0 ? p->a : NULL;
    fur_status status = fur_ranks_csr_scatter(group, whole, p->bounds, &a);
    if (status != FUR_OK || p->op == FUR_OP_N) {
        *out = a;
        return status;
    }
    status = fur_ranks_csr_transpose(a, p->op == FUR_OP_H, out);
    fur_ranks_csr_destroy(a);
    return status;
}

static fur_status multiply(fur_ranks *group, void *user)
{
    product *p = user;
    int rank = fur_ranks_rank(group);
    fur_ranks_csr *a = NULL;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    fur_status status = make_matrix(group, p, &a);
    if (status != FUR_OK)
        return status;
    const int64_t *cols = fur_ranks_csr_column_bounds(a);
    const int64_t *rows = fur_ranks_csr_bounds(a);
    fur_value_type value = fur_ranks_csr_describe(a)->value_type;
    char *first = (char *)p->x + (size_t)cols[rank] * fur_value_size(value);
    status = fur_vector_wrap(fur_ranks_csr_domain(a), value, cols[rank + 1] - cols[rank], first,
                             FUR_OWNERSHIP_COPY, &x);
    if (status == FUR_OK)
        status =
            fur_vector_create(fur_ranks_csr_context(a), value, rows[rank + 1] - rows[rank], &y);
    if (status == FUR_OK)
        status = fur_ranks_multiply(a, x, y);
    if (status == FUR_OK)
        status = fur_ranks_gather_vector(a, y, rank == 0 ? p->y : NULL);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_ranks_csr_destroy(a);
    return status;
}

/* Checks that op(A) x on 1 to 8 ranks has the bits of the library's plan. */
static void compare_products(fur_context *context, rng *r, const fur_csr *a, fur_op op, int kind)
{
    const fur_csr_view *view = fur_csr_get(a);
    fur_value_type value = view->value_type;
    int64_t rows = op == FUR_OP_N ? view->rows : view->cols;
    fur_vector *x = vector_random(context, r, value, op == FUR_OP_N ? view->cols : view->rows);
    fur_vector *y = vector_random(context, r, value, rows);
    fur_spmv_options options = {.size = sizeof options, .op = op};
    fur_spmv *plan;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    void *x_entries = vector_entries(x);
    void *y_entries = vector_entries(y);
    for (int ranks = 1; ranks <= RANKS_MAX; ranks += TEST_SLOW && ranks > 2 ? 2 : 1) {
        int64_t bounds[RANKS_MAX + 1];
        void *got = entries_make(value, rows);
        bounds_random(r, (ranks + kind) % BOUND_KINDS, ranks, view->rows, bounds);
        product p = {a, op, bounds, x_entries, got};
        fur_status status = fur_ranks_run(ranks, NULL, multiply, &p);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        ck_assert_msg(first_difference(value, rows, got, y_entries) < 0, "%s, op %d on %d ranks",
                      shapes[kind].name, (int)op, ranks);
        free(got);
    }
    free(x_entries);
    free(y_entries);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_spmv_destroy(plan);
}

START_TEST(products)
{
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_make(NULL, 1);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    fur_csr *a = matrix_random(context, &r, &shapes[_i], value, FUR_I32);
    FOR_TURNS (op, FUR_OP_H + 1, 3, _i)
        compare_products(context, &r, a, (fur_op)op, _i);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A solve that a monitor of one of three ranks stops. */
typedef struct watched {
    const fur_csr *a;
    int rank;
    int64_t at;
    int64_t iterations[3];
    fur_outcome outcomes[3];
} watched;

static int stop(void *user, const fur_solver_progress *progress)
{
    const watched *w = user;
    return progress->iteration >= w->at;
}

static fur_status solve_watched(fur_ranks *group, void *user)
{
    watched *w = user;
    int rank = fur_ranks_rank(group);
    fur_ranks_csr *a = NULL;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver_options options = {.size = sizeof options, .rtol = 1e-14};
    if (rank == w->rank) {
        options.monitor = stop;
        options.monitor_user = w;
    }
    fur_status status = fur_ranks_csr_scatter(group, rank == 0 ? w->a : NULL, NULL, &a);
    if (status != FUR_OK)
        return status;
    int64_t rows = fur_operator_rows(fur_ranks_csr_operator(a));
    status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, rows, &b);
    if (status == FUR_OK)
        status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, rows, &x);
    if (status == FUR_OK)
        status = fur_vector_fill(b, fur_real(1));
    if (status == FUR_OK)
        status = fur_vector_fill(x, fur_real(0));
    if (status == FUR_OK)
        status = fur_ranks_solve(a, &options, b, x, &report);
    w->iterations[rank] = report.iterations;
    w->outcomes[rank] = report.outcome;
    fur_vector_destroy(b);
    fur_vector_destroy(x);
    fur_ranks_csr_destroy(a);
    return status;
}

/* A monitor of any rank ends the solve of all, after the same iteration. */
START_TEST(a_monitor_of_one_rank_stops_all)
{
    rng r = rng_stream(11);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = matrix_definite(context, &r, FUR_F64, 500);
    watched w = {.a = a, .rank = _i, .at = 3};
    fur_status status = fur_ranks_run(3, NULL, solve_watched, &w);
    ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
    for (int rank = 0; rank < 3; rank++) {
        ck_assert_int_eq(w.outcomes[rank], FUR_OUTCOME_STOPPED);
        ck_assert_int_eq(w.iterations[rank], w.at);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A vector that rank 0 scatters to all ranks and gathers again. */
typedef struct parcel {
    const int64_t *bounds;
    const void *from;
    void *to;
} parcel;

static fur_status send_and_return(fur_ranks *group, void *user)
{
    const parcel *p = user;
    int rank = fur_ranks_rank(group);
    int64_t own = p->bounds[rank + 1] - p->bounds[rank];
    fur_context *context = NULL;
    fur_vector *x = NULL;
    fur_status status = fur_context_create(NULL, &context);
    if (status == FUR_OK)
        status = fur_vector_create(context, FUR_C128, own, &x);
    if (status == FUR_OK)
        status = fur_ranks_scatter(group, p->bounds, rank == 0 ? p->from : NULL, x);
    if (status == FUR_OK)
        status = fur_ranks_gather(group, p->bounds, x, rank == 0 ? p->to : NULL);
    fur_vector_destroy(x);
    fur_context_destroy(context);
    return status;
}

START_TEST(a_vector_goes_to_the_ranks_and_back)
{
    enum { ROWS = 300 };
    rng r = rng_stream((uint64_t)_i);
    int64_t bounds[RANKS_MAX + 1];
    int ranks = 1 + _i;
    bounds_random(&r, _i % BOUND_KINDS, ranks, ROWS, bounds);
    void *from = entries_random(&r, FUR_C128, ROWS);
    void *to = entries_make(FUR_C128, ROWS);
    parcel p = {bounds, from, to};
    fur_status status = fur_ranks_run(ranks, NULL, send_and_return, &p);
    ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
    ck_assert_mem_eq(from, to, ROWS * fur_value_size(FUR_C128));
    free(from);
    free(to);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, a_monitor_of_one_rank_stops_all, 0, 3);
    tcase_add_loop_test(tests, a_vector_goes_to_the_ranks_and_back, 0, RANKS_MAX);
    tcase_add_test(tests, a_guess_that_is_not_finite_is_refused);
    tcase_add_loop_test(tests, solves, 0, COUNT_OF(methods));
    tcase_add_turns(tests, least_squares, shape_count, 3);
    tcase_add_turns(tests, products, shape_count, 3);
}

int main(void)
{
    return run_tests("ranks_solve", add);
}
