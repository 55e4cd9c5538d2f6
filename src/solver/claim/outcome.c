/* Sentences for the outcomes of a solve. */
#include <furrow/solver.h>

const char *fur_outcome_name(fur_outcome outcome)
{
    switch (outcome) {
    case FUR_OUTCOME_UNSOLVED:
        return "not solved: it failed or was not begun";
    case FUR_OUTCOME_CONVERGED:
        return "converged";
    case FUR_OUTCOME_MAX_ITERATIONS:
        return "iteration limit reached";
    case FUR_OUTCOME_INDEFINITE:
        return "indefinite matrix";
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
        return "indefinite preconditioner";
    case FUR_OUTCOME_ASYMMETRIC:
        return "diverged: matrix or preconditioner is not symmetric";
    case FUR_OUTCOME_BREAKDOWN:
        return "breakdown: overflow, underflow or not a number";
    case FUR_OUTCOME_STOPPED:
        return "stopped by the monitor";
    case FUR_OUTCOME_STAGNATED:
        return "stagnated: the true residual no longer falls";
    case FUR_OUTCOME_LEAST_SQUARES:
        return "least-squares solution";
    case FUR_OUTCOME_SINGULAR:
        return "singular matrix, as far as the method can tell";
    case FUR_OUTCOME_DIVERGED:
        return "diverged";
    case FUR_OUTCOME_WORKING_PRECISION:
        return "converged to working precision: the value type allows no smaller residual";
    case FUR_OUTCOME_SMALL_ROWS:
        return "not converged in rows of small scale, which the norm of b hides";
    }
    return "unknown";
}

int fur_outcome_solved(fur_outcome outcome)
{
    return outcome == FUR_OUTCOME_CONVERGED || outcome == FUR_OUTCOME_WORKING_PRECISION;
}

const char *fur_outcome_advice(fur_outcome outcome)
{
    switch (outcome) {
    case FUR_OUTCOME_UNSOLVED:
    case FUR_OUTCOME_CONVERGED:
    case FUR_OUTCOME_LEAST_SQUARES:
    case FUR_OUTCOME_STOPPED:
    case FUR_OUTCOME_WORKING_PRECISION:
        break;
    case FUR_OUTCOME_MAX_ITERATIONS:
        return "allow more iterations, or use a better preconditioner";
    case FUR_OUTCOME_INDEFINITE:
        return "use minres for a symmetric indefinite matrix, gmres for others";
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
        return "use another preconditioner, or gmres, which accepts any";
    case FUR_OUTCOME_ASYMMETRIC:
        return "use bicgstab, idrs or gmres, which accept square matrices that are not symmetric";
    case FUR_OUTCOME_BREAKDOWN:
        return "scale rows and columns first; for a square matrix gmres does not break down this "
               "way";
    case FUR_OUTCOME_STAGNATED:
        return "use a larger rtol, compute in f64, use a better preconditioner or, with gmres and "
               "idrs, a longer restart";
    case FUR_OUTCOME_SINGULAR:
        return "use lsqr or lsmr, which find the least-squares solution";
    case FUR_OUTCOME_DIVERGED:
        return "use another preconditioner, or gmres";
    case FUR_OUTCOME_SMALL_ROWS:
        return "scale rows and columns first, or use complete factors (direct)";
    }
    return "";
}
