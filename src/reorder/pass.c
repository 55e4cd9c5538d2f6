/* Passes of Cuthill and McKee. The queue is the order itself, level after level.
 *
 * A pass waits for memory: it fetches a vertex's offsets, and then its row, some places ahead.
 *
 * A wide level is cut in parts for several threads, in its order. The children of each are found as
 * if it were alone, with bits of its own. A child of two parts belongs to the first; the others
 * then drop it, which changes nothing for their other children. So the order is that of one thread.
 */
#include "pass.h"
#include "children.h"
#include "split.h"
#include "team.h"

#include <string.h>

#define AHEAD_OFFSETS 32
#define AHEAD_ROW 16

/* Vertices for a thread's part of a level; of a graph, before it is worth having others. Words of
 * bits that are worth a thread to copy. */
#define PART_GRAIN 128
#define GRAPH_GRAIN 8192
#define WORD_GRAIN 2048

/* A pass in progress. */
typedef struct progress {
    int32_t *queue;
    uint64_t unseen; /* the bit of vertices without a number */
    int64_t limit;
    int64_t head; /* the level in work */
    int64_t tail; /* past it */
    fur_pass pass;
} progress;

static fur_status open_lane(fur_env *env, const fur_graph *g, int64_t degree, bool shared,
                            fur_lane *lane)
{
    int64_t room = shared ? g->vertices + 1 : 0;
    FUR_TRY(fur_env_allocate_zeros(env, g->vertices / 64 + 1, sizeof *lane->seen, &lane->seen));
    FUR_TRY(fur_env_allocate(env, 2 * degree, sizeof *lane->items, &lane->items));
    FUR_TRY(fur_env_allocate(env, room, sizeof *lane->children, &lane->children));
    return fur_env_allocate(env, room, sizeof *lane->parents, &lane->parents);
}

fur_status fur_walk_open(fur_env *env, const fur_pattern *pattern, fur_walk *out)
{
    const fur_graph *graph = &pattern->graph;
    fur_walk walk = {.env = env, .graph = graph};
    fur_status status = FUR_OK;
    int64_t worth = fur_smaller(graph->vertices / GRAPH_GRAIN, FUR_LANES_MAX);
    walk.parts = fur_lanes(env->threads, worth);
    for (int t = 0; t < walk.parts && status == FUR_OK; t++)
        status = open_lane(env, graph, pattern->largest, walk.parts > 1, &walk.lanes[t]);
    if (status == FUR_OK)
        *out = walk;
    else
        fur_walk_close(env, &walk);
    return status;
}

void fur_walk_close(fur_env *env, fur_walk *walk)
{
    for (int t = walk->parts - 1; t >= 0; t--) {
        fur_env_release(env, walk->lanes[t].parents);
        fur_env_release(env, walk->lanes[t].children);
        fur_env_release(env, walk->lanes[t].items);
        fur_env_release(env, walk->lanes[t].seen);
    }
}

/* Appends the vertices of the row whose bit is `unseen` to out, which has room for one more, and
 * inverts their bits: afterwards, as looking then waits for no write. */
static int64_t collect(uint64_t *bits, uint64_t unseen, const int32_t *row, int64_t count,
                       int32_t *out)
{
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++) {
        uint32_t v = (uint32_t)row[k];
        out[found] = row[k];
        found += (int64_t)((bits[v >> 6] ^ (unseen - 1)) >> (v & 63) & 1);
    }
    for (int64_t k = 0; k < found; k++)
        fur_bit_invert(bits, out[k]);
    return found;
}

/* A row of a few neighbours may lie in two lines. */
FUR_PREFETCHES void prefetch(const fur_graph *g, const int32_t *queue, int64_t place, int64_t end)
{
    if (place + AHEAD_OFFSETS >= end)
        return;
    int64_t next = queue[place + AHEAD_ROW];
    fur_prefetch_offset(g, queue[place + AHEAD_OFFSETS]);
    __builtin_prefetch(g->neighbours + fur_graph_begin(g, next));
    __builtin_prefetch(g->neighbours + fur_graph_begin(g, next + 1) - 1);
}

