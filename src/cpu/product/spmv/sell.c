/* SpMV in SELL-C-sigma form (Kreutzer, Hager, Wellein, Fehske, Bishop 2014), C = 8, sigma = 1024.
 * Rows are sorted by length within windows of 1024 rows. They are packed in slices of 8, one row a
 * lane.
 *
 * Lanes whose row has ended are masked out. Padding with zeros would multiply them by NaN or
 * infinity in x. Rows of more than FUR_ROW_SEGMENT entries count as empty in slices. They are
 * multiplied from CSR, with the lanes along the row. Rows keep their order of additions.
 *
 * Bytes of A for a row of n entries, in a slice whose longest row has m: m (entry + 4) + 7. If
 * steps.h stores narrower values: m (entry / 2 + 4) + 7 or m (1/8 + 4) + 7. Bytes of A for a long
 * row: n (entry + 4) + 20. x and y move two entries a row. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "gathers.h"
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
#    include <string.h>

#    define SIGMA 1024
#    define SLICES_A_WINDOW (SIGMA / LANES)
/* Windows that justify one more thread while the form is made. */
#    define WINDOW_GRAIN 2
/* Matrices with more than MAX_FILL places an entry are refused, if they have more than
 * SMALL_PLACES places. */
#    define MAX_FILL 2.0
#    define SMALL_PLACES 65536

typedef struct sell {
    int64_t windows;
    int64_t slices;
    int64_t *start;     /* first column of each slice, then their number */
    int32_t *order;     /* row at each place */
    uint16_t *length;   /* length of the row at each place; does not increase within a slice */
    int32_t *columns;   /* eight for each column of a slice */
    step_values values; /* a step is a column of a slice */
    int64_t long_count;
    int32_t *long_rows;
    int64_t *long_start; /* entries of the long rows before each long row, then their number */
} sell;

/* The number of entries of a row, or 0 behind the last row. */
static int64_t entries_of(const fur_csr_view *a, int64_t row)
{
    return row < a->rows ? fur_offset_at(a, row + 1) - fur_offset_at(a, row) : 0;
}

/* The number of entries of a row that go into a slice. */
static int64_t row_length(const fur_csr_view *a, int64_t row)
{
    int64_t entries = entries_of(a, row);
    return entries > FUR_ROW_SEGMENT ? 0 : entries;
}

/* Sorts a window's rows by length, longest first. Rows of equal length stay in order. */
static void sort_window(const fur_csr_view *a, int64_t first, int32_t *order, uint16_t *length)
{
    /* indexed by how much shorter the row is than the longest */
    int place[FUR_ROW_SEGMENT + 2] = {0};
    uint8_t lacks[SIGMA];
    for (int n = 0; n < SIGMA; n++) {
        lacks[n] = (uint8_t)(FUR_ROW_SEGMENT - row_length(a, first + n));
        place[lacks[n] + 1]++;
    }
    for (int n = 0; n < FUR_ROW_SEGMENT; n++)
        place[n + 1] += place[n];
    for (int n = 0; n < SIGMA; n++) {
        int to = place[lacks[n]]++;
        order[to] = first + n < a->rows ? (int32_t)(first + n) : INT32_MAX;
        length[to] = (uint16_t)(FUR_ROW_SEGMENT - lacks[n]);
    }
}

/* The number of columns that the slices of a sorted window need. */
static int64_t window_width(const uint16_t *length)
{
    int64_t width = 0;
    for (int slice = 0; slice < SLICES_A_WINDOW; slice++)
        width += length[(ptrdiff_t)slice * LANES];
    return width;
}

/* The number of those columns in which every lane has an entry. */
static int64_t full_width(const uint16_t *length)
{
    int64_t width = 0;
    for (int slice = 0; slice < SLICES_A_WINDOW; slice++)
        width += length[slice * LANES + LANES - 1];
    return width;
}

static void start_slices(sell *s)
{
    s->start[0] = 0;
    for (int64_t slice = 0; slice < s->slices; slice++)
        s->start[slice + 1] = s->start[slice] + s->length[slice * LANES];
}

/* The number of lanes whose row has an entry in column k of the slice. `active` is the number in
 * the column before: lengths do not increase from lane to lane. */
static inline int active_lanes(const uint16_t *length, int k, int active)
{
    while (length[active - 1] <= k)
        active--;
    return active;
}

/* Masks of the lanes with an entry in each column of a slice. */
static void set_masks(const uint16_t *length, int count, uint8_t *mask)
{
    int active = LANES;
    for (int k = 0; k < count; k++) {
        active = active_lanes(length, k, active);
        *mask++ = (uint8_t)((1U << active) - 1);
    }
}

/* Finds the beginnings of the rows at eight places in an array of A whose elements have this
 * size. */
