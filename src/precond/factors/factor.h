/* Incomplete factors of A in a given pattern: values, triangular solves, new values. "ic0", "ilu0"
 * and "ilu" share this code. They differ in their pattern. */
#ifndef FURROW_PRECOND_FACTOR_H
#define FURROW_PRECOND_FACTOR_H

#include "factor_kernel.h"
#include "precond.h"
#include "triangular.h"

typedef struct fur_factors {
    fur_factor_form form;
    bool modified;
    double shift; /* the option: the smallest shift that is tried */
    /* The rows by colours, A in this order, and a vector in this order. NULL: A's order is kept. */
    fur_permutation *order;
    fur_csr *permuted;
    fur_vector *work;
    fur_csr *f; /* both factors, or the lower one */
    /* In the context's memory: the places of the diagonal's entries; the inverses of complex
     * pivots, or NULL; the rows in the order in which they are computed, or NULL if rows rise. */
    int64_t *diagonal;
    void *inverse;
    int32_t *rows;
    fur_trsv_tasks tasks; /* none on a device */
    fur_trsv_task *task;  /* the array of `tasks` */
    fur_trsv *first;      /* the two solves */
    fur_trsv *second;
    fur_vector *between; /* multiplies the result of the first solve; NULL: no factor */
} fur_factors;

/* Makes the pattern of A, or of its lower triangle, each position once. A row of the lower triangle
 * has at most `most` positions, those nearest to the diagonal. The values are undefined.
 * FUR_INVALID if the diagonal lacks an entry; the sentence names the row. A device's pattern is
 * made on the device, unless it has a position twice, or too long a row. */
fur_status fur_factors_pattern(const fur_csr *a, bool lower, int64_t most, fur_csr **out);

/* Makes the pattern of the factors of `a`, which is A or A with its rows in another order. */
typedef fur_status fur_factors_find(const fur_csr *a, const fur_factor_options *options,
                                    fur_csr **out);

/* Sets how the rows of the factors are computed, from the pattern of own->f: own->diagonal, rows,
 * tasks. */
fur_status fur_factors_arrange(fur_precond *p, fur_factors *own);

/* Makes p->state: factors in the pattern that `find` makes. */
fur_status fur_factors_create(fur_precond *p, const fur_factor_options *options,
                              fur_factor_form form, fur_factors_find *find);

/* The options of "ilu". The options after the first, which is `fill`, are also the options of "ic0"
 * and "ilu0". */
extern const fur_option fur_factors_table[];

/* Functions for a kind's descriptor. */
fur_status fur_factors_update(fur_precond *p);
fur_status fur_factors_apply(fur_precond *p, const fur_vector *r, fur_vector *z);
void fur_factors_release(fur_precond *p);

#endif
