/* Solves of (2^k A) x = 2^j b by every method for A x = b, with every kind of preconditioner. They
 * must end like the solve of A x = b, after equally many iterations, and with the same bits except
 * for the scale. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NX 9
#define NY 7
#define N (NX * NY)

/* Entries of a matrix that is being assembled. */
typedef struct builder {
    int64_t entries;
    int32_t rows[5 * N];
    int32_t cols[5 * N];
    double values[10 * N];
} builder;

/* A solve. Its matrix is 2^of_a times the matrix of the grid, and b is 2^of_b times a random
 * vector. The guess is 0, or 2^(of_b - of_a) times a random vector. */
typedef struct task {
    fur_value_type value;
    const char *method;
    const char *kind;  /* kind of the preconditioner; NULL: none */
    double shift;      /* added to the diagonal */
    double skew;       /* added to the entries right of the diagonal */
    bool no_reduction; /* as in fur_solver_options */
    bool guess;
    int of_a;
    int of_b;
} task;

#define MAX_SEEN 400

/* The result of a solve. The monitor stores the residuals and the largest moduli of the iterates,
 * divided by the scale of x. */
typedef struct result {
    fur_solver_report report;
    int64_t seen;
    double residuals[MAX_SEEN];
    double iterates[MAX_SEEN]; /* 0: the method has no iterate */
    fur_vector *iterate;
    void *x;
    int of_x;
} result;

static void add(builder *m, fur_value_type value, int64_t row, int64_t col, fur_scalar entry,
                int exponent)
{
    m->rows[m->entries] = (int32_t)row;
    m->cols[m->entries] = (int32_t)col;
    entry_set(value, m->values, m->entries++,
              fur_complex(ldexp(entry.re, exponent), ldexp(entry.im, exponent)));
}

/* Returns the matrix of five points on a grid with jumps of the coefficients. */
static fur_csr *grid(fur_context *context, const task *t)
{
    static builder m;
    fur_csr *a = NULL;
    fur_coo_view coo = {sizeof coo, N, N, 0, t->value, m.rows, m.cols, m.values};
    m.entries = 0;
    for (int64_t i = 0; i < N; i++) {
        int64_t beside[4] = {i % NX > 0 ? i - 1 : -1, i % NX + 1 < NX ? i + 1 : -1, i - NX, i + NX};
        double sum = 0.125 + t->shift;
        for (int k = 0; k < 4; k++) {
            int64_t j = beside[k];
            double c = 1 + (double)((i + j) % 3);
            double by = j > i ? c + t->skew : c;
            double im = value_is_complex(t->value) ? (j > i ? 0.5 : -0.5) * c : 0;
            if (j < 0 || j >= N)
                continue;
            sum += 1.25 * c;
            add(&m, t->value, i, j, fur_complex(-by, im), t->of_a);
        }
        add(&m, t->value, i, i, fur_real(sum), t->of_a);
    }
    coo.entries = m.entries;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    return a;
}

static fur_vector *vector_scaled(fur_context *context, fur_value_type value, uint64_t stream,
                                 int exponent)
{
    rng r = rng_stream(stream);
    fur_vector *x = vector_random(context, &r, value, N);
    ck_ok(context, fur_vector_scale(x, fur_real(scalbn(1, exponent))));
    return x;
}

static int watch(void *user, const fur_solver_progress *progress)
{
    result *r = user;
    double largest = 0;
    ck_assert_int_lt(r->seen, MAX_SEEN);
    if (fur_solver_iterate(progress, r->iterate) == FUR_OK)
        ck_ok(fur_vector_context(r->iterate), fur_norm_max(r->iterate, &largest));
    r->residuals[r->seen] = progress->residual;
    r->iterates[r->seen++] = ldexp(largest, -r->of_x);
    return 0;
}

/* A system, its operators and its preconditioner. */
typedef struct setup {
    fur_context *context;
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_precond *precond;
    fur_operator *m;
    fur_vector *b;
    fur_vector *x;
} setup;

