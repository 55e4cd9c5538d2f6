#include "plain_factors.h"

#include <math.h>

/* Returns a b + c, rounded as in the value type. */
static fur_scalar fma_entry(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c)
{
    bool single = value == FUR_F32 || value == FUR_C64;
#define FMA(x, y, z) (single ? (double)fmaf((float)(x), (float)(y), (float)(z)) : fma(x, y, z))
    if (!value_is_complex(value))
        return fur_real(FMA(a.re, b.re, c.re));
    return fur_complex(FMA(-a.im, b.im, FMA(a.re, b.re, c.re)),
                       FMA(a.im, b.re, FMA(a.re, b.im, c.im)));
#undef FMA
}

static fur_scalar mul_entry(fur_value_type value, fur_scalar a, fur_scalar b)
{
    fur_scalar re = entry_round(value, fur_complex(a.re * b.re, a.re * b.im));
    if (!value_is_complex(value))
        return fur_real(re.re);
    bool single = value == FUR_C64;
    double x =
        single ? (double)fmaf((float)-a.im, (float)b.im, (float)re.re) : fma(-a.im, b.im, re.re);
    double y =
        single ? (double)fmaf((float)a.im, (float)b.re, (float)re.im) : fma(a.im, b.re, re.im);
    return fur_complex(x, y);
}

/* Returns 1 / z, rounded as for the pivots of complex factors. */
static fur_scalar reciprocal(fur_value_type value, fur_scalar z)
{
    double large = fmax(fabs(z.re), fabs(z.im));
    double scale = scalbn(1, -ilogb(large));
    double re = z.re * scale;
    double im = z.im * scale;
    double square = fma(re, re, im * im);
    return entry_round(value, fur_complex(re / square * scale, -im / square * scale));
}

static fur_scalar negative(fur_scalar a)
{
    return fur_complex(-a.re, -a.im);
}

static fur_scalar conjugate(fur_scalar a)
{
    return fur_complex(a.re, -a.im);
}

static fur_scalar over(fur_value_type value, fur_scalar a, fur_scalar d, bool by_real)
{
    if (value_is_complex(value) && !by_real)
        return mul_entry(value, reciprocal(value, d), a);
    return entry_round(value, fur_complex(a.re / d.re, a.im / d.re));
}

/* A dense n x n matrix, with a flag for each entry of the pattern. */
typedef struct dense {
    int64_t n;
    fur_scalar *at;
    bool *has;
} dense;

static dense dense_from(const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    size_t all = (size_t)(v->rows * v->rows) + 1;
    dense d = {v->rows, calloc(all, sizeof *d.at), calloc(all, sizeof *d.has)};
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
            d.at[i * d.n + v->columns[k]] = entry_get(v->value_type, v->values, k);
            d.has[i * d.n + v->columns[k]] = true;
        }
    return d;
}

static void dense_release(dense *d)
{
    free(d->at);
    free(d->has);
}

/* Factors A row by row. Each row is eliminated with all rows before it. */
static void factor_plainly(dense *d, fur_value_type value, const form *f)
{
    int64_t n = d->n;
    for (int64_t i = 0; i < n; i++) {
        fur_scalar *row = d->at + i * n;
        const bool *has = d->has + i * n;
        for (int64_t k = 0; k < i; k++) {
            const fur_scalar *up = d->at + k * n;
            if (!has[k])
                continue;
            row[k] = over(value, row[k], up[k], false);
            for (int64_t j = k + 1; j < n; j++)
                if (d->has[k * n + j] && (has[j] || f->modified)) {
                    fur_scalar *to = has[j] ? &row[j] : &row[i];
                    *to = fma_entry(value, negative(row[k]), up[j], *to);
                }
        }
        if (f->hermitian)
            row[i].im = 0;
    }
}

