/* A vector of n entries of one value type, element-wise operations, and blocks of vectors.
 *
 *     fur_vector_create(context, FUR_F64, n, &y);                            n zeros
 *     fur_vector_wrap(context, FUR_F64, n, data, FUR_OWNERSHIP_COPY, &x);    a copy of an array
 *     fur_axpby(fur_real(2), x, fur_real(1), y);                             y = 2 x + y
 *     fur_vector_download(y, data);
 *
 * Vectors in one call must have the same context, value type and size; otherwise the call returns
 * FUR_INVALID. Real vectors ignore the imaginary part of coefficients. A result may be an operand,
 * or lie at the same address. If it overlaps an operand in part, the call returns FUR_INVALID. */
#ifndef FURROW_VECTOR_H
#define FURROW_VECTOR_H

#include <furrow/base.h>
#include <furrow/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A vector. Use it in one thread at a time, as its context.
 *
 * It owns its entries, unless it borrows them. */
typedef struct fur_vector fur_vector;

/* Makes a vector of `size` zeros. The caller destroys *out.
 *
 * Errors: FUR_INVALID if `size` is negative or the value type is unknown. FUR_OVERFLOW if no memory
 * can have that size. */
FUR_API fur_status fur_vector_create(fur_context *context, fur_value_type value, int64_t size,
                                     fur_vector **out);

/* Makes a vector from the caller's array, which is copied, borrowed or adopted.
 *
 * - size: number of entries, at least 0.
 * - data: `size` entries of the value type. Operations write their results to borrowed data in
 *   place. In a CUDA context data of the host or the device can be copied. Only device memory can
 *   be borrowed. Adopted host memory is moved to the device.
 * - out: the vector; the caller destroys it.
 *
 * Errors: as fur_vector_create. FUR_INVALID if `data` is NULL and `size` is not 0, or if borrowed
 * data is not on the device. */
FUR_API fur_status fur_vector_wrap(fur_context *context, fur_value_type value, int64_t size,
                                   void *data, fur_ownership ownership, fur_vector **out);

/* Destroys a vector; NULL does nothing. */
FUR_API void fur_vector_destroy(fur_vector *vector);

/* Returns the type of the entries. */
FUR_API fur_value_type fur_vector_value_type(const fur_vector *vector);
/* Returns the number of entries. */
FUR_API int64_t fur_vector_size(const fur_vector *vector);

/* Returns the entries, in the memory of the context's device.
 *
 * The caller may read and write them in place. They are valid as long as the vector. NULL if the
 * size is 0. */
FUR_API void *fur_vector_data(fur_vector *vector);
/* Returns the entries as fur_vector_data does, to read only. */
FUR_API const void *fur_vector_const_data(const fur_vector *vector);

/* Copies the caller's array into a vector.
 *
 * - entries: fur_vector_size(x) entries. In a CUDA context they may lie on the host or on the
 *   device. A copy from the device is in the order of the context's work. Pinned memory
 *   (cudaMallocHost) is copied at the full rate of the bus. */
FUR_API fur_status fur_vector_upload(const void *entries, fur_vector *x);
/* Copies a vector's entries into the caller's array.
 *
 * - entries: room for fur_vector_size(x) entries, on the host or the device, as in
 *   fur_vector_upload. */
FUR_API fur_status fur_vector_download(const fur_vector *x, void *entries);

/* Computes x_i = value. */
FUR_API fur_status fur_vector_fill(fur_vector *x, fur_scalar value);

/* Computes y_i = x_i. The value types and sizes are the same.
 *
 * x and y may overlap. They may belong to different contexts: this moves a vector between devices.
 */
FUR_API fur_status fur_vector_copy(const fur_vector *x, fur_vector *y);

/* Makes a vector with x's entries in another value type, rounded to nearest.
 *
 * A real entry becomes a complex entry with imaginary part 0. In a CUDA context the host converts
 * the entries. The caller destroys *out.
 *
 * Errors: FUR_INVALID if a complex entry would lose an imaginary part that is not 0. */
FUR_API fur_status fur_vector_convert(const fur_vector *x, fur_value_type value, fur_vector **out);

/* Computes y_i = alpha x_i + beta y_i, as fma(alpha, x_i, beta y_i).
 *
 * beta = 0 overwrites y: NaN in y does not survive. beta = 1 adds y without rounding.
 * docs/numerics.md has the order of the real products of complex entries. */
FUR_API fur_status fur_axpby(fur_scalar alpha, const fur_vector *x, fur_scalar beta, fur_vector *y);

/* Computes x_i = alpha x_i, each product rounded once.
 *
 * It is fur_axpby of x with itself and beta = 0. alpha = 0 keeps NaN and turns infinity into NaN.
 */
FUR_API fur_status fur_vector_scale(fur_vector *x, fur_scalar alpha);

/* Computes z_i = x_i y_i. z may be x or y. */
FUR_API fur_status fur_multiply_elementwise(const fur_vector *x, const fur_vector *y,
                                            fur_vector *z);

