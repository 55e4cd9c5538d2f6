/* The ladder of the dense product C = A B on a GPU, only for the benchmark. It shows the gain of
 * each step, compared with cuBLAS. Matrices are square and row-major. */
#ifndef FURROW_TOOLS_DENSE_H
#define FURROW_TOOLS_DENSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of rows and columns are multiples of DENSE_UNIT, and at most DENSE_MAX, because
 * entries are indexed by int32. */
#define DENSE_UNIT 256
#define DENSE_MAX 32768

/* A product of n x n matrices of float or double on the device. */
typedef struct dense_product {
    int n;
    const void *a;
    const void *b;
    void *c;
    void *stream;
} dense_product;

typedef struct dense_step {
    const char *name; /* static string */
    /* Relative error by which the step rounds the entries of A and B; 0: it uses them unchanged. */
    double input_error;
    /* Queues the product. Returns CUDA's error, or 0. */
    int (*run)(const dense_product *p);
} dense_step;

/* Returns step `index` for double (is_double) or float, or NULL after the last. */
const dense_step *dense_step_at(int is_double, int index);

/* Fills `count` entries of an array of float or double with dense_entry(seed, i). Returns CUDA's
 * error. */
int dense_fill(int is_double, uint32_t seed, int64_t count, void *x, void *stream);

/* *different = the number of entries of two arrays on the device that differ in any bit. Waits.
 * Returns CUDA's error. */
int dense_compare(int is_double, int64_t count, const void *x, const void *y, void *stream,
                  int64_t *different);

#ifdef __CUDACC__
#    define DENSE_ANYWHERE __host__ __device__ static inline
#else
#    define DENSE_ANYWHERE static inline
#endif

/* Returns entry i of a test array: a multiple of 2^-23 in [-1, 1), equal in both types (the
 * finalizer of Stafford's variant 13, 2011). */
DENSE_ANYWHERE double dense_entry(uint32_t seed, int64_t i)
{
    uint64_t h = ((uint64_t)(i + 1) + ((uint64_t)seed << 40)) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((h ^ (h >> 31)) >> 40) - 0x1p23) * 0x1p-23;
}

#ifdef __cplusplus
}
#endif
#endif
