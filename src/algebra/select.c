/* Submatrices by lists of rows and columns. */
#ifndef FUR_TEMPLATE
#    include "algebra.h"
#    include "atomic.h"
#    include "scalar.h"
#    include "table.h"

/* Row and column numbers on the host. NULL: all. */
typedef struct lists {
    int64_t rows;
    const int32_t *row;
    int64_t cols;
    const int32_t *col;
} lists;

/* The new places of the columns of A. Column j goes to first[j], next[first[j]], ... until -1. */
typedef struct selection {
    const fur_csr_view *a;
    const lists *l;
    int32_t *first; /* NULL: every column keeps its place */
    int32_t *next;  /* NULL: no column has several places */
    bool moves_all; /* every column has exactly one place */
} selection;

/* A row of A can be anywhere. Its offsets and its entries are prefetched this many rows ahead. */
#    define OFFSETS_AHEAD 32
#    define ENTRIES_AHEAD 16
/* The most columns of a list that a device handles. */
#    define MAX_COLS_THERE (1 << 26)

static inline int64_t row_of(const selection *s, int64_t i)
{
    return s->l->row ? s->l->row[i] : i;
}

static inline void ask_ahead(const selection *s, int64_t i)
{
    const fur_csr_view *a = s->a;
    if (!s->l->row)
        return;
    if (i + OFFSETS_AHEAD < s->l->rows) {
        int64_t row = s->l->row[i + OFFSETS_AHEAD];
        __builtin_prefetch((const char *)a->offsets +
                           row * (int64_t)fur_offset_size(a->offset_type));
    }
    if (i + ENTRIES_AHEAD < s->l->rows && a->entries > 0) {
        int64_t row = s->l->row[i + ENTRIES_AHEAD];
        int64_t size = (int64_t)fur_value_size(a->value_type);
        int64_t from = fur_offset_at(a, row);
        int64_t to = fur_offset_at(a, row + 1);
        __builtin_prefetch((const char *)a->columns + from * 4);
        __builtin_prefetch((const char *)a->columns + to * 4);
        __builtin_prefetch((const char *)a->values + from * size);
        __builtin_prefetch((const char *)a->values + to * size);
    }
}

#    define FUR_TEMPLATE "select.c"
#    include "foreach_value.h"

static int64_t count_places(const selection *s, int32_t column)
{
    int64_t count = 0;
    if (!s->next)
        return s->first[column] >= 0;
    for (int32_t place = s->first[column]; place >= 0; place = s->next[place])
        count++;
    return count;
}

static int64_t count_rows(const void *job, int64_t begin, int64_t end)
{
    const selection *s = job;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = fur_offset_at(s->a, row_of(s, i));
        int64_t to = fur_offset_at(s->a, row_of(s, i) + 1);
        if (!s->first || s->moves_all)
            count += to - from;
        else
            for (int64_t k = from; k < to; k++)
                count += count_places(s, s->a->columns[k]);
    }
    return count;
}

/* Lists the places of each column in rising order. */
static fur_status find_places(fur_env *env, selection *s)
{
    const lists *l = s->l;
    bool repeats = false;
    int64_t missing = 0;
    FUR_TRY(fur_env_allocate(env, s->a->cols, sizeof *s->first, &s->first));
    FUR_TRY(fur_env_allocate(env, l->cols, sizeof *s->next, &s->next));
    for (int64_t j = 0; j < s->a->cols; j++)
        s->first[j] = -1;
    for (int64_t place = l->cols - 1; place >= 0; place--) {
        s->next[place] = s->first[l->col[place]];
        s->first[l->col[place]] = (int32_t)place;
        repeats |= s->next[place] >= 0;
    }
    for (int64_t j = 0; j < s->a->cols; j++)
        missing += s->first[j] < 0;
    s->moves_all = !repeats && missing == 0;
    if (!repeats) {
        fur_env_release(env, s->next);
        s->next = NULL;
    }
    return FUR_OK;
}

/* Returns whether the columns' places rise, so that entries come in order, including duplicates of
 * one position. */
static bool is_rising(const lists *l)
{
    for (int64_t j = 1; l->col && j < l->cols; j++)
        if (l->col[j - 1] >= l->col[j])
            return false;
    return true;
}

