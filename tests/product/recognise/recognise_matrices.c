/* See recognise_matrices.h. */
#include "recognise_matrices.h"

#include <math.h>
#include <string.h>

fur_csr *assemble(fur_context *context, const fur_stencil_definition *d)
{
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_ok(context, fur_stencil_create(context, d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    fur_stencil_destroy(s);
    return a;
}

fur_stencil_definition named(int points, fur_value_type value, int64_t nx, int64_t ny, int64_t nz)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = value, .extent = {nx, ny, nz}};
    ck_assert(fur_stencil_named(points, &d));
    return d;
}

fur_csr *grid(fur_context *context, int points, int64_t nx, int64_t ny, int64_t nz)
{
    fur_stencil_definition d = named(points, FUR_F64, nx, ny, nz);
    return assemble(context, &d);
}

void draw_extents(fur_stencil_definition *d, rng *r, int64_t most)
{
    static const int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 10, 17, 33};
    int64_t rows;
    do {
        rows = 1;
        for (int axis = 0; axis < d->axes; axis++) {
            d->extent[axis] = extents[rng_below(r, COUNT_OF(extents))];
            rows *= d->extent[axis];
        }
    } while (rows > most || rows < 2);
}

/* Draws a star of d->axes axes and other offsets, with random coefficients. */
void draw_offsets(fur_stencil_definition *d, rng *r, fur_stencil_offset *offsets,
                  fur_scalar *coefficients)
{
    ck_assert(fur_stencil_named(2 * d->axes + 1, d));
    int radius = 1 + (int)rng_below(r, FUR_STENCIL_RADIUS);
    fur_stencil_offset others[200];
    int more = (int)rng_below(r, offsets_random(r, d->axes, radius, COUNT_OF(others), others));
    memcpy(offsets, d->offsets, (size_t)d->points * sizeof *offsets);
    for (int k = 0; k < more; k++)
        if (abs(others[k].x) + abs(others[k].y) + abs(others[k].z) > 1)
            offsets[d->points++] = others[k];
    for (int k = 0; k < d->points; k++)
        coefficients[k] = rng_scalar(r, d->value_type);
    d->offsets = offsets;
    d->coefficients = coefficients;
}

void draw_fields(fur_context *context, fur_stencil_definition *d, rng *r, int64_t rows,
                 fur_vector **fields)
{
    for (int k = 0; k < d->points; k++)
        fields[k] = vector_random(context, r, d->value_type, rows);
    d->coefficients = NULL;
    d->fields = (const fur_vector *const *)fields;
}

/* A matrix as a list that can be altered. */
typedef struct list {
    int64_t rows;
    int64_t entries;
    int32_t *row;
    int32_t *col;
    double *value;
} list;

static list list_make(int64_t rows, int64_t entries)
{
    size_t room = 2 * (size_t)entries;
    return (list){.rows = rows,
                  .entries = entries,
                  .row = malloc(room * sizeof(int32_t)),
                  .col = malloc(room * sizeof(int32_t)),
                  .value = malloc(room * sizeof(double))};
}

static list list_of(const fur_csr *a)
{
    fur_csr_view v = *fur_csr_get(a);
    list l = list_make(v.rows, v.entries);
    for (int64_t i = 0; i < v.rows; i++)
        for (int64_t k = offset_at(&v, i); k < offset_at(&v, i + 1); k++)
            l.row[k] = (int32_t)i;
    memcpy(l.col, v.columns, (size_t)v.entries * sizeof *l.col);
    memcpy(l.value, v.values, (size_t)v.entries * sizeof *l.value);
    return l;
}

/* Returns the list's matrix and frees the list. */
static fur_csr *take_list(fur_context *context, list *l)
{
    fur_coo_view coo = {sizeof coo, l->rows, l->rows, l->entries,
                        FUR_F64,    l->row,  l->col,  l->value};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    free(l->row);
    free(l->col);
    free(l->value);
    return a;
}

/* Each of these functions alters entry k and returns the row that it changed. */
static int32_t change_bit(list *l, rng *r, int64_t k)
{
    (void)r;
    l->value[k] = nextafter(l->value[k], INFINITY);
    return l->row[k];
}

static int32_t remove_entry(list *l, rng *r, int64_t k)
{
    (void)r;
    int32_t row = l->row[k];
    l->entries--;
    l->row[k] = l->row[l->entries];
    l->col[k] = l->col[l->entries];
    l->value[k] = l->value[l->entries];
    return row;
}

