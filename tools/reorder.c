/* furrow reorder: brings a matrix into a better order of rows and columns. */
#include "command.h"

#include <furrow/author/context.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "line.h"
#include "load.h"
#include "new_file.h"
#include "output.h"
#include "report.h"
#include "save.h"

#define REPEAT_MAX 1000
#define RACE_SECONDS 0.4

typedef struct reorder_options {
    command_common common;
    const char *method;
    bool allow_worse;
    int64_t repeat;
    save_target out;
    const char *permutation;
    const char *report;
} reorder_options;

/* All objects of a run, released in one place. */
typedef struct reorder_job {
    fur_context *context;
    const reorder_options *options;
    loaded_matrix a;
    fur_permutation *order;
    report_facts facts;
} reorder_job;

/* Finds the order and applies it. Keeps the shortest times so far. */
static fur_status order_once(reorder_job *job)
{
    report_facts *f = &job->facts;
    fur_reorder_options options = {.size = sizeof options,
                                   .allow_worse = job->options->allow_worse};
    fur_permutation_destroy(job->order);
    fur_csr_destroy(f->reordered);
    job->order = NULL;
    f->reordered = NULL;
    f->found = FUR_DEFAULT(fur_reorder_report);
    double start = fur_seconds();
    FUR_TRY(fur_reorder(f->original, f->method, &options, &f->found, &job->order));
    FUR_TRY(fur_context_synchronize(job->context));
    double ordered = fur_seconds();
    FUR_TRY(fur_csr_permute(f->original, job->order, job->order, &f->reordered));
    FUR_TRY(fur_context_synchronize(job->context));
    f->seconds_order = fmin(f->seconds_order, ordered - start);
    f->seconds_permute = fmin(f->seconds_permute, fur_seconds() - ordered);
    return FUR_OK;
}

/* Times products in both orders, each with the best kernel. */
static fur_status race_orders(report_facts *f)
{
    fur_product *sides[2] = {NULL, NULL};
    fur_status status = fur_product_create(f->original, NULL, &sides[0]);
    if (status == FUR_OK)
        status = fur_product_create(f->reordered, NULL, &sides[1]);
    if (status == FUR_OK)
        status = fur_operator_race((const fur_operator *[2]){fur_product_operator(sides[0]),
                                                             fur_product_operator(sides[1])},
                                   RACE_SECONDS, f->products);
    fur_product_destroy(sides[1]);
    fur_product_destroy(sides[0]);
    return status;
}

static fur_status find_order(reorder_job *job)
{
    report_facts *f = &job->facts;
    f->path = job->options->common.operands[0];
    f->method = job->options->method;
    f->original = job->a.matrix;
    f->seconds_order = f->seconds_permute = INFINITY;
    f->before = f->after = FUR_DEFAULT(fur_order_figures);
    for (int64_t i = 0; i < job->options->repeat; i++)
        FUR_TRY(order_once(job));
    FUR_TRY(fur_order_measure(f->original, NULL, &f->before));
    FUR_TRY(fur_order_measure(f->original, job->order, &f->after));
    return race_orders(f);
}

static fur_status reorder_matrix(reorder_job *job)
{
    const command_common *common = &job->options->common;
    const char *name = common->operands[0];
    FUR_TRY(command_while(job->context, "reading", name,
                          load_matrix(job->context, common, name, &job->a)));
    return command_while(job->context, "reordering", name, find_order(job));
}

/* Writes an order that is stored on the host. */
static fur_status write_order(fur_context *context, const fur_permutation *order,
                              const reorder_options *options)
{
    new_file file;
    const int32_t *numbers = fur_permutation_order(order);
    int64_t size = fur_permutation_size(order);
    FUR_TRY(new_file_open(context, options->permutation, &file));
    fprintf(file.stream,
            "%%%%MatrixMarket matrix array integer general\n"
            "%% order by %s, counted from 1: row i of the reordered matrix is row P(i) of the "
            "original, and so are columns\n"
            "%lld 1\n",
            options->method, (long long)size);
    for (int64_t i = 0; i < size; i++)
        fprintf(file.stream, "%lld\n", (long long)numbers[i] + 1);
    return new_file_close(&file, FUR_OK);
}

static fur_status save_order(const reorder_job *job)
{
    fur_permutation *order = NULL;
    FUR_TRY(fur_permutation_transfer(job->order, fur_context_host(job->context), &order));
    fur_status status = write_order(job->context, order, job->options);
    fur_permutation_destroy(order);
    return status;
}

static fur_status save_files(const reorder_job *job)
{
    if (job->options->permutation)
        FUR_TRY(save_order(job));
    if (job->options->report)
        FUR_TRY(report_save(job->context, &job->facts, job->options->report));
    if (job->options->out.path)
        FUR_TRY(save_matrix(job->facts.reordered, &job->options->out, &job->a.header));
    return FUR_OK;
}

