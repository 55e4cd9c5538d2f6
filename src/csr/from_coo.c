/* A matrix from a coordinate list. Entries are bucketed by row, in the given order. Entries of one
 * position are merged into the row's first entry of that column (Gustavson 1978). Rows are then
 * sorted. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"

#    include <furrow/author/options.h>

#    include "bucket.h"
#    include "csr.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    include <string.h>

#    define ENTRY_GRAIN 16384
/* Rows that are tested for repeated positions, and the entries tested in each. */
#    define SAMPLE_ROWS 64
#    define SAMPLE_ENTRIES 32
/* Rows that a thread takes at a time. */
#    define ROW_BLOCK 512
/* The place of an entry can be anywhere. It is prefetched this many entries ahead. */
#    define AHEAD 16

/* Entries of a list while they are moved to their rows. */
typedef struct placing {
    const fur_coo_view *coo;
    fur_bucketing rows;
    int32_t *columns;
    void *values;
} placing;

/* Rows while duplicates are merged. Each row keeps its beginning and becomes shorter. */
typedef struct merging {
    fur_csr *a;
    int64_t *lengths;
    bool sum;        /* else the last entry is kept */
    int32_t *places; /* for each part and column: the column's last place in a row; NULL: equal
                      * columns are adjacent */
    fur_shared next; /* the first row that no part has taken */
} merging;

/* A search for the first row in which a column does not exceed the column before by at least
 * `step`. */
typedef struct ascent {
    const fur_csr_view *a;
    int32_t step;
    fur_shared row;
} ascent;

/* The first such entry among the entries k .. end - 1 of a row, or end. */
static int64_t find_descent(const ascent *s, int64_t k, int64_t end)
{
    const int32_t *columns = s->a->columns;
    for (k++; k < end; k++)
        if (columns[k] - columns[k - 1] < s->step)
            return k;
    return end;
}

#    define FUR_TEMPLATE "from_coo.c"
#    include "foreach_value.h"

static fur_status check_shape(fur_env *env, const fur_coo_view *coo)
{
    if (coo->rows < 0 || coo->cols < 0 || coo->entries < 0)
        return fur_env_fail(env, FUR_INVALID,
                            "a matrix cannot have %lld rows, %lld columns and %lld entries",
                            (long long)coo->rows, (long long)coo->cols, (long long)coo->entries);
    if (coo->rows > INT32_MAX || coo->cols > INT32_MAX)
        return fur_env_fail(env, FUR_OVERFLOW,
                            "%lld rows and %lld columns: each must be at most %d",
                            (long long)coo->rows, (long long)coo->cols, INT32_MAX);
    if (fur_value_size(coo->value_type) == 0)
        return fur_env_fail(env, FUR_INVALID, "%d is not a value type", (int)coo->value_type);
    if (coo->entries > 0 && (!coo->row_indices || !coo->col_indices || !coo->values))
        return fur_env_fail(env, FUR_INVALID, "an array is NULL, but has to hold %lld entries",
                            (long long)coo->entries);
    return FUR_OK;
}

static bool inside(const fur_coo_view *coo, int64_t e)
{
    return coo->row_indices[e] >= 0 && coo->row_indices[e] < coo->rows &&
           coo->col_indices[e] >= 0 && coo->col_indices[e] < coo->cols;
}

/* A search for the first entry outside the matrix. */
typedef struct search {
    const fur_coo_view *coo;
    fur_shared bad;
} search;

/* The largest index. A negative index counts as larger than any other. */
static uint32_t largest(const int32_t *indices, int64_t begin, int64_t end)
{
    uint32_t most = 0;
    for (int64_t e = begin; e < end; e++)
        most = (uint32_t)indices[e] > most ? (uint32_t)indices[e] : most;
    return most;
}

static void find_outside(void *job, int64_t begin, int64_t end)
{
    search *s = job;
    const fur_coo_view *coo = s->coo;
    if (largest(coo->row_indices, begin, end) < coo->rows &&
        largest(coo->col_indices, begin, end) < coo->cols)
        return;
    while (inside(coo, begin))
        begin++;
    fur_shared_least(&s->bad, begin);
}

