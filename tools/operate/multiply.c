/* furrow multiply: y = A x or C = A B, timed. */
#include "command.h"

#include <string.h>

#include "line.h"
#include "load_half.h"
#include "multiply_block.h"
#include "multiply_by.h"
#include "output.h"
#include "product.h"
#include "repeat.h"
#include "save.h"

typedef struct multiply_options {
    command_common common;
    const char *x;
    const char *by; /* file of a sparse matrix or a block of vectors; NULL: one vector */
    save_target out;
    const char *kernel;
    const char *reorder; /* NULL: not given */
    const char *values;  /* NULL: not given */
    int64_t repeat;      /* 0: not given */
    bool transpose;
    bool half;
} multiply_options;

/* All objects of a run, released in one place. */
typedef struct multiply_job {
    fur_context *context;
    const multiply_options *options;
    loaded_matrix a;
    fur_half half;
    fur_product *product;
    fur_vector *x;
    fur_vector *y;
    repeat repeat;
} multiply_job;

static fur_status load_a(multiply_job *job, const char *name)
{
    const command_common *common = &job->options->common;
    return job->options->half ? load_half(job->context, common, name, &job->a, &job->half)
                              : load_matrix(job->context, common, name, &job->a);
}

static fur_status load_operands(multiply_job *job)
{
    const multiply_options *options = job->options;
    const char *name = options->common.operands[0];
    FUR_TRY(product_check_kernel(job->context, options->kernel));
    FUR_TRY(command_while(job->context, "reading", name, load_a(job, name)));
    const fur_csr_view *view = fur_csr_get(job->a.matrix);
    vector_request x = {.path = options->x,
                        .value = view->value_type,
                        .size = options->transpose ? view->rows : view->cols};
    return command_while(job->context, "reading", options->x ? options->x : name,
                         load_vector(job->context, &options->common, &x, &job->x));
}

static fur_status make_product(multiply_job *job)
{
    const multiply_options *o = job->options;
    fur_product_options options = {.size = sizeof options,
                                   .uses = job->options->repeat,
                                   .op = o->transpose ? FUR_OP_T : FUR_OP_N,
                                   .kernel = o->kernel,
                                   .order = o->reorder,
                                   .values = product_stored(o->values),
                                   .half = job->half};
    FUR_TRY(fur_product_create(job->a.matrix, &options, &job->product));
    const fur_operator *op = fur_product_operator(job->product);
    FUR_TRY(product_enter(job->product, &job->x));
    return fur_vector_create(job->context, fur_operator_value_type(op), fur_operator_rows(op),
                             &job->y);
}

static fur_status apply(void *self)
{
    const multiply_job *job = self;
    return fur_operator_apply(fur_product_operator(job->product), job->x, job->y);
}

static void put_plan(output *out, const multiply_job *job)
{
    const fur_product_report *report = fur_product_describe(job->product);
    double gigabytes = 1e-9 * (double)report->bytes;
    if (job->options->values)
        output_text(out, "values", "values kept as", job->options->values);
    if (job->half)
        output_text(out, "half", "half storage of", half_name(job->half));
    output_text(out, "kernel", "kernel", report->kernel);
    output_text(out, "reason", "because", report->reason);
    if (report->seconds_estimated > 0)
        output_seconds(out, "seconds_estimated", "estimated product", report->seconds_estimated);
    product_put_recognition(out, report);
    repeat_put_machine(out, job->context);
    output_seconds(out, "seconds_load", "time to load", job->a.seconds);
    output_seconds(out, "seconds_plan", "time to plan", report->seconds_plan);
    output_count(out, "repeat", "products timed", job->repeat.count);
    output_seconds(out, "seconds_median", "median product", job->repeat.seconds);
    output_count(out, "bytes", "bytes a product", report->bytes);
    output_count(out, "csr_bytes", "bytes in plain CSR", report->csr_bytes);
    output_rate(out, "gbps", "throughput",
                job->repeat.seconds > 0.0 ? gigabytes / job->repeat.seconds : 0.0);
}

static fur_status print_product(const multiply_job *job)
{
    const fur_csr_view *view = fur_csr_get(job->a.matrix);
    output out = output_begin(job->options->common.json);
    output_count(&out, "rows", "rows", view->rows);
    output_count(&out, "cols", "columns", view->cols);
    output_count(&out, "entries", "entries", view->entries);
    output_text(&out, "value", "value type", fur_value_name(view->value_type));
    product_put_order(&out, fur_product_describe(job->product));
    put_plan(&out, job);
    FUR_TRY(repeat_put_norms(&out, job->context, view->value_type, fur_vector_size(job->y),
                             fur_vector_const_data(job->y), "y"));
    return output_end(&out, job->context);
}

