/* Whether each row of a matrix is the stencil's: the same columns, and the same bits in every value
 * or, of a stencil of fields, values that become the fields'. */
#ifndef FUR_TEMPLATE
#    include "recognition.h"
#    include "scalar.h"
#    include "split.h"
#    include "stencil_row.h"
#    include "table.h"

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 1024

typedef struct proof {
    const fur_csr_view *a;
    const fur_stencil_view *s;
    fur_vector *const *fields; /* NULL: constants */
    uint8_t *differs;
    fur_stencil_term inner[FUR_STENCIL_POINTS]; /* of row 0 of a grid without ends */
} proof;

#    define FUR_TEMPLATE "recognise_prove.c"
#    include "foreach_value.h"

static void set_inner(proof *f)
{
    const fur_stencil_view *s = f->s;
    for (int k = 0; k < s->points; k++) {
        fur_stencil_offset o = s->offsets[k];
        f->inner[k] = (fur_stencil_term){o.x + s->extent[0] * (o.y + s->extent[1] * o.z), k};
    }
}

int64_t fur_recognise_prove(int threads, const fur_csr_view *a, const fur_stencil_view *s,
                            fur_vector *const *fields, uint8_t *differs)
{
    static int64_t (*const table[FUR_VALUE_COUNT])(const proof *, int64_t, int64_t) =
        FUR_VALUE_TABLE(compare_rows);
    proof f = {.a = a, .s = s, .fields = fields, .differs = differs};
    int parts = fur_team(threads, a->rows, ROW_GRAIN);
    int64_t differing = 0;
    set_inner(&f);
#    pragma omp parallel for schedule(static, 1) num_threads(parts) if (parts > 1)                 \
        reduction(+ : differing)
    for (int part = 0; part < parts; part++)
        differing += table[a->value](&f, fur_split(a->rows, parts, part),
                                     fur_split(a->rows, parts, part + 1));
    return differing;
}
#else

/* Whether a row has these terms, their columns counted from `base` on. */
static inline bool FN(is_row)(const proof *f, int64_t row, const fur_stencil_term *terms, int count,
                              int64_t base)
{
    int64_t begin = fur_offset_at(f->a, row);
    const int32_t *columns = f->a->columns + begin;
    const VALUE *values = (const VALUE *)f->a->values + begin;
    const VALUE *constants = f->s->coefficients;
    bool same = true;
    if (fur_offset_at(f->a, row + 1) - begin != count)
        return false;
    for (int t = 0; t < count; t++)
        same &= columns[t] == terms[t].column + base;
    for (int t = 0; constants && t < count; t++)
        same &= memcmp(&values[t], &constants[terms[t].k], sizeof *values) == 0;
    return same;
}

static inline int FN(compare)(const proof *f, int64_t row, const fur_stencil_term *terms, int count,
                              int64_t base)
{
    const VALUE *values = (const VALUE *)f->a->values + fur_offset_at(f->a, row);
    bool same = FN(is_row)(f, row, terms, count, base);
    for (int t = 0; f->fields && same && t < count; t++)
        ((VALUE *)f->fields[terms[t].k]->data)[row] = values[t];
    f->differs[row] = !same;
    return !same;
}

/* A row at an end of an axis. */
static int FN(compare_outer)(const proof *f, int64_t row)
{
    fur_stencil_term terms[FUR_STENCIL_POINTS];
    int count = fur_stencil_row(f->s, row, terms);
    return FN(compare)(f, row, terms, count, 0);
}

/* The rows from begin to end, which belong to one line of the grid. */
static int64_t FN(compare_line)(const proof *f, int64_t begin, int64_t end)
{
    const fur_stencil_view *s = f->s;
    int64_t line = begin / s->extent[0] * s->extent[0];
    int64_t low = line + s->radius[0];
    int64_t high = line + s->extent[0] - s->radius[0];
    int64_t differing = 0;
    if (!fur_stencil_is_inner(s, low))
        low = high = end;
    for (int64_t row = begin; row < end; row++)
        differing += row >= low && row < high ? FN(compare)(f, row, f->inner, s->points, row)
                                              : FN(compare_outer)(f, row);
    return differing;
}

static int64_t FN(compare_rows)(const proof *f, int64_t begin, int64_t end)
{
    int64_t nx = f->s->extent[0];
    int64_t differing = 0;
    for (int64_t row = begin, next; row < end; row = next) {
        next = fur_smaller((row / nx + 1) * nx, end);
        differing += FN(compare_line)(f, row, next);
    }
    return differing;
}

#endif