static void open_rows(const fur_csr_view *a, const int32_t *order, const void *elements,
                      size_t size, const char *next[LANES])
{
    for (int i = 0; i < LANES; i++) {
        int64_t row = fur_smaller(order[i], a->rows);
        next[i] = (const char *)elements + (size_t)fur_offset_at(a, row) * size;
    }
}

/* A form under construction, for the threads. */
typedef struct building {
    const fur_csr_view *a;
    sell *s;
    bool columns_too;   /* set the columns, not only the values */
    fur_shared misfits; /* windows with values that do not fit the form */
} building;

static void sort_windows(void *job, int64_t begin, int64_t end)
{
    const building *b = job;
    for (int64_t w = begin; w < end; w++)
        sort_window(b->a, w * SIGMA, b->s->order + w * SIGMA, b->s->length + w * SIGMA);
}

/* Sets a slice. Returns false if a value does not fit the form. */
static bool set_slice(const building *b, int64_t slice, steps_before *before)
{
    const sell *s = b->s;
    const int32_t *order = s->order + slice * LANES;
    const uint16_t *length = s->length + slice * LANES;
    const char *columns[LANES];
    const char *values[LANES];
    if (length[0] == 0)
        return true;
    open_rows(b->a, order, b->a->columns, sizeof *s->columns, columns);
    open_rows(b->a, order, b->a->values, s->values.size, values);
    uint8_t mask[FUR_ROW_SEGMENT];
    set_masks(length, length[0], mask);
    if (b->columns_too)
        steps_spread(columns, mask, length[0], s->columns + s->start[slice] * LANES,
                     sizeof *s->columns);
    return steps_set(&s->values, s->start[slice], values, mask, length[0], before);
}

static void set_windows(void *job, int64_t begin, int64_t end)
{
    building *b = job;
    steps_before before = {.count = 0};
    bool fits = true;
    for (int64_t slice = begin * SLICES_A_WINDOW;
         fits && b->misfits == 0 && slice < end * SLICES_A_WINDOW; slice++)
        fits = set_slice(b, slice, &before);
    fur_shared_add(&b->misfits, !fits);
}

/* Sets all values in the narrowest form that fits them, and the columns if columns_too. */
static void set(fur_env *env, const fur_csr_view *a, sell *s, steps_form form, bool columns_too)
{
    building b = {a, s, columns_too, 0};
    steps_set_all(env, &s->values, a->value_type, form, &b.misfits, s->windows / WINDOW_GRAIN,
                  s->windows, set_windows, &b);
}

/* Estimates use one of SAMPLED windows, but at least SAMPLES_LEAST and at most SAMPLES. In each
 * window they use the values of SAMPLE_SLICES slices. */
#    define SAMPLED 4
#    define SAMPLES_LEAST 8
#    define SAMPLES 32
#    define SAMPLE_SLICES 2

/* Estimates for the whole matrix from some of its windows. */
typedef struct sample {
    double columns; /* of slices */
    double full;    /* columns in which every lane has an entry */
    double entries; /* in slices */
    steps_form form;
} sample;

static void try_slice(const fur_csr_view *a, const int32_t *order, const uint16_t *length,
                      steps_trial *t)
{
    uint8_t mask[FUR_ROW_SEGMENT];
    const char *next[LANES];
    size_t size = fur_value_size(a->value_type);
    if (length[0] == 0)
        return;
    set_masks(length, length[0], mask);
    open_rows(a, order, a->values, size, next);
    steps_try(t, next, mask, length[0], size);
}

static sample take_sample(const fur_csr_view *a)
{
    int64_t windows = (a->rows + SIGMA - 1) / SIGMA;
    int64_t wanted = fur_larger((windows + SAMPLED - 1) / SAMPLED, SAMPLES_LEAST);
    int samples = (int)fur_smaller(fur_smaller(wanted, windows), SAMPLES);
    sample found = {0};
    double entries = 0;
    steps_trial t;
    steps_try_first(&t, a->value_type);
    for (int i = 0; i < samples; i++) {
        int32_t order[SIGMA];
        uint16_t length[SIGMA];
        int64_t first = fur_split(windows, 2 * samples, 2 * i + 1) * SIGMA;
        sort_window(a, first, order, length);
        found.columns += (double)window_width(length);
        found.full += (double)full_width(length);
        entries += (double)(fur_offset_at(a, fur_smaller(a->rows, first + SIGMA)) -
                            fur_offset_at(a, first));
        for (int n = 0; n < SIGMA; n++)
            found.entries += length[n];
        for (int place = 0; place < SAMPLE_SLICES * LANES; place += LANES)
            try_slice(a, order + place, length + place, &t);
    }
    double scale = entries > 0 ? (double)a->entries / entries : 0;
    found.columns *= scale;
    found.full *= scale;
    found.entries *= scale;
    found.form = steps_tried(&t, found.columns);
    return found;
}