static void put_figures(output *out, const reorder_job *job)
{
    const fur_order_figures *before = &job->facts.before;
    const fur_order_figures *after = &job->facts.after;
    output_gap(out);
    output_heads(out, "before", "after");
    output_counts(out, "bandwidth", "bandwidth", before->bandwidth, after->bandwidth);
    output_counts(out, "profile", "profile", before->profile, after->profile);
    output_counts(out, "max_wavefront", "largest wavefront", before->wavefront_max,
                  after->wavefront_max);
    output_numbers(out, "rms_wavefront", "RMS wavefront", before->wavefront_rms,
                   after->wavefront_rms);
    output_times(out, "seconds_spmv", "one product", job->facts.products[0],
                 job->facts.products[1]);
    output_gap(out);
}

static void put_pay_back(output *out, const report_facts *facts)
{
    double products = report_pays_after(facts);
    char text[64];
    if (out->json) {
        output_member(out, "products_to_pay_back",
                      isfinite(products) ? json_real(products) : json_null());
        return;
    }
    if (isfinite(products))
        snprintf(text, sizeof text, "after %.0f products", ceil(products));
    else
        snprintf(text, sizeof text, "never: products are no faster");
    output_line("pays back", text);
}

static fur_status print_reordering(const reorder_job *job)
{
    const fur_csr_view *view = fur_csr_get(job->a.matrix);
    const report_facts *facts = &job->facts;
    output out = output_begin(job->options->common.json);
    output_count(&out, "rows", "rows", view->rows);
    output_count(&out, "entries", "entries", view->entries);
    output_text(&out, "method", "method", job->options->method);
    output_text(&out, "device", "device", fur_context_device(job->context));
    output_count(&out, "threads", "threads", fur_context_threads(job->context));
    output_count(&out, "components", "components", facts->found.components);
    output_count(&out, "components_kept", "of them kept", facts->found.components_kept);
    put_figures(&out, job);
    output_seconds(&out, "seconds_load", "time to load", job->a.seconds);
    output_seconds(&out, "seconds_order", "time to order", facts->seconds_order);
    output_seconds(&out, "seconds_permute", "time to permute", facts->seconds_permute);
    put_pay_back(&out, facts);
    return output_end(&out, job->context);
}

static fur_status reorder_steps(reorder_job *job)
{
    FUR_TRY(reorder_matrix(job));
    FUR_TRY(save_files(job));
    return print_reordering(job);
}

static fur_status reorder(fur_context *context, const void *options)
{
    reorder_job job = {.context = context, .options = options};
    FUR_TRY(new_file_try(context, job.options->out.path));
    fur_status status = reorder_steps(&job);
    fur_csr_destroy(job.facts.reordered);
    fur_permutation_destroy(job.order);
    fur_csr_destroy(job.a.matrix);
    return status;
}

static void settle(struct argp_state *state, void *options)
{
    const reorder_options *o = options;
    command_check_suffix(state, "--perm", ".mtx", o->permutation);
    command_check_suffix(state, "--report", ".html", o->report);
    save_check(state, "--out", &o->out);
}

#define AT(member) .at = offsetof(reorder_options, member)
static const line_option own_options[] = {
    {"method", "NAME", "Method: rcm (default), cm, rcm-quality or sloan", LINE_CHOICE, AT(method),
     .names = command_method},
    {"out", "B.mtx", "Write the reordered matrix to this file", LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {"perm", "P.mtx",
     "Write the order to this file: row i of the reordered matrix is row P(i) of FILE", LINE_TEXT,
     AT(permutation)},
    {"report", "R.html", "Write a page for browsers: pictures and numbers before and after",
     LINE_TEXT, AT(report)},
    {"allow-worse", NULL, "Use the method's order even if it is worse than the order in FILE",
     LINE_FLAG, AT(allow_worse)},
    {"repeat", "N", "Compute the order N times and print the shortest time (default: 1)", LINE_LONG,
     AT(repeat), .most = REPEAT_MAX},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "FILE",
    .settle = settle,
    .doc =
        "Reorder the rows and columns of a square matrix so that its entries are close to the "
        "diagonal. Print bandwidth, profile and times before and after. If the new order is worse "
        "than the order in FILE, the order in FILE is kept. --allow-worse turns this check off.",
};

int command_reorder(int argc, char **argv)
{
    reorder_options options = {.common = {.operands_min = 1, .operands_max = 1},
                               .method = fur_reorder_method_at(0)->name,
                               .repeat = 1};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, reorder, &options);
}
