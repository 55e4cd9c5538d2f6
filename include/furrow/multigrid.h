/* Geometric multigrid for A x = b, where A is a stencil on a regular grid.
 *
 *     fur_multigrid_create(stencil, NULL, &mg);
 *     fur_multigrid_solve(mg, b, x, 1e-8, 0, &report);
 *     fur_multigrid_destroy(mg);
 *
 * The stencil has 3, 5 or 7 points with constant coefficients: -k_x, -k_y, -k_z for the axis
 * neighbours and 2 (k_x + k_y + k_z) + s for the centre. k is positive, and s >= 0 up to rounding
 * (s = 0: Poisson's equation). The grid may have any extent.
 *
 * A cycle relaxes by red-black Gauss-Seidel and restricts the residual to every other point of each
 * axis by full weighting. It adds the coarse correction by linear interpolation, and relaxes again
 * (Brandt 1977; Briggs, Henson, McCormick 2000; Trottenberg, Oosterlee, Schueller 2001). If an
 * extent does not halve evenly, coarser levels have another spacing next to the boundary
 * (docs/multigrid.md). For equal k, a cycle with two sweeps before and two after reduces the
 * residual by at least a factor of ten, for all extents and boundaries.
 *
 * Results have the same bits for any number of threads. In a context of the CPU with shared vectors
 * (furrow/author/sharing.h) the stencil is the stencil of the whole grid. Vectors are then parts of
 * whole planes along the last axis that has more than one point. All ranks make all calls together,
 * and get the bits of one rank. */
#ifndef FURROW_MULTIGRID_H
#define FURROW_MULTIGRID_H

#include <furrow/base.h>
#include <furrow/operator.h>
#include <furrow/solver.h>
#include <furrow/stencil.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A multigrid. Use it in one thread at a time, as its context.
 *
 * It runs one cycle at a time. It owns one vector of the grid and two vectors of each coarser
 * level: in all 1.3 times the grid on three axes, 1.7 times on two, 3 times on one. */
typedef struct fur_multigrid fur_multigrid;

/* Order in which a cycle visits the levels. */
typedef enum fur_cycle {
    FUR_CYCLE_V = 0, /* down to the coarsest level and up again */
    /* Down to the coarsest level, then up one level further each time and down again. From x = 0
     * this is a full multigrid start: one cycle leaves an error of a few times the discretization's
     * error. */
    FUR_CYCLE_F
} fur_cycle;

/* Value of `pre_sweeps` or `post_sweeps` that means 0 sweeps. */
#define FUR_MULTIGRID_NO_SWEEPS (-1)

/* Options of fur_multigrid_create. */
typedef struct fur_multigrid_options {
    size_t size;     /* sizeof(fur_multigrid_options) */
    fur_cycle cycle; /* default FUR_CYCLE_V */
    /* Sweeps of both colours on the way down. Default 2; or FUR_MULTIGRID_NO_SWEEPS */
    int pre_sweeps;
    int post_sweeps;  /* sweeps on the way up. Default 2; or FUR_MULTIGRID_NO_SWEEPS */
    int levels;       /* largest number of levels. Default 0: until `coarsest` */
    int64_t coarsest; /* coarsening ends at a level of at most `coarsest` points. Default 1 */
    /* Shared vectors only: every rank stores all points of a level of at most this number of
     * points. Default 262144 */
    int64_t gather_points;
} fur_multigrid_options;

/* Makes the levels for a stencil. The caller destroys *out.
 *
 * The stencil may be destroyed afterwards. If it comes from fur_recognised_stencil and its
 * coefficients change, the multigrid refuses to be used.
 *
 * Errors: FUR_UNSUPPORTED for
 * - stencils other than those above, and complex values,
 * - a periodic axis of an odd number of points other than 1, which cannot be coloured,
 * - a singular A (s = 0 up to rounding and no Dirichlet boundary), or an A that rounding has made
 *   indefinite,
 * - a device without multigrid.
 *
 * FUR_INVALID for other negative options and for a cycle without any sweep. */
FUR_API fur_status fur_multigrid_create(const fur_stencil *a, const fur_multigrid_options *options,
                                        fur_multigrid **out);

/* Destroys a multigrid; NULL does nothing. */
FUR_API void fur_multigrid_destroy(fur_multigrid *mg);

/* Improves x by one cycle. Allocates nothing.
 *
 * b and x have one entry for each grid point and must not overlap. On a GPU the call only queues
 * work. */
FUR_API fur_status fur_multigrid_cycle(fur_multigrid *mg, const fur_vector *b, fur_vector *x);

/* Runs cycles from the initial guess in x until ||b - A x||_2 <= rtol ||b||_2.
 *
 * - b, x: one entry for each grid point; they must not overlap. b = 0 gives x = 0.
 * - rtol: 0 means 1e-10; for f32 1e-5.
 * - max_cycles: largest number of cycles; 0 means 100.
 * - report: NULL, or filled. `iterations` are cycles. Both residuals are ||b - A x||_2 / ||b||_2,
 *   with the bits of fur_stencil_apply.
 *
 * Returns FUR_OK if it ran. The outcome is FUR_OUTCOME_CONVERGED, FUR_OUTCOME_MAX_ITERATIONS,
 * FUR_OUTCOME_BREAKDOWN, or FUR_OUTCOME_STAGNATED if a cycle did not reduce the residual. x is the
 * result of the last cycle, which may have raised the residual, or overflowed. After a failure the
 * outcome is FUR_OUTCOME_UNSOLVED, as for fur_solver_solve.
 *
 * Errors: FUR_INVALID if a vector does not fit, or if rtol or max_cycles is negative. */
FUR_API fur_status fur_multigrid_solve(fur_multigrid *mg, const fur_vector *b, fur_vector *x,
                                       double rtol, int64_t max_cycles, fur_solver_report *report);

/* Makes the operator x = M b: one cycle from x = 0. The caller destroys *out.
 *
 * On the way up it relaxes the colours in the other order. This makes M symmetric positive
 * definite: a preconditioner for conjugate gradients. The multigrid must outlive it.
 *
 * Errors: FUR_UNSUPPORTED for an F cycle and for before != after, which are not symmetric. */
FUR_API fur_status fur_operator_from_multigrid(fur_multigrid *mg, fur_operator **out);

/* Report of fur_multigrid_describe: the sizes of the levels. */
typedef struct fur_multigrid_report {
    size_t size;      /* of the library's struct */
    int levels;       /* number of levels */
    int64_t points;   /* points of all levels */
    int64_t coarsest; /* points of the coarsest level */
} fur_multigrid_report;

/* Returns the sizes of the levels.
 *
 * The report is valid as long as the multigrid. For NULL all members are 0. */
FUR_API const fur_multigrid_report *fur_multigrid_describe(const fur_multigrid *mg);

#ifdef __cplusplus
}
#endif
#endif
