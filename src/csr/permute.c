/* Permutes rows and columns. Each row is fetched from its old place, renumbered and sorted
 * separately. Kept duplicates of one position stay in their order. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"
#    include "csr.h"
#    include "scalar.h"
#    include "sort.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    include <string.h>

#    define ENTRY_GRAIN 32768
/* Rows that a thread takes at a time. */
#    define ROW_BLOCK 512
/* A row of A can be anywhere. Its offsets, its entries, and the new numbers of its columns are
 * prefetched this many rows ahead. */
#    define OFFSETS_AHEAD 32
#    define ENTRIES_AHEAD 16
#    define NUMBERS_AHEAD 8

/* For functions that only prefetch: gcc removes calls of such functions, because it sees no
 * effect. */
#    define ALWAYS_INLINE inline __attribute__((always_inline))

/* Rows up to RANK_MAX entries are sorted by counting, for each entry, the entries before it. This
 * takes length^2 / 2 steps without unpredictable branches. Longer rows are sorted by digits. */
#    define RANK_FEW 32
#    define RANK_MAX 128

/* B(i, j) = A(row_order[i], col_order[j]). col_position is the inverse of col_order. NULL leaves
 * that side unchanged. Rows of A may have gaps between them: the length of a row is taken from
 * B. */
typedef struct renumbering {
    const fur_csr_view *a;
    const int32_t *row_order;
    const int32_t *col_position;
    bool sorts;    /* columns are not in order without sorting */
    void *offsets; /* arrays of B */
    int32_t *columns;
    void *values;
    fur_shared longest; /* length of the longest row */
    fur_shared next;    /* the first row that no part has taken */
    /* If there are long rows: for each part, space to sort the longest row, twice its length. */
    int64_t spare;
    uint64_t *items;
} renumbering;

static inline int64_t row_of(const renumbering *r, int64_t i)
{
    return r->row_order ? r->row_order[i] : i;
}

static inline int32_t column_of(const renumbering *r, int32_t column)
{
    return r->col_position ? r->col_position[column] : column;
}

/* rank[k]: the place of entry k in the row sorted by columns. Equal columns keep their order. */
static inline void rank_columns(int length, const int32_t *columns, int32_t *rank)
{
    for (int j = 0; j < length; j++) {
        int32_t column = columns[j];
        int32_t larger = 0; /* larger columns before this entry */
        for (int k = 0; k < j; k++) {
            int32_t behind = column < columns[k];
            rank[k] += behind;
            larger += behind;
        }
        rank[j] = j - larger;
    }
}

typedef int32_t four __attribute__((vector_size(4 * sizeof(int32_t))));

/* As above, for a short row: four entries at a time are compared with all others. */
static inline void rank_few(int length, const int32_t *columns, int32_t *rank)
{
    const four number = {0, 1, 2, 3};
    for (int k = 0; k < length; k += 4) {
        int count = length - k < 4 ? length - k : 4;
        four own = {0};
        for (int i = 0; i < count; i++)
            own[i] = columns[k + i];
        four places = {k, k, k, k}; /* a comparison gives -1 if it is true */
        for (int j = 0; j < k; j++)
            places += columns[j] > own;
        for (int i = 0; i < count; i++)
            places -= own > columns[k + i] + (number > i);
        for (int j = k + 4; j < length; j++)
            places -= own > columns[j];
        memcpy(rank + k, &places, sizeof places);
    }
}

static bool is_sorted(const int32_t *columns, int64_t length)
{
    for (int64_t k = 1; k < length; k++)
        if (columns[k] < columns[k - 1])
            return false;
    return true;
}

#    define FUR_TEMPLATE "permute.c"
#    include "foreach_type.h"

/* The number of parts, one a thread. Their spare rows together must not be larger than the
 * matrix. */
static int count_parts(const fur_csr_view *a, int threads, int64_t spare)
{
    int64_t worth = (a->rows + a->entries) / ENTRY_GRAIN;
    if (spare > 0)
        worth = fur_smaller(worth, a->entries / spare);
    return fur_lanes(threads, worth);
}

