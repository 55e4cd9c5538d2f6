/* SpMV in SELL-C-sigma form (Kreutzer, Hager, Wellein, Fehske, Bishop 2014), C = 8, sigma = 1024:
 * rows sorted by length within windows of 1024, packed in slices of 8, one row a lane.
 *
 * Lanes whose row has ended are masked out rather than padded with zeros, which would meet NaN and
 * infinity in x. Rows keep their order of additions.
 *
 * Bytes a row of n entries, in a slice whose longest row has m: m (entry + 4) + 7 for A, two
 * entries for x and y. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "split.h"
#    include "stream.h"
#    include "table.h"
#    include "work.h"

#    include <string.h>

#    define SIGMA 1024
#    define SLICES_A_WINDOW (SIGMA / LANES)
/* Windows that are worth a thread when the form is made. */
#    define WINDOW_GRAIN 2
/* More padding than entries is refused, where it is much. */
#    define MOST_FILL 2.0
#    define SMALL_PLACES 65536

typedef struct sell {
    int64_t windows;
    int64_t slices;
    int64_t *start;   /* first column of each slice; one more than slices */
    int32_t *order;   /* row at each place */
    uint16_t *length; /* of the row at each place; a slice's do not increase */
    int32_t *columns; /* eight per column of a slice */
    void *values;
} sell;

static int64_t row_length(const fur_csr_view *a, int64_t row)
{
    return row < a->rows ? fur_offset_at(a, row + 1) - fur_offset_at(a, row) : 0;
}

/* Sorts a window's items stably by the eight bits from `shift` on. Returns where they are then. */
static uint32_t *sort_by_digit(uint32_t *items, uint32_t *room, int shift)
{
    int place[256] = {0};
    for (int n = 0; n < SIGMA; n++)
        place[items[n] >> shift & 255]++;
    if (place[items[0] >> shift & 255] == SIGMA)
        return items;
    for (int digit = 0, sum = 0; digit < 256; digit++) {
        int count = place[digit];
        place[digit] = sum;
        sum += count;
    }
    for (int n = 0; n < SIGMA; n++)
        room[place[items[n] >> shift & 255]++] = items[n];
    return room;
}

/* Sorts a window's rows by length, longest first, equal ones in order. */
static void sort_window(const fur_csr_view *a, int64_t first, int32_t *order, uint16_t *length)
{
    uint32_t items[SIGMA]; /* what the length lacks, above the place in the window */
    uint32_t room[SIGMA];
    for (uint32_t n = 0; n < SIGMA; n++)
        items[n] = (uint32_t)(UINT16_MAX - row_length(a, first + n)) << 16 | n;
    uint32_t *sorted = sort_by_digit(items, room, 16);
    sorted = sort_by_digit(sorted, sorted == items ? room : items, 24);
    for (int n = 0; n < SIGMA; n++) {
        int64_t row = first + (sorted[n] & UINT16_MAX);
        order[n] = row < a->rows ? (int32_t)row : INT32_MAX;
        length[n] = (uint16_t)(UINT16_MAX - (sorted[n] >> 16));
    }
}

/* Columns that the slices of a sorted window need. */
static int64_t window_width(const uint16_t *length)
{
    int64_t width = 0;
    for (int slice = 0; slice < SLICES_A_WINDOW; slice++)
        width += length[(ptrdiff_t)slice * LANES];
    return width;
}

/* Those of them in which not every lane has an entry. */
static int64_t partial_width(const uint16_t *length)
{
    int64_t width = 0;
    for (int slice = 0; slice < SLICES_A_WINDOW; slice++)
        width += length[slice * LANES] - length[slice * LANES + LANES - 1];
    return width;
}

/* A form in the making, on the way to the threads. */
typedef struct building {
    const fur_csr_view *a;
    const sell *s;
} building;

static void sort_windows(void *job, int64_t begin, int64_t end)
{
    const building *b = job;
    for (int64_t w = begin; w < end; w++)
        sort_window(b->a, w * SIGMA, b->s->order + w * SIGMA, b->s->length + w * SIGMA);
}

static void start_slices(sell *s)
{
    s->start[0] = 0;
    for (int64_t slice = 0; slice < s->slices; slice++)
        s->start[slice + 1] = s->start[slice] + s->length[slice * LANES];
}

/* The lanes whose row has an entry in column k of the slice, given those that had one before:
 * lengths do not increase from lane to lane. */
static inline int active_lanes(const uint16_t *length, int k, int active)
{
    while (length[active - 1] <= k)
        active--;
    return active;
}

/* Columns first .. end-1 of a lane, which begins at `to`. */
static inline void spread_segment(const fur_csr_view *a, const sell *s, int64_t place,
                                  int64_t first, int64_t end, const char *from, char *to,
                                  size_t size)
{
    int64_t stop = fur_smaller(end, s->length[place]);
    int64_t k = first;
    to += (size_t)first * LANES * size;
    if (k < stop)
        from += (size_t)(fur_offset_at(a, s->order[place]) + k) * size;
    for (; k < stop; k++, from += size, to += LANES * size)
        memcpy(to, from, size);
    for (; k < end; k++, to += LANES * size)
        memset(to, 0, size);
}

