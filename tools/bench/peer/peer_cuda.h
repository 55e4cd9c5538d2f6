/* CUDA's libraries, if they are installed. They are loaded when they are needed. */
#ifndef FURROW_TOOLS_PEER_CUDA_H
#define FURROW_TOOLS_PEER_CUDA_H

#include <stdbool.h>

#define PEER_CUBLAS_DEFAULT 0
#define PEER_CUBLAS_TF32 3

/* The functions of cuBLAS, with types of the same sizes: a handle is a pointer, and a status is an
 * int that is 0 on success. */
typedef struct peer_cublas {
    void *handle; /* NULL: not available */
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
    int (*set_math_mode)(void *handle, int mode); /* `mode` is one of the following */
} peer_cublas;

/* Opens cuBLAS for a stream. Scalars are on the device or on the host. */
peer_cublas peer_cublas_open(void *stream, bool scalars_on_device);
void peer_cublas_close(peer_cublas *cublas);

/* cuSOLVER's reverse Cuthill-McKee, which runs on the host, with host arrays and 0-based indices. A
 * status is an int that is 0 on success. */
typedef struct peer_cusolver {
    void *handle; /* NULL: not available */
    void *description;
    int (*destroy)(void *handle);
    int (*destroy_description)(void *description);
    int (*symrcm)(void *handle, int n, int entries, const void *description, const int *offsets,
                  const int *columns, int *order);
} peer_cusolver;

peer_cusolver peer_cusolver_open(void);
void peer_cusolver_close(peer_cusolver *cusolver);

#endif