/* Replaces the matrix by a copy with sorted rows. */
static fur_status sort_rows(fur_csr **a)
{
    const fur_csr_view *v = &(*a)->view;
    fur_csr_statistics figures;
    fur_csr *sorted;
    FUR_TRY(fur_csr_allocate((*a)->context, v->rows, v->cols, v->entries, v->value_type,
                             v->offset_type, &sorted));
    fur_csr_figures(&(*a)->context->env, v, &figures);
    memcpy(fur_csr_offsets(sorted), v->offsets,
           ((size_t)v->rows + 1) * fur_offset_size(v->offset_type));
    fur_status status = fur_csr_gather_rows(*a, true, figures.row_max, sorted);
    if (status == FUR_OK) {
        fur_csr_destroy(*a);
        *a = sorted;
    } else {
        fur_csr_destroy(sorted);
    }
    return status;
}

static fur_status select_here(const fur_csr *a, const void *arguments, fur_csr **out)
{
    static void (*const fill_rows[FUR_VALUE_COUNT])(const void *, int64_t, int64_t, int64_t,
                                                    fur_csr *) = FUR_VALUE_TABLE(fill_rows);
    const lists *l = arguments;
    const fur_csr_view *v = &a->view;
    fur_env *env = &a->context->env;
    fur_status status = FUR_OK;
    selection s = {.a = v, .l = l};
    fur_csr *b = NULL;
    const fur_recipe recipe = {
        .rows = l->rows,
        .cols = l->cols,
        .value_type = v->value_type,
        .work = v->rows > 0 ? v->entries / v->rows * l->rows : 0,
        .count = count_rows,
        .fill = fill_rows[v->value_type],
        .job = &s,
    };
    if (l->col)
        FUR_TRY_DONE(find_places(env, &s));
    FUR_TRY_DONE(fur_recipe_follow(a->context, &recipe, &b));
    if (!is_rising(l))
        FUR_TRY_DONE(sort_rows(&b));
    *out = b;
    b = NULL;
done:
    fur_csr_destroy(b);
    fur_env_release(env, s.next);
    fur_env_release(env, s.first);
    return status;
}

static fur_status check_list(fur_context *context, const char *side, int64_t count,
                             const int32_t *list, int64_t size)
{
    fur_env *env = &context->env;
    if (count < 0)
        return fur_env_fail(env, FUR_INVALID, "there cannot be %lld %s", (long long)count, side);
    for (int64_t i = 0; i < count; i++)
        if (list[i] < 0 || list[i] >= size)
            return fur_env_fail(env, FUR_INVALID,
                                "%s[%lld] is %d, but the matrix has %lld; numbers count from 0",
                                side, (long long)i, list[i], (long long)size);
    return FUR_OK;
}

/* The columns of a list in rising order, on the host. */
typedef struct ranking {
    int32_t *start; /* column j of A becomes ranks start[j] .. start[j+1]-1 */
    int32_t *place; /* place of each rank in the list */
} ranking;

static fur_status rank_columns(fur_env *env, const lists *l, int64_t cols, ranking *r)
{
    FUR_TRY(fur_env_allocate_zeros(env, cols + 2, sizeof *r->start, &r->start));
    FUR_TRY(fur_env_allocate(env, l->cols, sizeof *r->place, &r->place));
    for (int64_t k = 0; k < l->cols; k++)
        r->start[l->col[k] + 2]++;
    for (int64_t j = 0; j <= cols; j++)
        r->start[j + 1] += r->start[j];
    for (int64_t k = 0; k < l->cols; k++)
        r->place[r->start[l->col[k] + 1]++] = (int32_t)k;
    return FUR_OK;
}

/* Copies a list to the device. NULL stays NULL. */
static fur_status send(fur_context *context, int64_t count, const int32_t *list, int32_t **out)
{
    *out = NULL;
    if (!list)
        return FUR_OK;
    FUR_TRY(fur_memory_allocate(context, count, sizeof **out, out));
    return fur_memory_copy(context, *out, list, count * (int64_t)sizeof **out);
}

