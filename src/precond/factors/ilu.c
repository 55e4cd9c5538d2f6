/* Incomplete LU factors with levels of fill-in. An entry of A has level 0. The entry that row k
 * adds at (i, j) has level lev(i, k) + lev(k, j) + 1. An entry is kept if the least of its levels
 * is at most `fill` (Gustafsson 1978; Saad, Iterative Methods for Sparse Linear Systems, 2003,
 * section 10.3.3). */
#include "factor.h"
#include "growing.h"

#include <string.h>

#define END INT32_MAX

/* The pattern in the making, row after row. */
typedef struct filling {
    fur_env *env;
    const fur_csr_view *a; /* rows sorted, no entry twice */
    int most;
    int64_t *start;
    int64_t *upper;   /* where the entries right of the diagonal begin */
    fur_growing rows; /* with the level of each entry, a byte */
    /* For the row in progress: the column after each column, and the level of each. */
    int32_t *next;
    uint8_t *level;
} filling;

/* Lists A's columns of a row. Returns the first, and adds their number. */
static int32_t list_row(filling *f, int64_t i, int64_t *length)
{
    int64_t begin = fur_offset_at(f->a, i);
    int64_t end = fur_offset_at(f->a, i + 1);
    for (int64_t k = begin; k < end; k++) {
        f->next[f->a->columns[k]] = k + 1 < end ? f->a->columns[k + 1] : END;
        f->level[f->a->columns[k]] = 0;
    }
    *length += end - begin;
    return f->a->columns[begin];
}

/* Adds the fill-in of row k to the row in progress. */
static void add_fill(filling *f, int32_t k, int64_t *length)
{
    const uint8_t *levels = f->rows.items;
    int32_t at = k;
    for (int64_t q = f->upper[k]; q < f->start[k + 1]; q++) {
        int32_t j = f->rows.columns[q];
        int level = f->level[k] + levels[q] + 1;
        if (level > f->most)
            continue;
        while (f->next[at] < j)
            at = f->next[at];
        if (f->next[at] != j) {
            f->next[j] = f->next[at];
            f->next[at] = j;
            f->level[j] = (uint8_t)level;
            ++*length;
        } else if (level < f->level[j]) {
            f->level[j] = (uint8_t)level;
        }
    }
}

static fur_status fill_row(filling *f, int64_t i)
{
    int64_t length = 0;
    int32_t first = list_row(f, i, &length);
    for (int32_t k = first; k < i; k = f->next[k])
        add_fill(f, k, &length);
    FUR_TRY(fur_growing_reserve(f->env, &f->rows, length));
    for (int32_t j = first; j != END; j = f->next[j]) {
        f->rows.columns[f->rows.count] = j;
        ((uint8_t *)f->rows.items)[f->rows.count++] = f->level[j];
        if (j == i)
            f->upper[i] = f->rows.count;
    }
    f->start[i + 1] = f->rows.count;
    return FUR_OK;
}

static fur_status copy_pattern(const filling *f, const fur_csr *a, fur_csr **out)
{
    int64_t n = f->a->rows;
    int64_t count = f->rows.count;
    FUR_TRY(
        fur_csr_allocate(a->context, n, n, count, f->a->value_type, fur_offset_for(count), out));
    fur_csr_set_offsets(*out, f->start);
    if (count > 0)
        memcpy(fur_csr_columns(*out), f->rows.columns, (size_t)count * sizeof *f->rows.columns);
    return FUR_OK;
}

/* The pattern of a matrix that the host reaches. */
static fur_status find_here(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const fur_factor_options *options = arguments;
    fur_env *env = &a->context->env;
    int64_t n = a->view.rows;
    fur_csr *own = NULL;
    fur_status status = FUR_OK;
    filling f = {.env = env, .rows.size = sizeof(uint8_t), .most = options->fill};
    FUR_TRY_DONE(fur_factors_pattern(a, false, INT64_MAX, &own));
    f.a = &own->view;
    FUR_TRY_DONE(fur_env_allocate_zeros(env, n + 1, sizeof *f.start, &f.start));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *f.upper, &f.upper));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *f.next, &f.next));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *f.level, &f.level));
    for (int64_t i = 0; i < n; i++)
        FUR_TRY_DONE(fill_row(&f, i));
    FUR_TRY_DONE(copy_pattern(&f, a, out));
done:
    fur_env_release(env, f.level);
    fur_env_release(env, f.next);
    fur_growing_release(env, &f.rows);
    fur_env_release(env, f.upper);
    fur_env_release(env, f.start);
    fur_csr_destroy(own);
    return status;
}

static fur_status find(const fur_csr *a, const fur_factor_options *options, fur_csr **out)
{
    return fur_csr_on_host(a, find_here, options, out);
}

static fur_status create(fur_precond *p, const void *options)
{
    return fur_factors_create(p, options, FUR_FACTOR_LU, find);
}

const fur_precond_kind fur_precond_ilu = {
    .info =
        {"ilu",
         "incomplete LU factors with levels of fill; more memory and fewer iterations than ilu0",
         "Gustafsson 1978"},
    .place = FUR_PRECOND_FACTORED,
    .table = FUR_PRECOND_TABLE(fur_factors_table, fur_factor_options, factors),
    .create = create,
    .update = fur_factors_update,
    .apply = fur_factors_apply,
    .release = fur_factors_release,
};
