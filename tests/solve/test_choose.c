/* The analysis of a matrix, the method chosen from it, and the next method after a failure. Also:
 * solves by auto. Their residuals are computed again here, and the bits are the same on every
 * device. */
#include "support.h"

#include <math.h>
#include <string.h>

#define MAX 8000

/* A small matrix, stored as a list of entries. */
typedef struct draft {
    int64_t rows;
    int64_t cols;
    fur_value_type value;
    int64_t entries;
    int32_t row[MAX];
    int32_t col[MAX];
    double values[2 * MAX];
} draft;

static void put(draft *d, int64_t row, int64_t col, fur_scalar entry)
{
    d->row[d->entries] = (int32_t)row;
    d->col[d->entries] = (int32_t)col;
    entry_set(d->value, d->values, d->entries++, entry);
}

static fur_csr *make(fur_context *context, const draft *d)
{
    fur_coo_view coo = {sizeof coo, d->rows, d->cols, d->entries,
                        d->value,   d->row,  d->col,  d->values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    return a;
}

static fur_csr_traits examine(const fur_csr *a)
{
    fur_csr_traits t = FUR_DEFAULT(fur_csr_traits);
    ck_ok(fur_csr_context(a), fur_csr_examine(a, &t));
    return t;
}

/* Returns a tridiagonal matrix with `diagonal` on the diagonal, and `left` and `right` next to it.
 */
static draft line(int64_t n, double diagonal, double left, double right)
{
    draft d = {.rows = n, .cols = n, .value = FUR_F64};
    for (int64_t i = 0; i < n; i++) {
        put(&d, i, i, fur_real(diagonal));
        if (i > 0)
            put(&d, i, i - 1, fur_real(left));
        if (i + 1 < n)
            put(&d, i, i + 1, fur_real(right));
    }
    return d;
}

static fur_csr_traits traits_of(fur_context *context, const draft *d)
{
    fur_csr *a = make(context, d);
    fur_csr_traits t = examine(a);
    fur_csr_destroy(a);
    return t;
}

/* Checks the first choice for a matrix. */
static void expect(const fur_csr_traits *t, const char *method, const char *precond,
                   const char *reason)
{
    fur_choice choice = FUR_DEFAULT(fur_choice);
    ck_ok(NULL, fur_choose(t, NULL, FUR_OUTCOME_UNSOLVED, &choice));
    ck_assert_str_eq(choice.method, method);
    ck_assert_str_eq(choice.precond, precond);
    ck_assert_msg(strstr(choice.reason, reason), "%s", choice.reason);
}

START_TEST(definite_matrices_get_cg)
{
    fur_context *context = context_make(NULL, 1);
    draft d = line(40, 2, -1, -1);
    fur_csr_traits t = traits_of(context, &d);
    ck_assert_int_eq(t.hermitian, 1);
    ck_assert_int_eq(t.asymmetric_pairs, 0);
    ck_assert_int_eq(t.dominant_rows, 40);
    ck_assert_int_eq(t.diagonal_positive, 40);
    ck_assert_int_eq(t.indefinite_row, -1);
    ck_assert_int_eq(t.blocks, 40);
    expect(&t, "cg", "jacobi", "dominates every row");

    /* The eigenvalues are 1.97 - 2 cos. Some are negative, but no small block shows it. */
    d = line(40, 1.97, -1, -1);
    t = traits_of(context, &d);
    ck_assert_int_eq(t.indefinite_row, -1);
    expect(&t, "cg", "jacobi", "probably positive definite");
    fur_context_destroy(context);
}
END_TEST

START_TEST(rounding_is_no_asymmetry)
{
    fur_context *context = context_make(NULL, 1);
    draft d = line(9, 3, -1, -1 - 0x1p-51);
    fur_csr_traits t = traits_of(context, &d);
    ck_assert_int_eq(t.asymmetric_pairs, 8);
    ck_assert_int_eq(t.hermitian, 1);
    d = line(9, 3, -1, -1 - 0x1p-40);
    t = traits_of(context, &d);
    ck_assert_int_eq(t.hermitian, 0);
    ck_assert(t.asymmetry > 0x1p-43 && t.asymmetry < 0x1p-41);
    fur_context_destroy(context);
}
END_TEST

START_TEST(indefinite_matrices_get_minres)
{
    fur_context *context = context_make(NULL, 1);
    draft d = line(20, -2, 1, 1);
    fur_csr_traits t = traits_of(context, &d);
    ck_assert_int_eq(t.diagonal_negative, 20);
    expect(&t, "minres", "jacobi", "20 of 20 diagonal entries are neg");

    d = line(20, 0.5, 1, 1); /* indefinite block: 1 > 0.5 * 0.5 */
    t = traits_of(context, &d);
    ck_assert_int_eq(t.indefinite_row, 0);
    expect(&t, "minres", "jacobi", "a small submatrix with row 1, counting from 1, is not");

    /* No block of two rows is indefinite, since 1 < 1.2 * 1.2, but a block of three rows is. */
    d = line(20, 1.2, 1, 1);
    t = traits_of(context, &d);
    ck_assert_int_ge(t.indefinite_row, 0);

    d = line(20, 2, -1, -1);
    entry_set(FUR_F64, d.values, 0, fur_real(0));
    t = traits_of(context, &d);
    ck_assert_int_eq(t.diagonal_zero, 1);
    ck_assert_int_eq(t.zero_row, 0);
    expect(&t, "minres", "norms",
           "1 of its diagonal entries are 0, the first in row 1, counting from 1");
    fur_context_destroy(context);
}
END_TEST

START_TEST(hermitian_is_not_symmetric)
{
    fur_context *context = context_make(NULL, 1);
    draft d = {.rows = 2, .cols = 2, .value = FUR_C128};
    put(&d, 0, 0, fur_real(2));
    put(&d, 1, 1, fur_real(2));
    put(&d, 0, 1, fur_complex(0.5, 1));
    put(&d, 1, 0, fur_complex(0.5, -1));
    fur_csr_traits t = traits_of(context, &d);
    ck_assert_int_eq(t.hermitian, 1);
    ck_assert_int_eq(t.indefinite_row, -1);
    entry_set(FUR_C128, d.values, 3, fur_complex(0.5, 1));
    t = traits_of(context, &d);
    ck_assert_int_eq(t.hermitian, 0);
    ck_assert_int_eq(t.asymmetric_pairs, 1);
    ck_assert(t.row == 0 && t.col == 1 && t.entry.im == 1 && t.opposite.im == 1);
    entry_set(FUR_C128, d.values, 3, fur_complex(0.5, -1));
    entry_set(FUR_C128, d.values, 1, fur_complex(2, 0x1p-52)); /* asymmetry of a rounding error */
    t = traits_of(context, &d);
    ck_assert_int_eq(t.hermitian, 1);
    expect(&t, "minres", "jacobi", "1 of 2 diagonal entries are not real");
    fur_context_destroy(context);
}
END_TEST

START_TEST(other_matrices)
{
    fur_context *context = context_make(NULL, 1);
    draft d = line(20, 2, -1.5, -0.5);
    fur_csr_traits t = traits_of(context, &d);
    ck_assert_int_eq(t.asymmetric_pairs, 19);
    expect(&t, "gmres", "jacobi", "not symmetric");
    d = line(1600, 2, -1.5, -0.5);
    t = traits_of(context, &d);
    expect(&t, "bicgstab", "jacobi", "diagonally dominant");
    d = line(1600, 0, -1.5, -0.5);
    t = traits_of(context, &d);
    expect(&t, "idrs", "none", "no Jacobi, because the diagonal is 0 in row 1, counting from 1");
    d.rows++;
    t = traits_of(context, &d);
    expect(&t, "lsmr", "norms", "1601 x 1600: least squares");
    d.cols += 2;
    t = traits_of(context, &d);
    expect(&t, "lsmr", "none", "1601 x 1602: least squares");
    fur_context_destroy(context);
}
END_TEST

START_TEST(nonfinite_entries_are_named)
{
    fur_context *context = context_make(NULL, 1);
    draft d = line(20, 2, -1, -1);
    d.values[7] = NAN;
    fur_csr *a = make(context, &d);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 20, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, 20, &x));
    ck_fails(context, FUR_INVALID,
             "entry (3, 4) of the matrix, counting from 1, is not finite; nothing was solved",
             fur_solve(a, b, x, NULL, NULL));
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Every list of choices ends, whatever the outcomes, and has no choice twice. */
START_TEST(lists_end)
{
    fur_context *context = context_make(NULL, 1);
    const draft drafts[] = {line(20, 2, -1, -1), line(20, -2, -1, -1), line(20, 2, -1.5, -0.5),
                            line(1600, 2, -1.5, -0.5), line(1600, 0, 1, -1)};
    for (int i = 0; i < COUNT_OF(drafts); i++) {
        fur_csr_traits t = traits_of(context, &drafts[i]);
        fur_choice choice = FUR_DEFAULT(fur_choice);
        ck_ok(NULL, fur_choose(&t, NULL, FUR_OUTCOME_UNSOLVED, &choice));
        int count = 0;
        while (choice.method) {
            fur_choice next = FUR_DEFAULT(fur_choice);
            ck_ok(NULL, fur_choose(&t, &choice, FUR_OUTCOME_BREAKDOWN, &next));
            ck_assert_int_eq(choice.last, !next.method);
            ck_assert(!next.method || next.place > choice.place);
            ck_assert(!next.method || strstr(next.reason, "ended as: breakdown"));
            choice = next;
            count++;
        }
        ck_assert_int_le(count, 12);
        ck_ok(NULL, fur_choose(&t, NULL, FUR_OUTCOME_UNSOLVED, &choice));
        ck_ok(NULL, fur_choose(&t, &choice, FUR_OUTCOME_CONVERGED, &choice));
        ck_assert_ptr_null(choice.method);
    }
    fur_context_destroy(context);
}
END_TEST

