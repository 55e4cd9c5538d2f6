/* A bound of ||b - A x|| that rounding cannot break. Each row is a dot product in twofold precision
 * with a bound of its own error, which takes no other rounding than that to nearest: Ogita, Rump
 * and Oishi, Accurate sum and dot product, 2005, algorithms 5.3 and 5.8. So the bound is above the
 * true norm by little more than the rounding of the norm itself: docs/numerics.md. */
#include "residual_bound.h"

#include "team.h"
#include "value_type.h"

#include <furrow/reduce.h>

#include <float.h>
#include <math.h>

#define ROW_GRAIN 256

/* Rounding of the few operations behind a row's sum. */
#define ROW_ROUNDING (8 * DBL_EPSILON)
/* Rounding of ||b|| and of the norm of the rows' bounds: an entry passes through at most some 150
 * additions in the order of fur_norm2. */
#define NORM_ROUNDING 0x1p-43

/* The rest of a smaller product than this may be too small for a double. */
#define SMALL 0x1p-960

/* A sum in twofold precision: sum + low. */
typedef struct twofold {
    double sum;
    double low;
    double moduli; /* of what was added to low, the sum */
    double lost;   /* of products that are too small, at most */
    int64_t terms;
} twofold;

/* Adds term + rest, the rest being the rounding error of the term. */
static void add(twofold *t, double term, double rest)
{
    double sum = t->sum + term;
    double part = sum - t->sum;
    double low = ((t->sum - (sum - part)) + (term - part)) + rest;
    t->sum = sum;
    t->low += low;
    t->moduli += fabs(low);
    t->terms++;
}

static void add_product(twofold *t, double a, double x)
{
    double product = a * x;
    add(t, product, fma(a, x, -product));
    if (fabs(product) < SMALL && a != 0 && x != 0)
        t->lost += DBL_TRUE_MIN;
}

/* At least the modulus of the sum without rounding. */
static double bound_of(const twofold *t)
{
    double rounding = (double)(t->terms + 1) * DBL_EPSILON * t->moduli;
    return (fabs(t->sum + t->low) + rounding + t->lost) * (1 + ROW_ROUNDING);
}

/* The arrays, where the host reads them, and a bound for each part of an entry of b - A x. */
typedef struct residual_job {
    const fur_csr_view *a;
    const void *b;
    const void *x;
    double *bounds;
} residual_job;

/* Subtracts entry k of A times its entry of x. */
static void subtract(const residual_job *r, int64_t k, twofold *re, twofold *im)
{
    fur_value_type value = r->a->value_type;
    int64_t j = r->a->columns[k];
    if (!fur_value_is_complex(value)) {
        add_product(re, -fur_value_part(value, r->a->values, k), fur_value_part(value, r->x, j));
        return;
    }
    double a = fur_value_part(value, r->a->values, 2 * k);
    double b = fur_value_part(value, r->a->values, 2 * k + 1);
    double x = fur_value_part(value, r->x, 2 * j);
    double y = fur_value_part(value, r->x, 2 * j + 1);
    add_product(re, -a, x);
    add_product(re, b, y);
    add_product(im, -a, y);
    add_product(im, -b, x);
}

static void bound_rows(void *job, int64_t begin, int64_t end)
{
    const residual_job *r = job;
    fur_value_type value = r->a->value_type;
    int parts = fur_value_parts(value);
    for (int64_t i = begin; i < end; i++) {
        twofold re = {.sum = fur_value_part(value, r->b, i * parts)};
        twofold im = {.sum = fur_value_part(value, r->b, i * parts + parts - 1)};
        for (int64_t k = fur_offset_at(r->a, i); k < fur_offset_at(r->a, i + 1); k++)
            subtract(r, k, &re, &im);
        r->bounds[i * parts] = bound_of(&re);
        if (parts == 2)
            r->bounds[i * parts + 1] = bound_of(&im);
    }
}

/* The norm of the rows' bounds; everything in the same context, which is of the host. */
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

/* norm / b_norm, rounded up by more than the two may be wrong. */
static double relative(double norm, double b_norm)
{
    double least = b_norm > 0 ? nextafter(b_norm, 0) : 1;
    double most = nextafter(norm, HUGE_VAL) * (1 + NORM_ROUNDING);
    double bound = norm == 0 ? 0 : nextafter(most / least, HUGE_VAL);
    return bound < HUGE_VAL ? bound : NAN;
}

fur_status fur_residual_bound(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                              double b_norm, double *bound)
{
    fur_context *context = b->context;
    fur_csr matrix = {.context = context, .view = *a};
    fur_status status = FUR_OK;
    const fur_csr *near;
    fur_csr *copy_of_a = NULL;
    fur_vector *copy_of_b = NULL;
    fur_vector *copy_of_x = NULL;
    double norm;
    FUR_TRY_DONE(fur_csr_to_host(&matrix, &near, &copy_of_a));
    FUR_TRY_DONE(fur_vector_to_host(b, &b, &copy_of_b));
    FUR_TRY_DONE(fur_vector_to_host(x, &x, &copy_of_x));
    FUR_TRY_DONE(fur_context_pass_on(b->context, context, bound_here(&near->view, b, x, &norm)));
    *bound = relative(norm, b_norm);
done:
    fur_vector_destroy(copy_of_x);
    fur_vector_destroy(copy_of_b);
    fur_csr_destroy(copy_of_a);
    return status;
}
