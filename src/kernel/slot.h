/* The rules of furrow/author/scalars.h. The code is the same on the host and in CUDA. */
#ifndef FURROW_KERNEL_SLOT_H
#define FURROW_KERNEL_SLOT_H

#include "anywhere.h"
#include "kernel.h"

#include <math.h>

/* The real part of a slot, or of its previous value. */
FUR_ANYWHERE double fur_scalars_at(const fur_scalars_state *state, int index)
{
    return index < FUR_SCALARS_MAX ? state->value[index].re
                                   : state->previous[index - FUR_SCALARS_MAX].re;
}

/* The value of a coefficient. Returns false if it must not be used: its scalars are halted, or it
 * is not finite. */
FUR_ANYWHERE bool fur_ratio_value(const fur_ratio *ratio, fur_scalar *out)
{
    *out = ratio->factor;
    if (!ratio->state)
        return true;
    double quotient = fur_scalars_at(ratio->state, ratio->numerator);
    if (ratio->denominator >= 0)
        quotient /= fur_scalars_at(ratio->state, ratio->denominator);
    out->re *= quotient;
    out->im *= quotient;
    return ratio->state->halted < 0 && quotient - quotient == 0;
}

/* Halts the scalars of a coefficient that fur_ratio_value refused. */
FUR_ANYWHERE void fur_ratio_halt(const fur_ratio *ratio)
{
    int index = ratio->denominator >= 0 ? ratio->denominator : ratio->numerator;
    if (ratio->state->halted < 0)
        ratio->state->halted = index % FUR_SCALARS_MAX;
}

FUR_ANYWHERE void fur_slot_store(fur_slot slot, fur_scalar value)
{
    fur_scalars_state *s = slot.state;
    double floor = s->floor[slot.index];
    if (s->halted >= 0)
        return;
    if (s->stores[slot.index] < slot.capacity)
        slot.log[s->stores[slot.index]] = value.re;
    s->previous[slot.index] = s->value[slot.index];
    s->value[slot.index] = value;
    s->stores[slot.index]++;
    if (floor == floor && !(value.re > floor && value.re - value.re == 0))
        s->halted = slot.index;
}

#endif
