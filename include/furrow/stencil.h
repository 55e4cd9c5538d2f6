/* Stencil operators on regular grids, matrix-free: y = alpha S x + beta y with
 *
 *   (S x)(p) = sum over k of c_k(p) x(p + o_k)
 *
 * for points p of a grid of one, two or three axes, offsets o_k and coefficients c_k that are
 * constants or have a value for each grid point. Grid point (i, j, k) is entry i + nx (j + ny k) of
 * a vector: the first axis runs fastest.
 *
 * fur_stencil_assemble makes the same operator as a matrix. Except at Neumann and periodic
 * boundaries the offsets are in the order of the matrix's columns: there both forms add the terms
 * of a row in the same order and give the same bits (docs/numerics.md). */
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

/* Used by one thread at a time, as its context. Keeps offsets and constant coefficients; fields
 * belong to the caller. */
typedef struct fur_stencil fur_stencil;

/* x beyond the first and the last of an axis's n points, numbered 0 .. n-1. */
typedef enum fur_boundary {
    FUR_BOUNDARY_DIRICHLET = 0, /* is 0: such terms are left out */
    FUR_BOUNDARY_NEUMANN,       /* is mirrored halfway between points: x(-1 - i) = x(i), x(n + i) =
                                   x(n-1-i) */
    FUR_BOUNDARY_PERIODIC       /* goes round: x(i + n) = x(i) */
} fur_boundary;
#define FUR_BOUNDARY_COUNT 3

/* The largest distance along an axis. */
#define FUR_STENCIL_RADIUS 4

/* A neighbour, relative to a point. */
typedef struct fur_stencil_offset {
    int32_t x, y, z;
} fur_stencil_offset;

typedef struct fur_stencil_definition {
    size_t size;               /* sizeof(fur_stencil_definition) */
    fur_value_type value_type; /* of coefficients and vectors */
    int axes;                  /* 1, 2 or 3 */
    int64_t extent[3];         /* points along each axis, at least 1; ignored beyond `axes` */
    fur_boundary boundary[3];
    int points;                        /* at least 1 */
    const fur_stencil_offset *offsets; /* each once, in any order */
    /* Constant coefficients, one for each offset, copied and rounded once to the value type; NULL:
     * fields. */
    const fur_scalar *coefficients;
    /* Variable coefficients: for each offset a vector with an entry for each grid point, which must
     * outlive the stencil: c_k(p) = entry p of fields[k]. Its matrix may be faster (product.h). */
    const fur_vector *const *fields;
    /* NULL or "auto": chosen from the exact ones; else a name from fur_stencil_kernel_at. */
    const char *kernel;
    /* NULL or "auto"; or a name from fur_stencil_sweep_kernel_at; "single": one product after the
     * other. */
    const char *sweep_kernel;
} fur_stencil_definition;

/* A named stencil: sets axes, points, offsets and coefficients, which are static, and leaves the
 * other members as they are. Negated Laplacians, scaled to small integers: 3 (one axis; 2, -1), 5
 * (two axes; 4, -1), 9 (two axes, with diagonals; 8, -1), 7 (three axes; 6, -1), 13 (three axes, of
 * fourth order; 90, -16, 1), 19 (three axes, with the diagonals of planes; 24, -2, -1), 27 (three
 * axes, with all diagonals; 26, -1). False for any other number, and for NULL. */
FUR_API int fur_stencil_named(int points, fur_stencil_definition *definition);

/* A stencil. FUR_INVALID for a definition that breaks its contract; FUR_OVERFLOW if the grid has
 * 2^59 points or more; FUR_UNSUPPORTED for a kernel that does not exist (the sentence lists those
 * that do) or does not suit the stencil or the device (it says why). */
FUR_API fur_status fur_stencil_create(fur_context *context,
                                      const fur_stencil_definition *definition, fur_stencil **out);

/* Destroys a stencil. */
FUR_API void fur_stencil_destroy(fur_stencil *stencil);

/* y = alpha S x + beta y. x and y have an entry for each grid point and must not overlap. Allocates
 * nothing; on a GPU it only queues work. beta = 0 overwrites y, alpha = 0 does not skip the
 * product, as with fur_spmv_apply. */
