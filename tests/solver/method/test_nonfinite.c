/* Systems whose numbers overflow, underflow or are nonfinite: every solve ends, by every method and
 * for every value type. */
#include "dense.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#define MAX_CPU_SECONDS 60 /* limit of one test, because a solve that never ends is a failure */

static void limit_time(void)
{
    struct rlimit limit = {MAX_CPU_SECONDS, MAX_CPU_SECONDS};
    ck_assert_int_eq(setrlimit(RLIMIT_CPU, &limit), 0);
}

/* Returns a random power of ten within the range of the type. */
static double draw_scale(rng *r, fur_value_type value)
{
    int most = value_epsilon(value) == DBL_EPSILON ? 300 : 36;
    return pow(10, (double)(rng_below(r, 2 * most + 1) - most));
}

/* Draws entries that all have one scale, or one scale for each row or for each entry, or a diagonal
 * matrix. b has a scale for each entry. */
static void draw_nonfinite(dense *d, rng *r)
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
    double largest;
    options.adjoint = p.adjoint;
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    ck_assert_msg(report.iterations <= options.max_iterations, "%s: %lld iterations, %s",
                  options.method, (long long)report.iterations, fur_outcome_name(report.outcome));
    ck_ok(context, fur_norm_max(p.x, &largest));
    ck_assert_msg(isfinite(largest), "%s: x is not finite, %s", options.method,
                  fur_outcome_name(report.outcome));
    fur_solver_destroy(solver);
    dense_close(&p);
    fur_context_destroy(context);
}

/* Every solve ends in time with a finite x. Loops over value types. */
START_TEST(every_solve_ends)
{
    limit_time();
    rng r = rng_stream(1);
    const fur_method_info *info;
    for (int trial = 0; trial < (TEST_SLOW ? 30 : 300); trial++) {
        dense d = dense_make((fur_value_type)_i, 1 + rng_below(&r, 4));
        draw_nonfinite(&d, &r);
        for (int m = 0; (info = method_at(m)); m++)
            check_end(&d, (fur_solver_options){.size = sizeof(fur_solver_options),
                                               .method = info->name,
                                               .max_iterations = 1 + rng_below(&r, 60),
                                               .restart = (int)rng_below(&r, 3)});
        dense_release(&d);
    }
}
END_TEST

/* Checks that a nonfinite guess is refused by a single solve, by a block of two whose second guess
 * is nonfinite, and by auto. */
static void check_refusal(const dense_problem *p, const char *method)
{
    static const char *const sentences[] = {
        "entry 2 of the initial guess, counting from 1, is not finite; nothing was "
        "solved",
        "column 2, counting from 1: entry 2 of the initial guess, counting from 1, is not finite; "
        "nothing was solved"};
    fur_value_type value = fur_vector_value_type(p->x);
    fur_solver *solver = NULL;
    fur_vectors *b = NULL;
    fur_vectors *x = NULL;
    void *entries = entries_make(value, 4);
    fur_solver_options options = {
        .size = sizeof options, .method = method, .adjoint = p->adjoint, .no_reduction = 1};
    fur_solve_options whole = {.size = sizeof whole, .solver = &options, .precond = "none"};
    ck_ok(p->context, fur_solver_create(p->a, &options, &solver));
    ck_fails(p->context, FUR_INVALID, sentences[0], fur_solver_solve(solver, p->b, p->x, NULL));
    options.adjoint = NULL;
    ck_assert_int_eq(fur_solve(p->matrix, p->b, p->x, &whole, NULL), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(p->context), " of the initial guess, "));
    entry_set(value, entries, 0, fur_real(1));
    entry_set(value, entries, 2, fur_real(1));
    ck_ok(p->context, fur_vectors_create(p->context, value, 2, 2, FUR_LAYOUT_COLUMNS, &b));
    ck_ok(p->context, fur_vectors_create(p->context, value, 2, 2, FUR_LAYOUT_COLUMNS, &x));
    ck_ok(p->context, fur_vectors_upload(entries, b));
    entry_set(value, entries, 3, fur_real(-INFINITY));
    ck_ok(p->context, fur_vectors_upload(entries, x));
    ck_assert_int_eq(fur_solver_solve_block(solver, b, x, NULL), FUR_INVALID);
    /* A method that solves single columns does not name the column. */
    ck_assert(strstr(sentences[1], fur_context_error(p->context)));
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    fur_solver_destroy(solver);
    free(entries);
}

/* A nonfinite guess is refused even if b - A x does not show it, because its column has no entries.
 * Loops over value types. */
