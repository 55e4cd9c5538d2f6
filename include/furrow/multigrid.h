/* Geometric multigrid for A x = b, where A is a stencil of axis neighbours with constant
 * coefficients: 2 (k_x + k_y + k_z) + s at the centre and -k_x, -k_y, -k_z around it, with k > 0
 * and, up to rounding, s >= 0 (s = 0: Poisson's equation), 3, 5 or 7 points, on grids of any
 * extent.
 *
 * A cycle relaxes by red-black Gauss-Seidel, restricts the residual to every other point of each
 * axis by full weighting, adds the correction found there by linear interpolation, and relaxes
 * again (Brandt 1977; Briggs, Henson, McCormick 2000; Trottenberg, Oosterlee, Schueller
 * 2001). If an extent does not halve evenly, coarser levels have another spacing next to the
 * boundary (docs/multigrid.md). For equal k, a cycle with two sweeps before and two after makes the
 * residual at least ten times smaller, for all extents and boundaries.
 *
 * Results have the same bits for any number of threads. In a context of the CPU with shared vectors
 * (furrow/author/sharing.h) the stencil is that of the whole grid and vectors are parts of whole
 * planes along the last axis that has more than one point: all calls are then made by all ranks,
 * and give the bits of one. */
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

/* Used by one thread at a time, as its context, and for one cycle at a time. Keeps one vector of
 * the grid and two of each coarser level: in all 1.3 times the grid on three axes, 1.7 on two, 3 on
 * one. */
typedef struct fur_multigrid fur_multigrid;

/* The order in which a cycle visits the levels. */
typedef enum fur_cycle {
    FUR_CYCLE_V = 0, /* down to the coarsest and up again */
    /* Down to the coarsest, then up one level further each time and down again. From x = 0 this is
     * a full multigrid start: one cycle leaves a few times the discretization's error. */
    FUR_CYCLE_F
} fur_cycle;

/* For `before` or `after`, where 0 stands for the default. */
#define FUR_MULTIGRID_NO_SWEEPS (-1)

typedef struct fur_multigrid_options {
    size_t size; /* sizeof(fur_multigrid_options) */
    fur_cycle cycle;
    int before;       /* sweeps of both colours on the way down; 0: 2; or FUR_MULTIGRID_NO_SWEEPS */
    int after;        /* sweeps on the way up, likewise */
    int levels;       /* most levels; 0: until `coarsest` */
    int64_t coarsest; /* coarsening ends at a level of at most this number of points; 0: 1 */
    int64_t whole;    /* where vectors are shared: levels of at most this number of points are whole
                         on every rank; 0: 262144 */
} fur_multigrid_options;

/* The levels for a stencil, which may be destroyed afterwards. If it comes from
 * fur_recognised_stencil and its coefficients change, the multigrid refuses to be used.
 * FUR_UNSUPPORTED for other stencils than those above; for complex values; for a periodic axis of
 * an odd number of points other than 1, which cannot be coloured; for a singular A (s = 0 up to
 * rounding and no Dirichlet boundary) or one that rounding has made indefinite. FUR_INVALID for
 * other negative options and for a cycle without any sweep. */
FUR_API fur_status fur_multigrid_create(const fur_stencil *a, const fur_multigrid_options *options,
                                        fur_multigrid **out);

/* Destroys a multigrid. */
FUR_API void fur_multigrid_destroy(fur_multigrid *mg);

/* One cycle: improves x. b and x have an entry for each grid point and must not overlap. Allocates
 * nothing; on a GPU it only queues work. A multigrid runs one cycle at a time. */
FUR_API fur_status fur_multigrid_cycle(fur_multigrid *mg, const fur_vector *b, fur_vector *x);

/* Cycles from the initial guess in x until ||b - A x||_2 <= rtol ||b||_2; at most max_cycles.
 * rtol = 0: 1e-10, for f32 1e-5; max_cycles = 0: 100. Returns FUR_OK whenever it ran; in the
 * report, which may be NULL, iterations are cycles, both residuals are ||b - A x||_2 / ||b||_2 with
 * the bits of fur_stencil_apply for A, and the outcome is FUR_OUTCOME_CONVERGED,
 * FUR_OUTCOME_MAX_ITERATIONS, FUR_OUTCOME_BREAKDOWN or, if a cycle did not lower the residual,
 * FUR_OUTCOME_STAGNATED. x is that of the last cycle, which may have raised the residual, or
 * overflowed. After a failure it is FUR_OUTCOME_UNSOLVED, as for fur_solver_solve.
 * b = 0 gives x = 0. */
FUR_API fur_status fur_multigrid_solve(fur_multigrid *mg, const fur_vector *b, fur_vector *x,
                                       double rtol, int64_t max_cycles, fur_solver_report *report);

/* The operator x = M b: one cycle from x = 0. On the way up it relaxes the colours in the other
 * order, which makes M symmetric positive definite: a preconditioner for conjugate gradients.
 * FUR_UNSUPPORTED for an F cycle and for before != after, which are not symmetric. The multigrid
 * must outlive it. */
FUR_API fur_status fur_operator_from_multigrid(fur_multigrid *mg, fur_operator **out);

typedef struct fur_multigrid_report {
    size_t size; /* of the library's struct */
    int levels;
    int64_t points;   /* of all levels */
    int64_t coarsest; /* of the coarsest */
} fur_multigrid_report;

/* The sizes of its levels: the report lives as long as the multigrid. For NULL all zero. */
FUR_API const fur_multigrid_report *fur_multigrid_describe(const fur_multigrid *mg);

#ifdef __cplusplus
}
#endif
#endif
