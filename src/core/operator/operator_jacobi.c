/* Jacobi's preconditioner: division by the diagonal, which is stored as its reciprocal. */
#include "core.h"
#include "scalar.h"
#include "table.h"

#include <math.h>
#include <string.h>

#define FUR_TEMPLATE "reciprocal_template.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

typedef struct jacobi {
    const fur_operator *a;
    fur_scaling scaling; /* d_i = 1 / A(i, i) */
} jacobi;

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    const jacobi *m = user;
    return fur_multiply_elementwise(m->scaling.d, x, y);
}

static fur_status diagonal(void *user, fur_vector *d)
{
    const jacobi *m = user;
    return fur_vector_copy(m->scaling.d, d);
}

static void release(void *user)
{
    jacobi *m = user;
    fur_env *env = &m->scaling.d->context->env;
    fur_vector_destroy(m->scaling.d);
    fur_env_release(env, m);
}

/* d_i = 1 / d_i. *bad: the first entry whose reciprocal is not finite, or -1. */
static fur_status invert(fur_vector *d, int64_t *bad)
{
    static int64_t (*const table[FUR_VALUE_COUNT])(int64_t, void *) = FUR_VALUE_TABLE(reciprocals);
    const fur_remote *device = fur_services(d->context);
    int64_t bytes = d->size * (int64_t)fur_value_size(d->value_type);
    void *near;
    if (device->vector.reciprocals)
        return device->vector.reciprocals(&d->context->env, d->value_type, d->size, d->data, bad);
    FUR_TRY(fur_memory_to_host(d->context, d->data, bytes, &near));
    *bad = table[d->value_type](d->size, near);
    return fur_memory_from_host(d->context, d->data, near, bytes);
}

static bool are_equal(fur_value_type value, int64_t n, const void *entries)
{
    size_t size = fur_value_size(value);
    return n < 2 || memcmp(entries, (const char *)entries + size, (size_t)(n - 1) * size) == 0;
}

/* Tests whether all entries of d are equal, and stores their value. */
static fur_status find_constant(fur_scaling *s)
{
    const fur_vector *d = s->d;
    fur_env *env = &d->context->env;
    const fur_remote *device = fur_services(d->context);
    int64_t bytes = d->size * (int64_t)fur_value_size(d->value_type);
    double first[2];
    void *near;
    s->is_constant = false;
    if (d->size == 0)
        return FUR_OK;
    if (device->vector.is_constant) {
        FUR_TRY(device->vector.is_constant(env, d->value_type, d->size, d->data, &s->is_constant));
    } else {
        FUR_TRY(fur_memory_to_host(d->context, d->data, bytes, &near));
        s->is_constant = are_equal(d->value_type, d->size, near);
        fur_memory_drop(d->context, d->data, near);
    }
    FUR_TRY(fur_memory_copy(d->context, first, d->data, (int64_t)fur_value_size(d->value_type)));
    s->constant = fur_scalar_at(d->value_type, first, 0);
    return FUR_OK;
}

/* Reads the diagonal when the operator is made, and when A's values have changed. */
static fur_status update(void *object)
{
    jacobi *m = object;
    fur_vector *d = m->scaling.d;
    int64_t bad;
    FUR_TRY(fur_operator_diagonal(m->a, d));
    FUR_TRY(invert(d, &bad));
    if (bad >= 0)
        return fur_context_fail(d->context, FUR_INVALID,
                                "the diagonal entry of row %lld, counting from 1, is 0 or has no "
                                "finite reciprocal; Jacobi's preconditioner divides by it",
                                (long long)bad + 1);
    return find_constant(&m->scaling);
}

fur_status fur_operator_jacobi(const fur_operator *a, fur_operator **out)
{
    FUR_NEED(fur_operator_context(a), a, out);
    fur_context *context = fur_operator_context(a);
    int64_t n = fur_operator_rows(a);
    jacobi *m;
    if (n != fur_operator_cols(a))
        return fur_context_fail(
            context, FUR_INVALID,
            "Jacobi's preconditioner needs a square operator; this one is %lld x %lld",
            (long long)n, (long long)fur_operator_cols(a));
    FUR_TRY(fur_env_allocate(&context->env, 1, sizeof *m, &m));
    m->a = a;
    m->scaling.inverted = a->matrix;
    fur_status status = fur_vector_create(context, fur_operator_value_type(a), n, &m->scaling.d);
    if (status != FUR_OK) {
        fur_env_release(&context->env, m);
        return status;
    }
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = n,
        .cols = n,
        .value_type = m->scaling.d->value_type,
        .user = m,
        .apply = apply,
        .recordable = 1,
        .diagonal = diagonal,
        .release = release,
    };
    fur_dependent dependent = {"Jacobi's preconditioner", m, update, .reads = false};
    status = update(m);
    if (status == FUR_OK)
        status = fur_operator_derive(context, &definition, &dependent, &a->dependent.made, out);
    if (status == FUR_OK)
        (*out)->scaling = &m->scaling;
    else
        release(m);
    return status;
}

/* The list of the first object in the chain from which this operator was made. NULL: it was
 * destroyed. */
static const fur_dependents *find_origin(const fur_operator *op)
{
    const fur_dependents *list = op->dependent.source;
    while (list && list->owner)
        list = list->owner->source;
    return list;
}

/* Equal addresses of views mean the same matrix while the matrix exists, and the list of its
 * dependents shows that it does. An operator with a scaling that was made from an operator is its
 * preconditioner. */
bool fur_operator_is_jacobi_of(const fur_operator *m, const fur_operator *a)
{
    if (m->scaling && m->dependent.source == &a->dependent.made)
        return !m->dependent.refusal[0];
    const fur_dependents *origin = find_origin(a);
    return m->scaling && m->scaling->inverted && m->scaling->inverted == a->matrix && origin &&
           find_origin(m) == origin && !m->dependent.refusal[0];
}
