/* Tests whether each row of a matrix is a row of the stencil. The columns must be equal. Constant
 * coefficients must have the same bits. For a stencil with fields, the row's values become the
 * fields'. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"
#    include "recognise.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    define ROW_GRAIN 1024

typedef struct proof {
    const fur_csr_view *a;
    const fur_stencil_view *s;
    uint8_t *differs;                     /* 1 or 0 for each row */
    fur_shared differing;                 /* number of differing rows */
    int32_t distance[FUR_STENCIL_POINTS]; /* column - row for the terms of an inner point */
} proof;

#    define FUR_TEMPLATE "prove.c"
#    include "foreach_value.h"

static void set_distances(proof *f)
{
    const fur_stencil_view *s = f->s;
    for (int k = 0; k < s->points; k++) {
        fur_stencil_offset o = s->offsets[k];
        f->distance[k] = (int32_t)(o.x + s->extent[0] * (o.y + s->extent[1] * o.z));
    }
}

/* The number of rows that differ. */
static int64_t compare_all(const fur_env *env, proof *f)
{
    static fur_body *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(compare_rows);
    const fur_csr_view *a = f->a;
    set_distances(f);
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, table[a->value_type], f);
    return f->differing;
}

static void list_rows(int64_t rows, const uint8_t *differs, int32_t *numbers)
{
    const uint8_t *end = differs + rows;
    const uint8_t *row = differs;
    while (row < end && (row = memchr(row, 1, (size_t)(end - row))))
        *numbers++ = (int32_t)(row++ - differs);
}

fur_status fur_recognise_prove(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                               int64_t most, int32_t **numbers, int64_t *count)
{
    proof f = {.a = a, .s = s};
    fur_status status = FUR_OK;
    int32_t *list = NULL;
    FUR_TRY(fur_env_allocate(env, a->rows, sizeof *f.differs, &f.differs));
    int64_t differing = compare_all(env, &f);
    if (differing > 0 && differing <= most) {
        FUR_TRY_DONE(fur_env_allocate(env, differing, sizeof *list, &list));
        list_rows(a->rows, f.differs, list);
    }
    *numbers = list;
    *count = differing;
done:
    fur_env_release(env, f.differs);
    return status;
}
#else

static inline void FN(keep)(const proof *f, int64_t row, int k, VALUE value)
{
    ((VALUE *)(uintptr_t)f->s->fields[k])[row] = value;
}

/* Returns whether the row of a point with all neighbours inside agrees. */
static inline bool FN(is_inner)(const proof *f, int64_t row)
{
    int64_t begin = fur_offset_at(f->a, row);
    const int32_t *columns = f->a->columns + begin;
    const VALUE *values = (const VALUE *)f->a->values + begin;
    int points = f->s->points;
    int32_t other = 0;
    if (fur_offset_at(f->a, row + 1) - begin != points)
        return false;
    for (int k = 0; k < points; k++)
        other |= (columns[k] - (int32_t)row) ^ f->distance[k];
    if (other != 0)
        return false;
    if (!f->s->fields)
        return memcmp(values, f->s->coefficients, (size_t)points * sizeof *values) == 0;
    for (int k = 0; k < points; k++)
        FN(keep)(f, row, k, values[k]);
    return true;
}

/* Returns whether the row of a point near an end of an axis agrees. */
static bool FN(is_outer)(const proof *f, int64_t row)
{
    fur_stencil_term terms[FUR_STENCIL_POINTS];
    int64_t begin = fur_offset_at(f->a, row);
    const int32_t *columns = f->a->columns + begin;
    const VALUE *values = (const VALUE *)f->a->values + begin;
    const VALUE *constants = f->s->coefficients;
    int count = fur_stencil_row(f->s, row, terms);
    if (fur_offset_at(f->a, row + 1) - begin != count)
        return false;
    for (int t = 0; t < count; t++)
        if (columns[t] != terms[t].column ||
            (constants && memcmp(&values[t], &constants[terms[t].k], sizeof *values) != 0))
            return false;
    for (int t = 0; f->s->fields && t < count; t++)
        FN(keep)(f, row, terms[t].k, values[t]);
    return true;
}

/* Compares the rows from begin to end, which belong to one line of the grid. Returns the number
 * that differ. */
static int64_t FN(compare_line)(const proof *f, int64_t begin, int64_t end)
{
    const fur_stencil_view *s = f->s;
    int64_t line = begin / s->extent[0] * s->extent[0];
    int64_t low = line + s->radius[0];
    int64_t high = line + s->extent[0] - s->radius[0];
    int64_t differing = 0;
    if (!fur_stencil_is_inner(s, low))
        high = low;
    for (int64_t row = begin; row < end; row++) {
        bool inner = row >= low && row < high;
        bool same = inner ? FN(is_inner)(f, row) : FN(is_outer)(f, row);
        f->differs[row] = !same;
        differing += !same;
    }
    return differing;
}

static void FN(compare_rows)(void *job, int64_t begin, int64_t end)
{
    proof *f = job;
    int64_t nx = f->s->extent[0];
    int64_t differing = 0;
    for (int64_t row = begin, next; row < end; row = next) {
        next = fur_smaller((row / nx + 1) * nx, end);
        differing += FN(compare_line)(f, row, next);
    }
    fur_shared_add(&f->differing, differing);
}

#endif
