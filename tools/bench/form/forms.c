/* Makes and releases the forms of an operator. */
#include "forms.h"

#include <furrow/author/context.h>
#include <furrow/author/kernels.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_GRAIN 16384

/* The kernels whose matrix takes fewer bytes than CSR. A device has one of them. */
static const char *const compressed[] = {"delta", "sell_runs"};

fur_status form_run(void *self)
{
    const form *c = self;
    const forms *f = c->owner;
    return c->plan ? fur_spmv_apply(c->plan, fur_real(1), f->x, fur_real(0), f->y)
                   : fur_stencil_apply(c->stencil, fur_real(1), f->x, fur_real(0), f->y);
}

void forms_describe(const forms *f, char *text, size_t size)
{
    const fur_stencil_definition *d = &f->definition;
    char extent[96] = "";
    for (int axis = 0; axis < d->axes; axis++) {
        size_t length = strlen(extent);
        snprintf(extent + length, sizeof extent - length, "%s%lld", axis > 0 ? " x " : "",
                 (long long)d->extent[axis]);
    }
    snprintf(text, size, "%d-point %s %s", d->points, extent, fur_value_name(d->value_type));
}

int64_t forms_reach(const fur_stencil_definition *d, int k, int axis)
{
    const fur_stencil_offset *offset = &d->offsets[k];
    return llabs(axis == 0 ? offset->x : axis == 1 ? offset->y : offset->z);
}

/* Counts the entries that a Dirichlet boundary leaves. Other boundaries have no fewer unless axes
 * are very short. */
static double count_entries(const fur_stencil_definition *d)
{
    double entries = 0;
    for (int k = 0; k < d->points; k++) {
        double rows = 1;
        for (int axis = 0; axis < d->axes; axis++)
            rows *= fmax(0, (double)(d->extent[axis] - forms_reach(d, k, axis)));
        entries += rows;
    }
    return entries;
}

/* Checks that x and y, the matrix and at least one kernel's form of it fit into memory. */
static fur_status check_memory(const forms *f)
{
    double value = (double)fur_value_size(f->definition.value_type);
    double matrix = count_entries(&f->definition) * (value + sizeof(int32_t));
    double needed = 2 * (double)f->rows * value + 2 * matrix;
    char text[160];
    double unused = 0;
    FUR_TRY(timing_free_memory(f->timing, &unused));
    if (needed <= unused)
        return FUR_OK;
    forms_describe(f, text, sizeof text);
    return fur_context_fail(
        f->context, FUR_OUT_OF_MEMORY,
        "%s needs %.3g GB of memory for the matrix, but only %.3g GB are free; use a smaller grid",
        text, 1e-9 * needed, 1e-9 * unused);
}

typedef struct filling {
    void *data;
    bool single;
} filling;

static void fill_parts(void *job, int64_t begin, int64_t end)
{
    const filling *f = job;
    for (int64_t i = begin; i < end; i++) {
        uint32_t hash = (uint32_t)(2654435761U * (uint64_t)(i + 1));
        double u = ((double)hash - 0x1p31) / (3 * 0x1p31);
        if (f->single)
            ((float *)f->data)[i] = (float)u;
        else
            ((double *)f->data)[i] = u;
    }
}

/* Fills x with the entries u(i + 1) of docs/numerics.md. The parts of a complex entry are
 * consecutive. */
static void fill(fur_vector *x)
{
    fur_value_type value = fur_vector_value_type(x);
    bool single = value == FUR_F32 || value == FUR_C64;
    bool complex = value == FUR_C64 || value == FUR_C128;
    int64_t count = fur_vector_size(x) * (complex ? 2 : 1);
    fur_context_parallel(fur_vector_context(x), count, PART_GRAIN, fill_parts,
                         &(filling){fur_vector_data(x), single});
}

fur_status forms_relay(const forms *f, fur_status status)
{
    return status == FUR_OK || f->host == f->context
               ? status
               : fur_context_fail(f->context, status, "%s", fur_context_error(f->host));
}

static fur_status make_vectors(forms *f)
{
    fur_value_type value = f->definition.value_type;
    FUR_TRY(forms_relay(f, fur_vector_create(f->host, value, f->rows, &f->host_x)));
    fill(f->host_x);
    f->x = f->host_x;
    if (f->host != f->context) {
        f->x = NULL;
        FUR_TRY(fur_vector_create(f->context, value, f->rows, &f->x));
        FUR_TRY(fur_vector_copy(f->host_x, f->x));
    }
    return fur_vector_create(f->context, value, f->rows, &f->y);
}

static bool has_kernel(const forms *f, const char *kernel)
{
    for (int i = 0; i < f->count; i++)
        if (f->forms[i].plan && strcmp(f->forms[i].kernel, kernel) == 0)
            return true;
    return false;
}

