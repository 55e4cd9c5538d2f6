/* furrow eigs: computes the smallest or largest eigenvalues of a symmetric matrix, and their
 * eigenvectors, by Lanczos' method or by LOBPCG with a preconditioner. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "line.h"
#include "load.h"
#include "new_file.h"
#include "output.h"
#include "product.h"
#include "progress.h"
#include "save.h"
#include "symmetric.h"

/* Expected number of products if it is unknown. */
#define USES 300

typedef struct eigs_options {
    command_common common;
    int count;
    const char *which;
    const char *method;
    const char *precond;
    double tolerance;
    double relative;
    int basis;
    int block;
    int64_t max_iterations;
    const char *kernel;
    save_target out;
} eigs_options;

typedef struct eigs_job {
    fur_context *context;
    const eigs_options *options;
    const char *name;
    loaded_matrix a;
    fur_product *product;
    fur_precond *precond; /* NULL: none */
    fur_operator *preconditioner;
    progress line;
    int count;
    fur_eigs_which which;
    fur_eigs_report report;
    double *values;
    double *residuals;
    fur_vector **vectors; /* NULL: eigenvectors are not requested */
} eigs_job;

static const char *end_name(fur_context *context, int index)
{
    static const char *const names[] = {"smallest", "largest", "both", NULL};
    (void)context;
    return names[index];
}

static fur_eigs_which end_of(const char *name)
{
    int index = 0;
    while (name && strcmp(end_name(NULL, index), name) != 0)
        index++;
    return (fur_eigs_which)index;
}

static const char *method_name(fur_context *context, int index)
{
    static const char *const names[] = {"lanczos", "lobpcg", NULL};
    (void)context;
    return names[index];
}

/* Lists "none" and the library's kinds. */
static const char *precond_name(fur_context *context, int index)
{
    const fur_method_info *kind = index > 0 ? fur_precond_at(index - 1) : NULL;
    (void)context;
    return index == 0 ? "none" : kind ? kind->name : NULL;
}

static bool is_lobpcg(const eigs_options *o)
{
    return o->method && strcmp(o->method, "lobpcg") == 0;
}

static bool is_preconditioned(const eigs_options *o)
{
    return o->precond && strcmp(o->precond, "none") != 0;
}

/* --- the matrix ------------------------------------------------------------------------------- */

static fur_status check_matrix(const eigs_job *j)
{
    fur_csr_view a = *fur_csr_get(j->a.matrix);
    bool complex_values = a.value_type == FUR_C64 || a.value_type == FUR_C128;
    if (a.rows != a.cols)
        return fur_context_fail(j->context, FUR_INVALID,
                                "only a square matrix has eigenvalues; this one is %lld x %lld",
                                (long long)a.rows, (long long)a.cols);
    return symmetric_check(j->a.matrix,
                           complex_values ? FUR_SYMMETRY_HERMITIAN : FUR_SYMMETRY_SYMMETRIC,
                           "furrow eigs");
}

static fur_status precondition(eigs_job *j)
{
    fur_precond_options options = {.size = sizeof options, .kind = j->options->precond};
    if (!is_preconditioned(j->options))
        return FUR_OK;
    FUR_TRY(fur_precond_create(j->a.matrix, &options, &j->precond));
    return fur_operator_from_precond(j->precond, &j->preconditioner);
}

static fur_status prepare(eigs_job *j)
{
    fur_product_options product = {
        .size = sizeof product, .kernel = j->options->kernel, .uses = USES};
    FUR_TRY(product_check_kernel(j->context, j->options->kernel));
    FUR_TRY(command_while(j->context, "reading", j->name,
                          load_matrix(j->context, &j->options->common, j->name, &j->a)));
    FUR_TRY(command_while(j->context, "eigenvalues of", j->name, check_matrix(j)));
    FUR_TRY(command_while(j->context, "eigenvalues of", j->name,
                          fur_product_create(j->a.matrix, &product, &j->product)));
    return command_while(j->context, "preconditioner of", j->name, precondition(j));
}

/* --- the search ------------------------------------------------------------------------------- */

static int watch(void *user, const fur_eigs_progress *state)
{
    eigs_job *j = user;
    char text[96];
    if (progress_due(&j->line)) {
        snprintf(text, sizeof text, "iteration %lld, %d of %d converged, residual %.1e",
                 (long long)state->iteration, state->converged, j->count, state->residual);
        progress_show(&j->line, text);
    }
    return interrupt_name() ? 1 : 0;
}

