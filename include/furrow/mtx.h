/* Matrix Market files (Boisvert, Pozo, Remington 1996): reading into matrices and vectors, writing.
 *
 * Read: coordinate and array; real, integer, complex, pattern; general, symmetric, skew-symmetric,
 * hermitian. Numbers are rounded to nearest, whatever the locale. Comments, blank lines, CRLF,
 * leading blanks and tabs are accepted; so is "vector" for the object. A failure's sentence carries
 * path:line:column, what was found and what was expected. No header makes the reader allocate more
 * than the file could hold: rows and columns together may be 2^22 in any file, or 8 for each of its
 * bytes where that is more, and entries what the rest of the file has room for. Of a symmetric file
 * either triangle may be stored, even mixed, but not both entries of a pair.
 *
 * Written: numbers with the fewest digits that read back to the same bits; into a temporary file
 * that is renamed when complete, so that a failure leaves an existing file as it was. */
#ifndef FURROW_MTX_H
#define FURROW_MTX_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fur_mtx_format { FUR_MTX_COORDINATE = 0, FUR_MTX_ARRAY } fur_mtx_format;
typedef enum fur_mtx_field {
    FUR_MTX_REAL = 0,
    FUR_MTX_INTEGER,
    FUR_MTX_COMPLEX,
    FUR_MTX_PATTERN
} fur_mtx_field;
typedef enum fur_mtx_symmetry {
    FUR_MTX_GENERAL = 0,
    FUR_MTX_SYMMETRIC,
    FUR_MTX_SKEW_SYMMETRIC,
    FUR_MTX_HERMITIAN
} fur_mtx_symmetry;

/* The words of the banner: "coordinate", "real", "skew-symmetric", ... */
FUR_API const char *fur_mtx_format_name(fur_mtx_format format);
FUR_API const char *fur_mtx_field_name(fur_mtx_field field);
FUR_API const char *fur_mtx_symmetry_name(fur_mtx_symmetry symmetry);

/* What a file says about itself. */
typedef struct fur_mtx_header {
    fur_mtx_format format;
    fur_mtx_field field;
    fur_mtx_symmetry symmetry;
    int64_t rows;
    int64_t cols;
    int64_t entries_in_file; /* coordinate: the size line's count; array: the numbers stored */
} fur_mtx_header;

typedef struct fur_mtx_read_options {
    size_t size; /* sizeof(fur_mtx_read_options) */
    /* 1: the value type below; 0: c128 for complex files, f64 for all others. */
    int convert;
    fur_value value;           /* complex files refuse real types */
    int keep_triangle;         /* 1: keep a symmetric file's lower triangle; 0: expand it */
    fur_duplicates duplicates; /* entries at the same position */
    fur_mtx_header *header;    /* NULL or filled on success */
} fur_mtx_read_options;

/* Reads banner and size line only. */
FUR_API fur_status fur_mtx_read_header(fur_context *context, const char *path, fur_mtx_header *out);

/* Reads a coordinate or array file into a matrix. Pattern entries get the value 1. Of an array file
 * every number is kept as an entry. */
FUR_API fur_status fur_mtx_read_csr(fur_context *context, const char *path,
                                    const fur_mtx_read_options *options, fur_csr **out);

/* Reads a file of one column (or one row), array or coordinate, into a dense vector. */
FUR_API fur_status fur_mtx_read_vector(fur_context *context, const char *path,
                                       const fur_mtx_read_options *options, fur_vector **out);

typedef struct fur_mtx_write_options {
    size_t size; /* sizeof(fur_mtx_write_options) */
    /* Not general: only the lower triangle is written (for skew-symmetric without the diagonal);
     * FUR_INVALID, naming an entry, if the matrix does not have that symmetry. */
    fur_mtx_symmetry symmetry;
    int pattern;         /* 1: positions only */
    const char *comment; /* lines to put below the banner, without %; NULL: none */
} fur_mtx_write_options;

/* Writes a coordinate file, real or complex by the value type. A path that names a pipe or device
 * is written to in place. */
FUR_API fur_status fur_mtx_write_csr(const fur_csr *a, const char *path,
                                     const fur_mtx_write_options *options);

/* Writes an array file of one column. Only options->comment is used. */
FUR_API fur_status fur_mtx_write_vector(const fur_vector *x, const char *path,
                                        const fur_mtx_write_options *options);

#ifdef __cplusplus
}
#endif
#endif