static setup setup_make(fur_context *context, const task *t)
{
    setup s = {.context = context, .a = grid(context, t)};
    fur_precond_options kind = {.size = sizeof kind, .kind = t->kind};
    ck_ok(context, fur_spmv_plan(s.a, NULL, &s.plan));
    ck_ok(context, fur_operator_from_spmv(s.plan, &s.op));
    if (t->kind) {
        ck_ok(context, fur_precond_create(s.a, &kind, &s.precond));
        ck_ok(context, fur_operator_from_precond(s.precond, &s.m));
    }
    s.b = vector_scaled(context, t->value, 1, t->of_b);
    s.x = vector_scaled(context, t->value, 2, t->of_b - t->of_a);
    if (!t->guess)
        ck_ok(context, fur_vector_fill(s.x, fur_real(0)));
    return s;
}

static void setup_release(setup *s)
{
    fur_vector_destroy(s->x);
    fur_vector_destroy(s->b);
    fur_operator_destroy(s->m);
    fur_precond_destroy(s->precond);
    fur_operator_destroy(s->op);
    fur_spmv_destroy(s->plan);
    fur_csr_destroy(s->a);
}

static bool is_single(fur_value_type value)
{
    return value_epsilon(value) != DBL_EPSILON;
}

static fur_solver *solver_make(const setup *s, const task *t, result *seen)
{
    fur_solver *solver = NULL;
    fur_solver_options options = {.size = sizeof options,
                                  .method = t->method,
                                  .preconditioner = s->m,
                                  .no_reduction = t->no_reduction,
                                  .max_iterations = 300,
                                  .monitor = seen ? watch : NULL,
                                  .monitor_user = seen,
                                  .rtol = is_single(t->value) ? 1e-4 : 1e-9};
    ck_ok(s->context, fur_solver_create(s->op, &options, &solver));
    return solver;
}

/* Solves and stores the result; the caller frees r->x. */
static void solve(const task *t, result *r)
{
    fur_context *context = context_make(NULL, 1);
    setup s = setup_make(context, t);
    fur_solver *solver = solver_make(&s, t, r);
    *r = (result){.report = FUR_DEFAULT(fur_solver_report), .of_x = t->of_b - t->of_a};
    ck_ok(context, fur_vector_create(context, t->value, N, &r->iterate));
    ck_ok(context, fur_solver_solve(solver, s.b, s.x, &r->report));
    r->x = vector_entries(s.x);
    fur_vector_destroy(r->iterate);
    fur_solver_destroy(solver);
    setup_release(&s);
    fur_context_destroy(context);
}

static bool same_bits(const task *t, const result *near, const result *far)
{
    void *expected = entries_make(t->value, N);
    for (int64_t i = 0; i < N; i++) {
        fur_scalar e = entry_get(t->value, near->x, i);
        entry_set(t->value, expected, i,
                  fur_complex(ldexp(e.re, far->of_x), ldexp(e.im, far->of_x)));
    }
    bool same = first_difference(t->value, N, far->x, expected) < 0;
    free(expected);
    return same;
}

/* Returns whether the method improves a guess in place at scales near 1. At other scales it
 * computes a correction in a separate pass, and the iterations differ. */
static bool improves_in_place(const task *t)
{
    return t->guess && (strcmp(t->method, "cg") == 0 || strcmp(t->method, "cg_single") == 0);
}

/* Returns whether bits must agree. A failed pass may leave another x, and ilut finds its scales by
 * logarithms. */
static bool keeps_bits(const task *t, const result *near)
{
    return near->report.outcome == FUR_OUTCOME_CONVERGED && !improves_in_place(t) &&
           (!t->kind || strcmp(t->kind, "ilut") != 0);
}

