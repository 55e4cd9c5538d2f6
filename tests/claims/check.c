/* Checks the claims of a solve against quantities in quadruple precision.
 *
 * The library computes b - A x in the value type. It may differ from the true residual by
 *
 *     |fl(b - A x) - (b - A x)| <= u (m + 2) (|A||x| + |b|)  for m terms, u half the epsilon,
 *
 * four times that for complex numbers, and by some tiny numbers if products underflow. */
#include "check.h"

#include "check_claims.h"

#include <stdlib.h>
#include <string.h>

/* A normwise backward error of at most this many epsilon is working precision. */
#define WORKING_PRECISION 8

static real epsilon_of(const trial *t)
{
    return is_single(t->value) ? (real)FLT_EPSILON : (real)DBL_EPSILON;
}

/* Returns u (m + 2) for m terms, and four times this for complex numbers. */
static real rounding_of(const trial *t, int terms)
{
    return epsilon_of(t) / 2 * (is_complex(t->value) ? 4 : 1) * (real)(terms + 2);
}

static void take_residual(const trial *t, const double *b, const double *x, residual *out)
{
    real tiny = is_single(t->value) ? (real)FLT_MIN : (real)DBL_MIN;
    real squares = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        out->r[i] = entry_number(t->value, b, i);
        out->off[i] = modulus(out->r[i]);
    }
    for (int64_t k = 0; k < t->count; k++) {
        term e = t->terms[k];
        number a = {(real)e.re, (real)e.im};
        number xj = entry_number(t->value, x, e.col);
        out->r[e.row] = subtract(out->r[e.row], multiply(a, xj));
        out->off[e.row] += modulus(a) * modulus(xj);
    }
    for (int64_t i = 0; i < t->rows; i++) {
        out->off[i] = rounding_of(t, t->most) * out->off[i] + t->most * tiny;
        squares += out->off[i] * out->off[i];
    }
    out->norm = norm_of(out->r, (int)t->rows);
    out->rounding = square_root(squares);
}

/* Returns ||A||_F. The terms of a row are adjacent. Several terms of a stencil may share a
 * position. |sum|^2 is then the sum of Re(conj(own) sum) over these terms. */
static real norm_of_terms(const trial *t)
{
    real squares = 0;
    for (int64_t k = 0; k < t->count; k++) {
        number sum = {0, 0};
        number own = {(real)t->terms[k].re, (real)t->terms[k].im};
        int64_t reach = t->stencil ? MAX_POINTS : 0;
        int64_t end = k + reach < t->count ? k + reach + 1 : t->count;
        for (int64_t n = k > reach ? k - reach : 0; n < end; n++)
            if (t->terms[n].row == t->terms[k].row && t->terms[n].col == t->terms[k].col)
                sum = add(sum, (number){(real)t->terms[n].re, (real)t->terms[n].im});
        squares += own.re * sum.re + own.im * sum.im;
    }
    return square_root(squares);
}

static void take_truth(const trial *t, truth *out)
{
    static double b[2 * MAX_ROWS];
    static double x[2 * MAX_ROWS];
    must(t, fur_vector_download(t->b, b));
    must(t, fur_vector_download(t->x, x));
    take_residual(t, b, x, &out->last);
    take_residual(t, b, t->guess, &out->first);
    out->b = out->x = out->step = 0;
    for (int64_t i = 0; i < t->rows; i++)
        out->b += square(entry_number(t->value, b, i));
    for (int64_t i = 0; i < t->cols; i++) {
        number xi = entry_number(t->value, x, i);
        out->x += square(xi);
        out->step += square(subtract(xi, entry_number(t->value, t->guess, i)));
    }
    out->a = norm_of_terms(t);
    out->b = square_root(out->b);
    out->x = square_root(out->x);
    out->step = square_root(out->step);
    out->epsilon = epsilon_of(t);
    out->target = larger((real)t->rtol * out->b, (real)t->atol);
}

bool is_dense(const trial *t)
{
    return t->rows <= MAX_DENSE && t->cols <= MAX_DENSE && !t->stencil;
}

