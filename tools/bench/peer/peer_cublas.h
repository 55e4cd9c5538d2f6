/* cuBLAS where the system has it, found when it is asked for. */
#ifndef FURROW_TOOLS_PEER_CUBLAS_H
#define FURROW_TOOLS_PEER_CUBLAS_H

#include <stdbool.h>

/* Its functions, by its own types' sizes: a handle is a pointer, a status an int that is 0 for
 * success. */
typedef struct peer_cublas {
    void *handle; /* NULL: not there */
    int (*destroy)(void *handle);
    int (*dot)(void *handle, int n, const double *x, int incx, const double *y, int incy,
               double *result);
    int (*norm2)(void *handle, int n, const double *x, int incx, double *result);
    int (*axpy)(void *handle, int n, const double *alpha, const double *x, int incx, double *y,
                int incy);
} peer_cublas;

/* Calls go to the stream; scalars lie on the device or on the host. */
peer_cublas peer_cublas_open(void *stream, bool scalars_on_device);
void peer_cublas_close(peer_cublas *cublas);

#endif
