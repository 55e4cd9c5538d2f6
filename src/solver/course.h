/* Whether a method whose residual may rise still gets anywhere. */
#ifndef FURROW_SOLVER_COURSE_H
#define FURROW_SOLVER_COURSE_H

#include "solver.h"

/* A new least residual is one below the last by this factor. */
#define FUR_COURSE_GAIN 0.99
/* A plateau may last as long as all that was before it, and this number of iterations more. */
#define FUR_COURSE_PATIENCE 1000

/* The least residual of a pass, and the iteration of the pass that had it. */
typedef struct fur_course {
    double first;
    double least;
    int64_t least_at;
} fur_course;

static inline fur_course fur_course_begin(const fur_solve *solve)
{
    return (fur_course){solve->residual, solve->residual, 0};
}

/* Whether the pass is lost after its iteration: the residual so large that rounding has taken what
 * the first had, or no longer falling. Sets the outcome. */
static inline bool fur_course_is_lost(fur_course *course, fur_solve *solve, int64_t iteration)
{
    double residual = solve->residual;
    if (residual <= FUR_COURSE_GAIN * course->least) {
        course->least = residual;
        course->least_at = iteration;
    }
    if (residual > course->first / fur_solve_epsilon(solve))
        solve->outcome = FUR_OUTCOME_DIVERGED;
    else if (iteration > 2 * course->least_at + FUR_COURSE_PATIENCE)
        solve->outcome = FUR_OUTCOME_STAGNATED;
    else
        return false;
    return true;
}

#endif
