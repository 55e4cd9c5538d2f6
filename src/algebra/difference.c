/* Compares two matrices within a tolerance, position by position. */
#ifndef FUR_TEMPLATE
#    include "algebra.h"

#    include <furrow/author/options.h>

#    include "magnitude.h"
#    include "merge.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

typedef struct comparison {
    const fur_csr_view *a;
    const fur_csr_view *b;
    double rtol;
    double atol;
    int parts;
    fur_csr_difference *found; /* the result for each part of the rows */
} comparison;

static double modulus(fur_scalar z)
{
    return fur_magnitude(z.re, z.im);
}

/* x - y for a part of an entry. Equal numbers are not subtracted, because infinities would give
 * NaN. */
static double distance(double x, double y)
{
    return x == y || (isnan(x) && isnan(y)) ? 0 : x - y;
}

/* Compares the entries at one position, and updates the result. */
static void compare_entries(const comparison *c, int64_t row, int64_t col, fur_scalar a,
                            fur_scalar b, fur_csr_difference *found)
{
    double apart = fur_magnitude(distance(a.re, b.re), distance(a.im, b.im));
    if (apart == 0)
        return;
    if (!(apart <= c->atol + c->rtol * modulus(b)) || isinf(apart))
        found->beyond++;
    if (fur_magnitude_bits(apart) > fur_magnitude_bits(found->largest)) {
        found->largest = isnan(apart) ? NAN : apart;
        found->row = row;
        found->col = col;
        found->a = a;
        found->b = b;
    }
}

#    define FUR_TEMPLATE "difference.c"
#    include "foreach_value.h"

/* Joins the results of two parts. `next` has the later rows. */
static void join(fur_csr_difference *found, const fur_csr_difference *next)
{
    int64_t beyond = found->beyond + next->beyond;
    if (fur_magnitude_bits(next->largest) > fur_magnitude_bits(found->largest))
        *found = *next;
    found->beyond = beyond;
}

static fur_status compare(fur_env *env, comparison *c, fur_csr_difference *out)
{
    static fur_body *const compare_parts[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(compare_parts);
    c->parts =
        fur_parts(env->threads, (c->a->rows + c->a->entries + c->b->entries) / FUR_ENTRY_GRAIN);
    FUR_TRY(fur_env_allocate_zeros(env, c->parts, sizeof *c->found, &c->found));
    fur_parallel(env, c->parts, c->parts, compare_parts[c->a->value_type], c);
    for (int part = 1; part < c->parts; part++)
        join(&c->found[0], &c->found[part]);
    fur_report_fill(out, &c->found[0], sizeof *out);
    fur_env_release(env, c->found);
    return FUR_OK;
}

static fur_status compare_there(const fur_csr *a, const fur_csr *b, double rtol, double atol,
                                fur_csr_difference *out)
{
    fur_csr_difference found = {.size = sizeof found};
    FUR_TRY(fur_algebra_device(a->context)
                ->compare(&a->context->env, &a->view, &b->view, rtol, atol, &found));
    fur_report_fill(out, &found, sizeof *out);
    return FUR_OK;
}

fur_status fur_csr_compare_within(const fur_csr *a, const fur_csr *b, double rtol, double atol,
                                  fur_csr_difference *out)
{
    FUR_NEED(fur_csr_context(a), a, b, out);
    FUR_CHECK_REPORT(a->context, fur_csr_difference, out);
    FUR_TRY(fur_csr_match_shape(a, b));
    FUR_TRY(fur_tolerance_check(a->context, "rtol", rtol));
    FUR_TRY(fur_tolerance_check(a->context, "atol", atol));
    if (fur_algebra_device(a->context))
        return compare_there(a, b, rtol, atol, out);
    fur_context *host = a->context->host;
    fur_status status = FUR_OK;
    const fur_csr *near_a;
    const fur_csr *near_b;
    fur_csr *copy_a = NULL;
    fur_csr *copy_b = NULL;
    FUR_TRY_DONE(fur_csr_to_host(a, &near_a, &copy_a));
    FUR_TRY_DONE(fur_csr_to_host(b, &near_b, &copy_b));
    comparison c = {.a = &near_a->view, .b = &near_b->view, .rtol = rtol, .atol = atol};
    status = fur_context_pass_on(host, a->context, compare(&host->env, &c, out));
done:
    fur_csr_destroy(copy_b);
    fur_csr_destroy(copy_a);
    return status;
}
#else

static inline fur_scalar FN(widen)(VALUE a)
{
#    if COMPLEX
    return (fur_scalar){(double)a.re, (double)a.im};
#    else
    return (fur_scalar){(double)a, 0};
#    endif
}

/* Merges and compares one row of both matrices. */
static void FN(compare_row)(const comparison *c, int64_t row, fur_csr_difference *found)
{
    const fur_scalar none = {0, 0};
    const VALUE *p = c->a->values;
    const VALUE *q = c->b->values;
    fur_row a = fur_row_of(c->a, row);
    fur_row b = fur_row_of(c->b, row);
    while (a.begin < a.end || b.begin < b.end) {
        int64_t left = a.begin < a.end ? a.columns[a.begin] : INT64_MAX;
        int64_t right = b.begin < b.end ? b.columns[b.begin] : INT64_MAX;
        compare_entries(c, row, fur_smaller(left, right),
                        left <= right ? FN(widen)(p[a.begin]) : none,
                        right <= left ? FN(widen)(q[b.begin]) : none, found);
        a.begin += left <= right;
        b.begin += right <= left;
    }
}

/* Compares parts begin .. end-1 of the rows. */
static void FN(compare_parts)(void *job, int64_t begin, int64_t end)
{
    const comparison *c = job;
    for (int64_t part = begin; part < end; part++) {
        int64_t last = fur_split(c->a->rows, c->parts, (int)part + 1);
        for (int64_t i = fur_split(c->a->rows, c->parts, (int)part); i < last; i++)
            FN(compare_row)(c, i, &c->found[part]);
    }
}

#endif
