/* Makes matrices on a device, in two passes over their rows, as for a recipe. */
#include "algebra.h"

const fur_algebra_services *fur_algebra_device(const fur_context *context)
{
    const fur_algebra_services *device = &fur_services(context)->algebra;
    return device->count ? device : NULL;
}

fur_status fur_making_follow(fur_context *context, const fur_making *m, fur_csr **out)
{
    const fur_algebra_services *device = fur_algebra_device(context);
    fur_env *env = &context->env;
    fur_status status = FUR_OK;
    int64_t entries = 0;
    int64_t *starts;
    fur_csr *made = NULL;
    FUR_TRY(fur_memory_allocate(context, m->rows + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(device->count(env, m, starts));
    FUR_TRY_DONE(fur_memory_copy(context, &entries, starts + m->rows, sizeof entries));
    FUR_TRY_DONE(fur_csr_allocate(context, m->rows, m->cols, entries, m->value_type,
                                  fur_offset_for(entries), &made));
    FUR_TRY_DONE(device->fill(env, m, starts, &made->view));
    *out = made;
    made = NULL;
done:
    fur_csr_destroy(made);
    fur_memory_release(context, starts);
    return status;
}
