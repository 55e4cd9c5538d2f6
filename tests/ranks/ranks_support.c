#include "ranks_support.h"

#include <furrow/ranks_precond.h>

#include <math.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

void bounds_random(rng *r, int kind, int ranks, int64_t rows, int64_t *bounds)
{
    for (int i = 0; i <= ranks; i++)
        bounds[i] = kind == 0 ? rows * i / ranks : rng_below(r, rows + 1);
    for (int i = 1; kind == 2 && i < ranks; i += 2)
        bounds[i] = bounds[i - 1];
    for (int i = 1; kind == 3 && i < ranks; i++)
        bounds[i] = bounds[1] + i - 1 < rows ? bounds[1] + i - 1 : rows;
    for (int i = 1; kind == 4 && i < ranks; i++)
        bounds[i] = bounds[i] % 2 ? 0 : rows;
    bounds[0] = 0;
    bounds[ranks] = rows;
    qsort(bounds, (size_t)ranks + 1, sizeof *bounds, compare);
}

fur_csr *matrix_definite(fur_context *context, rng *r, fur_value_type value, int64_t rows)
{
    int64_t most = 8 * rows + 8;
    int64_t count = 0;
    int32_t *row = malloc((size_t)most * sizeof *row);
    int32_t *col = malloc((size_t)most * sizeof *col);
    void *values = entries_make(value, most);
    fur_csr *a = NULL;
    for (int64_t i = 0; i < rows; i++) {
        int64_t near[2] = {i + 1, rng_below(r, 20) == 0 ? rng_below(r, rows) : i + 7};
        row[count] = col[count] = (int32_t)i;
        entry_set(value, values, count++, fur_real(8 + rng_unit(r)));
        for (int k = 0; k < 2; k++) {
            if (near[k] == i || near[k] >= rows)
                continue;
            fur_scalar entry = fur_real(0.9 * rng_unit(r));
            row[count] = col[count + 1] = (int32_t)i;
            col[count] = row[count + 1] = (int32_t)near[k];
            entry_set(value, values, count++, entry);
            entry_set(value, values, count++, entry);
        }
    }
    fur_coo_view coo = {sizeof coo, rows, rows, count, value, row, col, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_LAST, &a));
    free(row);
    free(col);
    free(values);
    return a;
}

/* The entries of a matrix while it is being built. */
typedef struct drawing {
    fur_value_type value;
    const int32_t *number; /* row of each vertex */
    double *degree;        /* sum of weights of each row */
    int64_t count;
    int32_t *row;
    int32_t *col;
    void *values;
} drawing;

static void put(drawing *d, int64_t row, int64_t col, fur_scalar entry)
{
    d->row[d->count] = (int32_t)row;
    d->col[d->count] = (int32_t)col;
    entry_set(d->value, d->values, d->count++, entry);
    d->degree[row] += 2;
}

static void connect(drawing *d, rng *r, int64_t i, int64_t j)
{
    fur_scalar entry = rng_scalar(r, d->value);
    put(d, d->number[i], d->number[j], entry);
    put(d, d->number[j], d->number[i], fur_complex(entry.re, -entry.im));
}

/* Adds the edges from vertex i to earlier vertices. */
static void draw_vertex(drawing *d, rng *r, int64_t rows, int graph, int64_t i)
{
    int64_t half = rows / 2;
    bool in_chain =
        graph == 0 || graph > 4 || (graph == 4 && i % 6 != 0 && i % 6 != 3 && i % 6 != 5);
    if (graph == 1)
        connect(d, r, i, rng_below(r, i));
    else if (graph == 2 && i >= half && half > 0)
        for (int k = 0; k < 3; k++)
            connect(d, r, i, rng_below(r, half));
    else if (graph == 3 && i >= half && half > 0)
        connect(d, r, i, (i - half) % half);
    else if (in_chain)
        connect(d, r, i, i - 1);
}

static void draw(drawing *d, rng *r, int64_t rows, int graph)
{
    for (int64_t i = 1; i < rows; i++)
        draw_vertex(d, r, rows, graph, i);
    if (graph == COLOURED_RING && rows > 2)
        connect(d, r, 0, rows - 1);
    if (graph == COLOURED_SKEW && rows > 3)
        put(d, d->number[0], d->number[2 + rng_below(r, rows - 2)], fur_real(1e-3));
    for (int64_t i = 0; i < rows; i++)
        if (graph != COLOURED_HOLE || i != rows / 2)
            put(d, i, i, fur_real(1.5 + d->degree[i] + fabs(rng_unit(r))));
}

fur_csr *matrix_coloured(fur_context *context, rng *r, fur_value_type value, int64_t rows,
                         int graph)
{
    int64_t most = 7 * rows + 3;
    int32_t *number = rng_order(r, rows);
    drawing d = {.value = value, .number = number};
    fur_csr *a = NULL;
    if (rng_below(r, 2) == 0)
        for (int64_t i = 0; i < rows; i++)
            number[i] = (int32_t)i;
    d.degree = calloc((size_t)rows, sizeof *d.degree);
    d.row = malloc((size_t)most * sizeof *d.row);
    d.col = malloc((size_t)most * sizeof *d.col);
    d.values = entries_make(value, most);
    draw(&d, r, rows, graph);
    fur_coo_view coo = {sizeof coo, rows, rows, d.count, value, d.row, d.col, d.values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_LAST, &a));
    free(d.degree);
    free(d.row);
    free(d.col);
    free(d.values);
    free(number);
    return a;
}

