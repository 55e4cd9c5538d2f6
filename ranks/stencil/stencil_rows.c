/* Rows of a stencil: a matrix of all ranks, of which each rank makes its own rows, and the
 * diagonal. */
#include "matrix.h"
#include "stencil.h"

#include <string.h>

/* The most terms of a row: each offset within the radius along three axes. */
#define TERMS_MAX 729

typedef struct row {
    int count;
    int64_t column[TERMS_MAX]; /* ascending; several terms may have the same column */
    int number[TERMS_MAX];     /* number of the offset in the definition */
} row;

/* Maps a coordinate beyond an end by the axis's boundary. -1: there is no entry. */
static int64_t inside(fur_boundary boundary, int64_t n, int64_t i)
{
    if (boundary == FUR_BOUNDARY_PERIODIC)
        return (i % n + n) % n;
    if (boundary == FUR_BOUNDARY_DIRICHLET)
        return i >= 0 && i < n ? i : -1;
    int64_t around = (i % (2 * n) + 2 * n) % (2 * n);
    return around < n ? around : 2 * n - 1 - around;
}

/* Returns the column of a neighbour, or -1 if there is none. */
static int64_t neighbour_of(const fur_stencil_definition *d, const int64_t at[3],
                            fur_stencil_offset o)
{
    const int32_t along[3] = {o.x, o.y, o.z};
    int64_t column = 0;
    for (int axis = 2; axis >= 0; axis--) {
        int64_t i = inside(d->boundary[axis], d->extent[axis], at[axis] + along[axis]);
        if (i < 0)
            return -1;
        column = column * d->extent[axis] + i;
    }
    return column;
}

/* Lists the terms of a point by column, and the terms of one column in the order of addition. */
static void find_row(const fur_ranks_stencil *s, int64_t point, row *out)
{
    const fur_stencil_definition *d = &s->definition;
    int64_t line = point / d->extent[0];
    const int64_t at[3] = {point % d->extent[0], line % d->extent[1], line / d->extent[1]};
    out->count = 0;
    for (int k = 0; k < d->points; k++) {
        int64_t column = neighbour_of(d, at, s->terms[k].at);
        int place = out->count;
        if (column < 0)
            continue;
        for (; place > 0 && out->column[place - 1] > column; place--) {
            out->column[place] = out->column[place - 1];
            out->number[place] = out->number[place - 1];
        }
        out->column[place] = column;
        out->number[place] = s->terms[k].number;
        out->count++;
    }
}

static const void *value_of(const fur_ranks_stencil *s, int number, int64_t point)
{
    size_t size = fur_value_size(s->definition.value_type);
    int64_t own = point - s->bounds[s->space.group->rank];
    return s->fields ? (char *)s->fields[number] + (size_t)own * size
                     : (char *)s->coefficients + (size_t)number * size;
}

/* *sum += *value */
static void add(fur_value_type type, const void *value, void *sum)
{
    bool single = type == FUR_F32 || type == FUR_C64;
    int parts = type == FUR_C64 || type == FUR_C128 ? 2 : 1;
    for (int i = 0; i < parts; i++)
        if (single)
            ((float *)sum)[i] += ((const float *)value)[i];
        else
            ((double *)sum)[i] += ((const double *)value)[i];
}

/* The rows of this rank while they are made. */
typedef struct assembly {
    int64_t *offsets;
    int64_t *columns;
    char *values;
} assembly;

static int64_t count_columns(const row *r)
{
    int64_t count = r->count > 0;
    for (int t = 1; t < r->count; t++)
        count += r->column[t] != r->column[t - 1];
    return count;
}

static void set_row(const fur_ranks_stencil *s, const row *r, int64_t point, const assembly *m)
{
    size_t size = fur_value_size(s->definition.value_type);
    int64_t at = m->offsets[point - s->bounds[s->space.group->rank]] - 1;
    for (int t = 0; t < r->count; t++) {
        const void *value = value_of(s, r->number[t], point);
        if (t > 0 && r->column[t] == r->column[t - 1]) {
            add(s->definition.value_type, value, m->values + (size_t)at * size);
            continue;
        }
        m->columns[++at] = r->column[t];
        memcpy(m->values + (size_t)at * size, value, size);
    }
}

static fur_status make_rows(const fur_ranks_stencil *s, assembly *m)
{
    fur_ranks *g = s->space.group;
    int64_t first = s->bounds[g->rank];
    int64_t count = s->bounds[g->rank + 1] - first;
    row r;
    FUR_TRY(group_allocate(g, count + 1, sizeof *m->offsets, &m->offsets));
    m->offsets[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        find_row(s, first + i, &r);
        m->offsets[i + 1] = m->offsets[i] + count_columns(&r);
    }
    FUR_TRY(group_allocate(g, m->offsets[count], sizeof *m->columns, &m->columns));
    FUR_TRY(
        group_allocate(g, m->offsets[count], fur_value_size(s->definition.value_type), &m->values));
    for (int64_t i = 0; i < count; i++) {
        find_row(s, first + i, &r);
        set_row(s, &r, first + i, m);
    }
    return FUR_OK;
}

fur_status fur_ranks_stencil_assemble(const fur_ranks_stencil *stencil, fur_ranks_csr **out)
{
    assembly m = {.offsets = NULL};
    fur_ranks_csr *made = NULL;
    if (!stencil || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_ranks *g = stencil->space.group;
    fur_status status = make_rows(stencil, &m);
    if (status == FUR_OK) {
        local_rows rows = {.rows = stencil->bounds[g->rank + 1] - stencil->bounds[g->rank],
                           .cols = stencil->bounds[g->count],
                           .value = stencil->definition.value_type,
                           .offsets = m.offsets,
                           .wide = m.columns,
                           .values = m.values};
        status = matrix_build(g, &rows, stencil->bounds, &made);
    }
    group_release(g, m.offsets);
    group_release(g, m.columns);
    group_release(g, m.values);
    return matrix_finish(g, status, made, out);
}

/* Sets a_ii of this rank's points. */
static void set_diagonal(const fur_ranks_stencil *s, int64_t count, char *to)
{
    size_t size = fur_value_size(s->definition.value_type);
    int64_t first = s->bounds[s->space.group->rank];
    row r;
    memset(to, 0, (size_t)count * size);
    for (int64_t i = 0; i < count; i++, to += size) {
        bool found = false;
        find_row(s, first + i, &r);
        for (int t = 0; t < r.count; t++) {
            const void *value = value_of(s, r.number[t], first + i);
            if (r.column[t] != first + i)
                continue;
            if (found)
                add(s->definition.value_type, value, to);
            else
                memcpy(to, value, size);
            found = true;
        }
    }
}

fur_status stencil_diagonal(void *user, fur_vector *d)
{
    const fur_ranks_stencil *s = user;
    char *values;
    if (fur_vector_size(d) == 0)
        return FUR_OK;
    FUR_TRY(
        space_pass(&s->space, group_allocate(s->space.group, fur_vector_size(d),
                                             fur_value_size(s->definition.value_type), &values)));
    set_diagonal(s, fur_vector_size(d), values);
    fur_status status = fur_vector_upload(values, d);
    group_release(s->space.group, values);
    return status;
}