/* Reductions: dot products and norms.
 *
 * All of them follow the summation tree of docs/numerics.md, in double precision also for f32 and
 * c64. The result has the same bits for any number of threads, instruction set, compiler and
 * optimisation level. Results for f32 and c64 are not rounded to single precision. Each call reads
 * its vectors once and waits for its result. fur_norm2 reads them twice more if squares overflow or
 * underflow. The functions of furrow/author/scalars.h leave the result on the device. Empty vectors
 * give 0. */

/* Stores sum_i conj(x_i) y_i in *out. */
FUR_API fur_status fur_dot(const fur_vector *x, const fur_vector *y, fur_scalar *out);

/* Stores sum_i |x_i| in *out.
 *
 * |x_i| is the modulus of a complex entry, not |re| + |im|. */
FUR_API fur_status fur_norm1(const fur_vector *x, double *out);

/* Stores sqrt(sum_i |x_i|^2) in *out.
 *
 * It does not overflow or underflow if the result is representable. */
FUR_API fur_status fur_norm2(const fur_vector *x, double *out);

/* Stores max_i |x_i| in *out; NaN if an entry is NaN. */
FUR_API fur_status fur_norm_max(const fur_vector *x, double *out);

/* Norms of matrices (furrow/algebra.h) and of columns (fur_vectors_norms). */
typedef enum fur_norm {
    FUR_NORM_1 = 0,    /* sum of moduli; of a matrix: the largest sum in a column */
    FUR_NORM_2,        /* Euclidean norm; of vectors only */
    FUR_NORM_INF,      /* largest sum of moduli in a row; of matrices only */
    FUR_NORM_MAX,      /* largest modulus of an entry */
    FUR_NORM_FROBENIUS /* root of the sum of squared moduli; of matrices only */
} fur_norm;

/* Blocks of vectors: n x k entries of one value type, k vectors of n entries each.
 *
 * They serve methods that work on several right-hand sides, eigenvectors or features at once.
 * Vector j of a block is its column j. The layout says which entries are neighbours in memory:
 *
 *     FUR_LAYOUT_ROWS      entry (i, j) at data[i stride + j]: row-major, as in NumPy and C
 *     FUR_LAYOUT_COLUMNS   entry (i, j) at data[i + j stride]: column-major, as in Fortran and BLAS
 *
 * Every operation accepts both layouts, and blocks of both in one call. From two columns on,
 * products with a sparse matrix are fastest in row-major order (furrow/spmm.h). In column-major
 * order a column is a fur_vector in place.
 *
 * A view is a block, or a vector, in the memory of another block: some of its rows or columns. A
 * write to a view changes the block. A view keeps nothing alive: destroy it, or use it no longer,
 * when the block is destroyed.
 *
 * Blocks in one call must have the same context, value type and shape, unless the header says
 * otherwise. Otherwise the call returns FUR_INVALID. A result may be an operand. If it shares some
 * bytes with another block, the call returns FUR_INVALID. Ranges of columns of one row-major block
 * share no byte. */

/* A block of vectors. Use it in one thread at a time, as its context.
 *
 * It owns its entries, unless it borrows them. */
typedef struct fur_vectors fur_vectors;

/* Order of a block's entries in memory. */
typedef enum fur_layout {
    FUR_LAYOUT_ROWS = 0, /* rows one after the other, "C order" */
    FUR_LAYOUT_COLUMNS   /* columns one after the other, "Fortran order" */
} fur_layout;

/* The plain array of a block. */
typedef struct fur_vectors_view {
    size_t size;               /* sizeof(fur_vectors_view) */
    int64_t rows;              /* entries of each vector */
    int64_t cols;              /* number of vectors */
    fur_value_type value_type; /* type of the entries */
    fur_layout layout;         /* order of the entries */
    /* Leading dimension: entries from the begin of one row (FUR_LAYOUT_ROWS) or column
     * (FUR_LAYOUT_COLUMNS) to the begin of the next. At least cols (rows). 0: no gaps. Entries in
     * gaps are neither read nor written. */
    int64_t stride;
    void *data; /* the entries */
} fur_vectors_view;

/* Makes a block of zeros without gaps. The caller destroys *out.
 *
 * Errors: FUR_INVALID if rows or cols is negative, or if the layout or value type is unknown.
 * FUR_OVERFLOW if no memory can have that size. */
FUR_API fur_status fur_vectors_create(fur_context *context, fur_value_type value, int64_t rows,
                                      int64_t cols, fur_layout layout, fur_vectors **out);

/* Makes a block from the caller's array, which is copied, borrowed or adopted.
 *
 * - array: shape, layout and entries. A copy has no gaps. Operations write their results to
 *   borrowed data in place. In a CUDA context data of the host or the device can be copied. Only
 *   device memory can be borrowed. Adopted host memory is moved to the device.
 * - out: the block; the caller destroys it.
 *
 * Errors: as fur_vectors_create. FUR_INVALID if the stride is too small, or if `data` is NULL and
 * there are entries. */
