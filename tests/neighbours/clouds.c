#include "clouds.h"

#include <math.h>
#include <string.h>

static double uniform(rng *r, int64_t i, int j, int64_t n)
{
    (void)i, (void)j, (void)n;
    return rng_unit(r);
}

/* Returns a coordinate in one of five clusters. The narrowest cluster is as wide as rounding
 * errors. */
static double clustered(rng *r, int64_t i, int j, int64_t n)
{
    int cluster = (int)(i % 5);
    (void)n;
    return sin(7.0 * cluster + j) + rng_unit(r) * pow(10, -2.0 * cluster);
}

/* Returns an integer below 5, so that some distances are equal and some points coincide. */
static double lattice(rng *r, int64_t i, int j, int64_t n)
{
    (void)i, (void)j, (void)n;
    return (double)rng_below(r, 5);
}

/* Returns a coordinate in a cloud of which half of the points coincide. */
static double stacked(rng *r, int64_t i, int j, int64_t n)
{
    (void)n;
    return i % 2 == 0 ? 0.25 * (j + 1) : rng_unit(r);
}

static double same(rng *r, int64_t i, int j, int64_t n)
{
    (void)r, (void)i, (void)n;
    return -1.5 * (j + 1);
}

/* Returns a coordinate on a spiral with all scales from 2^-60 to 2^60. */
static double spiral(rng *r, int64_t i, int j, int64_t n)
{
    double scale = exp2(120.0 * (double)i / (double)n - 60);
    (void)r;
    return scale * cos((double)i * 0.7 + j);
}

/* Returns a coordinate in a cloud with one distant point. The coordinates of all others share most
 * of their digits. */
static double outlier(rng *r, int64_t i, int j, int64_t n)
{
    (void)j;
    return i == n / 2 ? 1e9 : 1000 + 1e-3 * rng_unit(r);
}

/* Returns a coordinate of point i on the diagonal of all dimensions, up to 1e-9. */
static double line(rng *r, int64_t i, int j, int64_t n)
{
    (void)j;
    return (double)(i * 7919 % n) / (double)n + 1e-9 * rng_unit(r);
}

/* Returns a coordinate whose squared distances overflow or underflow in f32. */
static double extreme(rng *r, int64_t i, int j, int64_t n)
{
    (void)n;
    return i % 3 == 0 ? 3e38 * rng_unit(r) : i % 3 == 1 ? 1e-30 * rng_unit(r) : j % 2 ? -0.0 : 0.0;
}

const cloud_kind cloud_kinds[] = {
    {"uniform", uniform}, {"clustered", clustered}, {"lattice", lattice},
    {"stacked", stacked}, {"same", same},           {"spiral", spiral},
    {"outlier", outlier}, {"line", line},           {"extreme", extreme},
};
const int cloud_kind_count = COUNT_OF(cloud_kinds);

void *cloud_make(const cloud_kind *kind, rng *r, fur_value_type value, int64_t n, int d)
{
    void *points = entries_make(value, n * d + 1);
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            entry_set(value, points, i * d + j, fur_real(kind->at(r, i, j, n)));
    return points;
}

fur_vectors *cloud_block(fur_context *context, fur_value_type value, int64_t n, int d,
                         const void *points, fur_layout layout, bool gaps)
{
    bool by_rows = layout == FUR_LAYOUT_ROWS;
    int64_t stride = (by_rows ? d : n) + (gaps ? 2 : 0);
    int64_t size = stride * (by_rows ? n : d);
    fur_vectors *block = NULL;
    fur_vectors_view array = {.size = sizeof array,
                              .rows = n,
                              .cols = d,
                              .value_type = value,
                              .layout = layout,
                              .stride = stride};
    ck_ok(context,
          fur_context_allocate(context, (size_t)size * fur_value_size(value), &array.data));
    for (int64_t e = 0; e < size; e++)
        entry_set(value, array.data, e, fur_real(NAN));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++)
            entry_set(value, array.data, by_rows ? i * stride + j : i + j * stride,
                      entry_get(value, points, i * d + j));
    ck_ok(context, fur_vectors_wrap(context, &array, FUR_OWNERSHIP_ADOPT, &block));
    return block;
}

