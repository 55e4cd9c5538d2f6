/* Checks the numbers of a report except the residual. */
#include "check.h"

#include <string.h>

static void check_bound(const trial *t, const truth *is)
{
    real bound = (real)t->report.residual_bound * (is->b > 0 ? is->b : 1);
    real little = is->last.rounding * (real)0x1p-40;
    real lost = is->last.rounding * (2 * (real)REAL_EPSILON / is->epsilon); /* of the exact norm */
    if (isnan(t->report.residual_bound) || !is_finite(is->last.norm))
        return;
    if (!(bound >= is->last.norm * (1 - (real)1e-15) - lost))
        fail(t, "residual_bound is below the residual", bound, is->last.norm);
    if (!(bound <= is->last.norm * (1 + (real)1e-12) + little + is->last.rounding * (real)0x1p-10))
        fail(t, "residual_bound is far above the residual", bound, is->last.norm);
}

/* The reported backward error uses a lower estimate of ||A||, so it is not below the true one. It
 * may underflow. */
static void check_backward_error(const trial *t, const truth *is)
{
    real size = is->a * is->x + is->b;
    real least = (is->last.norm * (1 - NORM_SLACK) - is->last.rounding) / size;
    if (!is_scaled(t) && !(t->report.outside > 0) && !isnan(t->report.backward_error) &&
        is_finite(least) &&
        !((real)t->report.backward_error + (real)DBL_TRUE_MIN >= least * (1 - NORM_SLACK)))
        fail(t, "backward_error is below that of x", (real)t->report.backward_error, least);
}

/* Stores the power of two that scales the largest |re| + |im| of a row to [1, 2), or 1 for an empty
 * row. */
static void find_row_scales(const trial *t, real *scales)
{
    static double largest[MAX_ROWS];
    memset(largest, 0, sizeof largest);
    for (int64_t k = 0; k < t->count; k++) {
        term e = t->terms[k];
        largest[e.row] = fmax(largest[e.row], fabs(e.re) + fabs(e.im));
    }
    for (int64_t i = 0; i < t->rows; i++)
        scales[i] = (real)(largest[i] > 0 ? ldexpl(1, -ilogb(largest[i])) : 1);
}

/* Checks that residual_scaled is ||R (b - A x)|| / ||R b|| up to rounding. R has other scales if
 * auto has scaled A. */
static void check_scaled(const trial *t, const truth *is)
{
    static real scales[MAX_ROWS];
    static double b[2 * MAX_ROWS];
    real tiny = is_single(t->value) ? (real)FLT_MIN : (real)DBL_MIN; /* R may lose this much */
    real sums[4] = {0, 0, 0, 0};
    real said = (real)t->report.residual_scaled;
    find_row_scales(t, scales);
    must(t, fur_vector_download(t->b, b));
    for (int64_t i = 0; i < t->rows; i++) {
        real by = scales[i] * scales[i];
        real off = is->last.off[i] + tiny * is->last.norm;
        sums[0] += by * square(is->last.r[i]);
        sums[1] += by * off * off;
        sums[2] += by * square(entry_number(t->value, b, i));
        sums[3] += by * tiny * is->b * tiny * is->b;
    }
    real whole = sums[2] > 0 ? square_root(sums[2]) : 1;
    real truly = square_root(sums[0]) / whole;
    real slack = (NORM_SLACK + square_root(sums[3]) / whole) * truly + square_root(sums[1]) / whole;
    if (is_scaled(t) && t->report.outcome == FUR_OUTCOME_CONVERGED && said > (real)t->rtol &&
        t->atol == 0)
        fail(t, "converged with a large scaled residual", said, (real)t->rtol);
    if (!is_scaled(t) && is_finite(said) && !(magnitude(said - truly) <= slack))
        fail(t, "residual_scaled is not that of x", said, truly);
}

/* Returns whether the report has correct values of the spectrum. Methods with Lanczos' coefficients
 * have them only for a Hermitian A (furrow/solver.h). */
static bool knows_spectrum(const trial *t)
{
    static const char *const lanczos[] = {"cg", "cg_single", "minres", "chebyshev"};
    bool suits = !t->m && !t->automatic && t->damp == 0 && !t->report.reduced;
    for (size_t i = 0; suits && i < sizeof lanczos / sizeof *lanczos; i++)
        if (strcmp(t->report.method, lanczos[i]) == 0) {
            exact a = matrix_of(t);
            suits = is_hermitian(&a, 0);
            exact_release(&a);
        }
    return suits;
}

static void check_norm(const trial *t, const truth *is)
{
    if (knows_spectrum(t) &&
        !((real)t->report.norm <= is->a * (1 + SINGULAR_SLACK * (real)t->most * is->epsilon)))
        fail(t, "norm is above that of A", (real)t->report.norm, is->a);
}

/* Rounding moves the eigenvalues of the Lanczos method by about epsilon ||A||. */
static void check_condition(const trial *t, const truth *is)
{
    real values[MAX_DENSE];
    if (t->cols > MAX_VALUES || !(t->report.condition > 1) || !knows_spectrum(t))
        return;
    exact a = matrix_of(t);
    exact_values(&a, values);
    exact_release(&a);
    int rank = (int)(t->rows < t->cols ? t->rows : t->cols);
    real limit = SINGULAR_SLACK * rank * is->epsilon;
    if (!(values[rank - 1] > limit * values[0]))
        return;
    real condition = values[0] / values[rank - 1];
    if (!((real)t->report.condition <= condition * (1 + (real)1e-10 + limit * condition)))
        fail(t, "condition is above that of A", (real)t->report.condition, condition);
}

/* Checks that error_a_norm is at most ||x' - x||_A / ||x'||_A with A x' = b, if A is Hermitian. */
static void check_error(const trial *t, const truth *is)
{
    static double x[2 * MAX_ROWS];
    exact l;
    exact a = matrix_of(t);
    int n = a.rows;
    (void)is;
    if (isnan(t->report.error_a_norm) || !is_hermitian(&a, 0) || !exact_cholesky(&a, 0, &l)) {
        exact_release(&a);
        return;
    }
    exact solution = exact_make(n, 1);
    must(t, fur_vector_download(t->b, x));
    for (int i = 0; i < n; i++)
        solution.at[i] = entry_number(t->value, x, i);
    exact_solve(&a, &solution);
    exact difference = exact_copy(&solution);
    must(t, fur_vector_download(t->x, x));
    for (int i = 0; i < n; i++)
        difference.at[i] = subtract(difference.at[i], entry_number(t->value, x, i));
    exact half = exact_adjoint(&l);
    exact error = exact_product(&half, &difference);
    exact energy = exact_product(&half, &solution);
    real is_error = exact_norm(&error) / exact_norm(&energy);
    if (!((real)t->report.error_a_norm <= is_error * (1 + (real)1e-10)))
        fail(t, "error_a_norm is above the error", (real)t->report.error_a_norm, is_error);
    exact_release(&energy);
    exact_release(&error);
    exact_release(&half);
    exact_release(&difference);
    exact_release(&solution);
    exact_release(&l);
    exact_release(&a);
}

void check_figures(const trial *t, const truth *is)
{
    check_bound(t, is);
    check_backward_error(t, is);
    if (t->matrix)
        check_scaled(t, is);
    if (!is_dense(t))
        return;
    check_norm(t, is);
    check_condition(t, is);
    if (t->rows == t->cols)
        check_error(t, is);
}