/* Factors the lower triangle of A row by row. Each entry is a dot product of two rows. */
static void factor_lower(dense *d, fur_value_type value)
{
    int64_t n = d->n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            fur_scalar s = d->at[i * n + j];
            const fur_scalar *left = d->at + i * n;
            const fur_scalar *right = d->at + j * n;
            for (int64_t k = 0; k < j && d->has[i * n + j]; k++)
                if (d->has[i * n + k] && d->has[j * n + k])
                    s = fma_entry(value, negative(left[k]), conjugate(right[k]), s);
            if (d->has[i * n + j])
                d->at[i * n + j] = j < i ? over(value, s, right[j], true)
                                         : entry_round(value, fur_real(sqrt(s.re)));
        }
}

/* Adds the positions of fill-in up to level `most`, each with a zero. lev(i, j) is the smallest
 * lev(i, k) + lev(k, j) + 1 over k < min(i, j). */
static void fill_levels(dense *d, int most)
{
    int64_t n = d->n;
    int *level = calloc((size_t)(n * n) + 1, sizeof *level);
    for (int64_t i = 0; i < n * n; i++)
        level[i] = d->has[i] ? 0 : most + 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < i; k++)
            for (int64_t j = k + 1; j < n && level[i * n + k] <= most; j++) {
                int through = level[i * n + k] + level[k * n + j] + 1;
                if (through < level[i * n + j])
                    level[i * n + j] = through;
            }
    for (int64_t i = 0; i < n * n; i++)
        d->has[i] = level[i] <= most;
    free(level);
}

static double modulus(fur_value_type value, fur_scalar a)
{
    return value_is_complex(value) ? sqrt(fma(a.re, a.re, a.im * a.im)) : fabs(a.re);
}

/* Returns the 2-norm of a row of A. */
static double norm_of(const dense *d, fur_value_type value, int64_t i)
{
    double sum = 0;
    for (int64_t j = 0; j < d->n; j++) {
        double size = modulus(value, d->at[i * d->n + j]);
        if (d->has[i * d->n + j])
            sum = fma(size, size, sum);
    }
    return sqrt(sum);
}

static int64_t count_positions(const bool *has, int64_t begin, int64_t end)
{
    int64_t count = 0;
    for (int64_t j = begin; j < end; j++)
        count += has[j];
    return count;
}

/* Eliminates row i with the rows before it. Drops entries below the threshold. */
static void eliminate_above(dense *d, fur_value_type value, int64_t i, double drop, double norm)
{
    int64_t n = d->n;
    fur_scalar *row = d->at + i * n;
    bool *has = d->has + i * n;
    for (int64_t k = 0; k < i; k++) {
        if (!has[k])
            continue;
        row[k] = over(value, row[k], d->at[k * n + k], false);
        has[k] = !(modulus(value, row[k]) / norm < drop);
        for (int64_t j = k + 1; j < n && has[k]; j++)
            if (d->has[k * n + j]) {
                has[j] = true;
                row[j] = fma_entry(value, negative(row[k]), d->at[k * n + j], row[j]);
            }
    }
    for (int64_t j = i + 1; j < n; j++)
        has[j] = has[j] && !(modulus(value, row[j]) / norm < drop);
}

/* Drops the smallest entry until at most `most` are left. If entries are equal, it drops the one in
 * the higher column. */
static void keep_largest(const dense *d, fur_value_type value, int64_t i, int64_t begin,
                         int64_t end, int64_t most, double norm)
{
    bool *has = d->has + i * d->n;
    while (count_positions(has, begin, end) > most) {
        int64_t smallest = -1;
        float least = INFINITY;
        for (int64_t j = begin; j < end; j++) {
            float size = (float)(modulus(value, d->at[i * d->n + j]) / norm);
            if (has[j] && size <= least) {
                smallest = j;
                least = size;
            }
        }
        has[smallest] = false;
    }
}

