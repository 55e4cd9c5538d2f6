/* A lower bound of the error, by the inequality of Cauchy and Schwarz. For any c and r = b - A x:
 *     c.r = c.A (x' - x) <= ||c||_A ||x' - x||_A.
 * Overestimated sums keep the bound valid. r and A c have twofold precision, and every rounding is
 * counted. ||x'||_A^2 = x.(b + r) + ||x' - x||_A^2. */
#include "error_bound.h"

#include "team.h"
#include "twofold.h"
#include "unit.h"

#include <furrow/vector.h>

#define ROW_GRAIN 256

/* Rounding of the few operations after the last sums. */
#define LAST_ROUNDING 0x1p-40

/* The contributions of a row: to c.r, to its possible error, to an upper bound of c.A c, and to an
 * upper bound of x.(b + r). */
typedef struct row_sums {
    double gain;
    double doubt;
    double energy;
    double known;
} row_sums;

/* The arrays, and the powers of two that scale b and c to near 1. */
typedef struct error_job {
    const fur_csr_view *a;
    const void *b;
    const void *x;
    const void *c;
    double unit;
    double c_unit;
    row_sums *rows;
} error_job;

/* Adds part p of the row, from b - A x and A c. */
static void add_part(const error_job *e, int64_t p, const fur_twofold *residual,
                     const fur_twofold *image, row_sums *sums)
{
    fur_value_type value = e->a->value_type;
    double r = e->unit * (residual->sum + residual->low);
    double s = e->c_unit * (image->sum + image->low);
    double b = e->unit * fur_value_part(value, e->b, p);
    double x = e->unit * fur_value_part(value, e->x, p);
    double c = e->c_unit * fur_value_part(value, e->c, p);
    double r_off = e->unit * fur_twofold_error(residual) + FUR_TWOFOLD_ROUNDING * fabs(r);
    double s_off = e->c_unit * fur_twofold_error(image) + FUR_TWOFOLD_ROUNDING * fabs(s);
    double b_off = r_off + FUR_TWOFOLD_ROUNDING * fabs(b);
    sums->gain += c * r;
    sums->doubt += 2 * fabs(c) * r_off;
    sums->energy += c * s + 2 * fabs(c) * s_off;
    sums->known += x * (b + r) + 2 * fabs(x) * b_off;
}

static void take_rows(void *job, int64_t begin, int64_t end)
{
    const error_job *e = job;
    fur_value_type value = e->a->value_type;
    int parts = fur_value_parts(value);
    for (int64_t i = begin; i < end; i++) {
        fur_twofold r[2] = {{.sum = fur_value_part(value, e->b, i * parts)},
                            {.sum = fur_value_part(value, e->b, i * parts + parts - 1)}};
        fur_twofold s[2] = {{.sum = 0}, {.sum = 0}};
        fur_twofold_add_row(e->a, i, -1, e->x, &r[0], &r[1]);
        fur_twofold_add_row(e->a, i, 1, e->c, &s[0], &s[1]);
        e->rows[i] = (row_sums){.gain = 0};
        for (int part = 0; part < parts; part++)
            add_part(e, i * parts + part, &r[part], &s[part], &e->rows[i]);
    }
}

/* An upper bound of the sum over the rows. */
static double sum_above(const fur_twofold *t)
{
    double sum = t->sum + t->low;
    return sum + FUR_TWOFOLD_ROUNDING * fabs(sum) + fur_twofold_error(t);
}

/* A lower bound of the error over ||x'||_A, from the sums of all rows. */
static double error_from(const row_sums *rows, int64_t n)
{
    fur_twofold sums[4] = {{.sum = 0}, {.sum = 0}, {.sum = 0}, {.sum = 0}};
    for (int64_t i = 0; i < n; i++) {
        fur_twofold_add(&sums[0], rows[i].gain, 0);
        fur_twofold_add(&sums[1], rows[i].doubt, 0);
        fur_twofold_add(&sums[2], rows[i].energy, 0);
        fur_twofold_add(&sums[3], rows[i].known, 0);
    }
    double gain = (fabs(sums[0].sum) - fur_twofold_error(&sums[0])) * (1 - LAST_ROUNDING);
    double energy = sum_above(&sums[2]) * (1 + LAST_ROUNDING);
    double known = sum_above(&sums[3]);
    double error = (gain - sum_above(&sums[1])) / sqrt(energy) * (1 - LAST_ROUNDING);
    if (!(error > 0 && error < HUGE_VAL && fabs(known) < HUGE_VAL))
        return NAN;
    return known > 0 ? error / sqrt(known + error * error) * (1 - LAST_ROUNDING) : 1;
}

/* The power of two that scales the largest entry of v into [1, 2). */
static fur_status unit_of(const fur_vector *v, double *unit)
{
    double largest;
    FUR_TRY(fur_norm_max(v, &largest));
    *unit = fur_unit_scale(false, largest);
    return FUR_OK;
}

fur_status fur_error_bound(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                           const fur_vector *c, double *error)
{
    fur_env *env = &b->context->env;
    error_job e = {.a = a, .b = b->data, .x = x->data, .c = c->data};
    FUR_TRY(unit_of(b, &e.unit));
    FUR_TRY(unit_of(c, &e.c_unit));
    FUR_TRY(fur_env_allocate(env, a->rows, sizeof *e.rows, &e.rows));
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, take_rows, &e);
    *error = error_from(e.rows, a->rows);
    fur_env_release(env, e.rows);
    return FUR_OK;
}
