/* Code that the methods of least squares share. */
#include "least_squares.h"

#include "env.h"
#include "tridiagonal.h"
#include "unit.h"

#include <math.h>

/* How far t.M^2 t may differ from ||M t||^2, relative to it and to ||t|| ||M^2 t||. Rounding causes
 * far less. */
#define ASYMMETRY 0.1
#define LEAST_ASYMMETRY 1e-3

/* The most rows that are stored. By then the extreme singular values have mostly been found. */
#define MAX_ROWS 512
#define TOLERANCE 1e-6
/* If an entry of the triangle is at most this number of epsilon times the largest, it is
 * rounding. */
#define NEGLIGIBLE 64

bool fur_least_squares_is_over(fur_pass *pass, int64_t iteration, double residual, double whole,
                               double share)
{
    bool over = fur_pass_is_over(pass, iteration, residual);
    if (over && (pass->outcome == FUR_OUTCOME_CONVERGED || pass->outcome == FUR_OUTCOME_BREAKDOWN))
        return true;
    if (!(share <= pass->gradient * whole))
        return over;
    pass->outcome = FUR_OUTCOME_LEAST_SQUARES;
    return true;
}

double fur_least_squares_undamped(const fur_pass *pass, double plain, double square, double x_norm)
{
    double x_part = pass->options->damp * x_norm;
    double rest = square - x_part * x_part;
    if (!(pass->options->damp > 0))
        return plain;
    return rest < 0 ? 0 : sqrt(rest);
}

fur_status fur_least_squares_check_start(fur_pass *pass, double slope, double length,
                                         const fur_vector *g, const fur_vector *p, bool *over)
{
    fur_scalar gp;
    double g_norm;
    double p_norm;
    *over = true;
    if (slope <= pass->gradient * pass->norm) {
        pass->outcome = FUR_OUTCOME_LEAST_SQUARES;
        return FUR_OK;
    }
    if (!(length > 0 && length < HUGE_VAL)) {
        pass->outcome = FUR_OUTCOME_BREAKDOWN;
        return FUR_OK;
    }
    *over = false;
    pass->norm = fmax(pass->norm, slope);
    if (!pass->preconditioner)
        return FUR_OK;
    FUR_TRY(fur_dot(g, p, &gp));
    FUR_TRY(fur_norm2(g, &g_norm));
    FUR_TRY(fur_norm2(p, &p_norm));
    double difference = fabs(gp.re / length - length) + fabs(gp.im / length);
    *over = difference > ASYMMETRY * length &&
            difference > LEAST_ASYMMETRY * g_norm * (p_norm / length);
    if (*over)
        pass->outcome = FUR_OUTCOME_ASYMMETRIC;
    return FUR_OK;
}

int64_t fur_triangle_scratch(int restart)
{
    (void)restart;
    return 4 * MAX_ROWS;
}

fur_triangle fur_triangle_of(const fur_pass *pass)
{
    for (int64_t i = 0; i < 2 * MAX_ROWS; i++)
        pass->scratch[i] = 0;
    return (fur_triangle){.zeros = pass->scratch,
                          .entries = pass->scratch + 2 * MAX_ROWS,
                          .epsilon = fur_pass_epsilon(pass)};
}

/* An entry beside the diagonal that is rounding ends the triangle. Later rows began with a vector
 * of rounding, which may be a null vector of A. */
void fur_triangle_add(fur_triangle *r, double diagonal, double beside)
{
    if (r->rows == MAX_ROWS || r->is_over)
        return;
    r->most = fmax(r->most, fmax(diagonal, beside));
    r->is_over = !(beside > NEGLIGIBLE * r->epsilon * r->most);
    r->entries[2 * r->rows] = diagonal;
    r->entries[2 * r->rows + 1] = beside;
    r->rows++;
}

/* The tridiagonal matrix with zeros on the diagonal, and the triangle's entries beside them, has
 * the eigenvalues + and - the singular values (Golub and Kahan 1965). */
