/* SpMV on slices of eight rows whose columns are kept as runs ("sell_runs"): a lossless form of A
 * for matrices in which neighbouring rows look alike, such as stencils and meshes.
 *
 * A slice is eight consecutive rows, one a lane, as in SELL-8 (Kreutzer et al. 2014). It is a list
 * of steps; in a step each lane that takes part consumes the next entry of its row, so rows keep
 * their order of additions. Where the entries of a step lie on one diagonal, lane i in column
 * base + i, the step stores `base` alone and x is loaded, not gathered; other steps store eight
 * columns. A mask says which lanes take part: the others read nothing, so that padding can meet no
 * NaN in x.
 *
 * Bytes a step: 8 entries + 5, and 32 where columns are stored; a row of n entries on diagonals
 * that its neighbours share: n (entry + 5/8) + 1/4, against n (entry + 4) + offset in CSR. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "cost.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "split.h"
#    include "stream.h"
#    include "table.h"

/* Slices are found through their chunk, which notes where its part of each stream begins. */
#    define CHUNK_SLICES 64
#    define CHUNK_ROWS (CHUNK_SLICES * LANES)
/* Chunks that are worth a thread when the form is made. */
#    define CHUNK_GRAIN 4
/* A diagonal with fewer entries than this is not worth a step of its own. */
#    define LEAST_RUN 3
/* In place of a base: the step's columns are stored. */
#    define GATHER INT32_MIN

typedef struct runs {
    int64_t chunks;
    int64_t *step;    /* first of each chunk, and their number; one more than chunks */
    int64_t *gather;  /* likewise of the gathering steps */
    uint16_t *slice;  /* steps of each slice */
    int32_t *base;    /* per step */
    uint8_t *mask;    /* per step */
    int32_t *columns; /* eight per gathering step */
    void *values;     /* eight per step */
} runs;

/* Progress through the rows of a slice while it is cut into steps. */
typedef struct cursor {
    const int32_t *columns;
    int64_t next[LANES];
    int64_t end[LANES];
} cursor;

typedef struct step {
    int64_t base; /* GATHER or the column of lane 0, which may be negative if it takes no part */
    unsigned mask;
} step;

static cursor open_slice(const fur_csr_view *a, int64_t row)
{
    cursor c = {.columns = a->columns};
    for (int i = 0; i < LANES; i++) {
        bool real = row + i < a->rows;
        c.next[i] = real ? fur_offset_at(a, row + i) : 0;
        c.end[i] = real ? fur_offset_at(a, row + i + 1) : 0;
    }
    return c;
}

/* The next step: the leftmost diagonal if enough lanes have an entry on it, else one entry of every
 * row that has any left. An empty mask ends the slice. */
static step next_step(const cursor *c)
{
    int64_t leftmost = INT64_MAX;
    unsigned active = 0;
    unsigned on_leftmost = 0;
    for (int i = 0; i < LANES; i++) {
        if (c->next[i] == c->end[i])
            continue;
        int64_t diagonal = (int64_t)c->columns[c->next[i]] - i;
        active |= 1u << i;
        if (diagonal < leftmost) {
            leftmost = diagonal;
            on_leftmost = 0;
        }
        if (diagonal == leftmost)
            on_leftmost |= 1u << i;
    }
    if (active && (on_leftmost == active || __builtin_popcount(on_leftmost) >= LEAST_RUN))
        return (step){leftmost, on_leftmost};
    return (step){GATHER, active};
}

static void advance(cursor *c, unsigned mask)
{
    for (int i = 0; i < LANES; i++)
        c->next[i] += mask >> i & 1;
}

/* Steps and gathering steps of the slice at row. */
static int64_t count_slice(const fur_csr_view *a, int64_t row, int64_t *gathers)
{
    cursor c = open_slice(a, row);
    int64_t steps = 0;
    for (step s = next_step(&c); s.mask; s = next_step(&c)) {
        steps++;
        *gathers += s.base == GATHER;
        advance(&c, s.mask);
    }
    return steps;
}

/* Leaves the chunk's numbers of steps where the next one's first will stand. */
static void count_chunk(const fur_csr_view *a, int64_t index, runs *r)
{
    int64_t end = fur_smaller(a->rows, (index + 1) * CHUNK_ROWS);
    for (int64_t row = index * CHUNK_ROWS; row < end; row += LANES) {
        int64_t steps = count_slice(a, row, &r->gather[index + 1]);
        r->slice[row / LANES] = (uint16_t)steps;
        r->step[index + 1] += steps;
    }
}

/* A form in the making, on the way to the threads. */
typedef struct building {
    const fur_csr_view *a;
    runs *r;
    void (*set)(const fur_csr_view *a, int64_t chunk, const runs *r);
} building;

