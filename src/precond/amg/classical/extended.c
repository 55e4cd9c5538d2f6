/* The prolongation of classical multigrid: extended+i interpolation (De Sterck, Falgout, Nolting
 * and Yang 2008). A fine row i is interpolated from coarse rows: the rows that i depends on, and
 * the rows that a fine row k depends on if i depends on k. Their weights are
 *
 *     w_j = -(a_ij + sum_k a_ik b_kj / s_k) / (a_ii + sum_n a_in + sum_k a_ik b_ki / s_k)
 *
 * k are the fine rows that i depends on. n are the other neighbours that are not among the coarse
 * rows. b_kl is a_kl if its sign differs from the sign of a_kk, otherwise 0. s_k is the sum of b_kl
 * over the coarse rows and i. The four weights with the largest moduli are kept and scaled to the
 * sum of all weights. */
#include "classical_data.h"
#include "split.h"

#define ROW_GRAIN 1024

/* A row while its weights are computed. */
typedef struct row {
    const fur_csr_view *a;
    const fur_amg_classical *c;
    int64_t i;
    int32_t *place; /* of a column in the list; -1: not there */
    fur_amg_list list;
    int64_t most; /* largest number of entries of the list */
    double diagonal;
} row;

typedef struct interpolation {
    const fur_csr_view *a;
    const fur_amg_classical *c;
    int64_t *starts; /* if not NULL: receives the numbers of entries, and no weights are computed */
    fur_csr *p;
    bool is_planned; /* P's columns are set */
} interpolation;

static bool is_coarse(const fur_amg_classical *c, int64_t i)
{
    return c->coarse[i] >= 0;
}

/* Adds the coarse rows that `from` depends on to the list. */
static void add_coarse(row *r, int64_t from)
{
    const fur_amg_graph *g = &r->c->strong;
    for (int32_t t = 0; t < g->count[from] && r->list.count < r->most; t++) {
        int32_t j = g->column[g->begin[from] + t];
        if (!is_coarse(r->c, j) || r->place[j] >= 0)
            continue;
        r->place[j] = (int32_t)r->list.count;
        r->list.weight[r->list.count] = 0;
        r->list.column[r->list.count++] = j;
    }
}

/* Collects the coarse rows, first those that i depends on, with weights of 0. */
static void collect(row *r)
{
    const fur_amg_graph *g = &r->c->strong;
    add_coarse(r, r->i);
    for (int32_t t = 0; t < g->count[r->i] && r->list.count < r->most; t++) {
        int32_t k = g->column[g->begin[r->i] + t];
        if (!is_coarse(r->c, k))
            add_coarse(r, k);
    }
}

/* Returns the address of the weight of l, or of the diagonal for i; NULL for other columns. */
static double *target(row *r, int32_t l)
{
    if (l == r->i)
        return &r->diagonal;
    return r->place[l] < 0 ? NULL : &r->list.weight[r->place[l]];
}

/* Returns s_k. *negative: a_kk is negative. */
static double sum_part(row *r, int32_t k, bool *negative)
{
    const int64_t stop = fur_offset_at(r->a, k + 1);
    double sums[2] = {0, 0}; /* of numbers >= 0, and of numbers < 0 */
    *negative = false;
    for (int64_t e = fur_offset_at(r->a, k); e < stop; e++) {
        int32_t l = r->a->columns[e];
        double b = fur_amg_number(r->a, e);
        if (l == k)
            *negative = b < 0;
        else if (target(r, l))
            sums[b < 0] += b;
    }
    return sums[!*negative];
}

/* Adds a_ik b_kl / s_k to the weights and the diagonal; a_ik to the diagonal if s_k is 0. */
static void distribute(row *r, int32_t k, double entry)
{
    bool negative;
    const int64_t stop = fur_offset_at(r->a, k + 1);
    double sum = sum_part(r, k, &negative);
    if (sum == 0) {
        r->diagonal += entry;
        return;
    }
    for (int64_t e = fur_offset_at(r->a, k); e < stop; e++) {
        int32_t l = r->a->columns[e];
        double b = fur_amg_number(r->a, e);
        double *to = l == k || (b < 0) == negative ? NULL : target(r, l);
        if (to)
            *to += entry * (b / sum);
    }
}

/* Computes the weights of a fine row. */
static void weigh(row *r)
{
    const fur_amg_graph *g = &r->c->strong;
    const int32_t *strong = g->column + g->begin[r->i];
    const int32_t *end = strong + g->count[r->i];
    const int64_t stop = fur_offset_at(r->a, r->i + 1);
    for (int64_t e = fur_offset_at(r->a, r->i); e < stop; e++) {
        int32_t j = r->a->columns[e];
        double entry = fur_amg_number(r->a, e);
        while (strong < end && *strong < j)
            strong++;
        if (r->place[j] >= 0)
            r->list.weight[r->place[j]] += entry;
        else if (strong < end && *strong == j)
            distribute(r, j, entry);
        else
            r->diagonal += entry;
    }
    for (int64_t k = 0; k < r->list.count; k++)
        r->list.weight[k] = r->diagonal != 0 ? -r->list.weight[k] / r->diagonal : 0;
}