START_TEST(a_guess_that_is_not_finite_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    dense d = dense_make((fur_value_type)_i, 2);
    const fur_method_info *info;
    dense_set(&d, 0, 0, fur_real(2));
    d.b[0] = fur_real(1);
    dense_problem p = dense_open(&d, context);
    for (int m = 0; (info = method_at(m)); m++) {
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        entry_set(d.value, fur_vector_data(p.x), 1, fur_real(m % 2 ? NAN : INFINITY));
        check_refusal(&p, info->name);
    }
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* --- scales ----------------------------------------------------------------------------------- */

/* A system and a preconditioner, and the exponents of the powers of two that scale them. */
typedef struct scaled {
    const dense *d;
    const dense *m; /* NULL: none */
    const char *method;
    int of_a;
    int of_b;
    int of_m;
} scaled;

static dense dense_scaled(const dense *d, int of_a, int of_b)
{
    dense out = dense_make(d->value, d->n);
    for (int64_t k = 0; k < d->n * d->n; k++)
        dense_set(&out, k / d->n, k % d->n,
                  fur_complex(ldexp(d->a[k].re, of_a), ldexp(d->a[k].im, of_a)));
    for (int64_t i = 0; i < d->n; i++)
        out.b[i] =
            entry_round(d->value, fur_complex(ldexp(d->b[i].re, of_b), ldexp(d->b[i].im, of_b)));
    return out;
}

/* Solves the scaled system from x = 0; the caller frees x. */
static fur_solver_report solve_scaled(const scaled *s, void **x)
{
    fur_context *context = context_make(NULL, 1);
    dense far = dense_scaled(s->d, s->of_a, s->of_b);
    dense far_m = dense_scaled(s->m ? s->m : s->d, s->of_m, 0);
    dense_problem p = dense_open(&far, context);
    dense_problem q = dense_open(&far_m, context);
    bool single = value_epsilon(s->d->value) != DBL_EPSILON;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver_options options = {.size = sizeof options,
                                  .method = s->method,
                                  .adjoint = p.adjoint,
                                  .preconditioner = s->m ? q.a : NULL,
                                  .rtol = single ? 1e-3 : 1e-8};
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    *x = vector_entries(p.x);
    fur_solver_destroy(solver);
    dense_close(&q);
    dense_close(&p);
    dense_release(&far_m);
    dense_release(&far);
    fur_context_destroy(context);
    return report;
}

/* Checks that the scaled solve has the same outcome, iterations and bits of x except for the scale.
 */
static void check_scale(const scaled *s, const fur_solver_report *near, const void *near_x)
{
    fur_value_type value = s->d->value;
    void *x;
    void *expected = entries_make(value, s->d->n);
    int of_x = s->of_b - s->of_a;
    fur_solver_report far = solve_scaled(s, &x);
    for (int64_t i = 0; i < s->d->n; i++) {
        fur_scalar e = entry_get(value, near_x, i);
        entry_set(value, expected, i, fur_complex(ldexp(e.re, of_x), ldexp(e.im, of_x)));
    }
    bool same = first_difference(value, s->d->n, x, expected) < 0;
    ck_assert_msg(
        same && far.outcome == near->outcome && far.iterations == near->iterations,
        "%s %s, A 2^%d, b 2^%d, M 2^%d: %s after %lld, residual %g, %s x; near: %s after %lld",
        s->method, fur_value_name(value), s->of_a, s->of_b, s->of_m, fur_outcome_name(far.outcome),
        (long long)far.iterations, far.residual, same ? "the same" : "another",
        fur_outcome_name(near->outcome), (long long)near->iterations);
    free(expected);
    free(x);
}

/* Checks scales of A, b and M for which x and the smallest residual are in range. They are even
 * powers of two, because minres and chebyshev take square roots of products with M. */
static void check_scales(const dense *d, const dense *m, const char *method)
{
    static const int wide[] = {-990, -800, -500, -200, 0, 200, 500, 800, 990};
    static const int narrow[] = {-90, -76, -60, -20, 0, 20, 60, 76, 90};
    bool single = value_epsilon(d->value) != DBL_EPSILON;
    const int *exponents = single ? narrow : wide;
    int most = single ? 90 : 950;
    void *x;
    fur_solver_report near = solve_scaled(&(scaled){d, m, method, 0, 0, 0}, &x);
    ck_assert_int_eq(near.outcome, FUR_OUTCOME_CONVERGED);
    for (int i = 0; i < COUNT_OF(wide); i++)
        for (int j = 0; j < COUNT_OF(wide); j++) {
            int of_a = exponents[i];
            int of_b = exponents[j];
            if (abs(of_b - of_a) >= most || of_b <= -most)
                continue;
            check_scale(&(scaled){d, m, method, of_a, of_b, 0}, &near, x);
            if (m)
                check_scale(&(scaled){d, m, method, of_a, of_b, -of_a}, &near, x);
        }
    free(x);
}

/* A scale of A, b or M changes no bit except for the scale of x. Loops over value types. */
START_TEST(the_scales_of_a_and_b_do_not_matter)
{
    rng r = rng_stream(2);
    const fur_method_info *info;
    dense d = dense_dominant(&r, (fur_value_type)_i, 30, true, true);
    dense m = dense_dominant(&r, (fur_value_type)_i, 30, true, true);
    for (int k = 0; (info = method_at(k)); k++) {
        check_scales(&d, NULL, info->name);
        check_scales(&d, &m, info->name);
    }
    dense_release(&m);
    dense_release(&d);
}
END_TEST

/* Number of systems with a subnormal right-hand side. */
#define SUBNORMAL 20

/* A system with a subnormal b is solved as far as its few bits allow. Some solves need a second
 * pass. */
START_TEST(a_subnormal_right_hand_side_is_solved)
{
    fur_value_type value = (fur_value_type)_i;
    bool single = value_epsilon(value) != DBL_EPSILON;
    int of_b = single ? -134 : -1035;
    rng r = rng_stream(3);
    const fur_method_info *info;
    for (int system = 0; system < SUBNORMAL; system++) {
        dense d = dense_dominant(&r, value, 30, true, true);
        for (int k = 0; (info = method_at(k)); k++) {
            void *x;
            fur_solver_report report =
                solve_scaled(&(scaled){&d, NULL, info->name, single ? -60 : -200, of_b, 0}, &x);
            ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s: %s, residual %g",
                          info->name, fur_outcome_name(report.outcome), report.residual);
            free(x);
        }
        dense_release(&d);
    }
}
END_TEST