exact matrix_of(const trial *t)
{
    exact a = exact_make((int)t->rows, (int)t->cols);
    for (int64_t k = 0; k < t->count; k++) {
        number *entry = &a.at[t->terms[k].row * t->cols + t->terms[k].col];
        *entry = add(*entry, (number){(real)t->terms[k].re, (real)t->terms[k].im});
    }
    return a;
}

/* Returns M, computed column by column. */
static exact preconditioner_of(const trial *t)
{
    static double column[2 * MAX_DENSE];
    int n = (int)t->rows;
    exact m = exact_make(n, n);
    fur_vector *e = NULL;
    fur_vector *z = NULL;
    must(t, fur_vector_create(t->context, t->value, n, &e));
    must(t, fur_vector_create(t->context, t->value, n, &z));
    for (int j = 0; j < n; j++) {
        memset(column, 0, sizeof column);
        set_entry(t->value, column, j, 1, 0);
        must(t, fur_vector_upload(column, e));
        must(t, fur_operator_apply(t->m, e, z));
        must(t, fur_vector_download(z, column));
        for (int i = 0; i < n; i++)
            m.at[i * n + j] = entry_number(t->value, column, i);
    }
    fur_vector_destroy(e);
    fur_vector_destroy(z);
    return m;
}

/* --- residuals -------------------------------------------------------------------------------- */

static bool is_success(fur_outcome outcome)
{
    return fur_outcome_solved(outcome) || outcome == FUR_OUTCOME_LEAST_SQUARES;
}

/* Checks the reported residual, which is divided by ||b||. The quotient may overflow. A ||b|| near
 * underflow is rounded to a multiple of the least double. */
static void check_residual(const trial *t, const truth *is)
{
    real unit = is->b > 0 ? is->b : 1;
    real said = (real)t->report.residual * unit;
    real slack = NORM_SLACK * is->last.norm + is->last.rounding +
                 is->last.norm * ((real)DBL_TRUE_MIN / unit);
    bool overflows = is->last.norm / unit > (real)DBL_MAX * (1 - NORM_SLACK);
    if (is_success(t->report.outcome) && !is_finite(is->x))
        fail(t, "a success with an x that is not finite", is->x, 0);
    if (is_success(t->report.outcome) && !is_finite(said) && !overflows)
        fail(t, "a success without a residual", said, 0);
    if (is_finite(said) && is_finite(is->last.norm) && !(magnitude(said - is->last.norm) <= slack))
        fail(t, "the residual reported is not that of x", said, is->last.norm);
}

bool is_scaled(const trial *t)
{
    return t->report.scale && strcmp(t->report.scale, "none") != 0;
}

static void check_converged(const trial *t, const truth *is)
{
    real said = (real)t->report.residual * (is->b > 0 ? is->b : 1);
    if (t->report.outcome == FUR_OUTCOME_CONVERGED) {
        if (!(is->last.norm <= is->target * (1 + NORM_SLACK) + is->last.rounding))
            fail(t, "converged above the tolerance", is->last.norm, is->target);
        if (!(said <= is->target * (1 + NORM_SLACK)))
            fail(t, "converged above the tolerance, as reported", said, is->target);
    } else if (!is_scaled(t) && !(t->report.outside > 0) && t->damp == 0 && is->b > 0 &&
               t->report.residual <= t->rtol * (1 - 1e-13)) {
        fail(t, "not converged below the tolerance", said, is->target);
    }
}

static void check_working_precision(const trial *t, const truth *is)
{
    real limit = WORKING_PRECISION * is->epsilon * (is->a * is->x + is->b);
    if (!(is->last.norm <= limit * (1 + NORM_SLACK) + is->last.rounding))
        fail(t, "working precision with a larger backward error", is->last.norm, limit);
}

/* Checks that x is no worse than the initial guess. A damped solve minimises `after`^2. Two
 * exceptions: the residual of cg may rise, and the residual of multigrid cycles may rise and
 * overflow. */