/* Checks the next choice, and its reason, after an outcome of `choice`. */
static fur_choice expect_next(const fur_csr_traits *t, const fur_choice *choice,
                              fur_outcome outcome, const char *method, const char *precond,
                              const char *reason)
{
    fur_choice next = FUR_DEFAULT(fur_choice);
    ck_ok(NULL, fur_choose(t, choice, outcome, &next));
    ck_assert_ptr_nonnull(next.method);
    ck_assert_str_eq(next.method, method);
    ck_assert_str_eq(next.precond, precond);
    ck_assert_msg(strstr(next.reason, reason), "%s", next.reason);
    return next;
}

START_TEST(trials_lead_to_preconditioners)
{
    fur_context *context = context_make(NULL, 1);
    draft d = line(40, 2, -1, -1);
    fur_csr_traits t = traits_of(context, &d);
    fur_choice choice = FUR_DEFAULT(fur_choice);
    ck_ok(NULL, fur_choose(&t, NULL, FUR_OUTCOME_UNSOLVED, &choice));
    ck_assert_int_eq(choice.trial, 1000);
    choice =
        expect_next(&t, &choice, FUR_OUTCOME_MAX_ITERATIONS, "cg", "ic0",
                    "cg with jacobi had not converged after a trial of at most 1000 iterations");
    expect_next(&t, &choice, FUR_OUTCOME_INDEFINITE, "minres", "jacobi", "ended as: indefinite");
    t.rows = t.cols = t.diagonal_positive = t.dominant_rows = 50000;
    ck_ok(NULL, fur_choose(&t, NULL, FUR_OUTCOME_UNSOLVED, &choice));
    expect_next(&t, &choice, FUR_OUTCOME_MAX_ITERATIONS, "cg", "amg", "trial");

    d = line(1600, 0, -1.5, -0.5);
    t = traits_of(context, &d);
    ck_ok(NULL, fur_choose(&t, NULL, FUR_OUTCOME_UNSOLVED, &choice));
    choice = expect_next(&t, &choice, FUR_OUTCOME_SINGULAR, "gmres", "ilut:fill=10,drop=1e-3",
                         "singular");
    expect_next(&t, &choice, FUR_OUTCOME_STAGNATED, "gmres", "ilut:fill=50,drop=1e-5", "stagnated");
    expect_next(&t, &choice, FUR_OUTCOME_UNSOLVED, "direct", "direct", "");
    fur_context_destroy(context);
}
END_TEST

