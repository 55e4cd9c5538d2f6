/* The space in which fur_lobpcg looks for eigenvectors: an orthonormal basis S = [X P W], also
 * orthogonal to the constraints, with A S and S^H A S. */
#ifndef FURROW_EIGS_LOBPCG_SPACE_H
#define FURROW_EIGS_LOBPCG_SPACE_H

#include "block_product.h"

#include <stdbool.h>

typedef struct fur_lobpcg_space {
    fur_context *context;
    const fur_operator *a;
    int parts;      /* of an entry */
    double epsilon; /* of the value type */
    int fixed;      /* orthonormal vectors Y of the constraints */
    int room;       /* vectors that the basis may have */
    int size;       /* that it has: */
    int ritz;       /* X, then */
    int directions; /* P, then W */
    fur_block_product product;
    fur_vectors *basis;       /* [Y S] */
    fur_vectors *image;       /* A S */
    fur_vector *columns;      /* of these two blocks */
    fur_vector **list;        /* of the first */
    double *h;                /* S^H A S, by rows of `room` entries */
    double *work;             /* the same of `size` entries, to be overwritten */
    double *small;            /* its eigenvectors, by rows */
    double *theta;            /* all of its eigenvalues, rising */
    double *values;           /* those of X */
    fur_scalar *combinations; /* of S that are the next X and P, by rows */
    fur_scalar *c;            /* the same by columns */
    fur_scalar *dots;
    fur_scalar *sums;
    double norm;      /* of A, from below */
    int64_t products; /* with A */
    bool asymmetric;  /* what was measured is not Hermitian */
    bool broken;      /* or not finite */
} fur_lobpcg_space;

/* A space for A without vectors, but for those of the constraints, NULL: none; to be released in
 * any case. */
fur_status fur_lobpcg_space_make(const fur_operator *a, const fur_vectors *constraints, int room,
                                 fur_lobpcg_space *space);
void fur_lobpcg_space_release(fur_lobpcg_space *space);

/* Vector `at` of the basis, or what is behind it. */
static inline fur_vector *fur_lobpcg_vector(const fur_lobpcg_space *space, int at)
{
    return space->list[space->fixed + at];
}

/* A times it. */
static inline fur_vector *fur_lobpcg_image(const fur_lobpcg_space *space, int at)
{
    return &space->columns[space->basis->view.cols + at];
}

/* Makes the vector behind the basis one of it, orthonormal to those before, unless nothing is left
 * of it then. */
fur_status fur_lobpcg_space_take(fur_lobpcg_space *space, bool *taken);

/* As many start vectors, of hashed numbers. */
fur_status fur_lobpcg_space_start(fur_lobpcg_space *space, int count);

/* A S and S^H A S for the vectors from `first` on. */
fur_status fur_lobpcg_space_multiply(fur_lobpcg_space *space, int first);

/* X = the `count` Ritz vectors of the space at the end that is asked for; P = for those that are
 * active what of them was not X before, made orthonormal to X. The basis is [X P] then. */
fur_status fur_lobpcg_space_rotate(fur_lobpcg_space *space, int count, bool largest,
                                   const bool *active);

/* X made orthonormal again, without P; A X and X^H A X computed afresh. */
fur_status fur_lobpcg_space_refresh(fur_lobpcg_space *space);

#endif