static void check_guess(const trial *t, const truth *is)
{
    real damped = (real)t->damp * is->step;
    real after = square_root(is->last.norm * is->last.norm + damped * damped);
    real slack = NORM_SLACK * is->first.norm + is->first.rounding + is->last.rounding;
    if (is->b == 0 || !is_finite(is->first.norm) || fur_outcome_solved(t->report.outcome) ||
        strstr(t->solve, "multigrid") == t->solve)
        return;
    if (!is_finite(is->x))
        fail(t, t->automatic ? "auto leaves an x that is not finite" : "x is not finite", is->x, 0);
    if (strstr(t->solve, "cg") == t->solve && !t->least_squares)
        return;
    if (!(after <= is->first.norm + slack))
        fail(t,
             t->automatic       ? "auto leaves an x worse than the guess"
             : t->least_squares ? "least squares leave an x worse than the guess"
                                : "x is worse than the guess",
             after, is->first.norm);
}

/* --- least squares ---------------------------------------------------------------------------- */

/* Returns ||A^H r - damp^2 (x - guess)||. Stores a bound of the errors from this computation and
 * from the rounding of x. */
static real gradient_of(const trial *t, const truth *is, real *rounding)
{
    static number g[MAX_ROWS];
    static real off[MAX_ROWS];
    static double x[2 * MAX_ROWS];
    real squares = 0;
    real by = (real)t->damp * (real)t->damp;
    must(t, fur_vector_download(t->x, x));
    for (int64_t j = 0; j < t->cols; j++) {
        g[j] =
            times(by, subtract(entry_number(t->value, t->guess, j), entry_number(t->value, x, j)));
        off[j] = is->epsilon * (4 * modulus(g[j]) + by * modulus(entry_number(t->value, x, j)));
    }
    for (int64_t k = 0; k < t->count; k++) {
        term e = t->terms[k];
        number a = {(real)e.re, -(real)e.im};
        g[e.col] = add(g[e.col], multiply(a, is->last.r[e.row]));
        off[e.col] += modulus(a) * (is->last.off[e.row] +
                                    rounding_of(t, (int)t->rows) * modulus(is->last.r[e.row]));
    }
    for (int64_t j = 0; j < t->cols; j++)
        squares += off[j] * off[j];
    *rounding = square_root(squares);
    return norm_of(g, (int)t->cols);
}

/* Returns the norm of the part of b outside of the range of A. Singular vectors that are
 * numerically null do not belong to the range. */
static real least_residual(const trial *t, const truth *is)
{
    static number b[MAX_ROWS];
    static double entries[2 * MAX_ROWS];
    real values[MAX_DENSE];
    exact a = matrix_of(t);
    int most = (int)(t->rows > t->cols ? t->rows : t->cols);
    exact_values(&a, values);
    must(t, fur_vector_download(t->b, entries));
    for (int i = 0; i < a.rows; i++)
        b[i] = entry_number(t->value, entries, i);
    for (int j = 0; j < a.cols; j++) {
        number part = {0, 0};
        if (!(values[j] > SINGULAR_SLACK * most * is->epsilon * values[0]))
            continue;
        for (int i = 0; i < a.rows; i++)
            part = add(part, multiply(conjugate(a.at[i * a.cols + j]), b[i]));
        part = times(1 / (values[j] * values[j]), part);
        for (int i = 0; i < a.rows; i++)
            b[i] = subtract(b[i], multiply(part, a.at[i * a.cols + j]));
    }
    real norm = norm_of(b, a.rows);
    exact_release(&a);
    return norm;
}

static void check_least_squares(const trial *t, const truth *is)
{
    real rounding;
    real gradient = gradient_of(t, is, &rounding);
    real whole = larger(is->last.norm, (real)t->damp * is->step);
    real allowed = 10 * (real)t->rtol * is->a * whole;
    if (t->report.outside > 0) /* the part of b in the range is solved to the tolerance */
        allowed = larger(allowed, is->a * is->target);
    if (!(gradient <= allowed * (1 + NORM_SLACK) + rounding))
        fail(t, "least squares with a large gradient", gradient, allowed);
    if (t->damp > 0 || !is_dense(t) || t->cols > MAX_VALUES || t->rows > t->cols)
        return; /* for a tall A, only the gradient is checked */
    real least = least_residual(t, is);
    if (least <= is->target && least < is->last.norm / 2)
        fail(t,
             t->rows == t->cols ? "least squares, but the square system has a solution"
                                : "least squares, but there is a solution",
             is->last.norm, is->target);
}

/* --- claims about A and M --------------------------------------------------------------------- */

