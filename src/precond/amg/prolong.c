/* The smoothed prolongation P = (I - omega D^-1 A') T. A' has the strong entries of A. A weak entry
 * of unknown c of another node is added to the entry of unknown c of the row's node. So A' and A
 * have the same products with constants. Products are rounded and added in the order of the
 * columns. */
#ifndef FUR_TEMPLATE
#    include "hierarchy.h"
#    include "scalar.h"
#    include "sort.h"
#    include "split.h"
#    include "table.h"

#    define NODE_GRAIN 1024
/* Up to this number of neighbours aggregates are sorted by insertion. */
#    define FEW 48

typedef struct prolongation {
    const fur_csr_view *a;
    int block;
    int modes;
    double omega;
    const fur_amg_step *step;
    int64_t *starts; /* number of aggregates of the nodes before each node */
    fur_csr *p;      /* NULL: only count */
    uint64_t *room;  /* work arrays of the lanes, one after the other */
    int64_t stride;
    int lanes;
} prolongation;

#    define FUR_TEMPLATE "prolong.c"
#    include "foreach_value.h"

/* Inserts a number into a rising list, unless the list has it. */
static int64_t insert(int64_t count, uint64_t *list, uint64_t number)
{
    int64_t k = count;
    while (k > 0 && list[k - 1] > number)
        k--;
    if (k > 0 && list[k - 1] == number)
        return count;
    memmove(list + k + 1, list + k, (size_t)(count - k) * sizeof *list);
    list[k] = number;
    return count + 1;
}

/* Lists the aggregates of a node and its strong neighbours, rising. */
static int64_t list_aggregates(const fur_amg_step *step, int64_t node, uint64_t *list)
{
    const fur_amg_graph *g = &step->strong;
    const int32_t *column = g->column + g->begin[node];
    int64_t count = 0;
    int64_t distinct = 0;
    if (step->aggregate[node] >= 0)
        list[count++] = (uint64_t)step->aggregate[node];
    for (int32_t k = 0; k < g->count[node]; k++) {
        if (step->aggregate[column[k]] < 0)
            continue;
        uint64_t number = (uint64_t)step->aggregate[column[k]];
        if (g->count[node] > FEW)
            list[count++] = number;
        else
            count = insert(count, list, number);
    }
    if (g->count[node] <= FEW)
        return count;
    fur_sort_in_place(list, count);
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || list[k] != list[k - 1])
            list[distinct++] = list[k];
    return distinct;
}

/* Counts the aggregates of a node, or sets the columns of its rows. */
static void plan_node(const prolongation *p, int64_t node, uint64_t *list)
{
    int64_t count = list_aggregates(p->step, node, list);
    if (!p->p) {
        p->starts[node + 1] = count;
        return;
    }
    int32_t *columns = fur_csr_columns(p->p) + p->starts[node] * p->block * p->modes;
    for (int c = 0; c < p->block; c++)
        for (int64_t k = 0; k < count; k++)
            for (int mode = 0; mode < p->modes; mode++)
                *columns++ = (int32_t)((int64_t)list[k] * p->modes + mode);
}

static void plan_nodes(void *job, int64_t begin, int64_t end)
{
    const prolongation *p = job;
    int64_t nodes = p->step->strong.nodes;
    for (int64_t lane = begin; lane < end; lane++)
        for (int64_t node = fur_split(nodes, p->lanes, (int)lane);
             node < fur_split(nodes, p->lanes, (int)lane + 1); node++)
            plan_node(p, node, p->room + lane * p->stride);
}

static void set_offsets(const prolongation *p)
{
    fur_csr_view *v = &p->p->view;
    void *offsets = fur_csr_offsets(p->p);
    for (int64_t row = 0; row <= v->rows; row++) {
        int64_t node = row / p->block;
        int64_t in_node = row % p->block;
        int64_t length = in_node ? p->starts[node + 1] - p->starts[node] : 0;
        fur_offsets_set(v->offset_type, offsets, row,
                        (p->starts[node] * p->block + length * in_node) * p->modes);
    }
}

