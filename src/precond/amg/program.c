/* The last levels, which have so few rows that a step takes longer to launch than to run. A device
 * runs all steps of a visit to them in one launch. The cycle itself records the steps: its levels
 * get verbs that note their operations. */
#include "hierarchy.h"
#include "value_type.h"

/* Largest numbers of real rows and of entries of a level of the program. With 764 rows and 35,538
 * entries the launches of an H100 take 175 us a cycle, and one launch takes 195. With 577 rows and
 * 5,667 entries they take 129 and 75 (docs/results/solve/amg-peers.md). */
#define ROWS_MAX 2048
#define ENTRIES_MAX 20480

/* Largest number of actions. A longer program gets fewer levels: W cycles visit the last levels
 * often. */
#define ACTIONS_MAX 4096

static bool is_small(const fur_amg_rung *rung)
{
    const fur_csr_view *a = &rung->level.a->view;
    return a->rows * fur_value_parts(a->value_type) <= ROWS_MAX && a->entries <= ENTRIES_MAX &&
           !rung->coloured.upper;
}

/* Returns the first small level; `levels` if only the last level is small. */
static int find_small(const fur_amg *amg)
{
    int first = amg->levels;
    if (!fur_is_remote(amg->context) || amg->options.cycle == FUR_AMG_K)
        return amg->levels;
    while (first > 0 && is_small(&amg->rung[first - 1]))
        first--;
    return first + 1 < amg->levels ? first : amg->levels;
}

static fur_status append(fur_amg_program *program, const fur_amg_action *action)
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

static fur_status note(const fur_amg_rung *g, fur_amg_verb verb, fur_amg_action action)
{
    action.verb = verb;
    return append(g->program, &action);
}

static fur_status note_multiply(const fur_amg_rung *g, const fur_amg_product *a, double alpha,
                                const fur_vector *x, bool add, fur_vector *y)
{
    const fur_csr_view *v = &a->matrix->view;
    return note(g, FUR_AMG_MULTIPLY,
                (fur_amg_action){.rows = v->rows,
                                 .wide = v->offset_type == FUR_I64,
                                 .offsets = v->offsets,
                                 .columns = v->columns,
                                 .values = v->values,
                                 .alpha = alpha,
                                 .x = x->data,
                                 .beta = add,
                                 .y = y->data});
}

static fur_status note_scale(const fur_amg_rung *g)
{
    return note(
        g, FUR_AMG_SCALE,
        (fur_amg_action){
            .rows = g->p->size, .scaling = g->scaling->data, .x = g->r->data, .y = g->p->data});
}

static fur_status note_turn(const fur_amg_rung *g, double alpha, double beta, fur_vector *x)
{
    return note(g, FUR_AMG_TURN,
                (fur_amg_action){.rows = x->size,
                                 .alpha = alpha,
                                 .beta = beta,
                                 .scaling = g->scaling->data,
                                 .x = g->r->data,
                                 .y = x->data,
                                 .p = g->p->data});
}

static fur_status note_add(const fur_amg_rung *g, double alpha, const fur_vector *x, fur_vector *y)
{
    return note(g, FUR_AMG_ADD,
                (fur_amg_action){.rows = y->size, .alpha = alpha, .x = x->data, .y = y->data});
}

static fur_status note_copy(const fur_amg_rung *g, const fur_vector *x, fur_vector *y)
{
    return note(g, FUR_AMG_COPY, (fur_amg_action){.rows = y->size, .x = x->data, .y = y->data});
}

static fur_status note_clear(const fur_amg_rung *g, fur_vector *x)
{
    return note(g, FUR_AMG_CLEAR, (fur_amg_action){.rows = x->size, .y = x->data});
}

static fur_status note_solve(const fur_amg_rung *g, const fur_amg_dense *dense, fur_vector *x)
{
    return note(g, FUR_AMG_SOLVE,
                (fur_amg_action){
                    .rows = dense->order, .values = dense->inverse, .x = g->r->data, .y = x->data});
}

static const fur_amg_verbs noting = {
    .multiply = note_multiply,
    .scale = note_scale,
    .turn = note_turn,
    .add = note_add,
    .copy = note_copy,
    .clear = note_clear,
    .solve = note_solve,
};

static void set_verbs(fur_amg *amg, int first, const fur_amg_verbs *verbs)
{
    for (int i = first; i < amg->levels; i++)
        amg->rung[i].verbs = verbs;
}

/* Records the steps of a visit to the levels from `first` on. */
static fur_status record(fur_amg *amg, int first)
{
    fur_amg_program *program = &amg->program;
    program->env = &amg->context->env;
    program->count = 0;
    amg->small = amg->levels;
    for (int i = first; i < amg->levels; i++)
        amg->rung[i].program = program;
    set_verbs(amg, first, &noting);
    fur_status status = fur_amg_visit(amg, first, amg->rung[first].x);
    set_verbs(amg, first, &fur_amg_doing);
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
        if (amg->program.count <= ACTIONS_MAX)
            break;
    }
    if (first + 1 >= amg->levels)
        return FUR_OK;
    FUR_TRY(send(amg, &amg->program));
    amg->small = first;
    return FUR_OK;
}

void fur_amg_release_program(fur_context *context, fur_amg_program *program)
{
    fur_memory_release(context, program->there);
    fur_env_release(&context->env, program->actions);
}
