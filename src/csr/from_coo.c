/* A matrix from a coordinate list: entries bucketed by row, after bucketing by column where that
 * alone does not sort the rows; then duplicates, which stand side by side in the order given, are
 * merged. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"
#    include "bucket.h"
#    include "csr.h"
#    include "options.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

#    include <string.h>

#    define ENTRY_GRAIN 16384
#    define ROW_GRAIN 4096

/* Entries of a list on their way to their places in row order. */
typedef struct placing {
    const fur_coo_view *coo;
    int64_t *place;
    int64_t *second; /* the places in row order of those in column order */
    int32_t *rows;   /* of the entries in column order */
    int32_t *columns;
    void *values;
    fur_shared bad; /* the first entry outside the matrix */
} placing;

/* Rows on their way to be without duplicates. */
typedef struct merging {
    const fur_csr_view *a;
    int64_t *starts;
    fur_shared first; /* the first row that has any */
    bool sum;
    int32_t *columns;
    void *values;
} merging;

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
        return fur_env_fail(env, FUR_INVALID, "%lld entries were announced, an array is missing",
                            (long long)coo->entries);
    return FUR_OK;
}

static bool inside(const fur_coo_view *coo, int64_t e)
{
    return coo->row_indices[e] >= 0 && coo->row_indices[e] < coo->rows &&
           coo->col_indices[e] >= 0 && coo->col_indices[e] < coo->cols;
}

static void find_outside(void *job, int64_t begin, int64_t end)
{
    placing *p = job;
    for (int64_t e = begin; e < end; e++)
        if (!inside(p->coo, e)) {
            fur_shared_least(&p->bad, e);
            return;
        }
}

static fur_status check_indices(fur_env *env, const fur_coo_view *coo)
{
    placing p = {.coo = coo, .bad = coo->entries};
    fur_parallel(env, coo->entries / ENTRY_GRAIN, coo->entries, find_outside, &p);
    int64_t bad = p.bad;
    if (bad == coo->entries)
        return FUR_OK;
    return fur_env_fail(env, FUR_INVALID,
                        "entry %lld is at (%d, %d), outside the %lld x %lld matrix; indices count "
                        "from 0",
                        (long long)bad, coo->row_indices[bad], coo->col_indices[bad],
                        (long long)coo->rows, (long long)coo->cols);
}

/* Whether the entries of each row come with columns that do not decrease. */
static fur_status rows_are_sorted(fur_env *env, const fur_coo_view *coo, bool *sorted)
{
    int32_t *last;
    FUR_TRY(fur_env_allocate_zeros(env, coo->rows, sizeof *last, &last));
    *sorted = true;
    for (int64_t e = 0; e < coo->entries && *sorted; e++) {
        int32_t *seen = &last[coo->row_indices[e]];
        *sorted = coo->col_indices[e] >= *seen;
        *seen = coo->col_indices[e];
    }
    fur_env_release(env, last);
    return FUR_OK;
}

static void fetch_rows(void *job, int64_t begin, int64_t end)
{
    const placing *p = job;
    for (int64_t e = begin; e < end; e++)
        p->rows[p->place[e]] = p->coo->row_indices[e];
}

static void join_places(void *job, int64_t begin, int64_t end)
{
    const placing *p = job;
    for (int64_t e = begin; e < end; e++)
        p->place[e] = p->second[p->place[e]];
}

/* place[e]: where entry e stands in row order; starts: of each row. */
static fur_status place_by_row_and_column(fur_env *env, const fur_coo_view *coo, int64_t *starts,
                                          int64_t *place)
{
    fur_status status = FUR_OK;
    int64_t *col_starts = NULL;
    placing p = {.coo = coo, .place = place};
    int64_t worth = coo->entries / ENTRY_GRAIN;

    FUR_TRY_DONE(fur_env_allocate(env, coo->cols + 1, sizeof *col_starts, &col_starts));
    FUR_TRY_DONE(fur_env_allocate(env, coo->entries, sizeof *p.second, &p.second));
    FUR_TRY_DONE(fur_env_allocate(env, coo->entries, sizeof *p.rows, &p.rows));
    FUR_TRY_DONE(
        fur_bucket_sort(env, coo->entries, coo->col_indices, coo->cols, col_starts, place));
    fur_parallel(env, worth, coo->entries, fetch_rows, &p);
    FUR_TRY_DONE(fur_bucket_sort(env, coo->entries, p.rows, coo->rows, starts, p.second));
    fur_parallel(env, worth, coo->entries, join_places, &p);
done:
    fur_env_release(env, p.rows);
    fur_env_release(env, p.second);
    fur_env_release(env, col_starts);
    return status;
}

static fur_status place_entries(fur_env *env, const fur_coo_view *coo, int64_t *starts,
                                int64_t *place)
{
    bool sorted;
    FUR_TRY(rows_are_sorted(env, coo, &sorted));
    if (sorted)
        return fur_bucket_sort(env, coo->entries, coo->row_indices, coo->rows, starts, place);
    return place_by_row_and_column(env, coo, starts, place);
}

