/* Sends entries from the ranks that have read them to the ranks that own their rows. */
#include "pieces.h"
#include "bounds.h"
#include "halo_link.h"

#include <string.h>

/* The state of the redistribution of one matrix. Arrays are NULL before they are allocated. */
typedef struct journey {
    fur_ranks *g;
    const pieces *p;
    size_t value_size;
    int64_t *bounds;
    int64_t *counts;  /* counts[i * ranks + j]: entries of rank i in rows of rank j */
    int64_t rows;     /* of this rank */
    int32_t *lengths; /* lengths[i * rows + r]: entries of row r in rank i's piece */
    int64_t *offsets;
    int64_t *next; /* place of the next entry of each row */
    int32_t *columns;
    void *values;
    fur_csr *added; /* the matrix without duplicates, if there were some */
    bool done;
} journey;

static int64_t entries_of(const journey *j, int64_t begin, int64_t end)
{
    return j->p->own ? view_offset(j->p->own, end) - view_offset(j->p->own, begin) : 0;
}

/* Balances the bounds by the entries of all pieces. */
static fur_status balance(const journey *j)
{
    fur_ranks *g = j->g;
    FUR_TRY(space_join(g));
    int64_t rows = j->p->rows;
    int64_t length = stretch_rows(rows);
    int64_t stretches = rows > 0 ? (rows + length - 1) / length : 1;
    int64_t *all;
    FUR_TRY(group_allocate(j->g, stretches * (g->count + 1), sizeof *all, &all));
    int64_t *own = all + stretches * g->count;
    for (int64_t i = 0; i < stretches; i++) {
        int64_t end = (i + 1) * length < rows ? (i + 1) * length : rows;
        own[i] = entries_of(j, i * length, end);
    }
    fur_status status = group_gather(j->g, own, (size_t)stretches * sizeof *own, all);
    for (int rank = 1; status == FUR_OK && rank < g->count; rank++)
        for (int64_t i = 0; i < stretches; i++)
            all[i] += all[rank * stretches + i];
    if (status == FUR_OK)
        bounds_balance(rows, all, g->count, g->link->cuts_wait, j->bounds);
    group_release(j->g, all);
    return status;
}

/* Takes the caller's bounds, if all ranks give the same, or balanced bounds. */
static fur_status choose_bounds(journey *j)
{
    fur_ranks *g = j->g;
    size_t bytes = ((size_t)g->count + 1) * sizeof *j->bounds;
    int64_t *all;
    FUR_TRY(group_allocate(g, g->count + 1, sizeof *j->bounds, &j->bounds));
    if (!j->p->bounds)
        memset(j->bounds, 0xff, bytes);
    else
        memcpy(j->bounds, j->p->bounds, bytes);
    FUR_TRY(group_allocate(g, g->count, bytes, &all));
    fur_status status = group_gather(g, j->bounds, bytes, all);
    for (int i = 1; status == FUR_OK && i < g->count; i++)
        if (memcmp(all, all + (int64_t)i * (g->count + 1), bytes) != 0)
            status =
                group_fail(g, FUR_INVALID,
                           "ranks 0 and %d gave different bounds; all ranks must give the same", i);
    group_release(g, all);
    FUR_TRY(status);
    return j->p->bounds ? matrix_check_bounds(g, j->bounds, j->p->rows) : balance(j);
}

static fur_status gather_counts(journey *j)
{
    fur_ranks *g = j->g;
    int64_t *own;
    FUR_TRY(group_allocate(g, g->count, sizeof *own, &own));
    fur_status status =
        group_allocate(g, (int64_t)g->count * g->count, sizeof *j->counts, &j->counts);
    for (int i = 0; i < g->count; i++)
        own[i] = entries_of(j, j->bounds[i], j->bounds[i + 1]);
    if (status == FUR_OK)
        status = group_gather(g, own, (size_t)g->count * sizeof *own, j->counts);
    group_release(g, own);
    return status;
}

static int64_t count_at(const journey *j, int from, int to)
{
    return j->counts[(int64_t)from * j->g->count + to];
}

static void take_lengths(const journey *j, int64_t begin, int64_t rows, int32_t *lengths)
{
    for (int64_t r = 0; r < rows; r++)
        lengths[r] = (int32_t)entries_of(j, begin + r, begin + r + 1);
}

/* Sends the rows of another rank, as lengths, columns and values. */
static fur_status send_rows(const journey *j, int to)
{
    const fur_csr_view *a = j->p->own;
    int64_t rows = j->bounds[to + 1] - j->bounds[to];
    int64_t count = count_at(j, j->g->rank, to);
    int32_t *lengths;
    if (count == 0)
        return FUR_OK;
    int64_t first = view_offset(a, j->bounds[to]);
    FUR_TRY(group_allocate(j->g, rows, sizeof *lengths, &lengths));
    take_lengths(j, j->bounds[to], rows, lengths);
    fur_status status = group_send(j->g, to, lengths, (size_t)rows * sizeof *lengths);
    group_release(j->g, lengths);
    FUR_TRY(status);
    FUR_TRY(group_send(j->g, to, a->columns + first, (size_t)count * sizeof *a->columns));
    return group_send(j->g, to, (const char *)a->values + (size_t)first * j->value_size,
                      (size_t)count * j->value_size);
}

