/* Scales of rows and columns (Ruiz, A scaling algorithm to equilibrate both rows and columns norms
 * in matrices, 2001), in the maximum norm. Each step divides rows and columns by the roots of their
 * largest entries. The steps work on binary exponents, so that scales are powers of two. */
#include "balance.h"

#include "csr.h"
#include "value_type.h"

#include <math.h>

/* Scales are used if largest entries differ by this number of bits, a factor of 1e3. */
#define SPREAD 10

/* Number of steps. Each step halves the remaining exponents. */
#define STEPS 10

/* Scales stay between 2^-MAX_EXPONENT and 2^MAX_EXPONENT, so that a product of two scales does
 * not overflow. */
#define MAX_EXPONENT 480
#define MAX_EXPONENT_SINGLE 56

/* Exponents, in bits. */
typedef struct scales {
    const fur_csr_view *a;
    double *entry;    /* of each entry of A; -HUGE_VAL for 0 */
    double *row;      /* of R */
    double *col;      /* of C */
    double *row_most; /* of the largest entry of each row of R A C */
    double *col_most;
} scales;

static double exponent_of(const fur_csr_view *a, int64_t k)
{
    const int parts = fur_value_parts(a->value_type);
    double re = fabs(fur_value_part(a->value_type, a->values, k * parts));
    double im = fabs(fur_value_part(a->value_type, a->values, k * parts + parts - 1));
    double most = re > im ? re : im;
    return most > 0 ? ilogb(most) : -HUGE_VAL;
}

static void find_most(scales *s)
{
    const int64_t n = s->a->rows;
    for (int64_t i = 0; i < n; i++)
        s->row_most[i] = s->col_most[i] = -HUGE_VAL;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = fur_offset_at(s->a, i); k < fur_offset_at(s->a, i + 1); k++) {
            int64_t j = s->a->columns[k];
            double e = s->entry[k] + s->row[i] + s->col[j];
            s->row_most[i] = fmax(s->row_most[i], e);
            s->col_most[j] = fmax(s->col_most[j], e);
        }
}

/* Returns the bits between the least and the largest exponent. Empty rows are ignored. */
static double spread_of(const double *most, int64_t n)
{
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int64_t i = 0; i < n; i++) {
        if (!(most[i] > -HUGE_VAL))
            continue;
        low = fmin(low, most[i]);
        high = fmax(high, most[i]);
    }
    return high > low ? high - low : 0;
}

static double reduced(double exponent, double most, double share)
{
    return most > -HUGE_VAL ? exponent - share * most : exponent;
}

/* Divides every row by its largest entry. */
static void balance_rows(scales *s)
{
    for (int64_t i = 0; i < s->a->rows; i++)
        s->row[i] = reduced(s->row[i], s->row_most[i], 1);
    find_most(s);
}

/* Makes one step for rows and columns, or one symmetric step for both. */
static void step(scales *s, bool symmetric)
{
    for (int64_t i = 0; i < s->a->rows; i++) {
        double most = symmetric ? fmax(s->row_most[i], s->col_most[i]) : s->row_most[i];
        s->row[i] = reduced(s->row[i], most, 0.5);
        s->col[i] = symmetric ? s->row[i] : reduced(s->col[i], s->col_most[i], 0.5);
    }
    find_most(s);
}

/* Computes the scales and the largest entries from the exponents of the entries. Rows come first,
 * so that the entries of R b differ as little as A allows. */
static void balance(scales *s, fur_scale scale)
{
    if (scale != FUR_SCALE_SYMMETRIC)
        balance_rows(s);
    for (int k = 0; scale != FUR_SCALE_ROWS && k < STEPS; k++)
        step(s, scale == FUR_SCALE_SYMMETRIC);
}

