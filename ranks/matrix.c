/* Matrices of all ranks: their contexts, operator and figures. */
#include "matrix.h"
#include "bounds.h"
#include "devices.h"

#include <string.h>

/* Sets the bounds of rows and columns. */
static fur_status make_bounds(fur_ranks_csr *m, const int64_t *bounds, const local_rows *rows)
{
    fur_ranks *g = m->group;
    size_t bytes = ((size_t)g->count + 1) * sizeof *bounds;
    const int64_t *given = rows->column_bounds;
    FUR_TRY(group_allocate(g, g->count + 1, sizeof *m->bounds, &m->bounds));
    memcpy(m->bounds, bounds, bytes);
    m->column_bounds = m->bounds;
    if (given ? memcmp(given, bounds, bytes) == 0 : rows->cols == bounds[g->count])
        return FUR_OK;
    m->column_bounds = NULL;
    FUR_TRY(group_allocate(g, g->count + 1, sizeof *m->column_bounds, &m->column_bounds));
    if (given)
        memcpy(m->column_bounds, given, bytes);
    else
        bounds_even_leaves(rows->cols, g->count, g->link->cuts_wait, m->column_bounds);
    return FUR_OK;
}

/* Multiplies the rows of the inner part. */
static fur_status multiply_inner(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    size_t size = fur_value_size(m->report.value_type);
    int64_t rows = m->inner_end - m->inner_first;
    fur_vector *part;
    if (rows == fur_vector_size(y))
        return fur_spmv_apply(m->inner_plan, fur_real(m->factor), x, fur_real(0), y);
    if (rows == 0)
        return FUR_OK;
    FUR_TRY(fur_vector_wrap(m->context, m->report.value_type, rows,
                            (char *)fur_vector_data(y) + (size_t)m->inner_first * size,
                            FUR_OWNERSHIP_BORROW, &part));
    fur_status status = fur_spmv_apply(m->inner_plan, fur_real(m->factor), x, fur_real(0), part);
    fur_vector_destroy(part);
    return status;
}

/* y = A x: multiplies the inner rows while the halo is exchanged, then the boundary's rows. */
static fur_status multiply(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    const halo_link *by = m->group->link;
    fur_status status = by->begin(m, x, y);
    if (status == FUR_OK)
        FUR_TRY(multiply_inner(m, x, y));
    if (status == FUR_OK)
        status = by->end(m, x, y);
    return status == FUR_OK ? FUR_OK : fur_context_fail(m->context, status, "%s", m->group->error);
}

fur_status matrix_multiply_lent(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    fur_vector *lent;
    FUR_TRY(fur_vector_wrap(m->context, m->report.value_type, fur_vector_size(x),
                            (void *)(uintptr_t)fur_vector_const_data(x), FUR_OWNERSHIP_BORROW,
                            &lent));
    fur_status status = multiply(m, lent, y);
    fur_vector_destroy(lent);
    return status;
}

/* On a GPU, x and y have different streams. */
static fur_status multiply_in_turn(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    fur_status status = fur_context_synchronize(m->domain);
    if (status != FUR_OK)
        return fur_context_fail(m->context, status, "%s", fur_context_error(m->domain));
    FUR_TRY(matrix_multiply_lent(m, x, y));
    return fur_context_synchronize(m->context);
}

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    fur_ranks_csr *m = user;
    return m->domain == m->context ? multiply(m, x, y) : multiply_in_turn(m, x, y);
}

static fur_status diagonal(void *user, fur_vector *d)
{
    const fur_ranks_csr *m = user;
    return fur_vector_copy(m->diagonal, d);
}

static fur_status make_plans(fur_ranks_csr *m)
{
    fur_value_type value = m->report.value_type;
    FUR_TRY(fur_spmv_plan(m->inner, NULL, &m->inner_plan));
    FUR_TRY(fur_spmv_plan(m->outer, NULL, &m->outer_plan));
    FUR_TRY(fur_vector_create(m->context, value, m->halo.columns, &m->outer_x));
    FUR_TRY(fur_vector_create(m->context, value, m->boundary_rows, &m->outer_y));
    const bool reducible = m->diagonal && !m->space.seat;
    const int64_t *rows = m->bounds + m->group->rank;
    const int64_t *cols = m->column_bounds + m->group->rank;
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = rows[1] - rows[0],
                                          .cols = cols[1] - cols[0],
                                          .value_type = value,
                                          .user = m,
                                          .apply = apply,
                                          .diagonal = m->diagonal ? diagonal : NULL,
                                          .recordable =
                                              m->group->link->queues && m->domain == m->context,
                                          .domain = m->domain,
                                          .two_colours = reducible ? matrix_two_colours : NULL};
    return fur_operator_create(m->context, &definition, &m->operator);
}

