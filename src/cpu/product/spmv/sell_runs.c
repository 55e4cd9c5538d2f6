/* SpMV on slices of eight rows whose columns are stored as runs ("sell_runs"). This is a lossless
 * form of A for matrices in which consecutive rows look alike, such as stencils and meshes.
 *
 * A slice is eight consecutive rows, one a lane, as in SELL-8 (Kreutzer et al. 2014). It is a list
 * of steps. In a step each lane that takes part consumes the next entry of its row, so that rows
 * keep their order of additions. If the entries of a step lie on one diagonal, with lane i in
 * column base + i, the step stores only `base`, and x is loaded instead of gathered. Other steps
 * store eight columns. A mask has the lanes that take part. Other lanes read nothing, so that
 * padding can meet no NaN in x.
 *
 * Bytes a step: 8 entries + 5, and 32 if columns are stored. If steps.h stores narrower values: 4
 * entries, or 1 byte, in place of 8 entries. Bytes a row of n entries on diagonals that its
 * neighbours share: n (entry + 5/8) + 1/4, against n (entry + 4) + offset in CSR.
 *
 * Tried: a table of 256 values, a byte a value, took 3.65 ns a step (plain values 4.1, a table of
 * steps 1.5), for 2 of 47 matrices. Bytes converted from integers would fit none. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "cut.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "split.h"
#    include "steps.h"
#    include "stream.h"
#    include "table.h"
#    include "work.h"

#    include <math.h>

/* Slices are found through their chunk, which stores where its part of each stream begins. */
#    define CHUNK_SLICES 64
#    define CHUNK_ROWS (CHUNK_SLICES * LANES)
/* Chunks that justify one more thread while the form is made. */
#    define CHUNK_GRAIN 4
/* Rows whose columns are prefetched. In regular slices only the first row's columns are read again,
 * and hardware prefetchers do not recognise this pattern. */
#    define AHEAD_ROWS (8 * LANES)
/* A mark on a slice's number of steps until the steps are set: its rows all have the same
 * diagonals. */
#    define REGULAR 0x8000U

typedef struct runs {
    int64_t chunks;
    int64_t *step;    /* first step of each chunk, then the number of steps */
    int64_t *gather;  /* first gathering step of each chunk, then their number */
    uint16_t *slice;  /* steps of each slice */
    int32_t *base;    /* per step */
    uint8_t *mask;    /* per step */
    int32_t *columns; /* eight per gathering step */
    step_values values;
} runs;

/* Counts the chunk's steps. The counts are stored where the next chunk's first step will be. */
static void count_chunk(const fur_csr_view *a, int64_t index, runs *r, cuts *kept)
{
    int64_t end = fur_smaller(a->rows, (index + 1) * CHUNK_ROWS);
    for (int64_t row = index * CHUNK_ROWS; row < end; row += LANES) {
        const cut *c = cut_slice(a, row, kept);
        unsigned mark = c == &kept->regular ? REGULAR : 0;
        r->slice[row / LANES] = (uint16_t)((unsigned)c->steps | mark);
        r->step[index + 1] += c->steps;
        r->gather[index + 1] += c->gathers;
    }
}

/* A form under construction, for the threads. */
typedef struct building {
    const fur_csr_view *a;
    runs *r;
    bool cut_too;       /* set the steps, not only their values */
    fur_shared misfits; /* chunks with values that do not fit the form */
} building;

static void count_chunks(void *job, int64_t begin, int64_t end)
{
    const building *b = job;
    cuts kept;
    kept.count = kept.useful = 0;
    for (int64_t i = begin; i < end; i++)
        count_chunk(b->a, i, b->r, &kept);
}

/* Sets a slice's steps from `at` on, without their values. Columns are appended to the columns
 * before. */
static int set_steps(const fur_csr_view *a, int64_t row, const runs *r, int64_t at,
                     int32_t *columns, cuts *kept)
{
    unsigned slice = r->slice[row / LANES];
    int steps = (int)(slice & ~REGULAR);
    r->slice[row / LANES] = (uint16_t)steps;
    if (steps == 0) /* A may have no columns and no array */
        return 0;
    const int32_t *ahead = a->columns + fur_offset_at(a, fur_smaller(row + AHEAD_ROWS, a->rows));
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + 16);
    const cut *c = slice & REGULAR ? cut_regular(a, row, steps, kept) : cut_irregular(a, row, kept);
    memcpy(r->base + at, c->base, (size_t)steps * sizeof *c->base);
    memcpy(r->mask + at, c->mask, (size_t)steps);
    memcpy(columns, c->columns, (size_t)c->gathers * LANES * sizeof *c->columns);
    return c->gathers;
}

