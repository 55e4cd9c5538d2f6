/* All eigenvalues and eigenvectors of a small dense symmetric (Hermitian) matrix. It uses only +,
 * -, *, / and sqrt. */
#ifndef FURROW_EIGS_DENSE_SYMMETRIC_H
#define FURROW_EIGS_DENSE_SYMMETRIC_H

/* Decomposes the n x n matrix a, stored by rows, which is overwritten. values: the eigenvalues in
 * rising order. Row i of `vectors` is the eigenvector of values[i]. Entries of a and of `vectors`
 * have 1 part, or 2 consecutive parts: the real and the imaginary part. */
void fur_dense_symmetric_eigen(int parts, int n, double *a, double *values, double *vectors);

#endif
