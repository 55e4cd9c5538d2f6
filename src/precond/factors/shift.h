/* Shifts of the diagonal: where A has a pivot that cannot be used, A with its diagonal times 1 +
 * shift is factored (Manteuffel 1980). */
#ifndef FURROW_PRECOND_SHIFT_H
#define FURROW_PRECOND_SHIFT_H

#include "env.h"

/* None beyond this is tried. */
#define FUR_SHIFT_MOST 1e3

/* The one to try after this one. */
static inline double fur_shift_next(double shift)
{
    return shift < 1e-3 ? 1e-3 : 2 * shift;
}

/* FUR_INVALID for an option out of range. */
static inline fur_status fur_shift_check(fur_env *env, double shift)
{
    return shift >= 0 && shift <= FUR_SHIFT_MOST
               ? FUR_OK
               : fur_env_fail(env, FUR_INVALID, "the shift must be from 0 to %g, it is %g",
                              FUR_SHIFT_MOST, shift);
}

#endif
