/* Products of a matrix with a block of vectors, timed. */
#include "multiply_block.h"

#include "load.h"
#include "output.h"
#include "repeat.h"

typedef struct block_job {
    fur_context *context;
    const multiply_block_options *options;
    loaded_matrix a;
    loaded_matrix b; /* a matrix with all its entries, stored row by row */
    fur_vectors *x;  /* the values of b */
    fur_vectors *y;
    fur_spmm *plan;
    repeat repeat;
} block_job;

/* Loads B in A's value type. */
static fur_status load_block(block_job *job)
{
    command_common common = *job->options->common;
    common.reading.convert = fur_mtx_as(fur_csr_get(job->a.matrix)->value_type);
    FUR_TRY(load_matrix(job->context, &common, job->options->by, &job->b));
    const fur_csr_view *b = fur_csr_get(job->b.matrix);
    const fur_vectors_view array = {.size = sizeof array,
                                    .rows = b->rows,
                                    .cols = b->cols,
                                    .value_type = b->value_type,
                                    .data = (void *)(uintptr_t)b->values};
    return fur_vectors_wrap(job->context, &array, FUR_OWNERSHIP_BORROW, &job->x);
}

static fur_status load_operands(block_job *job)
{
    const char *name = job->options->common->operands[0];
    FUR_TRY(command_while(job->context, "reading", name,
                          load_matrix(job->context, job->options->common, name, &job->a)));
    return command_while(job->context, "reading", job->options->by, load_block(job));
}

static fur_status make_plan(block_job *job)
{
    const fur_csr_view *a = fur_csr_get(job->a.matrix);
    bool transpose = job->options->transpose;
    fur_spmm_options options = {.size = sizeof options, .op = transpose ? FUR_OP_T : FUR_OP_N};
    FUR_TRY(fur_vectors_create(job->context, a->value_type, transpose ? a->cols : a->rows,
                               fur_vectors_get(job->x)->cols, FUR_LAYOUT_ROWS, &job->y));
    return fur_spmm_plan(job->a.matrix, &options, &job->plan);
}

static fur_status apply(void *self)
{
    const block_job *job = self;
    return fur_spmm_apply(job->plan, fur_real(1), job->x, fur_real(0), job->y);
}

static fur_status find_product(block_job *job)
{
    FUR_TRY(make_plan(job));
    job->repeat = (repeat){.compute = apply, .job = job, .count = job->options->repeat};
    return repeat_timed(job->context, &job->repeat);
}

static fur_status print_product(const block_job *job)
{
    const fur_spmm_report *report = fur_spmm_describe(job->plan);
    const fur_vectors_view *x = fur_vectors_get(job->x);
    const fur_vectors_view *y = fur_vectors_get(job->y);
    int64_t bytes = report->matrix_bytes +
                    (x->rows + y->rows) * y->cols * (int64_t)fur_value_size(y->value_type);
    output out = output_begin(job->options->common->json);
    output_count(&out, "rows", "rows", y->rows);
    output_count(&out, "cols", "columns", y->cols);
    output_count(&out, "entries", "entries", y->rows * y->cols);
    output_text(&out, "value", "value type", fur_value_name(y->value_type));
    output_text(&out, "kernel", "kernel", report->kernel);
    repeat_put_machine(&out, job->context);
    output_seconds(&out, "seconds_load", "time to load", job->a.seconds + job->b.seconds);
    output_seconds(&out, "seconds_plan", "time to plan", report->seconds_plan);
    output_count(&out, "repeat", "products timed", job->repeat.count);
    output_seconds(&out, "seconds_apply", "median product", job->repeat.seconds);
    output_count(&out, "bytes", "bytes of A, B and C", bytes);
    output_rate(&out, "gbps", "throughput", 1e-9 * (double)bytes / job->repeat.seconds);
    FUR_TRY(
        repeat_put_norms(&out, job->context, y->value_type, y->rows * y->cols, y->data, "entries"));
    return output_end(&out, job->context);
}

static fur_status run(block_job *job)
{
    FUR_TRY(load_operands(job));
    FUR_TRY(command_while(job->context, "multiplying by", job->options->by, find_product(job)));
    if (job->options->out->path)
        FUR_TRY(save_vectors(job->y, job->options->out));
    return print_product(job);
}

fur_status multiply_block(fur_context *context, const multiply_block_options *options)
{
    block_job job = {.context = context, .options = options};
    fur_status status = run(&job);
    fur_spmm_destroy(job.plan);
    fur_vectors_destroy(job.y);
    fur_vectors_destroy(job.x);
    fur_csr_destroy(job.b.matrix);
    fur_csr_destroy(job.a.matrix);
    return status;
}
