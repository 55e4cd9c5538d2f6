/* The order in which the rows of incomplete factors are computed. It is the order of a solve with
 * their lower triangle. A device uses levels. */
#include "factor.h"

/* Data that depend on the pattern, on the host. */
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

static fur_status make_schedule(fur_env *env, const fur_csr_view *f, arrangement *a)
{
    fur_strict t = {f, false};
    FUR_TRY(fur_env_allocate(env, f->rows, sizeof *a->level, &a->level));
    fur_workload w = {t, a->start, a->level, fur_levels_fill(&t, a->level), env->threads};
    return fur_schedule_create(env, &w, NULL, &a->schedule);
}

/* Takes the order and the tasks of the host's threads. */
static fur_status take_schedule(fur_env *env, arrangement *a, fur_factors *own)
{
    own->rows = a->schedule.order;
    own->task = a->schedule.task;
    a->schedule.order = NULL;
    a->schedule.task = NULL;
    own->tasks = (fur_trsv_tasks){.count = a->schedule.count, .task = own->task};
    return fur_env_allocate_zeros(env, own->tasks.count, sizeof *own->tasks.done, &own->tasks.done);
}

static fur_status arrange_here(fur_env *env, const fur_csr_view *f, fur_factors *own)
{
    arrangement a = {.diagonal = NULL};
    fur_status status = FUR_OK;
    FUR_TRY_DONE(find_diagonal(env, f, &a));
    FUR_TRY_DONE(make_schedule(env, f, &a));
    own->diagonal = a.diagonal;
    a.diagonal = NULL;
    FUR_TRY_DONE(take_schedule(env, &a, own));
done:
    fur_schedule_release(env, &a.schedule);
    fur_env_release(env, a.level);
    fur_env_release(env, a.start);
    fur_env_release(env, a.diagonal);
    return status;
}

static fur_status arrange_there(fur_context *context, const fur_csr_view *f, fur_factors *own)
{
    const fur_triangular_services *device = &fur_services(context)->trsv;
    int64_t missing;
    FUR_TRY(fur_memory_allocate(context, f->rows, sizeof *own->diagonal, &own->diagonal));
    FUR_TRY(fur_memory_allocate(context, f->rows, sizeof *own->rows, &own->rows));
    FUR_TRY(device->find_diagonal(&context->env, f, own->diagonal, &missing));
    return device->order(&context->env, f, own->rows);
}

fur_status fur_factors_arrange(fur_precond *p, fur_factors *own)
{
    fur_context *context = p->context;
    const fur_csr_view *f = &own->f->view;
    bool is_complex = f->value_type == FUR_C64 || f->value_type == FUR_C128;
    FUR_TRY(fur_is_remote(context) ? arrange_there(context, f, own)
                                   : arrange_here(&context->env, f, own));
    if (!is_complex || own->form == FUR_FACTOR_CHOLESKY)
        return FUR_OK;
    return fur_memory_allocate(context, f->rows, fur_value_size(f->value_type), &own->inverse);
}
