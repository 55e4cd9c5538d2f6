/* The transpose on all ranks. The entries of a column go to the rank with that entry of x. This is
 * the way of the halo in reverse, and the halo's lists tell which columns they are. */
#include "matrix.h"

#include <furrow/author/context.h>

#include <string.h>

/* The state of a transpose. Pointers are NULL before they are allocated. */
typedef struct turn {
    const fur_ranks_csr *m;
    fur_ranks *g;
    size_t value_size;
    fur_csr *inner;   /* transposed: rows are own columns */
    fur_csr *outer;   /* transposed: rows are columns of the boundary */
    int64_t *lengths; /* of received columns, in the order of halo.give */
    int64_t *offsets; /* of the rows of the transpose, which are own columns */
    int64_t *next;    /* place of the next entry of each row */
    int64_t *rows;    /* of A, numbered in the whole matrix */
    char *values;
} turn;

static int64_t own_columns(const turn *t)
{
    return t->m->column_bounds[t->g->rank + 1] - t->m->column_bounds[t->g->rank];
}

/* Sends the boundary columns that belong to another rank, as lengths, rows and values. */
static fur_status send_columns(const turn *t, const neighbour *to)
{
    const fur_csr_view *a = fur_csr_get(t->outer);
    int64_t begin = t->m->bounds[t->g->rank];
    int64_t first = view_offset(a, to->at);
    int64_t count = view_offset(a, to->at + to->count) - first;
    int64_t *lengths;
    FUR_TRY(group_allocate(t->g, to->count + count, sizeof *lengths, &lengths));
    int64_t *rows = lengths + to->count;
    for (int64_t i = 0; i < to->count; i++)
        lengths[i] = view_offset(a, to->at + i + 1) - view_offset(a, to->at + i);
    for (int64_t k = 0; k < count; k++)
        rows[k] = begin + t->m->boundary[a->columns[first + k]];
    fur_status status = group_send(t->g, to->rank, lengths, (size_t)to->count * sizeof *lengths);
    if (status == FUR_OK)
        status = group_send(t->g, to->rank, rows, (size_t)count * sizeof *rows);
    if (status == FUR_OK)
        status = group_send(t->g, to->rank, (const char *)a->values + (size_t)first * t->value_size,
                            (size_t)count * t->value_size);
    group_release(t->g, lengths);
    return status;
}

/* offsets[c + 1] += the entries of this rank in its column c. */
static void count_own(const turn *t)
{
    const halo *h = &t->m->halo;
    const fur_csr_view *inner = fur_csr_get(t->inner);
    const fur_csr_view *outer = fur_csr_get(t->outer);
    int64_t begin = t->m->column_bounds[t->g->rank];
    for (int64_t c = 0; c < own_columns(t); c++)
        t->offsets[c + 1] += view_offset(inner, c + 1) - view_offset(inner, c);
    for (int64_t i = h->own_at; i < h->own_at + h->own_count; i++)
        t->offsets[h->column[i] - begin + 1] += view_offset(outer, i + 1) - view_offset(outer, i);
}

static fur_status make_offsets(turn *t)
{
    const halo *h = &t->m->halo;
    int64_t columns = own_columns(t);
    FUR_TRY(group_allocate(t->g, h->give_count, sizeof *t->lengths, &t->lengths));
    FUR_TRY(group_allocate(t->g, columns + 1, sizeof *t->offsets, &t->offsets));
    FUR_TRY(group_allocate(t->g, columns + 1, sizeof *t->next, &t->next));
    memset(t->offsets, 0, ((size_t)columns + 1) * sizeof *t->offsets);
    count_own(t);
    for (int i = 0; i < h->target_count; i++)
        FUR_TRY(group_receive(t->g, h->targets[i].rank, t->lengths + h->targets[i].at,
                              (size_t)h->targets[i].count * sizeof *t->lengths));
    for (int64_t i = 0; i < h->give_count; i++)
        t->offsets[h->give[i] + 1] += t->lengths[i];
    for (int64_t c = 0; c < columns; c++)
        t->offsets[c + 1] += t->offsets[c];
    memcpy(t->next, t->offsets, ((size_t)columns + 1) * sizeof *t->next);
    return FUR_OK;
}

/* Appends `count` entries to a column. */
static void append(const turn *t, int64_t column, const int64_t *rows, const char *values,
                   int64_t count)
{
    int64_t at = t->next[column];
    memcpy(t->rows + at, rows, (size_t)count * sizeof *rows);
    memcpy(t->values + (size_t)at * t->value_size, values, (size_t)count * t->value_size);
    t->next[column] += count;
}

