/* Whether two readers found the same in a file, without keeping what they found. */
#ifndef FURROW_TOOLS_FINGERPRINT_H
#define FURROW_TOOLS_FINGERPRINT_H

#include <furrow/csr.h>

#include <stdbool.h>

#include "peer_io.h"

/* The sum, modulo 2^64, of a hash of each entry's row, column and bits: the same in any order. */
typedef struct fingerprint {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    uint64_t sum;
} fingerprint;

/* The fingerprint of a matrix of f64 in a context on the CPU. */
fingerprint fingerprint_csr(const fur_csr *matrix);

/* The fingerprint of coordinates, each with its mirror image if that is not stored. */
fingerprint fingerprint_coordinates(const peer_matrix *matrix);

bool fingerprint_equal(const fingerprint *a, const fingerprint *b);

#endif
