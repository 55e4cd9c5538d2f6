/* Arranges a matrix of all ranks in the order of a partition, and its vectors back in the original
 * order. */
#include "bounds.h"
#include "own_rows.h"
#include "partition.h"
#include "pieces.h"

#include <string.h>

/* The state of one arrangement. Arrays are NULL before they are allocated. */
typedef struct arrangement {
    fur_ranks *g;
    const fur_partition *p;
    own_rows rows;
    int64_t *bounds;
    int64_t *work; /* of each part: the sum over all ranks, then the work of the single ranks */
    int64_t *offsets;
    int32_t *columns;
    char *values;
} arrangement;

/* Tests by a hash whether all ranks gave the same order and parts (FNV-1a, Fowler, Noll and Vo
 * 1991). */
static fur_status compare_partitions(fur_ranks *g, const fur_partition *p)
{
    uint64_t own = (UINT64_C(0xcbf29ce484222325) ^ (uint64_t)p->parts) * UINT64_C(0x100000001b3);
    uint64_t *all;
    const int32_t *order = fur_permutation_order(p->order);
    for (int64_t i = 0; i < p->rows; i++) {
        own = (own ^ (uint32_t)order[i]) * UINT64_C(0x100000001b3);
        if (p->parts > 0)
            own = (own ^ (uint32_t)p->of_rows[i]) * UINT64_C(0x100000001b3);
    }
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = group_gather(g, &own, sizeof own, all);
    for (int i = 1; status == FUR_OK && i < g->count; i++)
        if (all[i] != all[0])
            status = group_fail(
                g, FUR_INVALID,
                "ranks 0 and %d have different partitions; all ranks must give the same", i);
    group_release(g, all);
    return status;
}

/* Sets work[k] to the work of part k on all ranks: its entries, and ROW_WORK for each row. */
static fur_status add_work(arrangement *t)
{
    int64_t parts = t->p->parts;
    FUR_TRY(group_allocate(t->g, parts * (t->g->count + 1), sizeof *t->work, &t->work));
    int64_t *own = t->work + parts * t->g->count;
    memset(own, 0, (size_t)parts * sizeof *own);
    for (int64_t row = 0; row < t->rows.count; row++) {
        int64_t first;
        int64_t end;
        own_rows_find(&t->rows, row, &first, &end);
        own[t->p->of_rows[t->rows.begin + row]] += end - first + ROW_WORK;
    }
    FUR_TRY(group_gather(t->g, own, (size_t)parts * sizeof *own, t->work));
    for (int rank = 1; rank < t->g->count; rank++)
        for (int64_t k = 0; k < parts; k++)
            t->work[k] += t->work[rank * parts + k];
    return FUR_OK;
}

/* Each rank begins with the part whose beginning is nearest to the rank's share of the work. */
static void cut_parts(const arrangement *t)
{
    int ranks = t->g->count;
    double all = 0;
    double before = 0;
    int rank = 1;
    for (int k = 0; k < t->p->parts; k++)
        all += (double)t->work[k];
    t->bounds[0] = 0;
    for (int k = 0; k < t->p->parts; k++) {
        double middle = before + 0.5 * (double)t->work[k];
        for (; rank < ranks && all * rank / ranks <= middle; rank++)
            t->bounds[rank] = t->p->begin[k];
        before += (double)t->work[k];
    }
    for (; rank <= ranks; rank++)
        t->bounds[rank] = t->p->rows;
}

/* Makes a matrix of all rows that contains this rank's rows at their new places. */
static fur_status fill_piece(arrangement *t, size_t size)
{
    const own_rows *r = &t->rows;
    const int32_t *order = fur_permutation_order(t->p->order);
    const int32_t *position = fur_permutation_position(t->p->order);
    int64_t entries = r->m->report.own_entries;
    int64_t at = 0;
    FUR_TRY(group_allocate(t->g, t->p->rows + 1, sizeof *t->offsets, &t->offsets));
    FUR_TRY(group_allocate(t->g, entries, sizeof *t->columns, &t->columns));
    FUR_TRY(group_allocate(t->g, entries, size, &t->values));
    for (int64_t i = 0; i < t->p->rows; i++) {
        int64_t row = order[i] - r->begin;
        int64_t k;
        int64_t end;
        t->offsets[i] = at;
        if (row < 0 || row >= r->count)
            continue;
        const fur_csr_view *v = own_rows_find(r, row, &k, &end);
        memcpy(t->values + (size_t)at * size, (const char *)v->values + (size_t)k * size,
               (size_t)(end - k) * size);
        for (; k < end; k++)
            t->columns[at++] = position[own_rows_column(r, v, k)];
    }
    t->offsets[t->p->rows] = at;
    return FUR_OK;
}