static fur_status refresh(fur_env *env, const fur_csr_view *a, void *state)
{
    set(env, a, state, take_sample(a).form, false);
    return FUR_OK;
}

static void release(fur_env *env, void *state)
{
    sell *s = state;
    if (!s)
        return;
    steps_release(env, &s->values);
    fur_env_release(env, s->long_start);
    fur_env_release(env, s->long_rows);
    fur_env_release(env, s->columns);
    fur_env_release(env, s->length);
    fur_env_release(env, s->order);
    fur_env_release(env, s->start);
    fur_env_release(env, s);
}

/* Lists the long rows. */
static fur_status list_long_rows(fur_env *env, const fur_csr_view *a, sell *s)
{
    for (int64_t row = 0; row < a->rows; row++)
        s->long_count += entries_of(a, row) > FUR_ROW_SEGMENT;
    if (s->long_count == 0)
        return FUR_OK;
    FUR_TRY(fur_env_allocate(env, s->long_count, sizeof *s->long_rows, &s->long_rows));
    FUR_TRY(fur_env_allocate(env, s->long_count + 1, sizeof *s->long_start, &s->long_start));
    int64_t count = 0;
    s->long_start[0] = 0;
    for (int64_t row = 0; row < a->rows; row++) {
        int64_t entries = entries_of(a, row);
        if (entries <= FUR_ROW_SEGMENT)
            continue;
        s->long_rows[count] = (int32_t)row;
        s->long_start[count + 1] = s->long_start[count] + entries;
        count++;
    }
    return FUR_OK;
}

static fur_status build(fur_env *env, const fur_csr_view *a, sell *s)
{
    FUR_TRY(fur_env_allocate(env, s->slices + 1, sizeof *s->start, &s->start));
    FUR_TRY(fur_env_allocate(env, s->windows, SIGMA * sizeof *s->order, &s->order));
    FUR_TRY(fur_env_allocate(env, s->windows, SIGMA * sizeof *s->length, &s->length));
    FUR_TRY(list_long_rows(env, a, s));
    building b = {.a = a, .s = s};
    fur_parallel(env, s->windows / WINDOW_GRAIN, s->windows, sort_windows, &b);
    start_slices(s);
    int64_t steps = s->start[s->slices];
    steps_form form = take_sample(a).form;
    /* One more element: arithmetic on a NULL address is undefined. */
    FUR_TRY(fur_env_allocate(env, steps + 1, LANES * sizeof *s->columns, &s->columns));
    FUR_TRY(steps_allocate(env, a->value_type, steps, form, &s->values));
    set(env, a, s, form, true);
    return FUR_OK;
}

static fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                       void **state)
{
    (void)profile;
    sell *s;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *s, &s));
    s->windows = (a->rows + SIGMA - 1) / SIGMA;
    s->slices = s->windows * SLICES_A_WINDOW;
    ISA(spmv_time_gathers)();
    fur_status status = build(env, a, s);
    if (status != FUR_OK) {
        release(env, s);
        return status;
    }
    *state = s;
    return FUR_OK;
}

#    define FUR_TEMPLATE "product/spmv/sell.c"
#    include "foreach_value.h"

static fur_status apply(const fur_spmv_call *call)
{
    static fur_spmv_multiply *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(multiply);
    static fur_spmv_multiply *const long_table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(multiply_long);
    const sell *s = call->state;
    FUR_TRY(fur_spmv_by_units(call, s->start, s->slices, LANES, table[call->a->value_type]));
    if (s->long_count == 0)
        return FUR_OK;
    return fur_spmv_by_units(call, s->long_start, s->long_count, 1,
                             long_table[call->a->value_type]);
}

static int64_t matrix_bytes(const fur_csr_view *a, const void *state)
{
    const sell *s = state;
    int64_t size = (int64_t)fur_value_size(a->value_type);
    int64_t values = steps_bytes(s->values.form, (size_t)size);
    int64_t long_entries = s->long_count > 0 ? s->long_start[s->long_count] : 0;
    return s->start[s->slices] * (values + LANES * (int64_t)sizeof *s->columns) +
           s->windows * SIGMA * 6 + s->slices * 8 +
           long_entries * (size + (int64_t)sizeof *a->columns) + s->long_count * 20;
}

/* The work, in this order: columns in which every lane has an entry, other columns, entries of
 * these, and slices. The entries of long rows, which are not in slices, count as columns of
 * eight. */