/* Appends the entries that another rank has sent. */
static fur_status append_received(const turn *t, const neighbour *from)
{
    const int64_t *columns = t->m->halo.give + from->at;
    const int64_t *lengths = t->lengths + from->at;
    int64_t count = 0;
    int64_t *rows = NULL;
    char *values = NULL;
    for (int64_t i = 0; i < from->count; i++)
        count += lengths[i];
    fur_status status = group_allocate(t->g, count, sizeof *rows, &rows);
    if (status == FUR_OK)
        status = group_allocate(t->g, count, t->value_size, &values);
    if (status == FUR_OK)
        status = group_receive(t->g, from->rank, rows, (size_t)count * sizeof *rows);
    if (status == FUR_OK)
        status = group_receive(t->g, from->rank, values, (size_t)count * t->value_size);
    for (int64_t i = 0, k = 0; status == FUR_OK && i < from->count; k += lengths[i++])
        append(t, columns[i], rows + k, values + (size_t)k * t->value_size, lengths[i]);
    group_release(t->g, rows);
    group_release(t->g, values);
    return status;
}

/* Appends this rank's entries of a column, merged from inner rows and boundary rows. j: the
 * column's number in the boundary, or -1 if it is not there. */
static void append_own_column(const turn *t, int64_t column, int64_t j)
{
    const fur_csr_view *inner = fur_csr_get(t->inner);
    const fur_csr_view *outer = fur_csr_get(t->outer);
    int64_t begin = t->m->bounds[t->g->rank];
    int64_t i = view_offset(inner, column);
    int64_t i_end = view_offset(inner, column + 1);
    int64_t o = j < 0 ? 0 : view_offset(outer, j);
    int64_t o_end = j < 0 ? 0 : view_offset(outer, j + 1);
    while (i < i_end || o < o_end) {
        int64_t inner_row = i < i_end ? t->m->inner_first + inner->columns[i] : INT64_MAX;
        int64_t outer_row = o < o_end ? t->m->boundary[outer->columns[o]] : INT64_MAX;
        bool in = inner_row < outer_row;
        int64_t row = begin + (in ? inner_row : outer_row);
        const fur_csr_view *a = in ? inner : outer;
        int64_t k = in ? i++ : o++;
        append(t, column, &row, (const char *)a->values + (size_t)k * t->value_size, 1);
    }
}

static void append_own(const turn *t)
{
    const halo *h = &t->m->halo;
    int64_t begin = t->m->column_bounds[t->g->rank];
    int64_t end = h->own_at + h->own_count;
    int64_t j = h->own_at;
    for (int64_t c = 0; c < own_columns(t); c++) {
        bool shared = j < end && h->column[j] == begin + c;
        append_own_column(t, c, shared ? j : -1);
        j += shared;
    }
}

/* Fills the rows from lower ranks, this rank and higher ranks, in this order. */
static fur_status fill_rows(turn *t)
{
    const halo *h = &t->m->halo;
    int64_t entries = t->offsets[own_columns(t)];
    int i = 0;
    FUR_TRY(group_allocate(t->g, entries, sizeof *t->rows, &t->rows));
    FUR_TRY(group_allocate(t->g, entries, t->value_size, &t->values));
    for (; i < h->target_count && h->targets[i].rank < t->g->rank; i++)
        FUR_TRY(append_received(t, &h->targets[i]));
    append_own(t);
    for (; i < h->target_count; i++)
        FUR_TRY(append_received(t, &h->targets[i]));
    return FUR_OK;
}

/* Transposes a part, on the host. */
static fur_status turn_part(const fur_csr *part, int conjugate, fur_csr **out)
{
    fur_context *host = fur_context_host(fur_csr_context(part));
    fur_csr *made;
    FUR_TRY(fur_csr_transpose(part, conjugate, &made));
    if (host == fur_csr_context(part)) {
        *out = made;
        return FUR_OK;
    }
    fur_status status = fur_csr_transfer(made, host, out);
    fur_csr_destroy(made);
    return status;
}

static fur_status transpose(turn *t, int conjugate, fur_ranks_csr **out)
{
    const fur_ranks_csr *m = t->m;
    FUR_TRY(group_pass_on(t->g, m->context, turn_part(m->inner, conjugate, &t->inner)));
    FUR_TRY(group_pass_on(t->g, m->context, turn_part(m->outer, conjugate, &t->outer)));
    for (int i = 0; i < m->halo.source_count; i++)
        FUR_TRY(send_columns(t, &m->halo.sources[i]));
    FUR_TRY(make_offsets(t));
    FUR_TRY(fill_rows(t));
    local_rows rows = {.rows = own_columns(t),
                       .cols = m->report.rows,
                       .value = m->report.value_type,
                       .offsets = t->offsets,
                       .wide = t->rows,
                       .values = t->values,
                       .column_bounds = m->bounds};
    return matrix_build(t->g, &rows, m->column_bounds, out);
}

fur_status fur_ranks_csr_transpose(const fur_ranks_csr *a, int conjugate, fur_ranks_csr **out)
{
    fur_ranks_csr *made = NULL;
    if (!a || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    turn t = {.m = a, .g = a->group, .value_size = fur_value_size(a->report.value_type)};
    fur_status status = transpose(&t, conjugate, &made);
    fur_csr_destroy(t.inner);
    fur_csr_destroy(t.outer);
    group_release(t.g, t.lengths);
    group_release(t.g, t.offsets);
    group_release(t.g, t.next);
    group_release(t.g, t.rows);
    group_release(t.g, t.values);
    return matrix_finish(a->group, status, made, out);
}
