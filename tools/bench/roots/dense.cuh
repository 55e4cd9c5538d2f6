// Shared code of the steps of the dense ladder: a product in its type, and pieces of 16 bytes.
#ifndef FURROW_TOOLS_DENSE_CUH
#define FURROW_TOOLS_DENSE_CUH

#include "dense.h"

#include <cuda_runtime.h>

// C = A B, n x n, row-major.
template <class T> struct dense_arrays {
    int n;
    const T *__restrict__ a;
    const T *__restrict__ b;
    T *__restrict__ c;

    explicit dense_arrays(const dense_product *p)
        : n(p->n), a(static_cast<const T *>(p->a)), b(static_cast<const T *>(p->b)),
          c(static_cast<T *>(p->c))
    {
    }
};

// 16 bytes of neighbouring entries, the largest load of a thread.
template <class T> struct alignas(16) dense_piece {
    static constexpr int entries = 16 / sizeof(T);
    T entry[entries];
};

template <class T> __device__ inline dense_piece<T> dense_read(const T *p)
{
    return *reinterpret_cast<const dense_piece<T> *>(p);
}

template <class T> __device__ inline void dense_write(T *p, dense_piece<T> piece)
{
    *reinterpret_cast<dense_piece<T> *>(p) = piece;
}

static inline cudaStream_t dense_stream(const dense_product *p)
{
    return static_cast<cudaStream_t>(p->stream);
}

// Each function runs one step.
template <class T> int dense_run_naive(const dense_product *p);
template <class T> int dense_run_tile(const dense_product *p);
template <class T> int dense_run_registers(const dense_product *p);
template <class T> int dense_run_vectors(const dense_product *p);
template <class T> int dense_run_warps(const dense_product *p);
template <class T> int dense_run_tensor(const dense_product *p);

#endif
