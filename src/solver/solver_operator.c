/* A solver as an operator M ~ A^-1. It is a preconditioner, which may work in single precision. */
#include "solver.h"

#include <furrow/author/try.h>

#include "arguments.h"
#include "core.h"
#include "value_type.h"

#include <math.h>

/* Powers of two up to this exponent have a reciprocal. */
#define MAX_EXPONENT 1000

typedef struct inner {
    fur_solver *solver;
    fur_context *context;
    int64_t n;
    fur_value_type outer;
    fur_value_type value; /* value type of the solver */
    fur_vector *r;        /* in the solver's type, if it differs, like z */
    fur_vector *z;
    void *outer_entries; /* on the host */
    void *entries;
} inner;

/* Converts entries to another precision, times a power of two. */
static void convert(int64_t parts, double scale, fur_value_type from, const void *in,
                    fur_value_type to, void *out)
{
    for (int64_t i = 0; i < parts; i++) {
        double part = fur_value_part(from, in, i) * scale;
        if (fur_value_is_single(to))
            ((float *)out)[i] = (float)part;
        else
            ((double *)out)[i] = part;
    }
}

/* Converts vectors, through the host. */
static fur_status convert_vector(const inner *m, double scale, const fur_vector *x, void *x_entries,
                                 fur_vector *y, void *y_entries)
{
    int64_t parts = m->n * fur_value_parts(m->outer);
    FUR_TRY(fur_vector_download(x, x_entries));
    convert(parts, scale, fur_vector_value_type(x), x_entries, fur_vector_value_type(y), y_entries);
    return fur_vector_upload(y_entries, y);
}

/* z = M r in the solver's type. r is scaled to a norm near 1, because the type's range is
 * smaller. */
static fur_status apply_converted(const inner *m, const fur_vector *r, fur_vector *z)
{
    double norm;
    FUR_TRY(fur_norm2(r, &norm));
    if (!(norm > 0 && norm < HUGE_VAL))
        return fur_vector_copy(r, z);
    int exponent = ilogb(norm);
    exponent = exponent < -MAX_EXPONENT ? -MAX_EXPONENT : exponent;
    FUR_TRY(convert_vector(m, scalbn(1, -exponent), r, m->outer_entries, m->r, m->entries));
    FUR_TRY(fur_vector_fill(m->z, fur_real(0)));
    FUR_TRY(fur_solver_solve(m->solver, m->r, m->z, NULL));
    return convert_vector(m, scalbn(1, exponent), m->z, m->entries, z, m->outer_entries);
}

static fur_status apply(void *user, const fur_vector *r, fur_vector *z)
{
    const inner *m = user;
    if (m->outer != m->value)
        return apply_converted(m, r, z);
    FUR_TRY(fur_vector_fill(z, fur_real(0)));
    return fur_solver_solve(m->solver, r, z, NULL);
}

static void release(void *user)
{
    inner *m = user;
    fur_vector_destroy(m->r);
    fur_vector_destroy(m->z);
    fur_context_release(m->context, m->outer_entries);
    fur_context_release(m->context, m->entries);
    fur_context_release(m->context, m);
}

/* Allocates the memory for conversions. */
static fur_status make_room(inner *m)
{
    if (m->outer == m->value)
        return FUR_OK;
    FUR_TRY(fur_vector_create(m->context, m->value, m->n, &m->r));
    FUR_TRY(fur_vector_create(m->context, m->value, m->n, &m->z));
    FUR_TRY(fur_context_allocate(m->context, (size_t)m->n * fur_value_size(m->outer),
                                 &m->outer_entries));
    return fur_context_allocate(m->context, (size_t)m->n * fur_value_size(m->value), &m->entries);
}

static fur_status check(const fur_solver *solver, fur_value_type value)
{
    fur_value_type own = fur_operator_value_type(solver->a);
    if (solver->method->kind != FUR_METHOD_SQUARE)
        return fur_context_fail(
            solver->context, FUR_UNSUPPORTED,
            "%s is a least-squares method; only a solver of A x = b can be used as an operator",
            solver->method->info.name);
    if (fur_value_size(value) == 0 || fur_value_is_complex(value) != fur_value_is_complex(own))
        return fur_context_fail(solver->context, FUR_INVALID,
                                "a solver of type %s cannot be an operator of type %s; both must "
                                "be real, or both complex",
                                fur_value_name(own), fur_value_name(value));
    return FUR_OK;
}

fur_status fur_operator_from_solver(fur_solver *solver, fur_value_type value, fur_operator **out)
{
    FUR_NEED(solver ? solver->context : NULL, solver, out);
    FUR_TRY(fur_solver_check(solver));
    FUR_TRY(check(solver, value));
    void *memory;
    FUR_TRY(fur_context_allocate(solver->context, sizeof(inner), &memory));
    inner *m = memory;
    *m = (inner){.solver = solver,
                 .context = solver->context,
                 .n = fur_operator_rows(solver->a),
                 .outer = value,
                 .value = fur_operator_value_type(solver->a)};
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = m->n,
                                          .cols = m->n,
                                          .value_type = value,
                                          .user = m,
                                          .apply = apply,
                                          .release = release};
    fur_status status = make_room(m);
    fur_dependent dependent = {"the operator of a solver", NULL, NULL, .reads = true};
    if (status == FUR_OK)
        status = fur_operator_derive(solver->context, &definition, &dependent,
                                     &solver->source[0].made, out);
    if (status != FUR_OK)
        release(m);
    return status;
}
