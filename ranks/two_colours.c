/* The blocks of a matrix of all ranks whose rows have two colours. Both blocks are matrices of all
 * ranks: [D E], whose x has p and t of each rank, and W, whose x has the red rows. Red rows keep
 * their order over all ranks, and so do black rows. Each rank therefore has one range of either
 * colour. */
#include "colouring.h"

#include <string.h>

/* The most entries of A for which one process can reduce it. Ranks have the same limit, because
 * they produce the same bits. */
#define MAX_ENTRIES INT32_MAX

typedef struct halves {
    fur_ranks_csr *a;
    own_rows rows;
    colouring colours;
    int64_t *bounds[2]; /* of red rows and of black rows */
    fur_ranks_csr *block[2];
} halves;

/* Rows of one colour while they become a matrix. */
typedef struct block_rows {
    int64_t rows;
    int64_t entries;
    int64_t *offsets;
    int64_t *columns;
    char *values;
    char *factors; /* factors of the values of W */
} block_rows;

static fur_status set_bounds(halves *h)
{
    const fur_ranks_csr *a = h->a;
    fur_ranks *g = a->group;
    for (int black = 0; black < 2; black++) {
        FUR_TRY(group_allocate(g, g->count + 1, sizeof **h->bounds, &h->bounds[black]));
        h->bounds[black][0] = 0;
        for (int i = 0; i < g->count; i++) {
            int64_t red = h->colours.red[i];
            int64_t rows = black ? a->bounds[i + 1] - a->bounds[i] - red : red;
            h->bounds[black][i + 1] = h->bounds[black][i] + rows;
        }
    }
    return FUR_OK;
}

/* Returns the column of an entry of A in a block: among p and t of all ranks, or among the red
 * rows. */
static int64_t column_in(const halves *h, bool black, const fur_csr_view *part, int64_t k)
{
    const fur_ranks_csr *a = h->a;
    int32_t at = part->columns[k];
    const int64_t *bounds = black ? h->bounds[0] : a->bounds;
    if (part == h->rows.inner)
        return bounds[a->group->rank] + h->colours.place[at];
    return bounds[colouring_owner(a, at)] + h->colours.far[at];
}

/* Counts the entries of the rank's rows of a colour, and allocates their arrays. */
static fur_status open_rows(const halves *h, bool black, block_rows *b)
{
    fur_ranks *g = h->a->group;
    size_t size = fur_value_size(h->a->report.value_type);
    int64_t red = h->colours.red[g->rank];
    int64_t first = black ? red : 0;
    b->rows = black ? h->rows.count - red : red;
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t k;
        int64_t end;
        own_rows_find(&h->rows, h->colours.order[first + i], &k, &end);
        b->entries += end - k - black;
    }
    FUR_TRY(group_allocate(g, b->rows + 1, sizeof *b->offsets, &b->offsets));
    FUR_TRY(group_allocate(g, b->entries, sizeof *b->columns, &b->columns));
    FUR_TRY(group_allocate(g, b->entries, size, &b->values));
    return group_allocate(g, black ? b->entries : 0, size, &b->factors);
}

static void close_rows(const halves *h, const block_rows *b)
{
    fur_ranks *g = h->a->group;
    group_release(g, b->offsets);
    group_release(g, b->columns);
    group_release(g, b->values);
    group_release(g, b->factors);
}

/* Writes row i of a block. A red row begins with the diagonal, and a black row omits it. factor: of
 * the row. */
static void fill_row(const halves *h, bool black, int64_t i, const char *factor, block_rows *b)
{
    size_t size = fur_value_size(h->a->report.value_type);
    int64_t row = h->colours.order[i + (black ? h->colours.red[h->a->group->rank] : 0)];
    int64_t k;
    int64_t end;
    const fur_csr_view *part = own_rows_find(&h->rows, row, &k, &end);
    int64_t first = b->offsets[i];
    int64_t next = first + !black;
    for (; k < end; k++) {
        bool diagonal = own_rows_column(&h->rows, part, k) == h->rows.begin + row;
        if (diagonal && black)
            continue;
        int64_t at = diagonal ? first : next++;
        b->columns[at] = column_in(h, black, part, k);
        memcpy(b->values + (size_t)at * size, (const char *)part->values + (size_t)k * size, size);
        if (black)
            memcpy(b->factors + (size_t)at * size, factor + (size_t)row * size, size);
    }
    b->offsets[i + 1] = next;
}

/* values = factors values, with the bits of one process. */
static fur_status scale_values(const halves *h, const block_rows *b)
{
    const fur_ranks_csr *a = h->a;
    fur_value_type value = a->report.value_type;
    fur_vector *factors = NULL;
    fur_vector *values = NULL;
    fur_status status =
        fur_vector_wrap(a->context, value, b->entries, b->factors, FUR_OWNERSHIP_BORROW, &factors);
    if (status == FUR_OK)
        status = fur_vector_wrap(a->context, value, b->entries, b->values, FUR_OWNERSHIP_BORROW,
                                 &values);
    if (status == FUR_OK)
        status = fur_multiply_elementwise(factors, values, values);
    fur_vector_destroy(factors);
    fur_vector_destroy(values);
    return group_pass_on(a->group, a->context, status);
}