FUR_API fur_status fur_vectors_wrap(fur_context *context, const fur_vectors_view *array,
                                    fur_ownership ownership, fur_vectors **out);

/* Destroys a block or a view; NULL does nothing.
 *
 * The memory of a view belongs to the block, which keeps it. */
FUR_API void fur_vectors_destroy(fur_vectors *x);

/* Returns shape, type, layout, stride and entries of a block.
 *
 * The entries are in the memory of the context's device. The result is valid as long as the block.
 * The stride is never 0 unless rows or cols is 0. For NULL all members are 0. */
FUR_API const fur_vectors_view *fur_vectors_get(const fur_vectors *x);

/* Makes a view of columns first .. first + count - 1. The caller destroys *out.
 *
 * Errors: FUR_INVALID if x does not have these columns. */
FUR_API fur_status fur_vectors_columns(fur_vectors *x, int64_t first, int64_t count,
                                       fur_vectors **out);
/* Makes a view of rows first .. first + count - 1. The caller destroys *out.
 *
 * Errors: FUR_INVALID if x does not have these rows. */
FUR_API fur_status fur_vectors_rows(fur_vectors *x, int64_t first, int64_t count,
                                    fur_vectors **out);
/* Makes a view of column j as a vector. The caller destroys *out.
 *
 * The entries of the column must be neighbours in memory: in row-major order only if rows are one
 * entry apart. Copy another column by fur_vectors_columns, fur_vectors_from_vector and
 * fur_vectors_copy.
 *
 * Errors: FUR_INVALID if x does not have this column, or if its entries are not neighbours. */
FUR_API fur_status fur_vectors_column(fur_vectors *x, int64_t j, fur_vector **out);
/* Makes a view of a vector as a block of one column. The caller destroys *out. */
FUR_API fur_status fur_vectors_from_vector(fur_vector *x, fur_vectors **out);

/* Copies the caller's array into a block.
 *
 * - entries: rows x cols entries in x's layout, without gaps. In a CUDA context they may lie on the
 *   host or on the device. */
FUR_API fur_status fur_vectors_upload(const void *entries, fur_vectors *x);
/* Copies a block's entries into the caller's array.
 *
 * - entries: room for rows x cols entries, in x's layout, without gaps. */
FUR_API fur_status fur_vectors_download(const fur_vectors *x, void *entries);

/* Computes X(i, j) = value. */
FUR_API fur_status fur_vectors_fill(fur_vectors *x, fur_scalar value);

/* Computes Y = X. The value types and shapes are the same.
 *
 * Layouts and strides may differ: this changes the layout of a block. Contexts may differ: this
 * moves a block between devices. */
FUR_API fur_status fur_vectors_copy(const fur_vectors *x, fur_vectors *y);

/* Computes Y = alpha X + beta Y, each entry as by fur_axpby.
 *
 * Layouts may differ. */
FUR_API fur_status fur_vectors_axpby(fur_scalar alpha, const fur_vectors *x, fur_scalar beta,
                                     fur_vectors *y);

/* Largest number of rows or columns of C in fur_vectors_multiply. */
#define FUR_SMALL_MAX 256

/* Computes Y = alpha X C + beta Y for a small matrix C of k x m.
 *
 * - x: a block of k columns.
 * - c: k m entries on the host, C(l, j) = c[l m + j], rounded to the value type.
 * - y: a block of m columns, with as many rows as X. Y may be X if k = m. This rotates a basis in
 *   place. beta = 0 overwrites Y.
 *
 * Column j of X C has the bits of fur_axpy_many on zeros with C(l, j) and the columns of X, in the
 * order of l. It is added to column j of Y as by fur_axpby. The call allocates k m entries
 * meanwhile.
 *
 * Errors: FUR_UNSUPPORTED if k or m is above FUR_SMALL_MAX. */
FUR_API fur_status fur_vectors_multiply(fur_scalar alpha, const fur_vectors *x, const fur_scalar *c,
                                        fur_scalar beta, fur_vectors *y);

/* Stores the Gram matrix X^H Y: out[i m + j] = sum_l conj(X(l, i)) Y(l, j).
 *
 * X has k columns and Y has m columns, with the same number of rows; `out` has room for k m
 * entries. X and Y may overlap or be the same. Each entry has the bits of fur_dot of the two
 * columns. The call waits for the result. A block in rows is copied into columns meanwhile. */
FUR_API fur_status fur_vectors_gram(const fur_vectors *x, const fur_vectors *y, fur_scalar *out);

/* Stores the norm of column j in out[j].
 *
 * - norm: FUR_NORM_1, FUR_NORM_2 or FUR_NORM_MAX. The results have the bits of fur_norm1, fur_norm2
 *   and fur_norm_max.
 * - out: room for one number a column.
 *
 * The call waits for the result. A block in rows is copied into columns meanwhile.
 *
 * Errors: FUR_UNSUPPORTED if `norm` has another value. */
FUR_API fur_status fur_vectors_norms(const fur_vectors *x, fur_norm norm, double *out);

#ifdef __cplusplus
}
#endif
#endif
