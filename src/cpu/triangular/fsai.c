/* Rows of a factorised approximate inverse. Each row takes its own dense Cholesky factorisation
 * (Kolotilina and Yeremin 1993). Rows are independent. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

typedef struct inverting {
    const fur_fsai_call *call;
    fur_shared failed; /* the first row without positive pivots */
} inverting;

#    define FUR_TEMPLATE "triangular/fsai.c"
#    include "foreach_type.h"

extern fur_fsai ISA(fsai);
int64_t ISA(fsai)(const fur_fsai_call *call)
{
    static fur_body *const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] = FUR_TYPE_TABLE(fsai_lanes);
    inverting job = {.call = call, .failed = INT64_MAX};
    if (call->g->rows == 0)
        return -1; /* there is no work memory */
    fur_parallel(call->env, call->lanes, call->lanes,
                 table[call->g->value_type][call->g->offset_type], &job);
    return job.failed == INT64_MAX ? -1 : job.failed;
}
#else
#    include "triangular/cholesky_template.h"

/* Copies the lower triangle of A(J, J) by rows, where J is the m columns. Entries at one position
 * are added. */
static void FN(gather)(const fur_csr_view *a, const int32_t *columns, int64_t m, VALUE *l)
{
    const VALUE *values = a->values;
    for (int64_t p = 0; p < m; p++) {
        VALUE *row = l + p * m;
        int64_t k = fur_offset_at(a, columns[p]);
        int64_t end = fur_offset_at(a, columns[p] + (int64_t)1);
        for (int64_t q = 0; q <= p; q++) {
            row[q] = V(from)((fur_scalar){0, 0});
            while (k < end && a->columns[k] < columns[q])
                k++;
            for (; k < end && a->columns[k] == columns[q]; k++)
                row[q] = V(add)(row[q], values[k]);
        }
    }
}

/* l := L with l = L L^H. Returns false if a pivot is not positive. */
static bool FN(factor)(VALUE *l, int64_t m)
{
    for (int64_t p = 0; p < m; p++)
        if (!FN(factor_row)(l, m, p))
            return false;
    return true;
}

/* out = conj(y), L^H y = e */
static void FN(solve)(const VALUE *l, int64_t m, VALUE *y, VALUE *out)
{
    for (int64_t p = 0; p < m; p++)
        y[p] = V(from)((fur_scalar){p == m - 1 ? 1 : 0, 0});
    FN(solve_adjoint)(l, m, m, y);
    for (int64_t p = 0; p < m; p++)
        out[p] = V(conj)(y[p]);
}

/* Each index is a lane, with its own rows and memory. */
static void FN(fsai_lanes)(void *job, int64_t begin, int64_t end)
{
    inverting *own = job;
    const fur_fsai_call *c = own->call;
    const OFFSET *offsets = c->g->offsets;
    int64_t room = c->longest * c->longest + c->longest;
    for (int64_t lane = begin; lane < end; lane++) {
        VALUE *l = (VALUE *)c->work + lane * room;
        VALUE *y = l + c->longest * c->longest;
        int64_t stop = fur_split(c->g->rows, c->lanes, (int)lane + 1);
        for (int64_t i = fur_split(c->g->rows, c->lanes, (int)lane); i < stop; i++) {
            int64_t m = offsets[i + 1] - offsets[i];
            FN(gather)(c->a, c->g->columns + offsets[i], m, l);
            if (FN(factor)(l, m))
                FN(solve)(l, m, y, (VALUE *)c->values + offsets[i]);
            else
                fur_shared_least(&own->failed, i);
        }
    }
}

#endif
