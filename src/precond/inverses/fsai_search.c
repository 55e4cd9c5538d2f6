/* Positions of a factorised approximate inverse by the Kaporin number of each row (Janna and
 * Ferronato 2011). */
#include "fsai_search.h"

#include "fsai_kernel.h"
#include "split.h"
#include "team.h"

#include <string.h>

#define ROW_GRAIN 64

/* Allocates the work arrays of each lane. */
static fur_status make_room(fur_env *env, fur_fsai_search_call *call)
{
    int64_t n = call->a->rows;
    int64_t most = call->steps * call->grow;
    size_t value = fur_value_size(call->a->value_type);
    FUR_TRY(fur_env_allocate(env, n, sizeof *call->scale, &call->scale));
    FUR_TRY(fur_env_allocate_zeros(env, call->lanes * n, value, &call->sums));
    FUR_TRY(fur_env_allocate(env, call->lanes * n, sizeof *call->places, &call->places));
    FUR_TRY(fur_env_allocate(env, call->lanes * n, sizeof *call->seen, &call->seen));
    FUR_TRY(fur_env_allocate(env, call->lanes * (most * most + 2 * most), value, &call->dense));
    FUR_TRY(fur_env_allocate(env, n * (most + 1), sizeof *call->columns, &call->columns));
    FUR_TRY(fur_env_allocate(env, n, sizeof *call->lengths, &call->lengths));
    for (int64_t k = 0; k < call->lanes * n; k++)
        call->places[k] = -1;
    return FUR_OK;
}

static void release_room(fur_env *env, const fur_fsai_search_call *call)
{
    fur_env_release(env, call->lengths);
    fur_env_release(env, call->columns);
    fur_env_release(env, call->dense);
    fur_env_release(env, call->seen);
    fur_env_release(env, call->places);
    fur_env_release(env, call->sums);
    fur_env_release(env, call->scale);
}

/* Makes the pattern from the positions that were found. */
static fur_status copy_pattern(const fur_csr *a, const fur_fsai_search_call *call, fur_csr **out)
{
    int64_t n = a->view.rows;
    int64_t step = call->steps * call->grow + 1;
    int64_t entries = 0;
    for (int64_t i = 0; i < n; i++)
        entries += call->lengths[i];
    FUR_TRY(fur_csr_allocate(a->context, n, n, entries, a->view.value_type, fur_offset_for(entries),
                             out));
    fur_offset_type type = (*out)->view.offset_type;
    int32_t *columns = fur_csr_columns(*out);
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        fur_offsets_set(type, fur_csr_offsets(*out), i, at);
        memcpy(columns + at, call->columns + i * step, (size_t)call->lengths[i] * sizeof *columns);
        at += call->lengths[i];
    }
    fur_offsets_set(type, fur_csr_offsets(*out), n, at);
    return FUR_OK;
}

/* Searches for a matrix that the host can read. */
static fur_status find_here(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const fur_fsai_options *options = arguments;
    fur_env *env = &a->context->env;
    fur_fsai_search_call call = {.env = env,
                                 .a = &a->view,
                                 .steps = options->steps,
                                 .grow = options->grow,
                                 .gain = options->gain,
                                 .lanes = fur_lanes(env->threads, a->view.rows / ROW_GRAIN)};
    fur_status status = make_room(env, &call);
    if (status == FUR_OK) {
        a->context->backend->fsai_search(&call);
        status = copy_pattern(a, &call, out);
    }
    release_room(env, &call);
    return status;
}

fur_status fur_fsai_find(const fur_csr *a, const fur_fsai_options *options, fur_csr **out)
{
    return fur_csr_on_host(a, find_here, options, out);
}
