/* Sentences that tell what to try after a search for eigenvalues. */
#include <furrow/eigs.h>

const char *fur_eigs_advice(fur_outcome outcome)
{
    switch (outcome) {
    case FUR_OUTCOME_MAX_ITERATIONS:
        return "allow more iterations, keep more vectors (the basis, or the block of lobpcg), or "
               "give lobpcg a better preconditioner";
    case FUR_OUTCOME_ASYMMETRIC:
        return "use a library for general eigenvalue problems: these methods need a symmetric "
               "(Hermitian) matrix";
    case FUR_OUTCOME_STAGNATED:
        return "use a larger tolerance, compute in f64, or, if eigenvalues are nearly equal, keep "
               "more vectors (the basis, or the block of lobpcg)";
    case FUR_OUTCOME_BREAKDOWN:
        return "look for entries of the matrix that are not finite, or scale it";
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
        return "use a preconditioner that is positive definite, or none";
    default: /* success, the caller's stop, and outcomes of solvers only */
        return "";
    }
}
