/* Stencil operators on regular grids, matrix-free: y = alpha S x + beta y.
 *
 *     fur_stencil_definition d = FUR_DEFAULT(fur_stencil_definition);
 *     d.value_type = FUR_F64;
 *     d.extent[0] = d.extent[1] = d.extent[2] = 100;
 *     fur_stencil_named(7, &d);                              the 7-point Laplacian
 *     fur_stencil_create(context, &d, &stencil);
 *     fur_stencil_apply(stencil, fur_real(1), x, fur_real(0), y);
 *
 * S is
 *
 *     (S x)(p) = sum over k of c_k(p) x(p + o_k)
 *
 * for points p of a grid of one, two or three axes, offsets o_k and coefficients c_k. Coefficients
 * are constants, or have a value for each grid point. Grid point (i, j, k) is entry i + nx (j + ny
 * k) of a vector: the first axis runs fastest.
 *
 * fur_stencil_assemble makes the same operator as a matrix. Both forms add the terms of a row in
 * the same order and give the same bits (docs/numerics.md). At Neumann and periodic boundaries the
 * order may differ. */
#ifndef FURROW_STENCIL_H
#define FURROW_STENCIL_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stencil. Use it in one thread at a time, as its context.
 *
 * It owns offsets and constant coefficients; fields belong to the caller. */
typedef struct fur_stencil fur_stencil;

/* The value of x outside an axis of n points, numbered 0 .. n-1. */
typedef enum fur_boundary {
    FUR_BOUNDARY_DIRICHLET = 0, /* 0: such terms are left out */
    /* mirrored halfway between points: x(-1 - i) = x(i), x(n + i) = x(n-1-i) */
    FUR_BOUNDARY_NEUMANN,
    FUR_BOUNDARY_PERIODIC /* periodic: x(i + n) = x(i) */
} fur_boundary;
/* Number of boundaries. */
#define FUR_BOUNDARY_COUNT 3

/* Largest distance of an offset along an axis. */
#define FUR_STENCIL_RADIUS 4

/* Offset of a neighbour from a point. */
typedef struct fur_stencil_offset {
    int32_t x, y, z;
} fur_stencil_offset;

/* Definition of a stencil, for fur_stencil_create. */
typedef struct fur_stencil_definition {
    size_t size;               /* sizeof(fur_stencil_definition) */
    fur_value_type value_type; /* type of coefficients and vectors */
    int axes;                  /* 1, 2 or 3 */
    int64_t extent[3];         /* points along each axis, at least 1; ignored from `axes` on */
    fur_boundary boundary[3];  /* boundary of each axis; default FUR_BOUNDARY_DIRICHLET */
    int points;                /* number of offsets, at least 1 */
    const fur_stencil_offset *offsets; /* different offsets, in any order; copied */
    /* Constant coefficients, one for each offset. They are copied and rounded once to the value
     * type. NULL: `fields` has the coefficients. */
    const fur_scalar *coefficients;
    /* Variable coefficients: c_k(p) is entry p of fields[k], a vector with one entry for each grid
     * point. The vectors must outlive the stencil. The stencil's matrix may be faster (product.h).
     * NULL if `coefficients` is given. */
    const fur_vector *const *fields;
    /* NULL or "auto": chosen among the exact kernels. Otherwise a name from fur_stencil_kernel_at.
     */
    const char *kernel;
    /* NULL or "auto": chosen. "single": one product after the other. Otherwise a name from
     * fur_stencil_sweep_kernel_at. */
    const char *sweep_kernel;
} fur_stencil_definition;

/* Sets a named stencil in a definition. Returns 1, or 0 if there is none.
 *
 * - points: 3 (one axis; 2, -1), 5 (two axes; 4, -1), 9 (two axes, with diagonals; 8, -1), 7 (three
 *   axes; 6, -1), 13 (three axes, of fourth order; 90, -16, 1), 19 (three axes, with the diagonals
 *   of planes; 24, -2, -1) or 27 (three axes, with all diagonals; 26, -1). These are negated
 *   Laplacians, scaled to small integers.
 * - definition: axes, points, offsets and coefficients are set. The arrays are static. The other
 *   members stay unchanged. */
FUR_API int fur_stencil_named(int points, fur_stencil_definition *definition);

/* Makes a stencil. The caller destroys *out.
 *
 * Errors: FUR_INVALID if the definition is not valid; the sentence says why. FUR_OVERFLOW if the
 * grid has 2^59 points or more. FUR_UNSUPPORTED if a kernel does not exist (the sentence lists the
 * kernels), or does not suit the stencil or the device (the sentence says why). */
FUR_API fur_status fur_stencil_create(fur_context *context,
                                      const fur_stencil_definition *definition, fur_stencil **out);

/* Destroys a stencil; NULL does nothing. */
FUR_API void fur_stencil_destroy(fur_stencil *stencil);

