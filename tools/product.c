/* Plan or stencil, and the timing of products. */
#include "product.h"

#include <math.h>
#include <string.h>

/* Rounds of the race between plan and stencil. */
#define ROUNDS 3

static const char STENCIL[] = "stencil";

/* What --kernel takes. */
static const char *kernel_name(fur_context *context, int index)
{
    static const char *const others[] = {"auto", STENCIL, NULL};
    int count = command_count(fur_spmv_kernel_at, context);
    return index < count ? command_kernel(context, index) : others[index - count];
}

fur_status product_check_kernel(fur_context *context, const char *kernel)
{
    return !kernel ? FUR_OK : command_check_name(context, "--kernel", kernel_name, kernel);
}

fur_status product_time(const product *p, const fur_vector *x, fur_vector *y, int64_t count,
                        double *seconds)
{
    double start = command_seconds();
    for (int64_t i = 0; i < count; i++)
        COMMAND_TRY(fur_operator_apply(p->op, x, y));
    COMMAND_TRY(fur_context_synchronize(fur_vector_context(y)));
    *seconds = (command_seconds() - start) / (double)count;
    return FUR_OK;
}

static fur_status make_plan(const fur_csr *a, const fur_spmv_options *options, product *out)
{
    COMMAND_TRY(fur_spmv_plan(a, options, &out->plan));
    out->csr_bytes = fur_spmv_describe(out->plan)->csr_bytes;
    return fur_operator_from_spmv(out->plan, &out->op);
}

static int64_t csr_bytes(const fur_csr_view *a)
{
    int64_t value = (int64_t)fur_value_size(a->value_type);
    return a->entries * (value + (int64_t)sizeof *a->columns) +
           (a->rows + 1) * (int64_t)fur_offset_size(a->offset_type) + (a->rows + a->cols) * value;
}

/* Leaves the operator NULL if there is none. */
static fur_status look_for_stencil(const fur_csr *a, product *out)
{
    fur_csr_view view = *fur_csr_get(a);
    out->asked = true;
    out->csr_bytes = csr_bytes(&view);
    out->found = FUR_DEFAULT(fur_recognise_report);
    COMMAND_TRY(fur_stencil_recognise(a, NULL, &out->found, &out->stencil));
    return out->stencil ? fur_operator_from_recognised(out->stencil, &out->op) : FUR_OK;
}

static fur_status demand_stencil(const fur_csr *a, product *out)
{
    COMMAND_TRY(look_for_stencil(a, out));
    return out->stencil ? FUR_OK
                        : fur_context_fail(fur_csr_context(a), FUR_UNSUPPORTED,
                                           "--kernel stencil: the matrix is not known for "
                                           "one: %s",
                                           out->found.reason);
}

/* The first product meets cold caches; of the others, made by turns, the least counts. */
static fur_status race(const product *sides[2], const fur_csr *a, double least[2])
{
    fur_csr_view view = *fur_csr_get(a);
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    fur_status status = fur_vector_create(fur_csr_context(a), view.value_type, view.cols, &x);
    if (status == FUR_OK)
        status = fur_vector_create(fur_csr_context(a), view.value_type, view.rows, &y);
    least[0] = least[1] = INFINITY;
    for (int run = 0; run < 2 * (ROUNDS + 1) && status == FUR_OK; run++) {
        double seconds = 0.0;
        status = product_time(sides[run % 2], x, y, 1, &seconds);
        if (run > 1)
            least[run % 2] = fmin(least[run % 2], seconds);
    }
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    return status;
}

/* Leaves to *out, a plan, the stencil instead if that is faster. */
static fur_status take_faster(const fur_csr *a, product *out, product *stencil)
{
    double seconds[2];
    COMMAND_TRY(race((const product *[2]){out, stencil}, a, seconds));
    if (seconds[1] <= seconds[0]) {
        product plan = *out;
        *out = *stencil;
        *stencil = plan;
    }
    return FUR_OK;
}

static fur_status choose(const fur_csr *a, const fur_spmv_options *options, product *out)
{
    product stencil = {.op = NULL};
    COMMAND_TRY(make_plan(a, options, out));
    if (options->op != FUR_OP_N)
        return FUR_OK;
    fur_status status = look_for_stencil(a, &stencil);
    out->asked = true;
    out->found = stencil.found;
    if (status == FUR_OK && stencil.stencil)
        status = take_faster(a, out, &stencil);
    product_destroy(&stencil);
    return status;
}

fur_status product_create(const fur_csr *a, const fur_spmv_options *options, product *out)
{
    const char *kernel = options->kernel;
    if (!kernel || strcmp(kernel, "auto") == 0)
        return choose(a, options, out);
    return strcmp(kernel, STENCIL) == 0 ? demand_stencil(a, out) : make_plan(a, options, out);
}

void product_destroy(product *p)
{
    fur_operator_destroy(p->op);
    fur_spmv_destroy(p->plan);
    fur_recognised_destroy(p->stencil);
    *p = (product){.op = NULL};
}

fur_spmv_report product_describe(const product *p)
{
    if (p->plan)
        return *fur_spmv_describe(p->plan);
    return (fur_spmv_report){.kernel = STENCIL,
                             .reason = p->found.reason,
                             .bytes = p->found.bytes,
                             .csr_bytes = p->csr_bytes,
                             .seconds_plan = p->found.seconds};
}

void product_put(output *out, const product *p)
{
    if (!p->asked)
        return;
    output_flag(out, "recognised", "is a stencil", p->found.recognised);
    output_text(out, "recognition", "as was found", p->found.reason);
    output_seconds(out, "seconds_recognise", "time to recognise", p->found.seconds);
    if (p->found.recognised)
        output_count(out, "rows_differing", "rows that differ", p->found.rows_differing);
}