static fur_status check_indices(fur_env *env, const fur_coo_view *coo)
{
    search s = {coo, coo->entries};
    fur_parallel(env, coo->entries / ENTRY_GRAIN, coo->entries, find_outside, &s);
    int64_t bad = s.bad;
    if (bad == coo->entries)
        return FUR_OK;
    return fur_env_fail(env, FUR_INVALID,
                        "entry %lld is at (%lld, %lld), counting from 1, outside the %lld x %lld "
                        "matrix; indices in memory count from 0",
                        (long long)bad + 1, (long long)coo->row_indices[bad] + 1,
                        (long long)coo->col_indices[bad] + 1, (long long)coo->rows,
                        (long long)coo->cols);
}

/* Puts entries in row order. Entries of a row keep their order. starts: the beginning of each
 * row. */
static fur_status place_entries(fur_context *context, const fur_coo_view *coo, int64_t *starts,
                                fur_csr **out)
{
    static fur_body *const place_chunks[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(place_chunks);
    fur_env *env = &context->env;
    fur_status status = FUR_OK;
    placing p = {.coo = coo};
    fur_csr *a;
    FUR_TRY_DONE(fur_bucket_count(env, coo->entries, coo->row_indices, coo->rows, starts, &p.rows));
    FUR_TRY_DONE(fur_csr_allocate(context, coo->rows, coo->cols, coo->entries, coo->value_type,
                                  fur_offset_for(coo->entries), &a));
    fur_csr_set_offsets(a, starts);
    p.columns = fur_csr_columns(a);
    p.values = fur_csr_values(a);
    fur_parallel(env, p.rows.chunks, p.rows.chunks, place_chunks[coo->value_type], &p);
    *out = a;
done:
    fur_env_release(env, p.rows.next);
    return status;
}

/* Merges repeated entries. lengths[i] is the length of row i, before and after. Unless `apart` is
 * true, entries of one position must be adjacent. `apart` takes memory for one place a column. */
static fur_status merge(fur_csr *a, fur_duplicates duplicates, bool apart, int64_t *lengths)
{
    static fur_body *const merge_rows[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(merge_rows);
    const fur_csr_view *v = &a->view;
    fur_env *env = &a->context->env;
    merging m = {.a = a, .lengths = lengths, .sum = duplicates == FUR_DUPLICATES_SUM};
    int parts = fur_lanes(env->threads, v->entries / fur_larger(ENTRY_GRAIN, apart ? v->cols : 0));
    if (apart)
        FUR_TRY(fur_env_allocate_zeros(env, parts * v->cols, sizeof *m.places, &m.places));
    fur_parallel(env, parts, parts, merge_rows[v->value_type], &m);
    fur_env_release(env, m.places);
    return FUR_OK;
}

/* Makes the matrix whose row i has the first lengths[i] entries of A's row i, sorted by column if
 * `sorts`. The lengths are replaced by offsets. */
static fur_status gather_rows(const fur_csr *a, bool sorts, int64_t *lengths, fur_csr **out)
{
    const fur_csr_view *v = &a->view;
    int64_t longest = 0;
    int64_t total = 0;
    fur_csr *b;
    for (int64_t i = 0; i <= v->rows; i++) {
        int64_t length = i < v->rows ? lengths[i] : 0;
        longest = fur_larger(longest, length);
        lengths[i] = total;
        total += length;
    }
    FUR_TRY(fur_csr_allocate(a->context, v->rows, v->cols, total, v->value_type,
                             fur_offset_for(total), &b));
    fur_csr_set_offsets(b, lengths);
    fur_status status = fur_csr_gather_rows(a, sorts, longest, b);
    if (status == FUR_OK)
        *out = b;
    else
        fur_csr_destroy(b);
    return status;
}

static void look_at_rows(void *job, int64_t begin, int64_t end)
{
    ascent *s = job;
    int64_t k = fur_offset_at(s->a, begin);
    for (int64_t i = begin; i < end; i++) {
        int64_t next = fur_offset_at(s->a, i + 1);
        if (find_descent(s, k, next) < next) {
            fur_shared_least(&s->row, i);
            return;
        }
        k = next;
    }
}

/* Returns whether columns rise along all rows. Equal columns are allowed if `repeated`. If not,
 * s->row is the first row that does not rise. */
static bool rows_ascend(const fur_env *env, const fur_csr_view *a, bool repeated, ascent *s)
{
    *s = (ascent){a, !repeated, a->rows};
    fur_parallel(env, (a->rows + a->entries) / ENTRY_GRAIN, a->rows, look_at_rows, s);
    return s->row == a->rows;
}

/* Refuses a position that occurs twice, in a matrix with sorted rows. */
static fur_status check_repeated(fur_env *env, const fur_csr_view *a)
{
    ascent s;
    if (rows_ascend(env, a, false, &s))
        return FUR_OK;
    int64_t k = find_descent(&s, fur_offset_at(a, s.row), fur_offset_at(a, s.row + 1));
    return fur_env_fail(env, FUR_INVALID, "more than one entry is at (%lld, %d)", (long long)s.row,
                        a->columns[k]);
}

static bool occurs_twice(const int32_t *columns, int64_t count)
{
    for (int64_t k = 1; k < count; k++)
        for (int64_t l = 0; l < k; l++)
            if (columns[l] == columns[k])
                return true;
    return false;
}

/* Returns whether entries should be merged before sorting. One place for every column must cost no
 * more than the entries, and a sampled row must have a column twice. */
static bool merges_early(const fur_csr_view *a)
{
    int rows = (int)fur_smaller(a->rows, SAMPLE_ROWS);
    if (a->cols > fur_larger(a->entries, ENTRY_GRAIN))
        return false;
    for (int n = 0; n < rows; n++) {
        int64_t row = fur_split(a->rows, rows, n);
        int64_t from = fur_offset_at(a, row);
        int64_t length = fur_smaller(fur_offset_at(a, row + 1) - from, SAMPLE_ENTRIES);
        if (occurs_twice(a->columns + from, length))
            return true;
    }
    return false;
}

/* Sorts the rows of A, and merges repeated entries before or afterwards. lengths has space for rows
 * + 1 numbers, and contains A's offsets. */
static fur_status finish(fur_csr *a, fur_duplicates duplicates, int64_t *lengths, fur_csr **out)
{
    const fur_csr_view *v = &a->view;
    bool merges = duplicates == FUR_DUPLICATES_SUM || duplicates == FUR_DUPLICATES_LAST;
    bool early = merges && merges_early(v);
    ascent s;
    fur_csr *b;
    for (int64_t i = 0; i < v->rows; i++)
        lengths[i] = lengths[i + 1] - lengths[i];
    if (early)
        FUR_TRY(merge(a, duplicates, true, lengths));
    FUR_TRY(gather_rows(a, true, lengths, &b));
    fur_status status = FUR_OK;
    if (duplicates == FUR_DUPLICATES_ERROR)
        status = check_repeated(&a->context->env, &b->view);
    if (!merges || early || rows_ascend(&a->context->env, &b->view, false, &s)) {
        if (status == FUR_OK)
            *out = b;
        else
            fur_csr_destroy(b);
        return status;
    }
    status = merge(b, duplicates, false, lengths);
    if (status == FUR_OK)
        status = gather_rows(b, false, lengths, out);
    fur_csr_destroy(b);
    return status;
}

static fur_status from_coo(fur_context *context, const fur_coo_view *coo, fur_duplicates duplicates,
                           fur_csr **out)
{
    fur_env *env = &context->env;
    fur_status status = FUR_OK;
    int64_t *starts = NULL;
    fur_csr *a = NULL;

    if ((unsigned)duplicates > FUR_DUPLICATES_KEEP)
        return fur_env_fail(env, FUR_INVALID, "%d is not a way to treat duplicates",
                            (int)duplicates);
    FUR_TRY(check_shape(env, coo));
    FUR_TRY(check_indices(env, coo));
    FUR_TRY_DONE(fur_env_allocate(env, coo->rows + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(place_entries(context, coo, starts, &a));
    ascent s;
    if (rows_ascend(env, &a->view, duplicates == FUR_DUPLICATES_KEEP, &s)) {
        *out = a;
        a = NULL;
    } else {
        status = finish(a, duplicates, starts, out);
    }
done:
    fur_csr_destroy(a);
    fur_env_release(env, starts);
    return status;
}

fur_status fur_csr_from_coo(fur_context *context, const fur_coo_view *coo,
                            fur_duplicates duplicates, fur_csr **out)
{
    FUR_NEED(context, context, coo, out);
    fur_csr *a = NULL;
    fur_coo_view own;
    FUR_TAKE_OPTIONS(context, fur_coo_view, &own, coo);
    if (!fur_is_remote(context))
        return from_coo(context, &own, duplicates, out);
    fur_status status = from_coo(context->host, &own, duplicates, &a);
    if (status == FUR_OK)
        status = fur_csr_transfer(a, context, out);
    fur_csr_destroy(a);
    return fur_context_pass_on(context->host, context, status);
}
#else

static void FN(place_chunks)(void *job, int64_t begin, int64_t end)
{
    const placing *p = job;
    const fur_bucketing *rows = &p->rows;
    const int32_t *column = p->coo->col_indices;
    const VALUE *from = p->coo->values;
    VALUE *to = p->values;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t *next = rows->next + chunk * rows->keys_end;
        int64_t last = fur_split(rows->count, rows->chunks, (int)chunk + 1);
        for (int64_t e = fur_split(rows->count, rows->chunks, (int)chunk); e < last; e++) {
            if (e + AHEAD < last) {
                int64_t later = next[rows->keys[e + AHEAD]];
                __builtin_prefetch(&p->columns[later], 1);
                __builtin_prefetch(&to[later], 1);
            }
            int64_t place = next[rows->keys[e]]++;
            p->columns[place] = column[e];
            to[place] = from[e];
        }
    }
}

/* Merges a row and returns its new length. The first `distinct` entries are known to differ.
 * `places` may have places from other rows: they are recognised because the column at the place
 * differs. */
static int64_t FN(merge_row)(int64_t distinct, int64_t length, bool sum, int32_t *places,
                             int32_t *columns, VALUE *values)
{
    for (int64_t k = distinct; k < length; k++) {
        int32_t column = columns[k];
        int64_t at = places ? places[column] : distinct - 1;
        if (at >= 0 && at < distinct && columns[at] == column) {
            values[at] = sum ? V(add)(values[at], values[k]) : values[k];
            continue;
        }
        if (places)
            places[column] = (int32_t)distinct;
        columns[distinct] = column;
        values[distinct++] = values[k];
    }
    return distinct;
}

/* Merges rows as part `begin`. Parts take rows as they become free; this one may take all. */
static void FN(merge_rows)(void *job, int64_t begin, int64_t behind)
{
    merging *m = job;
    const fur_csr_view *a = &m->a->view;
    int32_t *places = m->places ? m->places + begin * a->cols : NULL;
    int32_t *columns = fur_csr_columns(m->a);
    VALUE *values = fur_csr_values(m->a);
    const ascent rising = {.a = a, .step = 1};
    (void)behind;
    for (int64_t row; (row = fur_shared_take(&m->next, ROW_BLOCK)) < a->rows;) {
        for (int64_t i = row; i < fur_smaller(row + ROW_BLOCK, a->rows); i++) {
            int64_t at = fur_offset_at(a, i);
            int64_t end = fur_offset_at(a, i + 1);
            int64_t distinct = places ? 0 : find_descent(&rising, at, end) - at;
            m->lengths[i] =
                FN(merge_row)(distinct, end - at, m->sum, places, columns + at, values + at);
        }
    }
}

#endif
