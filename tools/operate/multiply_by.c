/* Products of two sparse matrices, timed. The pattern of C is found once, its values repeatedly. */
#include "multiply_by.h"

#include <string.h>

#include "load.h"
#include "made.h"
#include "output.h"
#include "repeat.h"

typedef struct by_job {
    fur_context *context;
    const multiply_by_options *options;
    loaded_matrix a;
    loaded_matrix b; /* has no matrix if B is the file of A */
    fur_spgemm *plan;
    fur_csr *c;
    double seconds_first; /* time of the first product, which uses new memory */
    repeat repeat;        /* the other products */
} by_job;

static fur_status read_operand(by_job *job, const char *path, loaded_matrix *out)
{
    return command_while(job->context, "reading", path,
                         load_matrix(job->context, job->options->common, path, out));
}

static fur_status read_operands(by_job *job)
{
    const char *path = job->options->common->operands[0];
    FUR_TRY(read_operand(job, path, &job->a));
    return strcmp(path, job->options->by) == 0 ? FUR_OK
                                               : read_operand(job, job->options->by, &job->b);
}

static const fur_csr *right_operand(const by_job *job)
{
    return job->b.matrix ? job->b.matrix : job->a.matrix;
}

static fur_status apply(void *self)
{
    const by_job *job = self;
    return fur_spgemm_apply(job->plan, fur_real(1), job->c);
}

static fur_status time_products(by_job *job)
{
    double start = fur_seconds();
    FUR_TRY(fur_spgemm_multiply(job->plan, fur_real(1), &job->c));
    FUR_TRY(fur_context_synchronize(job->context));
    job->seconds_first = fur_seconds() - start;
    job->repeat = (repeat){.compute = apply, .job = job, .count = job->options->repeat};
    return repeat_timed(job->context, &job->repeat);
}

static fur_status find_product(by_job *job)
{
    FUR_TRY(fur_spgemm_plan(job->a.matrix, right_operand(job), NULL, &job->plan));
    return time_products(job);
}

static fur_status print_product(const by_job *job)
{
    const fur_spgemm_report *report = fur_spgemm_describe(job->plan);
    const fur_csr_view *c = fur_csr_get(job->c);
    double gigabytes = 1e-9 * (double)report->bytes;
    output out = output_begin(job->options->common->json);
    output_count(&out, "rows", "rows", report->rows);
    output_count(&out, "cols", "columns", report->cols);
    output_count(&out, "entries", "entries", report->entries);
    output_text(&out, "value", "value type", fur_value_name(c->value_type));
    output_count(&out, "products", "products added", report->products);
    repeat_put_machine(&out, job->context);
    output_seconds(&out, "seconds_load", "time to load", job->a.seconds + job->b.seconds);
    output_seconds(&out, "seconds_plan", "time to plan C", report->seconds_plan);
    output_seconds(&out, "seconds_first", "first product", job->seconds_first);
    output_count(&out, "repeat", "products timed", job->repeat.count);
    output_seconds(&out, "seconds_apply", "median product", job->repeat.seconds);
    output_count(&out, "bytes", "bytes of A, B and C", report->bytes);
    output_rate(&out, "gbps", "throughput", gigabytes / job->repeat.seconds);
    FUR_TRY(repeat_put_norms(&out, job->context, c->value_type, c->entries, c->values, "entries"));
    return output_end(&out, job->context);
}

static fur_status save_product(const by_job *job)
{
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    header.field = made_field(fur_csr_get(job->c)->value_type);
    return save_matrix(job->c, job->options->out, &header);
}

static fur_status run(by_job *job)
{
    FUR_TRY(read_operands(job));
    FUR_TRY(command_while(job->context, "multiplying by", job->options->by, find_product(job)));
    if (job->options->out->path)
        FUR_TRY(save_product(job));
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
