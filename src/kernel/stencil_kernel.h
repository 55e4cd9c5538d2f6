/* The interface between the library and its stencil kernels. */
#ifndef FURROW_KERNEL_STENCIL_KERNEL_H
#define FURROW_KERNEL_STENCIL_KERNEL_H

#include <furrow/stencil.h>

#include "anywhere.h"
#include "block_kernel.h"
#include "env.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of distances along an axis, and of offsets, within the radius. */
#define FUR_STENCIL_WIDTH (2 * FUR_STENCIL_RADIUS + 1)
#define FUR_STENCIL_POINTS (FUR_STENCIL_WIDTH * FUR_STENCIL_WIDTH * FUR_STENCIL_WIDTH)

/* A stencil for kernels. Axes beyond the dimension of the definition have extent 1. Offsets are
 * sorted by z, then y, then x. Terms are therefore added in the order of the matrix's columns.
 * Segments of FUR_ROW_SEGMENT count only terms that exist at the point. */
typedef struct fur_stencil_view {
    fur_value_type value_type;
    int64_t extent[3];
    fur_boundary boundary[3];
    int radius[3]; /* largest |offset| along each axis */
    int points;
    const fur_stencil_offset *offsets; /* on the host */
    const void *coefficients;          /* constants of the value type, on the host; NULL: fields */
    /* fields where kernels work; the list itself is on the host */
    const void *const *fields;
} fur_stencil_view;

/* One product y = alpha S x + beta z, where z may be y. A kernel for sweeps applies x := alpha S x
 * + beta z `sweeps` times, starting from x, and stores the result in y. Each sweep has the bits of
 * the product. z is then another array. */
typedef struct fur_stencil_call {
    fur_env *env;
    const fur_stencil_view *s;
    const void *state; /* made by plan */
    int sweeps;        /* 1; for a kernel of sweeps 2 to its depth */
    fur_scalar alpha;
    fur_scalar beta; /* 0: z is not read */
    const void *x;
    const void *z;
    void *y;
} fur_stencil_call;

typedef struct fur_stencil_kernel {
    fur_kernel_info info; /* exact: adds terms in the order of the view */
    bool by_name;         /* "auto" ignores it: it exists for comparisons */
    /* Returns whether "auto" prefers the kernel listed before for this stencil, if that one suits.
     * NULL: never. */
    bool (*yields)(const fur_stencil_view *s);
    /* Why the kernel cannot run this stencil; NULL if it can. */
    const char *(*refusal)(const fur_stencil_view *s);
    /* Prepares *state. FUR_UNSUPPORTED: the device has too little memory. plan and release may be
     * NULL: nothing to do. */
    fur_status (*plan)(fur_env *env, const fur_stencil_view *s, void **state);
    fur_status (*apply)(const fur_stencil_call *call);
    void (*release)(fur_env *env, void *state);
} fur_stencil_kernel;

/* One product Y = alpha S X + beta Y with row-major blocks. Each column has the bits of an exact
 * kernel's product. X and Y have at least one column. */
typedef struct fur_stencil_block_call {
    fur_env *env;
    const fur_stencil_view *s;
    fur_scalar alpha;
    fur_scalar beta;
    const fur_vectors_view *x;
    const fur_vectors_view *y;
} fur_stencil_block_call;

typedef fur_status fur_stencil_block(const fur_stencil_block_call *call);

FUR_ANYWHERE int64_t fur_stencil_rows(const fur_stencil_view *s)
{
    return s->extent[0] * s->extent[1] * s->extent[2];
}

/* The point of an axis of n points that replaces position i, which may lie outside. -1: x is 0
 * there. */
FUR_ANYWHERE int64_t fur_boundary_point(fur_boundary boundary, int64_t n, int64_t i)
{
    if (i >= 0 && i < n)
        return i;
    if (boundary == FUR_BOUNDARY_DIRICHLET)
        return -1;
    int64_t period = boundary == FUR_BOUNDARY_NEUMANN ? 2 * n : n;
    int64_t at = i % period;
    at += at < 0 ? period : 0;
    return at < n ? at : period - 1 - at;
}

/* The entry of x that an offset refers to from point `at`. -1: the term does not exist. */
FUR_ANYWHERE int64_t fur_stencil_neighbour(const fur_stencil_view *s, const int64_t at[3],
                                           fur_stencil_offset offset)
{
    int64_t x = fur_boundary_point(s->boundary[0], s->extent[0], at[0] + offset.x);
    int64_t y = fur_boundary_point(s->boundary[1], s->extent[1], at[1] + offset.y);
    int64_t z = fur_boundary_point(s->boundary[2], s->extent[2], at[2] + offset.z);
    return x < 0 || y < 0 || z < 0 ? -1 : x + s->extent[0] * (y + s->extent[1] * z);
}

#ifdef __cplusplus
}
#endif
#endif
