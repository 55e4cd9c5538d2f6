/* A small profile: the algorithm of Sloan (1986). Several weights and both ends are tried side by
 * side, as by Kumfert and Pothen (1997).
 *
 * Vertices are numbered from one end s of the graph towards the other end e. The next vertex is
 * always the candidate with the greatest priority
 *
 *     w_distance * distance(v, e) - w_degree * (1 + neighbours of v that are not active yet)
 *
 * Candidates are preactive vertices, at most two edges from a numbered vertex, and active vertices,
 * one edge from it. The second term is the growth of the wavefront. The best weights depend on the
 * graph. Several weights are therefore tried from both ends, and the least profile wins. */
#include "atomic.h"
#include "pass.h"
#include "sort.h"
#include "split.h"
#include "team.h"

#include <string.h>

#define VERTEX_GRAIN 4096

typedef struct weights {
    int64_t distance;
    int64_t degree;
} weights;

/* Sloan's weights, which suit most graphs; weights for long graphs; and weights for graphs that are
 * nearly trees. */
static const weights tried[] = {{1, 2}, {2, 1}, {1, 16}};
#define RUNS (2 * (int)(sizeof tried / sizeof *tried))

enum status { INACTIVE, PREACTIVE, ACTIVE, NUMBERED };

/* The workspace of runs, which follow each other. Preactive and active vertices are in a heap. Its
 * top has the greatest priority; of equal priorities it has the least number. */
typedef struct worker {
    const fur_graph *graph;
    int64_t *priority;
    uint8_t *status;
    int32_t *heap;
    int64_t waiting;
    int32_t *place; /* place of a vertex in the heap, or in an order */
    int32_t *order; /* the order found so far */
    int32_t *best;  /* the best order of this worker */
    int64_t best_profile;
    int best_run;
} worker;

typedef struct extent {
    int64_t profile;
    int64_t bandwidth;
} extent;

static bool is_above(const worker *w, int32_t a, int32_t b)
{
    return w->priority[a] != w->priority[b] ? w->priority[a] > w->priority[b] : a < b;
}

static void put(worker *w, int64_t at, int32_t v)
{
    w->heap[at] = v;
    w->place[v] = (int32_t)at;
}

