/* Cases for new values of a matrix, on the CPU and on a GPU. Every object made from the matrix must
 * give the bits of an object made from the new values. It must allocate nothing for that. */
#ifndef FURROW_TESTS_VALUES_CASES_H
#define FURROW_TESTS_VALUES_CASES_H

#include "recognise_matrices.h"

typedef struct values_subject {
    fur_context *context;
    rng random;
    const int64_t *calls[2]; /* counters of the context's allocators; NULL: none */
} values_subject;

/* Checks plans of all kernels and operations on a pattern, with both widths of offsets. */
void values_reach_plans(values_subject *s, const shape *family, fur_value_type value);
/* As above, for a matrix that has several entries at a position. */
void values_reach_repeated(values_subject *s, fur_value_type value);
/* Checks operators and preconditioners, permuted or not. */
void values_reach_operators(values_subject *s, fur_value_type value);
/* Checks that Jacobi's operators refuse a zero on the diagonal, and work again without it. */
void values_refused_by_jacobi(values_subject *s);
/* Checks recognised stencils with constant and variable coefficients and with remaining rows. */
void values_reach_recognised(values_subject *s, fur_value_type value);
void values_refused_by_recognised(values_subject *s);
void values_refused_by_multigrid(values_subject *s);

/* Returns random values for all entries of a matrix, in memory of malloc. */
void *values_random(values_subject *s, const fur_csr *a);
/* Gives the values to the matrix. It must allocate nothing if `allocates` is false. */
void values_set(values_subject *s, fur_csr *a, const void *values, bool allocates);
/* Checks that the plan's product has the bits of a new plan with the same kernel. */
void values_check_plan(values_subject *s, const fur_spmv *plan);
/* Checks that both operators give equal results, bit by bit. */
void values_same(values_subject *s, const fur_operator *a, const fur_operator *b);

#endif
