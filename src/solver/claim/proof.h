/* A method's diagnoses of A and M. They are proved, or are not reported. */
#ifndef FURROW_SOLVER_PROOF_H
#define FURROW_SOLVER_PROOF_H

#include "drive.h"

/* If an outcome says that A is indefinite, or that A or M is not symmetric, a vector must show it
 * beyond rounding. Otherwise the outcome becomes FUR_OUTCOME_BREAKDOWN or FUR_OUTCOME_DIVERGED. The
 * method's vectors and the residual are overwritten. */
fur_status fur_prove_diagnosis(fur_drive *d);

#endif
