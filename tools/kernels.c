/* furrow kernels: lists kernels, methods and preconditioners, and shows the choice for a matrix. */
#include "command.h"

#include <furrow/author/context.h>
#include <furrow/author/kernels.h>
#include <furrow/author/precond.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimates.h"
#include "line.h"
#include "load.h"
#include "output.h"

typedef struct kernels_options {
    command_common common;
    bool measure;
    bool transpose;
    int64_t uses; /* 0: not given */
} kernels_options;

typedef struct kernels_job {
    fur_context *context;
    const kernels_options *options;
    loaded_matrix a; /* empty without a file, like the next */
    fur_spmv *plan;
} kernels_job;

/* Returns kernel `index` of a list; NULL past the end. */
typedef const fur_kernel_info *kernel_at(const fur_context *context, int index);

/* Returns how many characters of a text fit into `room` columns, up to the end of a word. */
static int fitting(const char *text, int room)
{
    int length = (int)strlen(text);
    int end = length;
    while (end > room && end > 0)
        for (end--; end > 0 && text[end] != ' ';)
            end--;
    return end > 0 ? end : length;
}

/* Prints a line of a list, wrapped for a terminal. Further lines of the text are indented more. */
static void print_entry(const char *label, const char *text)
{
    enum { WIDTH = 79, COLUMN = 20, MORE = 2 };
    int length = fitting(text, WIDTH - COLUMN);
    printf("%-*s%.*s\n", COLUMN, label, length, text);
    for (text += length; *text != '\0'; text += length) {
        text++; /* the blank */
        length = fitting(text, WIDTH - COLUMN - MORE);
        printf("%*s%.*s\n", COLUMN + MORE, "", length, text);
    }
}

static void print_kernel(const fur_kernel_info *kernel)
{
    print_entry(kernel->name, kernel->summary);
    if (kernel->source[0] != '\0')
        print_entry("", kernel->source);
    if (!kernel->exact)
        print_entry("", "rounds in a different order");
}

static json_t *kernel_to_json(const fur_kernel_info *kernel)
{
    return json_pack("{s:o, s:o, s:o, s:b}", "name", output_string(kernel->name), "summary",
                     output_string(kernel->summary), "source", output_string(kernel->source),
                     "exact", kernel->exact);
}

static void print_kernels(fur_context *context, const char *title, kernel_at *at)
{
    printf("\n%s\n\n", title);
    for (int i = 0; at(context, i); i++)
        print_kernel(at(context, i));
}

static json_t *kernels_to_json(fur_context *context, kernel_at *at)
{
    json_t *list = json_array();
    for (int i = 0; at(context, i); i++)
        output_append(list, kernel_to_json(at(context, i)));
    return list;
}

/* Prints a list of kernels. People get a separate paragraph, unless the list is empty. */
static void put_kernels(output *out, fur_context *context, const char *key, const char *title,
                        kernel_at *at)
{
    if (out->json)
        output_member(out, key, kernels_to_json(context, at));
    else if (at(context, 0))
        print_kernels(context, title, at);
}

/* Returns method `index` of a list; NULL past the end. */
typedef const fur_method_info *method_at(int index);

static void print_methods(const char *title, method_at *at)
{
    const fur_method_info *method;
    printf("\n%s\n\n", title);
    for (int i = 0; (method = at(i)); i++) {
        print_entry(method->name, method->summary);
        print_entry("", method->source);
    }
}

static json_t *methods_to_json(method_at *at)
{
    const fur_method_info *method;
    json_t *list = json_array();
    for (int i = 0; (method = at(i)); i++)
        output_append(list, json_pack("{s:o, s:o, s:o}", "name", output_string(method->name),
                                      "summary", output_string(method->summary), "source",
                                      output_string(method->source)));
    return list;
}

static void put_methods(output *out, const char *key, const char *title, method_at *at)
{
    if (out->json)
        output_member(out, key, methods_to_json(at));
    else
        print_methods(title, at);
}

