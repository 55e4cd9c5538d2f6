/* The sentence about a system with a nonfinite entry. */
#include "drive.h"

#include "core.h"

#include <furrow/vector.h>

#include <math.h>
#include <stdio.h>

/* Finds the first nonfinite entry, counted from 1; 0 if there is none. */
static fur_status find_nonfinite(const fur_vector *x, int64_t *found)
{
    fur_value_type value = fur_vector_value_type(x);
    fur_context *context = fur_vector_context(x);
    int64_t n = fur_vector_size(x);
    int parts = fur_value_parts(value);
    void *entries;
    FUR_TRY(fur_context_allocate(context, (size_t)n * fur_value_size(value), &entries));
    fur_status status = fur_vector_download(x, entries);
    *found = 0;
    for (int64_t i = n * parts; status == FUR_OK && i > 0; i--)
        if (!(fabs(fur_value_part(value, entries, i - 1)) < HUGE_VAL))
            *found = fur_shared_begin(context) + (i - 1) / parts + 1;
    fur_context_release(context, entries);
    return status;
}

fur_status fur_drive_refuse_nonfinite(const fur_drive *d, const fur_vector *r)
{
    fur_context *context = d->solver->context;
    const struct {
        const char *name;
        const fur_vector *vector;
    } suspects[] = {
        {"b", d->b},
        {"the initial guess", d->x},
        {"b - A x of the initial guess x (A has NaN or infinity in that row, or the product "
         "overflows)",
         r},
    };
    char where[48] = "";
    if (d->pass->is_column)
        snprintf(where, sizeof where,
                 "column %lld, counting from 1: ", (long long)d->pass->column + 1);
    for (size_t i = 0; i < sizeof suspects / sizeof *suspects; i++) {
        int64_t found;
        double largest;
        FUR_TRY(find_nonfinite(suspects[i].vector, &found));
        FUR_TRY(fur_norm_max(suspects[i].vector, &largest));
        if (found > 0)
            return fur_context_fail(
                context, FUR_INVALID,
                "%sentry %lld of %s, counting from 1, is not finite; nothing was solved", where,
                (long long)found, suspects[i].name);
        if (!(largest < HUGE_VAL)) /* the entry is on another rank, or a modulus overflows */
            return fur_context_fail(context, FUR_INVALID,
                                    "%san entry of %s is not finite; nothing was solved", where,
                                    suspects[i].name);
    }
    return fur_context_fail(context, FUR_INVALID, "%sthe norm of b%s overflows; nothing was solved",
                            where, d->whole < HUGE_VAL ? " - A x" : "");
}
