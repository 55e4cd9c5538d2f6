/* cuSPARSE's products of two matrices (f64, int32), in the phases that its manual prescribes. */
#ifndef FURROW_TOOLS_PEER_SPGEMM_H
#define FURROW_TOOLS_PEER_SPGEMM_H

#include <furrow/csr.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C = A B on a stream; the matrices lie on its device. NULL without cuSPARSE or memory. */
typedef struct peer_spgemm peer_spgemm;

peer_spgemm *peer_spgemm_open(void *stream, const fur_csr_view *a, const fur_csr_view *b);
void peer_spgemm_close(peer_spgemm *p);

/* All phases with algorithm 1, 2 or 3, memory from a pool, and waits. *workspace = bytes of
 * buffers at most at a time. False if cuSPARSE refuses. */
bool peer_spgemm_multiply(peer_spgemm *p, int algorithm, size_t *workspace);

/* SpGEMMreuse: all phases but the last, then that alone, which waits. */
bool peer_spgemm_prepare(peer_spgemm *p, size_t *workspace);
bool peer_spgemm_again(peer_spgemm *p);

#ifdef __cplusplus
}
#endif
#endif
