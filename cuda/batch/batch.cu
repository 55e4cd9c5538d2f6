// Batches of systems on the device: the table of their kernels, and the workspace of solves.
#include "batch.cuh"

namespace
{

void release(fur_env *env, void *state)
{
    auto *room = static_cast<fur_batch_room *>(state);
    fur_cuda_release(env, room->memory);
    fur_cuda_release(env, room->results);
    fur_env_release(env, room);
}

fur_status plan(fur_env *env, const fur_batch_view *a, const fur_batch_form *form, void **state)
{
    int64_t bytes = form->method == FUR_BATCH_CG ? fur_cuda_batch_cg_bytes(a, form)
                                                 : fur_cuda_batch_band_bytes(a, form);
    return fur_make_state<fur_batch_room>(env, release, state, [&](fur_batch_room *room) {
        FUR_TRY(fur_cuda_allocate(env, bytes, 1, &room->memory));
        return fur_cuda_allocate(env, a->values->cols, sizeof *room->results, &room->results);
    });
}

// Solves the systems and waits for the results.
fur_status solve(const fur_batch_solve_call *call)
{
    auto *room = static_cast<const fur_batch_room *>(call->state);
    FUR_TRY(call->form->method == FUR_BATCH_CG ? fur_cuda_batch_cg(call, room)
                                               : fur_cuda_batch_band(call, room));
    return fur_cuda_copy(call->env, call->results, room->results,
                         call->x->cols * static_cast<int64_t>(sizeof *call->results));
}

} // namespace

extern "C" const fur_batch_kernels fur_cuda_batch = {fur_cuda_batch_apply, plan, solve, release};
