/* A bound of ||b - A x|| that is valid in spite of rounding. Each row is a dot product in twofold
 * precision, with a bound of its own error. It requires only rounding to nearest: Ogita, Rump and
 * Oishi, Accurate sum and dot product, 2005, algorithms 5.3 and 5.8. The bound exceeds the true
 * norm by little more than the rounding of the norm itself: docs/numerics.md. */
#include "residual_bound.h"

#include "error_bound.h"
#include "team.h"
#include "twofold.h"

#include <furrow/vector.h>

#define ROW_GRAIN 256

/* Rounding of ||b|| and of the norm of the rows' bounds. An entry passes through at most some 150
 * additions in the order of fur_norm2. */
#define NORM_ROUNDING 0x1p-43

/* The arrays, readable by the host, and a bound for each part of an entry of b - A x. */
typedef struct residual_job {
    const fur_csr_view *a;
    const void *b;
    const void *x;
    double *bounds;
} residual_job;

/* An upper bound of the modulus of the exact sum. */
static double bound_of(const fur_twofold *t)
{
    return (fabs(t->sum + t->low) + fur_twofold_error(t)) * (1 + FUR_TWOFOLD_ROUNDING);
}

static void bound_rows(void *job, int64_t begin, int64_t end)
{
    const residual_job *r = job;
    fur_value_type value = r->a->value_type;
    int parts = fur_value_parts(value);
    for (int64_t i = begin; i < end; i++) {
        fur_twofold re = {.sum = fur_value_part(value, r->b, i * parts)};
        fur_twofold im = {.sum = fur_value_part(value, r->b, i * parts + parts - 1)};
        fur_twofold_add_row(r->a, i, -1, r->x, &re, &im);
        r->bounds[i * parts] = bound_of(&re);
        if (parts == 2)
            r->bounds[i * parts + 1] = bound_of(&im);
    }
}

/* The norm of the rows' bounds. All vectors are in the same context, on the host. */
static fur_status bound_here(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                             double *norm)
{
    fur_context *host = b->context;
    fur_vector *bounds;
    FUR_TRY(fur_vector_create(host, FUR_F64, a->rows * fur_value_parts(a->value_type), &bounds));
    fur_parallel(&host->env, a->rows / ROW_GRAIN, a->rows, bound_rows,
                 &(residual_job){a, b->data, x->data, bounds->data});
    fur_status status = fur_norm2(bounds, norm);
    fur_vector_destroy(bounds);
    return status;
}

/* norm / b_norm, rounded up by more than the errors of both. */
static double relative(double norm, double b_norm)
{
    double least = b_norm > 0 ? nextafter(b_norm, 0) : 1;
    double most = nextafter(norm, HUGE_VAL) * (1 + NORM_ROUNDING);
    double bound = norm == 0 ? 0 : nextafter(most / least, HUGE_VAL);
    return bound < HUGE_VAL ? bound : NAN;
}

fur_status fur_take_bounds(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                           const fur_vector *c, double b_norm, double *residual, double *error)
{
    fur_context *context = b->context;
    fur_csr matrix = {.context = context, .view = *a};
    fur_status status = FUR_OK;
    const fur_csr *near;
    fur_csr *copy_of_a = NULL;
    fur_vector *copies[3] = {NULL, NULL, NULL};
    double norm;
    FUR_TRY_DONE(fur_csr_to_host(&matrix, &near, &copy_of_a));
    FUR_TRY_DONE(fur_vector_to_host(b, &b, &copies[0]));
    FUR_TRY_DONE(fur_vector_to_host(x, &x, &copies[1]));
    FUR_TRY_DONE(fur_context_pass_on(b->context, context, bound_here(&near->view, b, x, &norm)));
    *residual = relative(norm, b_norm);
    if (!c)
        goto done;
    FUR_TRY_DONE(fur_vector_to_host(c, &c, &copies[2]));
    FUR_TRY_DONE(
        fur_context_pass_on(b->context, context, fur_error_bound(&near->view, b, x, c, error)));
done:
    for (int i = 0; i < 3; i++)
        fur_vector_destroy(copies[i]);
    fur_csr_destroy(copy_of_a);
    return status;
}
