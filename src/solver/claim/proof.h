/* Diagnoses of A and M by a method, which hold or are not made. */
#ifndef FURROW_SOLVER_PROOF_H
#define FURROW_SOLVER_PROOF_H

#include "drive.h"

/* Replaces an outcome that calls A indefinite, or A or M not symmetric, if no vector shows it
 * beyond rounding: by FUR_OUTCOME_BREAKDOWN or FUR_OUTCOME_DIVERGED. The method's vectors and the
 * residual are lost. */
fur_status fur_prove_diagnosis(fur_drive *d);

#endif
