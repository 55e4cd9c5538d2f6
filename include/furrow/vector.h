/* A vector of n entries of one value type, and the element-wise operations on vectors.
 *
 * Vectors in one call must have the same context, value type and size, or the call returns
 * FUR_INVALID. Real vectors ignore the imaginary part of coefficients. A result may be an operand,
 * or lie where that does, but not overlap it in part: FUR_INVALID. */
#ifndef FURROW_VECTOR_H
#define FURROW_VECTOR_H

#include <furrow/base.h>
#include <furrow/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context. Keeps its entries, unless it borrows them. */
typedef struct fur_vector fur_vector;

/* A vector of `size` zeros. */
FUR_API fur_status fur_vector_create(fur_context *context, fur_value_type value, int64_t size,
                                     fur_vector **out);

/* A vector over `size` entries at data: copied, borrowed or adopted. Operations write their results
 * to borrowed data in place. In a CUDA context data of the host or the device can be copied, only
 * device memory can be borrowed, and adopted host memory is moved to the device. */
FUR_API fur_status fur_vector_wrap(fur_context *context, fur_value_type value, int64_t size,
                                   void *data, fur_ownership ownership, fur_vector **out);

/* Destroys a vector. */
FUR_API void fur_vector_destroy(fur_vector *vector);

/* The type of its entries. */
FUR_API fur_value_type fur_vector_value_type(const fur_vector *vector);
/* The number of its entries. */
FUR_API int64_t fur_vector_size(const fur_vector *vector);

/* The entries in the memory of the context's device, to read and write in place; valid as long as
 * the vector. NULL if size is 0. */
FUR_API void *fur_vector_data(fur_vector *vector);
/* The same, to read only. */
FUR_API const void *fur_vector_const_data(const fur_vector *vector);

/* Copies the caller's `size` entries into a vector. In a CUDA context they may lie on the host or
 * on the device; a copy from the device is in the order of the context's work. Pinned memory
 * (cudaMallocHost) goes at the full rate of the bus. */
FUR_API fur_status fur_vector_upload(const void *entries, fur_vector *x);
/* Copies a vector's entries into the caller's array, in the same way. */
FUR_API fur_status fur_vector_download(const fur_vector *x, void *entries);

/* x_i = value */
FUR_API fur_status fur_vector_fill(fur_vector *x, fur_scalar value);

/* y_i = x_i, of the same value type; any overlap of the two is allowed. The two may belong to
 * different contexts: this is how a vector moves between devices. */
FUR_API fur_status fur_vector_copy(const fur_vector *x, fur_vector *y);

/* A new vector with x's entries in another value type, rounded to nearest; a real entry becomes a
 * complex one with imaginary part 0. FUR_INVALID if a complex entry would lose an imaginary part
 * that is not zero. In a CUDA context the host converts the entries. */
FUR_API fur_status fur_vector_convert(const fur_vector *x, fur_value_type value, fur_vector **out);

/* y_i = alpha x_i + beta y_i, computed as fma(alpha, x_i, beta y_i). beta = 0 overwrites y, so that
 * NaN in y does not survive; beta = 1 adds y as it is. docs/numerics.md has the order of the real
 * products of complex entries. */
FUR_API fur_status fur_axpby(fur_scalar alpha, const fur_vector *x, fur_scalar beta, fur_vector *y);

/* x_i = alpha x_i, each product rounded once: fur_axpby of x with itself and beta = 0. alpha = 0
 * keeps NaN and turns infinity into NaN. */
FUR_API fur_status fur_vector_scale(fur_vector *x, fur_scalar alpha);

/* z_i = x_i y_i; z may be x or y. */
FUR_API fur_status fur_multiply_elementwise(const fur_vector *x, const fur_vector *y,
                                            fur_vector *z);

/* Reductions. All of them follow the summation tree of docs/numerics.md, in double precision also
 * for f32 and c64: the result has the same bits for any number of threads, instruction set,
 * compiler and optimisation level. Results for f32 and c64 are not rounded to single precision.
 * Each call reads its vectors once and waits for its result. Norm 2 reads them twice more if
 * squares overflow or underflow. Variants of furrow/author/scalars.h leave the result on the
 * device. Empty vectors give 0. */

