/* Splits the rows of a rank into two parts: the inner rows, which need no other rank's entries of
 * x, and the boundary.
 *
 * Rows are split, but columns are not, and columns keep their order in both parts. A row is
 * therefore added in the same order as in the whole matrix. The inner part has all rows except the
 * boundary rows at both ends, so that it writes y in place. Other boundary rows are empty in it.
 * The outer part has only boundary rows and the columns that they use. A rank's leading columns
 * come first in it, as in the rank's rows. */
#include "matrix.h"

#include <furrow/author/context.h>

#include <stdlib.h>
#include <string.h>

/* The arrays of a part before it becomes a matrix; NULL before they are allocated. */
typedef struct part {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    void *offsets;
    int32_t *columns;
    void *values;
} part;

static fur_status allocate_part(fur_ranks_csr *m, part *p, size_t value_size)
{
    FUR_TRY(fur_context_allocate(m->context, ((size_t)p->rows + 1) * sizeof(int64_t), &p->offsets));
    void *columns;
    FUR_TRY(fur_context_allocate(m->context, (size_t)p->entries * sizeof(int32_t), &columns));
    p->columns = columns;
    return fur_context_allocate(m->context, (size_t)p->entries * value_size, &p->values);
}

static void release_part(fur_ranks_csr *m, const part *p)
{
    fur_context_release(m->context, p->offsets);
    fur_context_release(m->context, p->columns);
    fur_context_release(m->context, p->values);
}

/* Narrows int64 offsets to int32 in place, if the number of entries allows it, so that kernels read
 * less. */
static fur_offset_type narrow(const part *p)
{
    const int64_t *wide = p->offsets;
    int32_t *small = p->offsets;
    if (p->entries > INT32_MAX)
        return FUR_I64;
    for (int64_t i = 0; i <= p->rows; i++) {
        int64_t offset = wide[i];
        memcpy((char *)small + (size_t)i * sizeof *small, &(int32_t){(int32_t)offset},
               sizeof *small);
    }
    return FUR_I32;
}

/* Makes a matrix that owns the arrays. On a GPU, they are copied to it. */
static fur_status make_matrix(fur_ranks_csr *m, part *p, fur_value_type value, fur_csr **out)
{
    fur_csr_view view = {.size = sizeof view,
                         .rows = p->rows,
                         .cols = p->cols,
                         .entries = p->entries,
                         .value_type = value,
                         .offset_type = narrow(p),
                         .offsets = p->offsets,
                         .columns = p->columns,
                         .values = p->values};
    fur_context *host = fur_context_host(m->context);
    fur_csr *made;
    fur_status status = fur_csr_create(host, &view, FUR_OWNERSHIP_ADOPT, &made);
    if (status == FUR_OK)
        *p = (part){0};
    if (host == m->context) {
        *out = status == FUR_OK ? made : NULL;
        return status;
    }
    if (status == FUR_OK) {
        status = fur_csr_transfer(made, m->context, out);
        fur_csr_destroy(made);
    }
    return status == FUR_OK ? FUR_OK
                            : fur_context_fail(m->context, status, "%s", fur_context_error(host));
}

/* Returns whether a column is a leading one. begin: the first column of this rank. */
static bool leads(const local_rows *r, int64_t begin, int64_t column)
{
    return column >= begin && column < begin + r->lead;
}

static bool is_inner(const local_rows *r, int64_t row, int64_t begin, int64_t end)
{
    int64_t first = r->offsets[row];
    int64_t last = r->offsets[row + 1] - 1;
    while (first <= last && leads(r, begin, column_of(r, first)))
        first++;
    return first > last || (column_of(r, first) >= begin && column_of(r, last) < end);
}

/* Lists the boundary rows, and counts the entries of both parts. */
static fur_status find_boundary(fur_ranks_csr *m, const local_rows *r, part *inner, part *outer)
{
    int64_t begin = m->column_bounds[m->group->rank];
    int64_t end = m->column_bounds[m->group->rank + 1];
    int64_t count = 0;
    for (int64_t row = 0; row < r->rows; row++)
        count += !is_inner(r, row, begin, end);
    FUR_TRY(group_allocate(m->group, count, sizeof *m->boundary, &m->boundary));
    for (int64_t row = 0; row < r->rows; row++) {
        bool in = is_inner(r, row, begin, end);
        (in ? inner : outer)->entries += r->offsets[row + 1] - r->offsets[row];
        if (!in)
            m->boundary[m->boundary_rows++] = row;
    }
    while (m->inner_first < r->rows && m->inner_first < count &&
           m->boundary[m->inner_first] == m->inner_first)
        m->inner_first++;
    m->inner_end = r->rows;
    for (int64_t left = count - m->inner_first; left > 0; left--, m->inner_end--)
        if (m->boundary[m->inner_first + left - 1] != m->inner_end - 1)
            break;
    m->ends_only = m->inner_first + r->rows - m->inner_end == count;
    inner->rows = m->inner_end - m->inner_first;
    inner->cols = end - begin;
    outer->rows = count;
    return FUR_OK;
}

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Appends the leading columns of the boundary's rows, or the other columns, each once and in
 * order. */
static void list_columns(fur_ranks_csr *m, const local_rows *r, bool leading)
{
    halo *h = &m->halo;
    int64_t begin = m->column_bounds[m->group->rank];
    int64_t *list = h->column + h->columns;
    int64_t count = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < m->boundary_rows; i++)
        for (int64_t k = r->offsets[m->boundary[i]]; k < r->offsets[m->boundary[i] + 1]; k++)
            if (leads(r, begin, column_of(r, k)) == leading)
                list[count++] = column_of(r, k);
    if (count > 0)
        qsort(list, (size_t)count, sizeof *list, compare);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    h->columns += kept;
}

