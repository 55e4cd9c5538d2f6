/* Why a matrix is not symmetric: the entries that differ from the ones opposite. */
#ifndef FURROW_TOOLS_ASYMMETRY_H
#define FURROW_TOOLS_ASYMMETRY_H

#include <furrow/csr.h>

typedef struct asymmetry {
    int64_t pairs; /* with A(i, j) != conj A(j, i); what is not stored is 0 */
    int64_t row;   /* of the pair that differs most, counted from 0 */
    int64_t col;
    double here[2];     /* A(row, col), real and imaginary */
    double opposite[2]; /* A(col, row) */
} asymmetry;

/* Of a square matrix; O(entries log(longest row)) time on the host and, unless it lies on a GPU, no
 * memory. */
fur_status asymmetry_find(const fur_csr *a, asymmetry *out);

#endif