/* sum_i conj(x_i) y_i */
FUR_API fur_status fur_dot(const fur_vector *x, const fur_vector *y, fur_scalar *out);

/* sum_i |x_i|, with the modulus for complex entries (not |re| + |im|). */
FUR_API fur_status fur_norm1(const fur_vector *x, double *out);

/* sqrt(sum_i |x_i|^2). Neither overflows nor underflows when the result is representable. */
FUR_API fur_status fur_norm2(const fur_vector *x, double *out);

/* max_i |x_i|; NaN if any entry is NaN. */
FUR_API fur_status fur_norm_max(const fur_vector *x, double *out);

/* Norms of matrices (furrow/algebra.h) and of the columns of blocks (fur_vectors_norms). */
typedef enum fur_norm {
    FUR_NORM_1 = 0,
    FUR_NORM_2,
    FUR_NORM_INF,
    FUR_NORM_MAX,
    FUR_NORM_FROBENIUS
} fur_norm;

/* Blocks of vectors: n x k entries of one value type, k vectors of n entries each, for methods that
 * work on several right-hand sides, eigenvectors or features at once.
 *
 * Vector j of a block is its column j. The layout says which entries are neighbours in memory:
 *
 *     FUR_LAYOUT_ROWS      entry (i, j) at data[i stride + j]: row-major, as NumPy and C have it
 *     FUR_LAYOUT_COLUMNS   entry (i, j) at data[i + j stride]: column-major, as Fortran and BLAS
 *
 * Every operation takes both, and blocks of both in one call. Products with a sparse matrix are
 * fastest in row-major order from two columns on (furrow/spmm.h); in column-major order a column is
 * a fur_vector in place.
 *
 * A view is a block, or a vector, in the memory of another one: of some of its rows or columns. It
 * keeps nothing alive: it must be destroyed, or no longer used, when the block that it was made
 * from is destroyed. What is written to a view is written to the block.
 *
 * Blocks in one call must have the same context, value type and shape, unless the header says
 * otherwise, or the call returns FUR_INVALID; so it does for a result that shares a byte with
 * another block, unless it is exactly an operand. Ranges of columns of one row-major block share no
 * byte. */

/* Used by one thread at a time, as its context. Keeps its entries, unless it borrows them. */
typedef struct fur_vectors fur_vectors;

typedef enum fur_layout {
    FUR_LAYOUT_ROWS = 0, /* rows one after the other, "C order" */
    FUR_LAYOUT_COLUMNS   /* columns one after the other, "Fortran order" */
} fur_layout;

/* The plain array of a block. */
typedef struct fur_vectors_view {
    size_t size;  /* sizeof(fur_vectors_view) */
    int64_t rows; /* entries of each vector */
    int64_t cols; /* vectors */
    fur_value_type value_type;
    fur_layout layout;
    /* Entries from the begin of a row (FUR_LAYOUT_ROWS) or column (FUR_LAYOUT_COLUMNS) to that of
     * the next: the leading dimension, at least cols or rows. 0 stands for exactly that many: no
     * gaps. Entries in gaps are neither read nor written. */
    int64_t stride;
    void *data;
} fur_vectors_view;

/* A block of zeros without gaps. FUR_OVERFLOW if it does not fit in memory. */
FUR_API fur_status fur_vectors_create(fur_context *context, fur_value_type value, int64_t rows,
                                      int64_t cols, fur_layout layout, fur_vectors **out);

/* A block over the caller's array: copied (without the gaps), borrowed or adopted. Operations write
 * their results to borrowed data in place. In a CUDA context data of the host or the device can be
 * copied, only device memory can be borrowed, and adopted host memory is moved to the device. */
FUR_API fur_status fur_vectors_wrap(fur_context *context, const fur_vectors_view *array,
                                    fur_ownership ownership, fur_vectors **out);