/* A row with subnormal entries has a scaled residual, although its scale has no reciprocal. Loops
 * over value types. */
START_TEST(a_subnormal_row_has_a_scale)
{
    fur_value_type value = (fur_value_type)_i;
    double tiny = value_epsilon(value) != DBL_EPSILON ? 0x1p-140 : 0x1p-1060;
    dense d = dense_make(value, 2);
    void *x;
    dense_set(&d, 0, 0, fur_real(1));
    dense_set(&d, 1, 1, fur_real(tiny));
    d.b[0] = fur_real(1);
    d.b[1] = fur_real(tiny);
    fur_solver_report report = solve_scaled(&(scaled){&d, NULL, "cg", 0, 0, 0}, &x);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_double_ge(report.residual_scaled, 0);
    ck_assert_double_le(report.residual_scaled, 1);
    free(x);
    dense_release(&d);
}
END_TEST

/* A method that restarts from the true residual solves a system with a tiny tolerance. With the
 * recurrence residual, this residual and p.Ap would underflow. Loops over value types. */
START_TEST(an_underflow_is_no_proof)
{
    fur_value_type value = (fur_value_type)_i;
    bool single = value_epsilon(value) != DBL_EPSILON;
    const fur_method_info *info;
    dense d = dense_make(value, 1);
    dense_set(&d, 0, 0, fur_real(8.3658939304312205e-07));
    d.b[0] = fur_real(single ? -2.77e-30 : -2.7759788126073414e-181);
    fur_context *context = context_make(NULL, 1);
    dense_problem p = dense_open(&d, context);
    for (int k = 0; (info = method_at(k)); k++) {
        fur_solver *solver = NULL;
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        fur_solver_options options = {
            .size = sizeof options, .method = info->name, .adjoint = p.adjoint, .rtol = 2e-4};
        ck_ok(context, fur_vector_fill(p.x, fur_real(0.60563583870752835)));
        ck_ok(context, fur_solver_create(p.a, &options, &solver));
        ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
        ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s: %s, residual %g", info->name,
                      fur_outcome_name(report.outcome), report.residual);
        fur_solver_destroy(solver);
    }
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* Least-squares solves of systems with extreme scales neither overflow nor underflow. */
START_TEST(least_squares_neither_overflow_nor_underflow)
{
    static const char *const names[] = {"lsqr", "lsmr", "cgnr"};
    dense d = dense_make(FUR_F64, 2);
    double *x;
    for (int k = 0; k < COUNT_OF(names); k++) {
        dense_set(&d, 0, 0, fur_real(1e-250));
        dense_set(&d, 1, 1, fur_real(1e-247));
        d.b[0] = d.b[1] = fur_real(1e-90);
        scaled s = {&d, NULL, names[k], 0, 0, 0};
        fur_solver_report report = solve_scaled(&s, (void **)&x);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_double_le(fabs(x[0] / 1e160 - 1) + fabs(x[1] / 1e157 - 1), 1e-4);
        free(x);
        dense_set(&d, 0, 0, fur_real(1e-25));
        dense_set(&d, 0, 1, fur_real(1e-292));
        dense_set(&d, 1, 0, fur_real(1e-292));
        dense_set(&d, 1, 1, fur_real(1e-169));
        d.b[0] = fur_real(1e-42);
        d.b[1] = fur_real(1e294); /* x overflows */
        report = solve_scaled(&s, (void **)&x);
        ck_assert(report.outcome != FUR_OUTCOME_CONVERGED);
        ck_assert(report.outcome != FUR_OUTCOME_LEAST_SQUARES || isfinite(x[0] + x[1]));
        dense_set(&d, 0, 1, fur_real(0));
        dense_set(&d, 1, 0, fur_real(0));
        free(x);
    }
    dense_release(&d);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, every_solve_ends, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, the_scales_of_a_and_b_do_not_matter, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_subnormal_right_hand_side_is_solved, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_subnormal_row_has_a_scale, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, an_underflow_is_no_proof, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, least_squares_neither_overflow_nor_underflow);
    tcase_add_loop_test(tests, a_guess_that_is_not_finite_is_refused, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("nonfinite", add_tests);
}
