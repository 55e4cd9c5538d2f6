/* The nullspace of a singular A. A Krylov method on a consistent singular system converges
 * (Kaasschieter 1988), if rounding and the preconditioner bring no null vectors into x. */
#include "null_space.h"

#include "core.h"
#include "env.h"
#include "magnitude.h"
#include "vectors.h"
#include "verdict.h"

#include <furrow/author/operator.h>
#include <furrow/vector.h>

#include <math.h>

/* A column of the nullspace is independent if at least this fraction of its length is orthogonal to
 * the columns before it. */
#define LEAST_PART 1e-6

/* Passes of Gram-Schmidt. Two are enough (Giraud, Langou and Rozloznik 2005). */
#define PASSES 2

fur_status fur_null_space_remove(const fur_null_space *n, fur_vector *v, double *removed)
{
    *removed = 0;
    for (int i = 0; i < n->count; i++) {
        fur_scalar part;
        FUR_TRY(fur_dot(n->basis[i], v, &part));
        FUR_TRY(fur_axpby(fur_complex(-part.re, -part.im), n->basis[i], fur_real(1), v));
        *removed = fur_magnitude(*removed, fur_magnitude(part.re, part.im));
    }
    return FUR_OK;
}

/* z = P M r */
static fur_status apply(void *user, const fur_vector *r, fur_vector *z)
{
    const fur_null_space *n = user;
    double removed;
    FUR_TRY(fur_operator_apply(n->inner, r, z));
    return fur_null_space_remove(n, z, &removed);
}

/* Tests whether A maps the unit vector to 0, up to the rounding of the caller's numbers. */
static fur_status check_null(const fur_operator *a, double norm, int index, const fur_vector *unit,
                             fur_vector *image)
{
    double length;
    double limit = sqrt(fur_value_epsilon(fur_operator_value_type(a))) * norm;
    FUR_TRY(fur_operator_apply(a, unit, image));
    FUR_TRY(fur_norm2(image, &length));
    if (length <= limit)
        return FUR_OK;
    return fur_context_fail(fur_operator_context(a), FUR_INVALID,
                            "vector %d of null_space, counting from 1, is not mapped to 0: ||A n|| "
                            "/ ||n|| is %.3g, and ||A|| is at least %.3g",
                            index + 1, length, norm);
}

/* Orthonormalises the vector at basis[count], and adds it. */
static fur_status take(fur_null_space *n, const fur_operator *a, double norm, fur_vector *image)
{
    fur_vector *v = n->basis[n->count];
    double length;
    double left;
    double removed;
    FUR_TRY(fur_norm2(v, &length));
    for (int pass = 0; pass < PASSES; pass++)
        FUR_TRY(fur_null_space_remove(n, v, &removed));
    FUR_TRY(fur_norm2(v, &left));
    if (!(left > LEAST_PART * length) || !(length < HUGE_VAL))
        return fur_context_fail(n->context, FUR_INVALID,
                                "vector %d of null_space, counting from 1, is 0, not finite, or a "
                                "linear combination of the previous vectors",
                                n->count + 1);
    FUR_TRY(fur_vector_scale(v, fur_real(1 / left)));
    FUR_TRY(check_null(a, norm, n->count, v, image));
    n->count++;
    return FUR_OK;
}

static fur_status make_vector(const fur_operator *a, fur_vector **out)
{
    return fur_vector_create(fur_operator_context(a), fur_operator_value_type(a),
                             fur_operator_rows(a), out);
}

/* Adds the columns, and then the constant vector. */
static fur_status take_all(fur_null_space *n, const fur_operator *a,
                           const fur_solver_options *options, double norm, fur_vector *image)
{
    const fur_vectors *given = options->null_space;
    int64_t cols = given ? given->view.cols : 0;
    for (int64_t j = 0; j < cols; j++) {
        const fur_vectors column = fur_vectors_part(given, j, 1);
        fur_vectors *own;
        FUR_TRY(make_vector(a, &n->basis[n->count]));
        FUR_TRY(fur_vectors_from_vector(n->basis[n->count], &own));
        fur_status status = fur_vectors_copy(&column, own);
        fur_vectors_destroy(own);
        FUR_TRY(status);
        FUR_TRY(take(n, a, norm, image));
    }
    if (!options->null_constant)
        return FUR_OK;
    FUR_TRY(make_vector(a, &n->basis[n->count]));
    FUR_TRY(fur_vector_fill(n->basis[n->count], fur_real(1)));
    return take(n, a, norm, image);
}

/* Wraps M so that its results are projected. If M only divides, projecting x at the end is
 * enough. */
static fur_status wrap(fur_null_space *n, const fur_operator *m)
{
    if (!m || m->scaling)
        return FUR_OK;
    n->inner = m;
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = fur_operator_rows(m),
                                          .cols = fur_operator_cols(m),
                                          .value_type = fur_operator_value_type(m),
                                          .user = n,
                                          .apply = apply};
    return fur_operator_create(n->context, &definition, &n->preconditioner);
}

static fur_status fill(fur_null_space *n, const fur_operator *a, const fur_solver_options *options,
                       fur_vector *v, fur_vector *image)
{
    double norm;
    int64_t cols = options->null_space ? options->null_space->view.cols : 0;
    FUR_TRY(fur_env_allocate_zeros(&n->context->env, cols + 2, sizeof *n->basis, &n->basis));
    FUR_TRY(fur_estimate_norm(a, v, image, &norm));
    FUR_TRY(take_all(n, a, options, norm, image));
    FUR_TRY(make_vector(a, &n->b));
    return wrap(n, options->preconditioner);
}

static fur_status check(const fur_operator *a, const fur_vectors *given)
{
    fur_context *context = fur_operator_context(a);
    if (given && (given->context != context || given->view.rows != fur_operator_rows(a) ||
                  given->view.value_type != fur_operator_value_type(a)))
        return fur_context_fail(context, FUR_INVALID,
                                "null_space differs from the matrix in rows, value type or "
                                "context; it needs %lld rows",
                                (long long)fur_operator_rows(a));
    return FUR_OK;
}

fur_status fur_null_space_create(const fur_operator *a, const fur_solver_options *options,
                                 fur_vector *v, fur_vector *image, fur_null_space **out)
{
    fur_context *context = fur_operator_context(a);
    fur_null_space *n;
    if (!options->null_space && !options->null_constant)
        return FUR_OK;
    FUR_TRY(check(a, options->null_space));
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *n, &n));
    n->context = context;
    fur_status status = fill(n, a, options, v, image);
    if (status == FUR_OK)
        *out = n;
    else
        fur_null_space_release(n);
    return status;
}

void fur_null_space_release(fur_null_space *n)
{
    if (!n)
        return;
    fur_operator_destroy(n->preconditioner);
    fur_vector_destroy(n->b);
    for (int i = 0; n->basis && n->basis[i]; i++)
        fur_vector_destroy(n->basis[i]);
    fur_env_release(&n->context->env, n->basis);
    fur_env_release(&n->context->env, n);
}
