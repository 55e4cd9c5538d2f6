/* The operands of an operation: checks that they fit, and copies of them where the host works. */
#include "algebra.h"

/* Destroys the copies that were made. */
static void drop_copies(fur_context *context, int64_t count, fur_csr **copies)
{
    for (int64_t i = 0; i < count; i++)
        fur_csr_destroy(copies[i]);
    fur_env_release(&context->env, copies);
}

static fur_status run_remote(fur_context *context, int64_t count, const fur_csr *const *operands,
                             fur_algebra_algorithm *algorithm, const void *arguments, fur_csr **out)
{
    fur_context *host = context->host;
    fur_status status = FUR_OK;
    fur_csr **copies;
    fur_csr *result = NULL;
    FUR_TRY(fur_env_allocate_zeros(&context->env, count, sizeof *copies, &copies));
    for (int64_t i = 0; i < count; i++)
        if (operands[i])
            FUR_TRY_DONE(fur_csr_transfer(operands[i], host, &copies[i]));
    FUR_TRY_DONE(fur_context_pass_on(
        host, context, algorithm(host, (const fur_csr *const *)copies, arguments, &result)));
    status = fur_context_pass_on(host, context, fur_csr_transfer(result, context, out));
done:
    fur_csr_destroy(result);
    drop_copies(context, count, copies);
    return status;
}

fur_status fur_algebra_on_host(fur_context *context, int64_t count, const fur_csr *const *operands,
                               fur_algebra_algorithm *algorithm, const void *arguments,
                               fur_csr **out)
{
    return fur_is_remote(context) ? run_remote(context, count, operands, algorithm, arguments, out)
                                  : algorithm(context, operands, arguments, out);
}

fur_status fur_csr_match(const fur_csr *a, const fur_csr *b)
{
    fur_env *env = &a->context->env;
    if (a->context != b->context)
        return fur_env_fail(
            env, FUR_INVALID,
            "the matrices belong to different contexts; they need the same context: transfer one");
    if (a->view.value_type != b->view.value_type)
        return fur_env_fail(
            env, FUR_INVALID,
            "the matrices have entries of types %s and %s; they need the same type: convert one",
            fur_value_name(a->view.value_type), fur_value_name(b->view.value_type));
    return FUR_OK;
}

fur_status fur_csr_match_shape(const fur_csr *a, const fur_csr *b)
{
    const fur_csr_view *p = &a->view;
    const fur_csr_view *q = &b->view;
    FUR_TRY(fur_csr_match(a, b));
    if (p->rows == q->rows && p->cols == q->cols)
        return FUR_OK;
    return fur_env_fail(&a->context->env, FUR_INVALID,
                        "the matrices are %lld x %lld and %lld x %lld; they need the same shape",
                        (long long)p->rows, (long long)p->cols, (long long)q->rows,
                        (long long)q->cols);
}

fur_status fur_tolerance_check(fur_context *context, const char *name, double tolerance)
{
    if (tolerance >= 0)
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_INVALID, "%s is %g; it must be 0 or more", name,
                        tolerance);
}

fur_status fur_csr_check_size(fur_context *context, int64_t rows, int64_t cols)
{
    if (rows <= INT32_MAX && cols <= INT32_MAX)
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_OVERFLOW,
                        "the result would be %lld x %lld; a matrix has at most 2147483647 rows and "
                        "columns",
                        (long long)rows, (long long)cols);
}