static void check_same(const task *t, const result *near, const result *far)
{
    const fur_solver_report *n = &near->report;
    const fur_solver_report *f = &far->report;
    bool exact = keeps_bits(t, near);
    bool same = same_bits(t, near, far) && n->condition == f->condition &&
                f->products <= n->products + 1 &&
                memcmp(near->residuals, far->residuals, sizeof near->residuals) == 0 &&
                memcmp(near->iterates, far->iterates, sizeof near->iterates) == 0;
    bool alike = n->iterations == f->iterations && near->seen == far->seen;
    ck_assert_msg(n->outcome == f->outcome && (alike || improves_in_place(t)) && (same || !exact),
                  "%s %s %s, guess %d, A 2^%d, b 2^%d: %s after %d, %d products, %s bits; near: %s "
                  "after %d, %d products",
                  t->method, t->kind ? t->kind : "none", fur_value_name(t->value), t->guess,
                  t->of_a, t->of_b, fur_outcome_name(f->outcome), (int)f->iterations,
                  (int)f->products, same ? "the same" : "other", fur_outcome_name(n->outcome),
                  (int)n->iterations, (int)n->products);
}

/* Exponents of scales near overflow and underflow, and on both sides of the bounds between which a
 * solve changes no scale. They are even, because methods take roots of products with M. */
#define SCALES 8
static const int wide[SCALES] = {900, -900, 500, -500, 198, -198, 210, -210};
static const int narrow[SCALES] = {90, -90, 80, -80, 44, -44, 52, -52};

/* Compares the solve at scale 1 with solves at all scales for which x is in range. */
static void check_task(task t)
{
    const int *scales = is_single(t.value) ? narrow : wide;
    result near;
    result far;
    solve(&t, &near);
    FOR_TURNS (k, SCALES * SCALES, SCALES + 1, 1) {
        t.of_a = scales[k / SCALES];
        t.of_b = scales[k % SCALES];
        if (abs(t.of_b - t.of_a) > abs(scales[0]))
            continue;
        solve(&t, &far);
        check_same(&t, &near, &far);
        free(far.x);
    }
    free(near.x);
}

/* Returns whether the preconditioner is unsupported: "grid" for complex values, and "direct"
 * without a library for complete factors. */
static bool is_unsupported(const char *kind, fur_value_type value)
{
    fur_context *context = context_make(NULL, 1);
    const fur_precond_options options = {.size = sizeof options, .kind = kind};
    fur_csr *a = grid(context, &(task){.value = value});
    fur_precond *p = NULL;
    fur_status status = fur_precond_create(a, &options, &p);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return status == FUR_UNSUPPORTED;
}

static bool solves_squares(const fur_method_info *info)
{
    return strncmp(info->name, "ls", 2) != 0 && strcmp(info->name, "cgnr") != 0;
}

/* The scale of A changes no bit except for the scale of x. Loops over value types. */
START_TEST(scales_of_a_do_not_matter)
{
    const fur_method_info *info;
    for (int m = 0; (info = method_at(m)); m++)
        for (int k = -1; solves_squares(info) && (k < 0 || fur_precond_at(k)); k++)
            if (k < 0 || !is_unsupported(fur_precond_at(k)->name, (fur_value_type)_i))
                check_task((task){.value = (fur_value_type)_i,
                                  .method = info->name,
                                  .kind = k < 0 ? NULL : fur_precond_at(k)->name});
}
END_TEST

/* Scales of A with a guess change no bit except for the scale of x. Loops over value types. */
START_TEST(scales_of_a_and_the_guess_do_not_matter)
{
    const fur_method_info *info;
    for (int m = 0; (info = method_at(m)); m++)
        for (int k = 0; solves_squares(info) && k < 2; k++)
            check_task((task){.value = (fur_value_type)_i,
                              .method = info->name,
                              .kind = k ? "jacobi" : NULL,
                              .guess = true,
                              .no_reduction = true});
}
END_TEST

/* Failures do not depend on scales: matrices that are not positive definite or not symmetric. Loops
 * over value types. */
