/* The Matrix Market readers and writers that furrow bench io races with. Each is there if the build
 * found it, and is compiled as its user would: none of this project's flags. */
#ifndef FURROW_TOOLS_PEER_IO_H
#define FURROW_TOOLS_PEER_IO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A real matrix as a peer leaves it: coordinates. */
typedef struct peer_matrix {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    const int32_t *row_indices;
    const int32_t *col_indices;
    const double *values; /* NULL: all are 1 */
    int base;             /* the number of the first row and column: 0 or 1 */
    double
        mirror; /* factor of the entries opposite to those off the diagonal; 0: none are missing */
    void *storage; /* the peer's own */
} peer_matrix;

typedef struct peer_io {
    const char *name; /* as --against takes it */
    const char *label;
    bool threaded;
    /* The matrix of a coordinate file, to release also on failure. */
    bool (*read)(const char *path, int threads, peer_matrix *out);
    void (*release)(peer_matrix *matrix);
    /* Writes what read gave; NULL: has no writer that keeps the bits. */
    bool (*write)(const char *path, int threads, const peer_matrix *matrix);
} peer_io;

extern const peer_io peer_mmio; /* Boisvert, Pozo, Remington 1996, as liblpsolve55-dev has it */
extern const peer_io peer_fmm;  /* fast_matrix_market (Lugowski 2022) */

#ifdef __cplusplus
}
#endif
#endif
