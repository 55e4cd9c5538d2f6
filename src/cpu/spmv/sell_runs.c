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
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "lanes_index.h"
#    include "scalar.h"
#    include "split.h"
#    include "stream.h"
#    include "table.h"
#    include "work.h"

/* Slices are found through their chunk, which notes where its part of each stream begins. */
#    define CHUNK_SLICES 64
#    define CHUNK_ROWS (CHUNK_SLICES * LANES)
/* Chunks that are worth a thread when the form is made. */
#    define CHUNK_GRAIN 4
/* A diagonal with fewer entries than this is not worth a step of its own. */
#    define LEAST_RUN 3
/* Steps of a slice at most: one that leaves out a row with entries takes LEAST_RUN entries, any
 * other one of the longest row. */
#    define MOST_STEPS (FUR_ROW_SEGMENT + LANES * FUR_ROW_SEGMENT / LEAST_RUN)
/* In place of a base: the step's columns are stored. */
#    define GATHER INT32_MIN
/* In place of a diagonal: the row has no entry left. */
#    define ENDED INT32_MAX

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

/* A slice cut into steps. */
typedef struct cut {
    int steps;
    int gathers;
    int32_t base[MOST_STEPS]; /* GATHER or the column of lane 0, negative if it takes no part */
    uint8_t mask[MOST_STEPS];
    int32_t columns[LANES * FUR_ROW_SEGMENT]; /* of gathering steps */
} cut;

/* Entries of each row of the slice, if all eight have as many. */
static int64_t common_length(const fur_csr_view *a, int64_t row)
{
    if (row + LANES > a->rows)
        return -1;
    int64_t first = fur_offset_at(a, row);
    int64_t length = fur_offset_at(a, row + 1) - first;
    for (int i = 2; i <= LANES; i++)
        if (fur_offset_at(a, row + i) != first + i * length)
            return -1;
    return length;
}

/* Whether eight rows of `length` entries lie on the same diagonals: each entry is one column right
 * of that of the row before. */
static bool on_diagonals(const int32_t *columns, int64_t length)
{
    int32_t apart = 0;
    for (int64_t k = 0; k < (LANES - 1) * length; k++)
        apart |= (columns[k + length] - 1) ^ columns[k];
    return apart == 0;
}

/* Progress through the rows of a slice while it is cut. Entries count from its first one. */
typedef struct cursor {
    const int32_t *columns;
    lanes_index next;
    lanes_index end;
} cursor;

static cursor open_slice(const fur_csr_view *a, int64_t row)
{
    int64_t first = fur_offset_at(a, row);
    int32_t start[LANES + 1];
    for (int i = 0; i <= LANES; i++)
        start[i] = (int32_t)(fur_offset_at(a, fur_smaller(row + i, a->rows)) - first);
    return (cursor){a->columns + first, index_load(start), index_load(start + 1)};
}

/* Cuts the slice at row. A step has the leftmost diagonal if enough rows have an entry on it, else
 * the next entry of every row that has any left. */
