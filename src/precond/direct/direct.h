/* Libraries that make complete factors and are looked for at run time: furrow neither contains nor
 * needs one. Each is a file with a descriptor, and a line in direct_libraries.def, in the order in
 * which they are asked. Of all, the variants for integers of 64 bits are taken: factors may have
 * more than 2^31 entries. */
#ifndef FURROW_PRECOND_DIRECT_H
#define FURROW_PRECOND_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUR_DIRECT_REASON 96

/* A by rows, in increasing columns, each position once. */
typedef struct fur_direct_matrix {
    int64_t rows;
    bool complex;
    int definite; /* 1: Hermitian with a positive diagonal, and as far as a look tells positive
                     definite; -1: so is -A; 0: neither is */
    int64_t *offsets;
    int64_t *columns;
    double *values; /* of complex matrices pairs */
} fur_direct_matrix;

typedef enum fur_direct_outcome {
    FUR_DIRECT_MADE = 0,
    FUR_DIRECT_PASSED, /* the library is not for this matrix */
    FUR_DIRECT_FAILED, /* another may be able to */
    FUR_DIRECT_SINGULAR,
    FUR_DIRECT_NO_MEMORY
} fur_direct_outcome;

/* What a library says about the factors that it has made, or why it has made none. */
typedef struct fur_direct_made {
    int64_t entries; /* of all factors; 0: not known */
    int64_t bytes;   /* of factors that a solve reads; 0: not known */
    char reason[FUR_DIRECT_REASON];
} fur_direct_made;

/* A function of a library: its names for real and complex matrices, and where in the state its
 * address goes. */
typedef struct fur_direct_function {
    const char *real;
    const char *complex;
    size_t at;
} fur_direct_function;

/* b and x have the matrix's rows, of complex matrices pairs; for work 4 and one number a row. */
typedef struct fur_direct_vectors {
    int64_t rows;
    double *b;
    double *x;
    double *work;
    int64_t *work_int;
} fur_direct_vectors;

typedef struct fur_direct_library {
    const char *name;
    const char *const *files;             /* to look for; NULL behind the last */
    const fur_direct_function *functions; /* all must be there; real is NULL behind the last */
    size_t state;                         /* bytes that it keeps, zeros before the first factors */
    fur_direct_outcome (*factor)(void *state, const fur_direct_matrix *a, fur_direct_made *made);
    /* A x = b */
    fur_direct_outcome (*solve)(void *state, const fur_direct_vectors *v);
    /* Gives back what factors take, if there are any. */
    void (*drop)(void *state);
} fur_direct_library;

/* Says why. */
fur_direct_outcome fur_direct_say(fur_direct_made *made, fur_direct_outcome outcome,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
