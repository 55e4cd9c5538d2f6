/* SpMV along the merge path (Merrill and Garland 2016). Rows and entries together are cut into
 * equal parts. Neither one long row nor many empty rows can then unbalance the threads.
 *
 * A cut inside a row moves back to the beginning of its segment (FUR_ROW_SEGMENT). The segments of
 * a row that is cut leave their sums in the plan's workspace. They are added at the end. The
 * additions are the same as without cuts.
 *
 * Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "table.h"
#    include "work.h"

/* A point of the path: all rows before `row` are done, and the entries of `row` before `entry`. */
typedef struct cut {
    int64_t row;
    int64_t entry;
} cut;

/* The point at which part `part` of `parts` begins. */
static cut find_cut(const fur_csr_view *a, int parts, int part)
{
    int64_t row = fur_balanced_row(a, parts, part);
    int64_t share = fur_split(a->entries + a->rows, parts, part);
    if (row == 0 || fur_offset_at(a, row) + row == share)
        return (cut){row, fur_offset_at(a, row)};
    row--;
    int64_t begin = fur_offset_at(a, row);
    int64_t length = fur_offset_at(a, row + 1) - begin;
    int64_t done = share - row - begin;
    if (done > length - 1)
        done = length - 1;
    return (cut){row, begin + (done > 0 ? done / FUR_ROW_SEGMENT * FUR_ROW_SEGMENT : 0)};
}

/* The workspace slot for the sum of the segment that starts at entry k. Only rows longer than a
 * segment are cut. Full segments of all rows start at least a segment apart, and last segments do
 * so too. */
static int64_t segment_slot(int64_t k, int64_t row_end)
{
    return k / FUR_ROW_SEGMENT * 2 + (row_end - k <= FUR_ROW_SEGMENT);
}

static int64_t slot_count(const fur_csr_view *a)
{
    return (a->entries / FUR_ROW_SEGMENT + 1) * 2;
}

#    define FUR_TEMPLATE "product/spmv/merge.c"
#    include "foreach_type.h"

typedef void multiply_between(const fur_spmv_call *call, cut from, cut to);
typedef struct cut_product {
    const fur_spmv_call *call;
    int parts;
    multiply_between *multiply;
} cut_product;

static void multiply_parts(void *job, int64_t begin, int64_t end)
{
    const cut_product *p = job;
    for (int64_t part = begin; part < end; part++)
        p->multiply(p->call, find_cut(p->call->a, p->parts, (int)part),
                    find_cut(p->call->a, p->parts, (int)part + 1));
}

static fur_status apply(const fur_spmv_call *call)
{
    static multiply_between *const multiply[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(multiply);
    static void (*const join[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(const fur_spmv_call *, int64_t) =
        FUR_TYPE_TABLE(join);
    const fur_csr_view *a = call->a;
    int parts = fur_spmv_parts(a, call->env->threads);
    cut_product p = {call, parts, multiply[a->value_type][a->offset_type]};
    fur_parallel(call->env, parts, parts, multiply_parts, &p);

    int64_t joined = -1;
    for (int part = 1; part < parts; part++) {
        cut c = find_cut(a, parts, part);
        if (c.row < a->rows && c.entry > fur_offset_at(a, c.row) && c.row != joined) {
            join[a->value_type][a->offset_type](call, c.row);
            joined = c.row;
        }
    }
    return FUR_OK;
}

static fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                       void **state)
{
    (void)profile;
    return fur_env_allocate(env, slot_count(a), fur_value_size(a->value_type), state);
}

static void release(fur_env *env, void *state)
{
    fur_env_release(env, state);
}

static fur_spmv_work work(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    fur_spmv_work work = fur_csr_work(a, profile);
    work.longest = 0;
    return work;
}

extern const fur_spmv_kernel ISA(spmv_merge);
const fur_spmv_kernel ISA(spmv_merge) = {
    .info.name = "merge",
    .info.summary = "equal numbers of rows plus entries for each thread; long rows are divided",
    .info.source = "Merrill and Garland 2016",
    .info.exact = true,
    .work = work,
    .plan = plan,
    .apply = apply,
    .release = release,
};
#else
#    include "finish.h"
#    include "row_sum.h"

/* Stores the sums of the row's segments between begin and end in the workspace. */
static void FN(keep_segments)(const fur_spmv_call *call, int64_t row, int64_t begin, int64_t end)
{
    VALUE *workspace = (VALUE *)(uintptr_t)call->state;
    int64_t row_end = fur_offset_at(call->a, row + 1);
    for (int64_t k = begin; k < end; k += FUR_ROW_SEGMENT) {
        int64_t stop = row_end - k < FUR_ROW_SEGMENT ? row_end : k + FUR_ROW_SEGMENT;
        workspace[segment_slot(k, row_end)] =
            FN(folded_sum)(call->a->values, call->a->columns, k, stop, call->x);
    }
}

static void FN(multiply)(const fur_spmv_call *call, cut begin, cut end)
{
    const OFFSET *offsets = call->a->offsets;
    int64_t row = begin.row;
    if (begin.entry > offsets[row]) {
        bool ends_here = begin.row == end.row;
        FN(keep_segments)(call, row, begin.entry, ends_here ? end.entry : offsets[row + 1]);
        if (ends_here)
            return;
        row++;
    }
    FN(multiply_rows)(call, row, end.row);
    if (end.entry > offsets[end.row])
        FN(keep_segments)(call, end.row, offsets[end.row], end.entry);
}

/* Adds the segments of a row that was cut. */
static void FN(join)(const fur_spmv_call *call, int64_t row)
{
    const VALUE *workspace = call->state;
    int64_t begin = fur_offset_at(call->a, row);
    int64_t end = fur_offset_at(call->a, row + 1);
    FN(long_sum) s;
    VALUE sum;
    FN(long_start)(&s, 1);
    for (int64_t k = begin; k < end; k += FUR_ROW_SEGMENT)
        FN(add_sum)(&s, 1, &workspace[segment_slot(k, end)]);
    FN(long_total)(&s, &sum);
    VALUE *y = call->y;
    FN(finish)(V(from)(call->alpha), sum, V(from)(call->beta), FN(overwrites)(call), &y[row]);
}

#endif
