/* What the methods for eigenvalues ask of a caller alike. */
#ifndef FURROW_EIGS_ASKED_H
#define FURROW_EIGS_ASKED_H

#include <furrow/eigs.h>

/* V^H A V may be so far from symmetric, as a share of ||A||: far more than rounding makes it. */
#define FUR_EIGS_ASYMMETRY 1e-2

/* FUR_INVALID unless A is square and the vectors for results, NULL: none, are like its own. */
fur_status fur_eigs_check(const fur_operator *a, int count, fur_vector *const *vectors);

/* The default of options.tolerance. */
double fur_eigs_tolerance(fur_value_type value);

#endif