/* The matrix with duplicates still side by side. */
static fur_status assemble(fur_context *context, const fur_coo_view *coo, fur_csr **out)
{
    static fur_body *const scatter[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(scatter);
    fur_env *env = &context->env;
    fur_status status = FUR_OK;
    int64_t *starts = NULL;
    int64_t *place = NULL;
    fur_csr *a = NULL;

    FUR_TRY_DONE(fur_env_allocate(env, coo->rows + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(fur_env_allocate(env, coo->entries, sizeof *place, &place));
    FUR_TRY_DONE(place_entries(env, coo, starts, place));
    FUR_TRY_DONE(fur_csr_allocate(context, coo->rows, coo->cols, coo->entries, coo->value_type,
                                  fur_offset_for(coo->entries), &a));
    fur_csr_set_offsets(a, starts);
    placing p = {
        .coo = coo, .place = place, .columns = fur_csr_columns(a), .values = fur_csr_values(a)};
    fur_parallel(env, coo->entries / ENTRY_GRAIN, coo->entries, scatter[coo->value_type], &p);
    *out = a;
done:
    fur_env_release(env, place);
    fur_env_release(env, starts);
    return status;
}

static int64_t distinct_in_row(const fur_csr_view *a, int64_t row)
{
    int64_t begin = fur_offset_at(a, row);
    int64_t end = fur_offset_at(a, row + 1);
    int64_t distinct = end > begin;
    for (int64_t k = begin + 1; k < end; k++)
        distinct += a->columns[k] != a->columns[k - 1];
    return distinct;
}

static void count_rows(void *job, int64_t begin, int64_t end)
{
    merging *m = job;
    int64_t first = INT64_MAX;
    for (int64_t i = begin; i < end; i++) {
        m->starts[i + 1] = distinct_in_row(m->a, i);
        if (i < first && m->starts[i + 1] < fur_offset_at(m->a, i + 1) - fur_offset_at(m->a, i))
            first = i;
    }
    fur_shared_least(&m->first, first);
}

/* starts[i] = offset of row i without duplicates; returns the first row that has any, or rows. */
static int64_t count_distinct(const fur_env *env, const fur_csr_view *a, int64_t *starts)
{
    merging m = {.a = a, .starts = starts, .first = a->rows};
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, count_rows, &m);
    starts[0] = 0;
    for (int64_t i = 0; i < a->rows; i++)
        starts[i + 1] += starts[i];
    return m.first;
}

static fur_status fail_duplicate(fur_env *env, const fur_csr_view *a, int64_t row)
{
    int64_t k = fur_offset_at(a, row) + 1;
    while (a->columns[k] != a->columns[k - 1])
        k++;
    return fur_env_fail(env, FUR_INVALID, "several entries are at (%lld, %d)", (long long)row,
                        a->columns[k]);
}

/* The matrix with the entries of one position merged. */
static fur_status merge(fur_context *context, const fur_csr *a, int64_t *starts,
                        fur_duplicates duplicates, fur_csr **out)
{
    static fur_body *const merge_rows[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(merge_rows);
    const fur_csr_view *v = &a->view;
    fur_csr *b;
    FUR_TRY(fur_csr_allocate(context, v->rows, v->cols, starts[v->rows], v->value_type,
                             fur_offset_for(starts[v->rows]), &b));
    fur_csr_set_offsets(b, starts);
    merging m = {.a = v,
                 .starts = starts,
                 .sum = duplicates == FUR_DUPLICATES_SUM,
                 .columns = fur_csr_columns(b),
                 .values = fur_csr_values(b)};
    fur_parallel(&context->env, v->rows / ROW_GRAIN, v->rows, merge_rows[v->value_type], &m);
    *out = b;
    return FUR_OK;
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
    FUR_TRY_DONE(assemble(context, coo, &a));
    int64_t first = count_distinct(env, &a->view, starts);
    if (first == coo->rows || duplicates == FUR_DUPLICATES_KEEP) {
        *out = a;
        a = NULL;
    } else if (duplicates == FUR_DUPLICATES_ERROR) {
        status = fail_duplicate(env, &a->view, first);
    } else {
        status = merge(context, a, starts, duplicates, out);
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

static void FN(scatter)(void *job, int64_t begin, int64_t end)
{
    const placing *p = job;
    const int64_t *place = p->place;
    const int32_t *column = p->coo->col_indices;
    const VALUE *from = p->coo->values;
    VALUE *to = p->values;
    for (int64_t e = begin; e < end; e++) {
        p->columns[place[e]] = column[e];
        to[place[e]] = from[e];
    }
}

static void FN(merge_row)(const fur_csr_view *a, int64_t row, bool sum, int32_t *columns,
                          VALUE *values)
{
    const VALUE *from = a->values;
    int64_t end = fur_offset_at(a, row + 1);
    int64_t at = -1;
    int32_t last = -1;
    for (int64_t k = fur_offset_at(a, row); k < end; k++) {
        bool repeated = a->columns[k] == last;
        at += !repeated;
        last = columns[at] = a->columns[k];
        values[at] = repeated && sum ? V(add)(values[at], from[k]) : from[k];
    }
}

static void FN(merge_rows)(void *job, int64_t begin, int64_t end)
{
    const merging *m = job;
    VALUE *to = m->values;
    for (int64_t i = begin; i < end; i++)
        FN(merge_row)(m->a, i, m->sum, m->columns + m->starts[i], to + m->starts[i]);
}

#endif
