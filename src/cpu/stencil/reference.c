/* The reference kernel of stencils: one point after the other on one thread. It is made to be read,
 * and to be compared with.
 *
 * Bytes a point: two entries for x and y, and one for each field. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "table.h"

#    include <string.h>

#    define FUR_TEMPLATE "stencil/reference.c"
#    include "foreach_value.h"

static fur_status apply(const fur_stencil_call *call)
{
    static void (*const table[FUR_VALUE_COUNT])(const fur_stencil_call *) =
        FUR_VALUE_TABLE(multiply);
    table[call->s->value_type](call);
    return FUR_OK;
}

extern const fur_stencil_kernel ISA(stencil_reference);
const fur_stencil_kernel ISA(stencil_reference) = {
    .info.name = "reference",
    .info.summary = "point by point on one thread",
    .info.source = "",
    .info.exact = true,
    .apply = apply,
};
#else
#    include "finish.h"
#    include "long_sum.h"
#    include "stencil_value.h"

/* The terms of a point in the order of the offsets, added like the entries of a row. */
static VALUE FN(sum_at)(const fur_stencil_view *s, const int64_t at[3], int64_t p, const VALUE *x)
{
    VALUE c[FUR_STENCIL_POINTS];
    VALUE z[FUR_STENCIL_POINTS];
    int32_t place[FUR_STENCIL_POINTS];
    int terms = 0;
    for (int k = 0; k < s->points; k++) {
        int64_t neighbour = fur_stencil_neighbour(s, at, s->offsets[k]);
        if (neighbour < 0)
            continue;
        c[terms] = FN(stencil_value)(s, k, p);
        z[terms] = x[neighbour];
        place[terms] = terms;
        terms++;
    }
    return FN(plain_row_sum)(c, place, 0, terms, z, 1);
}

static void FN(multiply)(const fur_stencil_call *call)
{
    const fur_stencil_view *s = call->s;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    const VALUE *z = call->z;
    VALUE *y = call->y;
    int64_t p = 0;
    for (int64_t k = 0; k < s->extent[2]; k++)
        for (int64_t j = 0; j < s->extent[1]; j++)
            for (int64_t i = 0; i < s->extent[0]; i++, p++) {
                VALUE sum = FN(sum_at)(s, (const int64_t[3]){i, j, k}, p, call->x);
                y[p] = FN(combine)(alpha, sum, beta, V(is_zero)(beta), &z[p]);
            }
}

#endif