/* Finds the children of the vertices at places begin .. end-1 and writes them to out, with the
 * places of their parents unless parents is NULL, which says that out is the queue itself, from end
 * on. *reach: the largest distance in out's numbers, of out[0] = 0, of a parent's place to its last
 * child. Returns how many there are; in the queue, no more once the limit is reached. */
static inline int64_t find_children(const fur_graph *g, fur_lane *lane, const progress *p,
                                    int64_t begin, int64_t end, int32_t *out, int32_t *parents,
                                    int64_t *reach)
{
    fur_families families = {.graph = g, .items = lane->items};
    int64_t enough = parents ? INT64_MAX : p->limit - end;
    int64_t count = 0;
    *reach = INT64_MIN;
    for (int64_t place = begin; place < end && *reach < enough; place++) {
        prefetch(g, p->queue, place, parents ? p->tail : end + count);
        int64_t at = fur_graph_begin(g, p->queue[place]);
        int64_t length = fur_graph_begin(g, (int64_t)p->queue[place] + 1) - at;
        int64_t found = collect(lane->seen, p->unseen, g->neighbours + at, length, out + count);
        if (found == 0)
            continue;
        fur_families_add(&families, out + count, found);
        for (int64_t k = 0; parents && k < found; k++)
            parents[count + k] = (int32_t)place;
        count += found;
        *reach = count - 1 - place > *reach ? count - 1 - place : *reach;
    }
    fur_families_finish(&families);
    return count;
}

static void next_level(progress *p, int64_t count, int64_t bandwidth)
{
    p->pass.levels++;
    p->pass.last_level = (int32_t)p->head;
    p->head = p->tail;
    p->tail += count;
    if (bandwidth > p->pass.bandwidth)
        p->pass.bandwidth = (int32_t)bandwidth;
}

static bool is_over(const progress *p)
{
    return p->head == p->tail || p->pass.bandwidth >= p->limit;
}

/* Level by level in one thread, with the first lane, up to a level that is wide enough for several.
 */
static void go_alone(fur_walk *walk, int64_t wide, progress *p)
{
    fur_lane *lane = walk->lanes;
    while (!is_over(p) && p->tail - p->head < wide) {
        int64_t reach;
        int64_t count =
            find_children(walk->graph, lane, p, p->head, p->tail, p->queue + p->tail, NULL, &reach);
        next_level(p, count, count > 0 ? p->tail + reach : 0);
    }
    lane->known = p->tail;
}

/* A pass on the way to the threads. */
typedef struct walking {
    fur_walk *walk;
    const progress *p;
} walking;

static void copy_bits(void *job, int64_t begin, int64_t end)
{
    const fur_walk *walk = ((const walking *)job)->walk;
    for (int t = 1; t < walk->parts; t++)
        memcpy(walk->lanes[t].seen + begin, walk->lanes->seen + begin,
               (size_t)(end - begin) * sizeof *walk->lanes->seen);
}

/* All lanes know what the first one does. */
static void share_bits(fur_walk *walk)
{
    int64_t words = walk->graph->vertices / 64 + 1;
    fur_parallel(walk->env, words / WORD_GRAIN, words, copy_bits, &(walking){.walk = walk});
    for (int t = 1; t < walk->parts; t++)
        walk->lanes[t].known = walk->lanes->known;
}

/* Marks the vertices in the queue that have been found with other lanes. */
static void learn(fur_lane *lane, const progress *p)
{
    for (int64_t i = lane->known; i < p->tail; i++)
        if (fur_bit(lane->seen, p->queue[i]) == p->unseen)
            fur_bit_invert(lane->seen, p->queue[i]);
    lane->known = p->tail;
}

/* The children of parts of a wide level. */
static void find_parts(void *job, int64_t begin, int64_t end)
{
    const walking *w = job;
    const fur_walk *walk = w->walk;
    const progress *p = w->p;
    int64_t width = p->tail - p->head;
    for (int t = (int)begin; t < end; t++) {
        fur_lane *lane = &w->walk->lanes[t];
        int64_t from = p->head + fur_split(width, walk->parts, t);
        int64_t to = p->head + fur_split(width, walk->parts, t + 1);
        int64_t reach;
        learn(lane, p);
        lane->count =
            find_children(walk->graph, lane, p, from, to, lane->children, lane->parents, &reach);
    }
}