/* Adds an entry at a random column. The position may then be stored twice. */
static int32_t add_entry(list *l, rng *r, int64_t k)
{
    int64_t last = l->entries++;
    l->row[last] = l->row[k];
    l->col[last] = (int32_t)rng_below(r, l->rows);
    l->value[last] = rng_below(r, 2) ? 0 : rng_unit(r);
    return l->row[k];
}

static int32_t move_entry(list *l, rng *r, int64_t k)
{
    int32_t old = l->col[k];
    while (l->col[k] == old)
        l->col[k] = (int32_t)rng_below(r, l->rows);
    return l->row[k];
}

static int32_t negate_zero(list *l, rng *r, int64_t k)
{
    (void)r;
    l->value[k] = -0.0;
    return l->row[k];
}

static int32_t (*const alterations[])(list *, rng *, int64_t) = {
    change_bit, remove_entry, add_entry, move_entry, negate_zero};

const int alteration_count = COUNT_OF(alterations);

fur_csr *altered(fur_context *context, const fur_csr *whole, rng *r, int way, int64_t count,
                 int32_t *row)
{
    list l = list_of(whole);
    for (; count > 0 && l.entries > 1; count--) {
        int kind = way < 0 ? (int)rng_below(r, COUNT_OF(alterations)) : way;
        *row = alterations[kind](&l, r, rng_below(r, l.entries));
    }
    return take_list(context, &l);
}

fur_csr *permuted_grid(fur_context *context)
{
    rng r = rng_stream(9000);
    fur_csr *a = grid(context, 7, 20, 20, 20);
    fur_csr *b = NULL;
    fur_permutation *p = permutation_random(context, &r, 8000);
    ck_ok(context, fur_csr_permute(a, p, p, &b));
    fur_permutation_destroy(p);
    fur_csr_destroy(a);
    return b;
}

fur_csr *empty_matrix(fur_context *context, int64_t rows, int64_t cols)
{
    fur_coo_view coo = {.size = sizeof coo, .rows = rows, .cols = cols, .value_type = FUR_F64};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    return a;
}

fur_csr *circulant(fur_context *context, int64_t n, int64_t shift)
{
    list l = list_make(n, 2 * n);
    for (int64_t k = 0; k < l.entries; k++) {
        l.row[k] = (int32_t)(k / 2);
        l.col[k] = (int32_t)((k / 2 + k % 2 * shift) % n);
        l.value[k] = 1;
    }
    return take_list(context, &l);
}

fur_csr *scattered(fur_context *context, int64_t rows, int64_t count)
{
    rng r = rng_stream(9100);
    list l = list_make(rows, rows * count);
    for (int64_t k = 0; k < l.entries; k++) {
        l.row[k] = (int32_t)(k / count);
        l.col[k] = (int32_t)(k % count * (rows / count) + rng_below(&r, rows / count));
        l.value[k] = 1;
    }
    return take_list(context, &l);
}

fur_csr *dense_random(fur_context *context, int64_t rows)
{
    rng r = rng_stream(9200);
    list l = list_make(rows, rows * rows);
    for (int64_t k = 0; k < l.entries; k++) {
        l.row[k] = (int32_t)(k / rows);
        l.col[k] = (int32_t)(k % rows);
        l.value[k] = rng_unit(&r);
    }
    return take_list(context, &l);
}

fur_csr *periodic_grid(fur_context *context, int64_t n)
{
    fur_stencil_definition d = named(7, FUR_F64, n, n, n);
    set_boundaries(&d, 13 * FUR_BOUNDARY_PERIODIC);
    return assemble(context, &d);
}

fur_csr *shape_matrix(fur_context *context, const char *name)
{
    rng r = rng_stream(7000);
    return matrix_random(context, &r, &shapes[shape_find(name)], FUR_F64, FUR_I32);
}

void alter_rows(fur_csr *a, rng *r, int64_t count)
{
    fur_csr_view view = *fur_csr_get(a);
    double *values = (double *)(uintptr_t)view.values;
    int32_t *order = rng_order(r, view.rows);
    for (int64_t i = 0; i < count; i++)
        values[offset_at(&view, order[i])] += 1;
    free(order);
}
