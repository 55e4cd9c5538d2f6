/* Plans for products of three matrices, such as the coarse operators of multigrid. */
#ifndef FURROW_AUTHOR_TRIPLE_H
#define FURROW_AUTHOR_TRIPLE_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/spgemm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan for C = alpha R (A P). Use it in one thread at a time.
 *
 * First it computes the product A P, whose entries are rounded to the value type. Then it
 * multiplies R by A P. Each product is computed as by fur_spgemm_multiply. The plan keeps both
 * patterns and the values of A P. */
typedef struct fur_triple fur_triple;

/* Finds both patterns. The caller destroys *out.
 *
 * The matrices must outlive the plan. New values are used from the next product on.
 *
 * Errors: as fur_spgemm_plan, whose sentences call the factors a and b. */
FUR_API fur_status fur_triple_plan(const fur_csr *r, const fur_csr *a, const fur_csr *p,
                                   const fur_spgemm_options *options, fur_triple **out);

/* Destroys a plan; NULL does nothing. Its matrices stay valid. */
FUR_API void fur_triple_destroy(fur_triple *plan);

/* Makes C = alpha R (A P) as a new matrix, as fur_spgemm_multiply. */
FUR_API fur_status fur_triple_multiply(fur_triple *plan, fur_scalar alpha, fur_csr **out);
/* Computes C in a matrix that the plan made, as fur_spgemm_apply. */
FUR_API fur_status fur_triple_apply(fur_triple *plan, fur_scalar alpha, fur_csr *c);

#ifdef __cplusplus
}
#endif
#endif
