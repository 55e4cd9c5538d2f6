/* Shifts of the diagonal. If A has a pivot that cannot be used, A with its diagonal times 1 + shift
 * is factored (Manteuffel 1980). */
#ifndef FURROW_PRECOND_SHIFT_H
#define FURROW_PRECOND_SHIFT_H

#include "option_table.h"

/* The largest shift that is tried. */
#define FUR_SHIFT_MAX 1e3

/* The option in a kind's table. */
#define FUR_PRECOND_SHIFT(struct_type)                                                             \
    FUR_OPTION_RANGE(REAL, struct_type, shift, 0, 0, FUR_SHIFT_MAX,                                \
                     "enlarges the diagonal by this share before the factors are made: they are "  \
                     "less exact, and fail for fewer matrices")

/* Returns the next shift to try. */
static inline double fur_shift_next(double shift)
{
    return shift < 1e-3 ? 1e-3 : 2 * shift;
}

#endif
