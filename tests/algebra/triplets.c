/* See triplets.h. */
#include "triplets.h"

#include <math.h>
#include <string.h>

triplets triplets_make(int64_t rows, int64_t cols, fur_value_type value)
{
    return (triplets){.rows = rows, .cols = cols, .value = value};
}

void triplets_add(triplets *t, int64_t row, int64_t col, fur_scalar value)
{
    if (t->count == t->room) {
        t->room = 2 * t->room + 64;
        t->row = realloc(t->row, (size_t)t->room * sizeof *t->row);
        t->col = realloc(t->col, (size_t)t->room * sizeof *t->col);
        t->values = realloc(t->values, (size_t)t->room * fur_value_size(t->value));
    }
    t->row[t->count] = (int32_t)row;
    t->col[t->count] = (int32_t)col;
    entry_set(t->value, t->values, t->count++, value);
}

void triplets_release(triplets *t)
{
    free(t->values);
    free(t->col);
    free(t->row);
}

triplets triplets_of(const fur_csr *a)
{
    fur_csr *near = matrix_near(a);
    const fur_csr_view *v = fur_csr_get(near);
    triplets t = triplets_make(v->rows, v->cols, v->value_type);
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            triplets_add(&t, i, v->columns[k], entry_get(v->value_type, v->values, k));
    fur_csr_destroy(near);
    return t;
}

fur_scalar triplets_at(const triplets *t, int64_t k)
{
    return entry_get(t->value, t->values, k);
}

void triplets_expect(fur_csr *a, triplets *t, const char *what)
{
    fur_context *context = fur_csr_context(a);
    fur_coo_view coo = {sizeof coo, t->rows, t->cols, t->count,
                        t->value,   t->row,  t->col,  t->values};
    fur_csr *expected = NULL;
    int equal = 0;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &expected));
    ck_ok(context, fur_csr_check(context, fur_csr_get(a)));
    ck_ok(context, fur_csr_compare(a, expected, &equal));
    ck_assert_msg(equal, "%s: %lld entries, expected %lld", what,
                  (long long)fur_csr_get(a)->entries, (long long)t->count);
    ck_assert_int_eq(fur_csr_get(a)->offset_type, FUR_I32);
    fur_csr_destroy(expected);
    fur_csr_destroy(a);
    triplets_release(t);
}

fur_scalar times(fur_value_type value, fur_scalar a, fur_scalar b)
{
    if (value == FUR_C64)
        return fur_complex(fmaf((float)-a.im, (float)b.im, (float)a.re * (float)b.re),
                           fmaf((float)a.im, (float)b.re, (float)a.re * (float)b.im));
    if (value == FUR_C128)
        return fur_complex(fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im));
    return entry_round(value, fur_real(a.re * b.re));
}

fur_scalar times_plus(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c)
{
    float ar = (float)a.re, ai = (float)a.im, br = (float)b.re, bi = (float)b.im;
    switch (value) {
    case FUR_F32:
        return fur_real(fmaf(ar, br, (float)c.re));
    case FUR_F64:
        return fur_real(fma(a.re, b.re, c.re));
    case FUR_C64:
        return fur_complex(fmaf(-ai, bi, fmaf(ar, br, (float)c.re)),
                           fmaf(ai, br, fmaf(ar, bi, (float)c.im)));
    default:
        return fur_complex(fma(-a.im, b.im, fma(a.re, b.re, c.re)),
                           fma(a.im, b.re, fma(a.re, b.im, c.im)));
    }
}

fur_csr *matrix_of(fur_context *context, rng *r, const shape *s, int type)
{
    return matrix_random(context, r, s, (fur_value_type)(type / FUR_OFFSET_COUNT),
                         (fur_offset_type)(type % FUR_OFFSET_COUNT));
}

fur_csr *matrix_like(const fur_csr *a, rng *r)
{
    fur_csr *near = matrix_near(a);
    const fur_csr_view *v = fur_csr_get(near);
    fur_context *context = fur_csr_context(a);
    triplets t = triplets_make(v->rows, v->cols, v->value_type);
    for (int64_t i = 0; i < v->rows; i++) {
        uint64_t kept = rng_bits(r); /* some rows keep all their columns */
        int64_t last = -1;
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
            int64_t col = v->columns[k];
            if ((kept & 3) != 0 && rng_below(r, 2))
                col = last + 1 + rng_below(r, v->cols);
            if (col > last && col < v->cols && (!(kept & 4) || rng_below(r, 2)))
                triplets_add(&t, i, last = col, rng_scalar(r, v->value_type));
        }
    }
    fur_coo_view coo = {sizeof coo, t.rows, t.cols, t.count, t.value, t.row, t.col, t.values};
    fur_csr *narrow = NULL;
    fur_csr *b = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &narrow));
    ck_ok(context, fur_csr_convert(narrow, v->value_type, v->offset_type, &b));
    fur_csr_destroy(narrow);
    fur_csr_destroy(near);
    triplets_release(&t);
    return b;
}
