/* Scalars that stay where the device computes, so that an iteration need not wait for the host.
 *
 * A dot product is stored into a slot and a later update takes a quotient of slots as its
 * coefficient; the host looks only now and then. So that nothing happens meanwhile that the host
 * would have prevented, a slot can have a guard: once a guarded slot is given a value that is not
 * above its floor or not finite, or a quotient of slots is not finite, the scalars are halted, and
 * from then on operations that store to them or take a coefficient from them do nothing at all. */
#ifndef FURROW_SCALARS_H
#define FURROW_SCALARS_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/vector.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUR_SCALARS_MAX 8

/* One thread's at a time, as its context is. */
typedef struct fur_scalars fur_scalars;

typedef struct fur_scalars_state {
    size_t size; /* sizeof(fur_scalars_state) */
    fur_scalar value[FUR_SCALARS_MAX];
    /* A stored value's real part must be above this and finite; NaN: no guard. */
    double floor[FUR_SCALARS_MAX];
    int64_t stores[FUR_SCALARS_MAX]; /* how often the slot was stored to */
    /* -1, or the slot whose guard halted the scalars; for a quotient that is not finite its
     * denominator, or its numerator where it has none */
    int64_t halted;
} fur_scalars_state;

/* All values and counts 0, no guards, not halted. */
static inline fur_scalars_state fur_scalars_initial(void)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    state.halted = -1;
    for (int i = 0; i < FUR_SCALARS_MAX; i++)
        state.floor[i] = NAN;
    return state;
}

FUR_API fur_status fur_scalars_create(fur_context *context, fur_scalars **out);
FUR_API void fur_scalars_destroy(fur_scalars *scalars);
/* FUR_INVALID for a `halted` that is no slot and not -1. */
FUR_API fur_status fur_scalars_set(fur_scalars *scalars, const fur_scalars_state *state);
/* Waits for everything that stores to them. */
FUR_API fur_status fur_scalars_get(const fur_scalars *scalars, fur_scalars_state *out);

/* factor, or factor re(value[numerator]) / re(value[denominator]) of the scalars; denominator -1
 * stands for a division by 1. */
typedef struct fur_coefficient {
    fur_scalar factor;
    const fur_scalars *scalars; /* NULL: the factor itself */
    int numerator;
    int denominator;
} fur_coefficient;

/* value[slot] = sum_i conj(x_i) y_i, as fur_dot */
FUR_API fur_status fur_dot_into(const fur_vector *x, const fur_vector *y, fur_scalars *scalars,
                                int slot);

/* y_i = alpha x_i + beta y_i, as fur_axpby */
FUR_API fur_status fur_axpby_from(fur_coefficient alpha, const fur_vector *x, fur_coefficient beta,
                                  fur_vector *y);

/* y_i = alpha x_i + y_i and value[slot] = ||y||_2, as fur_axpy_norm2 */
FUR_API fur_status fur_axpy_norm2_into(fur_coefficient alpha, const fur_vector *x, fur_vector *y,
                                       fur_scalars *scalars, int slot);

#ifdef __cplusplus
}
#endif
#endif
