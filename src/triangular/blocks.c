/* The schedule by blocks: rows stay in their order, in which memory is read best, and are cut into
 * blocks of about equal work. A block needs the blocks of its rows' entries: blocks have levels as
 * rows have, and are taken level by level. On a grid a block is a few of its lines, and while one
 * thread goes on in a plane, another is some lines behind it in the next. */
#include "split.h"
#include "triangular.h"

/* What it costs to hand a block over, the least work that is tried, and the least of one that ends
 * early. */
#define BLOCK_COST 250
#define BLOCK_WORK 2000
#define LEAST_BLOCK 500
/* Needs of a block on average beyond which rows are in no order that blocks could use. */
#define MOST_NEEDS 32
/* Each try has smaller blocks than the one before. */
#define SMALLER 4

/* Blocks of one size. */
typedef struct blocks {
    const fur_workload *w;
    int64_t count;
    int64_t *begin;     /* their first places, and the end of all */
    int32_t *of;        /* of each place */
    int64_t *needs_end; /* of the needs of each */
    int32_t *needs;
    int64_t room;
    int32_t *level;
    int32_t *position; /* in the order of levels */
    double *cost;
    double *finish;
} blocks;

/* The last place before `place` that its row needs; -1 if it needs none. */
static int64_t nearest(const fur_workload *w, int64_t place)
{
    const fur_csr_view *a = w->t.a;
    int64_t row = fur_strict_row(&w->t, place);
    int64_t count = w->start[place + 1] - w->start[place];
    int64_t first =
        w->t.upper ? fur_offset_at(a, row + 1) - count : fur_offset_at(a, row) + count - 1;
    return count > 0 ? fur_strict_row(&w->t, a->columns[first]) : -1;
}

/* Where a block from `begin` on ends: before a row that needs none of the block after one that
 * does, as the first point of a plane does; else, with all its work, before the row of its second
 * half that is farthest from what it needs, as the first points of lines are. Blocks that end
 * within a line or plane would need each other in a row. */
static int64_t end_of_block(const fur_workload *w, int64_t begin, int64_t work)
{
    int64_t n = w->t.a->rows;
    int64_t best = -1;
    int64_t distance = 0;
    bool joined = false;
    for (int64_t end = begin + 1; end < n; end++) {
        int64_t own = fur_strict_work(w, begin, end);
        int64_t needed = nearest(w, end);
        if (own > work)
            return best >= 0 ? best : end - (end > begin + 1);
        if (joined && needed < begin && own >= LEAST_BLOCK)
            return end;
        joined = needed >= begin;
        if (2 * own >= work && end - needed >= distance) {
            best = end;
            distance = end - needed;
        }
    }
    return n;
}

/* Cuts places into blocks of at most that work, or one row. */
static void cut(blocks *b, int64_t work)
{
    b->count = 0;
    b->begin[0] = 0;
    for (int64_t place = 0; place < b->w->t.a->rows;) {
        int64_t end = end_of_block(b->w, place, work);
        while (place < end)
            b->of[place++] = (int32_t)b->count;
        b->begin[++b->count] = end;
    }
}

/* Lists the other blocks that a block needs, each once, from `next` on; seen: the block that listed
 * each last. Returns the end, -1 without room. */
static int64_t list_needs(blocks *b, int64_t block, int32_t *seen, int64_t next)
{
    const fur_workload *w = b->w;
    const fur_csr_view *a = w->t.a;
    int32_t last = (int32_t)block;
    for (int64_t place = b->begin[block]; place < b->begin[block + 1]; place++) {
        int64_t row = fur_strict_row(&w->t, place);
        int64_t count = w->start[place + 1] - w->start[place];
        int64_t first = w->t.upper ? fur_offset_at(a, row + 1) - count : fur_offset_at(a, row);
        for (int64_t k = first; k < first + count; k++) {
            int32_t other = b->of[fur_strict_row(&w->t, a->columns[k])];
            if (other == last || other == block || seen[other] == block)
                continue;
            if (next == b->room)
                return -1;
            b->needs[next++] = last = other;
            seen[other] = (int32_t)block;
        }
    }
    return next;
}

/* Sets the needs of all; false if there are too many. */
static bool find_needs(blocks *b)
{
    int32_t *seen = b->position;
    int64_t next = 0;
    for (int64_t i = 0; i < b->count; i++)
        seen[i] = -1;
    for (int64_t i = 0; i < b->count && next >= 0; i++) {
        next = list_needs(b, i, seen, next);
        b->needs_end[i] = next;
    }
    return next >= 0;
}

static int64_t needs_begin(const blocks *b, int64_t block)
{
    return block > 0 ? b->needs_end[block - 1] : 0;
}

/* Sets levels; returns how many there are. first: zeros, where their counts go, one up. */
static int64_t find_levels(blocks *b, int64_t *first)
{
    int64_t levels = 0;
    for (int64_t i = 0; i < b->count; i++) {
        int32_t own = 0;
        for (int64_t k = needs_begin(b, i); k < b->needs_end[i]; k++)
            own = b->level[b->needs[k]] >= own ? b->level[b->needs[k]] + 1 : own;
        b->level[i] = own;
        levels = fur_larger(levels, own + 1);
        first[own + 1]++;
    }
    return levels;
}