/* Receives the lengths of rows in every piece, and computes the offsets. */
static fur_status receive_lengths(journey *j)
{
    fur_ranks *g = j->g;
    FUR_TRY(group_allocate(g, j->rows * g->count, sizeof *j->lengths, &j->lengths));
    FUR_TRY(group_allocate(g, j->rows + 1, sizeof *j->offsets, &j->offsets));
    memset(j->offsets, 0, ((size_t)j->rows + 1) * sizeof *j->offsets);
    for (int from = 0; from < g->count; from++) {
        if (count_at(j, from, g->rank) == 0)
            continue;
        int32_t *lengths = j->lengths + from * j->rows;
        if (from == g->rank)
            take_lengths(j, j->bounds[from], j->rows, lengths);
        else
            FUR_TRY(group_receive(g, from, lengths, (size_t)j->rows * sizeof *lengths));
        for (int64_t r = 0; r < j->rows; r++)
            j->offsets[r + 1] += lengths[r];
    }
    for (int64_t r = 0; r < j->rows; r++)
        j->offsets[r + 1] += j->offsets[r];
    return FUR_OK;
}

/* Appends a piece's entries to the rows. */
static void append(const journey *j, int from, const int32_t *columns, const void *values)
{
    const int32_t *lengths = j->lengths + from * j->rows;
    size_t size = j->value_size;
    int64_t at = 0;
    for (int64_t r = 0; r < j->rows; r++) {
        if (lengths[r] == 0)
            continue;
        memcpy(j->columns + j->next[r], columns + at, (size_t)lengths[r] * sizeof *columns);
        memcpy((char *)j->values + (size_t)j->next[r] * size,
               (const char *)values + (size_t)at * size, (size_t)lengths[r] * size);
        j->next[r] += lengths[r];
        at += lengths[r];
    }
}

static fur_status append_received(journey *j, int from)
{
    int64_t count = count_at(j, from, j->g->rank);
    int32_t *columns = NULL;
    void *values = NULL;
    fur_status status = group_allocate(j->g, count, sizeof *columns, &columns);
    if (status == FUR_OK)
        status = group_allocate(j->g, count, j->value_size, &values);
    if (status == FUR_OK)
        status = group_receive(j->g, from, columns, (size_t)count * sizeof *columns);
    if (status == FUR_OK)
        status = group_receive(j->g, from, values, (size_t)count * j->value_size);
    if (status == FUR_OK)
        append(j, from, columns, values);
    group_release(j->g, columns);
    group_release(j->g, values);
    return status;
}

static fur_status receive_rows(journey *j)
{
    fur_ranks *g = j->g;
    FUR_TRY(receive_lengths(j));
    int64_t entries = j->offsets[j->rows];
    FUR_TRY(group_allocate(g, j->rows, sizeof *j->next, &j->next));
    FUR_TRY(group_allocate(g, entries, sizeof *j->columns, &j->columns));
    FUR_TRY(group_allocate(g, entries, j->value_size, &j->values));
    if (j->rows > 0)
        memcpy(j->next, j->offsets, (size_t)j->rows * sizeof *j->next);
    for (int from = 0; from < g->count; from++) {
        if (count_at(j, from, g->rank) == 0)
            continue;
        if (from != g->rank) {
            FUR_TRY(append_received(j, from));
            continue;
        }
        int64_t first = view_offset(j->p->own, j->bounds[from]);
        append(j, from, j->p->own->columns + first,
               (const char *)j->p->own->values + (size_t)first * j->value_size);
    }
    return FUR_OK;
}

static bool is_ordered(const journey *j)
{
    for (int64_t r = 0; r < j->rows; r++)
        for (int64_t k = j->offsets[r] + 1; k < j->offsets[r + 1]; k++)
            if (j->columns[k] <= j->columns[k - 1])
                return false;
    return true;
}

/* Sorts rows that came from several pieces or have duplicates, and adds the duplicates in the order
 * used everywhere in the library. */