static fur_status build(halves *h, bool black, const block_rows *b)
{
    const fur_ranks_csr *a = h->a;
    fur_ranks *g = a->group;
    const int64_t *column_bounds = black ? h->bounds[0] : a->bounds;
    local_rows rows = {.rows = b->rows,
                       .cols = column_bounds[g->count],
                       .value = a->report.value_type,
                       .offsets = b->offsets,
                       .wide = b->columns,
                       .values = b->values,
                       .column_bounds = column_bounds,
                       .lead = black ? 0 : b->rows};
    return matrix_build(g, &rows, h->bounds[black], &h->block[black]);
}

/* Makes a block. inverse: the reciprocals of the diagonal. */
static fur_status make_block(halves *h, bool black, const fur_vector *inverse)
{
    block_rows b = {.rows = 0};
    fur_status status = open_rows(h, black, &b);
    if (status == FUR_OK) {
        b.offsets[0] = 0;
        for (int64_t i = 0; i < b.rows; i++)
            fill_row(h, black, i, fur_vector_const_data(inverse), &b);
        status = black ? scale_values(h, &b) : FUR_OK;
    }
    if (status == FUR_OK)
        status = build(h, black, &b);
    close_rows(h, &b);
    return status;
}

static fur_status make(halves *h, const fur_vector *inverse, bool *found)
{
    *found = false;
    if (h->a->report.entries > MAX_ENTRIES)
        return FUR_OK;
    FUR_TRY(own_rows_open(h->a, &h->rows));
    FUR_TRY(colouring_find(h->a, &h->rows, inverse != NULL, &h->colours, found));
    if (!*found)
        return FUR_OK;
    FUR_TRY(set_bounds(h));
    FUR_TRY(make_block(h, false, inverse));
    FUR_TRY(make_block(h, true, inverse));
    h->block[1]->factor = -1;
    return FUR_OK;
}

static void release(void *user)
{
    halves *h = user;
    fur_ranks *g = h->a->group;
    for (int black = 0; black < 2; black++) {
        fur_ranks_csr_destroy(h->block[black]);
        group_release(g, h->bounds[black]);
    }
    colouring_release(h->a, &h->colours);
    if (h->rows.m)
        own_rows_close(&h->rows);
    group_release(g, h);
}

/* On failure, the message is in the context of A. */
static fur_status multiply(const halves *h, bool black, const fur_vector *x, fur_vector *y)
{
    fur_ranks_csr *by = h->block[black];
    fur_status status = matrix_multiply_lent(by, x, y);
    return status == FUR_OK
               ? FUR_OK
               : fur_context_fail(h->a->context, status, "%s", fur_context_error(by->context));
}

static fur_status multiply_red(void *user, const fur_vector *both, fur_vector *q)
{
    return multiply(user, false, both, q);
}

static fur_status multiply_black(void *user, const fur_vector *p, fur_vector *t)
{
    return multiply(user, true, p, t);
}

/* values = factor values, for a part of a block. */
static fur_status scale_part(fur_ranks_csr *block, fur_csr *part, double factor)
{
    const fur_csr_view *view = fur_csr_get(part);
    fur_vector *values;
    FUR_TRY(fur_vector_wrap(block->context, view->value_type, view->entries,
                            (void *)(uintptr_t)view->values, FUR_OWNERSHIP_BORROW, &values));
    fur_status status = fur_vector_scale(values, fur_real(factor));
    fur_vector_destroy(values);
    fur_csr_values_changed(part);
    return status;
}

static fur_status scale_red(void *user, double factor)
{
    const halves *h = user;
    fur_ranks_csr *red = h->block[0];
    fur_status status = scale_part(red, red->inner, factor);
    if (status == FUR_OK)
        status = scale_part(red, red->outer, factor);
    return status == FUR_OK
               ? FUR_OK
               : fur_context_fail(h->a->context, status, "%s", fur_context_error(red->context));
}

static fur_two_colours hand_out(halves *h)
{
    return (fur_two_colours){.red = h->colours.red[h->a->group->rank],
                             .order = h->colours.order,
                             .of_red = h->block[0]->context,
                             .of_black = h->block[1]->context,
                             .user = h,
                             .multiply_red = multiply_red,
                             .scale_red = scale_red,
                             .multiply_black = multiply_black,
                             .release = release};
}

fur_status matrix_two_colours(void *user, const fur_vector *inverse, fur_two_colours *out,
                              int *found)
{
    fur_ranks_csr *a = user;
    bool has = false;
    halves *h = NULL;
    fur_status status = group_allocate(a->group, 1, sizeof *h, &h);
    if (status == FUR_OK) {
        *h = (halves){.a = a};
        status = make(h, inverse, &has);
    }
    status = group_finish(a->group, a->context, space_pass(&a->space, status));
    *found = status == FUR_OK && has;
    if (*found)
        *out = hand_out(h);
    else if (h)
        release(h);
    return status;
}