static void sift_up(worker *w, int64_t at)
{
    int32_t v = w->heap[at];
    while (at > 0 && is_above(w, v, w->heap[(at - 1) / 2])) {
        put(w, at, w->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(w, at, v);
}

static void sift_down(worker *w, int64_t at)
{
    int32_t v = w->heap[at];
    for (int64_t child = 2 * at + 1; child < w->waiting; child = 2 * at + 1) {
        if (child + 1 < w->waiting && is_above(w, w->heap[child + 1], w->heap[child]))
            child++;
        if (!is_above(w, w->heap[child], v))
            break;
        put(w, at, w->heap[child]);
        at = child;
    }
    put(w, at, v);
}

static int32_t take(worker *w)
{
    int32_t top = w->heap[0];
    int32_t last = w->heap[--w->waiting];
    if (w->waiting > 0) {
        w->heap[0] = last;
        sift_down(w, 0);
    }
    return top;
}

/* Raises the priority of an unnumbered vertex. An inactive vertex becomes preactive. */
static void raise(worker *w, int32_t v, int64_t by)
{
    w->priority[v] += by;
    if (w->status[v] == INACTIVE) {
        w->status[v] = PREACTIVE;
        w->place[v] = (int32_t)w->waiting;
        w->heap[w->waiting++] = v;
    }
    sift_up(w, w->place[v]);
}

/* Raises all neighbours except v that are unnumbered. */
static void raise_neighbours(worker *w, int32_t v, int64_t by)
{
    int64_t end = fur_graph_begin(w->graph, v + 1);
    for (int64_t k = fur_graph_begin(w->graph, v); k < end; k++) {
        int32_t u = w->graph->neighbours[k];
        if (w->status[u] != NUMBERED && u != v)
            raise(w, u, by);
    }
}

/* Numbers v, which activates its neighbours. Each activated vertex, and each of its neighbours,
 * then has one inactive neighbour less. */
static void number(worker *w, int32_t v, int64_t by)
{
    const fur_graph *g = w->graph;
    bool was_active = w->status[v] == ACTIVE;
    w->status[v] = NUMBERED;
    if (!was_active)
        raise_neighbours(w, v, by);
    int64_t end = fur_graph_begin(g, v + 1);
    for (int64_t k = fur_graph_begin(g, v); k < end; k++) {
        int32_t u = g->neighbours[k];
        if (w->status[u] == PREACTIVE) {
            w->status[u] = ACTIVE;
            raise(w, u, by);
            raise_neighbours(w, u, by);
        }
    }
}

/* Sets the order, from `start` to the vertex from which the distances are measured. */
static void run_once(worker *w, int32_t start, const int32_t *distance, weights weight)
{
    int64_t n = w->graph->vertices;
    for (int32_t v = 0; v < n; v++) {
        w->status[v] = INACTIVE;
        w->priority[v] =
            weight.distance * distance[v] - weight.degree * (fur_graph_degree(w->graph, v) + 1);
    }
    w->waiting = 0;
    raise(w, start, 0);
    for (int64_t i = 0; i < n; i++) {
        w->order[i] = take(w);
        number(w, w->order[i], weight.degree);
    }
}

/* place: workspace for the place of each vertex. */
static extent measure(const fur_graph *g, const int32_t *order, int32_t *place)
{
    extent sum = {0, 0};
    for (int32_t i = 0; i < g->vertices; i++)
        place[order[i]] = i;
    for (int32_t v = 0; v < g->vertices; v++) {
        int32_t least = place[v];
        int64_t end = fur_graph_begin(g, v + 1);
        for (int64_t k = fur_graph_begin(g, v); k < end; k++)
            least = place[g->neighbours[k]] < least ? place[g->neighbours[k]] : least;
        int64_t width = place[v] - least;
        sum.profile += width;
        sum.bandwidth = width > sum.bandwidth ? width : sum.bandwidth;
    }
    return sum;
}

static void worker_close(fur_env *env, worker *w)
{
    fur_env_release(env, w->best);
    fur_env_release(env, w->order);
    fur_env_release(env, w->place);
    fur_env_release(env, w->heap);
    fur_env_release(env, w->status);
    fur_env_release(env, w->priority);
}

static fur_status worker_open(const fur_component *c, worker *out)
{
    fur_status status = FUR_OK;
    fur_env *env = c->env;
    worker w = {.graph = &c->graph, .best_profile = INT64_MAX};
    FUR_TRY_DONE(fur_env_allocate(env, c->vertices, sizeof *w.priority, &w.priority));
    FUR_TRY_DONE(fur_env_allocate(env, c->vertices, sizeof *w.status, &w.status));
    FUR_TRY_DONE(fur_env_allocate(env, c->vertices, sizeof *w.heap, &w.heap));
    FUR_TRY_DONE(fur_env_allocate(env, c->vertices, sizeof *w.place, &w.place));
    FUR_TRY_DONE(fur_env_allocate(env, c->vertices, sizeof *w.order, &w.order));
    FUR_TRY_DONE(fur_env_allocate(env, c->vertices, sizeof *w.best, &w.best));
    *out = w;
    return FUR_OK;
done:
    worker_close(env, &w);
    return status;
}

static void try_run(worker *w, int run, const int32_t *ends, int32_t *const *distances)
{
    run_once(w, ends[run % 2], distances[1 - run % 2], tried[run / 2]);
    int64_t profile = measure(w->graph, w->order, w->place).profile;
    if (profile < w->best_profile) {
        int32_t *worse = w->best;
        w->best = w->order;
        w->order = worse;
        w->best_profile = profile;
        w->best_run = run;
    }
}

typedef struct trial {
    worker *workers;
    const int32_t *ends;
    int32_t *const *distances;
    fur_shared next; /* the first run that no worker has taken */
} trial;

/* Runs worker `begin`. Workers take runs as they become free; this one may take all. */
static void try_runs(void *job, int64_t begin, int64_t end)
{
    trial *t = job;
    (void)end;
    for (int64_t run; (run = fur_shared_take(&t->next, 1)) < RUNS;)
        try_run(&t->workers[begin], (int)run, t->ends, t->distances);
}

/* Computes the distances of all vertices from a root. */
static void find_distances(const fur_graph *g, int32_t root, int32_t *queue, int32_t *distance)
{
    int64_t tail = 1;
    memset(distance, -1, (size_t)g->vertices * sizeof *distance);
    queue[0] = root;
    distance[root] = 0;
    for (int64_t head = 0; head < tail; head++) {
        int32_t v = queue[head];
        int64_t end = fur_graph_begin(g, v + 1);
        for (int64_t k = fur_graph_begin(g, v); k < end; k++) {
            int32_t u = g->neighbours[k];
            if (distance[u] < 0) {
                distance[u] = distance[v] + 1;
                queue[tail++] = u;
            }
        }
    }
}

/* Finds the two ends of the graph, which are the ends of a pseudo-diameter (George and Liu 1979).
 * queue: on entry the order of the component's first pass. */
static void find_ends(const fur_component *c, int32_t *queue, int32_t *ends)
{
    fur_pass pass = c->first;
    int32_t levels = 0;
    ends[0] = ends[1] = queue[0];
    while (pass.levels > levels) {
        levels = pass.levels;
        ends[0] = ends[1];
        ends[1] = fur_pass_far_end(c, queue, &pass);
        (void)fur_walk_pass(c->walk, ends[1], INT64_MAX, queue, &pass);
    }
}

/* Takes the best order of the workers, if it is better than the input's order. */
static void choose(const fur_component *c, worker *workers, int count, fur_component_order *out)
{
    const worker *best = workers;
    for (int i = 1; i < count; i++)
        if (workers[i].best_profile < best->best_profile ||
            (workers[i].best_profile == best->best_profile && workers[i].best_run < best->best_run))
            best = &workers[i];
    out->bandwidth = measure(&c->graph, best->best, workers->place).bandwidth;
    memcpy(out->order, best->best, (size_t)c->vertices * sizeof *out->order);
    fur_input_order(c->index, c->vertices, c->scratch, workers->order);
    out->better = best->best_profile < measure(&c->graph, workers->order, workers->place).profile;
}

static fur_status run(const fur_component *component, fur_component_order *out)
{
    fur_status status = FUR_OK;
    const fur_component *c = component;
    int32_t *distances[] = {c->scratch, c->scratch + c->vertices};
    int32_t *queue = c->scratch + 2 * c->vertices;
    int32_t ends[2];
    worker workers[RUNS];
    trial t = {workers, ends, distances, 0};
    int count = fur_lanes(c->env->threads, fur_smaller(c->vertices / VERTEX_GRAIN, RUNS));
    int open = 0;
    for (; open < count; open++)
        FUR_TRY_DONE(worker_open(c, &workers[open]));
    memcpy(queue, out->order, (size_t)c->vertices * sizeof *queue);
    find_ends(c, queue, ends);
    find_distances(&c->graph, ends[0], queue, distances[0]);
    find_distances(&c->graph, ends[1], queue, distances[1]);
    fur_parallel(c->env, count, count, try_runs, &t);
    choose(c, workers, count, out);
done:
    while (open > 0)
        worker_close(c->env, &workers[--open]);
    return status;
}

const fur_reorder_entry fur_reorder_sloan = {
    .info = {"sloan", "small profile and wavefront", "Sloan 1986"},
    .renumbered = true,
    .scratch = FUR_INPUT_ORDER_SCRATCH,
    .run = run,
};