START_TEST(failures_do_not_depend_on_scales)
{
    const fur_method_info *info;
    for (int m = 0; (info = method_at(m)); m++)
        for (int k = 0; solves_squares(info) && k < 6; k++)
            check_task((task){.value = (fur_value_type)_i,
                              .method = info->name,
                              .kind = k % 2 ? "jacobi" : NULL,
                              .no_reduction = k < 4,
                              .shift = k / 2 == 1 ? 0 : -2,
                              .skew = k / 2 == 1 ? 9 : 0});
}
END_TEST

/* After new values of another scale, a solver gives the same result. Loops over the reduced and the
 * unreduced system. */
START_TEST(new_values_may_have_another_scale)
{
    static const int turns[] = {0, 900, -900, 0, 500, 0};
    fur_context *context = context_make(NULL, 1);
    task t = {.value = FUR_F64, .method = "cg", .kind = "jacobi", .no_reduction = _i};
    result near;
    solve(&t, &near);
    setup s = setup_make(context, &t);
    fur_solver *solver = solver_make(&s, &t, NULL);
    for (int i = 0; i < COUNT_OF(turns); i++) {
        result far = {.report = FUR_DEFAULT(fur_solver_report), .of_x = -turns[i]};
        t.of_a = turns[i];
        fur_csr *scaled = grid(context, &t);
        ck_ok(context, fur_csr_set_values(s.a, fur_csr_get(scaled)->values, FUR_OWNERSHIP_COPY));
        ck_ok(context, fur_precond_update(s.precond));
        ck_ok(context, fur_vector_fill(s.x, fur_real(0)));
        ck_ok(context, fur_solver_solve(solver, s.b, s.x, &far.report));
        far.x = fur_vector_data(s.x);
        ck_assert_int_eq(far.report.iterations, near.report.iterations);
        ck_assert(same_bits(&t, &near, &far));
        fur_csr_destroy(scaled);
    }
    fur_solver_destroy(solver);
    setup_release(&s);
    free(near.x);
    fur_context_destroy(context);
}
END_TEST

/* The first solve at a scale allocates memory. If it cannot, it fails and leaks nothing. The second
 * solve allocates nothing. */
