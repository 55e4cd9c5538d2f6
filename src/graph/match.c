/* Orders the rows so that the product of the moduli on the diagonal is largest.
 *
 * In logarithms this is an assignment problem. Entry (i, j) costs c_ij = log2(largest modulus of
 * row i)
 * - log2 |a_ij| >= 0, and the sum over the matched entries must be least. Each row has a number u_i
 *   and each column a number v_j with u_i + v_j <= c_ij, and with equality if i and j are matched.
 *   Then no matching is better, and 2^u and 2^v scale the matrix as the header describes.
 *
 * Rows are matched one by one along a shortest path, in which matched and unmatched entries
 * alternate. Dijkstra's algorithm finds the path (Duff and Koster 2001; Jonker and Volgenant
 * 1987). */
#include "csr.h"
#include "value_type.h"

#include <furrow/author/clock.h>
#include <furrow/author/options.h>
#include <furrow/graph.h>

#include <math.h>

#define NOBODY (-1)

typedef struct matching {
    const fur_csr_view *a;
    double *cost;        /* of each entry; infinite for zeros */
    double *largest;     /* log2 of each row's largest modulus */
    double *u;           /* numbers of rows */
    double *v;           /* numbers of columns */
    int64_t *matched;    /* for each row: position of its matched entry, or NOBODY */
    int32_t *row_of;     /* for each column: its matched row, or NOBODY */
    double *distance;    /* of columns, from the row that is being matched */
    int64_t *came_by;    /* for each column: the entry by which it was reached */
    int32_t *from;       /* the row of that entry */
    int32_t *heap;       /* columns that were reached, by (distance, number) */
    int32_t *heap_place; /* place of each column; NOBODY: not reached; SETTLED */
    int32_t *settled;    /* columns whose distance is final */
    int64_t heap_size;
    int64_t settled_count;
} matching;
#define SETTLED (-2)

static bool is_nearer(const matching *m, int32_t a, int32_t b)
{
    return m->distance[a] != m->distance[b] ? m->distance[a] < m->distance[b] : a < b;
}

static void put(matching *m, int64_t place, int32_t column)
{
    m->heap[place] = column;
    m->heap_place[column] = (int32_t)place;
}

/* Moves a column up in the heap, after its distance has decreased, or after it was added at that
 * place. */
