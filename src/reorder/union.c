/* The pattern of A + A^T without its diagonal, in linear time: the transpose by counting, which
 * leaves its rows sorted, and each of its rows merged with A's. */
#include "graph.h"
#include "team.h"

#define ROW_GRAIN 1024

/* The rows of the transpose: row i ends at ends[i], where row i + 1 begins. */
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

/* Merges sorted p and q without repetition and without i; with out NULL it only counts. */
static int64_t merge(int32_t i, const int32_t *p, const int32_t *p_end, const int32_t *q,
                     const int32_t *q_end, int32_t *out)
{
    int64_t count = 0;
    int32_t last = -1;
    while (p < p_end || q < q_end) {
        int32_t next = q == q_end || (p < p_end && *p <= *q) ? *p++ : *q++;
        if (next == last || next == i)
            continue;
        if (out)
            out[count] = next;
        count++;
        last = next;
    }
    return count;
}

static int64_t merge_row(const fur_csr_view *a, const transpose *t, int64_t i, int32_t *out)
{
    return merge((int32_t)i, a->columns + fur_offset_at(a, i), a->columns + fur_offset_at(a, i + 1),
                 t->columns + (i > 0 ? t->ends[i - 1] : 0), t->columns + t->ends[i], out);
}

/* The union in the making. */
typedef struct joining {
    const fur_csr_view *a;
    transpose t;
    int64_t *offsets;
    int32_t *columns; /* NULL: they are only counted */
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
