/* Plans of triangular solves, and the solves. */
#include <furrow/author/clock.h>
#include <furrow/author/options.h>

#include "split.h"
#include "triangular.h"

#include <stdio.h>
#include <string.h>

static fur_status check(const fur_csr *a, const fur_trsv_wish *wish, fur_op op)
{
    fur_env *env = &a->context->env;
    static const char *const names[] = {"auto", "serial", "blocks", "levels"};
    const char *name = wish->schedule ? wish->schedule : "auto";
    int i = 0;
    if (a->view.rows != a->view.cols)
        return fur_env_fail(env, FUR_INVALID,
                            "a triangular solve needs a square matrix; this one is %lld x %lld",
                            (long long)a->view.rows, (long long)a->view.cols);
    if ((unsigned)wish->triangle > FUR_TRIANGLE_UPPER)
        return fur_env_fail(env, FUR_INVALID,
                            "%d is not a triangle; use FUR_TRIANGLE_LOWER or FUR_TRIANGLE_UPPER",
                            (int)wish->triangle);
    if ((unsigned)op > FUR_OP_H)
        return fur_env_fail(env, FUR_INVALID, "%d is not an operation; use FUR_OP_N, _T or _H",
                            (int)op);
    if ((unsigned)wish->diagonal > FUR_DIAGONAL_UNIT)
        return fur_env_fail(env, FUR_INVALID,
                            "%d is not a diagonal; use FUR_DIAGONAL_STORED or FUR_DIAGONAL_UNIT",
                            (int)wish->diagonal);
    while (i < 4 && strcmp(names[i], name) != 0)
        i++;
    return i < 4 ? FUR_OK
                 : fur_env_fail(env, FUR_UNSUPPORTED,
                                "there is no schedule \"%s\"; use auto, serial, blocks or levels",
                                name);
}

/* Sets the operand: A for op N, else its transpose, which the plan owns. */
static fur_status set_operand(fur_trsv *plan)
{
    plan->operand = plan->a;
    if (plan->op == FUR_OP_N)
        return FUR_OK;
    FUR_TRY(fur_csr_transpose(plan->a, plan->op == FUR_OP_H, &plan->transpose));
    plan->operand = plan->transpose;
    return FUR_OK;
}

/* Counts the entries before each place. */
static void count_entries(const fur_strict *t, int64_t *start)
{
    start[0] = 0;
    for (int64_t place = 0; place < t->a->rows; place++) {
        int64_t begin;
        int64_t end;
        fur_strict_entries(t, fur_strict_row(t, place), &begin, &end);
        start[place + 1] = start[place] + end - begin;
    }
}

static int64_t largest_level(const fur_workload *w, int64_t *rows)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < w->t.a->rows; i++) {
        int64_t count = ++rows[w->level[i]];
        largest = count > largest ? count : largest;
    }
    return largest;
}

/* Allocates the state of a solve's tasks, and memory for several solutions at once. */
static fur_status make_tasks(fur_env *env, fur_trsv *plan, bool many)
{
    const fur_triangle_view *v = &plan->packed.view;
    if (many)
        FUR_TRY(fur_env_allocate(env, v->rows, FUR_TRSV_MANY * fur_value_size(v->value_type),
                                 &plan->work));
    const fur_schedule *s = &plan->schedule;
    plan->tasks = (fur_trsv_tasks){.count = s->count, .task = s->task};
    return fur_env_allocate_zeros(env, s->count, sizeof *plan->tasks.done, &plan->tasks.done);
}

static void report_schedule(fur_trsv *plan, const char *asked, const fur_workload *w)
{
    fur_trsv_report *report = &plan->report;
    const fur_schedule *s = &plan->schedule;
    bool named = asked && strcmp(asked, "auto") != 0;
    report->schedule = s->name;
    report->tasks = s->count;
    report->levels = w->levels;
    if (named)
        snprintf(plan->reason, sizeof plan->reason, "asked for by name");
    else if (w->threads == 1)
        snprintf(plan->reason, sizeof plan->reason, "the context has one thread");
    else if (s->count > 1)
        snprintf(plan->reason, sizeof plan->reason,
                 "expected in %.2f of the time of one thread, with %d threads",
                 s->time / (double)fur_strict_work(w, 0, w->t.a->rows), w->threads);
    else
        snprintf(plan->reason, sizeof plan->reason,
                 "%lld rows on %lld levels are too few for more threads", (long long)w->t.a->rows,
                 (long long)w->levels);
}

/* Makes the schedule, the copy without its values, and the report. */
static fur_status arrange(fur_trsv *plan, const fur_trsv_wish *wish, const fur_workload *w)
{
    fur_env *env = &plan->context->env;
    FUR_TRY(fur_schedule_create(env, w, wish->schedule, &plan->schedule));
    FUR_TRY(fur_packed_create(env, w, plan->schedule.order, wish->diagonal == FUR_DIAGONAL_UNIT,
                              &plan->packed));
    report_schedule(plan, wish->schedule, w);
    return make_tasks(env, plan, wish->many);
}

