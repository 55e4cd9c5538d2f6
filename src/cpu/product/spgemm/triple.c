/* C = R (A P) in one pass, without storing A P. A row of A P is summed and rounded to the value
 * type, and then added to the row of C at once (fused as in hypre's RAP, Henson and Yang 2002).
 * This pays if each row of A P is needed about once, as for aggregates. The bits are the same as
 * with two products.
 *
 * A hash table with open addresses finds the sums of a row of C. It has twice as many places as the
 * row can have entries, so that it stays in the first-level cache. The sums are sorted at the end.
 *
 * Compulsory traffic: R and A once, the rows of P each time the caches have lost them, C twice.
 *
 * Tried: computing the pattern first and then the values, both fused, was slower than one pass.
 * Smoothed aggregates, fused, took 240 ms; two products take 130. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "product.h"
#    include "scalar.h"
#    include "sort.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    include <string.h>

/* One pass pays if R reads at most 9 rows of A P for each 8 rows that A P has. */
#    define NEEDED_NUMERATOR 9
#    define NEEDED_DENOMINATOR 8
/* The most places for columns of C, for each entry of A and P. */
#    define ROOM_PER_ENTRY 2
/* Up to this many columns are sorted by insertion. */
#    define FEW_COLUMNS 48
#    define LEAST_BITS 4
/* The most entries of a row: a table has 32-bit numbers. */
#    define MAX_COLUMNS (INT64_C(1) << 29)

/* Spreads columns over a table of 2^bits places (Knuth, The Art of Computer Programming, 6.4). */
static inline uint32_t place_of(int32_t column, int bits)
{
    return ((uint32_t)column * UINT32_C(2654435761)) >> (32 - bits);
}

/* The matrices, their blocks of rows, and the results. */
typedef struct triple_state triple_state;
struct triple_state {
    const fur_csr_view *r;
    const fur_csr_view *a;
    const fur_csr_view *p;
    int lanes;
    int blocks;
    int64_t *bounds; /* first row of each block, then the number of rows */
    int64_t *room;   /* running sums of the entries that rows may have; then the offsets of C */
    int64_t *begins; /* for each block: its first place in columns and values */
    int32_t *columns;
    void *values;
    int64_t longest; /* the most entries that a row may have */
    int bits;        /* log2 of the places in a table for that */
    int64_t bytes;   /* bytes of a lane's memory */
    char *memory;
    void (*run)(triple_state *t, int64_t block, char *memory);
    fur_shared next; /* the first block that no lane has taken */
    /* The destination of C. */
    const fur_csr_view *c;
    char *to;
};

/* log2 of the places in a table for a row of `entries` entries. */
static inline int table_bits(int64_t entries)
{
    int bits = LEAST_BITS;
    while ((INT64_C(1) << bits) < 2 * entries)
        bits++;
    return bits;
}

#    define FUR_TEMPLATE "product/spgemm/triple.c"
#    include "foreach_value.h"

static int64_t longest_row(const fur_csr_view *m)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < m->rows; i++)
        longest = fur_larger(longest, fur_offset_at(m, i + 1) - fur_offset_at(m, i));
    return longest;
}

/* room[i + 1] = the entries that rows 0 .. i of C may have; most + 1 if they may have more than
 * `most`. */
static void sum_room(triple_state *t, int64_t most)
{
    int64_t each = longest_row(t->p);
    t->room[0] = 0;
    for (int64_t i = 0; i < t->r->rows; i++) {
        int64_t entries = 0;
        int64_t end = fur_offset_at(t->r, i + 1);
        for (int64_t e = fur_offset_at(t->r, i); e < end; e++) {
            int32_t k = t->r->columns[e];
            entries += fur_offset_at(t->a, k + INT64_C(1)) - fur_offset_at(t->a, k);
        }
        entries = each > 0 && entries > t->p->cols / each ? t->p->cols : entries * each;
        t->longest = fur_larger(t->longest, entries);
        t->room[i + 1] = fur_smaller(t->room[i] + entries, most + 1);
    }
}

static void release(fur_env *env, void *state)
{
    triple_state *t = state;
    if (!t)
        return;
    fur_env_release(env, t->bounds);
    fur_env_release(env, t->room);
    fur_env_release(env, t->begins);
    fur_env_release(env, t->columns);
    fur_env_release(env, t->values);
    fur_env_release(env, t->memory);
    fur_env_release(env, t);
}

static void run_lanes(void *job, int64_t begin, int64_t end)
{
    triple_state *t = job;
    for (int64_t lane = begin; lane < end; lane++)
        for (int64_t block; (block = fur_shared_take(&t->next, 1)) < t->blocks;)
            t->run(t, block, t->memory + lane * t->bytes);
}

