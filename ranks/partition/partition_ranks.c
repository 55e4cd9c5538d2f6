/* Partitions of matrices of all ranks. Rank 0 computes a partition, and all ranks get it. */
#include "own_rows.h"
#include "partition.h"
#include "take_options.h"

#include <string.h>

/* The whole pattern while it is collected on rank 0. Arrays are NULL before they are allocated. */
typedef struct collection {
    fur_ranks *g;
    int64_t rows;
    int64_t entries;
    int64_t *offsets;
    int32_t *columns;
    float *values; /* all 1 */
} collection;

/* Writes this rank's rows as columns and offsets from 0. */
static void write_rows(const own_rows *r, int64_t *offsets, int32_t *columns)
{
    int64_t at = 0;
    for (int64_t row = 0; row < r->count; row++) {
        int64_t k;
        int64_t end;
        const fur_csr_view *v = own_rows_find(r, row, &k, &end);
        for (; k < end; k++)
            columns[at++] = (int32_t)own_rows_column(r, v, k);
        offsets[row] = at;
    }
}

/* Shifts offsets[row + 1] for the rows of a rank, which were counted from 0. */
static void shift_offsets(const collection *c, int64_t begin, int64_t end)
{
    int64_t before = c->offsets[begin];
    for (int64_t row = begin; row < end; row++)
        c->offsets[row + 1] += before;
}

static fur_status collect(collection *c, const own_rows *r)
{
    fur_ranks *g = c->g;
    const int64_t *bounds = r->m->bounds;
    bool all = g->rank == 0;
    int64_t entries = all ? r->m->report.entries : r->m->report.own_entries;
    FUR_TRY(group_allocate(g, (all ? c->rows : r->count) + 1, sizeof *c->offsets, &c->offsets));
    FUR_TRY(group_allocate(g, entries, sizeof *c->columns, &c->columns));
    c->offsets[0] = 0;
    write_rows(r, c->offsets + 1, c->columns);
    if (!all) {
        FUR_TRY(group_send(g, 0, c->offsets + 1, (size_t)r->count * sizeof *c->offsets));
        return group_send(g, 0, c->columns, (size_t)entries * sizeof *c->columns);
    }
    for (int from = 1; from < g->count; from++) {
        int64_t rows = bounds[from + 1] - bounds[from];
        FUR_TRY(group_receive(g, from, c->offsets + bounds[from] + 1,
                              (size_t)rows * sizeof *c->offsets));
        shift_offsets(c, bounds[from], bounds[from + 1]);
        int64_t first = c->offsets[bounds[from]];
        int64_t end = c->offsets[bounds[from + 1]];
        FUR_TRY(
            group_receive(g, from, c->columns + first, (size_t)(end - first) * sizeof *c->columns));
    }
    c->entries = entries;
    return FUR_OK;
}

/* Computes the partition of the collected pattern, on rank 0. */
static fur_status divide(collection *c, const fur_partition_options *o, fur_partition **out)
{
    fur_ranks *g = c->g;
    fur_csr *a = NULL;
    FUR_TRY(group_allocate(g, c->entries, sizeof *c->values, &c->values));
    for (int64_t k = 0; k < c->entries; k++)
        c->values[k] = 1;
    fur_csr_view view = {.size = sizeof view,
                         .rows = c->rows,
                         .cols = c->rows,
                         .entries = c->entries,
                         .value_type = FUR_F32,
                         .offset_type = FUR_I64,
                         .offsets = c->offsets,
                         .columns = c->columns,
                         .values = c->values};
    fur_status status = fur_csr_create(g->home, &view, FUR_OWNERSHIP_BORROW, &a);
    if (status == FUR_OK)
        status = fur_partition_create(a, o, out);
    fur_csr_destroy(a);
    return group_pass_on(g, g->home, status);
}

/* Copies the partition of rank 0 to all ranks. */
static fur_status share_partition(fur_ranks *g, fur_partition *at_0, int64_t rows,
                                  fur_partition **out)
{
    int32_t *numbers;
    int64_t parts = at_0 ? at_0->parts : 0;
    FUR_TRY(group_share(g, &parts, sizeof parts));
    FUR_TRY(group_allocate(g, rows, sizeof *numbers, &numbers));
    if (at_0 && rows > 0)
        memcpy(numbers, parts > 0 ? at_0->of_rows : fur_permutation_order(at_0->order),
               (size_t)rows * sizeof *numbers);
    fur_status status = group_share(g, numbers, (size_t)rows * sizeof *numbers);
    if (status == FUR_OK)
        status = group_pass_on(g, g->home,
                               parts > 0 ? fur_partition_from_parts(g->home, rows, numbers, out)
                                         : partition_from_order(g->home, rows, numbers, out));
    group_release(g, numbers);
    return status;
}