static void factor_by_thresholds(dense *d, fur_value_type value, const thresholds *t,
                                 int64_t *raised)
{
    int64_t n = d->n;
    for (int64_t i = 0; i < n; i++) {
        bool *has = d->has + i * n;
        fur_scalar *pivot = d->at + i * n + i;
        double norm = norm_of(d, value, i);
        int64_t left = t->fill + count_positions(has, 0, i);
        int64_t right = t->fill + count_positions(has, i + 1, n);
        if (t->shift > 0)
            *pivot = mul_entry(value, entry_round(value, fur_real(1 + t->shift)), *pivot);
        eliminate_above(d, value, i, t->drop, norm);
        double size = modulus(value, *pivot);
        if (size < 1e-4 * norm) {
            fur_scalar factor = entry_round(value, fur_real(1e-4 * norm / size));
            *pivot = size > 0 ? mul_entry(value, factor, *pivot)
                              : entry_round(value, fur_real(1e-4 * norm));
            ++*raised;
        }
        has[i] = true;
        keep_largest(d, value, i, 0, i, left, norm);
        keep_largest(d, value, i, i + 1, n, right, norm);
        for (int64_t j = 0; j < n; j++)
            d->at[i * n + j] = has[j] ? d->at[i * n + j] : fur_real(0);
    }
}

/* Makes a sparse matrix of the entries in the pattern. */
static fur_csr *csr_from(fur_context *context, const dense *d, fur_value_type value)
{
    int64_t n = d->n;
    int32_t *row = malloc(((size_t)(n * n) + 1) * sizeof *row);
    int32_t *col = malloc(((size_t)(n * n) + 1) * sizeof *col);
    void *values = entries_make(value, n * n + 1);
    int64_t count = 0;
    fur_csr *out = NULL;
    for (int64_t i = 0; i < n * n; i++)
        if (d->has[i]) {
            row[count] = (int32_t)(i / n);
            col[count] = (int32_t)(i % n);
            entry_set(value, values, count++, d->at[i]);
        }
    fur_coo_view coo = {sizeof coo, n, n, count, value, row, col, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &out));
    free(values);
    free(col);
    free(row);
    return out;
}

static void solve(const fur_csr *f, fur_triangle triangle, fur_op op, fur_triangle_diagonal unit,
                  fur_vector *x)
{
    fur_trsv *plan = NULL;
    ck_ok(fur_csr_context(f), fur_trsv_plan(f, triangle, op, unit, NULL, &plan));
    ck_ok(fur_csr_context(f), fur_trsv_apply(plan, fur_real(1), x, x));
    fur_trsv_destroy(plan);
}

void apply_plainly(const fur_csr *a, const form *kind, fur_vector *x)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    dense d = dense_from(a);
    fur_vector *diagonal = NULL;
    if (kind->fill > 0)
        fill_levels(&d, kind->fill);
    if (kind->lower)
        factor_lower(&d, value);
    else
        factor_plainly(&d, value, kind);
    fur_csr *f = csr_from(context, &d, value);
    if (kind->lower) {
        solve(f, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, x);
        solve(f, FUR_TRIANGLE_LOWER, FUR_OP_H, FUR_DIAGONAL_STORED, x);
    } else if (kind->hermitian) {
        solve(f, FUR_TRIANGLE_UPPER, FUR_OP_H, FUR_DIAGONAL_STORED, x);
        ck_ok(context, fur_csr_diagonal(f, &diagonal));
        ck_ok(context, fur_multiply_elementwise(diagonal, x, x));
        solve(f, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, x);
        fur_vector_destroy(diagonal);
    } else {
        solve(f, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, x);
        solve(f, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, x);
    }
    fur_csr_destroy(f);
    dense_release(&d);
}

void apply_thresholds_plainly(const fur_csr *a, const thresholds *t, fur_vector *x, int64_t *raised)
{
    fur_value_type value = fur_csr_get(a)->value_type;
    dense d = dense_from(a);
    *raised = 0;
    factor_by_thresholds(&d, value, t, raised);
    fur_csr *f = csr_from(fur_csr_context(a), &d, value);
    solve(f, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, x);
    solve(f, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, x);
    fur_csr_destroy(f);
    dense_release(&d);
}
