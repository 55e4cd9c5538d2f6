/* What methods share whose residual may rise: steps, and a test for progress. */
#ifndef FURROW_METHOD_COURSE_H
#define FURROW_METHOD_COURSE_H

#include "complex_number.h"
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

static inline fur_course fur_course_begin(const fur_pass *pass)
{
    double residual = pass->residual;
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
static inline bool fur_course_is_lost(fur_course *course, fur_pass *pass, int64_t iteration)
{
    double residual = pass->residual;
    double epsilon = fur_pass_epsilon(pass);
    course->largest = residual > course->largest ? residual : course->largest;
    if (residual <= FUR_COURSE_GAIN * course->least) {
        course->least = residual;
        course->least_at = iteration;
    }
    if (course->length * course->norm > course->largest / epsilon)
        pass->outcome = FUR_OUTCOME_SINGULAR;
    else if (residual > course->first / epsilon)
        pass->outcome = FUR_OUTCOME_DIVERGED;
    else if (iteration > 2 * course->least_at + FUR_COURSE_PATIENCE)
        pass->outcome = FUR_OUTCOME_STAGNATED;
    else
        return false;
    return true;
}

/* The omega that minimises ||s - omega t||, from t.s = conj(t) s, ||t|| and ||s||. If the cosine of
 * s and t is less than `cosine`, omega is enlarged. A method that divides by omega can continue
 * with any omega that is not 0, and loses digits if omega is small (Sleijpen and van der Vorst
 * 1995). */
static inline fur_scalar fur_residual_step(fur_scalar ts, double t_norm, double s_norm,
                                           double cosine)
{
    fur_scalar part = fur_complex(ts.re / t_norm, ts.im / t_norm); /* the component of s along t */
    double modulus = fur_modulus(part);
    if (modulus < cosine * s_norm)
        part =
            modulus > 0 ? fur_scaled(cosine * s_norm / modulus, part) : fur_real(cosine * s_norm);
    return fur_complex(part.re / t_norm, part.im / t_norm);
}

/* ||x|| from x.x. If the squares have overflowed or underflowed, the norm is computed again. */
static inline fur_status fur_norm_from(const fur_vector *x, fur_scalar square, double *norm)
{
    *norm = sqrt(square.re);
    return square.re > 1e-280 && square.re < HUGE_VAL ? FUR_OK : fur_norm2(x, norm);
}

#endif
