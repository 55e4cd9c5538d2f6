/* The pattern of factors. */
#include "atomic.h"
#include "factor.h"
#include "team.h"

#include <furrow/algebra.h>

#define ROW_GRAIN 4096

typedef struct copying {
    const fur_csr_view *a;
    bool lower;
    int64_t most; /* largest number of positions of a row; of a lower triangle those nearest to the
                     diagonal */
    int64_t *start; /* where each row of the pattern begins; counts, one up, at first */
    int32_t *columns;
    fur_shared *missing; /* the first row without an entry on the diagonal */
} copying;

/* Visits the positions of a row, each once. Writes the positions after the first `skip`, and
 * returns their number. */
static int64_t walk_row(const copying *c, int64_t i, int64_t skip, int32_t *columns,
                        bool *has_diagonal)
{
    const fur_csr_view *a = c->a;
    int64_t count = 0;
    int32_t last = -1;
    for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++) {
        int32_t column = a->columns[k];
        if (c->lower && column > i)
            break;
        if (column == last)
            continue;
        *has_diagonal |= column == i;
        if (columns && count >= skip)
            columns[count - skip] = column;
        count++;
        last = column;
    }
    return count;
}

static void count_rows(void *job, int64_t begin, int64_t end)
{
    const copying *c = job;
    for (int64_t i = begin; i < end; i++) {
        bool has_diagonal = false;
        int64_t count = walk_row(c, i, 0, NULL, &has_diagonal);
        c->start[i + 1] = count < c->most ? count : c->most;
        if (!has_diagonal)
            fur_shared_least(c->missing, i);
    }
}

static void copy_rows(void *job, int64_t begin, int64_t end)
{
    const copying *c = job;
    bool has_diagonal = false;
    for (int64_t i = begin; i < end; i++) {
        int64_t kept = c->start[i + 1] - c->start[i];
        int64_t skip = kept < c->most ? 0 : walk_row(c, i, 0, NULL, &has_diagonal) - kept;
        walk_row(c, i, skip, c->columns + c->start[i], &has_diagonal);
    }
}

/* Makes the pattern after the rows are counted. */
static fur_status copy_pattern(const fur_csr *a, copying *c, fur_csr **out)
{
    int64_t n = a->view.rows;
    c->start[0] = 0;
    for (int64_t i = 0; i < n; i++)
        c->start[i + 1] += c->start[i];
    FUR_TRY(fur_csr_allocate(a->context, n, n, c->start[n], a->view.value_type,
                             fur_offset_for(c->start[n]), out));
    fur_csr_set_offsets(*out, c->start);
    c->columns = fur_csr_columns(*out);
    fur_parallel(&a->context->env, n / ROW_GRAIN, n, copy_rows, c);
    return FUR_OK;
}

static fur_status check_missing(fur_env *env, int64_t row)
{
    return row < 0 ? FUR_OK
                   : fur_env_fail(env, FUR_INVALID,
                                  "row %lld, counting from 1, has no entry on the diagonal, which "
                                  "this preconditioner needs; order the rows by fur_matching_find",
                                  (long long)row + 1);
}

/* The part of A's pattern that is wanted. */
typedef struct part {
    bool lower;
    int64_t most;
} part;

/* The pattern of a matrix that the host reaches. */
static fur_status find_here(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const part *asked = arguments;
    fur_env *env = &a->context->env;
    int64_t n = a->view.rows;
    fur_shared missing = INT64_MAX;
    copying c = {.a = &a->view, .lower = asked->lower, .most = asked->most, .missing = &missing};
    FUR_TRY(fur_env_allocate(env, n + 1, sizeof *c.start, &c.start));
    fur_parallel(env, n / ROW_GRAIN, n, count_rows, &c);
    fur_status status = check_missing(env, missing == INT64_MAX ? -1 : missing);
    if (status == FUR_OK)
        status = copy_pattern(a, &c, out);
    fur_env_release(env, c.start);
    return status;
}

/* Makes a matrix on the device with the pattern of A. */
static fur_status copy_all(const fur_csr *a, fur_csr **out)
{
    const fur_csr_view *v = &a->view;
    fur_csr *made;
    FUR_TRY(fur_csr_allocate(a->context, v->rows, v->cols, v->entries, v->value_type,
                             v->offset_type, &made));
    fur_status status = fur_memory_copy(a->context, fur_csr_offsets(made), v->offsets,
                                        (v->rows + 1) * (int64_t)fur_offset_size(v->offset_type));
    if (status == FUR_OK)
        status = fur_memory_copy(a->context, fur_csr_columns(made), v->columns,
                                 v->entries * (int64_t)sizeof *v->columns);
    if (status == FUR_OK)
        *out = made;
    else
        fur_csr_destroy(made);
    return status;
}

/* *plain: the part is all of A or of its lower triangle, each position once. */
static fur_status is_plain(const fur_csr *a, const part *asked, bool *plain)
{
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    int64_t disorder;
    FUR_TRY(fur_services(a->context)->csr.find_bad_column(&a->context->env, &a->view, &disorder));
    FUR_TRY(fur_csr_measure(a, &figures));
    *plain = disorder < 0 && figures.row_max <= asked->most;
    return FUR_OK;
}

static fur_status find_there(const fur_csr *a, const part *asked, fur_csr **out)
{
    fur_env *env = &a->context->env;
    int64_t missing;
    bool plain;
    FUR_TRY(fur_services(a->context)->trsv.find_diagonal(env, &a->view, NULL, &missing));
    FUR_TRY(check_missing(env, missing));
    FUR_TRY(is_plain(a, asked, &plain));
    if (!plain)
        return fur_csr_on_host(a, find_here, asked, out);
    return asked->lower ? fur_csr_band(a, INT64_MIN, 0, out) : copy_all(a, out);
}

fur_status fur_factors_pattern(const fur_csr *a, bool lower, int64_t most, fur_csr **out)
{
    const part asked = {lower, most};
    return fur_is_remote(a->context) ? find_there(a, &asked, out) : find_here(a, &asked, out);
}