static fur_status find_columns(fur_ranks_csr *m, const local_rows *r, int64_t entries)
{
    halo *h = &m->halo;
    if (entries == 0)
        return FUR_OK;
    FUR_TRY(group_allocate(m->group, entries, sizeof *h->column, &h->column));
    if (r->lead > 0)
        list_columns(m, r, true);
    h->lead = h->columns;
    list_columns(m, r, false);
    return FUR_OK;
}

/* Returns the number of a column among the boundary's columns. */
static int32_t number_of(const halo *h, const local_rows *r, int64_t begin, int64_t column)
{
    bool leading = leads(r, begin, column);
    const int64_t *list = h->column + (leading ? 0 : h->lead);
    const int64_t count = leading ? h->lead : h->columns - h->lead;
    const int64_t *found = bsearch(&column, list, (size_t)count, sizeof *list, compare);
    return (int32_t)(found - h->column);
}

static void fill_inner(const fur_ranks_csr *m, const local_rows *r, const part *p, size_t size)
{
    int64_t begin = m->column_bounds[m->group->rank];
    int64_t *offsets = p->offsets;
    int64_t at = 0;
    int64_t next = m->inner_first; /* next boundary row */
    for (int64_t row = m->inner_first; row < m->inner_end; row++) {
        int64_t first = r->offsets[row];
        int64_t count = r->offsets[row + 1] - first;
        offsets[row - m->inner_first] = at;
        if (next < m->boundary_rows && m->boundary[next] == row) {
            next++;
            continue;
        }
        for (int64_t k = 0; k < count; k++)
            p->columns[at + k] = (int32_t)(column_of(r, first + k) - begin);
        if (count > 0)
            memcpy((char *)p->values + (size_t)at * size,
                   (const char *)r->values + (size_t)first * size, (size_t)count * size);
        at += count;
    }
    offsets[m->inner_end - m->inner_first] = at;
}

static void fill_outer(const fur_ranks_csr *m, const local_rows *r, const part *p, size_t size)
{
    int64_t begin = m->column_bounds[m->group->rank];
    int64_t *offsets = p->offsets;
    int64_t at = 0;
    for (int64_t i = 0; i < m->boundary_rows; i++) {
        int64_t first = r->offsets[m->boundary[i]];
        int64_t count = r->offsets[m->boundary[i] + 1] - first;
        offsets[i] = at;
        for (int64_t k = 0; k < count; k++)
            p->columns[at + k] = number_of(&m->halo, r, begin, column_of(r, first + k));
        memcpy((char *)p->values + (size_t)at * size,
               (const char *)r->values + (size_t)first * size, (size_t)count * size);
        at += count;
    }
    offsets[m->boundary_rows] = at;
}

/* Copies A(i, i) of this rank's rows; 0 if the entry is missing. */
static void fill_diagonal(const fur_ranks_csr *m, const local_rows *r, size_t size, char *d)
{
    int64_t begin = m->bounds[m->group->rank];
    memset(d, 0, (size_t)r->rows * size);
    for (int64_t row = 0; row < r->rows; row++)
        for (int64_t k = r->offsets[row]; k < r->offsets[row + 1]; k++)
            if (column_of(r, k) == begin + row)
                memcpy(d + (size_t)row * size, (const char *)r->values + (size_t)k * size, size);
}

static fur_status take_diagonal(fur_ranks_csr *m, const local_rows *r)
{
    size_t size = fur_value_size(r->value);
    char *d;
    if (r->rows == 0)
        return group_pass_on(m->group, m->context,
                             fur_vector_create(m->context, r->value, 0, &m->diagonal));
    FUR_TRY(group_allocate(m->group, r->rows, size, &d));
    fill_diagonal(m, r, size, d);
    fur_status status = fur_vector_create(m->context, r->value, r->rows, &m->diagonal);
    if (status == FUR_OK)
        status = fur_vector_upload(d, m->diagonal);
    group_release(m->group, d);
    return group_pass_on(m->group, m->context, status);
}

/* Fills a part and makes it a matrix. */
static fur_status make_part(fur_ranks_csr *m, const local_rows *r, part *p,
                            void (*fill)(const fur_ranks_csr *m, const local_rows *r, const part *p,
                                         size_t size),
                            fur_csr **out)
{
    size_t size = fur_value_size(r->value);
    fur_status status = allocate_part(m, p, size);
    if (status == FUR_OK) {
        fill(m, r, p, size);
        status = make_matrix(m, p, r->value, out);
    }
    if (status != FUR_OK)
        release_part(m, p);
    return group_pass_on(m->group, m->context, status);
}

fur_status matrix_split(fur_ranks_csr *m, const local_rows *rows)
{
    part inner = {0};
    part outer = {0};
    FUR_TRY(find_boundary(m, rows, &inner, &outer));
    FUR_TRY(find_columns(m, rows, outer.entries));
    outer.cols = m->halo.columns;
    if (outer.cols > INT32_MAX || inner.cols > INT32_MAX)
        return group_fail(
            m->group, FUR_OVERFLOW,
            "rank %d has %lld columns, but one rank can have at most 2147483647; use more ranks",
            m->group->rank, (long long)inner.cols);
    FUR_TRY(make_part(m, rows, &inner, fill_inner, &m->inner));
    FUR_TRY(make_part(m, rows, &outer, fill_outer, &m->outer));
    return m->bounds == m->column_bounds ? take_diagonal(m, rows) : FUR_OK;
}
