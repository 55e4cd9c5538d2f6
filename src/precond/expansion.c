/* Blocks of consecutive rows as one matrix with the blocks along its diagonal. */
#include "expansion.h"

#include "sort.h"
#include "split.h"
#include "team.h"

#include <string.h>

#define ROW_GRAIN 4096
#define NOWHERE (-1)

/* Finding the rows of the blocks. */
typedef struct search {
    const fur_csr_view *a;
    fur_expansion *x;
    int32_t *last;   /* the last block that has met each column */
    uint64_t *items; /* the rows of a block besides its own rows */
} search;

/* Returns the first row of a block, in A. */
static int64_t first_row(const fur_csr_view *a, const fur_expansion *x, int64_t b)
{
    return fur_smaller(b * x->block, a->rows);
}

/* Lists the rows that a block needs besides its own rows, in the order in which they are met. */
static int64_t list_others(search *s, int64_t b)
{
    const fur_csr_view *a = s->a;
    int64_t first = first_row(a, s->x, b);
    int64_t end = first_row(a, s->x, b + 1);
    int64_t count = 0;
    if (!s->x->overlaps)
        return 0;
    for (int64_t k = fur_offset_at(a, first); k < fur_offset_at(a, end); k++) {
        int32_t j = a->columns[k];
        if ((j >= first && j < end) || s->last[j] == b)
            continue;
        s->last[j] = (int32_t)b;
        s->items[count++] = fur_item(j, 0);
    }
    return count;
}

static void forget(search *s)
{
    for (int64_t j = 0; j < s->a->rows; j++)
        s->last[j] = NOWHERE;
}

/* Writes the rows of a block in order. */
static void write_numbers(search *s, int64_t b)
{
    int32_t *numbers = s->x->numbers + s->x->begin[b];
    int64_t count = list_others(s, b);
    int64_t k = 0;
    fur_sort_in_place(s->items, count);
    for (; k < count && fur_item_key(s->items[k]) < first_row(s->a, s->x, b); k++)
        *numbers++ = fur_item_key(s->items[k]);
    for (int64_t i = first_row(s->a, s->x, b); i < first_row(s->a, s->x, b + 1); i++)
        *numbers++ = (int32_t)i;
    for (; k < count; k++)
        *numbers++ = fur_item_key(s->items[k]);
}

static fur_status find_rows(fur_env *env, search *s)
{
    fur_expansion *x = s->x;
    int64_t n = s->a->rows;
    x->count = (n + x->block - 1) / x->block;
    FUR_TRY(fur_env_allocate(env, n, sizeof *s->last, &s->last));
    FUR_TRY(fur_env_allocate(env, n, sizeof *s->items, &s->items));
    FUR_TRY(fur_env_allocate(env, x->count + 1, sizeof *x->begin, &x->begin));
    forget(s);
    x->begin[0] = 0;
    for (int64_t b = 0; b < x->count; b++)
        x->begin[b + 1] =
            x->begin[b] + list_others(s, b) + first_row(s->a, x, b + 1) - first_row(s->a, x, b);
    if (x->begin[x->count] > INT32_MAX)
        return fur_env_fail(
            env, FUR_OVERFLOW,
            "the overlapping blocks have %lld rows in total, more than 2^31-1; use larger blocks",
            (long long)x->begin[x->count]);
    FUR_TRY(fur_env_allocate(env, x->begin[x->count], sizeof *x->numbers, &x->numbers));
    forget(s);
    for (int64_t b = 0; b < x->count; b++)
        write_numbers(s, b);
    return FUR_OK;
}

/* Lists the columns of a row if `columns` is not NULL. The row's block begins at `first`. `places`
 * has the places of A's rows in this block, and less than `first` for other rows. */
static int64_t list_row(const search *s, int64_t row, int64_t first, const int32_t *places,
                        int32_t *columns)
{
    const fur_csr_view *a = s->a;
    int64_t count = 0;
    for (int64_t k = fur_offset_at(a, row); k < fur_offset_at(a, row + 1); k++) {
        int32_t place = places[a->columns[k]];
        if (place < first)
            continue;
        if (columns)
            columns[count] = place;
        count++;
    }
    return count;
}

/* Visits all rows: counts their entries, or writes their columns. */
static void list_rows(search *s, int64_t *starts, int32_t *columns)
{
    const fur_expansion *x = s->x;
    int32_t *places = s->last;
    forget(s);
    for (int64_t b = 0; b < x->count; b++) {
        for (int64_t e = x->begin[b]; e < x->begin[b + 1]; e++)
            places[x->numbers[e]] = (int32_t)e;
        for (int64_t e = x->begin[b]; e < x->begin[b + 1]; e++) {
            int64_t count = list_row(s, x->numbers[e], x->begin[b], places,
                                     columns ? columns + starts[e] : NULL);
            starts[e + 1] = starts[e] + count;
        }
    }
}