static void forget(row *r)
{
    for (int64_t k = 0; k < r->list.count; k++)
        r->place[r->list.column[k]] = -1;
}

/* Returns the number of entries of P's row. */
static int64_t count_row(row *r)
{
    if (is_coarse(r->c, r->i))
        return 1;
    collect(r);
    forget(r);
    return r->list.count;
}

static void fill_row(row *r, const interpolation *p)
{
    if (is_coarse(r->c, r->i)) {
        int64_t k = fur_offset_at(&p->p->view, r->i);
        fur_csr_columns(p->p)[k] = r->c->coarse[r->i];
        fur_amg_set(p->p, k, 1);
        return;
    }
    collect(r);
    weigh(r);
    fur_amg_write_row(&r->list, r->c->coarse, p->is_planned, r->i, p->p);
    forget(r);
}

static void interpolate_rows(void *job, int64_t begin, int64_t end)
{
    const interpolation *p = job;
    const fur_amg_classical *c = p->c;
    int64_t n = p->a->rows;
    for (int64_t lane = begin; lane < end; lane++)
        for (int64_t i = fur_split(n, c->lanes, (int)lane);
             i < fur_split(n, c->lanes, (int)lane + 1); i++) {
            row r = {.a = p->a,
                     .c = c,
                     .i = i,
                     .place = c->place + lane * n,
                     .list = {0, c->column + lane * c->longest, c->weight + lane * c->longest},
                     .most = p->starts ? FUR_AMG_INTERPOLATED : c->longest};
            if (p->starts)
                p->starts[i + 1] = count_row(&r);
            else
                fill_row(&r, p);
        }
}

/* Returns the largest number of rows that a row could be interpolated from. */
static int64_t find_longest(const fur_amg_classical *c)
{
    const fur_amg_graph *g = &c->strong;
    int64_t longest = 1;
    for (int64_t i = 0; i < g->nodes; i++) {
        int64_t count = g->count[i];
        for (int32_t t = 0; t < g->count[i]; t++)
            count += g->count[g->column[g->begin[i] + t]];
        longest = fur_larger(longest, fur_smaller(count, c->count));
    }
    return longest;
}

fur_status fur_amg_plan_interpolation(fur_env *env, const fur_csr_view *a, fur_amg_classical *c)
{
    c->lanes = fur_lanes(env->threads, a->rows / ROW_GRAIN);
    c->longest = find_longest(c);
    FUR_TRY(fur_env_allocate(env, c->lanes * a->rows, sizeof *c->place, &c->place));
    /* One more element: rows without dependences need the arrays, too. */
    FUR_TRY(fur_env_allocate(env, c->lanes * c->longest + 1, sizeof *c->column, &c->column));
    FUR_TRY(fur_env_allocate(env, c->lanes * c->longest + 1, sizeof *c->weight, &c->weight));
    for (int64_t k = 0; k < c->lanes * a->rows; k++)
        c->place[k] = -1;
    return FUR_OK;
}

fur_status fur_amg_interpolate(const fur_csr *a, const fur_amg_classical *c, fur_csr **out)
{
    fur_env *env = &a->context->env;
    interpolation p = {.a = &a->view, .c = c};
    int64_t n = a->view.rows;
    FUR_TRY(fur_env_allocate(env, n + 1, sizeof *p.starts, &p.starts));
    p.starts[0] = 0;
    fur_parallel(env, c->lanes, c->lanes, interpolate_rows, &p);
    for (int64_t i = 0; i < n; i++)
        p.starts[i + 1] += p.starts[i];
    fur_status status = fur_csr_allocate(a->context, n, c->count, p.starts[n], a->view.value_type,
                                         fur_offset_for(p.starts[n]), &p.p);
    if (status == FUR_OK) {
        fur_csr_set_offsets(p.p, p.starts);
        fur_env_release(env, p.starts);
        p.starts = NULL;
        fur_parallel(env, c->lanes, c->lanes, interpolate_rows, &p);
        *out = p.p;
    }
    fur_env_release(env, p.starts);
    return status;
}

void fur_amg_interpolate_again(const fur_csr *a, const void *classical, fur_csr *to)
{
    interpolation p = {.a = &a->view, .c = classical, .p = to, .is_planned = true};
    fur_parallel(&a->context->env, p.c->lanes, p.c->lanes, interpolate_rows, &p);
}