/* Record of the attempts of a solve. */
typedef struct diary {
    int attempts;
    int begun;
    char methods[16][16];
    char preconds[16][32];
    char reasons[16][256];
    bool made[16];
    fur_outcome outcomes[16];
} diary;

static void watch(void *user, const fur_choice *choice, const fur_solver_report *report)
{
    diary *d = user;
    if (!report) {
        d->begun++;
        return;
    }
    snprintf(d->methods[d->attempts], sizeof d->methods[0], "%s", choice->method);
    snprintf(d->preconds[d->attempts], sizeof d->preconds[0], "%s", choice->precond);
    snprintf(d->reasons[d->attempts], sizeof d->reasons[0], "%s", choice->reason);
    const fur_method_info *kind = fur_precond_find(choice->precond);
    d->made[d->attempts] =
        choice->made && strcmp(fur_precond_describe(choice->made)->kind, kind->name) == 0;
    d->outcomes[d->attempts++] = report->outcome;
}

/* Returns ||b - A x|| / ||b|| for the entries of the draft, in long double. */
static double residual_of(const draft *d, const double *b, const double *x)
{
    long double sum = 0;
    long double norm = 0;
    for (int64_t i = 0; i < d->rows; i++) {
        long double r = b[i];
        for (int64_t k = 0; k < d->entries; k++)
            if (d->row[k] == i)
                r -= (long double)d->values[k] * x[d->col[k]];
        sum += r * r;
        norm += (long double)b[i] * b[i];
    }
    return (double)sqrtl(sum / norm);
}