/* Allocates the results. Eigenvectors are only needed for --out. */
static fur_status make_room(eigs_job *j)
{
    int count = j->count;
    fur_csr_view a = *fur_csr_get(j->a.matrix);
    j->values = calloc((size_t)count + 1, sizeof *j->values);
    j->residuals = calloc((size_t)count + 1, sizeof *j->residuals);
    if (j->options->out.path)
        j->vectors = calloc((size_t)count + 1, sizeof *j->vectors);
    if (!j->values || !j->residuals || (j->options->out.path && !j->vectors))
        return fur_context_fail(j->context, FUR_OUT_OF_MEMORY, "out of memory");
    for (int i = 0; j->vectors && i < count; i++)
        FUR_TRY(fur_vector_create(j->context, a.value_type, a.rows, &j->vectors[i]));
    return FUR_OK;
}

static fur_status search_by_lanczos(eigs_job *j)
{
    const eigs_options *o = j->options;
    const fur_eigs_options search = {.size = sizeof search,
                                     .count = j->count,
                                     .which = j->which,
                                     .tolerance = o->tolerance,
                                     .basis = o->basis,
                                     .max_iterations = o->max_iterations,
                                     .monitor = watch,
                                     .monitor_user = j};
    return fur_eigs(fur_product_operator(j->product), &search, j->values, j->residuals, j->vectors,
                    &j->report);
}

static fur_status search_by_lobpcg(eigs_job *j)
{
    const eigs_options *o = j->options;
    const fur_lobpcg_options search = {.size = sizeof search,
                                       .count = j->count,
                                       .which = j->which,
                                       .preconditioner = j->preconditioner,
                                       .tolerance = o->tolerance,
                                       .relative = o->relative,
                                       .block = o->block,
                                       .max_iterations = o->max_iterations,
                                       .monitor = watch,
                                       .monitor_user = j};
    return fur_lobpcg(fur_product_operator(j->product), &search, j->values, j->residuals,
                      j->vectors, &j->report);
}

static fur_status search(eigs_job *j)
{
    const eigs_options *o = j->options;
    int64_t rows = fur_csr_get(j->a.matrix)->rows;
    j->count = o->count > 0 ? o->count : rows < 6 ? (int)rows : 6;
    j->which = end_of(o->which);
    j->report = FUR_DEFAULT(fur_eigs_report);
    FUR_TRY(make_room(j));
    j->line = progress_begin(o->common.quiet);
    interrupt_begin();
    fur_status status = is_lobpcg(o) ? search_by_lobpcg(j) : search_by_lanczos(j);
    interrupt_end();
    progress_end(&j->line);
    return command_while(j->context, "eigenvalues of", j->name, status);
}

/* --- the results ------------------------------------------------------------------------------ */

/* Fills the arrays of the matrix whose columns are the eigenvectors. one: a buffer for a vector. */
static fur_status fill_columns(const eigs_job *j, int64_t rows, size_t size, int64_t *offsets,
                               int32_t *columns, char *values, char *one)
{
    int64_t count = j->count;
    for (int64_t i = 0; i <= rows; i++)
        offsets[i] = i * count;
    for (int64_t k = 0; k < count; k++) {
        FUR_TRY(fur_vector_download(j->vectors[k], one));
        for (int64_t i = 0; i < rows; i++) {
            columns[i * count + k] = (int32_t)k;
            memcpy(values + (size_t)(i * count + k) * size, one + (size_t)i * size, size);
        }
    }
    return FUR_OK;
}

static fur_status make_columns(const eigs_job *j, fur_csr **out)
{
    fur_csr_view a = *fur_csr_get(j->a.matrix);
    int64_t count = j->count;
    size_t size = fur_value_size(a.value_type);
    size_t entries = (size_t)(a.rows * count);
    int64_t *offsets = malloc(((size_t)a.rows + 1) * sizeof *offsets);
    int32_t *columns = malloc((entries + 1) * sizeof *columns);
    char *values = malloc((entries + 1) * size);
    char *one = malloc(((size_t)a.rows + 1) * size);
    fur_status status = offsets && columns && values && one
                            ? fill_columns(j, a.rows, size, offsets, columns, values, one)
                            : fur_context_fail(j->context, FUR_OUT_OF_MEMORY, "out of memory");
    fur_csr_view view = {sizeof view, a.rows,  count, (int64_t)entries, a.value_type, FUR_I64,
                         offsets,     columns, values};
    if (status == FUR_OK)
        status = fur_csr_create(j->context, &view, FUR_OWNERSHIP_COPY, out);
    free(one);
    free(values);
    free(columns);
    free(offsets);
    return status;
}

