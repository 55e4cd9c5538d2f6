/* Operators from a user's functions or from other objects, and their calls. */
#include "core.h"

#include <furrow/author/options.h>

fur_status fur_operator_create(fur_context *context, const fur_operator_definition *definition,
                               fur_operator **out)
{
    FUR_NEED(context, context, definition, out);
    fur_env *env = &context->env;
    fur_operator_definition d;
    FUR_TAKE_OPTIONS(context, fur_operator_definition, &d, definition);
    if (!d.apply || d.rows < 0 || d.cols < 0 || fur_value_size(d.value_type) == 0)
        return fur_env_fail(
            env, FUR_INVALID,
            "an operator needs a function apply(), rows and cols of 0 or more, and a value type");
    if (!d.domain)
        d.domain = context;
    if (strcmp(fur_context_device(d.domain), fur_context_device(context)) != 0)
        return fur_env_fail(env, FUR_INVALID,
                            "x of the operator is on device %s and y is on device %s; both must be "
                            "on the same device",
                            fur_context_device(d.domain), fur_context_device(context));
    fur_operator *op;
    FUR_TRY(fur_env_allocate(env, 1, sizeof *op, &op));
    *op = (fur_operator){.context = context, .definition = d};
    fur_env_hold(&d.domain->env);
    *out = op;
    return FUR_OK;
}

fur_status fur_operator_derive(fur_context *context, const fur_operator_definition *definition,
                               const fur_dependent *dependent, const fur_dependents *source,
                               fur_operator **out)
{
    FUR_TRY(fur_operator_create(context, definition, out));
    (*out)->dependent = *dependent;
    fur_dependent_join(&(*out)->dependent, source);
    return FUR_OK;
}

void fur_operator_changed(fur_operator *op)
{
    if (op)
        fur_dependents_update(&op->context->env, &op->dependent.made);
}

void fur_operator_destroy(fur_operator *op)
{
    if (!op)
        return;
    fur_dependent_leave(&op->dependent);
    if (op->definition.release)
        op->definition.release(op->definition.user);
    fur_env_let_go(&op->definition.domain->env);
    fur_env_release(&op->context->env, op);
}

fur_context *fur_operator_context(const fur_operator *op)
{
    return op ? op->context : NULL;
}

fur_context *fur_operator_domain(const fur_operator *op)
{
    return op ? op->definition.domain : NULL;
}

int64_t fur_operator_rows(const fur_operator *op)
{
    return op ? op->definition.rows : 0;
}

int64_t fur_operator_cols(const fur_operator *op)
{
    return op ? op->definition.cols : 0;
}

int fur_operator_recordable(const fur_operator *op)
{
    return op ? op->definition.recordable : 0;
}

const fur_vector *fur_operator_scaling(const fur_operator *op)
{
    return op && op->scaling && !op->dependent.refusal[0] ? op->scaling->d : NULL;
}

fur_value_type fur_operator_value_type(const fur_operator *op)
{
    return op ? op->definition.value_type : FUR_F32;
}

static fur_status check_vector(const fur_operator *op, const fur_vector *v, const char *name,
                               const fur_context *context, int64_t size)
{
    if (v->context != context)
        return fur_context_fail(op->context, FUR_INVALID, "%s belongs to another context than %s",
                                name, context == op->context ? "the operator" : "its domain");
    if (v->value_type != op->definition.value_type || v->size != size)
        return fur_context_fail(
            op->context, FUR_INVALID,
            "%s has %lld entries of type %s, but the operator needs %lld of type %s", name,
            (long long)v->size, fur_value_name(v->value_type), (long long)size,
            fur_value_name(op->definition.value_type));
    return FUR_OK;
}

/* Returns the failure of one of the definition's functions. If the function has set no error
 * sentence, the last sentence would be about something else, so that one is set here. failures: the
 * number of sentences before the call. */
static fur_status pass_on(const fur_operator *op, const char *function, int64_t failures,
                          fur_status status)
{
    if (status == FUR_OK || op->context->env.failures != failures)
        return status;
    return fur_context_fail(op->context, status,
                            "the function \"%s\" of an operator of %lld x %lld returned status %d, "
                            "%s, without a message; set one by fur_context_fail",
                            function, (long long)op->definition.rows,
                            (long long)op->definition.cols, (int)status, fur_status_name(status));
}

fur_status fur_operator_apply(const fur_operator *op, const fur_vector *x, fur_vector *y)
{
    FUR_NEED(fur_operator_context(op), op, x, y);
    FUR_TRY(fur_operator_check(op));
    FUR_TRY(check_vector(op, x, "x", op->definition.domain, op->definition.cols));
    FUR_TRY(check_vector(op, y, "y", op->context, op->definition.rows));
    FUR_TRY(fur_vector_check_apart(x, "x", y, "y"));
    int64_t failures = op->context->env.failures;
    return pass_on(op, "apply", failures, op->definition.apply(op->definition.user, x, y));
}

fur_status fur_operator_diagonal(const fur_operator *op, fur_vector *d)
{
    FUR_NEED(fur_operator_context(op), op, d);
    const fur_operator_definition *o = &op->definition;
    int64_t failures = op->context->env.failures;
    FUR_TRY(fur_operator_check(op));
    if (!o->diagonal || o->domain != op->context)
        return fur_context_fail(op->context, FUR_UNSUPPORTED,
                                "the operator does not define its diagonal, which this call needs");
    FUR_TRY(
        check_vector(op, d, "the diagonal", op->context, o->rows < o->cols ? o->rows : o->cols));
    return pass_on(op, "diagonal", failures, o->diagonal(o->user, d));
}