FUR_API fur_status fur_stencil_apply(const fur_stencil *stencil, fur_scalar alpha,
                                     const fur_vector *x, fur_scalar beta, fur_vector *y);

/* Y = alpha S X + beta Y for blocks of vectors, each with a row for each grid point, and as many
 * columns. Column j has the bits of fur_stencil_apply with an exact kernel on column j, for any
 * layout, stride and number of columns. Row-major blocks are fastest from two columns on: a point's
 * terms are found, and their coefficients read, once for all columns. Column-major ones go column
 * by column, by the stencil's own kernel if that is exact. An X in another order than Y is copied
 * into Y's meanwhile. X and Y must not overlap. Else it allocates nothing, unless the stencil has
 * more than 32 points and the device is a GPU, or the device has no kernel for this; on a GPU it
 * only queues work. FUR_INVALID for blocks that do not suit. */
FUR_API fur_status fur_stencil_apply_block(const fur_stencil *stencil, fur_scalar alpha,
                                           const fur_vectors *x, fur_scalar beta, fur_vectors *y);

/* Sweeps: x := S x + alpha b, `count` times. b may be NULL: x := S x. work is overwritten. All
 * vectors have an entry for each grid point, and none may overlap another. x has the bits of
 * `count` products by fur_stencil_apply, each with y a copy of b, alpha = 1 and beta = alpha. If
 * the device has a kernel for it, one pass over memory makes several sweeps. Allocates nothing; on
 * a GPU it only queues work.
 *
 * Jacobi's iteration for A x = b, x := x + omega D^-1 (b - A x), is a sweep with S = I - omega
 * D^-1 A and alpha = omega / d, if the diagonal d is constant. For the negated Laplacian of 7
 * points, with d = 6 and omega = 1, only the neighbours remain in S:
 *
 *     fur_scalar c[7]; // 0 at the centre, 1.0 / 6 elsewhere
 *     fur_stencil_named(7, &d);
 *     for (int k = 0; k < 7; k++)
 *         c[k] = fur_real(d.coefficients[k].re > 0 ? 0 : 1.0 / 6);
 *     d.coefficients = c;
 *     fur_stencil_create(context, &d, &s);
 *     fur_stencil_sweep(s, 100, fur_real(1.0 / 6), b, x, work);
 *
 * FUR_INVALID if count is negative. Method of several sweeps a pass: Wittmann, Hager, Wellein 2010.
 */
FUR_API fur_status fur_stencil_sweep(const fur_stencil *stencil, int64_t count, fur_scalar alpha,
                                     const fur_vector *b, fur_vector *x, fur_vector *work);

/* S as a matrix with sorted rows. Entries of a row that have the same column, at Neumann and
 * periodic boundaries, are added in the order of the offsets (z, then y, then x rising).
 * FUR_OVERFLOW if the grid has more than 2^31 - 1 points. */
FUR_API fur_status fur_stencil_assemble(const fur_stencil *stencil, fur_csr **out);

/* The operator S of a stencil, which must outlive it; it knows its diagonal. */
FUR_API fur_status fur_operator_from_stencil(const fur_stencil *stencil, fur_operator **out);

typedef struct fur_stencil_report {
    size_t size;        /* of the library's struct */
    const char *kernel; /* its name */
    const char *reason; /* why it was chosen, one sentence; valid as long as the stencil */
    int64_t rows;       /* grid points */
    int points;
    int64_t bytes; /* compulsory traffic of one product with beta = 0: x, y and fields once; at most
                      INT64_MAX */
    const char *sweep_kernel; /* of fur_stencil_sweep; "single": that of products */
    int sweep_depth;          /* most sweeps in one pass over memory */
} fur_stencil_report;

/* The stencil's kernels, why they were chosen, and its traffic: the report lives as long as the
 * stencil. For NULL all numbers are 0 and all strings "". */
FUR_API const fur_stencil_report *fur_stencil_describe(const fur_stencil *stencil);

#ifdef __cplusplus
}
#endif
#endif
