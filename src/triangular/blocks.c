/* The schedule by blocks. Rows stay in their order, in which memory is read fastest, and are cut
 * into blocks of about equal work. A block needs the blocks that contain its rows' entries. Blocks
 * have levels, as rows have, and are taken level by level. On a grid a block is a few lines. While
 * one thread advances in a plane, another thread follows some lines behind in the next plane. */
#include "split.h"
#include "triangular.h"

/* BLOCK_COST: the cost of handing a block over. BLOCK_WORK: the least work of blocks that is tried.
 * LEAST_BLOCK: the least work of a block that ends early. */
#define BLOCK_COST 250
#define BLOCK_WORK 2000
#define LEAST_BLOCK 500
/* If blocks need more blocks than this on average, the rows are in an order that blocks cannot
 * use. */
#define MAX_NEEDS 32
/* Each trial has blocks smaller by this factor. */
#define SMALLER 4

/* Blocks of one size. */
typedef struct blocks {
    const fur_workload *w;
    int64_t count;
    int64_t *begin;     /* first place of each block, then the end of the last */
    int32_t *of;        /* block of each place */
    int64_t *needs_end; /* end of the needs of each block */
    int32_t *needs;
    int64_t room;
    int32_t *level;
    int32_t *position; /* position of each block in the order of levels */
    double *cost;
    double *finish;
} blocks;

/* The last place before `place` that its row needs, or -1 if it needs no place. */
static int64_t nearest(const fur_workload *w, int64_t place)
{
    const fur_csr_view *a = w->t.a;
    int64_t row = fur_strict_row(&w->t, place);
    int64_t count = w->start[place + 1] - w->start[place];
    int64_t first =
        w->t.upper ? fur_offset_at(a, row + 1) - count : fur_offset_at(a, row) + count - 1;
    return count > 0 ? fur_strict_row(&w->t, a->columns[first]) : -1;
}

/* The end of a block that begins at `begin`. If a row needs a row of the block, and the next row
 * needs none, the block ends between them: the next row is like the first point of a plane.
 * Otherwise the block has all its work. It then ends before the row of its second half that is
 * farthest from the rows that it needs, like the first point of a line. Blocks that end within a
 * line or plane would need each other one after the other. */
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

/* Cuts places into blocks of at most this work, or of one row. */
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

/* Lists the other blocks that a block needs, each once, from `next` on. seen: the block that has
 * last listed each block. Returns the end, or -1 if there is not enough memory. */
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

/* Sets the needs of all blocks. Returns false if there are too many. */
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

/* Sets the levels, and returns their number. first: zeros; first[l + 1] becomes the number of
 * blocks of level l. */
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

/* Lists the tasks, level by level. */
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

/* Puts the blocks in order, each waiting for the block before, if the row order does not suit
 * blocks. */
static void place_in_order(blocks *b)
{
    for (int64_t i = 0; i < b->count; i++) {
        b->position[i] = (int32_t)i;
        b->needs[i] = (int32_t)i; /* the need of the next block */
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

/* Makes the schedule with blocks of this work. If blocks need too many others, they are taken
 * serially. */
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

/* Tries sizes from a quarter of a thread's share downwards, while smaller blocks may be faster. */
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
    /* Two consecutive blocks have at least LEAST_BLOCK work together: a long row may follow a short
     * row. */
    int64_t most = fur_smaller(n, 2 * (fur_strict_work(w, 0, n) / LEAST_BLOCK) + 2);
    blocks b = {.w = w, .room = most * MAX_NEEDS};
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
