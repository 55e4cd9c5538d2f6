/* SpMV in SELL-C-sigma form (Kreutzer, Hager, Wellein, Fehske, Bishop 2014), C = 8, sigma = 256:
 * rows sorted by length within windows of 256, packed in slices of 8, one row a lane.
 *
 * Lanes whose row has ended are masked out rather than padded with zeros, which would meet NaN and
 * infinity in x. Rows keep their order of additions.
 *
 * Bytes a row of n entries, in a slice whose longest row has m: m (entry + 4) + 6 for A, two
 * entries for x and y. */
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

#    define SIGMA 256
#    define SLICES_A_WINDOW (SIGMA / LANES)
/* Columns of slices a thread should have at least. */
#    define WIDTH_GRAIN 4096
/* More padding than entries is refused. */
#    define MOST_FILL 2.0

typedef struct sell {
    int64_t windows;
    int64_t *start;   /* of each window, in columns of slices; one more than windows */
    int32_t *order;   /* row at each place */
    uint16_t *length; /* of the row at each place; a slice's do not increase */
    int32_t *columns; /* eight per column of a slice */
    void *values;
} sell;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t row_length(const fur_csr_view *a, int64_t row)
{
    return row < a->rows ? fur_offset_at(a, row + 1) - fur_offset_at(a, row) : 0;
}

/* Sorts a window's rows by length, longest first, equal ones in order: insertion, as neighbouring
 * rows mostly have like lengths. */
static void sort_window(const fur_csr_view *a, int64_t first, int32_t *order, uint16_t *length)
{
    for (int n = 0; n < SIGMA; n++) {
        uint16_t own = (uint16_t)row_length(a, first + n);
        int at = n;
        for (; at > 0 && length[at - 1] < own; at--) {
            length[at] = length[at - 1];
            order[at] = order[at - 1];
        }
        length[at] = own;
        order[at] = first + n < a->rows ? (int32_t)(first + n) : INT32_MAX;
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

static void sort_all(const fur_csr_view *a, int threads, sell *s)
{
    int team = fur_team(threads, s->windows, 4);
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t w = 0; w < s->windows; w++) {
        sort_window(a, w * SIGMA, s->order + w * SIGMA, s->length + w * SIGMA);
        s->start[w + 1] = window_width(s->length + w * SIGMA);
    }
    s->start[0] = 0;
    for (int64_t w = 0; w < s->windows; w++)
        s->start[w + 1] += s->start[w];
}

#    define FUR_TEMPLATE "spmv_sell.c"
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
    static void (*const fill[FUR_VALUE_COUNT])(const fur_csr_view *, int64_t, const sell *) =
        FUR_VALUE_TABLE(fill_window);
    FUR_TRY(fur_env_allocate(env, s->windows + 1, sizeof *s->start, &s->start));
    FUR_TRY(fur_env_allocate(env, s->windows, SIGMA * sizeof *s->order, &s->order));
    FUR_TRY(fur_env_allocate(env, s->windows, SIGMA * sizeof *s->length, &s->length));
    sort_all(a, env->threads, s);
    /* One more: arithmetic on the arrays' addresses is not defined for NULL. */
    int64_t width = s->start[s->windows] + 1;
    FUR_TRY(fur_env_allocate(env, width, LANES * sizeof *s->columns, &s->columns));
    FUR_TRY(fur_env_allocate(env, width, LANES * fur_value_size(a->value), &s->values));
    int team = fur_team(env->threads, s->windows, 4);
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t w = 0; w < s->windows; w++)
        fill[a->value](a, w, s);
    return FUR_OK;
}

static fur_status plan(fur_env *env, const fur_csr_view *a, void **state)
{
    sell *s;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *s, &s));
    s->windows = (a->rows + SIGMA - 1) / SIGMA;
    fur_status status = build(env, a, s);
    if (status != FUR_OK) {
        release(env, s);
        return status;
    }
    *state = s;
    return FUR_OK;
}

static void apply(const fur_spmv_call *call)
{
    static void (*const table[FUR_VALUE_COUNT])(const fur_spmv_call *, int64_t, int64_t) =
        FUR_VALUE_TABLE(multiply);
    const sell *s = call->state;
    int parts = fur_team(call->threads, s->start[s->windows], WIDTH_GRAIN);
#    pragma omp parallel for schedule(static, 1) num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; part++)
        table[call->a->value](call, fur_balanced_unit(s->start, s->windows, parts, part),
                              fur_balanced_unit(s->start, s->windows, parts, part + 1));
}

