/* Matrix Market files through the C interface of NIST's mmio (Boisvert, Pozo, Remington 1996). The
 * names, numbers and calls are the same, so that programs written for mmio build unchanged. It is a
 * separate library and needs only the C library.
 *
 * A type code has four characters: M; C(oordinate) or A(rray); R(eal), C(omplex), P(attern) or
 * I(nteger); G(eneral), S(ymmetric), H(ermitian) or K (skew-symmetric).
 *
 * Functions that return int return 0 or one of the MM_ codes below. Differences from the original:
 *  - Lines and words may have any length. Comments and blank lines may be anywhere.
 *  - Every entry takes one line. Unreadable text, a missing value and text after an entry give
 *    MM_NOT_MTX. Numbers are read independently of the locale and rounded to nearest.
 *  - Indices outside the matrix give MM_NOT_MTX. If the size is unknown, they must be from 1 to
 *    INT_MAX.
 *  - Sizes and counts above INT_MAX give MM_UNSUPPORTED_TYPE, and negative ones MM_NOT_MTX.
 *  - Values of integer matrices are read into the double arrays. Inf and nan are accepted.
 *  - Memory grows with the entries that are read, not with the number in the size line. If an
 *    allocation fails, the result is MM_COULD_NOT_READ_FILE.
 *  - Numbers are written with the fewest digits that read back to the same bits.
 *  - Results are only set on success. Opened files are closed on failure too. */
#ifndef MM_IO_H
#define MM_IO_H

#include <stdio.h>

#if defined(__GNUC__)
#    define MM_API __attribute__((visibility("default")))
#else
#    define MM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MatrixMarketBanner "%%MatrixMarket"

/* Sizes of the original's buffers, for programs with buffers of these sizes. */
#define MM_MAX_LINE_LENGTH 1025
#define MM_MAX_TOKEN_LENGTH 64

#define MM_COULD_NOT_READ_FILE 11
#define MM_PREMATURE_EOF 12 /* the file or the banner ends too early */
#define MM_NOT_MTX 13       /* the text violates the format */
#define MM_NO_HEADER 14     /* the file does not begin with the banner */
#define MM_UNSUPPORTED_TYPE 15
#define MM_LINE_TOO_LONG 16 /* never returned */
#define MM_COULD_NOT_WRITE_FILE 17

typedef char MM_typecode[4];

#define mm_is_matrix(typecode) ((typecode)[0] == 'M')
#define mm_is_sparse(typecode) ((typecode)[1] == 'C')
#define mm_is_coordinate(typecode) ((typecode)[1] == 'C')
#define mm_is_dense(typecode) ((typecode)[1] == 'A')
#define mm_is_array(typecode) ((typecode)[1] == 'A')
#define mm_is_complex(typecode) ((typecode)[2] == 'C')
#define mm_is_real(typecode) ((typecode)[2] == 'R')
#define mm_is_pattern(typecode) ((typecode)[2] == 'P')
#define mm_is_integer(typecode) ((typecode)[2] == 'I')
#define mm_is_symmetric(typecode) ((typecode)[3] == 'S')
#define mm_is_general(typecode) ((typecode)[3] == 'G')
#define mm_is_skew(typecode) ((typecode)[3] == 'K')
#define mm_is_hermitian(typecode) ((typecode)[3] == 'H')

/* The argument is a pointer to the type code. */
#define mm_set_matrix(typecode) ((*(typecode))[0] = 'M')
#define mm_set_coordinate(typecode) ((*(typecode))[1] = 'C')
#define mm_set_array(typecode) ((*(typecode))[1] = 'A')
#define mm_set_dense(typecode) mm_set_array(typecode)
#define mm_set_sparse(typecode) mm_set_coordinate(typecode)
#define mm_set_complex(typecode) ((*(typecode))[2] = 'C')
#define mm_set_real(typecode) ((*(typecode))[2] = 'R')
#define mm_set_pattern(typecode) ((*(typecode))[2] = 'P')
#define mm_set_integer(typecode) ((*(typecode))[2] = 'I')
#define mm_set_symmetric(typecode) ((*(typecode))[3] = 'S')
#define mm_set_general(typecode) ((*(typecode))[3] = 'G')
#define mm_set_skew(typecode) ((*(typecode))[3] = 'K')
#define mm_set_hermitian(typecode) ((*(typecode))[3] = 'H')