static void leave_piece(void *user)
{
    arrangement *t = user;
    group_release(t->g, t->offsets);
    group_release(t->g, t->columns);
    group_release(t->g, t->values);
    t->offsets = NULL;
    t->columns = NULL;
    t->values = NULL;
}

static fur_status arrange(arrangement *t, const fur_ranks_csr *a, fur_ranks_csr **out)
{
    FUR_TRY(own_rows_open(a, &t->rows));
    if (t->p->parts > 0) {
        FUR_TRY(group_allocate(t->g, t->g->count + 1, sizeof *t->bounds, &t->bounds));
        FUR_TRY(add_work(t));
        cut_parts(t);
    }
    FUR_TRY(fill_piece(t, fur_value_size(a->report.value_type)));
    fur_csr_view view = {.size = sizeof view,
                         .rows = t->p->rows,
                         .cols = t->p->rows,
                         .entries = a->report.own_entries,
                         .value_type = a->report.value_type,
                         .offset_type = FUR_I64,
                         .offsets = t->offsets,
                         .columns = t->columns,
                         .values = t->values};
    pieces p = {.rows = view.rows,
                .cols = view.cols,
                .value = view.value_type,
                .own = &view,
                .bounds = t->bounds,
                .done = leave_piece,
                .user = t};
    return matrix_from_pieces(t->g, &p, out);
}

static fur_status check_fit(const fur_ranks_csr *a, const fur_partition *p)
{
    if (a->report.rows == p->rows && a->report.cols == p->rows)
        return FUR_OK;
    return group_fail(a->group, FUR_INVALID,
                      "the matrix is %lld x %lld, but the partition has %lld rows; give a "
                      "partition of this matrix",
                      (long long)a->report.rows, (long long)a->report.cols, (long long)p->rows);
}

fur_status fur_ranks_csr_arrange(const fur_ranks_csr *a, const fur_partition *partition,
                                 fur_ranks_csr **out)
{
    fur_ranks_csr *made = NULL;
    if (!a || !partition || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    arrangement t = {.g = a->group, .p = partition, .rows.m = a};
    fur_status status = check_fit(a, partition);
    if (status == FUR_OK)
        status = compare_partitions(a->group, partition);
    if (status == FUR_OK)
        status = arrange(&t, a, &made);
    own_rows_close(&t.rows);
    leave_piece(&t);
    group_release(a->group, t.bounds);
    group_release(a->group, t.work);
    return matrix_finish(a->group, status, made, out);
}

/* to[i] = from[order[first + i]] or, if `back`, to[order[i]] = from[i]. */
static void move_entries(const fur_partition *p, size_t size, int64_t first, int64_t count,
                         bool back, const char *from, char *to)
{
    const int32_t *order = p ? fur_permutation_order(p->order) : NULL;
    for (int64_t i = 0; from && i < count; i++) {
        int64_t there = order ? order[first + i] : first + i;
        memcpy(to + (size_t)(back ? there : i) * size, from + (size_t)(back ? i : there) * size,
               size);
    }
}

fur_status fur_ranks_take_vector(const fur_ranks_csr *a, const fur_partition *partition,
                                 const void *all, fur_vector *x)
{
    if (!a || !x || (!all && fur_vector_size(x) > 0))
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_ranks *g = a->group;
    size_t size = fur_value_size(fur_vector_value_type(x));
    int64_t count = a->bounds[g->rank + 1] - a->bounds[g->rank];
    char *part;
    if (fur_vector_size(x) != count)
        return group_fail(g, FUR_INVALID,
                          "the vector of rank %d has %lld entries, but the rank has %lld rows",
                          g->rank, (long long)fur_vector_size(x), (long long)count);
    FUR_TRY(group_allocate(g, count, size, &part));
    move_entries(partition, size, a->bounds[g->rank], count, false, all, part);
    fur_status status = group_pass_on(g, a->context, fur_vector_upload(part, x));
    group_release(g, part);
    return status;
}

fur_status fur_ranks_give_vector(fur_ranks_csr *a, const fur_partition *partition,
                                 const fur_vector *x, void *all)
{
    if (!a || !x)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_ranks *g = a->group;
    size_t size = fur_value_size(fur_vector_value_type(x));
    char *ordered = NULL;
    if (!partition)
        return fur_ranks_gather_vector(a, x, all);
    fur_status status = FUR_OK;
    if (g->rank == 0)
        status = group_allocate(g, a->report.rows, size, &ordered);
    status = fur_ranks_agree(g, status);
    if (status == FUR_OK)
        status = fur_ranks_gather_vector(a, x, ordered);
    if (status == FUR_OK && g->rank == 0)
        move_entries(partition, size, 0, a->report.rows, true, ordered, all);
    group_release(g, ordered);
    return status;
}
