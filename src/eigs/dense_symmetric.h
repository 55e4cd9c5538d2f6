/* All eigenvalues and eigenvectors of a small dense symmetric (Hermitian) matrix, by +, -, *, / and
 * sqrt alone. */
#ifndef FURROW_EIGS_DENSE_SYMMETRIC_H
#define FURROW_EIGS_DENSE_SYMMETRIC_H

/* Of the n x n matrix a, by rows, which is overwritten: the eigenvalues in rising order, and in row
 * i of `vectors` the eigenvector of values[i]. Entries of a and of `vectors` have 1 part, or 2 one
 * after the other: the real and the imaginary one. */
void fur_dense_symmetric_eigen(int parts, int n, double *a, double *values, double *vectors);

#endif