/* The tasks, level by level. */
static void list_tasks(blocks *b, fur_trsv_task *task)
{
    for (int64_t i = 0; i < b->count; i++) {
        int64_t needs = 0;
        for (int64_t k = needs_begin(b, i); k < b->needs_end[i]; k++)
            needs = fur_larger(needs, b->position[b->needs[k]] + 1);
        task[b->position[i]] = (fur_trsv_task){b->begin[i], b->begin[i + 1], needs};
        b->cost[b->position[i]] =
            (double)(fur_strict_work(b->w, b->begin[i], b->begin[i + 1]) + BLOCK_COST);
    }
}

/* Blocks in their order, one after the other: for rows in no order that blocks could use. */
static void place_in_order(blocks *b)
{
    for (int64_t i = 0; i < b->count; i++) {
        b->position[i] = (int32_t)i;
        b->needs[i] = (int32_t)i; /* of the next */
        b->needs_end[i] = i;
    }
}

static fur_status place_by_level(fur_env *env, blocks *b)
{
    int64_t *first;
    FUR_TRY(fur_env_allocate_zeros(env, b->count + 1, sizeof *first, &first));
    int64_t levels = find_levels(b, first);
    for (int64_t l = 0; l < levels; l++)
        first[l + 1] += first[l];
    for (int64_t i = 0; i < b->count; i++)
        b->position[i] = (int32_t)first[b->level[i]]++;
    fur_env_release(env, first);
    return FUR_OK;
}

/* The schedule with blocks of that work; its time is that of serial blocks if they need too many.
 */
static fur_status try_size(fur_env *env, blocks *b, int64_t work, fur_schedule *out)
{
    fur_trsv_task *task;
    cut(b, work);
    if (find_needs(b))
        FUR_TRY(place_by_level(env, b));
    else
        place_in_order(b);
    FUR_TRY(fur_env_allocate(env, b->count, sizeof *task, &task));
    list_tasks(b, task);
    *out = (fur_schedule){.name = "blocks", .task = task, .count = b->count};
    out->time = fur_schedule_play(out, b->cost, b->w->threads, b->finish);
    return FUR_OK;
}

/* Sizes from a quarter of a thread's share on down, as long as smaller blocks may be worth it. */
static fur_status try_sizes(fur_env *env, blocks *b, int64_t least, fur_schedule *best)
{
    int64_t all = fur_strict_work(b->w, 0, b->w->t.a->rows);
    int64_t work = fur_larger(all / (4 * (int64_t)b->w->threads), least);
    FUR_TRY(try_size(env, b, work, best));
    while (work / SMALLER >= least && best->time * b->w->threads > 1.1 * (double)all) {
        fur_schedule other;
        work /= SMALLER;
        FUR_TRY(try_size(env, b, work, &other));
        fur_schedule slower = other.time < best->time ? *best : other;
        *best = other.time < best->time ? other : *best;
        fur_schedule_release(env, &slower);
    }
    return FUR_OK;
}

static void release(fur_env *env, blocks *b)
{
    fur_env_release(env, b->finish);
    fur_env_release(env, b->cost);
    fur_env_release(env, b->position);
    fur_env_release(env, b->level);
    fur_env_release(env, b->needs);
    fur_env_release(env, b->needs_end);
    fur_env_release(env, b->of);
    fur_env_release(env, b->begin);
}

fur_status fur_schedule_blocks(fur_env *env, const fur_workload *w, fur_schedule *out)
{
    int64_t n = w->t.a->rows;
    int64_t least = fur_larger(BLOCK_WORK, fur_strict_work(w, 0, n) / INT32_MAX);
    /* Two in a row have the least work of one that ends early: a long row may follow a short one.
     */
    int64_t most = fur_smaller(n, 2 * (fur_strict_work(w, 0, n) / LEAST_BLOCK) + 2);
    blocks b = {.w = w, .room = most * MOST_NEEDS};
    fur_schedule best = {.name = NULL};
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, most + 1, sizeof *b.begin, &b.begin));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *b.of, &b.of));
    FUR_TRY_DONE(fur_env_allocate(env, most, sizeof *b.needs_end, &b.needs_end));
    FUR_TRY_DONE(fur_env_allocate(env, b.room, sizeof *b.needs, &b.needs));
    FUR_TRY_DONE(fur_env_allocate(env, most, sizeof *b.level, &b.level));
    FUR_TRY_DONE(fur_env_allocate(env, most, sizeof *b.position, &b.position));
    FUR_TRY_DONE(fur_env_allocate(env, most, sizeof *b.cost, &b.cost));
    FUR_TRY_DONE(fur_env_allocate(env, most, sizeof *b.finish, &b.finish));
    FUR_TRY_DONE(try_sizes(env, &b, least, &best));
    *out = best;
    best = (fur_schedule){.name = NULL};
done:
    fur_schedule_release(env, &best);
    release(env, &b);
    return status;
}
