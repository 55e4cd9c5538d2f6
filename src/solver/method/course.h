/* Tests whether a method whose residual may rise still makes progress. */
#ifndef FURROW_METHOD_COURSE_H
#define FURROW_METHOD_COURSE_H

#include "coefficient.h"
#include "solver.h"

/* A residual is a new minimum if it is below the last minimum by this factor. */
#define FUR_COURSE_GAIN 0.99
/* A plateau may last as long as all iterations before it, plus this number of iterations. */
#define FUR_COURSE_PATIENCE 1000

/* The history of a pass. */
typedef struct fur_course {
    double first; /* residuals */
    double least;
    double largest;
    int64_t least_at; /* iteration of the pass */
    double norm;      /* lower bound of the norm of A, or A M */
    double length;    /* root of the sum of squared step lengths, of x or M^-1 x */
} fur_course;

static inline fur_course fur_course_begin(const fur_pass *solve)
{
    double residual = solve->residual;
    return (fur_course){.first = residual, .least = residual, .largest = residual};
}

/* Counts a step of x along a vector with norm `length`. `image` is the norm of A times this
 * vector. */
static inline void fur_course_step(fur_course *course, fur_scalar step, double length, double image)
{
    course->length = fur_length(course->length, fur_modulus(step) * length);
    if (image > course->norm * length)
        course->norm = image / length;
}

/* Tests whether the pass is lost after an iteration, and sets the outcome. There are three reasons:
 *
 * - The norm of x shows that A is singular up to rounding.
 * - The residual has grown so much that its rounding exceeds the first residual.
 * - The residual no longer falls. */
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
