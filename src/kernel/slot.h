/* The rules of furrow/scalars.h, the same on the host and in CUDA. */
#ifndef FURROW_KERNEL_SLOT_H
#define FURROW_KERNEL_SLOT_H

#include "anywhere.h"
#include "kernel.h"

#include <math.h>

/* The coefficient; false if nothing may be done with it: its scalars are halted, or it is not
 * finite. */
FUR_ANYWHERE bool fur_ratio_value(const fur_ratio *ratio, fur_scalar *out)
{
    *out = ratio->factor;
    if (!ratio->state)
        return true;
    double quotient = ratio->state->value[ratio->numerator].re;
    if (ratio->denominator >= 0)
        quotient /= ratio->state->value[ratio->denominator].re;
    out->re *= quotient;
    out->im *= quotient;
    return ratio->state->halted < 0 && quotient - quotient == 0;
}

/* Halts the scalars of a coefficient that fur_ratio_value refused. */
FUR_ANYWHERE void fur_ratio_halt(const fur_ratio *ratio)
{
    if (ratio->state->halted < 0)
        ratio->state->halted = ratio->denominator >= 0 ? ratio->denominator : ratio->numerator;
}

FUR_ANYWHERE void fur_slot_store(fur_slot slot, fur_scalar value)
{
    fur_scalars_state *s = slot.state;
    double floor = s->floor[slot.index];
    if (s->halted >= 0)
        return;
    s->value[slot.index] = value;
    s->stores[slot.index]++;
    if (floor == floor && !(value.re > floor && value.re - value.re == 0))
        s->halted = slot.index;
}

#endif
