/* Damps the rows on which the smoother's polynomial might amplify an error.
 *
 * Let A be Hermitian, D its diagonal, w_i > 0 weights, and q_i = sum_j |a_ij| w_j / (w_i d_i). By
 * Gershgorin no eigenvalue of E^-1 A is above c if E_i = d_i max(1, q_i / c). The first weights are
 * 1 / sqrt(d_i), which do not depend on scales of the rows. The second weights are w_i sqrt(q_i), a
 * step of the power method (Collatz 1942). */
#ifndef FUR_TEMPLATE
#    include "hierarchy.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "table.h"

#    define ROW_GRAIN 4096

typedef struct weighing {
    const fur_csr_view *a;
    const void *scaling;
    const void *weights; /* NULL: the first weights */
    double limit;        /* c; 0: the next weights are computed */
    void *out;           /* E^-1, or these weights */
} weighing;

#    define FUR_TEMPLATE "modulus_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "damp.c"
#    include "foreach_value.h"

static void weigh_rows(const fur_csr *a, weighing w)
{
    static fur_body *const weigh[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(weigh);
    fur_parallel(&a->context->env, w.a->rows / ROW_GRAIN, w.a->rows, weigh[w.a->value_type], &w);
}

/* damped = E^-1 for A in the host's memory. */
static void damp_here(const fur_csr *a, double limit, const fur_vector *scaling,
                      const fur_vector *weights, const fur_vector *damped)
{
    const fur_csr_view *v = &a->view;
    weigh_rows(a, (weighing){v, scaling->data, NULL, 0, weights->data});
    weigh_rows(a, (weighing){v, scaling->data, weights->data, limit, damped->data});
}

/* Makes a vector like x in the companion of its context. */
static fur_status make_vector(fur_context *host, const fur_vector *x, fur_vector **out)
{
    return fur_context_pass_on(host, x->context,
                               fur_vector_create(host, x->value_type, x->size, out));
}

/* Damps on copies in the companion of A's context. */
static fur_status damp_copies(const fur_csr *a, double limit, fur_vector *scaling)
{
    const fur_vector *near;
    fur_vector *copy = NULL;
    fur_vector *weights = NULL;
    fur_vector *damped = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_vector_to_host(scaling, &near, &copy));
    FUR_TRY_DONE(make_vector(a->context, scaling, &weights));
    FUR_TRY_DONE(make_vector(a->context, scaling, &damped));
    damp_here(a, limit, near, weights, damped);
    FUR_TRY_DONE(fur_vector_upload(damped->data, scaling));
done:
    fur_vector_destroy(damped);
    fur_vector_destroy(weights);
    fur_vector_destroy(copy);
    return status;
}

fur_status fur_amg_damp(const fur_amg_rung *rung, double limit)
{
    const fur_csr *a = rung->level.a;
    const fur_csr *near;
    fur_csr *copy;
    if (!(rung->level.gershgorin > limit))
        return FUR_OK;
    if (!fur_is_remote(a->context)) {
        damp_here(a, limit, rung->scaling, rung->x, rung->p);
        return fur_vector_copy(rung->p, rung->scaling);
    }
    FUR_TRY(fur_csr_to_host(a, &near, &copy));
    fur_status status = damp_copies(near, limit, rung->scaling);
    fur_csr_destroy(copy);
    return status;
}
#else

static double FN(weight)(const weighing *w, int64_t i)
{
    return w->weights ? FN(modulus)(((const VALUE *)w->weights)[i])
                      : sqrt(FN(modulus)(((const VALUE *)w->scaling)[i]));
}

static void FN(weigh)(void *job, int64_t begin, int64_t end)
{
    const weighing *w = job;
    const VALUE *values = w->a->values;
    const VALUE *scaling = w->scaling;
    VALUE *out = w->out;
    for (int64_t i = begin; i < end; i++) {
        const int64_t stop = fur_offset_at(w->a, i + 1);
        double own = FN(weight)(w, i);
        double sum = 0;
        for (int64_t k = fur_offset_at(w->a, i); k < stop; k++)
            sum += FN(modulus)(values[k]) * FN(weight)(w, w->a->columns[k]);
        double q = own > 0 ? sum * FN(modulus)(scaling[i]) / own : 0;
        if (w->limit == 0)
            out[i] = V(from)(fur_real(own * sqrt(q)));
        else
            out[i] =
                q > w->limit ? V(mul)(V(from)(fur_real(w->limit / q)), scaling[i]) : scaling[i];
    }
}

#endif