/* Solves for a random b. Checks that the reported residual is correct and, if `must`, that the
 * solve has converged. */
static diary solve(fur_context *context, rng *r, const draft *d, bool must)
{
    diary told = {.attempts = 0};
    fur_solve_options options = {.size = sizeof options, .watch = watch, .watch_user = &told};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_csr *a = make(context, d);
    fur_vector *b = vector_random(context, r, FUR_F64, d->rows);
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, d->cols, &x));
    ck_ok(context, fur_solve(a, b, x, &options, &report));
    ck_assert_int_eq(told.begun, told.attempts);
    double *right = vector_entries(b);
    double *found = vector_entries(x);
    double residual = residual_of(d, right, found);
    free(found);
    free(right);
    ck_assert_msg(fabs(residual - report.residual) <= 1e-6 * residual + 1e-13, "says %g, is %g",
                  report.residual, residual);
    if (must)
        ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED && residual <= 1e-10, "%s: %s",
                      report.method, fur_outcome_name(report.outcome));
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    return told;
}

START_TEST(solves_choose_by_themselves)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(1);
    draft d = line(300, 2, -1, -1);
    diary told = solve(context, &r, &d, true);
    ck_assert_int_eq(told.attempts, 1);
    ck_assert_str_eq(told.methods[0], "cg");

    d = line(300, 2, -1.5, -0.5);
    solve(context, &r, &d, true);
    d = line(1700, 2.5, -1.5, -0.5);
    solve(context, &r, &d, true);
    d = line(300, -2, 1, 1);
    solve(context, &r, &d, true);
    fur_context_destroy(context);
}
END_TEST

/* auto changes from cg to minres. cg assumes that a matrix with a positive diagonal is definite
 * until it finds a direction of negative curvature. */
START_TEST(solves_change_their_mind)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(2);
    draft d = line(60, 1.97, -1, -1);
    diary told = solve(context, &r, &d, true);
    ck_assert_str_eq(told.methods[0], "cg");
    ck_assert_int_eq(told.outcomes[0], FUR_OUTCOME_INDEFINITE);
    ck_assert_str_eq(told.methods[1], "minres");
    fur_context_destroy(context);
}
END_TEST

/* Returns a ring whose large entries are off the diagonal. Its rows have several scales and a
 * random order. */