/* Copies an element of each entry of a window's rows to the entry's place; padding becomes 0. Long
 * rows go a segment at a time, which stays in the cache while all lanes write to it. */
static inline void spread_elements(const fur_csr_view *a, const sell *s, int64_t window,
                                   const char *from, char *to, size_t size)
{
    const size_t step = LANES * size;
    to += (size_t)s->start[window * SLICES_A_WINDOW] * step;
    for (int64_t place = window * SIGMA; place < (window + 1) * SIGMA; place += LANES) {
        int64_t width = s->length[place];
        for (int64_t first = 0; first < width; first += FUR_ROW_SEGMENT)
            for (int i = 0; i < LANES; i++)
                spread_segment(a, s, place + i, first, fur_smaller(width, first + FUR_ROW_SEGMENT),
                               from, to + (size_t)i * size, size);
        to += (size_t)width * step;
    }
}

/* The same with the size as a constant. */
static void spread_window(const fur_csr_view *a, const sell *s, int64_t window, const void *from,
                          void *to, size_t size)
{
    switch (size) {
    case 4:
        spread_elements(a, s, window, from, to, 4);
        break;
    case 8:
        spread_elements(a, s, window, from, to, 8);
        break;
    default:
        spread_elements(a, s, window, from, to, 16);
    }
}

/* An array with an element for each entry of A, on its way into the slices. */
typedef struct spreading {
    const fur_csr_view *a;
    const sell *s;
    const void *from;
    void *to;
    size_t size;
} spreading;

static void spread_windows(void *job, int64_t begin, int64_t end)
{
    const spreading *p = job;
    for (int64_t w = begin; w < end; w++)
        spread_window(p->a, p->s, w, p->from, p->to, p->size);
}

static void spread(const fur_env *env, const fur_csr_view *a, const sell *s, const void *from,
                   void *to, size_t size)
{
    spreading p = {a, s, from, to, size};
    fur_parallel(env, s->windows / WINDOW_GRAIN, s->windows, spread_windows, &p);
}

static fur_status refresh(fur_env *env, const fur_csr_view *a, void *state)
{
    sell *s = state;
    spread(env, a, s, a->values, s->values, fur_value_size(a->value_type));
    return FUR_OK;
}

#    define FUR_TEMPLATE "spmv/sell.c"
#    include "foreach_value.h"

static void release(fur_env *env, void *state)
{
    sell *s = state;
    if (!s)
        return;
    fur_env_release(env, s->values);
    fur_env_release(env, s->columns);
    fur_env_release(env, s->length);
    fur_env_release(env, s->order);
    fur_env_release(env, s->start);
    fur_env_release(env, s);
}

static fur_status build(fur_env *env, const fur_csr_view *a, sell *s)
{
    FUR_TRY(fur_env_allocate(env, s->slices + 1, sizeof *s->start, &s->start));
    FUR_TRY(fur_env_allocate(env, s->windows, SIGMA * sizeof *s->order, &s->order));
    FUR_TRY(fur_env_allocate(env, s->windows, SIGMA * sizeof *s->length, &s->length));
    building b = {a, s};
    fur_parallel(env, s->windows / WINDOW_GRAIN, s->windows, sort_windows, &b);
    start_slices(s);
    /* One more: arithmetic on the arrays' addresses is not defined for NULL. */
    int64_t width = s->start[s->slices] + 1;
    FUR_TRY(fur_env_allocate(env, width, LANES * sizeof *s->columns, &s->columns));
    FUR_TRY(fur_env_allocate(env, width, LANES * fur_value_size(a->value_type), &s->values));
    spread(env, a, s, a->columns, s->columns, sizeof *s->columns);
    return refresh(env, a, s);
}

static fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                       void **state)
{
    (void)profile;
    sell *s;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *s, &s));
    s->windows = (a->rows + SIGMA - 1) / SIGMA;
    s->slices = s->windows * SLICES_A_WINDOW;
    fur_status status = build(env, a, s);
    if (status != FUR_OK) {
        release(env, s);
        return status;
    }
    *state = s;
    return FUR_OK;
}

static fur_status apply(const fur_spmv_call *call)
{
    static fur_spmv_multiply *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(multiply);
    const sell *s = call->state;
    return fur_spmv_by_units(call, s->start, s->slices, LANES, table[call->a->value_type]);
}

static int64_t matrix_bytes(const fur_csr_view *a, const void *state)
{
    const sell *s = state;
    return s->start[s->slices] * LANES * (int64_t)(fur_value_size(a->value_type) + 4) +
           s->windows * SIGMA * 6 + s->slices * 8;
}

/* Windows looked at for the estimate. */
#    define SAMPLES 32

/* Columns of slices, and those in which not every lane has an entry, for each entry. */
typedef struct shape {
    double columns;
    double partial;
} shape;