/* Destroys a block; a view leaves the memory to the block that it shows. */
FUR_API void fur_vectors_destroy(fur_vectors *x);

/* Shape, type, layout, stride (never 0 unless rows or columns are) and entries, in the memory of
 * the context's device, as long as the block lives. For NULL all zero. */
FUR_API const fur_vectors_view *fur_vectors_get(const fur_vectors *x);

/* A view of columns first .. first + count - 1. FUR_INVALID if x does not have them. */
FUR_API fur_status fur_vectors_columns(fur_vectors *x, int64_t first, int64_t count,
                                       fur_vectors **out);
/* A view of rows first .. first + count - 1. FUR_INVALID if x does not have them. */
FUR_API fur_status fur_vectors_rows(fur_vectors *x, int64_t first, int64_t count,
                                    fur_vectors **out);
/* A view of column j as a vector. FUR_INVALID if x does not have it, and where its entries are not
 * neighbours in memory: in row-major order unless rows are one entry apart. Copy such a column
 * instead: fur_vectors_columns, fur_vectors_from_vector and fur_vectors_copy. */
FUR_API fur_status fur_vectors_column(fur_vectors *x, int64_t j, fur_vector **out);
/* A view of a vector as a block of one column. */
FUR_API fur_status fur_vectors_from_vector(fur_vector *x, fur_vectors **out);

/* Copies the caller's rows x cols entries, in x's layout without gaps, into a block. In a CUDA
 * context they may lie on the host or on the device. */
FUR_API fur_status fur_vectors_upload(const void *entries, fur_vectors *x);
/* Copies a block's entries into the caller's array, in x's layout without gaps. */
FUR_API fur_status fur_vectors_download(const fur_vectors *x, void *entries);

/* X(i, j) = value */
FUR_API fur_status fur_vectors_fill(fur_vectors *x, fur_scalar value);

/* Y = X, of the same value type and shape. Layouts and strides may differ, which is how a block
 * changes its layout; and so may contexts, which is how it moves between devices. */
FUR_API fur_status fur_vectors_copy(const fur_vectors *x, fur_vectors *y);

/* Y = alpha X + beta Y, each entry as fur_axpby computes it; layouts may differ. */
FUR_API fur_status fur_vectors_axpby(fur_scalar alpha, const fur_vectors *x, fur_scalar beta,
                                     fur_vectors *y);

/* Rows and columns of C below, at most. */
#define FUR_SMALL_MOST 256

/* Y = alpha X C + beta Y for a small matrix C of k x m, where X has k columns and Y has m and as
 * many rows as X: C(l, j) = c[l m + j], on the host, rounded to the value type. Column j of X C has
 * the bits of fur_axpy_many on zeros with C(l, j) and the columns of X, in the order of l; it is
 * combined with that of Y as by fur_axpby; beta = 0 overwrites Y. Y may be X if k = m: a rotation
 * of a basis in place. FUR_UNSUPPORTED if k or m is above FUR_SMALL_MOST. Allocates k m entries
 * meanwhile. */
FUR_API fur_status fur_vectors_multiply(fur_scalar alpha, const fur_vectors *x, const fur_scalar *c,
                                        fur_scalar beta, fur_vectors *y);

/* The Gram matrix X^H Y: out[i m + j] = sum_l conj(X(l, i)) Y(l, j), for k and m columns, each
 * entry with the bits of fur_dot of the two columns. X and Y have as many rows; they may overlap or
 * be the same. Waits. A block in rows is copied into columns meanwhile. */
FUR_API fur_status fur_vectors_gram(const fur_vectors *x, const fur_vectors *y, fur_scalar *out);

/* out[j] = the norm of column j, with the bits of fur_norm1, fur_norm2 and fur_norm_max: norm is
 * FUR_NORM_1, FUR_NORM_2 or FUR_NORM_MAX, else FUR_UNSUPPORTED. Waits. A block in rows is copied
 * into columns meanwhile. */
FUR_API fur_status fur_vectors_norms(const fur_vectors *x, fur_norm norm, double *out);

#ifdef __cplusplus
}
#endif
#endif
