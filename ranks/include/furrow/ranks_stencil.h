/* Stencils for several ranks (furrow/stencil.h, furrow/ranks.h).
 *
 * The grid is cut into slabs of whole planes along its last axis with more than one point, in the
 * order of the grid's numbers. A product has the bits of fur_stencil_apply with an exact kernel on
 * the whole grid, for any number of ranks and any bounds (docs/ranks.md). */
#ifndef FURROW_RANKS_STENCIL_PUBLIC_H
#define FURROW_RANKS_STENCIL_PUBLIC_H

#include <furrow/multigrid.h>
#include <furrow/ranks.h>
#include <furrow/stencil.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stencil of all ranks. */
typedef struct fur_ranks_stencil fur_ranks_stencil;

/* Collective. Makes a stencil. The definition describes the whole grid and is the same on all
 * ranks, except for fields: each rank gives the values of its own points, in any context. They are
 * copied.
 *
 * planes: ranks + 1 increasing numbers from 0 to the number of planes, the same on all ranks. NULL:
 * equal shares. A rank may have no planes.
 * kernel, sweep_kernel: as in furrow/stencil.h. A kernel that is not exact has its own bits.
 * Errors: FUR_INVALID if ranks disagree; FUR_UNSUPPORTED if the planes do not fit on such GPUs. */
FUR_API fur_status fur_ranks_stencil_create(fur_ranks *group,
                                            const fur_stencil_definition *definition,
                                            const int64_t *planes, fur_ranks_stencil **out);

/* Releases the stencil; NULL is ignored. */
FUR_API void fur_ranks_stencil_destroy(fur_ranks_stencil *stencil);

/* Returns the context of this rank's part. Make vectors of its points here. */
FUR_API fur_context *fur_ranks_stencil_context(const fur_ranks_stencil *stencil);

/* Returns the operator y = S x on the parts, for products and solves.
 *
 * It has a diagonal. Applying it is collective. While planes are in transit, inner planes are
 * computed. On GPUs the first product allocates buffers for planes, so it must not be recorded
 * (furrow/author/recording.h). */
FUR_API const fur_operator *fur_ranks_stencil_operator(const fur_ranks_stencil *stencil);

/* Returns ranks + 1 point numbers. */
FUR_API const int64_t *fur_ranks_stencil_bounds(const fur_ranks_stencil *stencil);

/* Returns figures; entries are points times offsets. The report lives as long as the stencil. */
FUR_API const fur_ranks_report *fur_ranks_stencil_describe(const fur_ranks_stencil *stencil);

/* Collective. Returns the stencil as a matrix of all ranks with the same bounds, as
 * fur_stencil_assemble does. Each rank makes its own rows only. */
FUR_API fur_status fur_ranks_stencil_assemble(const fur_ranks_stencil *stencil,
                                              fur_ranks_csr **out);

/* Collective. Makes geometric multigrid for the stencil, with the bits of fur_multigrid_create. All
 * its calls (furrow/multigrid.h), and applying fur_operator_from_multigrid, are collective, but the
 * ranks do not agree on a status: end a sequence of calls with fur_ranks_agree. The stencil must
 * outlive it. */
FUR_API fur_status fur_ranks_multigrid_create(const fur_ranks_stencil *stencil,
                                              const fur_multigrid_options *options,
                                              fur_multigrid **out);

#ifdef __cplusplus
}
#endif
#endif