static draft scattered(rng *r, int64_t n)
{
    draft d = {.rows = n, .cols = n, .value = FUR_F64};
    int32_t *order = rng_order(r, n);
    for (int64_t i = 0; i < n; i++) {
        double scale = ldexp(1, (int)rng_below(r, 7) - 3);
        put(&d, order[i], (i + 1) % n, fur_real(4 * scale));
        put(&d, order[i], (i + 2) % n, fur_real(scale));
        put(&d, order[i], (i + n / 3) % n, fur_real(-scale));
    }
    free(order);
    return d;
}

/* Factors of a matched and scaled matrix solve a system on which methods without factors fail. */
START_TEST(factors_solve_what_products_cannot)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(4);
    draft d = scattered(&r, 1500);
    diary told = solve(context, &r, &d, true);
    ck_assert_int_ge(told.attempts, 2);
    ck_assert_str_eq(told.methods[0], "idrs");
    ck_assert_ptr_nonnull(strstr(told.preconds[told.attempts - 1], "ilut:fill="));
    ck_assert(told.made[told.attempts - 1] && !told.made[0]);
    fur_context_destroy(context);
}
END_TEST

/* auto skips a preconditioner that cannot be built: the rows of a skew matrix of odd order cannot
 * be matched. The report says so, and auto tries another method. */
START_TEST(what_cannot_be_made_is_passed_over)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(5);
    draft d = line(1601, 0, 1, -1);
    diary told = solve(context, &r, &d, false);
    ck_assert_int_ge(told.attempts, 3);
    ck_assert_str_eq(told.preconds[1], "ilut:fill=10,drop=1e-3");
    ck_assert_int_eq(told.outcomes[1], FUR_OUTCOME_UNSOLVED);
    ck_assert_msg(strstr(told.reasons[2], "drop=1e-3 could not be built: only 1600 of 1601 rows"),
                  "%s", told.reasons[2]);
    fur_context_destroy(context);
}
END_TEST

/* If a kind of preconditioner is named, auto uses only this kind and chooses the method. */
START_TEST(kinds_are_taken_by_name)
{
    fur_context *context = context_make(NULL, 2);
    draft d = line(300, 2, -1, -1);
    fur_csr *a = make(context, &d);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    diary told = {.attempts = 0};
    fur_solve_options options = {
        .size = sizeof options, .precond = "ic0", .watch = watch, .watch_user = &told};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_vector_create(context, FUR_F64, 300, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, 300, &x));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    ck_ok(context, fur_solve(a, b, x, &options, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_le(report.iterations, 2); /* the factors of a line are exact */
    ck_assert(told.attempts == 1 && told.made[0]);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_cannot_work_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    draft d = line(20, 2, -1, -1);
    entry_set(FUR_F64, d.values, 0, fur_real(0));
    fur_csr *a = make(context, &d);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 20, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, 20, &x));
    fur_solve_options options = {.size = sizeof options, .precond = "jacobi"};
    ck_fails(
        context, FUR_INVALID,
        "the diagonal entry of row 1, counting from 1, is 0; Jacobi's preconditioner divides by it",
        fur_solve(a, b, x, &options, NULL));
    options.precond = "abacus";
    ck_fails(context, FUR_UNSUPPORTED,
             "there is no preconditioner \"abacus\"; there are: jacobi, ssor, ic0, ilu0, fsai, "
             "chebyshev, ilu, amg, ilut, bjacobi, spai, schwarz, direct, grid",
             fur_solve(a, b, x, &options, NULL));
    fur_solver_options solver = {.size = sizeof solver, .method = "cg", .restart = 5};
    options = (fur_solve_options){.size = sizeof options, .solver = &solver};
    ck_assert_int_eq(fur_solve(a, b, x, &options, NULL), FUR_INVALID);
    ck_assert_msg(strstr(fur_context_error(context), "cg has no restart; use one of: "), "%s",
                  fur_context_error(context));
    solver = (fur_solver_options){.size = sizeof solver, .method = "cg", .damp = 1};
    ck_assert_int_eq(fur_solve(a, b, x, &options, NULL), FUR_INVALID);
    ck_assert_msg(strstr(fur_context_error(context), "cg has no damping; use one of: "), "%s",
                  fur_context_error(context));
    solver = (fur_solver_options){.size = sizeof solver, .max_iterations = -1};
    ck_fails(context, FUR_INVALID, "max_iterations is -1; it must be 0 (default) or more",
             fur_solve(a, b, x, &options, NULL));
    solver = (fur_solver_options){.size = sizeof solver, .restart = -1};
    ck_fails(context, FUR_INVALID, "restart is -1; it must be 0 (default) or more",
             fur_solve(a, b, x, &options, NULL));
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

