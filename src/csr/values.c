/* New values for a matrix whose pattern does not change. */
#include "csr.h"

static int64_t value_bytes(const fur_csr *a)
{
    return a->view.entries * (int64_t)fur_value_size(a->view.value_type);
}

static fur_status check(const fur_csr *a, const void *values, fur_ownership ownership)
{
    fur_context *context = a->context;
    FUR_TRY(fur_ownership_check(context, ownership));
    if (ownership != FUR_OWNERSHIP_COPY && a->owns_values && values && values == a->view.values)
        return fur_context_fail(context, FUR_INVALID,
                                "these values are the matrix's own array; after a change in place "
                                "call fur_csr_values_changed");
    return ownership == FUR_OWNERSHIP_BORROW
               ? fur_memory_check_borrowed(context, values, fur_value_size(a->view.value_type))
               : FUR_OK;
}

static void replace(fur_csr *a, const void *values, bool owned)
{
    if (a->owns_values)
        fur_memory_release(a->context, fur_csr_values(a));
    a->view.values = values;
    a->owns_values = owned;
}

/* Finds the array for new values: the matrix's own, or a new one if the matrix borrows its values.
 * A borrowed array is never written. */
static fur_status find_room(const fur_csr *a, void **values)
{
    *values = (void *)(uintptr_t)a->view.values;
    return a->owns_values ? FUR_OK
                          : fur_memory_allocate(a->context, a->view.entries,
                                                fur_value_size(a->view.value_type), values);
}

/* Gives the array of find_room to the matrix. After a failure a new array is released. */
static fur_status settle(fur_csr *a, void *values, fur_status status)
{
    if (!a->owns_values && status == FUR_OK)
        replace(a, values, true);
    else if (!a->owns_values)
        fur_memory_release(a->context, values);
    return status;
}

static fur_status copy(fur_csr *a, const void *values)
{
    void *own;
    FUR_TRY(find_room(a, &own));
    return settle(a, own, fur_memory_copy(a->context, own, values, value_bytes(a)));
}

/* A device copies the values, and the caller's memory is released. */
static fur_status adopt(fur_csr *a, const void *values)
{
    if (!fur_is_remote(a->context)) {
        replace(a, values, true);
        return FUR_OK;
    }
    FUR_TRY(copy(a, values));
    FUR_TRY(fur_context_synchronize(a->context));
    fur_memory_release(a->context->host, (void *)(uintptr_t)values);
    return FUR_OK;
}

fur_status fur_csr_set_values(fur_csr *a, const void *values, fur_ownership ownership)
{
    FUR_NEED(NULL, a);
    FUR_NEED_IF(a->view.entries > 0, a->context, values);
    FUR_TRY(check(a, values, ownership));
    if (ownership == FUR_OWNERSHIP_COPY)
        FUR_TRY(copy(a, values));
    else if (ownership == FUR_OWNERSHIP_ADOPT)
        FUR_TRY(adopt(a, values));
    else
        replace(a, values, false);
    fur_csr_values_changed(a);
    return FUR_OK;
}

static fur_status rewrite_here(fur_csr *a, fur_csr_rewriter rewrite, const void *arguments)
{
    void *own;
    FUR_TRY(find_room(a, &own));
    return settle(a, own, rewrite(&a->context->env, &a->view, arguments, own));
}

static fur_status rewrite_remote(fur_csr *a, fur_csr_rewriter rewrite, const void *arguments)
{
    fur_csr *near;
    FUR_TRY(fur_csr_transfer(a, a->context->host, &near));
    fur_status status = rewrite(&a->context->env, &near->view, arguments, fur_csr_values(near));
    if (status == FUR_OK)
        status = copy(a, near->view.values);
    fur_csr_destroy(near);
    return status;
}

fur_status fur_csr_rewrite_in_place(fur_csr *a, fur_csr_rewriter rewrite, const void *arguments)
{
    FUR_TRY(rewrite_here(a, rewrite, arguments));
    fur_csr_values_changed(a);
    return FUR_OK;
}

fur_status fur_csr_rewrite_values(fur_csr *a, fur_csr_rewriter rewrite, const void *arguments)
{
    FUR_TRY(fur_is_remote(a->context) ? rewrite_remote(a, rewrite, arguments)
                                      : rewrite_here(a, rewrite, arguments));
    fur_csr_values_changed(a);
    return FUR_OK;
}

void fur_csr_values_changed(fur_csr *a)
{
    if (a)
        fur_dependents_update(&a->context->env, &a->made);
}
