/* The pattern of factors without fill. */
#include "atomic.h"
#include "factor.h"
#include "team.h"

#define ROW_GRAIN 4096

typedef struct copying {
    const fur_csr_view *a;
    bool lower;
    int64_t *start;      /* where each row of the pattern begins; counts, one up, at first */
    int32_t *columns;    /* NULL: entries are counted */
    fur_shared *missing; /* the first row without an entry on the diagonal */
} copying;

/* Goes over the positions of a row, each once. Returns how many there are. */
static int64_t walk_row(const copying *c, int64_t i, int32_t *columns, bool *has_diagonal)
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
        if (columns)
            columns[count] = column;
        count++;
        last = column;
    }
    return count;
}

static void walk_rows(void *job, int64_t begin, int64_t end)
{
    const copying *c = job;
    for (int64_t i = begin; i < end; i++) {
        bool has_diagonal = false;
        int64_t count = walk_row(c, i, c->columns ? c->columns + c->start[i] : NULL, &has_diagonal);
        if (!has_diagonal)
            fur_shared_least(c->missing, i);
        if (!c->columns)
            c->start[i + 1] = count;
    }
}

/* The pattern, once the rows are counted. */
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
    fur_parallel(&a->context->env, n / ROW_GRAIN, n, walk_rows, c);
    return FUR_OK;
}

fur_status fur_factors_pattern(const fur_csr *a, bool lower, fur_csr **out)
{
    fur_env *env = &a->context->env;
    int64_t n = a->view.rows;
    fur_shared missing = INT64_MAX;
    copying c = {.a = &a->view, .lower = lower, .missing = &missing};
    FUR_TRY(fur_env_allocate(env, n + 1, sizeof *c.start, &c.start));
    fur_parallel(env, n / ROW_GRAIN, n, walk_rows, &c);
    fur_status status =
        missing == INT64_MAX
            ? copy_pattern(a, &c, out)
            : fur_env_fail(env, FUR_INVALID,
                           "row %lld, counting from 1, has no entry on the diagonal: an "
                           "incomplete factorisation needs one in every row",
                           (long long)missing + 1);
    fur_env_release(env, c.start);
    return status;
}