#define RING 1500

/* Returns a ring with large entries off the diagonal and rows in random order, which only factors
 * can solve. */
static fur_csr *ring(fur_context *context, rng *r)
{
    static int32_t row[3 * RING];
    static int32_t col[3 * RING];
    static double values[3 * RING];
    static const double weight[] = {4, 1, -1};
    static const int32_t step[] = {1, 2, RING / 3};
    int32_t *order = rng_order(r, RING);
    for (int32_t k = 0; k < 3 * RING; k++) {
        row[k] = order[k / 3];
        col[k] = (k / 3 + step[k % 3]) % RING;
        values[k] = weight[k % 3];
    }
    free(order);
    fur_coo_view coo = {sizeof coo, RING, RING, (int64_t)3 * RING, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    return a;
}

/* Solves for b of ones. "direct" is unsupported if no library for complete factors is found. */
static fur_status solve_ring(const fur_csr *a, const char *precond, fur_vector *x,
                             fur_solver_report *report)
{
    fur_context *context = fur_csr_context(a);
    fur_solver_options solver = {.size = sizeof solver,
                                 .method = strcmp(precond, "direct") == 0 ? "direct" : "auto"};
    fur_solve_options options = {.size = sizeof options, .solver = &solver, .precond = precond};
    fur_vector *b = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, RING, &b));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    fur_status status = fur_solve(a, b, x, &options, report);
    fur_vector_destroy(b);
    return status;
}

/* Solves have the bits and iterations of one CPU thread on every device. The preconditioner is
 * chosen after a trial, named, or a complete factorisation. Loops over these. */
START_TEST(choices_have_the_same_bits_everywhere)
{
    static const char *const preconds[] = {"auto", "ilut", "direct"};
    rng r = rng_stream(7500 + (uint64_t)_i);
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    fur_context *host = context_cpu("portable", 1);
    fur_csr *near = ring(host, &r);
    fur_csr *far = matrix_in(context, near);
    fur_vector *x[2] = {NULL, NULL};
    fur_solver_report reports[2] = {FUR_DEFAULT(fur_solver_report), FUR_DEFAULT(fur_solver_report)};
    ck_ok(host, fur_vector_create(host, FUR_F64, RING, &x[0]));
    ck_ok(context, fur_vector_create(context, FUR_F64, RING, &x[1]));
    fur_status status = solve_ring(near, preconds[_i], x[0], &reports[0]);
    ck_assert_int_eq(solve_ring(far, preconds[_i], x[1], &reports[1]), status);
    ck_assert(status == FUR_OK || (status == FUR_UNSUPPORTED && _i == 2));
    if (status == FUR_OK) {
        ck_assert_int_eq(reports[0].outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(reports[1].iterations, reports[0].iterations);
        ck_same_bits(x[1], x[0]);
    }
    fur_vector_destroy(x[1]);
    fur_vector_destroy(x[0]);
    fur_csr_destroy(far);
    fur_csr_destroy(near);
    fur_context_destroy(host);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Solves with the n-th allocation failing; auto then skips the preconditioner. Returns whether
 * there were fewer than n allocations. */
static bool survives(memory *m, fur_context *context, const fur_csr *a, const fur_product *product,
                     int64_t n)
{
    fur_solve_options options = {.size = sizeof options, .product = product};
    fur_csr_view view = *fur_csr_get(a);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, view.rows, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, view.cols, &x));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    int64_t outstanding = m->outstanding;
    m->fail_at = m->calls + n;
    fur_status status = fur_solve(a, b, x, &options, NULL);
    bool fewer = m->calls < m->fail_at;
    m->fail_at = 0;
    ck_assert_int_eq(m->outstanding, outstanding);
    ck_assert_msg(status == FUR_OK || status == FUR_OUT_OF_MEMORY, "%s",
                  fur_context_error(context));
    ck_assert(!fewer || status == FUR_OK);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    return fewer;
}