/* Takes back the bits of children that an earlier part of the level has, too. */
static void drop_shared(fur_lane *lanes, int part, uint64_t unseen)
{
    fur_lane *mine = &lanes[part];
    mine->kept = mine->count;
    for (int t = 0; t < part; t++) {
        for (int64_t k = 0; k < lanes[t].count; k++) {
            int32_t v = lanes[t].children[k];
            if (fur_bit(mine->seen, v) != unseen) {
                fur_bit_invert(mine->seen, v);
                mine->kept--;
            }
        }
    }
}

/* Writes the children that are left to their places in the queue, from `base` on. */
static void place_children(fur_lane *lane, const progress *p, int64_t base)
{
    int64_t place = base;
    int64_t bandwidth = 0;
    for (int64_t k = 0; k < lane->count; k++) {
        if (fur_bit(lane->seen, lane->children[k]) == p->unseen)
            continue;
        bandwidth = place - lane->parents[k] > bandwidth ? place - lane->parents[k] : bandwidth;
        p->queue[place++] = lane->children[k];
    }
    lane->bandwidth = bandwidth;
}

static void drop_parts(void *job, int64_t begin, int64_t end)
{
    const walking *w = job;
    for (int t = (int)begin; t < end; t++)
        drop_shared(w->walk->lanes, t, w->p->unseen);
}

static void place_parts(void *job, int64_t begin, int64_t end)
{
    const walking *w = job;
    fur_lane *lanes = w->walk->lanes;
    int64_t base = w->p->tail;
    for (int t = 0; t < end; t++) {
        if (t >= begin)
            place_children(&lanes[t], w->p, base);
        base += lanes[t].kept;
    }
}

/* Wide levels, as long as there are some. */
static void go_together(fur_walk *walk, int64_t wide, progress *p)
{
    walking w = {walk, p};
    while (!is_over(p) && p->tail - p->head >= wide) {
        int64_t count = 0;
        int64_t bandwidth = 0;
        fur_parallel(walk->env, walk->parts, walk->parts, find_parts, &w);
        fur_parallel(walk->env, walk->parts, walk->parts, drop_parts, &w);
        fur_parallel(walk->env, walk->parts, walk->parts, place_parts, &w);
        for (int t = 0; t < walk->parts; t++) {
            count += walk->lanes[t].kept;
            bandwidth = fur_larger(bandwidth, walk->lanes[t].bandwidth);
        }
        next_level(p, count, bandwidth);
    }
    learn(walk->lanes, p);
}

int64_t fur_walk_pass(fur_walk *walk, int32_t root, int64_t limit, int32_t *queue, fur_pass *out)
{
    fur_lane *lane = walk->lanes;
    int64_t wide = walk->parts > 1 ? (int64_t)walk->parts * PART_GRAIN : INT64_MAX;
    progress p = {queue, fur_bit(lane->seen, root), limit, 0, 1, {0, 0, 0}};
    queue[0] = root;
    fur_bit_invert(lane->seen, root);
    go_alone(walk, wide, &p);
    if (!is_over(&p))
        share_bits(walk);
    while (!is_over(&p)) {
        go_together(walk, wide, &p);
        go_alone(walk, wide, &p);
    }
    if (p.pass.bandwidth >= limit)
        for (int64_t i = 0; i < p.tail; i++)
            fur_bit_invert(lane->seen, queue[i]);
    *out = p.pass;
    return p.tail;
}

fur_pass fur_try_root(const fur_component *c, int32_t root, int64_t limit, fur_component_order *out)
{
    fur_pass pass;
    if (fur_walk_pass(c->walk, root, limit, c->scratch, &pass) != c->vertices)
        return (fur_pass){.levels = 0};
    if (pass.bandwidth < out->bandwidth) {
        out->bandwidth = pass.bandwidth;
        memcpy(out->order, c->scratch, (size_t)c->vertices * sizeof *out->order);
    }
    return pass;
}

int32_t fur_pass_far_end(const fur_component *c, const int32_t *order, const fur_pass *pass)
{
    uint64_t least = UINT64_MAX;
    for (int64_t i = pass->last_level; i < c->vertices; i++) {
        uint64_t key = fur_graph_key(&c->graph, order[i]);
        least = key < least ? key : least;
    }
    return (int32_t)(uint32_t)least;
}
