/* furrow trisolve: solves op(T) x = b with a triangle of a matrix, timed. */
#include "command.h"

#include "line.h"
#include "load.h"
#include "output.h"
#include "repeat.h"
#include "save.h"

typedef struct trisolve_options {
    command_common common;
    save_target out;
    const char *schedule;
    int64_t repeat; /* 0: not given */
    bool upper;
    bool transpose;
    bool unit;
} trisolve_options;

/* All objects of a run, released in one place. */
typedef struct trisolve_job {
    fur_context *context;
    const trisolve_options *options;
    loaded_matrix a;
    fur_trsv *plan;
    fur_vector *b;
    fur_vector *x;
    repeat repeat;
} trisolve_job;

static const char *schedule_names(fur_context *context, int index)
{
    static const char *const names[] = {"auto", "serial", "blocks", "levels"};
    (void)context;
    return index < 4 ? names[index] : NULL;
}

static fur_status load_operands(trisolve_job *job)
{
    const command_common *common = &job->options->common;
    const char *name = common->operands[0];
    const char *b = common->operand_count > 1 ? common->operands[1] : NULL;
    FUR_TRY(command_while(job->context, "reading", name,
                          load_matrix(job->context, common, name, &job->a)));
    const fur_csr_view *view = fur_csr_get(job->a.matrix);
    vector_request request = {.path = b, .value = view->value_type, .size = view->rows};
    return command_while(job->context, "reading", b ? b : name,
                         load_vector(job->context, common, &request, &job->b));
}

static fur_status make_plan(trisolve_job *job)
{
    const trisolve_options *o = job->options;
    const fur_csr_view *view = fur_csr_get(job->a.matrix);
    fur_trsv_options options = {.size = sizeof options, .schedule = o->schedule};
    FUR_TRY(fur_trsv_plan(job->a.matrix, o->upper ? FUR_TRIANGLE_UPPER : FUR_TRIANGLE_LOWER,
                          o->transpose ? FUR_OP_T : FUR_OP_N,
                          o->unit ? FUR_DIAGONAL_UNIT : FUR_DIAGONAL_STORED, &options, &job->plan));
    return fur_vector_create(job->context, view->value_type, view->rows, &job->x);
}

static fur_status apply(void *self)
{
    const trisolve_job *job = self;
    return fur_trsv_apply(job->plan, fur_real(1), job->b, job->x);
}

static fur_status solve_triangle(trisolve_job *job)
{
    FUR_TRY(make_plan(job));
    job->repeat = (repeat){.compute = apply, .job = job, .count = job->options->repeat};
    return repeat_timed(job->context, &job->repeat);
}

static void put_plan(output *out, const trisolve_job *job)
{
    const fur_trsv_report *report = fur_trsv_describe(job->plan);
    double seconds = job->repeat.seconds;
    output_count(out, "triangle_entries", "triangle's entries", report->entries);
    output_count(out, "levels", "levels", report->levels);
    output_count(out, "level_max", "rows of the largest", report->level_max);
    output_text(out, "schedule", "schedule", report->schedule);
    output_text(out, "reason", "because", report->reason);
    output_count(out, "tasks", "tasks", report->tasks);
    repeat_put_machine(out, job->context);
    output_seconds(out, "seconds_load", "time to load", job->a.seconds);
    output_seconds(out, "seconds_plan", "time to plan", report->seconds_plan);
    output_count(out, "repeat", "solves timed", job->repeat.count);
    output_seconds(out, "seconds_apply", "median solve", seconds);
    output_count(out, "bytes", "bytes a solve", report->bytes);
    output_rate(out, "gbps", "throughput",
                seconds > 0 ? 1e-9 * (double)report->bytes / seconds : 0);
}

static fur_status print_solution(const trisolve_job *job)
{
    const fur_csr_view *view = fur_csr_get(job->a.matrix);
    output out = output_begin(job->options->common.json);
    output_count(&out, "rows", "rows", view->rows);
    output_count(&out, "cols", "columns", view->cols);
    output_count(&out, "entries", "entries", view->entries);
    output_text(&out, "value", "value type", fur_value_name(view->value_type));
    put_plan(&out, job);
    FUR_TRY(repeat_put_norms(&out, job->context, view->value_type, view->rows,
                             fur_vector_const_data(job->x), "x"));
    return output_end(&out, job->context);
}

static fur_status trisolve_steps(trisolve_job *job)
{
    FUR_TRY(load_operands(job));
    FUR_TRY(command_while(job->context, "solving with", job->options->common.operands[0],
                          solve_triangle(job)));
    if (job->options->out.path)
        FUR_TRY(save_vector(job->x, &job->options->out, NULL));
    return print_solution(job);
}

static fur_status trisolve(fur_context *context, const void *options)
{
    trisolve_job job = {.context = context, .options = options};
    fur_status status = trisolve_steps(&job);
    fur_vector_destroy(job.x);
    fur_vector_destroy(job.b);
    fur_trsv_destroy(job.plan);
    fur_csr_destroy(job.a.matrix);
    return status;
}

static void settle(struct argp_state *state, void *options)
{
    const trisolve_options *o = options;
    save_check(state, "--out", &o->out);
}

#define AT(member) .at = offsetof(trisolve_options, member)
static const line_option own_options[] = {
    {"upper", NULL, "Use the upper triangle (default: the lower triangle)", LINE_FLAG, AT(upper)},
    {"transpose", NULL, "Solve with the transpose of the triangle", LINE_FLAG, AT(transpose)},
    {"unit", NULL, "Use ones as the diagonal", LINE_FLAG, AT(unit)},
    {"out", "X.mtx", "Write x to this file", LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {"schedule", "NAME",
     "Schedule of the rows for threads: auto (default), serial, blocks or levels", LINE_CHOICE,
     AT(schedule), .names = schedule_names},
    {"repeat", "N", "Number of timed solves (default: enough for 0.2 s)", LINE_LONG, AT(repeat),
     .most = REPEAT_MAX},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "FILE [B.mtx]",
    .settle = settle,
    .doc = "Solve T x = b. T is a triangle of the matrix in FILE. b is the vector in B.mtx, or all "
           "ones. Print the speed and the norms of x.\vEntries outside the triangle are "
           "ignored. So one file may store both factors of a factorisation."};

int command_trisolve(int argc, char **argv)
{
    trisolve_options options = {.common = {.operands_min = 1, .operands_max = 2}};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, trisolve, &options);
}