/* Returns true if the default is a number. Otherwise it is a word, or found in the matrix. */
static bool has_number(const fur_option *o)
{
    return !o->words && (o->standard != 0 || (o->zero == 0 && !(o->least > 0)));
}

/* Appends a value to the name of an option. */
static void add_value(char *text, size_t size, char mark, const char *value)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%c%s", mark, value);
}

/* Formats an option as in a text, with its default if it is a value: "fill=10", "theta=N",
 * "modified", "cycle=V|W|K". */
static void name_option(const fur_option *o, char *text, size_t size)
{
    char number[32];
    snprintf(text, size, "%s", o->name);
    snprintf(number, sizeof number, "%g", o->standard);
    for (int i = 0; o->words && o->words[i]; i++)
        add_value(text, size, i == 0 ? '=' : '|', o->words[i]);
    if (!o->words && o->type != FUR_OPTION_FLAG)
        add_value(text, size, '=', has_number(o) ? number : "N");
}

/* Appends the range of a number: "; 1 to 16", "; at least 1" or "; 0 to below 1". */
static void add_range(const fur_option *o, char *text, size_t size)
{
    size_t length = strlen(text);
    bool number = !o->words && o->type != FUR_OPTION_FLAG;
    if (number && isinf(o->most))
        snprintf(text + length, size - length, "; at least %g", o->least);
    else if (number)
        snprintf(text + length, size - length, "; %g to %s%g", o->least,
                 o->type == FUR_OPTION_SHARE ? "below " : "", o->most);
}

static void print_preconds(void)
{
    const fur_method_info *kind;
    const fur_option *o;
    char name[128];
    char text[256];
    printf("\npreconditioners, and their options with defaults and ranges:\n\n");
    for (int k = 0; (kind = fur_precond_at(k)); k++) {
        print_entry(kind->name, kind->summary);
        for (int i = 0; (o = fur_precond_option_at(kind->name, i)); i++) {
            name_option(o, name, sizeof name);
            snprintf(text, sizeof text, "%s  %s", name, o->summary);
            add_range(o, text, sizeof text);
            print_entry("", text);
        }
    }
}

/* Returns the default: a number, the first word, or null. */
static json_t *default_to_json(const fur_option *o)
{
    if (o->words)
        return output_string(o->words[0]);
    return has_number(o) ? json_real(o->standard) : json_null();
}

static json_t *preconds_to_json(void)
{
    const fur_method_info *kind;
    const fur_option *o;
    json_t *list = json_array();
    for (int k = 0; (kind = fur_precond_at(k)); k++) {
        json_t *options = json_array();
        for (int i = 0; (o = fur_precond_option_at(kind->name, i)); i++) {
            json_t *words = json_array();
            for (int w = 0; o->words && o->words[w]; w++)
                json_array_append_new(words, output_string(o->words[w]));
            output_append(options, json_pack("{s:o, s:o, s:o, s:o}", "name", output_string(o->name),
                                             "summary", output_string(o->summary), "default",
                                             default_to_json(o), "words", words));
        }
        output_append(list, json_pack("{s:o, s:o, s:o, s:o}", "name", output_string(kind->name),
                                      "summary", output_string(kind->summary), "source",
                                      output_string(kind->source), "options", options));
    }
    return list;
}

static void put_choice(output *out, const kernels_job *job)
{
    fur_spmv_report report = *fur_spmv_describe(job->plan);
    output_text(out, "kernel", "chosen", report.kernel);
    output_text(out, "reason", "because", report.reason);
    output_count(out, "bytes", "bytes a product", report.bytes);
    output_count(out, "csr_bytes", "bytes in plain CSR", report.csr_bytes);
    output_seconds(out, "seconds_plan", "time to plan", report.seconds_plan);
    if (report.seconds_estimated > 0)
        output_seconds(out, "seconds_estimated", "estimated product", report.seconds_estimated);
    if (report.seconds_product > 0)
        output_seconds(out, "seconds_product", "one product", report.seconds_product);
    if (report.seconds_plain > 0) {
        output_seconds(out, "seconds_plain", "by the plain kernel", report.seconds_plain);
        output_count(out, "break_even", "break-even products", report.break_even);
    }
}