START_TEST(the_first_solve_at_a_scale_allocates)
{
    memory m = {.fail_at = 0};
    fur_context *context = context_counting(&m, NULL, 1);
    task t = {.value = FUR_F64, .method = "minres", .kind = "ssor", .of_a = 900, .of_b = 900};
    setup s = setup_make(context, &t);
    fur_solver *solver = solver_make(&s, &t, NULL);
    int64_t calls = m.calls;
    int64_t outstanding = m.outstanding;
    for (int64_t failing = 1;; failing++) {
        m.fail_at = m.calls + failing;
        fur_status status = fur_solver_solve(solver, s.b, s.x, NULL);
        m.fail_at = 0;
        if (status == FUR_OK)
            break;
        ck_assert_int_eq(status, FUR_OUT_OF_MEMORY);
        ck_assert_int_eq(m.outstanding, outstanding);
    }
    ck_assert_int_gt(m.calls, calls);
    calls = m.calls;
    ck_ok(context, fur_solver_solve(solver, s.b, s.x, NULL));
    ck_assert_int_eq(m.calls, calls);
    fur_solver_destroy(solver);
    setup_release(&s);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* A solve that begins with its solution gives bounds at any scale. Loops over the reduced and the
 * unreduced system. */
START_TEST(bounds_of_an_exact_guess_at_a_scale)
{
    fur_context *context = context_make(NULL, 1);
    task t = {.value = FUR_F64, .method = "cg", .kind = "ssor", .of_a = 900, .of_b = 900};
    t.no_reduction = _i;
    t.kind = _i ? t.kind : NULL;
    setup s = setup_make(context, &t);
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver_options options = {.size = sizeof options,
                                  .method = "cg",
                                  .preconditioner = s.m,
                                  .no_reduction = t.no_reduction,
                                  .bounds = 1};
    ck_ok(context, fur_solver_create(s.op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, s.b, s.x, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    fur_solver_destroy(solver);
    ck_ok(context, fur_solver_create(s.op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, s.b, s.x, &report));
    ck_assert_int_eq(report.iterations, 0);
    ck_assert_double_le(report.residual_bound, 1.1e-10);
    ck_assert_double_gt(report.error_a_norm, 0);
    fur_solver_destroy(solver);
    setup_release(&s);
    fur_context_destroy(context);
}
END_TEST

/* Each column has the bits and the report of a solve with this column alone, with and without a
 * guess, and for a column of zeros. Loops over scales of A. */
START_TEST(columns_are_scaled_as_alone)
{
    static const int scales[] = {900, -900, 0};
    enum { COLUMNS = 4 };
    fur_context *context = context_make(NULL, 1);
    task t = {.value = FUR_F64, .method = "cg", .of_a = scales[_i]};
    setup s = setup_make(context, &t);
    fur_solver *solver = solver_make(&s, &t, NULL);
    fur_solver_report reports[COLUMNS];
    fur_vectors *b = NULL;
    fur_vectors *x = NULL;
    double *entries[2] = {entries_make(t.value, COLUMNS * N), entries_make(t.value, COLUMNS * N)};
    double *found = entries_make(t.value, COLUMNS * N);
    for (int j = 0; j < COLUMNS; j++) {
        int of_b = t.of_a * (3 - j) / 3;
        fur_vector *column = vector_scaled(context, t.value, 5 + (uint64_t)j, of_b);
        for (int64_t i = 0; i < N && j != 3; i++) {
            entries[0][j * N + i] = ((double *)fur_vector_data(column))[i];
            entries[1][j * N + i] = j == 1 ? ldexp(1, of_b - t.of_a) : 0;
        }
        fur_vector_destroy(column);
        reports[j] = FUR_DEFAULT(fur_solver_report);
    }
    ck_ok(context, fur_vectors_create(context, t.value, N, COLUMNS, FUR_LAYOUT_COLUMNS, &b));
    ck_ok(context, fur_vectors_create(context, t.value, N, COLUMNS, FUR_LAYOUT_COLUMNS, &x));
    ck_ok(context, fur_vectors_upload(entries[0], b));
    ck_ok(context, fur_vectors_upload(entries[1], x));
    ck_ok(context, fur_solver_solve_block(solver, b, x, reports));
    ck_ok(context, fur_vectors_download(x, found));
    for (int j = 0; j < COLUMNS; j++) {
        fur_solver_report alone = FUR_DEFAULT(fur_solver_report);
        fur_vector *of_b = vector_from(context, t.value, N, entries[0] + j * N);
        fur_vector *of_x = vector_from(context, t.value, N, entries[1] + j * N);
        ck_ok(context, fur_solver_solve(solver, of_b, of_x, &alone));
        ck_assert_int_eq(alone.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(reports[j].outcome, alone.outcome);
        ck_assert_int_eq(reports[j].iterations, alone.iterations);
        ck_assert_int_eq(reports[j].products, alone.products);
        ck_assert(first_difference(t.value, N, found + j * N, fur_vector_data(of_x)) < 0);
        fur_vector_destroy(of_x);
        fur_vector_destroy(of_b);
    }
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    free(found);
    free(entries[1]);
    free(entries[0]);
    fur_solver_destroy(solver);
    setup_release(&s);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, scales_of_a_do_not_matter, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, scales_of_a_and_the_guess_do_not_matter, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, failures_do_not_depend_on_scales, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, new_values_may_have_another_scale, 0, 2);
    tcase_add_test(tests, the_first_solve_at_a_scale_allocates);
    tcase_add_loop_test(tests, bounds_of_an_exact_guess_at_a_scale, 0, 2);
    tcase_add_loop_test(tests, columns_are_scaled_as_alone, 0, 3);
}

int main(void)
{
    return run_tests("solver_scales", add_tests);
}