/* Replaces the matrix by a copy whose columns are moved to these places on the device. */
static fur_status move_columns(fur_csr **a, const int32_t *place)
{
    fur_context *context = (*a)->context;
    const fur_csr_view *v = &(*a)->view;
    fur_csr *moved;
    FUR_TRY(fur_csr_allocate(context, v->rows, v->cols, v->entries, v->value_type, v->offset_type,
                             &moved));
    fur_status status =
        fur_services(context)->csr.permute(&context->env, v, NULL, place, &moved->view);
    fur_csr_destroy(status == FUR_OK ? *a : moved);
    if (status == FUR_OK)
        *a = moved;
    return status;
}

/* Selects on a device. The columns are first taken in the order of A, so that rows are sorted. They
 * are then moved to the order of the list. */
static fur_status select_there(const fur_csr *a, const lists *l, fur_csr **out)
{
    fur_context *context = a->context;
    fur_status status = FUR_OK;
    ranking r = {NULL, NULL};
    int32_t *row = NULL;
    int32_t *start = NULL;
    int32_t *place = NULL;
    fur_csr *b = NULL;
    FUR_TRY_DONE(send(context, l->rows, l->row, &row));
    if (l->col) {
        FUR_TRY_DONE(rank_columns(&context->env, l, a->view.cols, &r));
        FUR_TRY_DONE(send(context, a->view.cols + 1, r.start, &start));
    }
    const fur_making making = {
        .kind = FUR_MAKING_SELECT,
        .rows = l->rows,
        .cols = l->cols,
        .value_type = a->view.value_type,
        .a = &a->view,
        .selection = {row, start},
    };
    FUR_TRY_DONE(fur_making_follow(context, &making, &b));
    if (!is_rising(l)) {
        FUR_TRY_DONE(send(context, l->cols, r.place, &place));
        FUR_TRY_DONE(move_columns(&b, place));
    }
    *out = b;
    b = NULL;
done:
    fur_csr_destroy(b);
    fur_memory_release(context, place);
    fur_memory_release(context, start);
    fur_memory_release(context, row);
    fur_env_release(&context->env, r.place);
    fur_env_release(&context->env, r.start);
    return status;
}

/* Returns whether the device can do it. It counts the selected entries of a row in 32 bits. */
static bool is_for_device(const fur_csr *a, const lists *l)
{
    return fur_algebra_device(a->context) && fur_services(a->context)->csr.permute &&
           (!l->col || l->cols < MAX_COLS_THERE);
}

fur_status fur_csr_select(const fur_csr *a, int64_t row_count, const int32_t *rows,
                          int64_t col_count, const int32_t *cols, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    const lists l = {rows ? row_count : a->view.rows, rows, cols ? col_count : a->view.cols, cols};
    FUR_TRY(fur_csr_check_size(a->context, l.rows, l.cols));
    if (rows)
        FUR_TRY(check_list(a->context, "rows", row_count, rows, a->view.rows));
    if (cols)
        FUR_TRY(check_list(a->context, "cols", col_count, cols, a->view.cols));
    return is_for_device(a, &l) ? select_there(a, &l, out)
                                : fur_csr_on_host(a, select_here, &l, out);
}
#else

/* Copies the entries from .. to-1 of A, each to all places of its column. Returns the position
 * after them. */
static int64_t FN(place)(const selection *s, int64_t from, int64_t to, int64_t at, fur_csr *out)
{
    const VALUE *source = s->a->values;
    int32_t *columns = fur_csr_columns(out);
    VALUE *values = fur_csr_values(out);
    for (int64_t k = from; k < to; k++)
        for (int32_t place = s->first[s->a->columns[k]]; place >= 0;
             place = s->next ? s->next[place] : -1) {
            columns[at] = place;
            values[at++] = source[k];
        }
    return at;
}

static void FN(fill_rows)(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out)
{
    const selection *s = job;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = fur_offset_at(s->a, row_of(s, i));
        int64_t to = fur_offset_at(s->a, row_of(s, i) + 1);
        ask_ahead(s, i);
        if (s->first) {
            at = FN(place)(s, from, to, at, out);
        } else {
            fur_csr_copy_entries(s->a, from, to - from, 0, at, out);
            at += to - from;
        }
        fur_csr_end_row(out, i, at);
    }
}

#endif
