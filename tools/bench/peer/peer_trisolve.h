/* cuSPARSE's SpSV (f64, int32) with a lower triangle, with its analysis done. */
#ifndef FURROW_TOOLS_PEER_TRISOLVE_H
#define FURROW_TOOLS_PEER_TRISOLVE_H

#include <furrow/csr.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* L x = b, where L is the lower triangle of a square matrix, on a stream; all arrays lie on its
 * device. NULL without cuSPARSE or memory. */
typedef struct peer_trisolve peer_trisolve;

peer_trisolve *peer_trisolve_open(void *stream, const fur_csr_view *a, const double *b, double *x);
void peer_trisolve_close(peer_trisolve *p);

/* Queues a solve; false if cuSPARSE refuses. */
bool peer_trisolve_run(peer_trisolve *p);

/* What the analysis took. */
double peer_trisolve_seconds(const peer_trisolve *p);

#ifdef __cplusplus
}
#endif
#endif
