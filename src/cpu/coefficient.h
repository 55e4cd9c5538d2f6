/* Coefficients that may be quotients of scalars. They are read once, when an operation begins. */
#ifndef FURROW_CPU_COEFFICIENT_H
#define FURROW_CPU_COEFFICIENT_H

#include "slot.h"

/* Reads a coefficient. Returns false, and halts the scalars, if the operation must do nothing. */
static inline bool fur_coefficient_read(const fur_ratio *ratio, fur_scalar *out)
{
    bool usable = fur_ratio_value(ratio, out);
    if (!usable)
        fur_ratio_halt(ratio);
    return usable;
}

#endif
