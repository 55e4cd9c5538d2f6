/* cuSPARSE's SDDMM (f64, int32), after its analysis. */
#ifndef FURROW_TOOLS_PEER_SDDMM_H
#define FURROW_TOOLS_PEER_SDDMM_H

#include <furrow/csr.h>
#include <furrow/vector.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the values of A = X Y^T on A's pattern, on a stream. The matrix and the row-major blocks
 * are on its device. peer_sddmm_open returns NULL without cuSPARSE, or if memory is exhausted. */
typedef struct peer_sddmm peer_sddmm;

peer_sddmm *peer_sddmm_open(void *stream, const fur_csr_view *a, const fur_vectors_view *x,
                            const fur_vectors_view *y);
void peer_sddmm_close(peer_sddmm *p);

/* Queues a product. Returns false if cuSPARSE refuses it. */
bool peer_sddmm_run(peer_sddmm *p);

#ifdef __cplusplus
}
#endif
#endif
