/* CUDA's libraries where the system has them, found when they are asked for. */
#ifndef FURROW_TOOLS_PEER_CUDA_H
#define FURROW_TOOLS_PEER_CUDA_H

#include <stdbool.h>

#define PEER_CUBLAS_DEFAULT 0
#define PEER_CUBLAS_TF32 3

/* cuBLAS: its functions, by its own types' sizes: a handle is a pointer, a status an int that is 0
 * for success. */
typedef struct peer_cublas {
    void *handle; /* NULL: not there */
    int (*destroy)(void *handle);
    int (*dot)(void *handle, int n, const double *x, int incx, const double *y, int incy,
               double *result);
    int (*norm2)(void *handle, int n, const double *x, int incx, double *result);
    int (*axpy)(void *handle, int n, const double *alpha, const double *x, int incx, double *y,
                int incy);
    int (*dgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha,
                 const double *a, int lda, const double *b, int ldb, const double *beta, double *c,
                 int ldc);
    int (*sgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                 int ldc);
    int (*set_math_mode)(void *handle, int mode); /* one of the next */
} peer_cublas;

/* Calls go to the stream; scalars lie on the device or on the host. */
peer_cublas peer_cublas_open(void *stream, bool scalars_on_device);
void peer_cublas_close(peer_cublas *cublas);

/* cuSOLVER: its reverse Cuthill-McKee, which runs on the host, on host arrays with indices from 0.
 * A status is an int that is 0 for success. */
typedef struct peer_cusolver {
    void *handle; /* NULL: not there */
    void *description;
    int (*destroy)(void *handle);
    int (*destroy_description)(void *description);
    int (*symrcm)(void *handle, int n, int entries, const void *description, const int *offsets,
                  const int *columns, int *order);
} peer_cusolver;

peer_cusolver peer_cusolver_open(void);
void peer_cusolver_close(peer_cusolver *cusolver);

#endif
