/* Whether arrays are a valid CSR matrix. */
#include "object.h"
#include "split.h"

/* Rows below which a further thread costs more than it brings. */
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
    if (fur_value_size(a->value) == 0 || fur_offset_size(a->offset) == 0)
        return fur_env_fail(env, FUR_INVALID, "%d is not a value type or %d not an offset type",
                            (int)a->value, (int)a->offset);
    if (a->entries > INT32_MAX && a->offset == FUR_I32)
        return fur_env_fail(env, FUR_OVERFLOW,
                            "%lld entries do not fit int32 offsets; use int64 offsets",
                            (long long)a->entries);
    if (!a->offsets || (a->entries > 0 && (!a->columns || !a->values)))
        return fur_env_fail(env, FUR_INVALID,
                            "an array is missing: offsets need rows + 1 elements, columns and "
                            "values %lld each",
                            (long long)a->entries);
    return FUR_OK;
}

/* Offsets of rows 0 .. rows: all ends must be right before any column may be read. */
static int64_t first_bad_offset(const fur_csr_view *a, int threads)
{
    int64_t bad = a->rows + 1;
    int team = fur_team(threads, a->rows, ROW_GRAIN);
#pragma omp parallel for schedule(static) num_threads(team) reduction(min : bad) if (team > 1)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t begin = fur_offset_at(a, i);
        int64_t end = fur_offset_at(a, i + 1);
        if ((begin > end || begin < 0 || end > a->entries) && i < bad)
            bad = i;
    }
    return bad;
}

static fur_status check_offsets(fur_env *env, const fur_csr_view *a)
{
    if (fur_offset_at(a, 0) != 0)
        return fur_env_fail(env, FUR_INVALID, "row 0 begins at offset %lld, it must be 0",
                            (long long)fur_offset_at(a, 0));
    int64_t bad = first_bad_offset(a, env->threads);
    if (bad < a->rows)
        return fur_env_fail(env, FUR_INVALID,
                            "row %lld runs from offset %lld to %lld: offsets must not decrease "
                            "and end at %lld",
                            (long long)bad, (long long)fur_offset_at(a, bad),
                            (long long)fur_offset_at(a, bad + 1), (long long)a->entries);
    if (fur_offset_at(a, a->rows) != a->entries)
        return fur_env_fail(env, FUR_INVALID,
                            "the last row ends at offset %lld, but there are %lld entries",
                            (long long)fur_offset_at(a, a->rows), (long long)a->entries);
    return FUR_OK;
}

/* Position of the row's first column that is out of range or not above the one before; -1 if all
 * are right. */
static int64_t bad_column(const fur_csr_view *a, int64_t row)
{
    int64_t end = fur_offset_at(a, row + 1);
    int64_t last = -1;
    for (int64_t k = fur_offset_at(a, row); k < end; k++) {
        if (a->columns[k] <= last || a->columns[k] >= a->cols)
            return k;
        last = a->columns[k];
    }
    return -1;
}

static fur_status describe_column(fur_env *env, const fur_csr_view *a, int64_t row)
{
    int64_t k = bad_column(a, row);
    int32_t column = a->columns[k];
    if (column < 0 || column >= a->cols)
        return fur_env_fail(env, FUR_INVALID, "row %lld has column %d, the matrix has %lld columns",
                            (long long)row, column, (long long)a->cols);
    if (column == a->columns[k - 1])
        return fur_env_fail(env, FUR_INVALID,
                            "row %lld has column %d twice; sum duplicates with fur_csr_from_coo",
                            (long long)row, column);
    return fur_env_fail(env, FUR_INVALID,
                        "row %lld has column %d after column %d: columns must increase; sort them "
                        "with fur_csr_from_coo",
                        (long long)row, column, a->columns[k - 1]);
}

static fur_status check_columns(fur_env *env, const fur_csr_view *a)
{
    int64_t bad = a->rows;
    int team = fur_team(env->threads, a->rows + a->entries, ROW_GRAIN);
#pragma omp parallel for schedule(static) num_threads(team) reduction(min : bad) if (team > 1)
    for (int64_t i = 0; i < a->rows; i++)
        if (i < bad && bad_column(a, i) >= 0)
            bad = i;
    return bad < a->rows ? describe_column(env, a, bad) : FUR_OK;
}

/* Arrays of a device are checked there, all others where they are: before they are moved. */
fur_status fur_csr_check(fur_context *context, const fur_csr_view *arrays)
{
    fur_env *env = &context->env;
    const fur_remote *remote = context->backend->remote;
    FUR_TRY(fur_csr_check_shape(env, arrays));
    if (remote && remote->reaches(env, arrays->offsets))
        return remote->check(env, arrays);
    FUR_TRY(check_offsets(env, arrays));
    return check_columns(env, arrays);
}