static fur_spmv_work work(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    sample s = take_sample(a);
    double size = (double)fur_value_size(a->value_type);
    double along = fmax(0, (double)a->entries - s.entries); /* in long rows */
    double places = s.columns * LANES;
    double value_bytes = (double)steps_bytes(s.form, fur_value_size(a->value_type)) / LANES;
    if (places > MAX_FILL * s.entries && places > SMALL_PLACES)
        return (fur_spmv_work){.refusal = "its rows differ too much in length"};
    double form = places * (value_bytes + 4) + 7 * (double)a->rows;
    double all = places + along;
    return (fur_spmv_work){
        .part = {s.full + along / LANES, s.columns - s.full, s.entries - LANES * s.full,
                 (double)a->rows / LANES},
        .bytes = form + along * (size + 4) + fur_vector_bytes(a),
        .worth = all / FUR_SPMV_GRAIN,
        .longest = all > 0 ? (double)profile->rows.row_max / all : 0,
        .form = form,
    };
}

extern const fur_spmv_kernel ISA(spmv_sell);
const fur_spmv_kernel ISA(spmv_sell) = {
    .info.name = "sell",
    .info.summary = "SELL-8-1024: slices of 8 rows of similar length",
    .info.source = "Kreutzer et al. 2014",
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
#    include "long_row.h"

typedef FUR_LANES(VALUE_NAME) FN(lanes);

/* The sums of the eight rows of a slice whose columns begin at step `at`. */
INLINE FN(lanes) FN(sum_slice)(const sell *s, steps_form form, bool at_once, const uint16_t *length,
                               int64_t at, const VALUE *x, bool stream)
{
    FN(lanes) sum = V(zero)();
    const int32_t *columns = s->columns + at * LANES;
    int k = 0;
    for (; k < length[LANES - 1]; k++, columns += LANES) {
        if (stream)
            fur_prefetch_ahead(columns);
        sum = V(madd)(FN(load_step)(&s->values, form, at + k, stream),
                      at_once ? V(gather_at_once)(x, columns) : V(gather)(x, columns), sum);
    }
    int active = LANES;
    for (; k < length[0]; k++, columns += LANES) {
        active = active_lanes(length, k, active);
        unsigned mask = (1u << active) - 1;
        sum = V(madd_some)(FN(load_step)(&s->values, form, at + k, false),
                           V(gather_some)(x, columns, mask), sum, mask);
    }
    return sum;
}

INLINE void FN(multiply_form)(const fur_spmv_call *call, int64_t begin, int64_t end,
                              steps_form form, bool at_once)
{
    const sell s = *(const sell *)call->state;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    VALUE *y = call->y;
    bool overwrite = FN(overwrites)(call);
    bool stream = fur_streams(s.start[s.slices] * (steps_bytes(form, sizeof(VALUE)) + 4 * LANES));
    int64_t at = s.start[begin];
    for (int64_t place = begin * LANES; place < end * LANES; place += LANES) {
        VALUE lane[LANES];
        const uint16_t *length = s.length + place;
        V(store)(lane, FN(sum_slice)(&s, form, at_once, length, at, call->x, stream));
        at += length[0];
        for (int i = 0; i < LANES; i++)
            if (s.order[place + i] < call->a->rows &&
                (length[i] > 0 || entries_of(call->a, s.order[place + i]) == 0))
                FN(finish)(alpha, lane[i], beta, overwrite, &y[s.order[place + i]]);
    }
}

/* The compiler makes separate code for each way to gather. */
INLINE void FN(multiply_by)(const fur_spmv_call *call, int64_t begin, int64_t end, bool at_once)
{
    switch (((const sell *)call->state)->values.form) {
    case STEPS_NUMBER:
        FN(multiply_form)(call, begin, end, STEPS_NUMBER, at_once);
        break;
    case STEPS_SINGLE:
        FN(multiply_form)(call, begin, end, STEPS_SINGLE, at_once);
        break;
    default:
        FN(multiply_form)(call, begin, end, STEPS_WIDE, at_once);
    }
}

/* Values of 16 bytes have only one way to gather. */
static void FN(multiply)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    if (fur_gathers_pay() && sizeof(VALUE) < 16)
        FN(multiply_by)(call, begin, end, true);
    else
        FN(multiply_by)(call, begin, end, false);
}

/* Multiplies the long rows begin .. end-1 of the list. */
static void FN(multiply_long)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    const sell *s = call->state;
    VALUE *y = call->y;
    for (int64_t i = begin; i < end; i++) {
        int64_t row = s->long_rows[i];
        int64_t first = fur_offset_at(call->a, row);
        VALUE sum = FN(long_row_sum)((const VALUE *)call->a->values + first,
                                     call->a->columns + first, entries_of(call->a, row), call->x);
        FN(finish)(V(from)(call->alpha), sum, V(from)(call->beta), FN(overwrites)(call), &y[row]);
    }
}

#endif