static fur_status cut_rows(fur_env *env, triple_state *t)
{
    int64_t rows = t->r->rows;
    int64_t worth = (t->a->entries + t->r->entries) / SPGEMM_GRAIN;
    t->lanes = fur_lanes(env->threads, worth);
    t->blocks = fur_parts(env->threads, worth);
    FUR_TRY(fur_env_allocate(env, t->blocks + 1, sizeof *t->bounds, &t->bounds));
    FUR_TRY(fur_env_allocate(env, t->blocks + 1, sizeof *t->begins, &t->begins));
    for (int i = 0; i <= t->blocks; i++) {
        t->bounds[i] = fur_balanced_unit(t->room, rows, t->blocks, i);
        t->begins[i] = t->room[t->bounds[i]];
    }
    return FUR_OK;
}

/* Allocates the memory of the lanes and of their results. */
static fur_status make_room(fur_env *env, triple_state *t)
{
    static int64_t (*const bytes[FUR_VALUE_COUNT])(const triple_state *) =
        FUR_VALUE_TABLE(lane_bytes);
    int64_t room = t->begins[t->blocks];
    t->bits = table_bits(t->longest);
    t->bytes = (bytes[t->a->value_type](t) + FUR_ALIGNMENT - 1) / FUR_ALIGNMENT * FUR_ALIGNMENT;
    FUR_TRY(fur_env_allocate(env, room + 1, sizeof *t->columns, &t->columns));
    FUR_TRY(fur_env_allocate(env, room + 1, fur_value_size(t->a->value_type), &t->values));
    return fur_env_allocate_zeros(env, t->lanes, (size_t)t->bytes, &t->memory);
}

static fur_status multiply(fur_env *env, triple_state *t)
{
    static void (*const run[FUR_VALUE_COUNT])(triple_state *, int64_t, char *) =
        FUR_VALUE_TABLE(multiply_block);
    int64_t most = ROOM_PER_ENTRY * (t->a->entries + t->p->entries);
    int64_t needed = t->a->rows / NEEDED_DENOMINATOR * NEEDED_NUMERATOR + NEEDED_NUMERATOR;
    if (t->r->entries > needed)
        return FUR_UNSUPPORTED;
    FUR_TRY(fur_env_allocate(env, t->r->rows + 1, sizeof *t->room, &t->room));
    sum_room(t, most);
    if (t->room[t->r->rows] > most || t->longest > MAX_COLUMNS)
        return FUR_UNSUPPORTED;
    FUR_TRY(cut_rows(env, t));
    FUR_TRY(make_room(env, t));
    t->run = run[t->a->value_type];
    fur_parallel(env, t->lanes, t->lanes, run_lanes, t);
    return FUR_OK;
}

static fur_status compute(fur_env *env, const fur_csr_view *r, const fur_csr_view *a,
                          const fur_csr_view *p, void **state, int64_t *entries)
{
    triple_state *t;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *t, &t));
    t->r = r;
    t->a = a;
    t->p = p;
    fur_status status = multiply(env, t);
    if (status != FUR_OK) {
        release(env, t);
        return status;
    }
    for (int64_t i = 0; i < r->rows; i++)
        t->room[i + 1] += t->room[i];
    *entries = t->room[r->rows];
    *state = t;
    return FUR_OK;
}

static void take_blocks(void *job, int64_t begin, int64_t end)
{
    const triple_state *t = job;
    const size_t size = fur_value_size(t->c->value_type);
    for (int64_t block = begin; block < end; block++) {
        int64_t first = t->room[t->bounds[block]];
        int64_t count = t->room[t->bounds[block + 1]] - first;
        if (count == 0)
            continue;
        memcpy((int32_t *)(uintptr_t)t->c->columns + first, t->columns + t->begins[block],
               (size_t)count * sizeof *t->columns);
        memcpy(t->to + (size_t)first * size,
               (const char *)t->values + (size_t)t->begins[block] * size, (size_t)count * size);
    }
}

static void take(fur_env *env, void *state, const fur_csr_view *c, void *values)
{
    triple_state *t = state;
    void *offsets = (void *)(uintptr_t)c->offsets;
    t->c = c;
    t->to = values;
    for (int64_t i = 0; i <= c->rows; i++)
        fur_offsets_set(c->offset_type, offsets, i, t->room[i]);
    fur_parallel(env, t->blocks, t->blocks, take_blocks, t);
}

extern const fur_triple_kernels ISA(triple_kernels);
const fur_triple_kernels ISA(triple_kernels) = {compute, take, release};
#else

/* The sums of one column in a row of C, and in the current row of A P. */
typedef struct FN(sum) {
    int32_t column;
    int32_t seen; /* the last row of A P with this column, counting from 1 */
    VALUE of_ap;
    VALUE of_c;
} FN(sum);

/* The workspace of a lane. Numbers of sums count from 1. */
typedef struct FN(sums) {
    uint64_t *items;
    FN(sum) * sums;
    int32_t *table;   /* numbers of sums; all 0 between rows */
    int32_t *places;  /* places of the sums in the table */
    int32_t *touched; /* sums of the current row of A P */
    int bits;
    int32_t count;
} FN(sums);

