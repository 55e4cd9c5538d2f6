/* Systems whose numbers overflow, underflow or are not finite: every solve ends, by every method
 * and for every value type. */
#include "dense.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#define MOST_CPU_SECONDS 60 /* of one test: a solve that never ends is a failure */

static void limit_time(void)
{
    struct rlimit limit = {MOST_CPU_SECONDS, MOST_CPU_SECONDS};
    ck_assert_int_eq(setrlimit(RLIMIT_CPU, &limit), 0);
}

/* A power of ten of the type's range. */
static double draw_scale(rng *r, fur_value_type value)
{
    int most = value_epsilon(value) == DBL_EPSILON ? 300 : 36;
    return pow(10, (double)(rng_below(r, 2 * most + 1) - most));
}

/* Entries of one kind: all of one scale, each row of one, or each entry of one. */
static void draw_wild(dense *d, rng *r)
{
    int64_t kind = rng_below(r, 4);
    double scale = draw_scale(r, d->value);
    for (int64_t k = 0; k < d->n * d->n; k++) {
        bool own = kind == 2 || kind == 3 || (kind == 1 && k % d->n == 0);
        scale = own ? draw_scale(r, d->value) : scale;
        bool zero = kind == 3 && k / d->n != k % d->n;
        fur_scalar e = rng_scalar(r, d->value);
        dense_set(d, k / d->n, k % d->n,
                  fur_complex(zero ? 0 : scale * e.re, zero ? 0 : scale * e.im));
    }
    for (int64_t i = 0; i < d->n; i++) {
        double by = draw_scale(r, d->value);
        fur_scalar e = rng_scalar(r, d->value);
        d->b[i] = entry_round(d->value, fur_complex(by * e.re, by * e.im));
    }
}

static void check_end(const dense *d, fur_solver_options options)
{
    fur_context *context = context_make(NULL, 1);
    dense_problem p = dense_open(d, context);
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    options.adjoint = p.adjoint;
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    ck_assert_msg(report.iterations <= options.max_iterations, "%s: %lld iterations, %s",
                  options.method, (long long)report.iterations, fur_outcome_name(report.outcome));
    fur_solver_destroy(solver);
    dense_close(&p);
    fur_context_destroy(context);
}

/* Loops over value types. */
START_TEST(every_solve_ends)
{
    limit_time();
    rng r = rng_stream(1);
    const fur_method_info *info;
    for (int trial = 0; trial < (TEST_SLOW ? 30 : 300); trial++) {
        dense d = dense_make((fur_value_type)_i, 1 + rng_below(&r, 4));
        draw_wild(&d, &r);
        for (int m = 0; (info = fur_solver_method_at(m)); m++)
            check_end(&d, (fur_solver_options){.size = sizeof(fur_solver_options),
                                               .method = info->name,
                                               .max_iterations = 1 + rng_below(&r, 60),
                                               .restart = (int)rng_below(&r, 3)});
        dense_release(&d);
    }
}
END_TEST

/* The solves that take a guess: one, a block of two with the second guess wild, and auto. */
static void check_refusal(const dense_problem *p, const char *method)
{
    static const char *const sentences[] = {
        "entry 2 of the initial guess is not a finite number; nothing was solved",
        "column 1: entry 2 of the initial guess is not a finite number; nothing was solved"};
    fur_value_type value = fur_vector_value_type(p->x);
    fur_solver *solver = NULL;
    fur_vectors *b = NULL;
    fur_vectors *x = NULL;
    void *entries = entries_make(value, 4);
    fur_solver_options options = {
        .size = sizeof options, .method = method, .adjoint = p->adjoint, .whole = 1};
    fur_auto_options whole = {.size = sizeof whole, .solver = &options, .precond = "none"};
    ck_ok(p->context, fur_solver_create(p->a, &options, &solver));
    ck_fails(p->context, FUR_INVALID, sentences[0], fur_solver_solve(solver, p->b, p->x, NULL));
    options.adjoint = NULL;
    ck_fails(p->context, FUR_INVALID, sentences[0],
             fur_solve_auto(p->matrix, p->b, p->x, &whole, NULL));
    entry_set(value, entries, 0, fur_real(1));
    entry_set(value, entries, 2, fur_real(1));
    ck_ok(p->context, fur_vectors_create(p->context, value, 2, 2, FUR_LAYOUT_COLUMNS, &b));
    ck_ok(p->context, fur_vectors_create(p->context, value, 2, 2, FUR_LAYOUT_COLUMNS, &x));
    ck_ok(p->context, fur_vectors_upload(entries, b));
    entry_set(value, entries, 3, fur_real(-INFINITY));
    ck_ok(p->context, fur_vectors_upload(entries, x));
    ck_assert_int_eq(fur_solver_solve_block(solver, b, x, NULL), FUR_INVALID);
    ck_assert(strstr(sentences[1], fur_context_error(p->context))); /* single columns: unnamed */
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    fur_solver_destroy(solver);
    free(entries);
}

/* Loops over value types: b - A x does not show an entry of x in a column without entries. */
START_TEST(a_guess_that_is_not_finite_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    dense d = dense_make((fur_value_type)_i, 2);
    const fur_method_info *info;
    dense_set(&d, 0, 0, fur_real(2));
    d.b[0] = fur_real(1);
    dense_problem p = dense_open(&d, context);
    for (int m = 0; (info = fur_solver_method_at(m)); m++) {
        entry_set(d.value, fur_vector_data(p.x), 1, fur_real(m % 2 ? NAN : INFINITY));
        check_refusal(&p, info->name);
    }
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, every_solve_ends, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_guess_that_is_not_finite_is_refused, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("wild", add_tests);
}