/* Sets nothing but "general". */
#define mm_clear_typecode(typecode)                                                                \
    ((*(typecode))[0] = (*(typecode))[1] = (*(typecode))[2] = ' ', (*(typecode))[3] = 'G')
#define mm_initialize_typecode(typecode) mm_clear_typecode(typecode)

/* The words of the banner. */
#define MM_MTX_STR "matrix"
#define MM_ARRAY_STR "array"
#define MM_DENSE_STR "array"
#define MM_COORDINATE_STR "coordinate"
#define MM_SPARSE_STR "coordinate"
#define MM_COMPLEX_STR "complex"
#define MM_REAL_STR "real"
#define MM_INT_STR "integer"
#define MM_GENERAL_STR "general"
#define MM_SYMM_STR "symmetric"
#define MM_HERM_STR "hermitian"
#define MM_SKEW_STR "skew-symmetric"
#define MM_PATTERN_STR "pattern"

/* Returns 1 if such a matrix can exist. Excluded are dense patterns, real, integer or pattern
 * Hermitian matrices, and skew-symmetric patterns. */
MM_API int mm_is_valid(MM_typecode matcode);

/* Returns the four words of the banner, separated by blanks, in memory that the caller frees.
 * Returns NULL if the code is invalid or memory is exhausted. */
MM_API char *mm_typecode_to_str(MM_typecode matcode);

/* Returns a copy of a string, which the caller frees, or NULL if memory is exhausted. */
MM_API char *mm_strdup(const char *s);

/* Reads the first line. "double" means real, and "unsigned-integer" means integer. Returns
 * MM_NO_HEADER, MM_PREMATURE_EOF if words are missing, or MM_UNSUPPORTED_TYPE for unknown words. */
MM_API int mm_read_banner(FILE *f, MM_typecode *matcode);

/* Read comments and the size line: rows, columns and, for a coordinate file, entries. Afterwards,
 * the next character of the file is the first of the following line. */
MM_API int mm_read_mtx_crd_size(FILE *f, int *M, int *N, int *nz);
MM_API int mm_read_mtx_array_size(FILE *f, int *M, int *N);

/* Read nz entries, or one entry, with the 1-based indices of the file. A complex value is two
 * doubles, and a pattern has no values. Symmetric files are not expanded. */
MM_API int mm_read_mtx_crd_data(FILE *f, int M, int N, int nz, int row[], int col[], double val[],
                                MM_typecode matcode);
MM_API int mm_read_mtx_crd_entry(FILE *f, int *row, int *col, double *real, double *img,
                                 MM_typecode matcode);

/* Reads a coordinate file into arrays, which the caller frees. *val is NULL for a pattern. Indices
 * are 1-based. The name "stdin" means standard input. A file must not have more entries than its
 * size line says. */
MM_API int mm_read_mtx_crd(char *fname, int *M, int *N, int *nz, int **row, int **col, double **val,
                           MM_typecode *matcode);

/* Reads a real or integer coordinate file into arrays, which the caller frees. Here, indices are
 * 0-based. Returns -1 on any failure. */
MM_API int mm_read_unsymmetric_sparse(const char *fname, int *M, int *N, int *nz, double **val,
                                      int **row, int **col);

/* Write the first line, and the size line. */
MM_API int mm_write_banner(FILE *f, MM_typecode matcode);
MM_API int mm_write_mtx_crd_size(FILE *f, int M, int N, int nz);
MM_API int mm_write_mtx_array_size(FILE *f, int M, int N);

/* Writes a coordinate file with 1-based indices. The name "stdout" means standard output. Returns
 * MM_UNSUPPORTED_TYPE if the code is not a coordinate matrix, or if an integer matrix has a value
 * that is not an integer. In this case nothing is written. */
MM_API int mm_write_mtx_crd(char fname[], int M, int N, int nz, int row[], int col[], double val[],
                            MM_typecode matcode);

#ifdef __cplusplus
}
#endif
#endif
