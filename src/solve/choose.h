#ifndef FURROW_CHOOSE_CHOOSE_H
#define FURROW_CHOOSE_CHOOSE_H

#include <furrow/solver.h>
#include <furrow/product.h>

#include <stdbool.h>

/* Returns the first preconditioner for a method and a matrix: "none", "jacobi" or "norms". */
const char *fur_choose_precond(const fur_csr_traits *t, const char *method);

/* As fur_choose. If `plain`, it chooses no preconditioner that is made from the matrix, and no
 * trial before one. */
void fur_choose_line(const fur_csr_traits *t, const fur_choice *previous, fur_outcome outcome,
                     bool plain, fur_choice *out);

/* Makes the preconditioner "grid" if the matrix looks positive definite, is large, is a stencil of
 * neighbours along the axes of a grid, and has smooth coefficients. Otherwise *out is NULL. */
fur_status fur_make_grid(const fur_csr *a, const fur_csr_traits *t, const fur_product *product,
                         fur_precond **out);

/* Sets the choice of "grid", which comes before the first line of a list. */
void fur_choose_grid(fur_choice *out);

#endif
