/* Stencils of several ranks (furrow/stencil.h, furrow/ranks.h): the grid is cut in slabs of whole
 * planes along its last axis that has more than one point, in the order of the grid's numbers. A
 * product has the bits of fur_stencil_apply with an exact kernel on the whole grid, for any number
 * of ranks and wherever the bounds are (docs/ranks.md). */
#ifndef FURROW_RANKS_STENCIL_PUBLIC_H
#define FURROW_RANKS_STENCIL_PUBLIC_H

#include <furrow/multigrid.h>
#include <furrow/ranks.h>
#include <furrow/stencil.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fur_ranks_stencil fur_ranks_stencil;

/* Collective. The definition is that of the whole grid and the same on all ranks, but for fields:
 * each rank gives those of its own points, in any context; they are copied. planes: ranks + 1
 * numbers that rise from 0 to the planes of the grid, the same on all ranks; NULL: as many for
 * each. A rank may have none. kernel and sweep_kernel as in furrow/stencil.h; one that is not exact
 * has its own bits. FUR_INVALID if ranks disagree; FUR_UNSUPPORTED for planes that do not fit
 * such GPUs. */
FUR_API fur_status fur_ranks_stencil_create(fur_ranks *group,
                                            const fur_stencil_definition *definition,
                                            const int64_t *planes, fur_ranks_stencil **out);

FUR_API void fur_ranks_stencil_destroy(fur_ranks_stencil *stencil);

/* The context of this rank's part: make vectors of the points that it has here. */
FUR_API fur_context *fur_ranks_stencil_context(const fur_ranks_stencil *stencil);

/* y = S x on the parts, for products and fur_ranks_solve_operator; it knows its diagonal. Applying
 * it is collective. While planes are on their way, inner ones are computed. On GPUs the first
 * product makes room for planes: it must not be one that is recorded (furrow/author/recording.h).
 */
FUR_API const fur_operator *fur_ranks_stencil_operator(const fur_ranks_stencil *stencil);

/* ranks + 1 numbers of points. */
FUR_API const int64_t *fur_ranks_stencil_bounds(const fur_ranks_stencil *stencil);

/* Figures; entries are points times offsets. The report lives as long as the stencil. */
FUR_API const fur_ranks_report *fur_ranks_stencil_describe(const fur_ranks_stencil *stencil);

/* Collective. The stencil as a matrix of all ranks with the same bounds: that of
 * fur_stencil_assemble, of which each rank makes its own rows only. */
FUR_API fur_status fur_ranks_stencil_assemble(const fur_ranks_stencil *stencil,
                                              fur_ranks_csr **out);

/* Collective. Geometric multigrid of the stencil, as fur_multigrid_create has it, with its bits.
 * All its calls (furrow/multigrid.h), and applying fur_operator_from_multigrid, are collective but
 * not agreed: end a sequence of them with fur_ranks_agree. The stencil must outlive it. */
FUR_API fur_status fur_ranks_multigrid_create(const fur_ranks_stencil *stencil,
                                              const fur_multigrid_options *options,
                                              fur_multigrid **out);

#ifdef __cplusplus
}
#endif
#endif
