#ifndef FURROW_CHOOSE_CHOOSE_H
#define FURROW_CHOOSE_CHOOSE_H

#include <furrow/solver.h>
#include <furrow/product.h>

#include <stdbool.h>

/* The preconditioner to begin with for a method and a matrix: "none", "jacobi" or "norms". */
const char *fur_choose_precond(const fur_csr_traits *t, const char *method);

/* fur_choose. plain: without preconditioners that are made from the matrix, nor trials before them.
 */
void fur_choose_line(const fur_csr_traits *t, const fur_choice *previous, fur_outcome outcome,
                     bool plain, fur_choice *out);

/* The preconditioner "grid" for a matrix that looks positive definite, is large and a stencil of
 * neighbours along the axes of a grid, and whose coefficients are smooth; NULL: for others. */
fur_status fur_make_grid(const fur_csr *a, const fur_csr_traits *t, const fur_product *product,
                         fur_precond **out);

/* The choice of it, before the first line of a list. */
void fur_choose_grid(fur_choice *out);

#endif
