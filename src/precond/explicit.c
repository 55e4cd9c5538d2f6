/* M as a matrix of its own, applied by one product. */
#include "explicit.h"

#include <furrow/spmv.h>

fur_status fur_explicit_make(fur_precond *p, const fur_explicit_form *form)
{
    fur_explicit *x = p->state;
    FUR_TRY(fur_csr_on_host(p->a, form->make, &p->state, &x->m));
    FUR_TRY(form->check(p));
    FUR_TRY(fur_spmv_plan(x->m, NULL, &x->plan));
    p->report.entries = x->m->view.entries;
    p->report.bytes = (double)fur_spmv_describe(x->plan)->bytes;
    return FUR_OK;
}

fur_status fur_explicit_fill(fur_precond *p, const fur_explicit_form *form)
{
    const fur_explicit *x = p->state;
    FUR_TRY(fur_csr_fill_on_host(p->a, form->fill, &p->state, x->m));
    FUR_TRY(form->check(p));
    fur_csr_values_changed(x->m);
    return FUR_OK;
}

fur_status fur_explicit_apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const fur_explicit *x = p->state;
    return fur_spmv_apply(x->plan, fur_real(1), r, fur_real(0), z);
}

void fur_explicit_release(fur_explicit *x)
{
    fur_spmv_destroy(x->plan);
    fur_csr_destroy(x->m);
}
