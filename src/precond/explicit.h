/* M as a matrix of its own that the host computes from A, applied by one product. What "bjacobi"
 * and "spai" share; they differ in how they compute it. */
#ifndef FURROW_PRECOND_EXPLICIT_H
#define FURROW_PRECOND_EXPLICIT_H

#include "precond.h"

/* The state of such a kind begins with it. */
typedef struct fur_explicit {
    fur_csr *m;
    fur_spmv *plan;
} fur_explicit;

/* How M is computed; of the first two the arguments lead to p->state. */
typedef struct fur_explicit_form {
    fur_csr_algorithm *make;
    fur_csr_filling *fill;
    fur_status (*check)(const fur_precond *p); /* whether M can be used */
} fur_explicit_form;

/* Makes M and its plan, and sets the report. */
fur_status fur_explicit_make(fur_precond *p, const fur_explicit_form *form);

/* M of A's values of now. */
fur_status fur_explicit_fill(fur_precond *p, const fur_explicit_form *form);

/* Of a kind's descriptor. */
fur_status fur_explicit_apply(fur_precond *p, const fur_vector *r, fur_vector *z);

/* Releases M and its plan. */
void fur_explicit_release(fur_explicit *x);

#endif