static fur_solver_options options_of(const solve_job *job, const fur_operator *m)
{
    return (fur_solver_options){.size = sizeof(fur_solver_options),
                                .method = job->method,
                                .preconditioner = m,
                                .max_iterations = 50,
                                .restart = 10,
                                .no_reduction = job->no_reduction};
}

void solve_alone(solve_job *job)
{
    fur_context *context = fur_csr_context(job->a);
    fur_value_type value = fur_csr_get(job->a)->value_type;
    fur_spmv_options turned = {.size = sizeof turned, .op = FUR_OP_H};
    fur_spmv *plan;
    fur_spmv *adjoint_plan;
    fur_operator *a;
    fur_operator *adjoint;
    fur_operator *m = NULL;
    fur_solver *solver;
    ck_ok(context, fur_spmv_plan(job->a, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &a));
    ck_ok(context, fur_spmv_plan(job->a, &turned, &adjoint_plan));
    ck_ok(context, fur_operator_from_spmv(adjoint_plan, &adjoint));
    if (job->jacobi)
        ck_ok(context, fur_operator_jacobi(a, &m));
    fur_solver_options options = options_of(job, m);
    options.adjoint = adjoint;
    fur_vector *b = vector_from(context, value, fur_operator_rows(a), job->b);
    fur_vector *x = vector_from(context, value, fur_operator_cols(a), job->x);
    ck_ok(context, fur_solver_create(a, &options, &solver));
    job->report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_solver_solve(solver, b, x, &job->report));
    ck_ok(context, fur_vector_download(x, job->x));
    fur_vector_destroy(b);
    fur_vector_destroy(x);
    fur_solver_destroy(solver);
    fur_operator_destroy(m);
    fur_operator_destroy(adjoint);
    fur_spmv_destroy(adjoint_plan);
    fur_operator_destroy(a);
    fur_spmv_destroy(plan);
}

/* Copies this rank's part of entries that every rank has into a vector. */
static fur_status take_part(fur_context *context, const fur_ranks_csr *a, const int64_t *bounds,
                            const void *all, fur_vector **out)
{
    int rank = fur_ranks_rank(fur_ranks_csr_group(a));
    fur_value_type value = fur_ranks_csr_describe(a)->value_type;
    char *first = (char *)all + (size_t)bounds[rank] * fur_value_size(value);
    return fur_ranks_pass_on(fur_ranks_csr_group(a), context,
                             fur_vector_wrap(context, value, bounds[rank + 1] - bounds[rank], first,
                                             FUR_OWNERSHIP_COPY, out));
}

/* Makes Jacobi's preconditioner, as an operator or as a fur_ranks_precond. */
static fur_status make_jacobi(const solve_job *job, const fur_ranks_csr *a, fur_operator **m,
                              fur_ranks_precond **precond)
{
    if (job->by_precond)
        return fur_ranks_precond_create(a, NULL, precond);
    fur_status status = fur_operator_jacobi(fur_ranks_csr_operator(a), m);
    return fur_ranks_pass_on(fur_ranks_csr_group(a), fur_ranks_csr_context(a), status);
}

static fur_status solve_matrix(fur_ranks *group, solve_job *job, fur_ranks_csr *a)
{
    int rank = fur_ranks_rank(group);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_operator *m = NULL;
    fur_ranks_precond *precond = NULL;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    const int64_t *cols = fur_ranks_csr_column_bounds(a);
    fur_status status = take_part(fur_ranks_csr_context(a), a, fur_ranks_csr_bounds(a), job->b, &b);
    if (status == FUR_OK)
        status = take_part(fur_ranks_csr_domain(a), a, cols, job->x, &x);
    if (status == FUR_OK && job->jacobi)
        status = make_jacobi(job, a, &m, &precond);
    status = fur_ranks_agree(group, status);
    fur_solver_options options = options_of(job, precond ? fur_ranks_precond_operator(precond) : m);
    if (status == FUR_OK)
        status = fur_ranks_solve(a, &options, b, x, &report);
    if (status == FUR_OK)
        status = fur_ranks_gather(group, cols, x, rank == 0 ? job->x : NULL);
    if (rank == 0)
        job->report = report;
    fur_operator_destroy(m);
    fur_ranks_precond_destroy(precond);
    fur_vector_destroy(b);
    fur_vector_destroy(x);
    return status;
}

fur_status solve_on_ranks(fur_ranks *group, void *user)
{
    solve_job *job = user;
    fur_ranks_csr *a = NULL;
    fur_status status =
        fur_ranks_csr_scatter(group, fur_ranks_rank(group) == 0 ? job->a : NULL, job->bounds, &a);
    if (status == FUR_OK)
        status = solve_matrix(group, job, a);
    fur_ranks_csr_destroy(a);
    return status;
}

static int gpus(void)
{
    int count = 0;
    while (fur_device_at(count + 1))
        count++;
    return count;
}

bool options_on_gpus(int n, int ranks, fur_ranks_options *out)
{
    static const char *const ways[GPU_WAYS] = {"peers", "staged", "nccl"};
    const char *way = ways[n % GPU_WAYS];
    *out = (fur_ranks_options){.size = sizeof *out, .device = "cuda", .device_transport = way};
    /* Ranks that share a GPU and wait for each other there need separate queues. They must not wait
     * for the device to load a kernel either. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    return strcmp(way, "nccl") != 0 || gpus() >= ranks; /* NCCL needs one GPU for each rank */
}
