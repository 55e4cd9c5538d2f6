/* Finds the strong couplings of nodes (Vanek, Mandel and Brezina 1996): |a_ij|^2 > theta^2 |a_ii|
 * |a_jj|; for blocks in the Frobenius norm. */
#ifndef FUR_TEMPLATE
#    include "hierarchy.h"
#    include "scalar.h"
#    include "table.h"

#    define NODE_GRAIN 2048

typedef struct search {
    const fur_csr_view *a;
    int block;
    double limit;     /* theta^2 */
    double *diagonal; /* norm of each node's block */
    fur_amg_graph graph;
    int32_t *aggregate;
} search;

#    define FUR_TEMPLATE "strength.c"
#    include "foreach_value.h"

/* Makes the graph on the host: the norm of each node's block, then the strong couplings. */
static fur_status find_here(fur_env *env, search *s)
{
    static fur_body *const measure[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(measure_diagonal);
    static fur_body *const select[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(select_strong);
    fur_amg_graph *graph = &s->graph;
    int64_t worth = graph->nodes / NODE_GRAIN;
    graph->begin[graph->nodes] = s->a->entries;
    fur_parallel(env, worth, graph->nodes, measure[s->a->value_type], s);
    fur_parallel(env, worth, graph->nodes, select[s->a->value_type], s);
    return FUR_OK;
}

/* Makes a graph of a device symmetric, on the host. */
static fur_status symmetrise_far(fur_context *context, fur_amg_graph *graph)
{
    fur_env *env = &context->env;
    fur_status status = FUR_OK;
    fur_amg_graph near = {graph->nodes, NULL, NULL, NULL};
    int64_t starts = (graph->nodes + 1) * (int64_t)sizeof *near.begin;
    int64_t counts = graph->nodes * (int64_t)sizeof *near.count;
    FUR_TRY_DONE(fur_memory_to_host(context, graph->begin, starts, &near.begin));
    FUR_TRY_DONE(fur_memory_to_host(context, graph->count, counts, &near.count));
    FUR_TRY_DONE(fur_memory_to_host(context, graph->column,
                                    near.begin[graph->nodes] * (int64_t)sizeof *near.column,
                                    &near.column));
    FUR_TRY_DONE(fur_amg_symmetrise(env, &near));
    fur_memory_release(context, graph->column);
    graph->column = NULL;
    int64_t edges = near.begin[graph->nodes];
    FUR_TRY_DONE(fur_memory_allocate(context, edges, sizeof *near.column, &graph->column));
    FUR_TRY_DONE(
        fur_memory_copy(context, graph->column, near.column, edges * (int64_t)sizeof *near.column));
    FUR_TRY_DONE(fur_memory_copy(context, graph->begin, near.begin, starts));
    FUR_TRY_DONE(fur_memory_copy(context, graph->count, near.count, counts));
done:
    fur_env_release(env, near.column);
    fur_env_release(env, near.count);
    fur_env_release(env, near.begin);
    return status;
}

/* Makes the graph on a device. */
static fur_status find_far(fur_context *context, search *s, fur_amg_graph *graph)
{
    bool symmetric;
    FUR_TRY(fur_amg_device(context)->find_strong(&context->env, s->a, s->block, s->limit,
                                                 s->diagonal, graph, s->aggregate, &symmetric));
    return symmetric ? FUR_OK : symmetrise_far(context, graph);
}

fur_status fur_amg_find_strong(const fur_csr *a, int block, double theta, fur_amg_step *step)
{
    fur_context *context = a->context;
    const fur_csr_view *v = &a->view;
    fur_amg_graph *graph = &step->strong;
    search s = {v, block, theta * theta, NULL, {0}, NULL};
    graph->nodes = v->rows / block;
    FUR_TRY(fur_memory_allocate(context, graph->nodes + 1, sizeof *graph->begin, &graph->begin));
    FUR_TRY(fur_memory_allocate(context, graph->nodes, sizeof *graph->count, &graph->count));
    /* One more element: a matrix without entries needs the array, too. */
    FUR_TRY(fur_memory_allocate(context, v->entries + 1, sizeof *graph->column, &graph->column));
    FUR_TRY(fur_memory_allocate(context, graph->nodes, sizeof *step->aggregate, &step->aggregate));
    FUR_TRY(fur_memory_allocate(context, graph->nodes, sizeof *s.diagonal, &s.diagonal));
    s.graph = *graph;
    s.aggregate = step->aggregate;
    bool far = fur_is_remote(context);
    fur_status status = far ? find_far(context, &s, graph) : find_here(&context->env, &s);
    fur_memory_release(context, s.diagonal);
    return far || status != FUR_OK ? status : fur_amg_symmetrise(&context->env, graph);
}
#else

static double FN(square)(VALUE a)
{
#    if COMPLEX
    return (double)a.re * (double)a.re + (double)a.im * (double)a.im;
#    else
    return (double)a * (double)a;
#    endif
}

/* Returns the squared norm of the next block of node row `i`, and sets *node; -1 if there are no
 * more blocks. at[] has the next entry of each row. */
static double FN(next_block)(const search *s, int64_t i, int64_t *at, int64_t *node)
{
    const VALUE *values = s->a->values;
    double sum = 0;
    *node = INT64_MAX;
    for (int c = 0; c < s->block; c++)
        if (at[c] < fur_offset_at(s->a, i * s->block + c + 1) &&
            s->a->columns[at[c]] / s->block < *node)
            *node = s->a->columns[at[c]] / s->block;
    if (*node == INT64_MAX)
        return -1;
    for (int c = 0; c < s->block; c++) {
        int64_t end = fur_offset_at(s->a, i * s->block + c + 1);
        for (; at[c] < end && s->a->columns[at[c]] / s->block == *node; at[c]++)
            sum += FN(square)(values[at[c]]);
    }
    return sum;
}

/* Returns the squared norm of block (i, j); 0 if it is not stored. */
static double FN(square_at)(const search *s, int64_t i, int64_t j)
{
    const VALUE *values = s->a->values;
    double sum = 0;
    for (int c = 0; c < s->block; c++) {
        int64_t row = i * s->block + c;
        int64_t stop = fur_offset_at(s->a, row + 1);
        int64_t k = fur_csr_find(s->a, row, j * s->block);
        for (; k < stop && s->a->columns[k] < (j + 1) * s->block; k++)
            sum += FN(square)(values[k]);
    }
    return sum;
}

static void FN(measure_diagonal)(void *job, int64_t begin, int64_t end)
{
    const search *s = job;
    for (int64_t i = begin; i < end; i++) {
        s->diagonal[i] = sqrt(FN(square_at)(s, i, i));
        s->graph.begin[i] = fur_offset_at(s->a, i * s->block);
    }
}

/* Returns true if all blocks off the diagonal are small together. */
static bool FN(is_alone)(const search *s, int64_t i)
{
    int64_t at[FUR_AMG_BLOCK_MAX];
    int64_t node;
    double square;
    double sum = 0;
    for (int c = 0; c < s->block; c++)
        at[c] = fur_offset_at(s->a, i * s->block + c);
    while ((square = FN(next_block)(s, i, at, &node)) >= 0)
        sum += node == i ? 0 : sqrt(square);
    return sum <= FUR_AMG_SLIGHT * s->diagonal[i];
}

static bool FN(is_strong)(const search *s, double square, int64_t i, int64_t j)
{
    double diagonals = s->diagonal[i] * s->diagonal[j];
    if (fur_amg_is_close(square, diagonals, s->limit))
        square = fmax(square, FN(square_at)(s, j, i));
    return fur_amg_is_strong(square, diagonals, s->limit);
}

static int32_t FN(select_blocks)(const search *s, int64_t i, int32_t *column)
{
    int64_t at[FUR_AMG_BLOCK_MAX];
    int64_t node;
    double square;
    int32_t count = 0;
    for (int c = 0; c < s->block; c++)
        at[c] = fur_offset_at(s->a, i * s->block + c);
    while ((square = FN(next_block)(s, i, at, &node)) >= 0)
        if (node != i && FN(is_strong)(s, square, i, node))
            column[count++] = (int32_t)node;
    return count;
}

static int32_t FN(select_entries)(const search *s, int64_t i, int32_t *column)
{
    const VALUE *values = s->a->values;
    const int64_t end = fur_offset_at(s->a, i + 1);
    int32_t count = 0;
    for (int64_t k = fur_offset_at(s->a, i); k < end; k++) {
        int32_t j = s->a->columns[k];
        column[count] = j;
        count += j != i && FN(is_strong)(s, FN(square)(values[k]), i, j);
    }
    return count;
}

static void FN(select_strong)(void *job, int64_t begin, int64_t end)
{
    const search *s = job;
    for (int64_t i = begin; i < end; i++) {
        int32_t *column = s->graph.column + s->graph.begin[i];
        int32_t count =
            s->block == 1 ? FN(select_entries)(s, i, column) : FN(select_blocks)(s, i, column);
        s->graph.count[i] = count;
        s->aggregate[i] = count == 0 && FN(is_alone)(s, i) ? FUR_AMG_ALONE : FUR_AMG_FREE;
    }
}

#endif
