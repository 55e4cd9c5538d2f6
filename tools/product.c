/* Options and output for products. */
#include "product.h"

#include <furrow/author/context.h>
#include <furrow/author/kernels.h>

#include <string.h>

/* Lists the names that --kernel accepts. */
static const char *kernel_name(fur_context *context, int index)
{
    static const char *const others[] = {"auto", "stencil", NULL};
    int count = command_count(fur_spmv_kernel_at, context);
    return index < count ? command_kernel(context, index) : others[index - count];
}

fur_status product_check_kernel(fur_context *context, const char *kernel)
{
    return kernel ? command_check_name(context, "--kernel", kernel_name, kernel) : FUR_OK;
}

/* Lists "none", the methods, and "auto". */
const char *product_order(fur_context *context, int index)
{
    if (index == 0)
        return "none";
    const char *method = command_method(context, index - 1);
    bool behind = !method && index > 1 && command_method(context, index - 2);
    return behind ? "auto" : method;
}

const char *product_values(fur_context *context, int index)
{
    static const char *const names[] = {"exact", "f32", NULL};
    (void)context;
    return names[index];
}

fur_stored product_stored(const char *name)
{
    return name && strcmp(name, "f32") == 0 ? FUR_STORED_F32 : FUR_STORED_EXACT;
}

/* Replaces *x by its image under fur_vector_permute or fur_vector_unpermute. */
static fur_status move(const fur_product *p, fur_vector **x,
                       fur_status (*by)(const fur_permutation *, const fur_vector *, fur_vector *))
{
    fur_vector *moved = NULL;
    if (!fur_product_order(p))
        return FUR_OK;
    FUR_TRY(fur_vector_create(fur_vector_context(*x), fur_vector_value_type(*x),
                              fur_vector_size(*x), &moved));
    fur_status status = by(fur_product_order(p), *x, moved);
    fur_vector_destroy(status == FUR_OK ? *x : moved);
    if (status == FUR_OK)
        *x = moved;
    return status;
}

fur_status product_enter(const fur_product *p, fur_vector **x)
{
    return move(p, x, fur_vector_permute);
}

fur_status product_leave(const fur_product *p, fur_vector **x)
{
    return move(p, x, fur_vector_unpermute);
}

void product_put_order(output *out, const fur_product_report *report)
{
    output_text(out, "reorder", "order", report->order);
    if (report->order_reason[0] == '\0')
        return;
    output_flag(out, "reorder_kept", "file's order kept", strcmp(report->order, "none") == 0);
    output_text(out, "reorder_reason", "because", report->order_reason);
    if (report->seconds_order > 0) {
        output_seconds(out, "seconds_order", "time to order", report->seconds_order);
        output_seconds(out, "seconds_permute", "time to permute", report->seconds_permute);
    }
    if (report->seconds_before > 0) {
        output_seconds(out, "seconds_spmv_before", "product before", report->seconds_before);
        output_seconds(out, "seconds_spmv_after", "product after", report->seconds_after);
    }
}

void product_put_recognition(output *out, const fur_product_report *report)
{
    const fur_recognise_report *found = report->recognition;
    if (!found)
        return;
    output_flag(out, "recognised", "is a stencil", found->recognised);
    output_text(out, "recognition", "recognition", found->reason);
    output_seconds(out, "seconds_recognise", "time to recognise", found->seconds);
    if (found->recognised)
        output_count(out, "rows_differing", "rows that differ", found->rows_differing);
}
