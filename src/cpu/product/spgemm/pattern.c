/* The pattern of C = A B. First the rows are counted. When C has memory, its pattern is filled in.
 *
 * A row of C is the union of rows of B (Gustavson 1978; find.h). A row of C that repeats the row
 * before is not computed again. */
#include "balance.h"
#include "find.h"

#include <string.h>

#define ROW_GRAIN 4096

/* The columns found while counting the rows of C are kept, up to this many for each entry of A and
 * B. They take less memory than A and B. This is enough for all columns of products such as A P of
 * multigrid. */
#define KEPT_PER_ENTRY 2

/* The largest work of a block. After each of its blocks the caller's thread checks whether to
 * stop. */
#define BLOCK_WORK (1 << 18)
#define BLOCKS_MAX 1024

/* The caller's thread runs one of the lanes, and may be told to stop. Then no lane finds another
 * block. */
static void run_lanes(void *job, int64_t begin, int64_t end)
{
    spgemm_step *s = job;
    const int64_t blocks = s->state->blocks;
    const bool asks = pthread_equal(s->caller, pthread_self());
    for (int64_t lane = begin; lane < end; lane++)
        for (int64_t i; (i = fur_shared_take(&s->next, 1)) < blocks;) {
            s->run(s, (int)lane, i);
            if (asks && (s->status = fur_env_pause(s->env)) != FUR_OK)
                fur_shared_take(&s->next, blocks);
        }
}

fur_status ISA(spgemm_run)(fur_env *env, spgemm_step *step)
{
    step->next = 0;
    step->env = env;
    step->caller = pthread_self();
    step->status = FUR_OK;
    fur_parallel(env, step->state->lanes, step->state->lanes, run_lanes, step);
    return step->status;
}

/* The offsets of a part of the rows, or how its rows repeat. */
typedef struct looking {
    const fur_csr_view *a;
    const fur_csr_view *b;
    int64_t *work;
    uint8_t *repeats;
} looking;

/* work[i + 1] = the number of products in row i. */
static void count_products(void *job, int64_t begin, int64_t end)
{
    const looking *l = job;
    const fur_csr_view *a = l->a;
    for (int64_t i = begin; i < end; i++) {
        int64_t products = 0;
        int64_t last = fur_offset_at(a, i + 1);
        for (int64_t e = fur_offset_at(a, i); e < last; e++)
            products += fur_offset_at(l->b, a->columns[e] + 1) - fur_offset_at(l->b, a->columns[e]);
        l->work[i + 1] = products;
    }
}

static void find_repeats(void *job, int64_t begin, int64_t end)
{
    const looking *l = job;
    for (int64_t i = begin; i < end; i++)
        l->repeats[i] = (uint8_t)(i > 0 ? repeats_of(l->a, i) : 0);
}

/* Computes the running sums of the rows' work. The work of a row is its products, its entries in A
 * and one more. Returns the number of products. */
static int64_t sum_work(const fur_csr_view *a, int64_t *work)
{
    int64_t products = 0;
    work[0] = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t more = work[i + 1];
        int64_t entries = fur_offset_at(a, i + 1) - fur_offset_at(a, i);
        if (__builtin_add_overflow(products, more, &products))
            products = INT64_MAX;
        if (__builtin_add_overflow(work[i], fur_smaller(more, INT32_MAX) + entries + 1,
                                   &work[i + 1]))
            work[i + 1] = INT64_MAX;
    }
    return products;
}

/* Allocates memory for the columns of the blocks, in proportion to their work. */
static fur_status make_room(fur_env *env, const fur_csr_view *a, const fur_csr_view *b,
                            int64_t products, spgemm_state *s)
{
    int64_t columns = fur_smaller(products, KEPT_PER_ENTRY * (a->entries + b->entries));
    double share = (double)columns / (double)fur_larger(s->work[s->blocks], 1);
    FUR_TRY(fur_env_allocate(env, s->blocks + 1, sizeof *s->room, &s->room));
    FUR_TRY(fur_env_allocate(env, s->blocks, sizeof *s->known, &s->known));
    for (int i = 0; i <= s->blocks; i++)
        s->room[i] = (int64_t)(share * (double)s->work[i]);
    /* One more element, because the place behind the last element must exist even if there are no
     * columns. */
    return fur_env_allocate(env, s->room[s->blocks] + 1, sizeof *s->found, &s->found);
}

