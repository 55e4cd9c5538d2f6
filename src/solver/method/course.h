/* Whether a method whose residual may rise still gets anywhere. */
#ifndef FURROW_METHOD_COURSE_H
#define FURROW_METHOD_COURSE_H

#include "number.h"
#include "solver.h"

/* A new least residual is one below the last by this factor. */
#define FUR_COURSE_GAIN 0.99
/* A plateau may last as long as all that was before it, and this number of iterations more. */
#define FUR_COURSE_PATIENCE 1000

/* What a pass has seen. */
typedef struct fur_course {
    double first; /* residuals */
    double least;
    double largest;
    int64_t least_at; /* iteration of the pass */
    double norm;      /* of A, or A M, from below */
    double length;    /* root of the sum of squares of the lengths of all steps of x, or M^-1 x */
} fur_course;

static inline fur_course fur_course_begin(const fur_pass *solve)
{
    double residual = solve->residual;
    return (fur_course){.first = residual, .least = residual, .largest = residual};
}

/* A step of x along a vector of that length, with the length of A times it. */
static inline void fur_course_step(fur_course *course, fur_scalar step, double length, double image)
{
    course->length = fur_length(course->length, fur_modulus(step) * length);
    if (image > course->norm * length)
        course->norm = image / length;
}

/* Whether the pass is lost after its iteration: x so large that A has no inverse but for rounding,
 * the residual so large that rounding has taken what the first had, or no longer falling. Sets the
 * outcome. */
static inline bool fur_course_is_lost(fur_course *course, fur_pass *solve, int64_t iteration)
{
    double residual = solve->residual;
    double epsilon = fur_pass_epsilon(solve);
    course->largest = residual > course->largest ? residual : course->largest;
    if (residual <= FUR_COURSE_GAIN * course->least) {
        course->least = residual;
        course->least_at = iteration;
    }
    if (course->length * course->norm > course->largest / epsilon)
        solve->outcome = FUR_OUTCOME_SINGULAR;
    else if (residual > course->first / epsilon)
        solve->outcome = FUR_OUTCOME_DIVERGED;
    else if (iteration > 2 * course->least_at + FUR_COURSE_PATIENCE)
        solve->outcome = FUR_OUTCOME_STAGNATED;
    else
        return false;
    return true;
}

#endif