/* Counts, then allocates and sets. */
static fur_status plan_rows(fur_env *env, const fur_csr *a, prolongation *p, fur_csr **out)
{
    int64_t nodes = p->step->strong.nodes;
    p->starts[0] = 0;
    fur_parallel(env, p->lanes, p->lanes, plan_nodes, p);
    for (int64_t i = 0; i < nodes; i++)
        p->starts[i + 1] += p->starts[i];
    int64_t entries = p->starts[nodes] * p->block * p->modes;
    FUR_TRY(fur_csr_allocate(a->context, a->view.rows, p->step->aggregates * p->modes, entries,
                             a->view.value_type, fur_offset_for(entries), &p->p));
    set_offsets(p);
    fur_parallel(env, p->lanes, p->lanes, plan_nodes, p);
    *out = p->p;
    return FUR_OK;
}

static int64_t largest_count(const fur_amg_graph *g)
{
    int64_t most = 0;
    for (int64_t i = 0; i < g->nodes; i++)
        most = fur_larger(most, g->count[i]);
    return most;
}

static fur_status plan_here(const fur_csr *a, prolongation *p, fur_csr **out)
{
    fur_env *env = &a->context->env;
    fur_status status = FUR_OK;
    const fur_amg_graph *graph = &p->step->strong;
    p->lanes = fur_lanes(env->threads, graph->nodes / NODE_GRAIN);
    p->stride = largest_count(graph) + 1;
    FUR_TRY_DONE(fur_env_allocate(env, graph->nodes + 1, sizeof *p->starts, &p->starts));
    FUR_TRY_DONE(fur_env_allocate(env, p->lanes * p->stride, sizeof *p->room, &p->room));
    FUR_TRY_DONE(plan_rows(env, a, p, out));
done:
    fur_env_release(env, p->room);
    fur_env_release(env, p->starts);
    return status;
}

