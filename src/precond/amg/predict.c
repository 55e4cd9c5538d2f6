/* Predicts the memory of a hierarchy from a part of the matrix: rows around a row in its middle.
 * The part is so large that rows at its rim matter little. */
#include "hierarchy.h"

#include <furrow/algebra.h>
#include <furrow/author/kernels.h>
#include <furrow/author/options.h>

/* Rows of the part. For a grid in space the part is a ball with a tenth of its points at the rim.
 */
#define PART_ROWS 60000

typedef struct part {
    const fur_csr *a; /* in the host's memory */
    int block;
    int64_t nodes;
    int64_t count; /* nodes in the part */
    char *taken;
    int32_t *queue;
    int32_t *rows;
    fur_csr *matrix;
    fur_vectors *near;
} part;

static void take(part *p, int64_t node)
{
    if (p->taken[node] || p->count >= PART_ROWS / p->block)
        return;
    p->taken[node] = 1;
    p->queue[p->count++] = (int32_t)node;
}

static void take_neighbours(part *p, int64_t node)
{
    const fur_csr_view *v = &p->a->view;
    for (int64_t k = fur_offset_at(v, node * p->block); k < fur_offset_at(v, (node + 1) * p->block);
         k++)
        take(p, v->columns[k] / p->block);
}

/* Gathers nodes level by level from the middle. When a component ends, it continues from the first
 * node that is not yet in the part. */
static void gather(part *p)
{
    int64_t most = PART_ROWS / p->block;
    int64_t next = 0;
    take(p, p->nodes / 2);
    for (int64_t at = 0; p->count < most; at++) {
        while (at == p->count && p->taken[next])
            next++;
        if (at == p->count)
            take(p, next);
        take_neighbours(p, p->queue[at]);
    }
}

/* The rows of the part, rising. */
static void list_rows(const part *p)
{
    int64_t count = 0;
    for (int64_t node = 0; node < p->nodes; node++)
        for (int64_t i = 0; p->taken[node] && i < p->block; i++)
            p->rows[count++] = (int32_t)(node * p->block + i);
}

/* Takes the part's rows of the near-nullspace. */
static fur_status take_near(part *p, const fur_vectors *near)
{
    const fur_vectors_view *v = fur_vectors_get(near);
    const size_t size = fur_value_size(v->value_type);
    const int64_t rows = p->count * p->block;
    const bool by_rows = v->layout == FUR_LAYOUT_ROWS;
    fur_env *env = &p->a->context->env;
    char *all = NULL;
    char *some = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, v->rows * v->cols, size, &all));
    FUR_TRY_DONE(fur_env_allocate(env, rows * v->cols, size, &some));
    FUR_TRY_DONE(fur_vectors_download(near, all));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < v->cols; j++) {
            int64_t from = by_rows ? p->rows[i] * v->cols + j : j * v->rows + p->rows[i];
            memcpy(some + (size_t)(i * v->cols + j) * size, all + (size_t)from * size, size);
        }
    FUR_TRY_DONE(
        fur_vectors_create(p->a->context, v->value_type, rows, v->cols, FUR_LAYOUT_ROWS, &p->near));
    FUR_TRY_DONE(fur_vectors_upload(some, p->near));
done:
    fur_env_release(env, some);
    fur_env_release(env, all);
    return status;
}

/* Makes the part of the matrix; the whole matrix if it has not many more rows. */
static fur_status cut(part *p)
{
    fur_env *env = &p->a->context->env;
    FUR_TRY(fur_env_allocate_zeros(env, p->nodes, 1, &p->taken));
    FUR_TRY(fur_env_allocate(env, PART_ROWS / p->block, sizeof *p->queue, &p->queue));
    gather(p);
    FUR_TRY(fur_env_allocate(env, p->count * p->block, sizeof *p->rows, &p->rows));
    list_rows(p);
    return fur_csr_select(p->a, p->count * p->block, p->rows, p->count * p->block, p->rows,
                          &p->matrix);
}

static void release(part *p)
{
    fur_env *env = &p->a->context->env;
    fur_vectors_destroy(p->near);
    fur_csr_destroy(p->matrix);
    fur_env_release(env, p->rows);
    fur_env_release(env, p->queue);
    fur_env_release(env, p->taken);
}

/* Predicts the hierarchy of the matrix from the hierarchy of the part. Everything grows with the
 * entries, except the inverse of the last level. */
static void extend(const fur_csr *a, const fur_amg *amg, fur_amg_prediction *out)
{
    const fur_csr_view *some = &amg->a->view;
    double times = some->entries > 0 ? (double)a->view.entries / (double)some->entries : 1;
    int64_t order = amg->dense.order;
    int64_t dense = (order + 1) * order * (int64_t)sizeof(double);
    out->bytes = (int64_t)(times * (double)(amg->report.bytes - dense)) + dense;
    out->operator_complexity = amg->report.operator_complexity;
    out->rows = some->rows;
}

/* Measures the machine's times for matrices of leading rows, of all sizes up to A's. Then the part
 * chooses its products by the times for levels of the whole matrix, as the predicted hierarchy
 * does. */
static fur_status meet_sizes(const fur_csr *a)
{
    fur_csr_view leading = a->view;
    fur_status status = FUR_OK;
    for (; status == FUR_OK && leading.rows > 0; leading.rows /= 2) {
        fur_spmv_estimate estimate = FUR_DEFAULT(fur_spmv_estimate);
        fur_csr *some;
        leading.entries = fur_offset_at(&a->view, leading.rows);
        FUR_TRY(fur_csr_create(a->context, &leading, FUR_OWNERSHIP_BORROW, &some));
        status = fur_spmv_estimate_at(some, 1, &estimate);
        fur_csr_destroy(some);
    }
    return status;
}

static fur_status predict(const fur_csr *a, const fur_csr *near_a, const fur_amg_options *options,
                          fur_amg_prediction *out)
{
    fur_amg_options o = *options;
    part p = {.a = near_a, .block = o.block};
    fur_amg *amg = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(meet_sizes(near_a));
    p.nodes = a->view.rows / p.block;
    if (a->view.rows > PART_ROWS + PART_ROWS / 4)
        FUR_TRY_DONE(cut(&p));
    if (p.matrix && p.matrix->view.entries > 0)
        p.matrix->times = (double)a->view.entries / (double)p.matrix->view.entries;
    if (o.near_nullspace && p.matrix)
        FUR_TRY_DONE(take_near(&p, o.near_nullspace));
    if (p.near)
        o.near_nullspace = p.near;
    FUR_TRY_DONE(fur_amg_create(p.matrix ? p.matrix : near_a, &o, &amg));
    extend(a, amg, out);
done:
    fur_amg_destroy(amg);
    release(&p);
    return status;
}

fur_status fur_amg_predict(const fur_csr *a, const fur_amg_options *options,
                           fur_amg_prediction *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    fur_amg_options o;
    fur_amg_prediction found = FUR_DEFAULT(fur_amg_prediction);
    fur_csr *copy = NULL;
    const fur_csr *near;
    FUR_CHECK_REPORT(a->context, fur_amg_prediction, out);
    FUR_TRY(fur_amg_take(a, options, &o));
    FUR_TRY(fur_csr_to_host(a, &near, &copy));
    fur_status status =
        fur_context_pass_on(near->context, a->context, predict(a, near, &o, &found));
    fur_csr_destroy(copy);
    if (status == FUR_OK)
        fur_report_fill(out, &found, sizeof found);
    return status;
}
