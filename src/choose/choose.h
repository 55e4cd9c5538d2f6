#ifndef FURROW_CHOOSE_CHOOSE_H
#define FURROW_CHOOSE_CHOOSE_H

#include <furrow/choose.h>

/* The preconditioner to begin with for a method and a matrix: "none", "jacobi" or "norms". */
const char *fur_choose_precond(const fur_csr_traits *t, const char *method);

#endif
