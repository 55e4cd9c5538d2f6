/* Whether arrays are a valid CSR matrix. */
#include "atomic.h"

#include <furrow/author/options.h>

#include "csr.h"
#include "team.h"

#define ROW_GRAIN 4096

fur_status fur_csr_check_shape(fur_env *env, const fur_csr_view *a)
{
    if (a->rows < 0 || a->cols < 0 || a->entries < 0)
        return fur_env_fail(env, FUR_INVALID,
                            "a matrix cannot have %lld rows, %lld columns and %lld entries",
                            (long long)a->rows, (long long)a->cols, (long long)a->entries);
    if (a->rows > INT32_MAX || a->cols > INT32_MAX)
        return fur_env_fail(env, FUR_OVERFLOW,
                            "%lld rows and %lld columns: each must be at most %d",
                            (long long)a->rows, (long long)a->cols, INT32_MAX);
    if (fur_value_size(a->value_type) == 0 || fur_offset_size(a->offset_type) == 0)
        return fur_env_fail(env, FUR_INVALID, "%d is not a value type, or %d is not an offset type",
                            (int)a->value_type, (int)a->offset_type);
    if (a->entries > INT32_MAX && a->offset_type == FUR_I32)
        return fur_env_fail(env, FUR_OVERFLOW,
                            "%lld entries do not fit int32 offsets; use int64 offsets",
                            (long long)a->entries);
    if (!a->offsets || (a->entries > 0 && (!a->columns || !a->values)))
        return fur_env_fail(env, FUR_INVALID,
                            "an array is NULL; offsets needs rows + 1 elements, and columns and "
                            "values need %lld elements each",
                            (long long)a->entries);
    return FUR_OK;
}

/* A row that may be invalid, readable by the host. */
typedef struct suspect {
    int64_t row;
    int64_t begin;
    int64_t end;
    const int32_t *columns; /* columns of its entries */
} suspect;

static bool bad_offsets(const fur_csr_view *a, int64_t row)
{
    int64_t begin = fur_offset_at(a, row);
    int64_t end = fur_offset_at(a, row + 1);
    bool ends = (row > 0 || begin == 0) && (row + 1 < a->rows || end == a->entries);
    return begin < 0 || begin > end || end > a->entries || !ends;
}

/* Position of the row's first column that is out of range or not greater than the column before.
 * `end` if all columns are valid. */
static int64_t bad_column(const int32_t *columns, int64_t begin, int64_t end, int64_t cols)
{
    int64_t last = -1;
    for (int64_t k = begin; k < end; k++) {
        if (columns[k] <= last || columns[k] >= cols)
            return k;
        last = columns[k];
    }
    return end;
}

/* A search for the first bad row. */
typedef struct search {
    const fur_csr_view *a;
    fur_shared bad;
} search;

static void check_offsets(void *job, int64_t begin, int64_t end)
{
    search *s = job;
    for (int64_t i = begin; i < end; i++)
        if (bad_offsets(s->a, i)) {
            fur_shared_least(&s->bad, i);
            return;
        }
}

static void check_columns(void *job, int64_t begin, int64_t end)
{
    search *s = job;
    const fur_csr_view *a = s->a;
    for (int64_t i = begin; i < end; i++) {
        int64_t row_end = fur_offset_at(a, i + 1);
        if (bad_column(a->columns, fur_offset_at(a, i), row_end, a->cols) < row_end) {
            fur_shared_least(&s->bad, i);
            return;
        }
    }
}

/* The first bad row, or -1. work: the number of elements that are tested. */
static int64_t find_bad(const fur_env *env, const fur_csr_view *a, int64_t work, fur_body *check)
{
    search s = {a, a->rows};
    fur_parallel(env, work / ROW_GRAIN, a->rows, check, &s);
    return s.bad < a->rows ? s.bad : -1;
}

static fur_status describe_offsets(fur_env *env, const fur_csr_view *a, const suspect *s)
{
    if (s->row == 0 && s->begin != 0)
        return fur_env_fail(env, FUR_INVALID, "offsets[0] is %lld; it must be 0",
                            (long long)s->begin);
    if (s->begin < 0 || s->begin > s->end || s->end > a->entries)
        return fur_env_fail(env, FUR_INVALID,
                            "row %lld, counting from 1, begins at offset %lld and ends at %lld; "
                            "offsets must not decrease or exceed %lld",
                            (long long)s->row + 1, (long long)s->begin, (long long)s->end,
                            (long long)a->entries);
    return fur_env_fail(env, FUR_INVALID,
                        "the last row ends at offset %lld, but there are %lld entries",
                        (long long)s->end, (long long)a->entries);
}

static fur_status describe_column(fur_env *env, const fur_csr_view *a, const suspect *s)
{
    int64_t k = bad_column(s->columns, 0, s->end - s->begin, a->cols);
    long long row = (long long)s->row + 1;
    long long column = (long long)s->columns[k] + 1;
    if (column < 1 || column > a->cols)
        return fur_env_fail(
            env, FUR_INVALID,
            "row %lld has column %lld, counting from 1; the matrix has %lld columns", row, column,
            (long long)a->cols);
    if (s->columns[k] == s->columns[k - 1])
        return fur_env_fail(
            env, FUR_INVALID,
            "row %lld has column %lld twice, counting from 1; sum duplicates by fur_csr_from_coo",
            row, column);
    return fur_env_fail(env, FUR_INVALID,
                        "row %lld has column %lld after column %lld, counting from 1; columns must "
                        "increase: sort them by fur_csr_from_coo",
                        row, column, (long long)s->columns[k - 1] + 1);
}

