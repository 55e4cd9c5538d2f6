#include "rows.h"
#include "own_rows.h"

#include <string.h>

static fur_status allocate(const fur_ranks_csr *m, csr_rows *r)
{
    fur_ranks *g = m->group;
    FUR_TRY(group_allocate(g, r->rows + 1, sizeof *r->offsets, &r->offsets));
    FUR_TRY(group_allocate(g, r->entries, sizeof *r->columns, &r->columns));
    return group_allocate(g, r->entries, fur_value_size(m->report.value_type), &r->values);
}

void rows_release(const fur_ranks_csr *m, csr_rows *r)
{
    group_release(m->group, r->offsets);
    group_release(m->group, r->columns);
    group_release(m->group, r->values);
    *r = (csr_rows){.rows = 0};
}

/* Appends a row. `first` is subtracted from its columns, and only columns 0 .. most-1 are kept. */
static void append(const own_rows *from, int64_t row, int64_t first, int64_t most, size_t size,
                   csr_rows *out)
{
    int64_t k;
    int64_t end;
    const fur_csr_view *part = own_rows_find(from, row, &k, &end);
    for (; k < end; k++) {
        int64_t column = own_rows_column(from, part, k) - first;
        if (column < 0 || column >= most)
            continue;
        out->columns[out->entries] = (int32_t)column;
        memcpy(out->values + (size_t)out->entries * size,
               (const char *)part->values + (size_t)k * size, size);
        out->entries++;
    }
}

static fur_status take(const fur_ranks_csr *m, const own_rows *from, bool own_columns,
                       csr_rows *out)
{
    size_t size = fur_value_size(m->report.value_type);
    const int64_t *own = m->column_bounds + m->group->rank;
    *out = (csr_rows){.rows = from->count, .entries = from->inner->entries + from->outer->entries};
    FUR_TRY(allocate(m, out));
    out->entries = 0;
    for (int64_t row = 0; row < out->rows; row++) {
        out->offsets[row] = out->entries;
        append(from, row, own_columns ? own[0] : 0, own_columns ? own[1] - own[0] : m->report.cols,
               size, out);
    }
    out->offsets[out->rows] = out->entries;
    return FUR_OK;
}

fur_status rows_take(const fur_ranks_csr *m, bool own_columns, csr_rows *out)
{
    own_rows from;
    if (!own_columns && m->report.cols > INT32_MAX)
        return group_fail(m->group, FUR_OVERFLOW,
                          "a matrix of %lld columns is too large for one rank; use more ranks",
                          (long long)m->report.cols);
    fur_status status = own_rows_open(m, &from);
    if (status == FUR_OK)
        status = take(m, &from, own_columns, out);
    own_rows_close(&from);
    return status;
}

/* Gathers arrays of all ranks, padded to the length of the longest. */
static fur_status gather_padded(fur_ranks *g, const void *mine, size_t bytes, size_t most,
                                char **out)
{
    char *padded = NULL;
    fur_status status = group_allocate(g, g->count, most, out);
    if (status == FUR_OK)
        status = group_allocate(g, 1, most, &padded);
    if (status == FUR_OK) {
        if (bytes > 0)
            memcpy(padded, mine, bytes);
        memset(padded + bytes, 0, most - bytes);
        status = group_gather(g, padded, most, *out);
    }
    group_release(g, padded);
    return status;
}

fur_status rows_gather_array(fur_ranks *g, const void *mine, const int64_t *count, size_t size,
                             char *to)
{
    int64_t most = 1;
    char *all = NULL;
    for (int i = 0; i < g->count; i++)
        most = count[i] > most ? count[i] : most;
    fur_status status =
        gather_padded(g, mine, (size_t)count[g->rank] * size, (size_t)most * size, &all);
    for (int i = 0; status == FUR_OK && i < g->count; i++) {
        if (count[i] == 0)
            continue; /* `to` may be NULL */
        memcpy(to, all + (size_t)i * (size_t)most * size, (size_t)count[i] * size);
        to += (size_t)count[i] * size;
    }
    group_release(g, all);
    return status;
}

static fur_status gather(const fur_ranks_csr *m, const csr_rows *mine, int64_t *count,
                         csr_rows *out)
{
    fur_ranks *g = m->group;
    int64_t *rows = count + g->count;
    FUR_TRY(group_gather(g, &mine->entries, sizeof mine->entries, count));
    *out = (csr_rows){.rows = m->report.rows};
    for (int i = 0; i < g->count; i++) {
        out->entries += count[i];
        rows[i] = m->bounds[i + 1] - m->bounds[i];
    }
    FUR_TRY(allocate(m, out));
    FUR_TRY(rows_gather_array(g, mine->offsets, rows, sizeof *mine->offsets, (char *)out->offsets));
    FUR_TRY(
        rows_gather_array(g, mine->columns, count, sizeof *mine->columns, (char *)out->columns));
    int64_t before = 0;
    for (int i = 0; i < g->count; i++) {
        for (int64_t row = m->bounds[i]; row < m->bounds[i + 1]; row++)
            out->offsets[row] += before;
        before += count[i];
    }
    out->offsets[out->rows] = before;
    return rows_gather_array(g, mine->values, count, fur_value_size(m->report.value_type),
                             out->values);
}

fur_status rows_gather(const fur_ranks_csr *m, const csr_rows *mine, csr_rows *out)
{
    int64_t *count;
    FUR_TRY(group_allocate(m->group, (int64_t)2 * m->group->count, sizeof *count, &count));
    fur_status status = gather(m, mine, count, out);
    group_release(m->group, count);
    return status;
}