static int64_t FN(lane_bytes)(const triple_state *t)
{
    int64_t each = (int64_t)(sizeof(uint64_t) + sizeof(FN(sum)) + 2 * sizeof(int32_t));
    return (t->longest + 1) * each + (INT64_C(1) << t->bits) * (int64_t)sizeof(int32_t);
}

static inline FN(sums) FN(open_sums)(const triple_state *t, char *memory)
{
    FN(sums) s = {.items = (uint64_t *)(void *)memory};
    s.sums = (FN(sum) *)(void *)(s.items + t->longest + 1);
    s.table = (int32_t *)(void *)(s.sums + t->longest + 1);
    s.places = s.table + (INT64_C(1) << t->bits);
    s.touched = s.places + t->longest + 1;
    return s;
}

/* The number of a column's sum. A column that is new gets 0. */
static inline int32_t FN(find)(FN(sums) * s, int32_t column)
{
    uint32_t mask = (UINT32_C(1) << s->bits) - 1;
    uint32_t place = place_of(column, s->bits);
    int32_t number = s->table[place];
    while (number != 0 && s->sums[number].column != column) {
        place = (place + 1) & mask;
        number = s->table[place];
    }
    if (number != 0)
        return number;
    number = ++s->count;
    s->table[place] = number;
    s->places[number] = (int32_t)place;
    s->sums[number] = (FN(sum)){.column = column};
    return number;
}

/* Adds factor times row k of A P, which is number `turn` of this row of C. */
static inline void FN(add_row)(const triple_state *t, FN(sums) * s, VALUE factor, int32_t k,
                               int32_t turn)
{
    const VALUE zero = V(from)((fur_scalar){0, 0});
    const VALUE one = V(from)((fur_scalar){1, 0});
    const VALUE *a_values = t->a->values;
    const VALUE *p_values = t->p->values;
    int32_t touched = 0;
    int64_t end = fur_offset_at(t->a, k + INT64_C(1));
    for (int64_t e = fur_offset_at(t->a, k); e < end; e++) {
        int32_t j = t->a->columns[e];
        int64_t stop = fur_offset_at(t->p, j + INT64_C(1));
        for (int64_t q = fur_offset_at(t->p, j); q < stop; q++) {
            int32_t number = FN(find)(s, t->p->columns[q]);
            FN(sum) *sum = &s->sums[number];
            if (sum->seen != turn) {
                sum->seen = turn;
                sum->of_ap = zero;
                s->touched[touched++] = number;
            }
            sum->of_ap = V(fma)(a_values[e], p_values[q], sum->of_ap);
        }
    }
    for (int32_t i = 0; i < touched; i++) {
        FN(sum) *sum = &s->sums[s->touched[i]];
        sum->of_c = V(fma)(factor, V(mul)(one, sum->of_ap), sum->of_c);
    }
}

/* Sorts the row's columns, and empties the table. */
static inline void FN(sort_row)(FN(sums) * s)
{
    for (int32_t number = 1; number <= s->count; number++) {
        uint64_t item = fur_item(s->sums[number].column, number);
        int32_t at = number - 1;
        s->table[s->places[number]] = 0;
        if (s->count <= FEW_COLUMNS)
            for (; at > 0 && s->items[at - 1] > item; at--)
                s->items[at] = s->items[at - 1];
        s->items[at] = item;
    }
    if (s->count > FEW_COLUMNS)
        fur_sort_in_place(s->items, s->count);
}

/* Computes the rows of a block. The number of entries of each row replaces its running sum of
 * room. */
static void FN(multiply_block)(triple_state *t, int64_t block, char *memory)
{
    const VALUE one = V(from)((fur_scalar){1, 0});
    const VALUE *r_values = t->r->values;
    int32_t *columns = t->columns + t->begins[block];
    VALUE *values = (VALUE *)t->values + t->begins[block];
    FN(sums) s = FN(open_sums)(t, memory);
    int64_t before = t->begins[block];
    for (int64_t i = t->bounds[block]; i < t->bounds[block + 1]; i++) {
        int64_t begin = fur_offset_at(t->r, i);
        int64_t end = fur_offset_at(t->r, i + 1);
        s.bits = table_bits(t->room[i + 1] - before);
        s.count = 0;
        before = t->room[i + 1];
        for (int64_t e = begin; e < end; e++)
            FN(add_row)(t, &s, r_values[e], t->r->columns[e], (int32_t)(e - begin) + 1);
        FN(sort_row)(&s);
        for (int32_t n = 0; n < s.count; n++) {
            *columns++ = fur_item_key(s.items[n]);
            *values++ = V(mul)(one, s.sums[fur_item_number(s.items[n])].of_c);
        }
        t->room[i + 1] = s.count;
    }
}

#endif
