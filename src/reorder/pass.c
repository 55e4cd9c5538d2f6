/* Passes of Cuthill and McKee. The queue is the order itself, level after level.
 *
 * A pass waits for memory. It therefore prefetches the offsets of a vertex, and then its row, some
 * places ahead.
 *
 * A wide level is cut into parts for several threads, in its order. Each thread finds the children
 * of its part as if it were alone, with its own bits. If two parts find the same child, it belongs
 * to the first part. The other part removes it, which does not change the order of its other
 * children. The order is therefore the order of one thread. The children that a part keeps are its
 * part of the next level, so that threads synchronise once a level. A level is cut again only after
 * the parts have become unequal. */
#include "pass.h"
#include "children.h"
#include "split.h"
#include "team.h"

#include <string.h>

#define AHEAD_OFFSETS 32
#define AHEAD_ROW 16

/* PART_GRAIN: vertices in a thread's part of a level. GRAPH_GRAIN: vertices of a graph that justify
 * one more part. WORD_GRAIN: words of bits that justify one more thread for a copy. */
#define PART_GRAIN 128
#define GRAPH_GRAIN 8192
#define WORD_GRAIN 2048

/* A pass in progress. */
typedef struct progress {
    int32_t *queue;
    uint64_t unseen; /* the bit of vertices that have no number yet */
    int64_t limit;
    int64_t head; /* beginning of the current level */
    int64_t tail; /* end of the current level */
    fur_pass pass;
} progress;

static fur_status open_lane(fur_env *env, const fur_graph *g, int64_t degree, bool shared,
                            fur_lane *lane)
{
    int64_t room = shared ? g->vertices + 1 : 0;
    int32_t **const arrays[] = {&lane->found[0], &lane->found[1], &lane->parents, &lane->kept};
    FUR_TRY(fur_env_allocate_zeros(env, g->vertices / 64 + 1, sizeof *lane->seen, &lane->seen));
    FUR_TRY(fur_env_allocate(env, 2 * degree, sizeof *lane->items, &lane->items));
    for (int i = 0; i < 4; i++)
        FUR_TRY(fur_env_allocate(env, room, sizeof **arrays[i], arrays[i]));
    return FUR_OK;
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
        fur_env_release(env, walk->lanes[t].kept);
        fur_env_release(env, walk->lanes[t].parents);
        fur_env_release(env, walk->lanes[t].found[1]);
        fur_env_release(env, walk->lanes[t].found[0]);
        fur_env_release(env, walk->lanes[t].items);
        fur_env_release(env, walk->lanes[t].seen);
    }
}

/* Appends the vertices of the row whose bit is `unseen` to out, which has space for one more. Their
 * bits are inverted afterwards, so that reading bits never waits for a write. */
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

/* Vertices whose children are searched, one after the other. */
typedef struct front {
    const int32_t *vertices;
    int64_t count;
    int64_t enough; /* the search ends at this reach */
} front;

/* Prefetches ahead. Even a short row of neighbours may lie in two cache lines. */
FUR_PREFETCHES void prefetch(const fur_graph *g, const int32_t *vertices, int64_t i, int64_t end)
{
    if (i + AHEAD_OFFSETS >= end)
        return;
    int64_t next = vertices[i + AHEAD_ROW];
    fur_prefetch_offset(g, vertices[i + AHEAD_OFFSETS]);
    __builtin_prefetch(g->neighbours + fur_graph_begin(g, next));
    __builtin_prefetch(g->neighbours + fur_graph_begin(g, next + 1) - 1);
}

/* Writes the children of a front to out. It writes the indices of their parents to parents. If
 * parents is NULL, out directly follows the front. *reach: the largest difference between the index
 * of a parent's last child and the parent's own index. Returns the number of children. */
