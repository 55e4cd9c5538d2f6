/* The order in which the rows of incomplete factors are computed: that of a solve with their lower
 * triangle. A device takes them by levels. */
#include "factor.h"

#include <string.h>

/* What follows from the pattern, on the host. */
typedef struct arrangement {
    int64_t *diagonal;
    int64_t *start; /* entries left of the diagonal before each row, and of all */
    int32_t *level;
    fur_schedule schedule;
} arrangement;

static fur_status find_diagonal(fur_env *env, const fur_csr_view *f, arrangement *a)
{
    FUR_TRY(fur_env_allocate(env, f->rows, sizeof *a->diagonal, &a->diagonal));
    FUR_TRY(fur_env_allocate(env, f->rows + 1, sizeof *a->start, &a->start));
    a->start[0] = 0;
    for (int64_t i = 0; i < f->rows; i++) {
        a->diagonal[i] = fur_csr_find(f, i, i);
        a->start[i + 1] = a->start[i] + a->diagonal[i] - fur_offset_at(f, i);
    }
    return FUR_OK;
}

static fur_status make_schedule(fur_context *context, const fur_csr_view *f, arrangement *a)
{
    fur_env *env = &context->env;
    fur_strict t = {f, false};
    FUR_TRY(fur_env_allocate(env, f->rows, sizeof *a->level, &a->level));
    fur_workload w = {t, a->start, a->level, fur_levels_fill(&t, a->level), env->threads};
    return fur_schedule_create(env, &w, fur_is_remote(context) ? "levels" : NULL, &a->schedule);
}

/* Hands an array of the host over, on a device as a copy in its memory. from and to: addresses of
 * pointers. */
static fur_status hand_over(fur_context *context, int64_t count, size_t size, void *from, void *to)
{
    void *none = NULL;
    void *near;
    memcpy(&near, from, sizeof near);
    if (near && fur_is_remote(context)) {
        void *far;
        FUR_TRY(fur_memory_allocate(context, count, size, &far));
        memcpy(to, &far, sizeof far);
        return fur_memory_copy(context, far, near, count * (int64_t)size);
    }
    memcpy(to, &near, sizeof near);
    memcpy(from, &none, sizeof none);
    return FUR_OK;
}

/* The tasks of the host's threads. */
static fur_status take_tasks(fur_env *env, arrangement *a, fur_factors *own)
{
    own->task = a->schedule.task;
    a->schedule.task = NULL;
    own->tasks = (fur_trsv_tasks){.count = a->schedule.count, .task = own->task};
    return fur_env_allocate_zeros(env, own->tasks.count, sizeof *own->tasks.done, &own->tasks.done);
}

fur_status fur_factors_arrange(fur_precond *p, const fur_csr_view *f, fur_factors *own)
{
    fur_context *context = p->context;
    fur_env *env = &context->env;
    bool is_complex = f->value_type == FUR_C64 || f->value_type == FUR_C128;
    arrangement a = {.diagonal = NULL};
    fur_status status = FUR_OK;
    FUR_TRY_DONE(find_diagonal(env, f, &a));
    FUR_TRY_DONE(make_schedule(context, f, &a));
    FUR_TRY_DONE(hand_over(context, f->rows, sizeof *a.diagonal, &a.diagonal, &own->diagonal));
    FUR_TRY_DONE(hand_over(context, f->rows, sizeof *own->rows, &a.schedule.order, &own->rows));
    if (!fur_is_remote(context))
        FUR_TRY_DONE(take_tasks(env, &a, own));
    if (is_complex && own->form != FUR_FACTOR_CHOLESKY)
        FUR_TRY_DONE(
            fur_memory_allocate(context, f->rows, fur_value_size(f->value_type), &own->inverse));
done:
    fur_schedule_release(env, &a.schedule);
    fur_env_release(env, a.level);
    fur_env_release(env, a.start);
    fur_env_release(env, a.diagonal);
    return status;
}