static int64_t matrix_bytes(const fur_csr_view *a, const void *state)
{
    const sell *s = state;
    return s->start[s->windows] * LANES * (int64_t)(fur_value_size(a->value) + 4) +
           s->windows * (SIGMA * 6 + 8);
}

/* Windows looked at for the estimate. */
#    define SAMPLES 16

/* Places that the windows would have, padding included, from some of them. */
static double estimate_places(const fur_csr_view *a)
{
    int64_t windows = (a->rows + SIGMA - 1) / SIGMA;
    int samples = (int)smaller(windows, SAMPLES);
    double places = 0;
    for (int i = 0; i < samples; i++) {
        int32_t order[SIGMA];
        uint16_t length[SIGMA];
        sort_window(a, fur_split(windows, samples, i) * SIGMA, order, length);
        places += (double)(window_width(length) * LANES);
    }
    return samples > 0 ? places / samples * (double)windows : 0;
}

static fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    if (profile->rows.row_max > FUR_ROW_SEGMENT)
        return (fur_spmv_cost){.refusal = "a row has more than 4096 entries"};
    double places = estimate_places(a);
    if (places > MOST_FILL * (double)(a->entries + SIGMA * LANES))
        return (fur_spmv_cost){.refusal = "its rows differ too much in length"};
    fur_work work = {
        .core_ns = 0.40 * places + 1.5 * (double)a->rows,
        .bytes = places * (double)(fur_value_size(a->value) + 4) + 6 * (double)a->rows +
                 fur_vector_bytes(a),
        .far_ns = 0.9,
    };
    return (fur_spmv_cost){
        .product_ns = fur_work_ns(&work, profile),
        .plan_ns = FUR_BUILD_NS * (double)a->entries,
    };
}

extern const fur_spmv_kernel ISA(spmv_sell);
const fur_spmv_kernel ISA(spmv_sell) = {
    .name = "sell",
    .summary = "SELL-8-256: slices of 8 rows of like length",
    .source = "Kreutzer et al. 2014",
    .exact = true,
    .cost = cost,
    .plan = plan,
    .apply = apply,
    .release = release,
    .matrix_bytes = matrix_bytes,
};
#else
#    include "finish.h"

typedef FUR_LANES(VALUE_NAME) FN(lanes);

static void FN(fill_window)(const fur_csr_view *a, int64_t window, const sell *s)
{
    const VALUE *from = a->values;
    int64_t at = s->start[window] * LANES;
    const int32_t *order = s->order + window * SIGMA;
    const uint16_t *length = s->length + window * SIGMA;
    VALUE *values = s->values;
    for (int place = 0; place < SIGMA; place += LANES) {
        for (int k = 0; k < length[place]; k++, at += LANES) {
            for (int i = 0; i < LANES; i++) {
                bool real = k < length[place + i];
                int64_t entry = real ? fur_offset_at(a, order[place + i]) + k : 0;
                s->columns[at + i] = real ? a->columns[entry] : 0;
                values[at + i] = real ? from[entry] : V(from)((fur_scalar){0, 0});
            }
        }
    }
}

/* The sums of the eight rows of a slice; lengths do not increase from lane to lane. */
static inline FN(lanes) FN(sum_slice)(const uint16_t *length, const int32_t *columns,
                                      const VALUE *values, const VALUE *x, bool stream)
{
    FN(lanes) sum = V(zero)();
    int k = 0;
    for (; k < length[LANES - 1]; k++, columns += LANES, values += LANES) {
        if (stream) {
            fur_prefetch_ahead(values);
            fur_prefetch_ahead(columns);
        }
        sum = V(madd)(V(load)(values), V(gather)(x, columns), sum);
    }
    int active = LANES;
    for (; k < length[0]; k++, columns += LANES, values += LANES) {
        while (length[active - 1] <= k)
            active--;
        unsigned mask = (1u << active) - 1;
        sum = V(madd_some)(V(load)(values), V(gather_some)(x, columns, mask), sum, mask);
    }
    return sum;
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
    bool stream = fur_streams(s->start[s->windows] * LANES * (int64_t)(sizeof(VALUE) + 4));
    for (int64_t place = begin * SIGMA; place < end * SIGMA; place += LANES) {
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