/* Fills in B, whose offsets and longest row are known. */
static fur_status fill_rows(fur_env *env, renumbering *r, fur_offset_type offset)
{
    static fur_body *const permute_rows[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(permute_rows);
    const fur_csr_view *a = r->a;
    if (a->entries == 0)
        return FUR_OK;
    r->spare = r->sorts && r->longest > RANK_MAX ? r->longest : 0;
    if (r->spare > INT32_MAX)
        return fur_env_fail(env, FUR_OVERFLOW, "a row of %lld entries is too long to sort",
                            (long long)r->spare);
    int parts = count_parts(a, env->threads, r->spare);
    FUR_TRY(fur_env_allocate(env, 2 * parts * r->spare, sizeof *r->items, &r->items));
    fur_parallel(env, parts, parts, permute_rows[a->value_type][offset], r);
    fur_env_release(env, r->items);
    return FUR_OK;
}

static fur_status renumber(fur_env *env, renumbering *r)
{
    static void (*const set_offsets[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(
        const fur_env *, renumbering *) = FUR_TYPE_TABLE(set_offsets);
    const fur_csr_view *a = r->a;
    set_offsets[a->value_type][a->offset_type](env, r);
    return fill_rows(env, r, a->offset_type);
}

fur_status fur_csr_gather_rows(const fur_csr *a, bool sorts, int64_t longest, fur_csr *b)
{
    renumbering r = {.a = &a->view,
                     .sorts = sorts,
                     .offsets = fur_csr_offsets(b),
                     .columns = fur_csr_columns(b),
                     .values = fur_csr_values(b),
                     .longest = longest};
    return fill_rows(&a->context->env, &r, b->view.offset_type);
}

/* The orders in the form of the algorithm, in its memory. */
typedef struct orders {
    int32_t *row_order;
    int32_t *col_position;
} orders;

static fur_status allocate_like(const fur_csr *a, fur_csr **out)
{
    const fur_csr_view *v = &a->view;
    return fur_csr_allocate(a->context, v->rows, v->cols, v->entries, v->value_type, v->offset_type,
                            out);
}

static fur_status permute_here(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const orders *o = arguments;
    fur_csr *b;
    FUR_TRY(allocate_like(a, &b));
    renumbering r = {.a = &a->view,
                     .row_order = o->row_order,
                     .col_position = o->col_position,
                     .sorts = o->col_position != NULL,
                     .offsets = fur_csr_offsets(b),
                     .columns = fur_csr_columns(b),
                     .values = fur_csr_values(b)};
    fur_status status = renumber(&a->context->env, &r);
    if (status == FUR_OK)
        *out = b;
    else
        fur_csr_destroy(b);
    return status;
}

static fur_status permute_remote(const fur_csr *a, const int32_t *row_order,
                                 const int32_t *col_position, fur_csr **out)
{
    fur_csr *b;
    FUR_TRY(allocate_like(a, &b));
    fur_status status =
        fur_services(a->context)
            ->csr.permute(&a->context->env, &a->view, row_order, col_position, &b->view);
    if (status == FUR_OK)
        *out = b;
    else
        fur_csr_destroy(b);
    return status;
}

static fur_status check_order(const fur_csr *a, const char *side, int64_t size,
                              const fur_permutation *order)
{
    fur_env *env = &a->context->env;
    if (order && order->context != a->context)
        return fur_env_fail(env, FUR_INVALID,
                            "the %s order belongs to another context than the matrix", side);
    if (order && order->size != size)
        return fur_env_fail(env, FUR_INVALID,
                            "the %s order has %lld numbers, but the matrix has %lld %ss", side,
                            (long long)order->size, (long long)size, side);
    return FUR_OK;
}

fur_status fur_csr_permute(const fur_csr *a, const fur_permutation *row_order,
                           const fur_permutation *col_order, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    fur_context *context = a->context;
    const int32_t *order = row_order ? row_order->order : NULL;
    const int32_t *position = col_order ? col_order->position : NULL;
    fur_status status = FUR_OK;
    orders o = {NULL, NULL};
    FUR_TRY(check_order(a, "row", a->view.rows, row_order));
    FUR_TRY(check_order(a, "column", a->view.cols, col_order));
    if (fur_services(context)->csr.permute)
        return permute_remote(a, order, position, out);
    FUR_TRY_DONE(
        fur_memory_to_host(context, order, a->view.rows * (int64_t)sizeof *order, &o.row_order));
    FUR_TRY_DONE(fur_memory_to_host(context, position, a->view.cols * (int64_t)sizeof *position,
                                    &o.col_position));
    status = fur_csr_on_host(a, permute_here, &o, out);
done:
    fur_memory_drop(context, position, o.col_position);
    fur_memory_drop(context, order, o.row_order);
    return status;
}
#else

static void FN(find_lengths)(void *job, int64_t begin, int64_t end)
{
    renumbering *r = job;
    const OFFSET *from = r->a->offsets;
    OFFSET *to = r->offsets;
    int64_t longest = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t row = row_of(r, i);
        OFFSET length = from[row + 1] - from[row];
        to[i + 1] = length;
        longest = length > longest ? length : longest;
    }
    fur_shared_largest(&r->longest, longest);
}

/* Sets B's offsets, and the length of its longest row. */
static void FN(set_offsets)(const fur_env *env, renumbering *r)
{
    OFFSET *to = r->offsets;
    fur_parallel(env, r->a->rows / ENTRY_GRAIN, r->a->rows, FN(find_lengths), r);
    to[0] = 0;
    for (int64_t i = 0; i < r->a->rows; i++)
        to[i + 1] += to[i];
}

static ALWAYS_INLINE void FN(ask_for_entries)(const fur_csr_view *a, int64_t row)
{
    int64_t begin = ((const OFFSET *)a->offsets)[row];
    int64_t end = ((const OFFSET *)a->offsets)[row + 1];
    __builtin_prefetch(&a->columns[begin]);
    __builtin_prefetch(&a->columns[end]);
    __builtin_prefetch((const VALUE *)a->values + begin);
    __builtin_prefetch((const VALUE *)a->values + end);
}

/* Prefetches a row's new numbers. In a long row only the first ones: the processor itself reads
 * ahead. */
static ALWAYS_INLINE void FN(ask_for_numbers)(const renumbering *r, int64_t row)
{
    int64_t begin = ((const OFFSET *)r->a->offsets)[row];
    int64_t end = ((const OFFSET *)r->a->offsets)[row + 1];
    end = fur_smaller(end, begin + RANK_MAX);
    for (int64_t k = begin; k < end; k++)
        __builtin_prefetch(&r->col_position[r->a->columns[k]]);
}

static ALWAYS_INLINE void FN(look_ahead)(const renumbering *r, int64_t i)
{
    int64_t rows = r->a->rows;
    if (i + OFFSETS_AHEAD < rows)
        __builtin_prefetch((const OFFSET *)r->a->offsets + row_of(r, i + OFFSETS_AHEAD));
    if (i + ENTRIES_AHEAD < rows)
        FN(ask_for_entries)(r->a, row_of(r, i + ENTRIES_AHEAD));
    if (r->col_position && i + NUMBERS_AHEAD < rows)
        FN(ask_for_numbers)(r, row_of(r, i + NUMBERS_AHEAD));
}

static void FN(rank_row)(const renumbering *r, int length, int64_t from, int64_t to)
{
    const int32_t *columns = r->a->columns + from;
    const VALUE *values = (const VALUE *)r->a->values + from;
    VALUE *out = (VALUE *)r->values + to;
    int32_t renumbered[RANK_MAX];
    int32_t rank[RANK_MAX];
    if (r->col_position) {
        for (int k = 0; k < length; k++)
            renumbered[k] = r->col_position[columns[k]];
        columns = renumbered;
    }
    if (length <= RANK_FEW)
        rank_few(length, columns, rank);
    else
        rank_columns(length, columns, rank);
    for (int k = 0; k < length; k++) {
        r->columns[to + rank[k]] = columns[k];
        out[rank[k]] = values[k];
    }
}

static void FN(sort_row)(const renumbering *r, int64_t part, int64_t length, int64_t from,
                         int64_t to)
{
    const VALUE *values = (const VALUE *)r->a->values + from;
    VALUE *out = (VALUE *)r->values + to;
    uint64_t *items = r->items + 2 * r->spare * part;
    int32_t counts[1 << FUR_DIGIT_BITS];
    for (int64_t k = 0; k < length; k++)
        items[k] = fur_item(column_of(r, r->a->columns[from + k]), (int32_t)k);
    const uint64_t *sorted =
        fur_sort_items(NULL, items, items + length, length, (int32_t)(r->a->cols - 1), 1, counts);
    for (int64_t k = 0; k < length; k++) {
        r->columns[to + k] = fur_item_key(sorted[k]);
        out[k] = values[fur_item_number(sorted[k])];
    }
}

static void FN(copy_row)(const renumbering *r, int64_t length, int64_t from, int64_t to)
{
    memcpy(r->columns + to, r->a->columns + from, (size_t)length * sizeof *r->columns);
    memcpy((VALUE *)r->values + to, (const VALUE *)r->a->values + from,
           (size_t)length * sizeof(VALUE));
}

static void FN(permute_row)(const renumbering *r, int64_t part, int64_t i)
{
    const OFFSET *to = r->offsets;
    int64_t from = fur_offset_at(r->a, row_of(r, i));
    int64_t length = to[i + 1] - to[i];
    if (!r->sorts || (!r->col_position && is_sorted(r->a->columns + from, length)))
        FN(copy_row)(r, length, from, to[i]);
    else if (length <= RANK_MAX)
        FN(rank_row)(r, (int)length, from, to[i]);
    else
        FN(sort_row)(r, part, length, from, to[i]);
}

/* Permutes rows as part `begin`. Parts take rows as they become free; this one may take all. */
static void FN(permute_rows)(void *job, int64_t begin, int64_t end)
{
    renumbering *r = job;
    int64_t rows = r->a->rows;
    (void)end;
    for (int64_t row; (row = fur_shared_take(&r->next, ROW_BLOCK)) < rows;) {
        for (int64_t i = row; i < fur_smaller(row + ROW_BLOCK, rows); i++) {
            if (r->row_order || r->col_position)
                FN(look_ahead)(r, i);
            FN(permute_row)(r, begin, i);
        }
    }
}

#endif