void fur_triangle_take_condition(const fur_triangle *r, fur_pass *pass)
{
    if (r->rows == 0)
        return;
    double least;
    double most;
    double unused;
    fur_tridiagonal_bracket(2 * r->rows, r->zeros, r->entries, r->rows, TOLERANCE, &unused, &least);
    fur_tridiagonal_bracket(2 * r->rows, r->zeros, r->entries, 2 * r->rows - 1, TOLERANCE, &most,
                            &unused);
    double condition = fur_condition_below(least, most, fur_pass_epsilon(pass));
    if (least > 0 && condition > pass->condition)
        pass->condition = condition;
}

double fur_least_squares_bytes(const fur_pass *pass, int rows_transfers, int cols_transfers)
{
    size_t size = fur_value_size(fur_operator_value_type(pass->a));
    return (double)size * ((double)fur_operator_rows(pass->a) * rows_transfers +
                           (double)fur_operator_cols(pass->a) * cols_transfers);
}

fur_rotation fur_rotation_of(double a, double b)
{
    double most = fmax(fabs(a), fabs(b));
    if (most == 0)
        return (fur_rotation){1, 0, 0};
    double x = a / most;
    double y = b / most;
    double root = sqrt(x * x + y * y);
    return (fur_rotation){x / root, y / root, most * root};
}

/* x / norm; if the norm is 0, x is unchanged. */
static fur_status normalise(fur_vector *x, double norm)
{
    return norm > 0 ? fur_vector_scale(x, fur_real(1 / norm)) : FUR_OK;
}

static void exchange(fur_vector **a, fur_vector **b)
{
    fur_vector *kept = *a;
    *a = *b;
    *b = kept;
}

/* Computes p and alpha = ||M t|| from t = A^H u - beta t_before, and divides all by alpha. */
static fur_status finish(fur_pass *s, fur_bidiagonal *v)
{
    v->alpha = v->t_norm;
    if (s->preconditioner) {
        FUR_TRY(fur_pass_precondition(s, v->t, v->t_spare));
        FUR_TRY(fur_norm2(v->t_spare, &v->alpha));
        FUR_TRY(fur_pass_precondition(s, v->t_spare, v->p));
        FUR_TRY(normalise(v->p, v->alpha));
    }
    v->t_norm = v->alpha > 0 ? v->t_norm / v->alpha : 0;
    return normalise(v->t, v->alpha);
}

fur_status fur_bidiagonal_start(fur_pass *s, fur_bidiagonal *v, bool *over)
{
    *v = (fur_bidiagonal){
        s->r, s->range[0], s->work[1], s->work[0], s->preconditioner ? s->work[2] : s->work[1],
        0,    s->residual, 0,          1};
    if (s->options->damp > 0)
        s->target = -1; /* a damped pass ends by the gradient only */
    FUR_TRY(normalise(v->u, v->beta));
    FUR_TRY(fur_pass_multiply_adjoint(s, v->u, v->t));
    FUR_TRY(fur_norm2(v->t, &v->t_norm));
    double slope = v->t_norm;
    FUR_TRY(finish(s, v));
    v->unit = fur_unit_scale(false, v->alpha);
    return fur_least_squares_check_start(s, slope, v->alpha > 0 ? 1 : v->alpha, v->t, v->p, over);
}

fur_status fur_bidiagonal_step(fur_pass *s, fur_bidiagonal *v)
{
    double adjoint_norm;
    FUR_TRY(fur_pass_multiply(s, v->p, v->u_spare));
    FUR_TRY(fur_axpy_norm2(fur_real(-v->alpha), v->u, v->u_spare, &v->beta));
    exchange(&v->u, &v->u_spare);
    FUR_TRY(normalise(v->u, v->beta));

    FUR_TRY(fur_pass_multiply_adjoint(s, v->u, v->t_spare));
    if (s->preconditioner)
        FUR_TRY(fur_norm2(v->t_spare, &adjoint_norm));
    FUR_TRY(fur_axpy_norm2(fur_real(-v->beta), v->t, v->t_spare, &v->t_norm));
    exchange(&v->t, &v->t_spare);
    if (!s->preconditioner) {
        v->p = v->t;
        adjoint_norm = fur_rotation_of(v->t_norm, v->beta).length;
    }
    s->norm = fmax(s->norm, adjoint_norm);
    return finish(s, v);
}