/* Computes y = alpha S x + beta y. Allocates nothing.
 *
 * x and y have one entry for each grid point and must not overlap. beta = 0 overwrites y, and alpha
 * = 0 does not skip the product, as for fur_spmv_apply. On a GPU the call only queues work.
 *
 * Errors: FUR_INVALID if a vector does not fit, or if x and y overlap. */
FUR_API fur_status fur_stencil_apply(const fur_stencil *stencil, fur_scalar alpha,
                                     const fur_vector *x, fur_scalar beta, fur_vector *y);

/* Computes Y = alpha S X + beta Y for blocks of vectors.
 *
 * - x, y: one row for each grid point, and the same number of columns. They must not overlap.
 *
 * Column j has the bits of fur_stencil_apply with an exact kernel on column j, for any layout,
 * stride and number of columns. Row-major blocks are fastest from two columns on: a point's terms
 * are found, and their coefficients read, once for all columns. Column-major blocks are multiplied
 * column by column, by the stencil's kernel if it is exact.
 *
 * If X and Y have different orders, the call allocates a copy of X in the order of Y. It also
 * allocates if the stencil has more than 32 points on a GPU, or if the device has no kernel for
 * blocks. On a GPU it only queues work.
 *
 * Errors: FUR_INVALID if a block does not fit, or if the blocks overlap. */
FUR_API fur_status fur_stencil_apply_block(const fur_stencil *stencil, fur_scalar alpha,
                                           const fur_vectors *x, fur_scalar beta, fur_vectors *y);

/* Computes sweeps: x := S x + alpha b, `count` times.
 *
 * - count: number of sweeps, at least 0.
 * - b: NULL for x := S x.
 * - work: overwritten.
 *
 * All vectors have one entry for each grid point. None may overlap another. x has the bits of
 * `count` products by fur_stencil_apply, each with y a copy of b, alpha = 1 and beta = alpha. If
 * the device has a kernel for it, one pass over memory makes several sweeps (Wittmann, Hager,
 * Wellein 2010). Allocates nothing. On a GPU the call only queues work.
 *
 * Jacobi's iteration for A x = b, x := x + omega D^-1 (b - A x), is a sweep with S = I - omega D^-1
 * A and alpha = omega / d, if the diagonal d is constant. For the negated Laplacian of 7 points,
 * with d = 6 and omega = 1, only the neighbours remain in S:
 *
 *     fur_scalar c[7]; // 0 at the centre, 1.0 / 6 elsewhere
 *     fur_stencil_named(7, &d);
 *     for (int k = 0; k < 7; k++)
 *         c[k] = fur_real(d.coefficients[k].re > 0 ? 0 : 1.0 / 6);
 *     d.coefficients = c;
 *     fur_stencil_create(context, &d, &s);
 *     fur_stencil_sweep(s, 100, fur_real(1.0 / 6), b, x, work);
 *
 * Errors: FUR_INVALID if `count` is negative, a vector does not fit, or vectors overlap. */
FUR_API fur_status fur_stencil_sweep(const fur_stencil *stencil, int64_t count, fur_scalar alpha,
                                     const fur_vector *b, fur_vector *x, fur_vector *work);

/* Makes S as a matrix with sorted rows. The caller destroys *out.
 *
 * Entries of a row that have the same column, at Neumann and periodic boundaries, are added in the
 * order of the offsets (z, then y, then x rising).
 *
 * Errors: FUR_OVERFLOW if the grid has more than 2^31 - 1 points. */
FUR_API fur_status fur_stencil_assemble(const fur_stencil *stencil, fur_csr **out);

/* Makes the operator S of a stencil. The caller destroys *out.
 *
 * The stencil must outlive it. It knows its diagonal. */
FUR_API fur_status fur_operator_from_stencil(const fur_stencil *stencil, fur_operator **out);

/* Report of fur_stencil_describe. */
typedef struct fur_stencil_report {
    size_t size;        /* of the library's struct */
    const char *kernel; /* name of the kernel */
    const char *reason; /* why it was chosen, one sentence; valid as long as the stencil */
    int64_t rows;       /* grid points */
    int points;         /* points of the stencil */
    /* Compulsory traffic of one product with beta = 0: x, y and fields once; at most INT64_MAX. */
    int64_t bytes;
    const char
        *sweep_kernel; /* kernel of fur_stencil_sweep; "single": one product after the other */
    int sweep_depth;   /* largest number of sweeps in one pass over memory */
} fur_stencil_report;

/* Returns the stencil's kernels, why they were chosen, and its traffic.
 *
 * The report is valid as long as the stencil. For NULL all numbers are 0 and all strings "". */
FUR_API const fur_stencil_report *fur_stencil_describe(const fur_stencil *stencil);

#ifdef __cplusplus
}
#endif
#endif