static void cut_steps(const fur_csr_view *a, int64_t row, cut *out)
{
    const int32_t numbers[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const lanes_index lane = index_load(numbers);
    cursor c = open_slice(a, row);
    for (lanes_index left = index_below(c.next, c.end); index_bits(left);
         left = index_below(c.next, c.end)) {
        lanes_index column = index_fetch(c.columns, c.next, left, index_all(0));
        lanes_index diagonal = index_select(left, index_minus(column, lane), index_all(ENDED));
        lanes_index leftmost = index_least(diagonal);
        lanes_index on = index_equal(diagonal, leftmost);
        unsigned bits = index_bits(on);
        bool run = bits == index_bits(left) || __builtin_popcount(bits) >= LEAST_RUN;
        if (run) {
            int32_t base[LANES];
            index_store(base, leftmost);
            out->base[out->steps] = base[0];
            out->mask[out->steps++] = (uint8_t)bits;
            c.next = index_minus(c.next, on);
        } else {
            index_store(out->columns + LANES * (ptrdiff_t)out->gathers++, column);
            out->base[out->steps] = GATHER;
            out->mask[out->steps++] = (uint8_t)index_bits(left);
            c.next = index_minus(c.next, left);
        }
    }
}

/* The steps of the slice at row. In most slices of a grid all rows have the same diagonals. */
static void cut_slice(const fur_csr_view *a, int64_t row, cut *out)
{
    const int32_t *columns = a->columns + fur_offset_at(a, row);
    int64_t length = common_length(a, row);
    out->steps = 0;
    out->gathers = 0;
    if (length < 0 || !on_diagonals(columns, length)) {
        cut_steps(a, row, out);
        return;
    }
    out->steps = (int)length;
    memcpy(out->base, columns, (size_t)length * sizeof *columns);
    memset(out->mask, ALL_LANES, (size_t)length);
}

/* Leaves the chunk's numbers of steps where the next one's first will stand. */
static void count_chunk(const fur_csr_view *a, int64_t index, runs *r)
{
    int64_t end = fur_smaller(a->rows, (index + 1) * CHUNK_ROWS);
    for (int64_t row = index * CHUNK_ROWS; row < end; row += LANES) {
        cut c;
        cut_slice(a, row, &c);
        r->slice[row / LANES] = (uint16_t)c.steps;
        r->step[index + 1] += c.steps;
        r->gather[index + 1] += c.gathers;
    }
}

/* A form in the making, on the way to the threads. */
typedef struct building {
    const fur_csr_view *a;
    runs *r;
    bool steps; /* whether these are still to be set */
    /* Sets the values of the steps from `at` on, which are those of the slice at row. */
    void (*set_values)(const fur_csr_view *a, int64_t row, const runs *r, int64_t at);
} building;

static void count_chunks(void *job, int64_t begin, int64_t end)
{
    const building *b = job;
    for (int64_t i = begin; i < end; i++)
        count_chunk(b->a, i, b->r);
}

/* Sets a slice's steps from `at` on, without their values; the columns after those before. */
static int set_steps(const fur_csr_view *a, int64_t row, const runs *r, int64_t at,
                     int32_t *columns)
{
    cut c;
    cut_slice(a, row, &c);
    memcpy(r->base + at, c.base, (size_t)c.steps * sizeof *c.base);
    memcpy(r->mask + at, c.mask, (size_t)c.steps);
    memcpy(columns, c.columns, (size_t)c.gathers * LANES * sizeof *c.columns);
    return c.gathers;
}

/* Steps and values slice by slice: A is read once. */
static void set_chunk(const building *b, int64_t index)
{
    const runs *r = b->r;
    int32_t *columns = r->columns + r->gather[index] * LANES;
    int64_t at = r->step[index];
    int64_t end = fur_smaller(b->a->rows, (index + 1) * CHUNK_ROWS);
    for (int64_t row = index * CHUNK_ROWS; row < end; at += r->slice[row / LANES], row += LANES) {
        if (b->steps)
            columns += (ptrdiff_t)set_steps(b->a, row, r, at, columns) * LANES;
        b->set_values(b->a, row, r, at);
    }
}

static void set_chunks(void *job, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        set_chunk(job, i);
}

static void start_chunks(runs *r)
{
    for (int64_t i = 0; i < r->chunks; i++) {
        r->step[i + 1] += r->step[i];
        r->gather[i + 1] += r->gather[i];
    }
}

#    define FUR_TEMPLATE "spmv/sell_runs.c"
#    include "foreach_value.h"

static void set(fur_env *env, const fur_csr_view *a, runs *r, bool steps)
{
    static void (*const table[FUR_VALUE_COUNT])(const fur_csr_view *, int64_t, const runs *,
                                                int64_t) = FUR_VALUE_TABLE(set_values);
    building b = {a, r, steps, table[a->value_type]};
    fur_parallel(env, r->chunks / CHUNK_GRAIN, r->chunks, set_chunks, &b);
}

static fur_status refresh(fur_env *env, const fur_csr_view *a, void *state)
{
    set(env, a, state, false);
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
    building b = {.a = a, .r = r};
    fur_parallel(env, r->chunks / CHUNK_GRAIN, r->chunks, count_chunks, &b);
    start_chunks(r);
    /* One more of each: arithmetic on the arrays' addresses is not defined for NULL. */
    int64_t steps = r->step[r->chunks] + 1;
    int64_t gathers = r->gather[r->chunks] + 1;
    FUR_TRY(fur_env_allocate(env, steps, sizeof *r->base, &r->base));
    FUR_TRY(fur_env_allocate(env, steps, sizeof *r->mask, &r->mask));
    FUR_TRY(fur_env_allocate(env, gathers, LANES * sizeof *r->columns, &r->columns));
    FUR_TRY(fur_env_allocate(env, steps, LANES * fur_value_size(a->value_type), &r->values));
    set(env, a, r, true);
    return FUR_OK;
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
    return fur_spmv_by_units(call, r->step, r->chunks, LANES, table[call->a->value_type]);
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

/* What slices are made of. */
typedef struct shape {
    double full; /* steps in which every lane takes part */
    double partial;
    double gathering;
    double turns; /* steps of another kind than the one before */
} shape;

/* The steps of the slice at row, by their kind. */
static void count_kinds(const fur_csr_view *a, int64_t row, shape *out)
{
    cut c;
    double *before = NULL;
    cut_slice(a, row, &c);
    for (int i = 0; i < c.steps; i++) {
        double *kind = c.base[i] == GATHER      ? &out->gathering
                       : c.mask[i] == ALL_LANES ? &out->full
                                                : &out->partial;
        (*kind)++;
        out->turns += before && kind != before;
        before = kind;
    }
}

/* Steps on a diagonal with all lanes and with some, steps that gather, slices, and turns. */
static fur_spmv_work work(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    if (profile->rows.row_max > FUR_ROW_SEGMENT)
        return (fur_spmv_work){.refusal = "a row has more than 128 entries"};
    int64_t slices = (a->rows + LANES - 1) / LANES;
    int samples = (int)fur_smaller(slices, SAMPLES);
    shape s = {0};
    for (int i = 0; i < samples; i++)
        count_kinds(a, fur_split(slices, samples, i) * LANES, &s);
    double scale = samples > 0 ? (double)slices / samples : 0;
    double steps = scale * (s.full + s.partial + s.gathering);
    double form = steps * (double)(LANES * fur_value_size(a->value_type) + 5) +
                  scale * s.gathering * LANES * 4 + 2 * (double)slices;
    return (fur_spmv_work){
        .part = {scale * s.full, scale * s.partial, scale * s.gathering, (double)slices,
                 scale * s.turns},
        .bytes = form + fur_vector_bytes(a),
        .worth = steps * LANES / FUR_SPMV_GRAIN,
        .longest = slices > 0 ? (double)CHUNK_SLICES / (double)slices : 0,
        .form = form,
    };
}

extern const fur_spmv_kernel ISA(spmv_sell_runs);
const fur_spmv_kernel ISA(spmv_sell_runs) = {
    .info.name = "sell_runs",
    .info.summary = "slices of 8 rows, one index for a run of columns",
    .info.source = "after Kreutzer et al. 2014",
    .info.exact = true,
    .work = work,
    .plan = plan,
    .refresh = refresh,
    .apply = apply,
    .release = release,
    .matrix_bytes = matrix_bytes,
};
#else
#    include "finish.h"

typedef FUR_LANES(VALUE_NAME) FN(lanes);

/* A step that some rows take part in. */
static inline void FN(spread_some)(const VALUE *next[LANES], unsigned mask, VALUE *to)
{
    for (int i = 0; i < LANES; i++)
        to[i] = mask >> i & 1 ? *next[i]++ : V(from)((fur_scalar){0, 0});
}

/* `count` steps that all rows take part in. */
static inline void FN(spread_all)(const VALUE *next[LANES], int64_t count, VALUE *restrict to)
{
    const VALUE *from[LANES];
    memcpy(from, next, sizeof from);
    for (int64_t k = 0; k < count; k++, to += LANES)
        for (int i = 0; i < LANES; i++)
            to[i] = from[i][k];
    for (int i = 0; i < LANES; i++)
        next[i] += count;
}

static void FN(set_values)(const fur_csr_view *a, int64_t row, const runs *r, int64_t at)
{
    const VALUE *next[LANES];
    VALUE *to = (VALUE *)r->values + at * LANES;
    for (int i = 0; i < LANES; i++)
        next[i] = (const VALUE *)a->values + fur_offset_at(a, fur_smaller(row + i, a->rows));
    const uint8_t *mask = r->mask + at;
    int steps = r->slice[row / LANES];
    int k = 0;
    while (k < steps) {
        int first = k;
        while (k < steps && mask[k] == ALL_LANES)
            k++;
        FN(spread_all)(next, k - first, to + (ptrdiff_t)first * LANES);
        if (k < steps) {
            FN(spread_some)(next, mask[k], to + (ptrdiff_t)k * LANES);
            k++;
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
