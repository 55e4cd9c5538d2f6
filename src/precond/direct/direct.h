/* Libraries that make complete factors. They are looked for at run time: furrow neither contains
 * nor needs one. Each library is a file with a descriptor, and a line in direct_libraries.def, in
 * the order in which they are asked. The variants for integers of 64 bits are used, because factors
 * may have more than 2^31 entries. */
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
    bool careful; /* a pivot is the largest candidate, whatever the fill-in */
    int definite; /* 1: A is Hermitian with a positive diagonal, and seems positive definite; -1: so
                     is -A; 0: neither */
    int64_t *offsets;
    int64_t *columns;
    double *values; /* pairs for complex matrices */
} fur_direct_matrix;

typedef enum fur_direct_outcome {
    FUR_DIRECT_MADE = 0,
    FUR_DIRECT_PASSED, /* the library is not for this matrix */
    FUR_DIRECT_FAILED, /* another library may succeed */
    FUR_DIRECT_SINGULAR,
    FUR_DIRECT_NO_MEMORY
} fur_direct_outcome;

/* Report of a library about its factors, or why it made none. */
typedef struct fur_direct_made {
    int64_t entries; /* entries of all factors; 0: not known */
    int64_t bytes;   /* bytes of factors that a solve reads; 0: not known */
    char reason[FUR_DIRECT_REASON];
} fur_direct_made;

/* A function of a library: its names for real and complex matrices, and the offset of its address
 * in the state. */
typedef struct fur_direct_function {
    const char *real;
    const char *complex;
    size_t at;
} fur_direct_function;

/* b and x have the matrix's rows, as pairs for complex matrices. `work` has room for 4 numbers a
 * row, and `work_int` for one. */
typedef struct fur_direct_vectors {
    int64_t rows;
    double *b;
    double *x;
    double *work;
    int64_t *work_int;
} fur_direct_vectors;

typedef struct fur_direct_library {
    const char *name;
    const char *const *files;             /* files to look for; NULL after the last */
    const fur_direct_function *functions; /* all are required; `real` is NULL after the last */
    size_t state;                         /* bytes of the state, zeros before the first factors */
    fur_direct_outcome (*factor)(void *state, const fur_direct_matrix *a, fur_direct_made *made);
    /* A x = b */
    fur_direct_outcome (*solve)(void *state, const fur_direct_vectors *v);
    /* Frees the factors, if there are any. */
    void (*drop)(void *state);
} fur_direct_library;

/* Sets the reason and returns the outcome. */
fur_direct_outcome fur_direct_say(fur_direct_made *made, fur_direct_outcome outcome,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
