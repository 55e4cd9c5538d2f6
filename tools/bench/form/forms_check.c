/* Checks that the forms of an operator agree. */
#include "forms.h"

#include <math.h>
#include <string.h>

#include "atomics.h"

#define ROW_GRAIN 4096

/* The reference of all comparisons, on the host. */
typedef struct comparison {
    const forms *f;
    int64_t margin[3];    /* nearer to the ends of an axis, terms are added in another order */
    fur_vector *expected; /* S x */
    fur_vector *found;    /* on a GPU; on the CPU y is used directly */
    fur_vector *sizes;    /* |S||x|, unless all results must have the same bits */
} comparison;

static void part(const fur_vector *v, int64_t i, double out[2])
{
    const void *data = fur_vector_const_data(v);
    out[1] = 0;
    switch (fur_vector_value_type(v)) {
    case FUR_F32:
        out[0] = (double)((const float *)data)[i];
        break;
    case FUR_F64:
        out[0] = ((const double *)data)[i];
        break;
    case FUR_C64:
        out[0] = (double)((const float *)data)[2 * i];
        out[1] = (double)((const float *)data)[2 * i + 1];
        break;
    case FUR_C128:
        out[0] = ((const double *)data)[2 * i];
        out[1] = ((const double *)data)[2 * i + 1];
        break;
    }
}

/* Sets the margins. If the boundary is a Dirichlet boundary or far away, the matrix's columns are
 * in the order of the offsets. */
static void set_margins(comparison *m)
{
    const fur_stencil_definition *d = &m->f->definition;
    for (int axis = 0; axis < d->axes; axis++) {
        for (int k = 0; k < d->points && d->boundary[axis] != FUR_BOUNDARY_DIRICHLET; k++) {
            int64_t reach = forms_reach(d, k, axis);
            m->margin[axis] = reach > m->margin[axis] ? reach : m->margin[axis];
        }
    }
}

static void locate(const fur_stencil_definition *d, int64_t row, int64_t at[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t extent = axis < d->axes ? d->extent[axis] : 1;
        at[axis] = row % extent;
        row /= extent;
    }
}

static bool is_in_order(const comparison *m, int64_t row)
{
    const fur_stencil_definition *d = &m->f->definition;
    int64_t at[3];
    locate(d, row, at);
    for (int axis = 0; axis < 3 && axis < d->axes; axis++)
        if (at[axis] < m->margin[axis] || at[axis] >= d->extent[axis] - m->margin[axis])
            return false;
    return true;
}

/* Computes S x in the type of a definition. */
static fur_status apply(const comparison *m, const fur_stencil_definition *d, const fur_vector *x,
                        fur_vector **out)
{
    fur_stencil *stencil = NULL;
    FUR_TRY(fur_vector_create(m->f->host, d->value_type, m->f->rows, out));
    FUR_TRY(fur_stencil_create(m->f->host, d, &stencil));
    fur_status status = fur_stencil_apply(stencil, fur_real(1), x, fur_real(0), *out);
    fur_stencil_destroy(stencil);
    return status;
}

typedef struct measuring {
    const fur_vector *x;
    double *size;
} measuring;

static void measure_rows(void *job, int64_t begin, int64_t end)
{
    const measuring *m = job;
    for (int64_t i = begin; i < end; i++) {
        double x[2] = {0, 0};
        part(m->x, i, x);
        m->size[i] = hypot(x[0], x[1]);
    }
}

/* Computes |S||x| in double precision. */
static fur_status make_sizes(comparison *m)
{
    fur_stencil_definition d = m->f->definition;
    fur_scalar coefficients[27];
    fur_vector *sizes = NULL;
    for (int k = 0; k < d.points; k++)
        coefficients[k] = fur_real(fabs(d.coefficients[k].re));
    d.coefficients = coefficients;
    d.value_type = FUR_F64;
    d.kernel = NULL;
    FUR_TRY(fur_vector_create(m->f->host, FUR_F64, m->f->rows, &sizes));
    fur_context_parallel(m->f->host, m->f->rows, ROW_GRAIN, measure_rows,
                         &(measuring){m->f->host_x, fur_vector_data(sizes)});
    fur_status status = apply(m, &d, sizes, &m->sizes);
    fur_vector_destroy(sizes);
    return status;
}

/* Returns the bound of the difference. Both computed sums of n terms are within (n + 2) u |S||x| of
 * the exact sum (docs/numerics.md). Two of these u are for the rounding of |S||x| itself. The parts
 * of a complex sum have 2 n terms each, and sqrt(2) (2 n + 2) < 3 (n + 1). */
