/* Batches of systems: the table of their kernels, and solves by chunks of systems. A thread takes
 * the next chunk when it becomes free. */
#include "atomic.h"
#include "chunk.h"
#include "isa.h"
#include "team.h"

extern const batch_method ISA(batch_cg);
extern const batch_method ISA(batch_band);
extern fur_status ISA(batch_apply)(const fur_batch_call *call);

/* Entries of all systems that justify one more thread. */
#define ENTRY_GRAIN 16384

/* The workspace of each thread. */
typedef struct batch_state {
    const batch_method *method;
    int rooms;
    int64_t bytes;
    char *memory;
} batch_state;

typedef struct batch_job {
    const fur_batch_solve_call *call;
    const batch_state *state;
    int64_t side;
    fur_shared next; /* chunk */
} batch_job;

static void release(fur_env *env, void *state)
{
    batch_state *s = state;
    fur_env_release(env, s->memory);
    fur_env_release(env, s);
}

static fur_status plan(fur_env *env, const fur_batch_view *a, const fur_batch_form *form,
                       void **state)
{
    const int64_t side = chunk_side(a->values->value_type);
    const int64_t chunks = (a->values->cols + side - 1) / side;
    const double entries = (double)a->pattern->entries * (double)a->values->cols;
    batch_state *s;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *s, &s));
    s->method = form->method == FUR_BATCH_CG ? &ISA(batch_cg) : &ISA(batch_band);
    s->rooms = fur_lanes(env->threads, fur_smaller(chunks, (int64_t)(entries / ENTRY_GRAIN)));
    s->bytes = s->method->bytes(a, form);
    fur_status status = fur_env_allocate(env, s->rooms, (size_t)s->bytes, &s->memory);
    if (status == FUR_OK)
        *state = s;
    else
        release(env, s);
    return status;
}

static void solve_chunks(void *job, int64_t begin, int64_t end)
{
    batch_job *j = job;
    const int64_t count = j->call->x->cols;
    for (int64_t room = begin; room < end; room++)
        for (int64_t chunk; (chunk = fur_shared_take(&j->next, 1)) * j->side < count;)
            j->state->method->solve(j->call, chunk * j->side,
                                    j->state->memory + room * j->state->bytes);
}

static fur_status solve(const fur_batch_solve_call *call)
{
    const batch_state *s = call->state;
    batch_job job = {call, s, chunk_side(call->x->value_type), 0};
    fur_parallel(call->env, s->rooms, s->rooms, solve_chunks, &job);
    return FUR_OK;
}

extern const fur_batch_kernels ISA(batch_kernels);
const fur_batch_kernels ISA(batch_kernels) = {ISA(batch_apply), plan, solve, release};
