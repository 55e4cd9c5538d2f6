/* Products and solves of all ranks, and a vector at rank 0. */
#include "matrix.h"

#include <string.h>

static fur_status refuse_null(const char *function)
{
    return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", function);
}

fur_status fur_ranks_multiply(fur_ranks_csr *a, const fur_vector *x, fur_vector *y)
{
    if (!a)
        return refuse_null(__func__);
    return group_finish(a->group, a->context, fur_operator_apply(a->operator, x, y));
}

fur_status fur_ranks_solve(fur_ranks_csr *a, const fur_solver_options *options, const fur_vector *b,
                           fur_vector *x, fur_solver_report *report)
{
    fur_solver *solver = NULL;
    if (!a)
        return refuse_null(__func__);
    fur_status status = fur_solver_create(a->operator, options, &solver);
    if (status == FUR_OK)
        status = fur_solver_solve(solver, b, x, report);
    fur_solver_destroy(solver);
    return group_finish(a->group, a->context, status);
}

/* Entries that lie on the host, of all ranks to rank 0. */
static fur_status gather_entries(const fur_ranks_csr *a, const void *entries, size_t size,
                                 void *all)
{
    fur_ranks *g = a->group;
    size_t own = (size_t)(a->bounds[g->rank + 1] - a->bounds[g->rank]) * size;
    if (g->rank > 0)
        return group_send(g, 0, entries, own);
    if (own > 0)
        memcpy(all, entries, own);
    for (int from = 1; from < g->count; from++)
        RANKS_TRY(group_receive(g, from, (char *)all + (size_t)a->bounds[from] * size,
                                (size_t)(a->bounds[from + 1] - a->bounds[from]) * size));
    return FUR_OK;
}

static fur_status gather_vector(fur_ranks_csr *a, const fur_vector *x, void *all)
{
    fur_ranks *g = a->group;
    size_t size = fur_value_size(fur_vector_value_type(x));
    int64_t rows = a->bounds[g->rank + 1] - a->bounds[g->rank];
    void *entries;
    if (fur_vector_size(x) != rows)
        return fur_ranks_fail(g, FUR_INVALID,
                              "the vector of rank %d has %lld entries, its rows are %lld", g->rank,
                              (long long)fur_vector_size(x), (long long)rows);
    if (!a->part)
        return gather_entries(a, fur_vector_const_data(x), size, all);
    RANKS_TRY(group_allocate(g, rows, size, &entries));
    fur_status status = fur_ranks_pass_on(g, a->context, fur_vector_download(x, entries));
    if (status == FUR_OK)
        status = gather_entries(a, entries, size, all);
    group_release(g, entries);
    return status;
}

fur_status fur_ranks_gather_vector(fur_ranks_csr *a, const fur_vector *x, void *all)
{
    if (!a || !x)
        return refuse_null(__func__);
    return fur_ranks_agree(a->group, gather_vector(a, x, all));
}
