/* Products of three matrices with plans, as the coarse operators of multigrid are. */
#ifndef FURROW_AUTHOR_TRIPLE_H
#define FURROW_AUTHOR_TRIPLE_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/spgemm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan for three factors, as the coarse operators of multigrid have: C = alpha R (A P). First the
 * product A P, whose entries are rounded to the value type, then R times it, each as by
 * fur_spgemm_multiply. The plan keeps both patterns and the values of A P. */
typedef struct fur_triple fur_triple;

/* Finds both patterns. The matrices must outlive the plan; new values of theirs count from the next
 * product on. Failures as of fur_spgemm_plan, whose sentences call the factors a and b. */
FUR_API fur_status fur_triple_plan(const fur_csr *r, const fur_csr *a, const fur_csr *p,
                                   const fur_spgemm_options *options, fur_triple **out);

/* Destroys a plan. Matrices that it made stay. */
FUR_API void fur_triple_destroy(fur_triple *plan);

/* C = alpha R (A P) as a new matrix, and into one that the plan made: as fur_spgemm_multiply and
 * fur_spgemm_apply. */
FUR_API fur_status fur_triple_multiply(fur_triple *plan, fur_scalar alpha, fur_csr **out);
FUR_API fur_status fur_triple_apply(fur_triple *plan, fur_scalar alpha, fur_csr *c);

#ifdef __cplusplus
}
#endif
#endif
