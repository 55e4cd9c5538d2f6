/* Gauss-Seidel sweeps by colours: forwards M = (I + L)^-1 D^-1, backwards M = (I + U)^-1 D^-1. L
 * and U are the triangles of D^-1 A with the rows in the order of their colours. So a solve has one
 * step for each colour. A row without a diagonal is 0 in D^-1 A. */
#include "hierarchy.h"

#include <furrow/graph.h>

/* Makes D^-1 A in the order of the colours. */
static fur_status make_scaled(const fur_amg_rung *rung, fur_csr **out)
{
    const fur_amg_coloured *c = &rung->coloured;
    fur_csr *made;
    FUR_TRY(fur_csr_permute(rung->level.a, c->order, c->order, &made));
    fur_status status = fur_vector_permute(c->order, rung->scaling, c->work);
    if (status == FUR_OK)
        status = fur_csr_scale(made, c->work, NULL);
    if (status == FUR_OK)
        *out = made;
    else
        fur_csr_destroy(made);
    return status;
}

static fur_status find_order(const fur_csr *a, fur_permutation **out)
{
    fur_classes *colours;
    FUR_TRY(fur_classes_from_colours(a, NULL, &colours));
    fur_status status = fur_classes_order(colours, out);
    fur_classes_destroy(colours);
    return status;
}

fur_status fur_amg_plan_coloured(fur_amg_rung *rung)
{
    fur_amg_coloured *c = &rung->coloured;
    const fur_csr *a = rung->level.a;
    FUR_TRY(find_order(a, &c->order));
    FUR_TRY(fur_vector_create(a->context, a->view.value_type, a->view.rows, &c->work));
    FUR_TRY(make_scaled(rung, &c->scaled));
    FUR_TRY(
        fur_trsv_plan(c->scaled, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, NULL, &c->lower));
    return fur_trsv_plan(c->scaled, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_UNIT, NULL,
                         &c->upper);
}

fur_status fur_amg_refresh_coloured(fur_amg_rung *rung)
{
    fur_csr *kept = rung->coloured.scaled;
    const fur_csr_view *v = &kept->view;
    fur_csr *made;
    FUR_TRY(make_scaled(rung, &made));
    fur_status status = fur_memory_copy(kept->context, fur_csr_values(kept), made->view.values,
                                        v->entries * (int64_t)fur_value_size(v->value_type));
    fur_csr_destroy(made);
    if (status == FUR_OK)
        fur_csr_values_changed(kept);
    return status;
}

fur_status fur_amg_apply_coloured(const fur_amg_rung *rung, bool backwards, const fur_vector *r,
                                  fur_vector *z)
{
    const fur_amg_coloured *c = &rung->coloured;
    FUR_TRY(fur_multiply_elementwise(rung->scaling, r, z));
    FUR_TRY(fur_vector_permute(c->order, z, c->work));
    FUR_TRY(fur_trsv_apply(backwards ? c->upper : c->lower, fur_real(1), c->work, c->work));
    return fur_vector_unpermute(c->order, c->work, z);
}

int64_t fur_amg_coloured_bytes(const fur_amg_coloured *c)
{
    if (!c->upper)
        return 0;
    const fur_csr_view *v = &c->scaled->view;
    int64_t value = (int64_t)fur_value_size(v->value_type);
    int64_t triangles = fur_trsv_describe(c->lower)->entries + fur_trsv_describe(c->upper)->entries;
    return fur_csr_bytes(v) + triangles * (value + 4) + v->rows * (value + 8);
}

double fur_amg_coloured_traffic(const fur_amg_coloured *c)
{
    if (!c->upper)
        return 0;
    double vector = (double)(c->work->size * (int64_t)fur_value_size(c->work->value_type));
    return (double)fur_trsv_describe(c->lower)->bytes + 4 * vector;
}

void fur_amg_release_coloured(fur_amg_coloured *c)
{
    fur_trsv_destroy(c->upper);
    fur_trsv_destroy(c->lower);
    fur_csr_destroy(c->scaled);
    fur_vector_destroy(c->work);
    fur_permutation_destroy(c->order);
}