static fur_status make_pattern(search *s, fur_context *context, fur_csr **out)
{
    fur_env *env = &context->env;
    int64_t size = s->x->begin[s->x->count];
    int64_t *starts;
    FUR_TRY(fur_env_allocate(env, size + 1, sizeof *starts, &starts));
    starts[0] = 0;
    list_rows(s, starts, NULL);
    fur_status status = fur_csr_allocate(context, size, size, starts[size], s->a->value_type,
                                         fur_offset_for(starts[size]), out);
    if (status == FUR_OK) {
        fur_csr_set_offsets(*out, starts);
        if (starts[size] > 0)
            list_rows(s, starts, fur_csr_columns(*out));
    }
    fur_env_release(env, starts);
    return status;
}

fur_status fur_expansion_make(const fur_csr *a, const void *arguments, fur_csr **out)
{
    fur_env *env = &a->context->env;
    search s = {.a = &a->view, .x = *(fur_expansion *const *)arguments};
    fur_status status = find_rows(env, &s);
    if (status == FUR_OK)
        status = make_pattern(&s, a->context, out);
    if (status == FUR_OK)
        fur_expansion_fill(a, arguments, *out);
    fur_env_release(env, s.items);
    fur_env_release(env, s.last);
    return status;
}

typedef struct filling {
    const fur_csr_view *a;
    const fur_csr_view *e;
    const int32_t *numbers;
    char *values; /* of e */
} filling;

/* Columns rise in a row of either matrix. */
static void fill_rows(void *job, int64_t begin, int64_t end)
{
    const filling *f = job;
    const fur_csr_view *a = f->a;
    const char *from = a->values;
    size_t size = fur_value_size(a->value_type);
    for (int64_t i = begin; i < end; i++) {
        int64_t to = fur_offset_at(f->e, i);
        int64_t stop = fur_offset_at(f->e, i + 1);
        for (int64_t k = fur_offset_at(a, f->numbers[i]); to < stop; k++)
            if (a->columns[k] == f->numbers[f->e->columns[to]])
                memcpy(f->values + (size_t)to++ * size, from + (size_t)k * size, size);
    }
}

void fur_expansion_fill(const fur_csr *a, const void *arguments, fur_csr *e)
{
    const fur_expansion *x = *(fur_expansion *const *)arguments;
    filling f = {&a->view, &e->view, x->numbers, fur_csr_values(e)};
    fur_parallel(&a->context->env, e->view.rows / ROW_GRAIN, e->view.rows, fill_rows, &f);
}

/* Lists for each row of A its places in all blocks, or its place in its own block. */
static void list_places(const fur_csr_view *a, const fur_expansion *x, bool own, int64_t *starts,
                        int32_t *columns)
{
    for (int64_t b = 0; b < x->count; b++)
        for (int64_t e = x->begin[b]; e < x->begin[b + 1]; e++) {
            int32_t row = x->numbers[e];
            bool owns = row >= first_row(a, x, b) && row < first_row(a, x, b + 1);
            if (own && !owns)
                continue;
            if (columns)
                columns[starts[row]] = (int32_t)e;
            starts[row]++;
        }
}

static fur_status set_ones(fur_csr *m)
{
    fur_vector *values;
    FUR_TRY(fur_vector_wrap(m->context, m->view.value_type, m->view.entries, fur_csr_values(m),
                            FUR_OWNERSHIP_BORROW, &values));
    fur_status status = fur_vector_fill(values, fur_real(1));
    fur_vector_destroy(values);
    return status;
}

/* `starts` has n + 2 zeros. Row i is counted in starts[i + 2]. After the sums starts[i + 1] is the
 * begin of row i. After the rows are listed it is the begin of row i + 1. */
static fur_status make_ones(const fur_csr *a, const fur_expansion *x, bool own, int64_t *starts,
                            fur_csr **out)
{
    int64_t n = a->view.rows;
    fur_csr *m;
    list_places(&a->view, x, own, starts + 2, NULL);
    for (int64_t i = 0; i < n; i++)
        starts[i + 2] += starts[i + 1];
    FUR_TRY(fur_csr_allocate(a->context, n, x->begin[x->count], starts[n + 1], a->view.value_type,
                             fur_offset_for(starts[n + 1]), &m));
    list_places(&a->view, x, own, starts + 1, fur_csr_columns(m));
    fur_csr_set_offsets(m, starts);
    fur_status status = set_ones(m);
    if (status == FUR_OK)
        *out = m;
    else
        fur_csr_destroy(m);
    return status;
}

static fur_status place_ones(const fur_csr *a, const void *arguments, bool own, fur_csr **out)
{
    fur_env *env = &a->context->env;
    int64_t *starts;
    FUR_TRY(fur_env_allocate_zeros(env, a->view.rows + 3, sizeof *starts, &starts));
    fur_status status = make_ones(a, *(fur_expansion *const *)arguments, own, starts, out);
    fur_env_release(env, starts);
    return status;
}

fur_status fur_expansion_add_up(const fur_csr *a, const void *arguments, fur_csr **out)
{
    return place_ones(a, arguments, false, out);
}

fur_status fur_expansion_pick(const fur_csr *a, const void *arguments, fur_csr **out)
{
    return place_ones(a, arguments, true, out);
}

void fur_expansion_release(fur_env *env, fur_expansion *x)
{
    fur_env_release(env, x->numbers);
    fur_env_release(env, x->begin);
}
