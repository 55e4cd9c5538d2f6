/* The updates of conjugate gradients on a GPU, fused as by a careful user, with the scalars in
 * device memory. They are queued on a cudaStream_t. They return 0 on success, and otherwise a
 * cudaError_t. */
#ifndef FURROW_TOOLS_CG_UPDATES_H
#define FURROW_TOOLS_CG_UPDATES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x += alpha p, r -= alpha q, z = inverse r, with alpha = *rz / *pq */
int cg_updates_step(void *stream, int64_t n, const double *rz, const double *pq, const double *p,
                    const double *q, const double *inverse, double *x, double *r, double *z);

/* p = z + beta p with beta = *rz / *before */
int cg_updates_turn(void *stream, int64_t n, const double *rz, const double *before,
                    const double *z, double *p);

#ifdef __cplusplus
}
#endif
#endif