/* Cuts the rows into blocks. Until then the offsets hold the running sums of the work. */
static fur_status cut_rows(fur_env *env, const fur_csr_view *a, const fur_csr_view *b,
                           spgemm_state *s, int64_t *products)
{
    FUR_TRY(fur_env_allocate(env, a->rows + 1, sizeof *s->starts, &s->starts));
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, count_products,
                 &(looking){a, b, s->starts, NULL});
    *products = sum_work(a, s->starts);
    int64_t worth = s->starts[a->rows] / SPGEMM_GRAIN;
    s->lanes = fur_lanes(env->threads, worth);
    int64_t most = fur_smaller(s->starts[a->rows] / BLOCK_WORK, a->rows);
    s->blocks = (int)fur_larger(fur_parts(env->threads, worth), fur_smaller(most, BLOCKS_MAX));
    FUR_TRY(fur_env_allocate(env, s->blocks + 1, sizeof *s->bounds, &s->bounds));
    FUR_TRY(fur_env_allocate(env, s->blocks + 1, sizeof *s->work, &s->work));
    for (int i = 0; i <= s->blocks; i++) {
        s->bounds[i] = fur_balanced_unit(s->starts, a->rows, s->blocks, i);
        s->work[i] = s->starts[s->bounds[i]];
    }
    return make_room(env, a, b, *products, s);
}

static fur_status look_for_repeats(fur_env *env, const fur_csr_view *m, uint8_t **out)
{
    FUR_TRY(fur_env_allocate(env, m->rows, sizeof **out, out));
    fur_parallel(env, m->rows / ROW_GRAIN, m->rows, find_repeats, &(looking){m, NULL, NULL, *out});
    return FUR_OK;
}

static int repeats_here(const spgemm_step *s, int64_t i)
{
    return repeats_product(s->a, i, s->state->repeats_a, s->state->repeats_b);
}

/* Replaces the running sums of work by the number of entries in each row. */
static void count_block(spgemm_step *s, int lane, int64_t block)
{
    spgemm_state *state = s->state;
    int64_t *starts = state->starts;
    int64_t end = state->bounds[block + 1];
    int32_t *to = state->found + state->room[block];
    const int32_t *room_end = state->found + state->room[block + 1];
    finder f = finder_open(s, lane);
    int64_t before = state->work[block];
    state->known[block] = end;
    for (int64_t i = state->bounds[block]; i < end; i++) {
        int64_t work = starts[i + 1] - before;
        before = starts[i + 1];
        if (i > state->bounds[block] && repeats_here(s, i)) {
            starts[i + 1] = starts[i];
            continue;
        }
        if (fur_smaller(work, s->b->cols) > room_end - to)
            state->known[block] = fur_smaller(state->known[block], i);
        if (i < state->known[block]) {
            int32_t *next = find_row(&f, i, work, to);
            starts[i + 1] = next - to;
            to = next;
        } else {
            starts[i + 1] = find_count(&f, i, work);
        }
    }
}

/* Copies the columns of the row before, shifted by `step`. */
static void repeat_row(int32_t *columns, int64_t count, int32_t step)
{
    const int32_t *before = columns - count;
    for (int64_t k = 0; k < count; k++)
        columns[k] = before[k] + step;
}