static fur_status put_in_order(journey *j, int64_t *duplicates)
{
    int64_t entries = j->offsets[j->rows];
    int32_t *row;
    *duplicates = 0;
    if (is_ordered(j))
        return FUR_OK;
    FUR_TRY(group_allocate(j->g, entries, sizeof *row, &row));
    for (int64_t r = 0; r < j->rows; r++)
        for (int64_t k = j->offsets[r]; k < j->offsets[r + 1]; k++)
            row[k] = (int32_t)r;
    fur_coo_view coo = {.size = sizeof coo,
                        .rows = j->rows,
                        .cols = j->p->cols,
                        .entries = entries,
                        .value_type = j->p->value,
                        .row_indices = row,
                        .col_indices = j->columns,
                        .values = j->values};
    fur_status status = fur_csr_from_coo(j->g->home, &coo, FUR_DUPLICATES_SUM, &j->added);
    group_release(j->g, row);
    if (status == FUR_OK)
        *duplicates = entries - fur_csr_get(j->added)->entries;
    return group_pass_on(j->g, j->g->home, status);
}

/* Tests whether any rank has duplicates. */
static fur_status find_duplicates(const journey *j, int64_t own, bool *found)
{
    int64_t *all;
    FUR_TRY(group_allocate(j->g, j->g->count, sizeof *all, &all));
    fur_status status = group_gather(j->g, &own, sizeof own, all);
    *found = false;
    for (int i = 0; status == FUR_OK && i < j->g->count; i++)
        *found = *found || all[i] > 0;
    group_release(j->g, all);
    return status;
}

/* Stores the offsets of the matrix without duplicates, in the same width. */
static void adopt_added(journey *j)
{
    const fur_csr_view *a = fur_csr_get(j->added);
    for (int64_t r = 0; r <= j->rows; r++)
        j->offsets[r] = view_offset(a, r);
}

static fur_status build(journey *j, fur_ranks_csr **out)
{
    local_rows rows = {.rows = j->rows,
                       .cols = j->p->cols,
                       .value = j->p->value,
                       .offsets = j->offsets,
                       .narrow = j->columns,
                       .values = j->values};
    if (j->added) {
        adopt_added(j);
        rows.narrow = fur_csr_get(j->added)->columns;
        rows.values = fur_csr_get(j->added)->values;
    }
    return matrix_build(j->g, &rows, j->bounds, out);
}

static void leave_piece(journey *j)
{
    if (j->p->done && !j->done)
        j->p->done(j->p->user);
    j->done = true;
}

static fur_status travel(journey *j, fur_ranks_csr **out)
{
    int64_t duplicates;
    bool found;
    FUR_TRY(choose_bounds(j));
    j->rows = j->bounds[j->g->rank + 1] - j->bounds[j->g->rank];
    FUR_TRY(gather_counts(j));
    for (int to = 0; to < j->g->count; to++)
        if (to != j->g->rank)
            FUR_TRY(send_rows(j, to));
    FUR_TRY(receive_rows(j));
    leave_piece(j);
    FUR_TRY(put_in_order(j, &duplicates));
    if (j->p->refuses_duplicates) {
        FUR_TRY(find_duplicates(j, duplicates, &found));
        if (found)
            return FUR_OK;
    }
    return build(j, out);
}

fur_status matrix_from_pieces(fur_ranks *g, const pieces *p, fur_ranks_csr **out)
{
    journey j = {.g = g, .p = p, .value_size = fur_value_size(p->value)};
    *out = NULL;
    fur_status status = travel(&j, out);
    leave_piece(&j);
    group_release(g, j.bounds);
    group_release(g, j.counts);
    group_release(g, j.lengths);
    group_release(g, j.offsets);
    group_release(g, j.next);
    group_release(g, j.columns);
    group_release(g, j.values);
    fur_csr_destroy(j.added);
    return status;
}

/* The shape of the whole matrix, which rank 0 has as its piece. */
typedef struct heading {
    int64_t rows;
    int64_t cols;
    int64_t value;
} heading;

fur_status matrix_scatter(fur_ranks *g, const fur_csr *a, const int64_t *bounds,
                          fur_ranks_csr **out)
{
    heading *all;
    heading own = {0};
    *out = NULL;
    if (g->rank == 0 && !a)
        return group_fail(g, FUR_INVALID,
                          "the matrix of rank 0 is NULL; rank 0 must give the matrix");
    if (a)
        own = (heading){fur_csr_get(a)->rows, fur_csr_get(a)->cols, fur_csr_get(a)->value_type};
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = group_gather(g, &own, sizeof own, all);
    own = all[0];
    group_release(g, all);
    FUR_TRY(status);
    pieces p = {.rows = own.rows,
                .cols = own.cols,
                .value = (fur_value_type)own.value,
                .own = g->rank == 0 ? fur_csr_get(a) : NULL,
                .bounds = bounds};
    return matrix_from_pieces(g, &p, out);
}

fur_status fur_ranks_csr_scatter(fur_ranks *group, const fur_csr *a, const int64_t *bounds,
                                 fur_ranks_csr **out)
{
    fur_ranks_csr *made = NULL;
    if (!group || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_status status = matrix_scatter(group, a, bounds, &made);
    return matrix_finish(group, status, made, out);
}