START_TEST(every_failing_allocation_is_survived)
{
    memory m = {.calls = 0};
    fur_context *context = context_counting(&m, NULL, 1);
    draft drafts[] = {line(9, 2, -1, -1), line(9, -2, 1, 1), line(9, 2, -1.5, -0.5),
                      line(9, 2, -1.5, -0.5), line(9, 0, 1, -1)};
    /* The fourth is a least-squares problem. The last is singular and needs many attempts. */
    drafts[3].rows++;
    for (int i = 0; i < COUNT_OF(drafts); i++) {
        fur_product_options rows = {.size = sizeof rows, .kernel = "rows"};
        fur_csr *a = make(context, &drafts[i]);
        fur_product *product = NULL;
        ck_ok(context, fur_product_create(a, &rows, &product));
        int64_t n = 1;
        while (!survives(&m, context, a, product, n))
            n++;
        ck_assert_int_gt(n, 12);
        fur_product_destroy(product);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* With a product in another order, b and x are in this order, too. Square and least-squares systems
 * are solved. */
START_TEST(products_in_another_order)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(3);
    draft d = line(50, 3, -1.5, -0.5);
    int32_t *order = rng_order(&r, 50);
    for (int64_t k = 0; k < d.entries; k++) {
        d.row[k] = order[d.row[k]];
        d.col[k] = order[d.col[k]];
    }
    free(order);
    fur_product_options rcm = {.size = sizeof rcm, .order = "rcm"};
    fur_csr *a = make(context, &d);
    fur_vector *b = vector_random(context, &r, FUR_F64, 50);
    fur_product *product = NULL;
    ck_ok(context, fur_product_create(a, &rcm, &product));
    ck_assert_ptr_nonnull(fur_product_order(product));
    for (int least_squares = 0; least_squares < 2; least_squares++) {
        fur_solver_options solver = {.size = sizeof solver,
                                     .method = least_squares ? "lsmr" : "auto"};
        fur_solve_options options = {.size = sizeof options, .product = product, .solver = &solver};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        fur_vector *moved[2] = {NULL, NULL};
        fur_vector *x = NULL;
        ck_ok(context, fur_vector_create(context, FUR_F64, 50, &x));
        for (int i = 0; i < 2; i++)
            ck_ok(context, fur_vector_create(context, FUR_F64, 50, &moved[i]));
        ck_ok(context, fur_vector_permute(fur_product_order(product), b, moved[0]));
        ck_ok(context, fur_solve(a, moved[0], moved[1], &options, &report));
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_ok(context, fur_vector_unpermute(fur_product_order(product), moved[1], x));
        double *right = vector_entries(b);
        double *found = vector_entries(x);
        ck_assert_double_le(residual_of(&d, right, found), 1.1e-10);
        free(found);
        free(right);
        for (int i = 0; i < 2; i++)
            fur_vector_destroy(moved[i]);
        fur_vector_destroy(x);
    }
    fur_product_destroy(product);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, choices_have_the_same_bits_everywhere, 0, 3);
    if (on_gpu())
        return;
    tcase_add_test(tests, definite_matrices_get_cg);
    tcase_add_test(tests, rounding_is_no_asymmetry);
    tcase_add_test(tests, indefinite_matrices_get_minres);
    tcase_add_test(tests, hermitian_is_not_symmetric);
    tcase_add_test(tests, other_matrices);
    tcase_add_test(tests, nonfinite_entries_are_named);
    tcase_add_test(tests, lists_end);
    tcase_add_test(tests, trials_lead_to_preconditioners);
    tcase_add_test(tests, solves_choose_by_themselves);
    tcase_add_test(tests, solves_change_their_mind);
    tcase_add_test(tests, factors_solve_what_products_cannot);
    tcase_add_test(tests, what_cannot_be_made_is_passed_over);
    tcase_add_test(tests, kinds_are_taken_by_name);
    tcase_add_test(tests, what_cannot_work_is_refused);
    tcase_add_test(tests, products_in_another_order);
    tcase_add_test(tests, every_failing_allocation_is_survived);
}

int main(void)
{
    return run_tests("choose", add_tests);
}