static fur_status plan_here(fur_trsv *plan, const fur_trsv_wish *wish)
{
    fur_env *env = &plan->context->env;
    int64_t n = plan->operand->view.rows;
    int64_t *start = NULL;
    int64_t *rows = NULL;
    int32_t *level = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, n + 1, sizeof *start, &start));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *level, &level));
    count_entries(&plan->strict, start);
    fur_workload w = {plan->strict, start, level, fur_levels_fill(&plan->strict, level),
                      env->threads};
    FUR_TRY_DONE(fur_env_allocate_zeros(env, w.levels, sizeof *rows, &rows));
    plan->report.level_max = largest_level(&w, rows);
    plan->report.entries = start[n] + (wish->diagonal == FUR_DIAGONAL_STORED ? n : 0);
    FUR_TRY_DONE(arrange(plan, wish, &w));
    FUR_TRY_DONE(fur_packed_refresh(env, &plan->strict, &plan->packed));
done:
    fur_env_release(env, rows);
    fur_env_release(env, level);
    fur_env_release(env, start);
    return status;
}

/* Updates the plan from the matrix's new values. */
static fur_status update(void *object)
{
    fur_trsv *plan = object;
    if (plan->near)
        return fur_trsv_update_near(plan);
    if (plan->transpose)
        FUR_TRY(fur_csr_transpose_values(plan->a, plan->op == FUR_OP_H, plan->transpose));
    if (plan->state)
        return fur_trsv_update_device(plan);
    return fur_packed_refresh(&plan->context->env, &plan->strict, &plan->packed);
}

/* Returns whether the device can solve with rows as long as the operand's. */
static fur_status find_device(const fur_trsv *plan, bool *found)
{
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    FUR_TRY(fur_csr_measure(plan->operand, &figures));
    *found = figures.row_max <= FUR_TRSV_LONGEST;
    return FUR_OK;
}

static fur_status make(fur_trsv *plan, const fur_trsv_wish *wish)
{
    bool remote = fur_is_remote(plan->context);
    bool found = !remote;
    if (remote && !fur_services(plan->context)->trsv.plan)
        return fur_trsv_plan_near(plan, wish);
    FUR_TRY(set_operand(plan));
    if (remote)
        FUR_TRY(find_device(plan, &found));
    if (!found)
        return fur_trsv_plan_near(plan, wish);
    plan->strict.a = &plan->operand->view;
    plan->strict.upper = (wish->triangle == FUR_TRIANGLE_UPPER) != (plan->op != FUR_OP_N);
    plan->unit = wish->diagonal == FUR_DIAGONAL_UNIT;
    return remote ? fur_trsv_plan_device(plan, wish) : plan_here(plan, wish);
}

static void complete_report(fur_trsv *plan)
{
    const fur_csr_view *a = &plan->a->view;
    fur_trsv_report *report = &plan->report;
    int64_t value = (int64_t)fur_value_size(a->value_type);
    report->size = sizeof *report;
    report->reason = plan->reason;
    report->bytes = report->entries * (value + (int64_t)sizeof(int32_t)) +
                    (a->rows + 1) * (int64_t)fur_offset_size(a->offset_type) + 2 * a->rows * value;
}

fur_status fur_trsv_plan(const fur_csr *a, fur_triangle triangle, fur_op op,
                         fur_triangle_diagonal diagonal, const fur_trsv_options *options,
                         fur_trsv **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    double start = fur_seconds();
    fur_env *env = &a->context->env;
    fur_trsv_options o;
    FUR_TAKE_OPTIONS(a->context, fur_trsv_options, &o, options);
    fur_trsv_wish wish = {triangle, diagonal, o.schedule, o.many != 0};
    FUR_TRY(check(a, &wish, op));

    fur_trsv *plan;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *plan, &plan));
    plan->context = a->context;
    plan->a = a;
    plan->op = op;
    fur_status status = make(plan, &wish);
    if (status != FUR_OK) {
        fur_trsv_destroy(plan);
        return status;
    }
    complete_report(plan);
    plan->report.seconds_plan = fur_seconds() - start;
    plan->dependent = (fur_dependent){"the triangular solve", plan, update, .reads = true};
    fur_dependent_join(&plan->dependent, &a->made);
    *out = plan;
    return FUR_OK;
}

