/* The contract between the library and its kernels: plain views, descriptors, the backend's table.
 * Kernels see arrays and an environment, never the handles of the public API. */
#ifndef FURROW_KERNEL_KERNEL_H
#define FURROW_KERNEL_KERNEL_H

#include <furrow/csr.h>

#include "env.h"

#include <stdbool.h>

/* Products of a row are added in segments of this many entries: within a segment one after the
 * other by fma, starting from 0; the segments' sums then one after the other (docs/numerics.md).
 * Segments do not wait for each other: a long row is added several at a time, and by several
 * threads, with the bits of one. */
#define FUR_ROW_SEGMENT 128

/* What the choice of a kernel rests on. */
typedef struct fur_spmv_profile {
    fur_csr_statistics rows;
    /* Estimate of the entries of A for which x[column] comes from beyond the second-level cache. */
    double far_entries;
} fur_spmv_profile;

/* What a kernel expects to take on one thread of a present-day machine. Only the ratios matter. */
typedef struct fur_spmv_cost {
    double product_ns;
    double plan_ns;
    const char *refusal; /* why the kernel cannot run; NULL if it can */
} fur_spmv_cost;

/* One product y = alpha A x + beta y; for A^T and A^H the library hands over the transpose. */
typedef struct fur_spmv_call {
    const fur_csr_view *a;
    const void *state; /* what plan made */
    int threads;
    fur_scalar alpha;
    fur_scalar beta;
    const void *x;
    void *y;
} fur_spmv_call;

typedef struct fur_spmv_kernel {
    const char *name;
    const char *summary;
    const char *source;
    bool exact; /* adds products in the order of FUR_ROW_SEGMENT */
    /* Expected cost; may sample the arrays but not read them all. NULL: not for "auto". */
    fur_spmv_cost (*cost)(const fur_csr_view *a, const fur_spmv_profile *profile);
    /* Prepares *state for products on env's threads. NULL, as release: there is none. */
    fur_status (*plan)(fur_env *env, const fur_csr_view *a, void **state);
    void (*apply)(const fur_spmv_call *call);
    void (*release)(fur_env *env, void *state);
    /* Compulsory bytes of A in the kernel's form. NULL: those of CSR. */
    int64_t (*matrix_bytes)(const fur_csr_view *a, const void *state);
} fur_spmv_kernel;

/* Element-wise operations on n entries, indexed by value type. */
typedef struct fur_elementwise_kernels {
    void (*fill[FUR_VALUE_COUNT])(int threads, int64_t n, fur_scalar value, void *x);
    /* y = alpha x + beta y */
    void (*axpby[FUR_VALUE_COUNT])(int threads, int64_t n, fur_scalar alpha, const void *x,
                                   fur_scalar beta, void *y);
    /* z = x y */
    void (*multiply[FUR_VALUE_COUNT])(int threads, int64_t n, const void *x, const void *y,
                                      void *z);
} fur_elementwise_kernels;

/* Reductions of n entries over the tree of docs/numerics.md, indexed by value type. */
typedef struct fur_reduction_kernels {
    /* sum conj(x_i) y_i */
    fur_scalar (*dot[FUR_VALUE_COUNT])(int threads, int64_t n, const void *x, const void *y);
    double (*sum_abs[FUR_VALUE_COUNT])(int threads, int64_t n, const void *x);
    double (*max_abs[FUR_VALUE_COUNT])(int threads, int64_t n, const void *x);
    /* sum |scale x_i|^2, scale a power of two */
    double (*sum_squares[FUR_VALUE_COUNT])(int threads, int64_t n, double scale, const void *x);
    /* y = alpha x + y; sum |y_i|^2 */
    double (*axpy_squares[FUR_VALUE_COUNT])(int threads, int64_t n, fur_scalar alpha, const void *x,
                                            void *y);
} fur_reduction_kernels;

/* One device's kernels. spmv[0] is the reference. */
typedef struct fur_backend {
    const char *device;
    const char *isa;
    const fur_elementwise_kernels *elementwise;
    const fur_reduction_kernels *reduction;
    const fur_spmv_kernel *const *spmv;
    int spmv_count;
} fur_backend;

/* Opens a backend: *out is static and needs no closing. isa as in fur_context_options. */
typedef fur_status (*fur_backend_open)(fur_env *env, const char *isa, const fur_backend **out);

fur_status fur_cpu_open(fur_env *env, const char *isa, const fur_backend **out);

/* row_begin of a view of either width. */
static inline int64_t fur_offset_at(const fur_csr_view *a, int64_t row)
{
    return a->offset == FUR_I32 ? ((const int32_t *)a->offsets)[row]
                                : ((const int64_t *)a->offsets)[row];
}

#endif