/* Values on which ranks must agree before any rank sends its rows. */
typedef struct wish {
    char method[32];
    int64_t parts;
    int64_t extent[3];
} wish;

static fur_status take_options(fur_ranks *g, const fur_partition_options *given,
                               fur_partition_options *out)
{
    RANKS_TAKE_OPTIONS(g, fur_partition_options, out, given);
    return FUR_OK;
}

static fur_status compare_wishes(fur_ranks *g, const fur_partition_options *o)
{
    wish *all;
    wish own = {.parts = o->parts};
    memcpy(own.extent, o->extent, sizeof own.extent);
    strncpy(own.method, o->method ? o->method : "contiguous", sizeof own.method - 1);
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = group_gather(g, &own, sizeof own, all);
    for (int i = 1; status == FUR_OK && i < g->count; i++)
        if (memcmp(&all[0], &all[i], sizeof own) != 0)
            status = group_fail(g, FUR_INVALID,
                                "ranks 0 and %d gave different methods, parts or grids of a "
                                "partition; all ranks must give the same",
                                i);
    group_release(g, all);
    return status;
}

static fur_status check_square(const fur_ranks_csr *a)
{
    if (a->report.rows == a->report.cols && a->report.rows <= INT32_MAX)
        return FUR_OK;
    return group_fail(
        a->group, FUR_INVALID,
        "the matrix is %lld x %lld; a partition needs a square matrix with at most 2147483647 rows",
        (long long)a->report.rows, (long long)a->report.cols);
}

/* Computes the partition on rank 0, from the pattern that all ranks send. */
static fur_status find_partition(const fur_ranks_csr *a, const fur_partition_options *o,
                                 fur_partition **at_0)
{
    fur_ranks *g = a->group;
    own_rows rows;
    collection c = {.g = g, .rows = a->report.rows};
    if (!o->method || strcmp(o->method, "contiguous") == 0)
        return g->rank > 0
                   ? FUR_OK
                   : group_pass_on(g, g->home, partition_from_order(g->home, c.rows, NULL, at_0));
    fur_status status = own_rows_open(a, &rows);
    if (status == FUR_OK)
        status = collect(&c, &rows);
    if (status == FUR_OK && g->rank == 0)
        status = divide(&c, o, at_0);
    own_rows_close(&rows);
    group_release(g, c.offsets);
    group_release(g, c.columns);
    group_release(g, c.values);
    return status;
}

/* Ends a collective function that makes a partition. */
static fur_status finish(fur_ranks *g, fur_status status, fur_partition *at_0, fur_partition *made,
                         fur_partition **out)
{
    fur_partition_destroy(at_0);
    status = fur_ranks_agree(g, status);
    if (status == FUR_OK)
        *out = made;
    else
        fur_partition_destroy(made);
    return status;
}

fur_status fur_ranks_partition(const fur_ranks_csr *a, const fur_partition_options *options,
                               fur_partition **out)
{
    fur_partition_options o;
    fur_partition *at_0 = NULL;
    fur_partition *made = NULL;
    if (!a || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_status status = check_square(a);
    if (status == FUR_OK)
        status = take_options(a->group, options, &o);
    if (status == FUR_OK)
        status = compare_wishes(a->group, &o);
    if (status == FUR_OK)
        status = group_pass_on(a->group, a->group->home,
                               partition_check_options(a->group->home, a->report.rows, &o));
    if (status == FUR_OK)
        status = find_partition(a, &o, &at_0);
    if (status == FUR_OK)
        status = share_partition(a->group, at_0, a->report.rows, &made);
    return finish(a->group, status, at_0, made, out);
}

fur_status fur_ranks_partition_read(const fur_ranks_csr *a, const char *path, fur_partition **out)
{
    fur_partition *at_0 = NULL;
    fur_partition *made = NULL;
    if (!a || !path || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_ranks *g = a->group;
    fur_status status = check_square(a);
    if (status == FUR_OK && g->rank == 0)
        status =
            group_pass_on(g, g->home, fur_partition_read(g->home, path, a->report.rows, &at_0));
    if (status == FUR_OK)
        status = share_partition(g, at_0, a->report.rows, &made);
    return finish(g, status, at_0, made, out);
}
