/* Scalars in the device's memory, so that an iteration need not wait for the host.
 *
 * A dot product is stored in a slot, a later update takes a quotient of slots as its coefficient,
 * and the host looks only now and then. A slot can have a guard for what the host would have
 * stopped: when a guarded slot is given a value that is not finite or not above its floor, or a
 * quotient of slots is not finite, the scalars halt. Operations that store to halted scalars or
 * take a coefficient from them do nothing. */
#ifndef FURROW_AUTHOR_SCALARS_H
#define FURROW_AUTHOR_SCALARS_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/vector.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUR_SCALARS_MAX 8

/* In a coefficient: what the slot held before the last store to it. */
#define FUR_PREVIOUS(slot) ((slot) + FUR_SCALARS_MAX)

/* Used by one thread at a time, as its context. */
typedef struct fur_scalars fur_scalars;

typedef struct fur_scalars_state {
    size_t size; /* sizeof(fur_scalars_state) */
    fur_scalar value[FUR_SCALARS_MAX];
    /* A stored value's real part must be above this and finite; NaN: no guard. */
    double floor[FUR_SCALARS_MAX];
    int64_t stores[FUR_SCALARS_MAX];      /* number of stores to the slot */
    fur_scalar previous[FUR_SCALARS_MAX]; /* the value before the last store */
    /* -1, or the slot whose guard halted the scalars. If a quotient was not finite: its
     * denominator, or its numerator if it has no denominator. */
    int64_t halted;
} fur_scalars_state;

/* A state with all values and counts 0, no guards, not halted. */
static inline fur_scalars_state fur_scalars_initial(void)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    state.halted = -1;
    for (int i = 0; i < FUR_SCALARS_MAX; i++)
        state.floor[i] = NAN;
    return state;
}

/* Scalars in the initial state, in the memory of the context's device. */
FUR_API fur_status fur_scalars_create(fur_context *context, fur_scalars **out);
/* Destroys scalars. */
FUR_API void fur_scalars_destroy(fur_scalars *scalars);
/* Replaces the whole state. FUR_INVALID if `halted` is neither a slot nor -1. */
FUR_API fur_status fur_scalars_set(fur_scalars *scalars, const fur_scalars_state *state);
/* The state, after all operations so far that store to the scalars. Waits for them. */
FUR_API fur_status fur_scalars_get(const fur_scalars *scalars, fur_scalars_state *out);

/* From now on the real parts of the first `capacity` values that each of slots 0 .. slots-1 is
 * given are kept, on the device; fur_scalars_set begins anew. 8 bytes a value. */
FUR_API fur_status fur_scalars_keep(fur_scalars *scalars, int slots, int64_t capacity);
/* The first `count` values that were stored to a slot, of those that are kept. Waits for them. */
FUR_API fur_status fur_scalars_kept(const fur_scalars *scalars, int slot, int64_t count,
                                    double *out);

/* A coefficient: factor, or factor re(value[numerator]) / re(value[denominator]) of the scalars;
 * denominator -1 divides by 1. FUR_PREVIOUS of a slot takes previous instead of value. */
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

/* r_i = alpha q_i + r_i, value[norm] = ||r||_2 and then value[product] = sum_i conj(r_i) d_i r_i,
 * its real part, in one pass: the residual of conjugate gradients with a diagonal preconditioner.
 * d NULL: `constant` in place of its entries. Moves 4 entries an index, 3 without d. */
FUR_API fur_status fur_axpy_norms_into(fur_coefficient alpha, const fur_vector *q,
                                       const fur_vector *d, fur_scalar constant, fur_vector *r,
                                       fur_scalars *scalars, int norm, int product);

/* x_i = alpha p_i + x_i, then p_i = d_i z_i + beta p_i, in one pass: the step and the new direction
 * of conjugate gradients. d NULL: `constant` in place of its entries; by 1 nothing is multiplied.
 * Moves 6 entries an index, 5 without d. */
FUR_API fur_status fur_axpy_direction(fur_coefficient alpha, fur_coefficient beta,
                                      const fur_vector *d, fur_scalar constant, const fur_vector *z,
                                      fur_vector *p, fur_vector *x);

/* y_i = alpha x_i + y_i and value[slot] = ||y||_2, as fur_axpy_norm2 */
FUR_API fur_status fur_axpy_norm2_into(fur_coefficient alpha, const fur_vector *x, fur_vector *y,
                                       fur_scalars *scalars, int slot);

#ifdef __cplusplus
}
#endif
#endif