static fur_status plan_far(const fur_csr *a, const prolongation *p, fur_csr **out)
{
    fur_context *context = a->context;
    const fur_amg_services *device = fur_amg_device(context);
    const fur_amg_graph *graph = &p->step->strong;
    fur_status status = FUR_OK;
    int64_t *starts = NULL;
    int64_t total;
    fur_csr *made = NULL;
    FUR_TRY_DONE(fur_memory_allocate(context, graph->nodes + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(
        device->start_prolongation(&context->env, graph, p->step->aggregate, starts, &total));
    total *= p->block * p->modes;
    FUR_TRY_DONE(fur_csr_allocate(context, a->view.rows, p->step->aggregates * p->modes, total,
                                  a->view.value_type, fur_offset_for(total), &made));
    FUR_TRY_DONE(device->plan_prolongation(&context->env, p->block, p->modes, graph,
                                           p->step->aggregate, starts, &made->view));
    *out = made;
    made = NULL;
done:
    fur_csr_destroy(made);
    fur_memory_release(context, starts);
    return status;
}

fur_status fur_amg_plan_prolongation(const fur_csr *a, int block, int modes, fur_amg_step *step)
{
    prolongation p = {.a = &a->view, .block = block, .modes = modes, .step = step};
    if (step->aggregates * modes > INT32_MAX)
        return fur_env_fail(&a->context->env, FUR_OVERFLOW,
                            "a level of multigrid would have more than 2^31 - 1 rows; give fewer "
                            "vectors of the near-nullspace");
    return fur_is_remote(a->context) ? plan_far(a, &p, &step->p) : plan_here(a, &p, &step->p);
}

fur_status fur_amg_fill_prolongation(const fur_csr *a, int block, int modes, double omega,
                                     const fur_amg_step *step)
{
    static fur_body *const fill[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(fill_nodes);
    fur_env *env = &a->context->env;
    prolongation p = {
        .a = &a->view, .block = block, .modes = modes, .omega = omega, .step = step, .p = step->p};
    if (fur_is_remote(a->context))
        return fur_amg_device(a->context)
            ->fill_prolongation(env, p.a, block, modes, omega, &step->strong, step->aggregate,
                                step->tentative, &step->p->view);
    fur_parallel(env, step->strong.nodes / NODE_GRAIN, step->strong.nodes, fill[p.a->value_type],
                 &p);
    return FUR_OK;
}
#else

/* A row of P while it is added up. */
typedef struct FN(sum) {
    int64_t count; /* entries of the row */
    const int32_t *columns;
    VALUE *values;
    VALUE diagonal; /* of A' */
    VALUE stored;   /* of A */
} FN(sum);

/* Returns the place of an aggregate's entries in the row. */
static inline int64_t FN(place)(const FN(sum) * s, int modes, int32_t aggregate)
{
    int32_t column = aggregate * modes;
    int64_t low = 0;
    int64_t high = s->count / modes;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        *(s->columns[middle * modes] <= column ? &low : &high) = middle;
    }
    return low * modes;
}

/* row += a T_j */
static inline void FN(add)(const prolongation *p, FN(sum) * s, VALUE a, int64_t j)
{
    int32_t aggregate = p->step->aggregate[p->block == 1 ? j : j / p->block];
    if (aggregate < 0)
        return;
    const VALUE *t = (const VALUE *)p->step->tentative + j * p->modes;
    VALUE *to = s->values + FN(place)(s, p->modes, aggregate);
    for (int mode = 0; mode < p->modes; mode++)
        to[mode] = V(add)(to[mode], V(mul)(a, t[mode]));
}

/* row = A'_i T */
static void FN(add_row)(const prolongation *p, int64_t row, FN(sum) * s)
{
    const VALUE *values = p->a->values;
    const int64_t node = p->block == 1 ? row : row / p->block;
    const fur_amg_graph *g = &p->step->strong;
    const int32_t *strong = g->column + g->begin[node];
    const int32_t *strong_end = strong + g->count[node];
    const int64_t end = fur_offset_at(p->a, row + 1);
    for (int64_t k = fur_offset_at(p->a, row); k < end; k++) {
        int64_t j = p->a->columns[k];
        int64_t other = p->block == 1 ? j : j / p->block;
        while (strong < strong_end && *strong < other)
            strong++;
        if (other != node && (strong == strong_end || *strong != other))
            j = node * p->block + j % p->block;
        if (j == row)
            s->diagonal = V(add)(s->diagonal, values[k]);
        if (p->a->columns[k] == row)
            s->stored = V(add)(s->stored, values[k]);
        FN(add)(p, s, values[k], j);
    }
}

/* Returns -omega / D; 0 for a row that is not smoothed. */
static VALUE FN(factor)(const prolongation *p, const FN(sum) * s)
{
    fur_scalar zero = {0, 0};
#    if COMPLEX
    double re = s->diagonal.re;
    double im = s->diagonal.im;
    double square = re * re + im * im;
    double along = re * (double)s->stored.re + im * (double)s->stored.im;
    double stored =
        (double)s->stored.re * (double)s->stored.re + (double)s->stored.im * (double)s->stored.im;
    bool smooth = along > FUR_AMG_LEAST * stored;
    return V(from)(smooth ? (fur_scalar){-p->omega * re / square, p->omega * im / square} : zero);
#    else
    double d = s->diagonal;
    double stored = s->stored;
    return V(from)(d * stored > FUR_AMG_LEAST * stored * stored ? fur_real(-p->omega / d) : zero);
#    endif
}

static void FN(fill_row)(const prolongation *p, int64_t row)
{
    const fur_csr_view *v = &p->p->view;
    const VALUE zero = V(from)((fur_scalar){0, 0});
    const VALUE one = V(from)((fur_scalar){1, 0});
    int64_t begin = fur_offset_at(v, row);
    FN(sum)
    s = {fur_offset_at(v, row + 1) - begin, v->columns + begin,
         (VALUE *)fur_csr_values(p->p) + begin, zero, zero};
    for (int64_t k = 0; k < s.count; k++)
        s.values[k] = zero;
    if (s.count == 0)
        return;
    FN(add_row)(p, row, &s);
    VALUE factor = FN(factor)(p, &s);
    for (int64_t k = 0; k < s.count; k++)
        s.values[k] = V(mul)(factor, s.values[k]);
    FN(add)(p, &s, one, row);
}

static void FN(fill_nodes)(void *job, int64_t begin, int64_t end)
{
    const prolongation *p = job;
    for (int64_t row = begin * p->block; row < end * p->block; row++)
        FN(fill_row)(p, row);
}

#endif
