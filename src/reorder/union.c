/* The pattern of A + A^T without its diagonal, in linear time. The transpose is made by counting,
 * which gives sorted rows. Each of its rows is merged with the row of A. */
#include "graph.h"
#include "team.h"

#define ROW_GRAIN 1024

/* The rows of the transpose. Row i ends at ends[i], where row i + 1 begins. */
typedef struct transpose {
    int64_t *ends;
    int32_t *columns;
} transpose;

static void fill_transpose(const fur_csr_view *a, int64_t *next, int32_t *columns)
{
    for (int64_t k = 0; k < a->entries; k++)
        next[a->columns[k] + 1]++;
    for (int64_t i = 0; i < a->rows; i++)
        next[i + 1] += next[i];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++)
            columns[next[a->columns[k]]++] = (int32_t)i;
}

/* A row of the union under construction. */
typedef struct joined {
    int32_t row;
    int32_t last;
    int32_t *columns; /* NULL: columns are only counted */
    int64_t count;
} joined;

/* Appends a column, unless it is the last one or the row's own number. */
static inline void append(joined *j, int32_t column)
{
    if (column == j->last || column == j->row)
        return;
    if (j->columns)
        j->columns[j->count] = column;
    j->count++;
    j->last = column;
}

/* Merges sorted p and q. The order of their elements is unpredictable, so that the code has no
 * branch for it. */
static void merge(joined *j, const int32_t *p, const int32_t *p_end, const int32_t *q,
                  const int32_t *q_end)
{
    while (p < p_end && q < q_end) {
        int32_t a = *p;
        int32_t b = *q;
        p += a <= b;
        q += b <= a;
        append(j, a < b ? a : b);
    }
    while (p < p_end)
        append(j, *p++);
    while (q < q_end)
        append(j, *q++);
}

static int64_t merge_row(const fur_csr_view *a, const transpose *t, int64_t i, int32_t *out)
{
    joined j = {.row = (int32_t)i, .last = -1, .columns = out};
    merge(&j, a->columns + fur_offset_at(a, i), a->columns + fur_offset_at(a, i + 1),
          t->columns + (i > 0 ? t->ends[i - 1] : 0), t->columns + t->ends[i]);
    return j.count;
}

/* The union under construction. */
typedef struct joining {
    const fur_csr_view *a;
    transpose t;
    int64_t *offsets;
    int32_t *columns; /* NULL: columns are only counted */
} joining;

static void merge_rows(void *job, int64_t begin, int64_t end)
{
    const joining *u = job;
    for (int64_t i = begin; i < end; i++) {
        int64_t count = merge_row(u->a, &u->t, i, u->columns ? u->columns + u->offsets[i] : NULL);
        if (!u->columns)
            u->offsets[i + 1] = count;
    }
}

fur_status fur_pattern_union(fur_env *env, const fur_csr_view *a, int64_t **offsets,
                             int32_t **neighbours)
{
    fur_status status = FUR_OK;
    joining u = {.a = a};
    transpose *t = &u.t;

    FUR_TRY_DONE(fur_env_allocate_zeros(env, a->rows + 1, sizeof *t->ends, &t->ends));
    FUR_TRY_DONE(fur_env_allocate(env, a->entries, sizeof *t->columns, &t->columns));
    FUR_TRY_DONE(fur_env_allocate_zeros(env, a->rows + 1, sizeof *u.offsets, &u.offsets));
    fill_transpose(a, t->ends, t->columns);
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, merge_rows, &u);
    for (int64_t i = 0; i < a->rows; i++)
        u.offsets[i + 1] += u.offsets[i];
    FUR_TRY_DONE(fur_env_allocate(env, u.offsets[a->rows], sizeof *u.columns, &u.columns));
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, merge_rows, &u);
    *neighbours = u.columns;
    *offsets = u.offsets;
    u.offsets = NULL;
done:
    fur_env_release(env, u.offsets);
    fur_env_release(env, t->columns);
    fur_env_release(env, t->ends);
    return status;
}
