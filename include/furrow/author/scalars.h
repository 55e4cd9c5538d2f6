/* Scalars in the device's memory, so that an iteration need not wait for the host.
 *
 * A dot product is stored in a slot, and a later update uses a quotient of slots as its
 * coefficient. The host reads them only from time to time. A slot can have a guard against values
 * for which the host would have stopped. The scalars halt if a guarded slot gets a value that is
 * nonfinite or not above its floor, or if a quotient of slots is nonfinite. Operations that store
 * to halted scalars, or take a coefficient from them, do nothing. */
#ifndef FURROW_AUTHOR_SCALARS_H
#define FURROW_AUTHOR_SCALARS_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/vector.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of slots. */
#define FUR_SCALARS_MAX 8

/* In a coefficient: the value of the slot before the last store to it. */
#define FUR_PREVIOUS(slot) ((slot) + FUR_SCALARS_MAX)

/* Scalars. Use them in one thread at a time, as their context. */
typedef struct fur_scalars fur_scalars;

/* Values, guards and counts of all slots. */
typedef struct fur_scalars_state {
    size_t size;                       /* sizeof(fur_scalars_state) */
    fur_scalar value[FUR_SCALARS_MAX]; /* the value of each slot */
    /* Guard: the real part of a stored value must be above this and finite. NaN: no guard. */
    double floor[FUR_SCALARS_MAX];
    int64_t stores[FUR_SCALARS_MAX];      /* number of stores to the slot */
    fur_scalar previous[FUR_SCALARS_MAX]; /* the value before the last store */
    /* -1, or the slot whose guard halted the scalars. If a quotient was nonfinite, it is the slot
     * of its denominator, or of its numerator if it has no denominator. */
    int64_t halted;
} fur_scalars_state;

/* Returns a state with all values and counts 0, no guards, and not halted. */
static inline fur_scalars_state fur_scalars_initial(void)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    state.halted = -1;
    for (int i = 0; i < FUR_SCALARS_MAX; i++)
        state.floor[i] = NAN;
    return state;
}

/* Makes scalars in the initial state, in the memory of the context's device.
 *
 * The caller destroys *out. */
FUR_API fur_status fur_scalars_create(fur_context *context, fur_scalars **out);
/* Destroys scalars; NULL does nothing. */
FUR_API void fur_scalars_destroy(fur_scalars *scalars);
/* Replaces the whole state.
 *
 * Errors: FUR_INVALID if `halted` is neither a slot nor -1. */
FUR_API fur_status fur_scalars_set(fur_scalars *scalars, const fur_scalars_state *state);
/* Stores the state in *out, after all operations so far that store to the scalars.
 *
 * It waits for these operations. */
FUR_API fur_status fur_scalars_get(const fur_scalars *scalars, fur_scalars_state *out);

/* Keeps the first `capacity` values that are stored to each of slots 0 .. slots-1.
 *
 * The real parts are kept on the device, 8 bytes a value. fur_scalars_set begins anew. */
FUR_API fur_status fur_scalars_keep(fur_scalars *scalars, int slots, int64_t capacity);
/* Stores the first `count` kept values of a slot in `out`. It waits for them. */
FUR_API fur_status fur_scalars_kept(const fur_scalars *scalars, int slot, int64_t count,
                                    double *out);

/* A coefficient: a factor, or a factor times a quotient of slots.
 *
 * The quotient is re(value[numerator]) / re(value[denominator]) of the scalars. Denominator -1
 * divides by 1. FUR_PREVIOUS of a slot uses `previous` instead of `value`. */
typedef struct fur_coefficient {
    fur_scalar factor;          /* factor of the quotient */
    const fur_scalars *scalars; /* NULL: the factor itself */
    int numerator;              /* slot of the numerator */
    int denominator;            /* slot of the denominator; -1: divides by 1 */
} fur_coefficient;

/* Computes value[slot] = sum_i conj(x_i) y_i, as fur_dot. */
FUR_API fur_status fur_dot_into(const fur_vector *x, const fur_vector *y, fur_scalars *scalars,
                                int slot);

/* Computes y_i = alpha x_i + beta y_i, as fur_axpby. */
FUR_API fur_status fur_axpby_from(fur_coefficient alpha, const fur_vector *x, fur_coefficient beta,
                                  fur_vector *y);

/* Computes the residual of conjugate gradients and two results, in one pass.
 *
 * First r_i = alpha q_i + r_i. Then value[norm] = ||r||_2 and value[product] = sum_i conj(r_i) d_i
 * r_i, its real part, where d is a diagonal preconditioner. If d is NULL, `constant` replaces its
 * entries. Moves 4 entries an index, 3 without d. */
FUR_API fur_status fur_axpy_norms_into(fur_coefficient alpha, const fur_vector *q,
                                       const fur_vector *d, fur_scalar constant, fur_vector *r,
                                       fur_scalars *scalars, int norm, int product);

/* Computes the step and the new direction of conjugate gradients, in one pass.
 *
 * First x_i = alpha p_i + x_i, then p_i = d_i z_i + beta p_i. If d is NULL, `constant` replaces its
 * entries; if it is 1, there is no product. Moves 6 entries an index, 5 without d. */
FUR_API fur_status fur_axpy_direction(fur_coefficient alpha, fur_coefficient beta,
                                      const fur_vector *d, fur_scalar constant, const fur_vector *z,
                                      fur_vector *p, fur_vector *x);

/* Computes y_i = alpha x_i + y_i and value[slot] = ||y||_2, as fur_axpy_norm2. */
FUR_API fur_status fur_axpy_norm2_into(fur_coefficient alpha, const fur_vector *x, fur_vector *y,
                                       fur_scalars *scalars, int slot);

#ifdef __cplusplus
}
#endif
#endif