typedef struct found {
    double distance;
    int32_t number;
} found;

static bool is_nearer(const found *a, const found *b)
{
    return a->distance < b->distance || (a->distance == b->distance && a->number < b->number);
}

/* Moves the k nearest points to the front, the nearest first. */
static void select_nearest(found *all, int64_t count, int64_t k)
{
    for (int64_t p = 0; p < k; p++) {
        int64_t nearest = p;
        for (int64_t q = p + 1; q < count; q++)
            if (is_nearer(&all[q], &all[nearest]))
                nearest = q;
        found other = all[p];
        all[p] = all[nearest];
        all[nearest] = other;
    }
}

static int by_number(const void *left, const void *right)
{
    const found *a = left;
    const found *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static double distance_f32(const float *x, const float *y, int d)
{
    float sum = (y[0] - x[0]) * (y[0] - x[0]);
    for (int j = 1; j < d; j++)
        sum = fmaf(y[j] - x[j], y[j] - x[j], sum);
    return (double)sum;
}

static double distance_f64(const double *x, const double *y, int d)
{
    double sum = (y[0] - x[0]) * (y[0] - x[0]);
    for (int j = 1; j < d; j++)
        sum = fma(y[j] - x[j], y[j] - x[j], sum);
    return sum;
}

static double root(fur_value_type value, double square)
{
    return value == FUR_F32 ? (double)sqrtf((float)square) : sqrt(square);
}

cloud_answer cloud_solve(fur_value_type value, int64_t n, int d, const void *points, int64_t k,
                         bool squared, bool with_self)
{
    cloud_answer a = {n, k, malloc((size_t)(n * k) * sizeof *a.columns),
                      entries_make(value, n * k)};
    found *all = malloc((size_t)n * sizeof *all);
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++) {
            if (j == i && !with_self)
                continue;
            all[count].number = (int32_t)j;
            all[count++].distance =
                value == FUR_F32
                    ? distance_f32((const float *)points + i * d, (const float *)points + j * d, d)
                    : distance_f64((const double *)points + i * d, (const double *)points + j * d,
                                   d);
        }
        select_nearest(all, count, k);
        qsort(all, (size_t)k, sizeof *all, by_number);
        for (int64_t p = 0; p < k; p++) {
            double square = all[p].distance;
            a.columns[i * k + p] = all[p].number;
            entry_set(value, a.values, i * k + p, fur_real(squared ? square : root(value, square)));
        }
    }
    free(all);
    return a;
}

void cloud_answer_release(cloud_answer *a)
{
    free(a->values);
    free(a->columns);
}

void cloud_check(const char *what, const cloud_answer *answer, const fur_csr *g)
{
    fur_context *host = context_cpu(NULL, 1);
    fur_csr *near = NULL;
    ck_ok(fur_csr_context(g), fur_csr_transfer(g, host, &near));
    const fur_csr_view *v = fur_csr_get(near);
    ck_assert_msg(v->rows == answer->n && v->cols == answer->n &&
                      v->entries == answer->n * answer->k,
                  "%s: %lld x %lld with %lld entries", what, (long long)v->rows, (long long)v->cols,
                  (long long)v->entries);
    ck_ok(host, fur_csr_check(host, v));
    for (int64_t i = 0; i <= answer->n; i++)
        ck_assert_msg(offset_at(v, i) == i * answer->k, "%s: row %lld begins at %lld", what,
                      (long long)i, (long long)offset_at(v, i));
    int64_t bad = first_difference(v->value_type, v->entries, answer->values, v->values);
    for (int64_t e = 0; e < v->entries; e++)
        ck_assert_msg(answer->columns[e] == v->columns[e] && e != bad,
                      "%s: entry %lld of row %lld is %.17g at %d, not %.17g at %d", what,
                      (long long)(e % answer->k), (long long)(e / answer->k),
                      entry_get(v->value_type, v->values, e).re, v->columns[e],
                      entry_get(v->value_type, answer->values, e).re, answer->columns[e]);
    fur_csr_destroy(near);
    fur_context_destroy(host);
}