static void lift(matching *m, int64_t place, int32_t column)
{
    for (; place > 0 && is_nearer(m, column, m->heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(m, place, m->heap[(place - 1) / 2]);
    put(m, place, column);
}

/* Removes the nearest column from the heap. */
static int32_t take_nearest(matching *m)
{
    int32_t nearest = m->heap[0];
    int32_t last = m->heap[--m->heap_size];
    int64_t place = 0;
    for (int64_t child; (child = 2 * place + 1) < m->heap_size; place = child) {
        if (child + 1 < m->heap_size && is_nearer(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!is_nearer(m, m->heap[child], last))
            break;
        put(m, place, m->heap[child]);
    }
    if (m->heap_size > 0)
        put(m, place, last);
    m->heap_place[nearest] = SETTLED;
    m->settled[m->settled_count++] = nearest;
    return nearest;
}

/* Visits the entries of a row at distance `base`. *end and *length: the nearest unmatched column so
 * far, if any, and its distance. */
static void look_along(matching *m, int32_t row, double base, int32_t *end, double *length)
{
    for (int64_t k = fur_offset_at(m->a, row); k < fur_offset_at(m->a, (int64_t)row + 1); k++) {
        int32_t j = m->a->columns[k];
        double way = base + (m->cost[k] - m->u[row] - m->v[j]);
        bool better = m->heap_place[j] != SETTLED && way < *length &&
                      (m->heap_place[j] == NOBODY || way < m->distance[j]);
        if (!better)
            continue;
        m->distance[j] = way;
        m->came_by[j] = k;
        m->from[j] = row;
        if (m->row_of[j] == NOBODY) {
            *end = j;
            *length = way;
        }
        lift(m, m->heap_place[j] == NOBODY ? m->heap_size++ : m->heap_place[j], j);
    }
}

/* Resets the columns that a search has reached. */
static void forget(matching *m)
{
    for (int64_t i = 0; i < m->heap_size; i++)
        m->heap_place[m->heap[i]] = NOBODY;
    for (int64_t i = 0; i < m->settled_count; i++)
        m->heap_place[m->settled[i]] = NOBODY;
    m->heap_size = 0;
    m->settled_count = 0;
}

/* Matches the rows along the path to a column. Sets u so that matched entries have c_ij = u_i +
 * v_j. */
static void augment(matching *m, int32_t root, int32_t end)
{
    for (int32_t j = end, next; j != NOBODY; j = next) {
        int32_t row = m->from[j];
        int64_t before = m->matched[row];
        next = row == root ? NOBODY : m->a->columns[before];
        m->matched[row] = m->came_by[j];
        m->row_of[j] = row;
    }
}

/* Finds the shortest path from an unmatched row to an unmatched column, and augments the matching
 * along it. Returns false if there is none. */
static bool match_row(matching *m, int32_t root)
{
    int32_t end = NOBODY;
    double length = INFINITY;
    look_along(m, root, 0, &end, &length);
    while (m->heap_size > 0 && m->distance[m->heap[0]] < length) {
        int32_t j = take_nearest(m);
        look_along(m, m->row_of[j], m->distance[j], &end, &length);
    }
    if (end != NOBODY) {
        for (int64_t i = 0; i < m->settled_count; i++)
            m->v[m->settled[i]] += m->distance[m->settled[i]] - length;
        augment(m, root, end);
        for (int64_t i = 0; i < m->settled_count; i++) {
            int32_t row = m->row_of[m->settled[i]];
            m->u[row] = m->cost[m->matched[row]] - m->v[m->settled[i]];
        }
        int32_t last = m->row_of[end];
        m->u[last] = m->cost[m->matched[last]] - m->v[end];
    }
    forget(m);
    return end != NOBODY;
}

/* log2 of the modulus of an entry. */
static double log2_of(const fur_csr_view *a, int64_t k)
{
    int parts = fur_value_parts(a->value_type);
    double re = fur_value_part(a->value_type, a->values, parts * k);
    double im = parts == 2 ? fur_value_part(a->value_type, a->values, parts * k + 1) : 0;
    return log2(hypot(re, im));
}

/* Sets the costs of the entries. Returns FUR_INVALID if an entry is not finite. */
static fur_status set_costs(fur_env *env, matching *m)
{
    const fur_csr_view *a = m->a;
    for (int64_t i = 0; i < a->rows; i++) {
        m->largest[i] = -INFINITY;
        for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++) {
            m->cost[k] = log2_of(a, k);
            if (isnan(m->cost[k]) || m->cost[k] == INFINITY)
                return fur_env_fail(env, FUR_INVALID,
                                    "row %lld, counting from 1, has an entry that is not finite; a "
                                    "matching needs finite entries",
                                    (long long)i + 1);
            m->largest[i] = fmax(m->largest[i], m->cost[k]);
        }
        for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++)
            m->cost[k] = m->cost[k] == -INFINITY ? INFINITY : m->largest[i] - m->cost[k];
    }
    return FUR_OK;
}

/* The initial numbers of columns and rows. v_j is the least cost of the column, u_i the least of
 * c_ij - v_j. Each row is matched to the first free column that attains u_i. */
static void start(matching *m)
{
    const fur_csr_view *a = m->a;
    for (int64_t j = 0; j < a->cols; j++) {
        m->v[j] = INFINITY;
        m->row_of[j] = NOBODY;
        m->heap_place[j] = NOBODY;
    }
    for (int64_t k = 0; k < a->entries; k++)
        m->v[a->columns[k]] = fmin(m->v[a->columns[k]], m->cost[k]);
    for (int64_t i = 0; i < a->rows; i++) {
        m->matched[i] = NOBODY;
        m->u[i] = INFINITY;
        for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++)
            if (m->cost[k] < INFINITY)
                m->u[i] = fmin(m->u[i], m->cost[k] - m->v[a->columns[k]]);
        for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++)
            if (m->cost[k] < INFINITY && m->matched[i] == NOBODY &&
                m->row_of[a->columns[k]] == NOBODY && m->cost[k] - m->v[a->columns[k]] <= m->u[i]) {
                m->matched[i] = k;
                m->row_of[a->columns[k]] = (int32_t)i;
            }
    }
}

/* Matches as many rows as possible, and returns their number. *alone: the first unmatched row, or
 * -1. */
static int64_t match_rows(matching *m, int64_t *alone)
{
    int64_t rank = 0;
    *alone = -1;
    for (int64_t i = 0; i < m->a->rows; i++) {
        bool done = m->matched[i] != NOBODY || match_row(m, (int32_t)i);
        rank += done;
        *alone = done || *alone >= 0 ? *alone : i;
    }
    return rank;
}

static fur_status allocate(fur_env *env, matching *m)
{
    int64_t n = m->a->rows;
    FUR_TRY(fur_env_allocate(env, m->a->entries, sizeof *m->cost, &m->cost));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->largest, &m->largest));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->u, &m->u));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->v, &m->v));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->matched, &m->matched));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->row_of, &m->row_of));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->distance, &m->distance));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->came_by, &m->came_by));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->from, &m->from));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->heap, &m->heap));
    FUR_TRY(fur_env_allocate(env, n, sizeof *m->heap_place, &m->heap_place));
    return fur_env_allocate(env, n, sizeof *m->settled, &m->settled);
}

