/* cuSPARSE's products of two matrices (f64, int32), in the phases of its manual. */
#ifndef FURROW_TOOLS_PEER_SPGEMM_H
#define FURROW_TOOLS_PEER_SPGEMM_H

#include <furrow/csr.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C = A B on a stream. The matrices are on its device. peer_spgemm_open returns NULL without
 * cuSPARSE, or if memory is exhausted. */
typedef struct peer_spgemm peer_spgemm;

peer_spgemm *peer_spgemm_open(void *stream, const fur_csr_view *a, const fur_csr_view *b);
void peer_spgemm_close(peer_spgemm *p);

/* Runs all phases with algorithm 1, 2 or 3, allocates from a pool, and waits. *workspace = the most
 * bytes of buffers at a time. Returns false if cuSPARSE refuses. */
bool peer_spgemm_multiply(peer_spgemm *p, int algorithm, size_t *workspace);

/* SpGEMMreuse: the first runs all phases except the last. The second runs the last phase and
 * waits. */
bool peer_spgemm_prepare(peer_spgemm *p, size_t *workspace);
bool peer_spgemm_again(peer_spgemm *p);

#ifdef __cplusplus
}
#endif
#endif