static void count_chunks(void *job, int64_t begin, int64_t end)
{
    const building *b = job;
    for (int64_t i = begin; i < end; i++)
        count_chunk(b->a, i, b->r);
}

static void set_chunks(void *job, int64_t begin, int64_t end)
{
    const building *b = job;
    for (int64_t i = begin; i < end; i++)
        b->set(b->a, i, b->r);
}

static void start_chunks(runs *r)
{
    for (int64_t i = 0; i < r->chunks; i++) {
        r->step[i + 1] += r->step[i];
        r->gather[i + 1] += r->gather[i];
    }
}

/* The steps of a chunk, without their values. */
static void set_steps(const fur_csr_view *a, int64_t index, const runs *r)
{
    int32_t *columns = r->columns + r->gather[index] * LANES;
    int64_t at = r->step[index];
    int64_t end = fur_smaller(a->rows, (index + 1) * CHUNK_ROWS);
    for (int64_t row = index * CHUNK_ROWS; row < end; row += LANES) {
        cursor c = open_slice(a, row);
        for (step s = next_step(&c); s.mask; s = next_step(&c), at++) {
            r->base[at] = (int32_t)s.base;
            r->mask[at] = (uint8_t)s.mask;
            for (int i = 0; s.base == GATHER && i < LANES; i++)
                *columns++ = s.mask >> i & 1 ? a->columns[c.next[i]] : 0;
            advance(&c, s.mask);
        }
    }
}

#    define FUR_TEMPLATE "spmv/sell_runs.c"
#    include "foreach_value.h"

static fur_status refresh(fur_env *env, const fur_csr_view *a, void *state)
{
    static void (*const set[FUR_VALUE_COUNT])(const fur_csr_view *, int64_t, const runs *) =
        FUR_VALUE_TABLE(set_values);
    const runs *r = state;
    building b = {a, state, set[a->value_type]};
    fur_parallel(env, r->chunks / CHUNK_GRAIN, r->chunks, set_chunks, &b);
    return FUR_OK;
}

static void release(fur_env *env, void *state)
{
    runs *r = state;
    if (!r)
        return;
    fur_env_release(env, r->values);
    fur_env_release(env, r->columns);
    fur_env_release(env, r->mask);
    fur_env_release(env, r->base);
    fur_env_release(env, r->slice);
    fur_env_release(env, r->gather);
    fur_env_release(env, r->step);
    fur_env_release(env, r);
}

static fur_status build(fur_env *env, const fur_csr_view *a, runs *r)
{
    FUR_TRY(fur_env_allocate_zeros(env, r->chunks + 1, sizeof *r->step, &r->step));
    FUR_TRY(fur_env_allocate_zeros(env, r->chunks + 1, sizeof *r->gather, &r->gather));
    FUR_TRY(fur_env_allocate(env, a->rows / LANES + 1, sizeof *r->slice, &r->slice));
    building b = {a, r, set_steps};
    fur_parallel(env, r->chunks / CHUNK_GRAIN, r->chunks, count_chunks, &b);
    start_chunks(r);
    /* One more of each: arithmetic on the arrays' addresses is not defined for NULL. */
    int64_t steps = r->step[r->chunks] + 1;
    int64_t gathers = r->gather[r->chunks] + 1;
    FUR_TRY(fur_env_allocate(env, steps, sizeof *r->base, &r->base));
    FUR_TRY(fur_env_allocate(env, steps, sizeof *r->mask, &r->mask));
    FUR_TRY(fur_env_allocate(env, gathers, LANES * sizeof *r->columns, &r->columns));
    FUR_TRY(fur_env_allocate(env, steps, LANES * fur_value_size(a->value_type), &r->values));
    fur_parallel(env, r->chunks / CHUNK_GRAIN, r->chunks, set_chunks, &b);
    return refresh(env, a, r);
}

static fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                       void **state)
{
    (void)profile;
    runs *r;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *r, &r));
    r->chunks = (a->rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
    fur_status status = build(env, a, r);
    if (status != FUR_OK) {
        release(env, r);
        return status;
    }
    *state = r;
    return FUR_OK;
}

static fur_status apply(const fur_spmv_call *call)
{
    static fur_spmv_multiply *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(multiply);
    const runs *r = call->state;
    int64_t entries = LANES / 2; /* most steps read no columns, and take half as long */
    return fur_spmv_by_units(call, r->step, r->chunks, entries, table[call->a->value_type]);
}

static int64_t matrix_bytes(const fur_csr_view *a, const void *state)
{
    const runs *r = state;
    int64_t step_bytes = LANES * (int64_t)fur_value_size(a->value_type) + 5;
    return r->step[r->chunks] * step_bytes + r->gather[r->chunks] * LANES * 4 +
           (a->rows / LANES + 1) * 2 + r->chunks * 2 * (int64_t)sizeof(int64_t);
}

