#include "sddmm_trial.h"

#include "placed_block.h"
#include "stencil_trial.h"

#define LANES 8

static fur_scalar product_of(fur_value_type value, fur_scalar a, fur_scalar b)
{
    return entry_fma(value, a, b, fur_complex(-0.0, -0.0)); /* which changes nothing */
}

static fur_scalar conjugate(fur_value_type value, fur_scalar a)
{
    return value_is_complex(value) ? fur_complex(a.re, -a.im) : a;
}

/* Returns sum_t X(i, t) conj(Y(j, t)). Column t is added to lane t mod 8, lanes are folded in
 * halves, and the sum is conjugated. */
static fur_scalar dot_of_rows(const sddmm_trial *t, int64_t i, int64_t j)
{
    fur_scalar lane[LANES] = {{0, 0}};
    for (int64_t k = 0; k < t->cols; k++)
        lane[k % LANES] =
            entry_fma(t->value, conjugate(t->value, entry_get(t->value, t->x, i * t->cols + k)),
                      entry_get(t->value, t->y, j * t->cols + k), lane[k % LANES]);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] = entry_add(t->value, lane[l], lane[l + half]);
    return conjugate(t->value, lane[0]);
}

static void expect(const fur_csr_view *a, sddmm_trial *t)
{
    fur_scalar alpha = entry_round(t->value, t->alpha);
    fur_scalar beta = entry_round(t->value, t->beta);
    bool overwrite = beta.re == 0 && beta.im == 0;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = offset_at(a, i); e < offset_at(a, i + 1); e++) {
            fur_scalar sum = dot_of_rows(t, i, a->columns[e]);
            fur_scalar old = entry_get(t->value, a->values, e);
            entry_set(t->value, t->expected, e,
                      overwrite ? product_of(t->value, alpha, sum)
                                : entry_fma(t->value, alpha, sum, product_of(t->value, beta, old)));
        }
}

sddmm_trial sddmm_random(const fur_csr *a, int64_t cols, rng *r)
{
    const fur_csr_view *v = fur_csr_get(a);
    sddmm_trial t = {.value = v->value_type,
                     .x_rows = v->rows,
                     .y_rows = v->cols,
                     .entries = v->entries,
                     .cols = cols};
    t.alpha = rng_below(r, 3) ? rng_scalar(r, t.value) : fur_real(1);
    t.beta = rng_below(r, 2) ? rng_scalar(r, t.value) : fur_real((double)rng_below(r, 2));
    t.x = entries_random(r, t.value, t.x_rows * cols);
    t.y = entries_random(r, t.value, t.y_rows * cols);
    t.expected = entries_make(t.value, t.entries);
    expect(v, &t);
    return t;
}

void sddmm_release(sddmm_trial *t)
{
    free(t->x);
    free(t->y);
    free(t->expected);
}

static void check_values(const fur_csr *c, const sddmm_trial *t, int way, const char *what)
{
    fur_context *context = fur_csr_context(c);
    fur_csr *near = NULL;
    ck_ok(context, fur_csr_transfer(c, fur_context_host(context), &near));
    int64_t at = first_difference(t->value, t->entries, fur_csr_get(near)->values, t->expected);
    fur_scalar found = fur_real(0);
    fur_scalar expected = fur_real(0);
    if (at >= 0) {
        found = entry_get(t->value, fur_csr_get(near)->values, at);
        expected = entry_get(t->value, t->expected, at);
    }
    ck_assert_msg(at < 0,
                  "%s, %s, %lld columns, way %d, isa %s, %d threads, beta %g: entry %lld of %lld "
                  "is (%a, %a), not (%a, %a)",
                  what, fur_value_name(t->value), (long long)t->cols, way, fur_context_isa(context),
                  fur_context_threads(context), t->beta.re, (long long)at, (long long)t->entries,
                  found.re, found.im, expected.re, expected.im);
    fur_csr_destroy(near);
}

void sddmm_check(const fur_csr *a, const sddmm_trial *t, int way, const char *what)
{
    fur_context *context = fur_csr_context(a);
    fur_csr *c = NULL;
    fur_csr *own = NULL;
    placed_block x = block_place(context, t->value, t->x_rows, t->cols,
                                 way & 1 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS, way & 4, t->x);
    placed_block y = block_place(context, t->value, t->y_rows, t->cols,
                                 way & 2 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS, way & 4, t->y);
    ck_ok(context, fur_sddmm_multiply(t->alpha, x.block, y.block, t->beta, a, &c));
    check_values(c, t, way, what);
    ck_ok(context, fur_csr_transfer(a, context, &own));
    ck_ok(context, fur_sddmm_apply(t->alpha, x.block, y.block, t->beta, own));
    check_values(own, t, way, what);
    fur_csr_destroy(own);
    fur_csr_destroy(c);
    block_remove(&y);
    block_remove(&x);
}