/* Makes the vector of 2^(sign exponents_i). `room` has n doubles. */
static fur_status make_vector(fur_context *context, fur_value_type value, int64_t n,
                              const double *exponents, int sign, double *room, fur_vector **out)
{
    const int most = fur_value_is_single(value) ? MAX_EXPONENT_SINGLE : MAX_EXPONENT;
    fur_vector *wide;
    for (int64_t i = 0; i < n; i++)
        room[i] = scalbn(1, sign * (int)fmax(-most, fmin(most, rint(exponents[i]))));
    FUR_TRY(fur_vector_create(context, FUR_F64, n, &wide));
    fur_status status = fur_vector_upload(room, wide);
    if (status == FUR_OK)
        status = fur_vector_convert(wide, value, out);
    fur_vector_destroy(wide);
    return status;
}

static fur_status make_vectors(const fur_csr *a, const scales *s, fur_balance *out)
{
    fur_value_type value = s->a->value_type;
    fur_context *context = fur_csr_context(a);
    int64_t n = s->a->rows;
    FUR_TRY(make_vector(context, value, n, s->row, 1, s->row_most, &out->rows));
    FUR_TRY(make_vector(context, value, n, s->col, 1, s->row_most, &out->cols));
    return make_vector(context, value, n, s->col, -1, s->row_most, &out->unscale);
}

/* Allocates all arrays, filled with zeros. */
static fur_status allocate(fur_env *env, const fur_csr_view *a, scales *s)
{
    s->a = a;
    FUR_TRY(fur_env_allocate(env, a->entries, sizeof *s->entry, &s->entry));
    return fur_env_allocate_zeros(env, 4 * a->rows, sizeof *s->row, &s->row);
}

static const char *const names[] = {[FUR_SCALE_AUTO] = "rows and columns",
                                    [FUR_SCALE_NONE] = "none",
                                    [FUR_SCALE_ROWS] = "rows",
                                    [FUR_SCALE_SYMMETRIC] = "symmetric"};

static fur_status find(fur_env *env, const fur_csr *original, const fur_csr_view *a,
                       fur_scale scale, bool hermitian, fur_balance *out)
{
    scales s = {.a = a};
    fur_status status = allocate(env, a, &s);
    if (status == FUR_OK) {
        s.col = s.row + a->rows;
        s.row_most = s.col + a->rows;
        s.col_most = s.row_most + a->rows;
        for (int64_t k = 0; k < a->entries; k++)
            s.entry[k] = exponent_of(a, k);
        find_most(&s);
        bool even =
            spread_of(s.row_most, a->rows) < SPREAD && spread_of(s.col_most, a->rows) < SPREAD;
        if (scale != FUR_SCALE_AUTO || !even) {
            scale = scale == FUR_SCALE_AUTO && hermitian ? FUR_SCALE_SYMMETRIC : scale;
            out->name = names[scale];
            balance(&s, scale);
            status = make_vectors(original, &s, out);
        }
    }
    fur_env_release(env, s.entry);
    fur_env_release(env, s.row);
    return status;
}

fur_status fur_balance_find(const fur_csr *a, fur_scale scale, bool hermitian, fur_balance *out)
{
    const fur_csr *near;
    fur_csr *copy;
    *out = (fur_balance){.rows = NULL};
    FUR_TRY(fur_csr_to_host(a, &near, &copy));
    fur_context *host = fur_csr_context(near);
    fur_status status = find(&host->env, a, fur_csr_get(near), scale, hermitian, out);
    fur_csr_destroy(copy);
    if (status != FUR_OK)
        fur_balance_release(out);
    return status;
}

fur_status fur_balance_apply(const fur_balance *s, const fur_csr *a, fur_csr **out)
{
    fur_csr *scaled;
    FUR_TRY(fur_csr_transfer(a, fur_csr_context(a), &scaled));
    fur_status status = fur_csr_scale(scaled, s->rows, s->cols);
    if (status == FUR_OK)
        *out = scaled;
    else
        fur_csr_destroy(scaled);
    return status;
}

void fur_balance_release(fur_balance *s)
{
    fur_vector_destroy(s->unscale);
    fur_vector_destroy(s->cols);
    fur_vector_destroy(s->rows);
    *s = (fur_balance){.rows = NULL};
}
