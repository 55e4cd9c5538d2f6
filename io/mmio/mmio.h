/* Matrix Market files through the C interface that NIST's mmio made common (Boisvert, Pozo,
 * Remington 1996): the same names, numbers and calls, so that programs written for it build
 * unchanged. It is a library of its own and needs the C library only.
 *
 * A type code is four characters: M; C(oordinate) or A(rray); R(eal), C(omplex), P(attern) or
 * I(nteger); G(eneral), S(ymmetric), H(ermitian) or K (skew-symmetric).
 *
 * Functions that return int return 0 or one of the MM_ codes below. Differences from the original:
 *  - lines and words may have any length; comments and blank lines may stand anywhere;
 *  - every entry takes one line; what does not parse, a missing value and text behind an entry are
 *    MM_NOT_MTX. Numbers are read whatever the locale and rounded to nearest;
 *  - indices outside the matrix are MM_NOT_MTX. Where the size is not known, they only have to be
 *    from 1 to INT_MAX;
 *  - sizes and counts above INT_MAX are MM_UNSUPPORTED_TYPE, negative ones MM_NOT_MTX;
 *  - values of integer matrices are read into the double arrays, and so is inf and nan;
 *  - memory is asked for as entries are read, not by what the size line promises; if there is none,
 *    MM_COULD_NOT_READ_FILE;
 *  - numbers are written with the fewest digits that read back to the same bits;
 *  - results are only set on success, and files that were opened are closed on failure too. */
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

/* Sizes of the original's buffers, for programs that have their own. */
#define MM_MAX_LINE_LENGTH 1025
#define MM_MAX_TOKEN_LENGTH 64

#define MM_COULD_NOT_READ_FILE 11
#define MM_PREMATURE_EOF 12 /* the file, or the banner, ends too early */
#define MM_NOT_MTX 13       /* what was found breaks the format */
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

/* These take a pointer to the type code. */
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

/* Nothing is set but general. */
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

/* 1 if there can be such a matrix: no dense pattern, no real, integer or pattern hermitian matrix,
 * no skew-symmetric pattern. */
MM_API int mm_is_valid(MM_typecode matcode);

/* The four words of the banner, separated by blanks, in memory that the caller frees; NULL if the
 * code is none or there is no memory. */
MM_API char *mm_typecode_to_str(MM_typecode matcode);

/* A copy of a string that the caller frees, NULL without memory. */
MM_API char *mm_strdup(const char *s);

/* Reads the first line. MM_NO_HEADER, MM_PREMATURE_EOF if words are missing, MM_UNSUPPORTED_TYPE
 * for words it does not know. "double" is real, "unsigned-integer" is integer. */
MM_API int mm_read_banner(FILE *f, MM_typecode *matcode);

/* Read comments and the size line: rows, columns and, for a coordinate file, entries. The next
 * character to be read is then the first below it. */
MM_API int mm_read_mtx_crd_size(FILE *f, int *M, int *N, int *nz);
MM_API int mm_read_mtx_array_size(FILE *f, int *M, int *N);

/* Read nz entries, or one, with the indices of the file: they count from 1. Complex values are two
 * doubles each, a pattern has none. Symmetric files are not expanded. */
MM_API int mm_read_mtx_crd_data(FILE *f, int M, int N, int nz, int row[], int col[], double val[],
                                MM_typecode matcode);
MM_API int mm_read_mtx_crd_entry(FILE *f, int *row, int *col, double *real, double *img,
                                 MM_typecode matcode);

/* Reads a coordinate file into arrays that the caller frees; *val is NULL for a pattern. Indices
 * count from 1. The name "stdin" means standard input. A file must not have more entries than
 * its size line says. */
MM_API int mm_read_mtx_crd(char *fname, int *M, int *N, int *nz, int **row, int **col, double **val,
                           MM_typecode *matcode);

/* Reads a real or integer coordinate file into arrays that the caller frees. Here indices count
 * from 0. Any failure is -1. */
MM_API int mm_read_unsymmetric_sparse(const char *fname, int *M, int *N, int *nz, double **val,
                                      int **row, int **col);

/* Write the first line, and the size line. */
MM_API int mm_write_banner(FILE *f, MM_typecode matcode);
MM_API int mm_write_mtx_crd_size(FILE *f, int M, int N, int nz);
MM_API int mm_write_mtx_array_size(FILE *f, int M, int N);

/* Writes a coordinate file; indices count from 1. The name "stdout" means standard output.
 * MM_UNSUPPORTED_TYPE, before anything is written, if the code is not that of a coordinate matrix
 * or if an integer matrix has a value that is not an integer. */
MM_API int mm_write_mtx_crd(char fname[], int M, int N, int nz, int row[], int col[], double val[],
                            MM_typecode matcode);

#ifdef __cplusplus
}
#endif
#endif
