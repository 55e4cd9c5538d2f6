/* cuSPARSE's SpSV (f64, int32) with a lower triangle, after its analysis. */
#ifndef FURROW_TOOLS_PEER_TRISOLVE_H
#define FURROW_TOOLS_PEER_TRISOLVE_H

#include <furrow/csr.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* L x = b on a stream, where L is the lower triangle of a square matrix. All arrays are on its
 * device. peer_trisolve_open returns NULL without cuSPARSE, or if memory is exhausted. */
typedef struct peer_trisolve peer_trisolve;

peer_trisolve *peer_trisolve_open(void *stream, const fur_csr_view *a, const double *b, double *x);
void peer_trisolve_close(peer_trisolve *p);

/* Queues a solve. Returns false if cuSPARSE refuses it. */
bool peer_trisolve_run(peer_trisolve *p);

/* Returns the time of the analysis. */
double peer_trisolve_seconds(const peer_trisolve *p);

#ifdef __cplusplus
}
#endif
#endif