static fur_status save_columns(const eigs_job *j)
{
    fur_csr *columns = NULL;
    fur_value_type value = fur_csr_get(j->a.matrix)->value_type;
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    header.field = value == FUR_C64 || value == FUR_C128 ? FUR_MTX_COMPLEX : FUR_MTX_REAL;
    fur_status status = make_columns(j, &columns);
    if (status == FUR_OK)
        status = save_matrix(columns, &j->options->out, &header);
    fur_csr_destroy(columns);
    return status;
}

/* Returns whether the search has found approximations. */
static bool has_values(const eigs_job *j)
{
    return j->count > 0 && j->report.outcome != FUR_OUTCOME_BREAKDOWN &&
           j->report.outcome != FUR_OUTCOME_ASYMMETRIC;
}

static void print_values(const eigs_job *j)
{
    printf("\n%24s  %s\n\n", "eigenvalue", "||A v - lambda v||");
    for (int i = 0; i < j->count; i++)
        printf("%24.16g  %.1e\n", j->values[i], j->residuals[i]);
}

static fur_status print(const eigs_job *j)
{
    const fur_eigs_report *r = &j->report;
    output out = output_begin(j->options->common.json);
    output_text(&out, "method", "method", is_lobpcg(j->options) ? "lobpcg" : "lanczos");
    output_text(&out, "precond", "preconditioner",
                j->precond ? fur_precond_describe(j->precond)->kind : "none");
    output_text(&out, "which", "which", end_name(NULL, (int)j->which));
    output_count(&out, "count", "eigenvalues", j->count);
    output_text(&out, "outcome", "outcome", interrupt_outcome(r->outcome));
    output_flag(&out, "converged", "converged", r->outcome == FUR_OUTCOME_CONVERGED);
    output_count(&out, "values_converged", "of them", r->converged);
    output_count(&out, "iterations", "iterations", r->iterations);
    output_count(&out, "restarts", "restarts", r->restarts);
    output_count(&out, "products", "products", r->products);
    if (r->norm > 0)
        output_number(&out, "norm", "norm of the matrix", r->norm);
    output_text(&out, "kernel", "kernel", fur_product_describe(j->product)->kernel);
    output_text(&out, "device", "device", fur_context_device(j->context));
    output_count(&out, "threads", "threads", fur_context_threads(j->context));
    output_seconds(&out, "seconds_load", "time to load", j->a.seconds);
    if (j->precond)
        output_seconds(&out, "seconds_precond", "time to make M",
                       fur_precond_describe(j->precond)->seconds_setup);
    output_seconds(&out, "seconds_eigs", "time to search", r->seconds);
    output_list(&out, "values", j->count, j->values);
    output_list(&out, "residuals", j->count, j->residuals);
    if (!j->options->common.json && has_values(j))
        print_values(j);
    return output_end(&out, j->context);
}

static fur_status judge(const eigs_job *j)
{
    const fur_eigs_report *r = &j->report;
    const char *advice = fur_eigs_advice(r->outcome);
    if (r->outcome == FUR_OUTCOME_CONVERGED)
        return FUR_OK;
    if (r->outcome == FUR_OUTCOME_STOPPED)
        return fur_context_fail(j->context, FUR_INVALID,
                                "%s: interrupted by %s after %lld iterations", j->name,
                                interrupt_name(), (long long)r->iterations);
    return fur_context_fail(j->context, FUR_INVALID,
                            "%s: %d of %d eigenvalues converged in %lld iterations: %s; %s",
                            j->name, r->converged, j->count, (long long)r->iterations,
                            interrupt_outcome(r->outcome), advice);
}

static fur_status eigs_steps(eigs_job *j)
{
    FUR_TRY(prepare(j));
    FUR_TRY(search(j));
    if (j->options->out.path && has_values(j))
        FUR_TRY(save_columns(j));
    FUR_TRY(print(j));
    return judge(j);
}