/* Slices looked at for the estimate. */
#    define SAMPLES 64

static fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    if (profile->rows.row_max > FUR_ROW_SEGMENT)
        return (fur_spmv_cost){.refusal = "a row has more than 128 entries"};
    int64_t slices = (a->rows + LANES - 1) / LANES;
    int samples = (int)fur_smaller(slices, SAMPLES);
    int64_t counted = 0;
    int64_t gathers = 0;
    for (int i = 0; i < samples; i++)
        counted += count_slice(a, fur_split(slices, samples, i) * LANES, &gathers);
    double scale = samples > 0 ? (double)slices / samples : 0;
    double steps = scale * (double)counted;
    double gathering = scale * (double)gathers;
    fur_work work = {
        .core_ns = 1.2 * steps + 3 * gathering + 2 * (double)slices,
        .bytes = steps * (double)(LANES * fur_value_size(a->value_type) + 5) +
                 gathering * LANES * 4 + fur_vector_bytes(a),
        .far_ns = 1.1,
    };
    return (fur_spmv_cost){
        .product_ns = fur_work_ns(&work, profile),
        .plan_ns = FUR_BUILD_NS * (double)a->entries,
    };
}

extern const fur_spmv_kernel ISA(spmv_sell_runs);
const fur_spmv_kernel ISA(spmv_sell_runs) = {
    .info.name = "sell_runs",
    .info.summary = "slices of 8 rows, one index for a run of columns",
    .info.source = "after Kreutzer et al. 2014",
    .info.exact = true,
    .cost = cost,
    .plan = plan,
    .refresh = refresh,
    .apply = apply,
    .release = release,
    .matrix_bytes = matrix_bytes,
};
#else
#    include "finish.h"

typedef FUR_LANES(VALUE_NAME) FN(lanes);

/* The values of a chunk's steps. */
static void FN(set_values)(const fur_csr_view *a, int64_t index, const runs *r)
{
    const VALUE *from = a->values;
    VALUE *values = (VALUE *)r->values + r->step[index] * LANES;
    int64_t at = r->step[index];
    int64_t end = fur_smaller(a->rows, (index + 1) * CHUNK_ROWS);
    for (int64_t row = index * CHUNK_ROWS; row < end; row += LANES) {
        cursor c = open_slice(a, row);
        for (int64_t last = at + r->slice[row / LANES]; at < last; at++, values += LANES) {
            for (int i = 0; i < LANES; i++)
                values[i] = r->mask[at] >> i & 1 ? from[c.next[i]] : V(from)((fur_scalar){0, 0});
            advance(&c, r->mask[at]);
        }
    }
}

/* One step: adds its products to the lanes; moves columns past those it used. */
static inline FN(lanes) FN(add_step)(const VALUE *values, int32_t base, unsigned mask,
                                     const int32_t **columns, const VALUE *x, FN(lanes) sum)
{
    FN(lanes) v = V(load)(values);
    if (base == GATHER) {
        const int32_t *index = *columns;
        *columns += LANES;
        return mask == ALL_LANES ? V(madd)(v, V(gather)(x, index), sum)
                                 : V(madd_some)(v, V(gather_some)(x, index, mask), sum, mask);
    }
    return mask == ALL_LANES ? V(madd)(v, V(load)(x + base), sum)
                             : V(madd_some)(v, V(load_some)(x + base, mask), sum, mask);
}

static void FN(finish_rows)(const fur_spmv_call *call, int64_t row, FN(lanes) sum)
{
    VALUE *y = (VALUE *)call->y + row;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    bool overwrite = FN(overwrites)(call);
    VALUE lane[LANES];
    V(store)(lane, sum);
    int count = (int)fur_smaller(LANES, call->a->rows - row);
    for (int i = 0; i < count; i++)
        FN(finish)(alpha, lane[i], beta, overwrite, &y[i]);
}

static void FN(multiply)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    const runs *r = call->state;
    const VALUE *x = call->x;
    const VALUE *values = (const VALUE *)r->values + r->step[begin] * LANES;
    const int32_t *columns = r->columns + r->gather[begin] * LANES;
    bool stream = fur_streams(r->step[r->chunks] * LANES * (int64_t)sizeof(VALUE));
    int64_t at = r->step[begin];
    int64_t stop = fur_smaller(call->a->rows, end * CHUNK_ROWS);
    for (int64_t row = begin * CHUNK_ROWS; row < stop; row += LANES) {
        FN(lanes) sum = V(zero)();
        for (int64_t last = at + r->slice[row / LANES]; at < last; at++, values += LANES) {
            if (stream)
                fur_prefetch_ahead(values);
            sum = FN(add_step)(values, r->base[at], r->mask[at], &columns, x, sum);
        }
        FN(finish_rows)(call, row, sum);
    }
}

#endif