/* The shape of some windows between the ends of the matrix. */
static shape sample_shape(const fur_csr_view *a)
{
    int64_t windows = (a->rows + SIGMA - 1) / SIGMA;
    int samples = (int)fur_smaller(windows, SAMPLES);
    shape found = {0, 0};
    double entries = 0;
    for (int i = 0; i < samples; i++) {
        int32_t order[SIGMA];
        uint16_t length[SIGMA];
        int64_t first = fur_split(windows, 2 * samples, 2 * i + 1) * SIGMA;
        sort_window(a, first, order, length);
        found.columns += (double)window_width(length);
        found.partial += (double)partial_width(length);
        entries += (double)(fur_offset_at(a, fur_smaller(a->rows, first + SIGMA)) -
                            fur_offset_at(a, first));
    }
    return entries > 0 ? (shape){found.columns / entries, found.partial / entries} : found;
}

/* Columns in which every lane has an entry, the others, and slices. */
static fur_spmv_work work(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    if (profile->rows.row_max > UINT16_MAX)
        return (fur_spmv_work){.refusal = "a row has more than 65535 entries"};
    shape s = sample_shape(a);
    double places = s.columns * LANES * (double)a->entries;
    if (s.columns * LANES > MOST_FILL && places > SMALL_PLACES)
        return (fur_spmv_work){.refusal = "its rows differ too much in length"};
    double form = places * (double)(fur_value_size(a->value_type) + 4) + 7 * (double)a->rows;
    return (fur_spmv_work){
        .part = {(s.columns - s.partial) * (double)a->entries, s.partial * (double)a->entries,
                 (double)a->rows / LANES},
        .bytes = form + fur_vector_bytes(a),
        .worth = places / FUR_SPMV_GRAIN,
        .longest = places > 0 ? (double)profile->rows.row_max * LANES / places : 0,
        .form = form,
    };
}

extern const fur_spmv_kernel ISA(spmv_sell);
const fur_spmv_kernel ISA(spmv_sell) = {
    .info.name = "sell",
    .info.summary = "SELL-8-1024: slices of 8 rows of like length",
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

typedef FUR_LANES(VALUE_NAME) FN(lanes);

/* One segment of the eight rows of a slice, from column k of the slice to `stop`. */
static inline FN(lanes)
    FN(sum_segment)(const uint16_t *length, int k, int stop, const int32_t *columns,
                    const VALUE *values, const VALUE *x, bool stream)
{
    FN(lanes) sum = V(zero)();
    int full = length[LANES - 1] < stop ? length[LANES - 1] : stop;
    for (; k < full; k++, columns += LANES, values += LANES) {
        if (stream) {
            fur_prefetch_ahead(values);
            fur_prefetch_ahead(columns);
        }
        sum = V(madd)(V(load)(values), V(gather)(x, columns), sum);
    }
    int active = LANES;
    for (; k < stop; k++, columns += LANES, values += LANES) {
        active = active_lanes(length, k, active);
        unsigned mask = (1u << active) - 1;
        sum = V(madd_some)(V(load_some)(values, mask), V(gather_some)(x, columns, mask), sum, mask);
    }
    return sum;
}

/* The sums of the eight rows of a slice, segment by segment. */
static inline FN(lanes) FN(sum_slice)(const uint16_t *length, const int32_t *columns,
                                      const VALUE *values, const VALUE *x, bool stream)
{
    int width = length[0];
    int first = width < FUR_ROW_SEGMENT ? width : FUR_ROW_SEGMENT;
    FN(lanes) total = FN(sum_segment)(length, 0, first, columns, values, x, stream);
    int active = LANES;
    for (int k = FUR_ROW_SEGMENT; k < width; k += FUR_ROW_SEGMENT) {
        int stop = width - k < FUR_ROW_SEGMENT ? width : k + FUR_ROW_SEGMENT;
        active = active_lanes(length, k, active);
        total = V(plus_some)(total,
                             FN(sum_segment)(length, k, stop, columns + (ptrdiff_t)k * LANES,
                                             values + (ptrdiff_t)k * LANES, x, stream),
                             (1u << active) - 1);
    }
    return total;
}

static void FN(multiply)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    const sell *s = call->state;
    const VALUE *values = (const VALUE *)s->values + s->start[begin] * LANES;
    const int32_t *columns = s->columns + s->start[begin] * LANES;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    VALUE *y = call->y;
    bool overwrite = FN(overwrites)(call);
    bool stream = fur_streams(s->start[s->slices] * LANES * (int64_t)(sizeof(VALUE) + 4));
    for (int64_t place = begin * LANES; place < end * LANES; place += LANES) {
        VALUE lane[LANES];
        const uint16_t *length = s->length + place;
        V(store)(lane, FN(sum_slice)(length, columns, values, call->x, stream));
        columns += (ptrdiff_t)length[0] * LANES;
        values += (ptrdiff_t)length[0] * LANES;
        for (int i = 0; i < LANES; i++)
            if (s->order[place + i] < call->a->rows)
                FN(finish)(alpha, lane[i], beta, overwrite, &y[s->order[place + i]]);
    }
}

#endif
