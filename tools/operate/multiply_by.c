/* Products of two sparse matrices, timed: the pattern of C once, its values again and again. */
#include "multiply_by.h"

#include <string.h>

#include "load.h"
#include "output.h"

/* Without --repeat: as many products as fill this time, at least one. */
#define MEASURED_SECONDS 0.2

typedef struct by_job {
    fur_context *context;
    const multiply_by_options *options;
    loaded_matrix a;
    loaded_matrix b; /* without a matrix where B is the file of A */
    fur_spgemm *plan;
    fur_csr *c;
    int64_t repeat;
    double seconds_first; /* of the first product, whose memory is new */
    double seconds_apply; /* of one of the others, on average */
} by_job;

static fur_status read_operand(by_job *job, const char *path, loaded_matrix *out)
{
    return command_while(job->context, "reading", path,
                         load_matrix(job->context, job->options->common, path, out));
}

static fur_status read_operands(by_job *job)
{
    const char *path = job->options->common->operands[0];
    COMMAND_TRY(read_operand(job, path, &job->a));
    return strcmp(path, job->options->by) == 0 ? FUR_OK
                                               : read_operand(job, job->options->by, &job->b);
}

static const fur_csr *right_operand(const by_job *job)
{
    return job->b.matrix ? job->b.matrix : job->a.matrix;
}

static fur_status time_products(by_job *job)
{
    double start = command_seconds();
    COMMAND_TRY(fur_spgemm_multiply(job->plan, fur_real(1), &job->c));
    COMMAND_TRY(fur_context_synchronize(job->context));
    job->seconds_first = command_seconds() - start;
    int64_t fill = 1 + (int64_t)(MEASURED_SECONDS / (job->seconds_first + 1e-6));
    job->repeat = job->options->repeat > 0 ? job->options->repeat : fill;
    start = command_seconds();
    for (int64_t i = 0; i < job->repeat; i++)
        COMMAND_TRY(fur_spgemm_apply(job->plan, fur_real(1), job->c));
    COMMAND_TRY(fur_context_synchronize(job->context));
    job->seconds_apply = (command_seconds() - start) / (double)job->repeat;
    return FUR_OK;
}

static fur_status find_product(by_job *job)
{
    COMMAND_TRY(fur_spgemm_plan(job->a.matrix, right_operand(job), NULL, &job->plan));
    return time_products(job);
}

/* Norms of all values, as of a vector. */
static fur_status put_norms(output *out, const by_job *job)
{
    const fur_csr_view *c = fur_csr_get(job->c);
    double norm[3] = {0, 0, 0};
    fur_vector *values = NULL;
    COMMAND_TRY(fur_vector_wrap(job->context, c->value_type, c->entries,
                                (void *)(uintptr_t)c->values, FUR_OWNERSHIP_BORROW, &values));
    fur_status status = fur_norm1(values, &norm[0]);
    if (status == FUR_OK)
        status = fur_norm2(values, &norm[1]);
    if (status == FUR_OK)
        status = fur_norm_max(values, &norm[2]);
    fur_vector_destroy(values);
    output_number(out, "y_norm_1", "sum of all |C(i, j)|", norm[0]);
    output_number(out, "y_norm_2", "Frobenius norm of C", norm[1]);
    output_number(out, "y_norm_max", "largest |C(i, j)|", norm[2]);
    return status;
}

static fur_status print_product(const by_job *job)
{
    const fur_spgemm_report *report = fur_spgemm_describe(job->plan);
    double gigabytes = 1e-9 * (double)report->bytes;
    output out = output_begin(job->options->common->json);
    output_count(&out, "rows", "rows", report->rows);
    output_count(&out, "cols", "columns", report->cols);
    output_count(&out, "entries", "entries", report->entries);
    output_text(&out, "value", "value type", fur_value_name(fur_csr_get(job->c)->value_type));
    output_count(&out, "products", "products added", report->products);
    output_text(&out, "device", "device", fur_context_device(job->context));
    output_text(&out, "isa", "instruction set", fur_context_isa(job->context));
    output_count(&out, "threads", "threads", fur_context_threads(job->context));
    output_seconds(&out, "seconds_load", "time to load", job->a.seconds + job->b.seconds);
    output_seconds(&out, "seconds_plan", "time to find C's pattern", report->seconds_plan);
    output_seconds(&out, "seconds_first", "first product", job->seconds_first);
    output_count(&out, "repeat", "products timed", job->repeat);
    output_seconds(&out, "seconds_apply", "mean product", job->seconds_apply);
    output_count(&out, "bytes", "bytes of A, B and C", report->bytes);
    output_rate(&out, "gbps", "throughput", gigabytes / job->seconds_apply);
    COMMAND_TRY(put_norms(&out, job));
    return output_end(&out, job->context);
}

static fur_status save_product(const by_job *job)
{
    fur_value_type value = fur_csr_get(job->c)->value_type;
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    header.field = value == FUR_C64 || value == FUR_C128 ? FUR_MTX_COMPLEX : FUR_MTX_REAL;
    return save_matrix(job->c, job->options->out, &header);
}

static fur_status run(by_job *job)
{
    COMMAND_TRY(read_operands(job));
    COMMAND_TRY(command_while(job->context, "multiplying by", job->options->by, find_product(job)));
    if (job->options->out->path)
        COMMAND_TRY(save_product(job));
    return print_product(job);
}

fur_status multiply_by(fur_context *context, const multiply_by_options *options)
{
    by_job job = {.context = context, .options = options};
    fur_status status = run(&job);
    fur_csr_destroy(job.c);
    fur_spgemm_destroy(job.plan);
    fur_csr_destroy(job.b.matrix);
    fur_csr_destroy(job.a.matrix);
    return status;
}