static fur_status find_product(multiply_job *job)
{
    FUR_TRY(make_product(job));
    job->repeat = (repeat){.compute = apply, .job = job, .count = job->options->repeat};
    FUR_TRY(repeat_timed(job->context, &job->repeat));
    return product_leave(job->product, &job->y);
}

static fur_status multiply_steps(multiply_job *job)
{
    FUR_TRY(load_operands(job));
    FUR_TRY(command_while(job->context, "multiplying by", job->options->common.operands[0],
                          find_product(job)));
    if (job->options->out.path)
        FUR_TRY(save_vector(job->y, &job->options->out, NULL));
    return print_product(job);
}

/* Multiplies by the file of an array, whose columns are vectors, or of a sparse matrix. */
static fur_status multiply_by_file(fur_context *context, const multiply_options *o)
{
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    bool array =
        fur_mtx_read_header(context, o->by, &header) == FUR_OK && header.format == FUR_MTX_ARRAY;
    if (array)
        return multiply_block(context, &(multiply_block_options){&o->common, o->by, &o->out,
                                                                 o->repeat, o->transpose});
    if (o->transpose)
        return fur_context_fail(
            context, FUR_UNSUPPORTED,
            "--transpose multiplies by an array only, but %s is a sparse matrix", o->by);
    return multiply_by(context, &(multiply_by_options){&o->common, o->by, &o->out, o->repeat});
}

static fur_status multiply(fur_context *context, const void *options)
{
    multiply_job job = {.context = context, .options = options};
    const multiply_options *o = options;
    if (o->by)
        return multiply_by_file(context, o);
    fur_status status = multiply_steps(&job);
    fur_vector_destroy(job.y);
    fur_vector_destroy(job.x);
    fur_product_destroy(job.product);
    fur_csr_destroy(job.a.matrix);
    return status;
}

/* Checks combinations of options when all are known. */
static void settle(struct argp_state *state, void *options)
{
    const multiply_options *o = options;
    bool stencil = o->kernel && strcmp(o->kernel, "stencil") == 0;
    const command_pairing pairings[] = {
        {"--kernel stencil", stencil, !o->transpose, "without --transpose"},
        {"--x", o->x, !o->by, "without --by"},
        {"--kernel", o->kernel, !o->by, "without --by"},
        {"--reorder", o->reorder, !o->by, "without --by"},
        {"--values", o->values, !o->by, "without --by"},
        {"--half", o->half, !o->by, "without --by"},
        {"--half", o->half, !o->kernel, "without --kernel"},
        {"--half", o->half, !o->reorder, "without --reorder: order the file by furrow reorder"},
    };
    command_check(state, pairings, sizeof pairings / sizeof *pairings);
    save_check(state, "--out", &o->out);
}

#define AT(member) .at = offsetof(multiply_options, member)
static const line_option own_options[] = {
    {"x", "X.mtx", "Vector x (default: all ones)", LINE_INPUT, AT(x)},
    {"by", "B.mtx", "Compute C = A B instead; B is a sparse matrix or an array", LINE_INPUT,
     AT(by)},
    {"transpose", NULL, "Multiply by the transpose of A", LINE_FLAG, AT(transpose)},
    {"half", NULL,
     "Store only the lower triangle of a symmetric or Hermitian A: half the memory, same result",
     LINE_FLAG, AT(half)},
    {"out", "Y.mtx", "Write y or C to this file", LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {"kernel", "NAME", PRODUCT_KERNEL_DOC, LINE_TEXT, AT(kernel)},
    {"repeat", "N",
     "Number of timed products, and of uses to choose for (default: enough for 0.2 s; 50)",
     LINE_LONG, AT(repeat), .most = REPEAT_MAX},
    {"reorder", "METHOD", PRODUCT_ORDER_DOC, LINE_CHOICE, AT(reorder), .names = product_order},
    {"values", "FORM", PRODUCT_VALUES_DOC, LINE_CHOICE, AT(values), .names = product_values},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "FILE",
    .settle = settle,
    .doc = "Compute y = A x for the matrix A in FILE, or C = A B. Print the speed and the norms of "
           "the result.\vOn a GPU the command times batches of 100 products, because waiting for "
           "one product takes longer than a small product.",
};

int command_multiply(int argc, char **argv)
{
    multiply_options options = {.common = {.operands_min = 1, .operands_max = 1}};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, multiply, &options);
}