/* Computes the figures that need all ranks. */
static fur_status take_figures(fur_ranks_csr *m, int64_t entries)
{
    fur_ranks *g = m->group;
    int64_t *all;
    int64_t most = 0;
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = group_gather(g, &entries, sizeof entries, all);
    for (int i = 0; status == FUR_OK && i < g->count; i++) {
        int64_t work = all[i] + ROW_WORK * (m->bounds[i + 1] - m->bounds[i]);
        most = work > most ? work : most;
        m->report.entries += all[i];
    }
    group_release(g, all);
    double mean = (double)(m->report.entries + ROW_WORK * m->report.rows) / g->count;
    m->report.imbalance = mean > 0 ? (double)most / mean : 1;
    m->report.own_entries = entries;
    m->report.boundary_rows = m->boundary_rows;
    m->report.ghosts = m->halo.columns - m->halo.lead - m->halo.own_count;
    return status;
}

static fur_status fill(fur_ranks_csr *m, const local_rows *rows, const int64_t *bounds)
{
    fur_ranks *g = m->group;
    FUR_TRY(space_join(g)); /* this decides whether bounds may cut leaves */
    FUR_TRY(make_bounds(m, bounds, rows));
    m->report = (fur_ranks_report){.size = sizeof m->report,
                                   .rows = bounds[g->count],
                                   .cols = rows->cols,
                                   .value_type = rows->value};
    FUR_TRY(space_open(g, m->bounds, &m->space));
    m->context = m->domain = m->space.context;
    if (m->column_bounds != m->bounds && g->count > 1) {
        FUR_TRY(space_open(g, m->column_bounds, &m->domain_space));
        m->domain = m->domain_space.context;
    }
    FUR_TRY(matrix_split(m, rows));
    FUR_TRY(halo_plan(m, fur_value_size(rows->value)));
    FUR_TRY(take_figures(m, rows->offsets[rows->rows]));
    FUR_TRY(group_pass_on(g, m->context, make_plans(m)));
    return m->space.seat ? devices_plan(m) : FUR_OK;
}

fur_status matrix_build(fur_ranks *g, const local_rows *rows, const int64_t *bounds,
                        fur_ranks_csr **out)
{
    fur_ranks_csr *m;
    *out = NULL;
    FUR_TRY(group_allocate(g, 1, sizeof *m, &m));
    memset(m, 0, sizeof *m);
    m->group = g;
    m->factor = 1;
    m->space.group = m->domain_space.group = g;
    fur_status status = fill(m, rows, bounds);
    if (status == FUR_OK)
        *out = m;
    else
        fur_ranks_csr_destroy(m);
    return status;
}

void fur_ranks_csr_destroy(fur_ranks_csr *matrix)
{
    if (!matrix)
        return;
    fur_ranks *g = matrix->group;
    fur_operator_destroy(matrix->operator);
    fur_spmv_destroy(matrix->inner_plan);
    fur_spmv_destroy(matrix->outer_plan);
    fur_csr_destroy(matrix->inner);
    fur_csr_destroy(matrix->outer);
    fur_vector_destroy(matrix->outer_x);
    fur_vector_destroy(matrix->outer_y);
    fur_vector_destroy(matrix->diagonal);
    devices_drop(matrix);
    space_close(&matrix->space);
    space_close(&matrix->domain_space);
    halo_release(matrix);
    group_release(g, matrix->boundary);
    if (matrix->column_bounds != matrix->bounds)
        group_release(g, matrix->column_bounds);
    group_release(g, matrix->bounds);
    group_release(g, matrix);
}

fur_status matrix_check_bounds(fur_ranks *g, const int64_t *bounds, int64_t rows)
{
    bool fit = bounds[0] == 0 && bounds[g->count] == rows;
    for (int i = 0; fit && i < g->count; i++)
        fit = bounds[i] <= bounds[i + 1];
    if (fit)
        return FUR_OK;
    return group_fail(g, FUR_INVALID,
                      "the bounds of %d ranks do not fit a matrix of %lld rows; they must increase "
                      "from 0 to the number of rows",
                      g->count, (long long)rows);
}

fur_status matrix_finish(fur_ranks *g, fur_status status, fur_ranks_csr *made, fur_ranks_csr **out)
{
    status = fur_ranks_agree(g, status);
    if (status == FUR_OK)
        *out = made;
    else
        fur_ranks_csr_destroy(made);
    return status;
}

fur_ranks *fur_ranks_csr_group(const fur_ranks_csr *matrix)
{
    return matrix ? matrix->group : NULL;
}

fur_context *fur_ranks_csr_context(const fur_ranks_csr *matrix)
{
    return matrix ? matrix->context : NULL;
}

fur_context *fur_ranks_csr_domain(const fur_ranks_csr *matrix)
{
    return matrix ? matrix->domain : NULL;
}

const fur_operator *fur_ranks_csr_operator(const fur_ranks_csr *matrix)
{
    return matrix ? matrix->operator: NULL;
}

const int64_t *fur_ranks_csr_bounds(const fur_ranks_csr *matrix)
{
    return matrix ? matrix->bounds : NULL;
}

const int64_t *fur_ranks_csr_column_bounds(const fur_ranks_csr *matrix)
{
    return matrix ? matrix->column_bounds : NULL;
}

const fur_ranks_report *fur_ranks_csr_describe(const fur_ranks_csr *matrix)
{
    static const fur_ranks_report none = {.size = sizeof none};
    return matrix ? &matrix->report : &none;
}