/* Releases a plan, except its companion's plan. */
static void release(fur_trsv *plan)
{
    fur_env *env = &plan->context->env;
    fur_dependent_leave(&plan->dependent);
    fur_env_release(env, plan->work);
    fur_env_release(env, plan->tasks.done);
    fur_packed_release(env, &plan->packed);
    fur_schedule_release(env, &plan->schedule);
    fur_csr_destroy(plan->transpose);
    if (plan->state)
        fur_services(plan->context)->trsv.release(env, plan->state);
    fur_vector_destroy(plan->near_x);
    fur_csr_destroy(plan->near_a);
    fur_env_release(env, plan);
}

void fur_trsv_destroy(fur_trsv *plan)
{
    if (plan && plan->near)
        release(plan->near);
    if (plan)
        release(plan);
}

/* Returns FUR_INVALID unless b and x suit the plan, and are the same vector or do not overlap. */
static fur_status check_vectors(const fur_trsv *plan, const fur_vector *b, const fur_vector *x)
{
    int64_t n = plan->a->view.rows;
    FUR_TRY(fur_csr_check_vector(plan->a, "b", b, n));
    FUR_TRY(fur_csr_check_vector(plan->a, "x", x, n));
    return fur_vector_match_result(b, x);
}

/* Solves for at most FUR_TRSV_MANY right-hand sides. */
static fur_status solve_some(fur_trsv *plan, fur_trsv_call *call)
{
    const fur_context *context = plan->context;
    if (plan->state)
        return fur_services(context)->trsv.solve(call->env, plan->state, call->alpha, call->count,
                                                 call->b, call->x);
    context->backend->trsv(call);
    return FUR_OK;
}

/* Solves without checks. */
static fur_status solve(const fur_trsv *plan, fur_scalar alpha, int count,
                        const fur_vector *const *b, fur_vector *const *x)
{
    fur_trsv *own = (fur_trsv *)(uintptr_t)plan;
    bool several = plan->work || plan->state;
    fur_trsv_call call = {.env = &plan->context->env,
                          .t = &plan->packed.view,
                          .tasks = &own->tasks,
                          .alpha = alpha,
                          .work = plan->work};
    for (int k = 0; k < count && plan->near; k++)
        FUR_TRY(fur_trsv_apply_near(plan, alpha, b[k], x[k]));
    for (int k = 0; k < count && !plan->near; k += call.count) {
        call.count = several ? (int)fur_smaller(count - k, FUR_TRSV_MANY) : 1;
        for (int r = 0; r < call.count; r++) {
            call.b[r] = b[k + r]->data;
            call.x[r] = x[k + r]->data;
        }
        FUR_TRY(solve_some(own, &call));
    }
    return FUR_OK;
}

fur_status fur_trsv_apply(const fur_trsv *plan, fur_scalar alpha, const fur_vector *b,
                          fur_vector *x)
{
    FUR_NEED(plan ? plan->context : NULL, plan, b, x);
    FUR_TRY(fur_dependent_check(&plan->context->env, &plan->dependent));
    FUR_TRY(check_vectors(plan, b, x));
    return solve(plan, alpha, 1, &b, &x);
}

/* Returns FUR_INVALID if x[k] overlaps with a vector other than b[k]. */
static fur_status check_apart(int count, const fur_vector *const *b, fur_vector *const *x, int k)
{
    for (int other = 0; other < count; other++) {
        if (other != k)
            FUR_TRY(fur_vector_check_apart(b[other], "a vector of b", x[k], "one of x"));
        if (other < k)
            FUR_TRY(fur_vector_check_apart(x[other], "a vector of x", x[k], "another"));
    }
    return FUR_OK;
}

static fur_status check_many(const fur_trsv *plan, int count, const fur_vector *const *b,
                             fur_vector *const *x)
{
    for (int k = 0; k < count; k++) {
        if (!b[k] || !x[k])
            return fur_env_fail(&plan->context->env, FUR_INVALID, "vector %d of %s is NULL", k,
                                b[k] ? "x" : "b");
        FUR_TRY(check_vectors(plan, b[k], x[k]));
    }
    for (int k = 0; k < count; k++)
        FUR_TRY(check_apart(count, b, x, k));
    return FUR_OK;
}

fur_status fur_trsv_apply_many(const fur_trsv *plan, fur_scalar alpha, int count,
                               const fur_vector *const *b, fur_vector *const *x)
{
    FUR_NEED(plan ? plan->context : NULL, plan);
    FUR_NEED_IF(count > 0, plan->context, b, x);
    FUR_TRY(fur_dependent_check(&plan->context->env, &plan->dependent));
    FUR_TRY(check_many(plan, count, b, x));
    return solve(plan, alpha, count, b, x);
}

const fur_trsv_report *fur_trsv_describe(const fur_trsv *plan)
{
    static const fur_trsv_report none = {.size = sizeof none, .schedule = "", .reason = ""};
    return plan ? &plan->report : &none;
}
