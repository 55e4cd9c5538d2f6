#ifndef FURROW_CHOOSE_CHOOSE_H
#define FURROW_CHOOSE_CHOOSE_H

#include <furrow/choose.h>

#include <stdbool.h>

/* The preconditioner to begin with for a method and a matrix: "none", "jacobi" or "norms". */
const char *fur_choose_precond(const fur_csr_traits *t, const char *method);

/* fur_choose. plain: without preconditioners that are made from the matrix, nor trials before them.
 */
void fur_choose_line(const fur_csr_traits *t, const fur_choice *previous, fur_outcome outcome,
                     bool plain, fur_choice *out);

#endif
