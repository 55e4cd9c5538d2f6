/* UMFPACK, where the machine has it (Davis 2004): complete factors of a matrix in double precision.
 * It is looked for at run time: the library neither contains nor needs it. */
#ifndef FURROW_PRECOND_UMFPACK_H
#define FURROW_PRECOND_UMFPACK_H

#include <stdbool.h>
#include <stdint.h>

/* What its functions return. */
#define FUR_UMFPACK_SINGULAR 1
#define FUR_UMFPACK_NO_MEMORY (-1)

/* Functions of the user guide's names, for int and double: real, or complex with both parts in one
 * array, which have more arguments. */
typedef struct fur_umfpack {
    void *library;
    bool complex;
    void (*free_symbolic)(void **symbolic);
    void (*free_numeric)(void **numeric);
    union {
        int (*real)(int rows, int cols, const int *start, const int *index, const double *values,
                    void **symbolic, const double *control, double *info);
        int (*complex)(int rows, int cols, const int *start, const int *index, const double *values,
                       const double *imaginary, void **symbolic, const double *control,
                       double *info);
    } symbolic;
    union {
        int (*real)(const int *start, const int *index, const double *values, void *symbolic,
                    void **numeric, const double *control, double *info);
        int (*complex)(const int *start, const int *index, const double *values,
                       const double *imaginary, void *symbolic, void **numeric,
                       const double *control, double *info);
    } numeric;
    union {
        int (*real)(int system, const int *start, const int *index, const double *values, double *x,
                    const double *b, void *numeric, const double *control, double *info,
                    int *work_int, double *work);
        int (*complex)(int system, const int *start, const int *index, const double *values,
                       const double *imaginary, double *x, double *x_imaginary, const double *b,
                       const double *b_imaginary, void *numeric, const double *control,
                       double *info, int *work_int, double *work);
    } solve;
} fur_umfpack;

/* Finds it; false: it is not there. */
bool fur_umfpack_open(bool complex, fur_umfpack *out);
void fur_umfpack_close(fur_umfpack *u);

/* Factors of A^T, given by A's rows. Returns 0, or the status of the step that failed; counts the
 * entries of both factors. */
int fur_umfpack_factor(const fur_umfpack *u, int n, const int *offsets, const int *columns,
                       const double *values, void **numeric, int64_t *entries);

/* A x = b, of n rows; for work n int and 4 n double. */
int fur_umfpack_solve(const fur_umfpack *u, void *numeric, const double *b, double *x,
                      int *work_int, double *work);

#endif
