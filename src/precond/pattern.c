/* The pattern of factors. */
#include "atomic.h"
#include "factor.h"
#include "team.h"

#define ROW_GRAIN 4096

typedef struct copying {
    const fur_csr_view *a;
    bool lower;
    int64_t most;   /* positions of a row, those nearest to the diagonal of a lower one */
    int64_t *start; /* where each row of the pattern begins; counts, one up, at first */
    int32_t *columns;
    fur_shared *missing; /* the first row without an entry on the diagonal */
} copying;

/* Goes over the positions of a row, each once, and writes those behind the first `skip`. Returns
 * how many there are. */
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
    fur_parallel(&a->context->env, n / ROW_GRAIN, n, copy_rows, c);
    return FUR_OK;
}

fur_status fur_factors_pattern(const fur_csr *a, bool lower, int64_t most, fur_csr **out)
{
    fur_env *env = &a->context->env;
    int64_t n = a->view.rows;
    fur_shared missing = INT64_MAX;
    copying c = {.a = &a->view, .lower = lower, .most = most, .missing = &missing};
    FUR_TRY(fur_env_allocate(env, n + 1, sizeof *c.start, &c.start));
    fur_parallel(env, n / ROW_GRAIN, n, count_rows, &c);
    fur_status status =
        missing == INT64_MAX
            ? copy_pattern(a, &c, out)
            : fur_env_fail(
                  env, FUR_INVALID,
                  "row %lld, counting from 1, has no entry on the diagonal: this "
                  "preconditioner needs one in every row; fur_matching_find gives an order "
                  "of rows that has them",
                  (long long)missing + 1);
    fur_env_release(env, c.start);
    return status;
}
