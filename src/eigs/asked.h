/* Checks that all methods for eigenvalues share. */
#ifndef FURROW_EIGS_ASKED_H
#define FURROW_EIGS_ASKED_H

#include <furrow/eigs.h>

/* How far V^H A V may be from symmetric, as a fraction of ||A||. Rounding causes far less. */
#define FUR_EIGS_ASYMMETRY 1e-2

/* Returns FUR_INVALID unless A is square and the result vectors suit A. vectors may be NULL. */
fur_status fur_eigs_check(const fur_operator *a, int count, fur_vector *const *vectors);

/* The default of options.tolerance. */
double fur_eigs_tolerance(fur_value_type value);

#endif