static double relative_bound(const fur_stencil_definition *d)
{
    bool single = d->value_type == FUR_F32 || d->value_type == FUR_C64;
    bool complex = d->value_type == FUR_C64 || d->value_type == FUR_C128;
    double unit = single ? 0x1p-24 : 0x1p-53;
    return 2 * unit * (complex ? 3 * (d->points + 1) : d->points + 2);
}

/* Returns the largest difference of a point's two values. 0 means the same bits. */
static double bound_at(const comparison *m, const form *c, int64_t row)
{
    if (c->exact && (c->stencil || is_in_order(m, row)))
        return 0;
    const double *sizes = fur_vector_const_data(m->sizes);
    return relative_bound(&m->f->definition) * sizes[row];
}

static double difference_at(const comparison *m, const fur_vector *y, int64_t row)
{
    double found[2];
    double expected[2];
    part(y, row, found);
    part(m->expected, row, expected);
    return hypot(found[0] - expected[0], found[1] - expected[1]);
}

static bool has_same_bits(const comparison *m, const fur_vector *y, int64_t row)
{
    size_t size = fur_value_size(fur_vector_value_type(y));
    const char *found = fur_vector_const_data(y);
    const char *expected = fur_vector_const_data(m->expected);
    return memcmp(found + size * (size_t)row, expected + size * (size_t)row, size) == 0;
}

static fur_status fail_at(const comparison *m, const form *c, const fur_vector *y, int64_t row)
{
    int64_t at[3];
    locate(&m->f->definition, row, at);
    return fur_context_fail(
        m->f->context, FUR_INVALID,
        "%s by kernel %s differs from the CPU's stencil by %.3g at point (%lld, %lld, %lld), but "
        "rounding explains at most %.3g; this is a defect of furrow",
        c->name, c->kernel, difference_at(m, y, row), (long long)at[0], (long long)at[1],
        (long long)at[2], bound_at(m, c, row));
}

/* The differences that all threads have found in the y of a form. */
typedef struct differences {
    const comparison *m;
    const form *c;
    const fur_vector *y;
    _Atomic double largest;
    _Atomic int64_t wrong;
} differences;

static void compare_rows(void *job, int64_t begin, int64_t end)
{
    differences *d = job;
    for (int64_t row = begin; row < end; row++) {
        if (!has_same_bits(d->m, d->y, row)) {
            double difference = difference_at(d->m, d->y, row);
            double bound = bound_at(d->m, d->c, row);
            shared_largest(&d->largest, difference);
            if (!(bound > 0 && difference <= bound))
                shared_least(&d->wrong, row);
        }
    }
}

static fur_status compare(const comparison *m, form *c, const fur_vector *y)
{
    differences d = {.m = m, .c = c, .y = y, .wrong = m->f->rows};
    fur_context_parallel(m->f->host, m->f->rows, ROW_GRAIN, compare_rows, &d);
    c->difference = d.largest;
    return d.wrong == m->f->rows ? FUR_OK : fail_at(m, c, y, d.wrong);
}

static fur_status check_form(const comparison *m, form *c)
{
    const forms *f = m->f;
    FUR_TRY(fur_vector_fill(f->y, fur_real(NAN)));
    FUR_TRY(form_run(c));
    if (m->found)
        FUR_TRY(fur_vector_copy(f->y, m->found));
    return compare(m, c, m->found ? m->found : f->y);
}

static bool may_differ(const comparison *m)
{
    bool may = m->margin[0] > 0 || m->margin[1] > 0 || m->margin[2] > 0;
    for (int i = 0; i < m->f->count; i++)
        may = may || !m->f->forms[i].exact;
    return may;
}

static fur_status prepare(comparison *m)
{
    const forms *f = m->f;
    fur_stencil_definition d = f->definition;
    d.kernel = NULL;
    set_margins(m);
    if (f->host != f->context)
        FUR_TRY(fur_vector_create(f->host, d.value_type, f->rows, &m->found));
    FUR_TRY(apply(m, &d, f->host_x, &m->expected));
    return may_differ(m) ? make_sizes(m) : FUR_OK;
}

fur_status forms_check(forms *f)
{
    comparison m = {.f = f};
    fur_status status = forms_relay(f, prepare(&m));
    for (int i = 0; i < f->count && status == FUR_OK; i++)
        status = check_form(&m, &f->forms[i]);
    fur_vector_destroy(m.sizes);
    fur_vector_destroy(m.found);
    fur_vector_destroy(m.expected);
    return status;
}