static void fill_block(spgemm_step *s, int lane, int64_t block)
{
    const spgemm_state *state = s->state;
    const int64_t *starts = state->starts;
    const int32_t *found = state->found + state->room[block];
    int32_t *columns = (int32_t *)(uintptr_t)s->c->columns;
    void *offsets = (void *)(uintptr_t)s->c->offsets;
    finder f = finder_open(s, lane);
    int64_t width = 0;
    for (int64_t i = state->bounds[block]; i < state->bounds[block + 1]; i++) {
        int64_t count = starts[i + 1] - starts[i];
        fur_offsets_set(s->c->offset_type, offsets, i + 1, starts[i + 1]);
        if (count == 0)
            continue;
        int32_t *row = columns + starts[i];
        int repeats = i > state->bounds[block] ? repeats_here(s, i) : 0;
        if (repeats) {
            repeat_row(row, count, repeats & REPEATS_SAME ? 0 : 1);
            continue;
        }
        if (i < state->known[block]) {
            memcpy(row, found, (size_t)count * sizeof *row);
            found += count;
        } else {
            find_row(&f, i, 2 * count, row); /* they are few, whatever the row's work is */
        }
        width = fur_larger(width, row[count - 1] - row[0] + INT64_C(1));
    }
    fur_shared_largest(&s->width, width);
}

/* Runs a step that marks columns. */
static fur_status run_marking(fur_env *env, spgemm_step *step)
{
    step->room = finder_room(step->b->cols);
    FUR_TRY(fur_env_allocate_zeros(env, step->room * step->state->lanes, sizeof *step->marks,
                                   &step->marks));
    fur_status status = ISA(spgemm_run)(env, step);
    fur_env_release(env, step->marks);
    return status;
}

static fur_status count(fur_env *env, const fur_csr_view *a, const fur_csr_view *b, spgemm_state *s,
                        fur_spgemm_size *size)
{
    FUR_TRY(cut_rows(env, a, b, s, &size->products));
    FUR_TRY(look_for_repeats(env, a, &s->repeats_a));
    if (a->columns == b->columns && a->rows == b->rows)
        s->repeats_b = s->repeats_a;
    else
        FUR_TRY(look_for_repeats(env, b, &s->repeats_b));
    spgemm_step step = {.state = s, .a = a, .b = b, .run = count_block};
    FUR_TRY(run_marking(env, &step));
    s->starts[0] = 0;
    return FUR_OK;
}

fur_status ISA(spgemm_count)(fur_env *env, const fur_csr_view *a, const fur_csr_view *b,
                             void **state, fur_spgemm_size *size)
{
    spgemm_state *s;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *s, &s));
    fur_status status = count(env, a, b, s, size);
    if (status != FUR_OK) {
        ISA(spgemm_release)(env, s);
        return status;
    }
    for (int64_t i = 0; i < a->rows; i++)
        s->starts[i + 1] += s->starts[i];
    size->entries = s->starts[a->rows];
    *state = s;
    return FUR_OK;
}

static void drop_pattern(fur_env *env, spgemm_state *s)
{
    fur_env_release(env, s->starts);
    if (s->repeats_b != s->repeats_a)
        fur_env_release(env, s->repeats_b);
    fur_env_release(env, s->repeats_a);
    fur_env_release(env, s->found);
    fur_env_release(env, s->room);
    fur_env_release(env, s->known);
    s->found = NULL;
    s->room = NULL;
    s->known = NULL;
    s->starts = NULL;
    s->repeats_a = NULL;
    s->repeats_b = NULL;
}

fur_status ISA(spgemm_fill)(fur_env *env, void *state, const fur_csr_view *a, const fur_csr_view *b,
                            const fur_csr_view *c)
{
    spgemm_state *s = state;
    spgemm_step step = {.state = s, .a = a, .b = b, .c = c, .run = fill_block};
    fur_offsets_set(c->offset_type, (void *)(uintptr_t)c->offsets, 0, 0);
    FUR_TRY(run_marking(env, &step));
    drop_pattern(env, s);
    s->width = step.width;
    s->stride = (s->width * (int64_t)fur_value_size(c->value_type) + FUR_ALIGNMENT - 1) /
                FUR_ALIGNMENT * FUR_ALIGNMENT;
    return fur_env_allocate_zeros(env, s->stride * s->lanes + 1, 1, &s->sums);
}

void ISA(spgemm_release)(fur_env *env, void *state)
{
    spgemm_state *s = state;
    if (!s)
        return;
    drop_pattern(env, s);
    fur_env_release(env, s->bounds);
    fur_env_release(env, s->work);
    fur_env_release(env, s->sums);
    fur_env_release(env, s);
}