static fur_status eigs(fur_context *context, const void *options)
{
    eigs_job j = {.context = context, .options = options};
    j.name = j.options->common.operands[0];
    FUR_TRY(new_file_try(context, j.options->out.path));
    fur_status status = eigs_steps(&j);
    for (int i = 0; j.vectors && i < j.count; i++)
        fur_vector_destroy(j.vectors[i]);
    free(j.vectors);
    free(j.residuals);
    free(j.values);
    fur_operator_destroy(j.preconditioner);
    fur_precond_destroy(j.precond);
    fur_product_destroy(j.product);
    fur_csr_destroy(j.a.matrix);
    return status;
}

static void settle(struct argp_state *state, void *options)
{
    const eigs_options *o = options;
    bool both = o->which && strcmp(o->which, "both") == 0;
    command_pairing pairings[] = {
        {"--precond", is_preconditioned(o), is_lobpcg(o), "with --method lobpcg"},
        {"--block", o->block > 0, is_lobpcg(o), "with --method lobpcg"},
        {"--relative", o->relative > 0, is_lobpcg(o), "with --method lobpcg"},
        {"--basis", o->basis > 0, !is_lobpcg(o), "with --method lanczos"},
        {"--which both", both, !is_lobpcg(o), "with --method lanczos"},
    };
    save_check(state, "--out", &o->out);
    command_check(state, pairings, sizeof pairings / sizeof *pairings);
}

#define AT(member) .at = offsetof(eigs_options, member)
static const line_option own_options[] = {
    {"count", "K", "Number of eigenvalues, counted with multiplicity (default: 6)", LINE_COUNT,
     AT(count), .most = FUR_EIGS_MAX_COUNT},
    {"which", "END",
     "End of the spectrum: smallest (default), largest, or both for half from each end",
     LINE_CHOICE, AT(which), .names = end_name},
    {"method", "NAME", "Method: lanczos (default), or lobpcg, which uses a preconditioner",
     LINE_CHOICE, AT(method), .names = method_name},
    {"precond", "KIND[:NAME=VALUE,...]",
     "Preconditioner of lobpcg, such as ic0:modified (default: none; kinds, options: furrow "
     "kernels)",
     LINE_PRECOND, AT(precond), .names = precond_name},
    {"block", "N", "Number of vectors of lobpcg (default: 1.25 K + 1)", LINE_COUNT, AT(block),
     .most = FUR_LOBPCG_MAX_BLOCK},
    {"tolerance", "T",
     "Stop if ||A v - lambda v|| <= T ||A|| (default: 1e-10, for f32 and c64 1e-5)", LINE_POSITIVE,
     AT(tolerance)},
    {"relative", "T", "lobpcg: stop if ||A v - lambda v|| <= T |lambda|; replaces --tolerance",
     LINE_POSITIVE, AT(relative)},
    {"basis", "N",
     "Number of vectors before a restart of lanczos (default: 2 K + 20, or n for n <= 160 rows)",
     LINE_COUNT, AT(basis), .most = 10000},
    {"max-iterations", "N",
     "Stop after about N iterations (default: for n rows 10 n + 1000, up to 50000; lobpcg: 1000)",
     LINE_LONG, AT(max_iterations), .most = INT64_MAX},
    {"kernel", "NAME", PRODUCT_KERNEL_DOC, LINE_TEXT, AT(kernel)},
    {"out", "V.mtx", "Write the eigenvectors to this file, as columns", LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "FILE",
    .settle = settle,
    .doc = "Compute the smallest or largest eigenvalues of a symmetric or Hermitian matrix. The "
           "methods are Lanczos with thick restarts, and LOBPCG with a preconditioner. The "
           "residual of each eigenpair is computed from the eigenvector. It bounds the distance "
           "from the printed value to an eigenvalue of the matrix. The command fails if a residual "
           "is larger than the tolerance.",
};

int command_eigs(int argc, char **argv)
{
    eigs_options options = {.common = {.operands_min = 1, .operands_max = 1}};
    line_parse(&line_of, argc, argv, &options);
    int status = command_run(&options.common, eigs, &options);
    if (status != 0)
        interrupt_pass_on();
    return status;
}
