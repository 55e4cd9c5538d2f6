/* Updates a recognised stencil from its matrix. New values are proved on the grid that was found.
 * Only the constants are guessed again. */
#include "recognise.h"

/* Copies numbers of the companion to the context's memory. NULL stays NULL. */
static fur_status to_device(fur_context *context, int64_t count, const int32_t *near, int32_t **out)
{
    int32_t *numbers = NULL;
    if (near) {
        FUR_TRY(fur_memory_allocate(context, count, sizeof *numbers, &numbers));
        fur_status status =
            fur_memory_copy(context, numbers, near, count * (int64_t)sizeof *numbers);
        if (status != FUR_OK) {
            fur_memory_release(context, numbers);
            return status;
        }
    }
    *out = numbers;
    return FUR_OK;
}

/* Compares copies on the host if a device cannot compare. */
static fur_status compare_on_host(const fur_csr *a, const fur_stencil_view *s, int64_t most,
                                  int32_t **numbers, int64_t *count)
{
    fur_context *context = a->context;
    fur_env *env = &context->env;
    fur_stencil_on_host near;
    fur_csr *copy;
    int32_t *list = NULL;
    if (!fur_is_remote(context))
        return fur_recognise_prove(env, &a->view, s, most, numbers, count);
    FUR_TRY(fur_csr_to_host(a, &a, &copy));
    fur_status status = fur_stencil_to_host(context, s, &near);
    if (status == FUR_OK) {
        status = fur_recognise_prove(env, &a->view, &near.view, most, &list, count);
        if (status == FUR_OK)
            status = fur_stencil_from_host(context, s, &near);
        else
            fur_stencil_drop_copies(context, s, &near);
    }
    if (status == FUR_OK)
        status = to_device(context, *count, list, numbers);
    fur_env_release(env, list);
    fur_csr_destroy(copy);
    return status;
}

fur_status fur_recognised_compare(const fur_recognised *r, const fur_stencil_view *s, int64_t most,
                                  int32_t **numbers, int64_t *count)
{
    const fur_remote *device = fur_services(r->context);
    const void *fields[FUR_STENCIL_POINTS];
    fur_stencil_view own = *s;
    for (int k = 0; k < r->field_count; k++)
        fields[k] = r->fields[k]->data;
    own.fields = own.coefficients ? NULL : fields;
    return device->stencil.prove
               ? device->stencil.prove(&r->context->env, &r->a->view, &own, most, numbers, count)
               : compare_on_host(r->a, &own, most, numbers, count);
}

/* The first of the numbers that is not among the others, or -1. Both lists rise. */
static int64_t first_missing(const int32_t *numbers, int64_t count, const int32_t *others,
                             int64_t other_count)
{
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        while (at < other_count && others[at] < numbers[i])
            at++;
        if (at == other_count || others[at] != numbers[i])
            return numbers[i];
    }
    return -1;
}

/* Rows that differ now must be among the rows that are kept. Kept rows need not differ any more. */
static fur_status check_kept(const fur_recognised *r, const int32_t *numbers, int64_t count)
{
    fur_context *context = r->context;
    int64_t kept_count = r->rows->view.rows;
    fur_status status = FUR_OK;
    int32_t *kept = NULL;
    int32_t *now = NULL;
    FUR_TRY_DONE(
        fur_memory_to_host(context, r->numbers, kept_count * (int64_t)sizeof *kept, &kept));
    FUR_TRY_DONE(fur_memory_to_host(context, numbers, count * (int64_t)sizeof *now, &now));
    int64_t row = first_missing(now, count, kept, kept_count);
    if (row >= 0)
        status = fur_context_fail(context, FUR_INVALID,
                                  "row %lld, counting from 1, now differs from the stencil's row; "
                                  "recognise the matrix again",
                                  (long long)row + 1);
done:
    fur_memory_drop(context, numbers, now);
    fur_memory_drop(context, r->numbers, kept);
    return status;
}

static fur_status compare(fur_recognised *r)
{
    fur_stencil_view s = r->stencil->view;
    int64_t most = r->a->view.rows / FUR_FEW;
    int64_t count = 0;
    int32_t *numbers = NULL;
    if (s.coefficients) {
        FUR_TRY(fur_recognise_constants(r->a, &s, r->constants));
        s.coefficients = r->constants;
    }
    FUR_TRY(fur_recognised_compare(r, &s, most, &numbers, &count));
    fur_status status = count > most
                            ? fur_context_fail(r->context, FUR_INVALID,
                                               "%lld of %lld rows differ from the stencil of most "
                                               "rows; recognise the matrix again",
                                               (long long)count, (long long)r->a->view.rows)
                            : check_kept(r, numbers, count);
    fur_memory_release(r->context, numbers);
    return status;
}

/* Updates from the matrix's new values, except the stencil's coefficients. */
static fur_status update(void *object)
{
    fur_recognised *r = object;
    FUR_TRY(compare(r));
    FUR_TRY(fur_csr_take_rows_again(r->a, r->numbers, r->rows));
    fur_csr_values_changed(r->rows);
    return FUR_OK;
}

static bool has_constants(const fur_recognised *r)
{
    const fur_stencil_view *s = &r->stencil->view;
    size_t bytes = (size_t)s->points * fur_value_size(s->value_type);
    return !r->constants || memcmp(s->coefficients, r->constants, bytes) == 0;
}

static fur_status update_stencil(void *object)
{
    fur_recognised *r = object;
    FUR_TRY(fur_dependent_check(&r->context->env, &r->dependent));
    return has_constants(r) ? FUR_OK : fur_stencil_set_coefficients(r->stencil, r->constants);
}

void fur_recognised_follow(fur_recognised *r)
{
    r->dependent = (fur_dependent){"the recognised stencil", r, update, .reads = false};
    r->stencil->dependent = (fur_dependent){"the stencil", r, update_stencil, .reads = true};
    fur_dependent_join(&r->dependent, &r->a->made);
    fur_dependent_join(&r->stencil->dependent, &r->dependent.made);
}