/* Returns the place of the next form, or NULL with a message in the context if no place is left. */
static form *next_form(forms *f, const char *name)
{
    if (f->count == FORMS_MAX) {
        fur_context_fail(f->context, FUR_INVALID,
                         "there are more than %d forms to compare; name fewer", FORMS_MAX);
        return NULL;
    }
    form *c = &f->forms[f->count];
    *c = (form){.owner = f};
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

static fur_status add_stencil(forms *f, const char *kernel)
{
    form *c = next_form(f, "stencil");
    if (!c)
        return FUR_INVALID;
    f->definition.kernel = kernel;
    FUR_TRY(fur_stencil_create(f->context, &f->definition, &c->stencil));
    f->count++;
    fur_stencil_report report = *fur_stencil_describe(c->stencil);
    c->kernel = report.kernel;
    c->bytes = report.bytes;
    c->exact = command_find(fur_stencil_kernel_at, f->context, report.kernel)->exact;
    f->rows = report.rows;
    return FUR_OK;
}

/* Adds all suitable kernels except the chosen one and the CPU's first, which has one thread. */
static fur_status add_stencils(forms *f)
{
    int kernels = command_count(fur_stencil_kernel_at, f->context);
    for (int i = f->host == f->context ? 1 : 0; i < kernels; i++) {
        fur_kernel_info kernel = *fur_stencil_kernel_at(f->context, i);
        if (strcmp(kernel.name, f->forms[0].kernel) != 0) {
            fur_status status = add_stencil(f, kernel.name);
            FUR_TRY(status == FUR_UNSUPPORTED ? FUR_OK : status);
        }
    }
    return FUR_OK;
}

/* Adds a kernel for the matrix, unless it has already been added. */
static fur_status add_matrix(forms *f, const char *name, const char *kernel)
{
    fur_spmv_options options = {
        .size = sizeof options, .kernel = kernel, .uses = 1000000, .measure = !kernel};
    if (kernel && has_kernel(f, kernel))
        return FUR_OK;
    form *c = next_form(f, name);
    if (!c)
        return FUR_INVALID;
    FUR_TRY(fur_spmv_plan(f->a, &options, &c->plan));
    f->count++;
    fur_spmv_report report = *fur_spmv_describe(c->plan);
    c->kernel = report.kernel;
    c->bytes = report.bytes;
    c->exact = command_find(fur_spmv_kernel_at, f->context, report.kernel)->exact;
    return FUR_OK;
}

static fur_status assemble(forms *f)
{
    FUR_TRY(fur_context_synchronize(f->context));
    double start = fur_seconds();
    FUR_TRY(fur_stencil_assemble(f->forms[0].stencil, &f->a));
    FUR_TRY(fur_context_synchronize(f->context));
    f->seconds_assemble = fur_seconds() - start;
    return FUR_OK;
}

/* Returns whether a word of the request means a kernel. */
static bool is_meant(const char *word, const char *kernel)
{
    if (strcmp(word, "cusparse") == 0)
        return strncmp(kernel, word, strlen(word)) == 0;
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (strcmp(word, "compressed") == 0 && strcmp(kernel, compressed[i]) == 0)
            return true;
    return false;
}

/* Adds the kernels that a word means. *found tells whether any of them is suitable. */
static fur_status add_meant(forms *f, const char *word, bool *found)
{
    int kernels = command_count(fur_spmv_kernel_at, f->context);
    for (int i = 0; i < kernels; i++) {
        fur_kernel_info kernel = *fur_spmv_kernel_at(f->context, i);
        if (is_meant(word, kernel.name)) {
            fur_status status = add_matrix(f, word, kernel.name);
            FUR_TRY(status == FUR_UNSUPPORTED ? FUR_OK : status);
            *found = *found || status == FUR_OK;
        }
    }
    return FUR_OK;
}

/* The words that --against accepts. */
static const char *word_name(fur_context *context, int index)
{
    static const char *const others[] = {"csr", "compressed", "cusparse", NULL};
    int count = command_count(fur_spmv_kernel_at, context);
    return index < count ? command_kernel(context, index) : others[index - count];
}

static fur_status add_word(forms *f, const char *word)
{
    bool found = strcmp(word, "csr") == 0;
    FUR_TRY(add_meant(f, word, &found));
    if (found)
        return FUR_OK;
    if (strcmp(word, "cusparse") == 0 || strcmp(word, "compressed") == 0) {
        return fur_context_fail(f->context, FUR_UNSUPPORTED,
                                "no kernel of '%s' on %s supports this matrix; cusparse needs a "
                                "GPU and a build with FURROW_WITH_CUSPARSE=ON",
                                word, fur_context_device(f->context));
    }
    FUR_TRY(command_check_name(f->context, "--against", word_name, word));
    return add_matrix(f, word, word);
}

static fur_status add_words(forms *f, const char *words)
{
    while (*words != '\0') {
        char word[24];
        int length = (int)strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", length, words);
        FUR_TRY(add_word(f, word));
        words += length + (words[length] == ',');
    }
    return FUR_OK;
}

static fur_status add_matrices(forms *f, const char *against)
{
    bool found = false;
    FUR_TRY(assemble(f));
    FUR_TRY(add_matrix(f, "csr", NULL));
    if (against)
        return add_words(f, against);
    FUR_TRY(add_meant(f, "compressed", &found));
    return add_meant(f, "cusparse", &found);
}

fur_status forms_create(timing *t, const forms_request *request, forms *f)
{
    *f = (forms){.timing = t, .context = t->context, .host = fur_context_host(t->context)};
    FUR_TRY(grid_check_kernel(f->context, request->kernel));
    f->definition = grid_define(&request->grid, request->kernel);
    FUR_TRY(add_stencil(f, request->kernel));
    if (f->rows > INT32_MAX) {
        return fur_context_fail(
            f->context, FUR_OVERFLOW,
            "a matrix has at most 2^31-1 rows, but the grid has %lld points; use a smaller grid",
            (long long)f->rows);
    }
    FUR_TRY(check_memory(f));
    FUR_TRY(make_vectors(f));
    FUR_TRY(add_matrices(f, request->against));
    return request->stencils ? add_stencils(f) : FUR_OK;
}

void forms_destroy(forms *f)
{
    for (int i = 0; i < f->count; i++) {
        fur_spmv_destroy(f->forms[i].plan);
        fur_stencil_destroy(f->forms[i].stencil);
    }
    fur_csr_destroy(f->a);
    fur_vector_destroy(f->y);
    if (f->x != f->host_x)
        fur_vector_destroy(f->x);
    fur_vector_destroy(f->host_x);
}