static void release(fur_env *env, matching *m)
{
    fur_env_release(env, m->settled);
    fur_env_release(env, m->heap_place);
    fur_env_release(env, m->heap);
    fur_env_release(env, m->from);
    fur_env_release(env, m->came_by);
    fur_env_release(env, m->distance);
    fur_env_release(env, m->row_of);
    fur_env_release(env, m->matched);
    fur_env_release(env, m->v);
    fur_env_release(env, m->u);
    fur_env_release(env, m->largest);
    fur_env_release(env, m->cost);
}

/* s_i = 2^(exponent_i - shift_i) in a vector. If shift is NULL, it is 0. `room` is workspace. */
static fur_status set_scale(const double *exponent, const double *shift, fur_vector *s, void *room)
{
    if (!s)
        return FUR_OK;
    int64_t parts = fur_value_parts(s->value_type);
    for (int64_t i = 0; i < s->size; i++) {
        double scale = exp2(exponent[i] - (shift ? shift[i] : 0));
        for (int64_t p = 0; p < parts; p++)
            if (fur_value_is_single(s->value_type))
                ((float *)room)[parts * i + p] = p ? 0 : (float)scale;
            else
                ((double *)room)[parts * i + p] = p ? 0 : scale;
    }
    return fur_vector_upload(room, s);
}

static void report_figures(const matching *m, fur_matching_report *report)
{
    report->smallest = m->a->rows > 0 ? 1 : 0;
    for (int64_t i = 0; i < m->a->rows; i++) {
        int64_t k = m->matched[i];
        int32_t j = m->a->columns[k];
        report->product += m->largest[i] - m->cost[k];
        report->smallest = fmin(report->smallest, exp2(m->u[i] + m->v[j] - m->cost[k]));
        report->moved += j != i;
    }
}

/* Returns the requested results of a matching of all rows. row_of is the order. */
static fur_status hand_out(fur_env *env, const matching *m, fur_context *context, fur_vector *r,
                           fur_vector *c, fur_permutation **order)
{
    void *room;
    FUR_TRY(fur_env_allocate(env, m->a->rows, sizeof(fur_scalar), &room));
    fur_status status = set_scale(m->u, m->largest, r, room);
    if (status == FUR_OK)
        status = set_scale(m->v, NULL, c, room);
    fur_env_release(env, room);
    return status == FUR_OK ? fur_permutation_create(context, m->a->rows, m->row_of, order)
                            : status;
}

static fur_status check(const fur_csr *a, const fur_vector *r, const fur_vector *c)
{
    if (a->view.rows != a->view.cols)
        return fur_context_fail(a->context, FUR_INVALID,
                                "a matching needs a square matrix; this one is %lld x %lld",
                                (long long)a->view.rows, (long long)a->view.cols);
    if (r)
        FUR_TRY(fur_csr_check_vector(a, "r", r, a->view.rows));
    if (c)
        FUR_TRY(fur_csr_check_vector(a, "c", c, a->view.cols));
    return r && c ? fur_vector_check_apart(r, "r", c, "c") : FUR_OK;
}

/* Finds the matching of a matrix that the host can read. */
static fur_status find(fur_env *env, matching *m, fur_matching_report *report)
{
    int64_t alone;
    int64_t rank;
    FUR_TRY(allocate(env, m));
    FUR_TRY(set_costs(env, m));
    start(m);
    rank = match_rows(m, &alone);
    if (alone >= 0)
        return fur_env_fail(
            env, FUR_INVALID,
            "only %lld of %lld rows can be matched with a column, so the matrix is structurally "
            "singular; row %lld, counting from 1, is the first without a column",
            (long long)rank, (long long)m->a->rows, (long long)alone + 1);
    report_figures(m, report);
    return FUR_OK;
}

fur_status fur_matching_find(const fur_csr *a, fur_vector *r, fur_vector *c,
                             fur_matching_report *report, fur_permutation **order)
{
    FUR_NEED(fur_csr_context(a), a, order);
    FUR_CHECK_REPORT(a->context, fur_matching_report, report);
    FUR_TRY(check(a, r, c));
    fur_env *env = &a->context->env;
    double begin = fur_seconds();
    fur_csr *copy;
    const fur_csr *near;
    fur_matching_report own = {.size = sizeof own};
    FUR_TRY(fur_csr_to_host(a, &near, &copy));
    matching m = {.a = &near->view};
    fur_status status = find(env, &m, &own);
    if (status == FUR_OK)
        status = hand_out(env, &m, a->context, r, c, order);
    own.seconds = fur_seconds() - begin;
    if (status == FUR_OK)
        fur_report_fill(report, &own, sizeof own);
    release(env, &m);
    fur_csr_destroy(copy);
    return status;
}
