/* Conjugate gradients with Jacobi's preconditioner, as a careful user writes them for a CPU: OpenMP
 * loops over CSR and vectors, without this library. */
#ifndef FURROW_TOOLS_PEER_OPENMP_H
#define FURROW_TOOLS_PEER_OPENMP_H

#include <stdint.h>

/* The bytes that an iteration moves for each row, besides the matrix. A product reads p and writes
 * q (16), p.q reads both (16), x and r are updated with r.r (48), z = r / d is stored with r.z
 * (24), p is updated (24). */
#define PEER_OPENMP_ROW_BYTES 128

/* A system in separate memory, which the threads that use it have touched first. */
typedef struct peer_openmp peer_openmp;

/* Makes the system A x = b of a square matrix without zeros on its diagonal. Returns NULL if memory
 * is exhausted. */
peer_openmp *peer_openmp_create(int threads, int64_t rows, const int32_t *offsets,
                                const int32_t *columns, const double *values, const double *b);
void peer_openmp_destroy(peer_openmp *system);

/* Runs this many iterations from x = 0. Returns the time of the iterations after the first
 * `warm`. */
double peer_openmp_run(peer_openmp *system, int64_t warm, int64_t iterations);

const double *peer_openmp_x(const peer_openmp *system);

#endif
