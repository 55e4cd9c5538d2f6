/* The Matrix Market readers and writers with which furrow bench io races. Each is available if the
 * build has found it. They are compiled as by their users, without this project's flags. */
#ifndef FURROW_TOOLS_PEER_IO_H
#define FURROW_TOOLS_PEER_IO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A real matrix in coordinates, as a peer returns it. */
typedef struct peer_matrix {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    const int32_t *row_indices;
    const int32_t *col_indices;
    const double *values; /* NULL: all are 1 */
    int base;             /* index of the first row and column: 0 or 1 */
    double mirror; /* factor for mirror images of entries off the diagonal; 0: none are missing */
    void *storage; /* memory of the peer */
} peer_matrix;

typedef struct peer_io {
    const char *name; /* the name for --against */
    const char *label;
    bool threaded;
    /* Reads a coordinate file. The matrix must be released even after a failure. */
    bool (*read)(const char *path, int threads, peer_matrix *out);
    void (*release)(peer_matrix *matrix);
    /* Writes a matrix that `read` returned. NULL: the peer has no writer that preserves the
     * bits. */
    bool (*write)(const char *path, int threads, const peer_matrix *matrix);
} peer_io;

extern const peer_io peer_mmio; /* Boisvert, Pozo, Remington 1996, from liblpsolve55-dev */
extern const peer_io peer_fmm;  /* fast_matrix_market (Lugowski 2022) */

#ifdef __cplusplus
}
#endif
#endif
