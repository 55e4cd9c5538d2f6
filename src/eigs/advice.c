/* Sentences that tell what to try after a search for eigenvalues. */
#include <furrow/eigs.h>

const char *fur_eigs_advice(fur_outcome outcome)
{
    switch (outcome) {
    case FUR_OUTCOME_MAX_ITERATIONS:
        return "allow more iterations, keep more vectors (the basis, or the block of lobpcg), or "
               "give lobpcg a better preconditioner";
    case FUR_OUTCOME_ASYMMETRIC:
        return "take a library for eigenvalues of general matrices: these methods need a symmetric "
               "(Hermitian) one";
    case FUR_OUTCOME_STAGNATED:
        return "ask for less with a larger tolerance, compute in f64, or, where eigenvalues are "
               "nearly equal, keep more vectors (the basis, or the block of lobpcg)";
    case FUR_OUTCOME_BREAKDOWN:
        return "look for entries of the matrix that are not finite, or scale it";
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
        return "use a preconditioner that is positive definite, or none";
    default: /* success, the caller's stop, and outcomes of solvers only */
        return "";
    }
}