/* Finds the values of a slice's rows. */
static void open_values(const fur_csr_view *a, int64_t row, const char *next[LANES])
{
    size_t size = fur_value_size(a->value_type);
    for (int i = 0; i < LANES; i++)
        next[i] = (const char *)a->values +
                  (size_t)fur_offset_at(a, fur_smaller(row + i, a->rows)) * size;
}

/* Sets steps and values slice by slice, so that A is read once. Returns false if a value does not
 * fit. */
static bool set_chunk(const building *b, int64_t index, cuts *kept)
{
    const runs *r = b->r;
    const char *next[LANES];
    steps_before before = {.count = 0};
    int32_t *columns = r->columns + r->gather[index] * LANES;
    int64_t at = r->step[index];
    int64_t end = fur_smaller(b->a->rows, (index + 1) * CHUNK_ROWS);
    bool fits = true;
    for (int64_t row = index * CHUNK_ROWS; fits && row < end; row += LANES) {
        if (b->cut_too)
            columns += (ptrdiff_t)set_steps(b->a, row, r, at, columns, kept) * LANES;
        if (r->slice[row / LANES] == 0)
            continue;
        open_values(b->a, row, next);
        fits = steps_set(&r->values, at, next, r->mask + at, r->slice[row / LANES], &before);
        at += r->slice[row / LANES];
    }
    return fits;
}

static void set_chunks(void *job, int64_t begin, int64_t end)
{
    building *b = job;
    cuts kept;
    kept.count = kept.useful = 0;
    for (int64_t i = begin; i < end && b->misfits == 0; i++)
        fur_shared_add(&b->misfits, !set_chunk(b, i, &kept));
}

static void start_chunks(runs *r)
{
    for (int64_t i = 0; i < r->chunks; i++) {
        r->step[i + 1] += r->step[i];
        r->gather[i + 1] += r->gather[i];
    }
}

/* Estimates use one of SAMPLED slices, but at most SAMPLES. */
#    define SAMPLED 8
#    define SAMPLES 128

/* Estimates for the whole matrix from some of its slices. */
typedef struct sample {
    double full; /* steps in which every lane takes part */
    double partial;
    double gathering;
    double turns; /* steps of another kind than the step before */
    steps_form form;
} sample;

/* Counts the steps of a slice by their kind. */
static void count_kinds(const cut *c, sample *out)
{
    const double *before = NULL;
    for (int i = 0; i < c->steps; i++) {
        double *kind = c->base[i] == GATHER      ? &out->gathering
                       : c->mask[i] == ALL_LANES ? &out->full
                                                 : &out->partial;
        (*kind)++;
        out->turns += before && kind != before;
        before = kind;
    }
}

/* Picks a slice in part i of `parts` parts. Its place in the part varies, because the lines of a
 * grid may repeat with the same period as the parts. */
static int64_t pick_slice(int64_t slices, int parts, int i)
{
    int64_t first = fur_split(slices, parts, i);
    uint32_t hash = (uint32_t)(i + 1) * UINT32_C(0x9e3779b1) >> 8;
    return first + hash % (fur_split(slices, parts, i + 1) - first);
}

static sample take_sample(const fur_csr_view *a)
{
    int64_t slices = (a->rows + LANES - 1) / LANES;
    int samples = (int)fur_smaller((slices + SAMPLED - 1) / SAMPLED, SAMPLES);
    sample found = {0};
    double entries = 0;
    cuts kept;
    kept.count = kept.useful = 0;
    steps_trial t;
    steps_try_first(&t, a->value_type);
    for (int i = 0; i < samples; i++) {
        const char *next[LANES];
        int64_t row = pick_slice(slices, samples, i) * LANES;
        const cut *c = cut_slice(a, row, &kept);
        count_kinds(c, &found);
        entries +=
            (double)(fur_offset_at(a, fur_smaller(row + LANES, a->rows)) - fur_offset_at(a, row));
        if (c->steps == 0)
            continue;
        open_values(a, row, next);
        steps_try(&t, next, c->mask, c->steps, fur_value_size(a->value_type));
    }
    double scale = entries > 0 ? (double)a->entries / entries : 0;
    found.full *= scale;
    found.partial *= scale;
    found.gathering *= scale;
    found.turns *= scale;
    found.form = steps_tried(&t, found.full + found.partial + found.gathering);
    return found;
}

/* Sets all values in the narrowest form that fits them, and the steps if cut_too. */
static void set(fur_env *env, const fur_csr_view *a, runs *r, steps_form form, bool cut_too)
{
    building b = {a, r, cut_too, 0};
    steps_set_all(env, &r->values, a->value_type, form, &b.misfits, r->chunks / CHUNK_GRAIN,
                  r->chunks, set_chunks, &b);
}

static fur_status refresh(fur_env *env, const fur_csr_view *a, void *state)
{
    set(env, a, state, take_sample(a).form, false);
    return FUR_OK;
}