static fur_status make_plan(kernels_job *job)
{
    const kernels_options *options = job->options;
    const char *name = options->common.operands[0];
    FUR_TRY(command_while(job->context, "reading", name,
                          load_matrix(job->context, &options->common, name, &job->a)));
    fur_spmv_options plan_options = {.size = sizeof plan_options,
                                     .op = options->transpose ? FUR_OP_T : FUR_OP_N,
                                     .uses = options->uses,
                                     .measure = options->measure};
    return command_while(job->context, "choosing for", name,
                         fur_spmv_plan(job->a.matrix, &plan_options, &job->plan));
}

static fur_status kernels_steps(kernels_job *job)
{
    if (job->options->common.operand_count > 0)
        FUR_TRY(make_plan(job));
    output out = output_begin(job->options->common.json);
    output_text(&out, "device", "device", fur_context_device(job->context));
    output_text(&out, "isa", "instruction set", fur_context_isa(job->context));
    output_count(&out, "threads", "threads", fur_context_threads(job->context));
    put_kernels(&out, job->context, "kernels", "kernels for a matrix:", fur_spmv_kernel_at);
    put_kernels(&out, job->context, "stencil_kernels",
                "kernels for a stencil:", fur_stencil_kernel_at);
    put_kernels(&out, job->context, "sweep_kernels",
                "kernels for repeated sweeps of a stencil:", fur_stencil_sweep_kernel_at);
    put_methods(&out, "methods", "methods of furrow solve:", fur_solver_method_at);
    put_methods(&out, "orders", "methods of furrow reorder:", fur_reorder_method_at);
    if (out.json)
        output_member(&out, "preconditioners", preconds_to_json());
    else
        print_preconds();
    if (job->plan) {
        output_gap(&out);
        put_choice(&out, job);
        if (job->options->measure)
            FUR_TRY(estimates_put(&out, job->a.matrix, fur_spmv_op(job->plan)));
    }
    return output_end(&out, job->context);
}

static fur_status kernels(fur_context *context, const void *options)
{
    kernels_job job = {.context = context, .options = options};
    fur_status status = kernels_steps(&job);
    fur_spmv_destroy(job.plan);
    fur_csr_destroy(job.a.matrix);
    return status;
}

static void settle(struct argp_state *state, void *options)
{
    const kernels_options *o = options;
    bool file = o->common.operand_count > 0;
    command_pairing pairings[] = {
        {"--measure", o->measure, file, "with a file"},
        {"--transpose", o->transpose, file, "with a file"},
        {"--uses", o->uses > 0, file, "with a file"},
    };
    command_check(state, pairings, sizeof pairings / sizeof *pairings);
}

#define AT(member) .at = offsetof(kernels_options, member)
static const line_option own_options[] = {
    {"measure", NULL, "Time the kernels on FILE, and print the measured and the estimated times",
     LINE_FLAG, AT(measure)},
    {"transpose", NULL, "Choose the kernel for products by the transpose", LINE_FLAG,
     AT(transpose)},
    {"uses", "N", "Choose the kernel for N products (default: 50)", LINE_LONG, AT(uses),
     .most = INT64_MAX},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "[FILE]",
    .settle = settle,
    .doc = "List the kernels for matrices and for stencils, the methods of furrow solve and furrow "
           "reorder, and the preconditioners with their options. If FILE is given, also print the "
           "kernel that its matrix gets, and the reason.",
};

int command_kernels(int argc, char **argv)
{
    kernels_options options = {.common = {.operands_min = 0, .operands_max = 1}};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, kernels, &options);
}
