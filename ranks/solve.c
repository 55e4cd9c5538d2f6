/* Products and solves of all ranks, and copies of vectors to and from rank 0. */
#include "adjoint.h"

#include <furrow/author/context.h>
#include <furrow/author/options.h>

#include "matrix.h"
#include "monitor.h"

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

static fur_status take_options(fur_ranks *g, fur_context *context, const fur_solver_options *given,
                               fur_solver_options *own, monitor *watched)
{
    FUR_TAKE_OPTIONS(context, fur_solver_options, own, given);
    fur_status status = monitor_join(g, own, watched);
    return status == FUR_OK ? FUR_OK : fur_context_fail(context, status, "%s", g->error);
}

fur_status fur_ranks_solve_operator(fur_ranks *group, const fur_operator *a,
                                    const fur_solver_options *options, const fur_vector *b,
                                    fur_vector *x, fur_solver_report *report)
{
    fur_solver *solver = NULL;
    fur_solver_options own;
    monitor watched = {.group = group};
    if (!group || !a)
        return refuse_null(__func__);
    fur_context *context = fur_operator_context(a);
    fur_status status = take_options(group, context, options, &own, &watched);
    if (status == FUR_OK)
        status = fur_solver_create(a, &own, &solver);
    if (status == FUR_OK)
        status = fur_solver_solve(solver, b, x, report);
    fur_solver_destroy(solver);
    monitor_release(&watched);
    return group_finish(group, context, status);
}

static bool is_of_least_squares(const fur_solver_options *options)
{
    static const char *const names[] = {"lsqr", "lsmr", "cgnr"};
    for (size_t i = 0; options->method && i < sizeof names / sizeof *names; i++)
        if (strcmp(options->method, names[i]) == 0)
            return true;
    return false;
}

/* Tests the shape of the whole matrix: a rank's part can be square even if the whole is not. */
static fur_status check_square(fur_ranks_csr *a, const fur_solver_options *options)
{
    const fur_ranks_report *r = &a->report;
    if (r->rows == r->cols)
        return FUR_OK;
    return group_finish(a->group, a->context,
                        fur_context_fail(a->context, FUR_INVALID,
                                         "%s needs a square matrix; this one is %lld x %lld: for "
                                         "least squares use lsqr, lsmr or cgnr",
                                         options->method ? options->method : "cg",
                                         (long long)r->rows, (long long)r->cols));
}

/* Solves with A^H, which is made for this solve. */
static fur_status solve_with_adjoint(fur_ranks_csr *a, const fur_solver_options *options,
                                     const fur_vector *b, fur_vector *x, fur_solver_report *report)
{
    fur_solver_options own = *options;
    adjoint turned;
    fur_status status = adjoint_create(a, &turned);
    own.adjoint = turned.operator;
    if (status == FUR_OK)
        status = fur_ranks_solve_operator(a->group, a->operator, & own, b, x, report);
    adjoint_destroy(&turned);
    return status;
}

fur_status fur_ranks_solve(fur_ranks_csr *a, const fur_solver_options *options, const fur_vector *b,
                           fur_vector *x, fur_solver_report *report)
{
    fur_solver_options own;
    if (!a)
        return refuse_null(__func__);
    if (!fur_options_copy(&own, sizeof own, options)) /* the solver reports the invalid options */
        return fur_ranks_solve_operator(a->group, a->operator, options, b, x, report);
    if (!is_of_least_squares(&own))
        FUR_TRY(check_square(a, &own));
    else if (!own.adjoint)
        return solve_with_adjoint(a, &own, b, x, report);
    return fur_ranks_solve_operator(a->group, a->operator, options, b, x, report);
}

/* Gathers entries from the hosts of all ranks on rank 0. */
static fur_status gather_entries(fur_ranks *g, const int64_t *bounds, const void *entries,
                                 size_t size, void *all)
{
    size_t own = (size_t)(bounds[g->rank + 1] - bounds[g->rank]) * size;
    if (g->rank > 0)
        return group_send(g, 0, entries, own);
    if (own > 0)
        memcpy(all, entries, own);
    for (int from = 1; from < g->count; from++)
        FUR_TRY(group_receive(g, from, (char *)all + (size_t)bounds[from] * size,
                              (size_t)(bounds[from + 1] - bounds[from]) * size));
    return FUR_OK;
}

static fur_status check_part(fur_ranks *g, int64_t rows, const fur_vector *x)
{
    if (fur_vector_size(x) == rows)
        return FUR_OK;
    return group_fail(g, FUR_INVALID,
                      "the vector of rank %d has %lld entries, but the rank has %lld rows", g->rank,
                      (long long)fur_vector_size(x), (long long)rows);
}

static fur_status gather_vector(fur_ranks *g, const int64_t *bounds, const fur_vector *x, void *all)
{
    size_t size = fur_value_size(fur_vector_value_type(x));
    int64_t rows = bounds[g->rank + 1] - bounds[g->rank];
    void *entries;
    FUR_TRY(check_part(g, rows, x));
    if (!group_on_gpu(&g->options))
        return gather_entries(g, bounds, fur_vector_const_data(x), size, all);
    FUR_TRY(group_allocate(g, rows, size, &entries));
    fur_status status = group_pass_on(g, fur_vector_context(x), fur_vector_download(x, entries));
    if (status == FUR_OK)
        status = gather_entries(g, bounds, entries, size, all);
    group_release(g, entries);
    return status;
}

fur_status fur_ranks_gather(fur_ranks *group, const int64_t *bounds, const fur_vector *x, void *all)
{
    if (!group || !bounds || !x)
        return refuse_null(__func__);
    return fur_ranks_agree(group, gather_vector(group, bounds, x, all));
}

/* Scatters entries from rank 0 to the hosts of all ranks. */
static fur_status scatter_entries(fur_ranks *g, const int64_t *bounds, const void *all, size_t size,
                                  void *entries)
{
    size_t own = (size_t)(bounds[g->rank + 1] - bounds[g->rank]) * size;
    if (g->rank > 0)
        return group_receive(g, 0, entries, own);
    for (int to = 1; to < g->count; to++)
        FUR_TRY(group_send(g, to, (const char *)all + (size_t)bounds[to] * size,
                           (size_t)(bounds[to + 1] - bounds[to]) * size));
    if (own > 0)
        memcpy(entries, all, own);
    return FUR_OK;
}

static fur_status scatter_vector(fur_ranks *g, const int64_t *bounds, const void *all,
                                 fur_vector *x)
{
    size_t size = fur_value_size(fur_vector_value_type(x));
    int64_t rows = bounds[g->rank + 1] - bounds[g->rank];
    void *entries;
    FUR_TRY(check_part(g, rows, x));
    FUR_TRY(group_allocate(g, rows, size, &entries));
    fur_status status = scatter_entries(g, bounds, all, size, entries);
    if (status == FUR_OK)
        status = group_pass_on(g, fur_vector_context(x), fur_vector_upload(entries, x));
    group_release(g, entries);
    return status;
}

fur_status fur_ranks_scatter(fur_ranks *group, const int64_t *bounds, const void *all,
                             fur_vector *x)
{
    if (!group || !bounds || !x)
        return refuse_null(__func__);
    return fur_ranks_agree(group, scatter_vector(group, bounds, all, x));
}

fur_status fur_ranks_gather_vector(fur_ranks_csr *a, const fur_vector *x, void *all)
{
    return a ? fur_ranks_gather(a->group, a->bounds, x, all) : refuse_null(__func__);
}