static void release(fur_env *env, void *state)
{
    runs *r = state;
    if (!r)
        return;
    steps_release(env, &r->values);
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
    steps_form form = take_sample(a).form;
    building b = {.a = a, .r = r};
    fur_parallel(env, r->chunks / CHUNK_GRAIN, r->chunks, count_chunks, &b);
    start_chunks(r);
    /* Each array gets one more element, because arithmetic on NULL is undefined. */
    int64_t steps = r->step[r->chunks] + 1;
    int64_t gathers = r->gather[r->chunks] + 1;
    FUR_TRY(fur_env_allocate(env, steps, sizeof *r->base, &r->base));
    FUR_TRY(fur_env_allocate(env, steps, sizeof *r->mask, &r->mask));
    FUR_TRY(fur_env_allocate(env, gathers, LANES * sizeof *r->columns, &r->columns));
    FUR_TRY(steps_allocate(env, a->value_type, steps, form, &r->values));
    set(env, a, r, form, true);
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

#    define FUR_TEMPLATE "product/spmv/sell_runs.c"
#    include "foreach_value.h"

static fur_status apply(const fur_spmv_call *call)
{
    static fur_spmv_multiply *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(multiply);
    const runs *r = call->state;
    return fur_spmv_by_units(call, r->step, r->chunks, LANES, table[call->a->value_type]);
}

static int64_t matrix_bytes(const fur_csr_view *a, const void *state)
{
    const runs *r = state;
    int64_t step_bytes = steps_bytes(r->values.form, fur_value_size(a->value_type)) + 5;
    return r->step[r->chunks] * step_bytes + r->gather[r->chunks] * LANES * 4 +
           (a->rows / LANES + 1) * 2 + r->chunks * 2 * (int64_t)sizeof(int64_t);
}

/* The work, in this order: steps on a diagonal with all lanes, with some lanes, gathering steps,
 * slices, and turns. */
static fur_spmv_work work(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    if (profile->rows.row_max > FUR_ROW_SEGMENT)
        return (fur_spmv_work){.refusal = "a row has more than 128 entries"};
    sample s = take_sample(a);
    double steps = s.full + s.partial + s.gathering;
    double slices = ceil((double)a->rows / LANES);
    double step_bytes = (double)steps_bytes(s.form, fur_value_size(a->value_type)) + 5;
    double form = steps * step_bytes + s.gathering * LANES * 4 + 2 * slices;
    return (fur_spmv_work){
        .part = {s.full, s.partial, s.gathering, slices, s.turns},
        .bytes = form + fur_vector_bytes(a),
        .worth = steps * LANES / FUR_SPMV_GRAIN,
        .longest = slices > 0 ? CHUNK_SLICES / slices : 0,
        .form = form,
    };
}

extern const fur_spmv_kernel ISA(spmv_sell_runs);
const fur_spmv_kernel ISA(spmv_sell_runs) = {
    .info.name = "sell_runs",
    .info.summary = "slices of 8 rows, one index for consecutive columns",
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
#    include "load_step.h"

typedef FUR_LANES(VALUE_NAME) FN(lanes);

/* Does one step: adds its products to the lanes, and moves `columns` past the columns that it
 * used. */
INLINE FN(lanes) FN(add_step)(FN(lanes) v, int32_t base, unsigned mask, const int32_t **columns,
                              const VALUE *x, FN(lanes) sum)
{
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

INLINE void FN(multiply_form)(const fur_spmv_call *call, int64_t begin, int64_t end,
                              steps_form form)
{
    const runs *r = call->state;
    const step_values values = r->values;
    const VALUE *x = call->x;
    const int32_t *columns = r->columns + r->gather[begin] * LANES;
    bool stream = fur_streams(r->step[r->chunks] * steps_bytes(form, sizeof(VALUE)));
    int64_t at = r->step[begin];
    int64_t stop = fur_smaller(call->a->rows, end * CHUNK_ROWS);
    for (int64_t row = begin * CHUNK_ROWS; row < stop; row += LANES) {
        FN(lanes) sum = V(zero)();
        for (int64_t last = at + r->slice[row / LANES]; at < last; at++)
            sum = FN(add_step)(FN(load_step)(&values, form, at, stream), r->base[at], r->mask[at],
                               &columns, x, sum);
        FN(finish_rows)(call, row, sum);
    }
}

static void FN(multiply)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    switch (((const runs *)call->state)->values.form) {
    case STEPS_NUMBER:
        FN(multiply_form)(call, begin, end, STEPS_NUMBER);
        break;
    case STEPS_SINGLE:
        FN(multiply_form)(call, begin, end, STEPS_SINGLE);
        break;
    default:
        FN(multiply_form)(call, begin, end, STEPS_WIDE);
    }
}

#endif
