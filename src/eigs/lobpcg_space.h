/* The space in which fur_lobpcg searches for eigenvectors. It has an orthonormal basis S = [X P W],
 * which is also orthogonal to the constraints, with A S and S^H A S. */
#ifndef FURROW_EIGS_LOBPCG_SPACE_H
#define FURROW_EIGS_LOBPCG_SPACE_H

#include "block_product.h"

#include <stdbool.h>

typedef struct fur_lobpcg_space {
    fur_context *context;
    const fur_operator *a;
    int parts;      /* parts of an entry */
    double epsilon; /* epsilon of the value type */
    int fixed;      /* number of orthonormal vectors Y of the constraints */
    int room;       /* the most vectors of the basis */
    int size;       /* vectors of the basis: */
    int ritz;       /* X first, */
    int directions; /* then P, then W */
    fur_block_product product;
    fur_vectors *basis;       /* [Y S] */
    fur_vectors *image;       /* A S */
    fur_vector *columns;      /* columns of these two blocks */
    fur_vector **list;        /* columns of the first block */
    double *h;                /* S^H A S, by rows of `room` entries */
    double *work;             /* a copy of h with rows of `size` entries, which is overwritten */
    double *small;            /* its eigenvectors, by rows */
    double *theta;            /* all its eigenvalues, rising */
    double *values;           /* values of X */
    fur_scalar *combinations; /* combinations of S for the next X and P, by rows */
    fur_scalar *c;            /* combinations by columns */
    fur_scalar *dots;
    fur_scalar *sums;
    double norm;      /* lower bound of ||A|| */
    int64_t products; /* products with A */
    bool asymmetric;  /* the measured matrix is not Hermitian */
    bool broken;      /* or is not finite */
} fur_lobpcg_space;

/* Makes a space for A that contains only the constraints. constraints may be NULL. The space must
 * be released in any case. */
fur_status fur_lobpcg_space_make(const fur_operator *a, const fur_vectors *constraints, int room,
                                 fur_lobpcg_space *space);
void fur_lobpcg_space_release(fur_lobpcg_space *space);

/* Vector `at` of the basis, or of the space behind it. */
static inline fur_vector *fur_lobpcg_vector(const fur_lobpcg_space *space, int at)
{
    return space->list[space->fixed + at];
}

/* A times vector `at`. */
static inline fur_vector *fur_lobpcg_image(const fur_lobpcg_space *space, int at)
{
    return &space->columns[space->basis->view.cols + at];
}

/* Adds the vector behind the basis to the basis, orthonormalised against all others. If only
 * rounding remains of it, *taken is false. */
fur_status fur_lobpcg_space_take(fur_lobpcg_space *space, bool *taken);

/* Adds `count` start vectors of hashed numbers. */
fur_status fur_lobpcg_space_start(fur_lobpcg_space *space, int count);

/* Computes A S and S^H A S for the vectors from `first` on. */
fur_status fur_lobpcg_space_multiply(fur_lobpcg_space *space, int first);

/* X = the `count` Ritz vectors at the requested end of the spectrum. P = the components of active
 * ones that were not in the old X, orthonormalised against X. The basis is then [X P]. */
fur_status fur_lobpcg_space_rotate(fur_lobpcg_space *space, int count, bool largest,
                                   const bool *active);

/* Orthonormalises X again and drops P. A X and X^H A X are computed again. */
fur_status fur_lobpcg_space_refresh(fur_lobpcg_space *space);

#endif