static bool is_singular(const exact *a, real epsilon)
{
    real limit = SINGULAR_SLACK * a->rows * epsilon * exact_norm(a);
    return !(exact_least(a) > limit);
}

static void check_singular(const trial *t, const truth *is)
{
    exact a = matrix_of(t);
    bool singular = is_singular(&a, is->epsilon);
    if (t->m && !singular) {
        exact m = preconditioner_of(t);
        exact product = exact_product(&m, &a);
        singular = is_singular(&m, is->epsilon) || is_singular(&product, is->epsilon);
        exact_release(&product);
        exact_release(&m);
    }
    if (!singular)
        fail(t, "singular, but it is not", exact_least(&a), is->a);
    exact_release(&a);
}

/* Returns whether the Hermitian part of A is certainly positive definite. */
static bool is_positive(const exact *a, real epsilon)
{
    exact l;
    real shift = SINGULAR_SLACK * a->rows * epsilon * exact_norm(a);
    bool positive = exact_cholesky(a, -shift, &l);
    exact_release(&l);
    return positive;
}

bool is_hermitian(const exact *a, real epsilon)
{
    int n = a->rows;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            number difference = subtract(a->at[i * n + j], conjugate(a->at[j * n + i]));
            real size = modulus(a->at[i * n + i]) * modulus(a->at[j * n + j]);
            real limit = larger(modulus(a->at[i * n + j]), square_root(size));
            if (!(modulus(difference) <= epsilon * limit))
                return false;
        }
    return true;
}

static void check_indefinite(const trial *t, const truth *is)
{
    exact a = matrix_of(t);
    if (is_positive(&a, is->epsilon))
        fail(t, "indefinite, but it is positive definite", 0, 0);
    exact_release(&a);
}

static void check_indefinite_preconditioner(const trial *t, const truth *is)
{
    if (t->automatic)
        return;
    if (!t->m)
        fail(t, "indefinite preconditioner, but there is none", 0, 0);
    exact m = preconditioner_of(t);
    if (is_positive(&m, is->epsilon))
        fail(t, "indefinite preconditioner, but it is positive definite", 0, 0);
    exact_release(&m);
}

/* Rounding makes the factors, and therefore M, slightly asymmetric, so the limit for M is
 * larger. */
static void check_asymmetric(const trial *t, const truth *is)
{
    exact a = matrix_of(t);
    bool symmetric = is_hermitian(&a, 16 * is->epsilon) && !t->automatic;
    if (symmetric && t->m) {
        exact m = preconditioner_of(t);
        symmetric = is_hermitian(&m, square_root(is->epsilon));
        exact_release(&m);
    }
    if (symmetric)
        fail(t, "not symmetric, but it is", 0, 0);
    exact_release(&a);
}

static void check_outcome(const trial *t, const truth *is)
{
    switch (t->report.outcome) {
    case FUR_OUTCOME_UNSOLVED:
        fail(t, "an outcome is missing", 0, 0);
    case FUR_OUTCOME_LEAST_SQUARES:
        check_least_squares(t, is);
        break;
    case FUR_OUTCOME_WORKING_PRECISION:
        check_working_precision(t, is);
        break;
    case FUR_OUTCOME_SINGULAR:
        if (is_dense(t) && t->rows == t->cols)
            check_singular(t, is);
        break;
    case FUR_OUTCOME_INDEFINITE:
        if (is_dense(t))
            check_indefinite(t, is);
        break;
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
        if (is_dense(t))
            check_indefinite_preconditioner(t, is);
        break;
    case FUR_OUTCOME_ASYMMETRIC:
        if (is_dense(t))
            check_asymmetric(t, is);
        break;
    default:
        break;
    }
}

void check_trial(trial *t)
{
    static truth is;
    shared_tally->cases++;
    if (t->status != FUR_OK) {
        shared_tally->refused++;
        return;
    }
    shared_tally->outcomes[t->report.outcome]++;
    take_truth(t, &is);
    check_residual(t, &is);
    check_converged(t, &is);
    check_outcome(t, &is);
    check_guess(t, &is);
    check_figures(t, &is);
    if (t->max_iterations > 0 && t->report.iterations > t->max_iterations)
        fail(t, "more iterations than allowed", (real)t->report.iterations,
             (real)t->max_iterations);
}