static inline int64_t find_children(const fur_graph *g, fur_lane *lane, uint64_t unseen,
                                    const front *f, int32_t *out, int32_t *parents, int64_t *reach)
{
    fur_families families = {.graph = g, .items = lane->items};
    int64_t count = 0;
    *reach = INT64_MIN;
    for (int64_t i = 0; i < f->count && *reach < f->enough; i++) {
        prefetch(g, f->vertices, i, parents ? f->count : f->count + count);
        int64_t at = fur_graph_begin(g, f->vertices[i]);
        int64_t length = fur_graph_begin(g, (int64_t)f->vertices[i] + 1) - at;
        int64_t found = collect(lane->seen, unseen, g->neighbours + at, length, out + count);
        if (found == 0)
            continue;
        fur_families_add(&families, out + count, found);
        for (int64_t k = 0; parents && k < found; k++)
            parents[count + k] = (int32_t)i;
        count += found;
        *reach = count - 1 - i > *reach ? count - 1 - i : *reach;
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

/* Computes levels in one thread, with the first lane, until a level is wide enough for several
 * threads. */
static void go_alone(fur_walk *walk, int64_t wide, progress *p)
{
    fur_lane *lane = walk->lanes;
    while (!is_over(p) && p->tail - p->head < wide) {
        int64_t width = p->tail - p->head;
        front f = {p->queue + p->head, width, p->limit - width};
        int64_t reach;
        int64_t count =
            find_children(walk->graph, lane, p->unseen, &f, p->queue + p->tail, NULL, &reach);
        next_level(p, count, count > 0 ? width + reach : 0);
    }
    lane->known = p->tail;
}

/* A pass, for the threads. */
typedef struct walking {
    fur_walk *walk;
    const progress *p;
    int now;   /* index of the lists of children that the lanes have found last */
    bool more; /* the children of the next level are searched too */
} walking;

static void copy_bits(void *job, int64_t begin, int64_t end)
{
    const fur_walk *walk = ((const walking *)job)->walk;
    for (int t = 1; t < walk->parts; t++)
        memcpy(walk->lanes[t].seen + begin, walk->lanes->seen + begin,
               (size_t)(end - begin) * sizeof *walk->lanes->seen);
}

/* Copies the bits of the first lane to all lanes. */
static void share_bits(fur_walk *walk)
{
    int64_t words = walk->graph->vertices / 64 + 1;
    fur_parallel(walk->env, words / WORD_GRAIN, words, copy_bits, &(walking){.walk = walk});
    for (int t = 1; t < walk->parts; t++)
        walk->lanes[t].known = walk->lanes->known;
}

/* Inverts the bits of those vertices whose bit equals `bit`. */
static void mark(uint64_t *seen, uint64_t bit, const int32_t *vertices, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (fur_bit(seen, vertices[i]) == bit)
            fur_bit_invert(seen, vertices[i]);
}

static void find_next(const walking *w, fur_lane *lane, int to)
{
    front f = {lane->part, lane->count, INT64_MAX};
    int64_t reach;
    lane->found_count[to] = find_children(w->walk->graph, lane, w->p->unseen, &f, lane->found[to],
                                          lane->parents, &reach);
}

/* Finds the children of equal parts of a level. */
static void begin_parts(void *job, int64_t begin, int64_t end)
{
    const walking *w = job;
    const progress *p = w->p;
    for (int t = (int)begin; t < end; t++) {
        fur_lane *lane = &w->walk->lanes[t];
        int64_t from = fur_split(p->tail - p->head, w->walk->parts, t);
        mark(lane->seen, p->unseen, p->queue + lane->known, p->tail - lane->known);
        lane->place = p->head + from;
        lane->part = p->queue + lane->place;
        lane->count = fur_split(p->tail - p->head, w->walk->parts, t + 1) - from;
        lane->kept_count = 0;
        find_next(w, lane, w->now);
    }
}

/* Copies the children that the lane has kept, if they are its part, to their place in the queue. */
static void place_part(const walking *w, const fur_lane *lane)
{
    memcpy(w->p->queue + lane->place, lane->kept, (size_t)lane->kept_count * sizeof *lane->kept);
}

/* Keeps the children that no earlier lane has found. Their marks are removed for the moment. */
static void keep_children(const walking *w, int t)
{
    const fur_lane *lanes = w->walk->lanes;
    fur_lane *mine = &w->walk->lanes[t];
    const int32_t *found = mine->found[w->now];
    uint64_t unseen = w->p->unseen;
    int64_t count = 0;
    mine->reach = INT64_MIN;
    for (int s = 0; s < t; s++)
        mark(mine->seen, !unseen, lanes[s].found[w->now], lanes[s].found_count[w->now]);
    for (int64_t k = 0; k < mine->found_count[w->now]; k++) {
        if (fur_bit(mine->seen, found[k]) == unseen) {
            fur_bit_invert(mine->seen, found[k]);
            continue;
        }
        mine->reach = fur_larger(mine->reach, count - mine->parents[k]);
        mine->kept[count++] = found[k];
    }
    mine->kept_count = count;
}

/* Marks the children that the other lanes have found. */
static void learn(const walking *w, int t)
{
    const fur_lane *lanes = w->walk->lanes;
    for (int s = 0; s < w->walk->parts; s++)
        if (s != t)
            mark(lanes[t].seen, w->p->unseen, lanes[s].found[w->now], lanes[s].found_count[w->now]);
}

static void step_parts(void *job, int64_t begin, int64_t end)
{
    const walking *w = job;
    for (int t = (int)begin; t < end; t++) {
        fur_lane *lane = &w->walk->lanes[t];
        place_part(w, lane);
        keep_children(w, t);
        learn(w, t);
        lane->part = lane->kept;
        lane->count = lane->kept_count;
        if (w->more)
            find_next(w, lane, !w->now);
    }
}

static void place_parts(void *job, int64_t begin, int64_t end)
{
    const walking *w = job;
    for (int t = (int)begin; t < end; t++) {
        place_part(w, &w->walk->lanes[t]);
        w->walk->lanes[t].known = w->p->tail;
    }
}

/* Takes the level that the lanes have kept. */
static void take_level(fur_walk *walk, progress *p)
{
    int64_t place = p->tail;
    int64_t bandwidth = 0;
    for (int t = 0; t < walk->parts; t++) {
        fur_lane *lane = &walk->lanes[t];
        if (lane->kept_count > 0)
            bandwidth = fur_larger(bandwidth, place - lane->place + lane->reach);
        lane->place = place;
        place += lane->kept_count;
    }
    next_level(p, place - p->tail, bandwidth);
}

/* Returns whether no part exceeds the mean by more than a quarter. */
static bool is_balanced(const fur_walk *walk, int64_t width)
{
    int64_t largest = 0;
    for (int t = 0; t < walk->parts; t++)
        largest = fur_larger(largest, walk->lanes[t].count);
    return 4 * largest * walk->parts <= 5 * width;
}

/* Computes wide levels together, while their parts stay nearly equal. */
static void go_together(fur_walk *walk, int64_t wide, progress *p)
{
    walking w = {.walk = walk, .p = p, .more = true};
    fur_parallel(walk->env, walk->parts, walk->parts, begin_parts, &w);
    while (w.more && p->tail > p->head) {
        int64_t width = p->tail - p->head;
        w.more = width >= wide && p->pass.bandwidth < p->limit && is_balanced(walk, width);
        fur_parallel(walk->env, walk->parts, walk->parts, step_parts, &w);
        take_level(walk, p);
        w.now = !w.now;
    }
    fur_parallel(walk->env, walk->parts, walk->parts, place_parts, &w);
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
