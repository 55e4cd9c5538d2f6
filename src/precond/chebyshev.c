/* Steps of Chebyshev's iteration for D^-1 A x = D^-1 r from x = 0, where D is the diagonal of A.
 * The result is a polynomial in D^-1 A that is small on [bound / 10, bound] (Saad, Iterative
 * Methods for Sparse Linear Systems, 2003, section 12.1). The bound is Gershgorin's, max_i sum_j
 * |a_ij| / a_ii. No eigenvalue lies above it, and it does not depend on a start vector. */
#include "atomic.h"
#include "hierarchy.h"
#include "precond.h"
#include "scalar.h"
#include "team.h"

#include <furrow/spmv.h>

/* bound / RANGE is the lower end of the interval. Below it cg is better than a polynomial of few
 * steps. */
#define RANGE 10
#define ROW_GRAIN 4096

typedef struct chebyshev {
    fur_spmv *plan;
    fur_operator *a;
    fur_operator *jacobi;
    fur_vector *residual;
    fur_vector *step;
    fur_vector *scaled;
    double bound;
    int degree;
} chebyshev;

typedef struct search {
    fur_value_type type;
    const void *inverse; /* 1 / a_ii */
    fur_shared bad;      /* the first row whose diagonal is not positive */
} search;

static void find_bad(void *job, int64_t begin, int64_t end)
{
    search *s = job;
    for (int64_t i = begin; i < end; i++)
        if (!(fur_scalar_at(s->type, s->inverse, i).re > 0)) {
            fur_shared_least(&s->bad, i);
            return;
        }
}

/* Finds the first row whose diagonal is not positive, or INT64_MAX, from 1 / a_ii. A device's
 * vector is copied to the host. */
static fur_status find_bad_row(const fur_vector *inverse, int64_t *bad)
{
    const fur_vector *near;
    fur_vector *copy;
    FUR_TRY(fur_vector_to_host(inverse, &near, &copy));
    search s = {near->value_type, near->data, INT64_MAX};
    fur_parallel(&near->context->env, near->size / ROW_GRAIN, near->size, find_bad, &s);
    fur_vector_destroy(copy);
    *bad = s.bad;
    return FUR_OK;
}

static fur_status find_bound(const fur_precond *p, chebyshev *own)
{
    int64_t bad;
    FUR_TRY(fur_amg_scan_rows(p->a, false, own->scaled, &own->bound));
    FUR_TRY(find_bad_row(own->scaled, &bad));
    if (bad != INT64_MAX)
        return fur_context_fail(p->context, FUR_INVALID,
                                "the diagonal entry of row %lld, counting from 1, is not positive; "
                                "\"chebyshev\" needs a positive definite matrix",
                                (long long)bad + 1);
    return FUR_OK;
}

static fur_status make_vectors(fur_precond *p, chebyshev *own)
{
    const fur_csr_view *a = &p->a->view;
    FUR_TRY(fur_vector_create(p->context, a->value_type, a->rows, &own->residual));
    FUR_TRY(fur_vector_create(p->context, a->value_type, a->rows, &own->step));
    return fur_vector_create(p->context, a->value_type, a->rows, &own->scaled);
}

static fur_status create(fur_precond *p, const void *options)
{
    const fur_chebyshev_options *o = options;
    const fur_csr_view *a = &p->a->view;
    double vector = (double)a->rows * (double)fur_value_size(a->value_type);
    chebyshev *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    own->degree = o->degree;
    FUR_TRY(make_vectors(p, own));
    FUR_TRY(find_bound(p, own));
    FUR_TRY(fur_spmv_plan(p->a, NULL, &own->plan));
    FUR_TRY(fur_operator_from_spmv(own->plan, &own->a));
    FUR_TRY(fur_operator_jacobi(own->a, &own->jacobi));
    p->report.entries = a->entries;
    p->report.bytes =
        (own->degree - 1) * ((double)fur_spmv_describe(own->plan)->bytes + 9 * vector) + 9 * vector;
    return FUR_OK;
}

/* The operators of the state have already used A's new values. */
static fur_status update(fur_precond *p)
{
    chebyshev *own = p->state;
    FUR_TRY(find_bound(p, own));
    return fur_dependent_check(&p->context->env, &own->jacobi->dependent);
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const chebyshev *own = p->state;
    double centre = 0.5 * (own->bound + own->bound / RANGE);
    double radius = 0.5 * (own->bound - own->bound / RANGE);
    double sigma = centre / radius;
    double rho = 1 / sigma;
    FUR_TRY(fur_vector_copy(r, own->residual));
    FUR_TRY(fur_operator_apply(own->jacobi, r, own->scaled));
    FUR_TRY(fur_axpby(fur_real(1 / centre), own->scaled, fur_real(0), own->step));
    FUR_TRY(fur_vector_copy(own->step, z));
    for (int k = 1; k < own->degree; k++) {
        double next = 1 / (2 * sigma - rho);
        FUR_TRY(fur_spmv_apply(own->plan, fur_real(-1), own->step, fur_real(1), own->residual));
        FUR_TRY(fur_operator_apply(own->jacobi, own->residual, own->scaled));
        FUR_TRY(
            fur_axpby(fur_real(2 * next / radius), own->scaled, fur_real(next * rho), own->step));
        FUR_TRY(fur_axpby(fur_real(1), own->step, fur_real(1), z));
        rho = next;
    }
    return FUR_OK;
}

static void release(fur_precond *p)
{
    chebyshev *own = p->state;
    if (!own)
        return;
    fur_vector_destroy(own->scaled);
    fur_vector_destroy(own->step);
    fur_vector_destroy(own->residual);
    fur_operator_destroy(own->jacobi);
    fur_operator_destroy(own->a);
    fur_spmv_destroy(own->plan);
    fur_env_release(&p->context->env, own);
}

static const fur_option table[] = {
    FUR_OPTION_RANGE(INT, fur_chebyshev_options, degree, 3, 1, 100, "steps of the iteration"),
    FUR_OPTION_END};

const fur_precond_kind fur_precond_chebyshev = {
    .info = {"chebyshev",
             "some steps of Chebyshev's iteration: products only, without dot products",
             "Chebyshev 1854; Johnson, Micchelli and Paul 1983"},
    .place = FUR_PRECOND_ANYWHERE,
    .table = FUR_PRECOND_TABLE(table, fur_chebyshev_options, chebyshev),
    .follows = true,
    .symmetric = true,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
