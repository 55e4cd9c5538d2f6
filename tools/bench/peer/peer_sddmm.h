/* cuSPARSE's SDDMM (f64, int32), with its analysis done. */
#ifndef FURROW_TOOLS_PEER_SDDMM_H
#define FURROW_TOOLS_PEER_SDDMM_H

#include <furrow/csr.h>
#include <furrow/vectors.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The values of A = X Y^T on A's pattern, on a stream; matrix and row-major blocks lie on its
 * device. NULL without cuSPARSE or memory. */
typedef struct peer_sddmm peer_sddmm;

peer_sddmm *peer_sddmm_open(void *stream, const fur_csr_view *a, const fur_vectors_view *x,
                            const fur_vectors_view *y);
void peer_sddmm_close(peer_sddmm *p);

/* Queues a product; false if cuSPARSE refuses. */
bool peer_sddmm_run(peer_sddmm *p);

#ifdef __cplusplus
}
#endif
#endif
