/* Incomplete factors of A in a given pattern: values, triangular solves, new values. What the kinds
 * "ic0", "ilu0" and "ilu" share; they differ in their pattern. */
#ifndef FURROW_PRECOND_FACTOR_H
#define FURROW_PRECOND_FACTOR_H

#include "factor_kernel.h"
#include "precond.h"
#include "triangular.h"

typedef struct fur_factors {
    fur_factor_form form;
    bool modified;
    double shift; /* as asked for: the least that is tried */
    /* The rows by colours, A in that order, and a vector in it; NULL: A's own order. */
    fur_permutation *order;
    fur_csr *permuted;
    fur_vector *work;
    fur_csr *f; /* both factors, or the lower one */
    /* Where the context's kernels work: where the diagonal's entries stand; of complex pivots,
     * NULL: not needed; the rows in the order in which they are computed, NULL: rows rise. */
    int64_t *diagonal;
    void *inverse;
    int32_t *rows;
    fur_trsv_tasks tasks; /* none on a device */
    fur_trsv_task *task;  /* those of tasks */
    fur_trsv *first;      /* the two solves */
    fur_trsv *second;
    fur_vector *between; /* multiplies what the first has solved; NULL: nothing does */
} fur_factors;

/* The pattern of A, or of its lower triangle, each position once; of a row of the latter at most
 * `most`, those nearest to the diagonal. Its values are anything. FUR_INVALID, naming the row, if
 * the diagonal lacks an entry. A device's pattern is made there unless it has a position twice, or
 * too long a row. */
fur_status fur_factors_pattern(const fur_csr *a, bool lower, int64_t most, fur_csr **out);

/* Makes the pattern of the factors of a, which is A or has its rows in another order. */
typedef fur_status fur_factors_find(const fur_csr *a, const fur_factor_options *options,
                                    fur_csr **out);

/* How the rows of the factors are computed, by the pattern of own->f: own->diagonal, rows, tasks.
 */
fur_status fur_factors_arrange(fur_precond *p, fur_factors *own);

/* Makes p->state: factors in the pattern that is found. */
fur_status fur_factors_create(fur_precond *p, const fur_factor_options *options,
                              fur_factor_form form, fur_factors_find *find);

/* The options of "ilu"; those behind the first, which is `fill`, are also those of the others. */
extern const fur_option fur_factors_table[];

/* Of a kind's descriptor. */
fur_status fur_factors_update(fur_precond *p);
fur_status fur_factors_apply(fur_precond *p, const fur_vector *r, fur_vector *z);
void fur_factors_release(fur_precond *p);

#endif
