/* The target of a residual. */
#ifndef FURROW_KERNEL_TARGET_H
#define FURROW_KERNEL_TARGET_H

#include "anywhere.h"

#include <math.h>

/* rtol norm, decreased if rounding has increased it: every r <= target has r / norm <= rtol. */
FUR_ANYWHERE double fur_target(double rtol, double norm)
{
    double target = rtol * norm;
    while (target / norm > rtol)
        target = nextafter(target, 0.0);
    return target;
}

#endif
