/* The last levels, whose rows are so few that a step takes longer to begin than to do: a device
 * runs all steps of a visit to them in one launch. The steps are recorded from the cycle itself. */
#include "hierarchy.h"
#include "value_type.h"

/* A level of the program has at most so many real rows, and entries: of 764 rows with 35,538 the
 * launches of an H100 take 175 us a cycle, one launch 195; of 577 with 5,667, 129 and 75
 * (docs/results/solve/amg-peers.md). */
#define ROWS_MOST 2048
#define ENTRIES_MOST 20480

/* A program of more actions has fewer levels: W cycles come often to the last ones. */
#define ACTIONS_MOST 4096

static bool is_small(const fur_amg_rung *rung)
{
    const fur_csr_view *a = &rung->level.a->view;
    return a->rows * fur_value_parts(a->value_type) <= ROWS_MOST && a->entries <= ENTRIES_MOST &&
           !rung->coloured.upper;
}

/* The first of the levels that are small; `levels` if that is the last alone. */
static int find_small(const fur_amg *amg)
{
    int first = amg->levels;
    if (!fur_is_remote(amg->context) || amg->options.cycle == FUR_AMG_K)
        return amg->levels;
    while (first > 0 && is_small(&amg->rung[first - 1]))
        first--;
    return first + 1 < amg->levels ? first : amg->levels;
}

fur_status fur_amg_program_append(fur_amg_program *program, const fur_amg_action *action)
{
    fur_amg_action *actions = program->actions;
    if (program->count == program->room) {
        FUR_TRY(fur_env_allocate(program->env, 2 * program->room + 64, sizeof *actions, &actions));
        if (program->count > 0)
            memcpy(actions, program->actions, (size_t)program->count * sizeof *actions);
        fur_env_release(program->env, program->actions);
        program->actions = actions;
        program->room = 2 * program->room + 64;
    }
    actions[program->count++] = *action;
    return FUR_OK;
}

static void set_recording(fur_amg *amg, int first, fur_amg_program *program)
{
    for (int i = first; i < amg->levels; i++)
        amg->rung[i].program = program;
}

/* The steps of a visit to the levels from `first` on. */
static fur_status record(fur_amg *amg, int first)
{
    fur_amg_program *program = &amg->program;
    program->env = &amg->context->env;
    program->count = 0;
    amg->small = amg->levels;
    set_recording(amg, first, program);
    fur_status status = fur_amg_visit(amg, first, amg->rung[first].x);
    set_recording(amg, first, NULL);
    return status;
}

static fur_status send(const fur_amg *amg, fur_amg_program *program)
{
    int64_t bytes = program->count * (int64_t)sizeof *program->actions;
    if (program->there && program->sent < program->count) {
        fur_memory_release(amg->context, program->there);
        program->there = NULL;
    }
    if (!program->there)
        FUR_TRY(fur_memory_allocate(amg->context, program->count, sizeof *program->actions,
                                    &program->there));
    program->sent = program->count;
    return fur_memory_copy(amg->context, program->there, program->actions, bytes);
}

fur_status fur_amg_make_program(fur_amg *amg)
{
    int first = find_small(amg);
    amg->small = amg->levels;
    for (; first + 1 < amg->levels; first++) {
        FUR_TRY(record(amg, first));
        if (amg->program.count <= ACTIONS_MOST)
            break;
    }
    if (first + 1 >= amg->levels)
        return FUR_OK;
    FUR_TRY(send(amg, &amg->program));
    amg->small = first;
    return FUR_OK;
}

fur_status fur_amg_run_program(const fur_amg *amg)
{
    return fur_amg_device(amg->context)
        ->run(&amg->context->env, amg->value, amg->program.count, amg->program.there);
}

void fur_amg_release_program(fur_context *context, fur_amg_program *program)
{
    fur_memory_release(context, program->there);
    fur_env_release(&context->env, program->actions);
}