/* Checks the single offset of a matrix that has 0 rows. */
static fur_status check_only_offset(fur_env *env, const fur_csr_view *a, const suspect *s)
{
    return s->begin == 0 && a->entries == 0 ? FUR_OK : describe_offsets(env, a, s);
}

static fur_status check_here(fur_env *env, const fur_csr_view *a)
{
    int64_t row = find_bad(env, a, a->rows, check_offsets);
    if (a->rows == 0) {
        suspect s = {.end = fur_offset_at(a, 0), .begin = fur_offset_at(a, 0)};
        return check_only_offset(env, a, &s);
    }
    bool offsets_bad = row >= 0;
    if (!offsets_bad)
        row = find_bad(env, a, a->rows + a->entries, check_columns);
    if (row < 0)
        return FUR_OK;
    suspect s = {row, fur_offset_at(a, row), fur_offset_at(a, row + 1), NULL};
    if (offsets_bad)
        return describe_offsets(env, a, &s);
    s.columns = a->columns + s.begin;
    return describe_column(env, a, &s);
}

/* Fetches the offsets of a row from the context's device. A matrix with 0 rows has one offset. */
static fur_status fetch_offsets(fur_context *context, const fur_csr_view *a, suspect *s)
{
    char raw[2 * sizeof(int64_t)];
    int64_t size = (int64_t)fur_offset_size(a->offset_type);
    int64_t count = a->rows > 0 ? 2 : 1;
    const char *from = (const char *)a->offsets + s->row * size;
    FUR_TRY(fur_memory_copy(context, raw, from, count * size));
    fur_csr_view pair = {.offset_type = a->offset_type, .offsets = raw};
    s->begin = fur_offset_at(&pair, 0);
    s->end = fur_offset_at(&pair, count - 1);
    return FUR_OK;
}

static fur_status describe_remote_column(fur_context *context, const fur_csr_view *a, suspect *s)
{
    int32_t *columns;
    int64_t count = s->end - s->begin;
    FUR_TRY(fur_env_allocate(&context->env, count, sizeof *columns, &columns));
    fur_status status =
        fur_memory_copy(context, columns, a->columns + s->begin, count * (int64_t)sizeof *columns);
    s->columns = columns;
    if (status == FUR_OK)
        status = describe_column(&context->env, a, s);
    fur_env_release(&context->env, columns);
    return status;
}

/* Checks a copy in the companion. */
static fur_status check_on_host(fur_context *context, const fur_csr_view *a)
{
    const fur_csr far = {.context = context, .view = *a};
    const fur_csr *near;
    fur_csr *copy;
    FUR_TRY(fur_csr_to_host(&far, &near, &copy));
    fur_status status = check_here(&near->context->env, &near->view);
    fur_csr_destroy(copy);
    return fur_context_pass_on(context->host, context, status);
}

static fur_status check_remote(fur_context *context, const fur_csr_view *a)
{
    fur_env *env = &context->env;
    const fur_csr_services *device = &fur_services(context)->csr;
    suspect s = {0};
    FUR_TRY(device->find_bad_offset(env, a, &s.row));
    bool offsets_bad = s.row >= 0;
    if (a->rows == 0) {
        s.row = 0;
        FUR_TRY(fetch_offsets(context, a, &s));
        return check_only_offset(env, a, &s);
    }
    if (!offsets_bad)
        FUR_TRY(device->find_bad_column(env, a, &s.row));
    if (s.row < 0)
        return FUR_OK;
    FUR_TRY(fetch_offsets(context, a, &s));
    return offsets_bad ? describe_offsets(env, a, &s) : describe_remote_column(context, a, &s);
}

/* The number of arrays in the memory of the context's device. *arrays = the number of all
 * arrays. */
static int count_remote(fur_context *context, const fur_csr_view *a, int *arrays)
{
    const void *const all[] = {a->offsets, a->entries > 0 ? a->columns : NULL,
                               a->entries > 0 ? a->values : NULL};
    int remote = 0;
    *arrays = 0;
    for (int i = 0; i < 3; i++) {
        *arrays += all[i] != NULL;
        remote += all[i] && context->backend->remote->reaches(&context->env, all[i]);
    }
    return remote;
}

/* Arrays of a device are checked on the device, others on the host, before they are moved. */
fur_status fur_csr_check(fur_context *context, const fur_csr_view *arrays)
{
    FUR_NEED(context, context, arrays);
    int all;
    fur_csr_view a;
    FUR_TAKE_OPTIONS(context, fur_csr_view, &a, arrays);
    FUR_TRY(fur_csr_check_shape(&context->env, &a));
    if (!fur_is_remote(context))
        return check_here(&context->env, &a);
    int remote = count_remote(context, &a, &all);
    if (remote == all)
        return fur_services(context)->csr.find_bad_column ? check_remote(context, &a)
                                                          : check_on_host(context, &a);
    if (remote > 0)
        return fur_env_fail(&context->env, FUR_INVALID,
                            "some of the matrix's arrays are on the device and some on the host; "
                            "put all arrays on one side");
    return check_here(&context->env, &a);
}
