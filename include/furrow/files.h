/* Matrix Market files (Boisvert, Pozo, Remington 1996) and binary files of matrices and vectors.
 *
 *     fur_mtx_read_csr(context, "a.mtx", NULL, &a);
 *     fur_mtx_write_csr(a, "b.mtx.gz", NULL);
 *     fur_binary_write_csr(a, "a.fur", NULL);
 *
 * Read: coordinate and array; real, integer, complex, pattern; general, symmetric, skew-symmetric,
 * hermitian. Numbers are rounded to nearest, in any locale. Comments, blank lines, CRLF, leading
 * blanks and tabs are accepted, and so is "vector" for the object. Compressed files and archives
 * are unpacked. A symmetric file may store either triangle, or a mixture, but not both entries of a
 * pair. If reading fails, the sentence has path:line:column, the text that was found and the text
 * that was expected. A false header cannot make the reader allocate much: memory stays in
 * proportion to the file (fur_read_limits).
 *
 * Errors of every function that reads: FUR_IO_ERROR if the system cannot read the file.
 * FUR_MALFORMED if the content breaks the format. FUR_OVERFLOW or FUR_CANCELLED beyond a limit of
 * fur_read_limits.
 *
 * Written: numbers have the fewest digits that read back to the same bits. If writing fails, an
 * existing file is unchanged (furrow/author/files.h). A name that ends in .gz or .zst makes a
 * compressed file. */
#ifndef FURROW_FILES_H
#define FURROW_FILES_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Format of a Matrix Market file. */
typedef enum fur_mtx_format { FUR_MTX_COORDINATE = 0, FUR_MTX_ARRAY } fur_mtx_format;
/* Type of the numbers in a Matrix Market file. */
typedef enum fur_mtx_field {
    FUR_MTX_REAL = 0, /* floating-point numbers */
    FUR_MTX_INTEGER,  /* whole numbers */
    FUR_MTX_COMPLEX,  /* pairs of floating-point numbers */
    FUR_MTX_PATTERN   /* positions without values */
} fur_mtx_field;
/* Symmetry of the matrix in a Matrix Market file. */
typedef enum fur_mtx_symmetry {
    FUR_MTX_GENERAL = 0,    /* all entries are stored */
    FUR_MTX_SYMMETRIC,      /* A = A^T */
    FUR_MTX_SKEW_SYMMETRIC, /* A = -A^T */
    FUR_MTX_HERMITIAN       /* A = A^H */
} fur_mtx_symmetry;

/* Header of a file. */
typedef struct fur_mtx_header {
    size_t size;               /* sizeof(fur_mtx_header) */
    fur_mtx_format format;     /* coordinate or array */
    fur_mtx_field field;       /* type of the numbers */
    fur_mtx_symmetry symmetry; /* symmetry of the matrix */
    int64_t rows;              /* rows of the matrix or vector */
    int64_t cols;              /* columns; 1 for a vector */
    int64_t entries_in_file; /* coordinate: the count in the size line; array: the numbers stored */
    char graphblas_type[24]; /* the type in a line "%%GraphBLAS type ...", otherwise "" */
} fur_mtx_header;

/* How a reader treats a symmetric file that stores both entries of a pair, (i, j) and (j, i). */
typedef enum fur_mtx_mirrored {
    FUR_MTX_MIRRORED_ERROR = 0, /* FUR_MALFORMED: adding the two would double the entry */
    FUR_MTX_MIRRORED_LOWER      /* uses the entry below the diagonal */
} fur_mtx_mirrored;

/* Limits on the cost of reading, for files of unknown origin.
 *
 * In every member 0 means the default, and FUR_NO_LIMIT means no limit. A file beyond a limit is
 * FUR_OVERFLOW; a file that takes too long is FUR_CANCELLED. The sentence names the limit. By
 * default the cost is in proportion to the bytes of the file as stored, even if it is compressed.
 * Otherwise a few bytes could ask for all memory. The shape has a limit because a program usually
 * allocates vectors of that length. */
typedef struct fur_read_limits {
    /* Rows plus columns. Default: the largest of 2^22, 8 for each byte of the file, and 2 for each
     * entry. */
    int64_t shape;
    int64_t entries; /* entries in the file. Default: the number that the file has room for */
    /* Bytes after decompression. All members of an archive count, even if it is not compressed.
     * Default: the larger of 2^28 and 128 for each byte of the file; for a pipe, the bytes read so
     * far count. */
    int64_t unpacked;
    double seconds; /* duration of the reading, in seconds. Default: no limit */
} fur_read_limits;
/* Value of a limit that means no limit. */
#define FUR_NO_LIMIT INT64_MAX

/* Value type of the matrix or vector that is read. */
typedef enum fur_mtx_convert {
    FUR_MTX_AS_STORED = 0, /* c128 for complex files, f64 for all others */
    FUR_MTX_AS_F32,        /* rounded to FUR_F32 */
    FUR_MTX_AS_F64,        /* rounded to FUR_F64 */
    FUR_MTX_AS_C64,        /* rounded to FUR_C64 */
    FUR_MTX_AS_C128        /* rounded to FUR_C128 */
} fur_mtx_convert;

/* Returns the fur_mtx_convert for a value type. */
static inline fur_mtx_convert fur_mtx_as(fur_value_type value)
{
    return (fur_mtx_convert)((int)value + FUR_MTX_AS_F32);
}

/* Options of fur_mtx_read_csr and fur_mtx_read_vector.
 *
 * Every member is checked: FUR_INVALID if a value is not listed below; the sentence names the
 * member. */
typedef struct fur_mtx_read_options {
    size_t size;               /* sizeof(fur_mtx_read_options) */
    fur_mtx_convert convert;   /* value type of the result; complex files refuse real types */
    int keep_triangle;         /* 1: keeps the lower triangle of a symmetric file; 0: expands it */
    fur_duplicates duplicates; /* what to do with several entries at one position */
    fur_mtx_header *header;    /* NULL, or filled if the call succeeds */
    /* Which file of an archive name.tar.gz to read: NULL for name.mtx, "b" for name_b.mtx.
     * FUR_IO_ERROR if the archive has no such file. */
    const char *member;
    fur_mtx_mirrored mirrored; /* what to do with both entries of a symmetric pair */
    int drop_zeros;            /* 1: drops entries that are zero; 0: keeps them */
    int allow_trailing;        /* 1: skips text after an entry, with a warning; 0: FUR_MALFORMED */
    int refuse_nonfinite;      /* 1: NaN and infinity are FUR_MALFORMED */
    int refuse_range; /* 1: a number too large or too small for the value type is FUR_MALFORMED; 0:
                         it becomes infinity, with a warning, or zero */
    int refuse_dialects; /* 1: "%MatrixMarket", "%% MatrixMarket" and a banner after blanks are
                            FUR_MALFORMED; 0: reads them, with a warning */
    /* Called after the file was read, once for each kind of suspicious content: valid, but perhaps
     * a mistake of its author. The sentence names the first place. NULL: no warnings. */
    void (*warn)(void *user, const char *sentence);
    /* Called from time to time by the calling thread, with the bytes read so far and the size of
     * the file, or -1 if the size is unknown. It is also called while other members of an archive
     * are skipped. If it returns non-zero, reading stops: FUR_CANCELLED. NULL: none. */
    int (*progress)(void *user, int64_t done, int64_t total);
    void *user;             /* passed to `warn` and `progress` */
    fur_read_limits limits; /* limits on the cost of reading */
} fur_mtx_read_options;

/* Reads the banner and the size line of a file.
 *
 * The default limits hold, but any shape and any number of entries is accepted. */
FUR_API fur_status fur_mtx_read_header(fur_context *context, const char *path, fur_mtx_header *out);

/* Reads a coordinate or array file into a matrix. The caller destroys *out.
 *
 * - path: name of the file; compressed files and archives are unpacked.
 * - options: NULL means all defaults.
 *
 * Entries of a pattern get the value 1. Every number of an array file becomes an entry. */
FUR_API fur_status fur_mtx_read_csr(fur_context *context, const char *path,
                                    const fur_mtx_read_options *options, fur_csr **out);

/* Reads a file of one column or one row into a dense vector. The caller destroys *out.
 *
 * The file may be an array or coordinate file. The options are as for fur_mtx_read_csr. */
FUR_API fur_status fur_mtx_read_vector(fur_context *context, const char *path,
                                       const fur_mtx_read_options *options, fur_vector **out);

/* Options of fur_mtx_write_csr, fur_mtx_write_vector and fur_mtx_write_vectors. */
typedef struct fur_mtx_write_options {
    size_t size; /* sizeof(fur_mtx_write_options) */
    /* Symmetry in the banner. If it is not general, only the lower triangle is written, with its
     * zeros. FUR_INVALID, naming an entry, if the matrix does not have that symmetry. Default
     * general. */
    fur_mtx_symmetry symmetry;
    int pattern;         /* 1: writes positions only. Default 0 */
    const char *comment; /* lines to write below the banner, without %; NULL: none */
    /* 1: writes the field integer; zeros lose their sign. FUR_INVALID, naming an entry, if a value
     * is not an integer of 64 bits, or if the values are complex. Default 0 */
    int integer;
    /* 1: waits until the data is on the disk before the file gets its name. After a crash of the
     * system during the call, the name has the complete old file or the complete new file. After
     * the call it has the new file. 0: a failure of this call or of the program leaves the old
     * file, but a crash of the system loses data that is not yet on the disk. Default 0 */
    int sync;
} fur_mtx_write_options;

/* Writes a matrix to a coordinate file, real or complex by the value type.
 *
 * - path: a path that ends in .gz or .zst is compressed by gzip or zstd, as a sequence of members
 *   or frames. Every program that knows the format reads them as one text. A pipe or device is
 *   written in place. "-" is standard output.
 * - options: NULL means all defaults.
 *
 * The threads of the context share the work; no byte of the file depends on their number.
 *
 * Errors: FUR_IO_ERROR, with the system's reason, if the file cannot be written. FUR_UNSUPPORTED if
 * the library was built without the compression. FUR_INVALID if the matrix does not suit the
 * options. */
FUR_API fur_status fur_mtx_write_csr(const fur_csr *a, const char *path,
                                     const fur_mtx_write_options *options);

/* Writes a vector to an array file of one column.
 *
 * Path and errors are as for fur_mtx_write_csr. Only options->comment and sync are used. */
FUR_API fur_status fur_mtx_write_vector(const fur_vector *x, const char *path,
                                        const fur_mtx_write_options *options);

/* Writes a block to an array file with one column for each vector.
 *
 * Path, options and errors are as for fur_mtx_write_vector. fur_mtx_read_csr reads such a file as a
 * matrix with all its entries. Its values are then a block in rows. The block is copied meanwhile.
 */
FUR_API fur_status fur_mtx_write_vectors(const fur_vectors *x, const char *path,
                                         const fur_mtx_write_options *options);

/* Binary files (.fur): a matrix or vector as it lies in memory.
 *
 * They are loaded at the speed of memory, without parsing text. docs/binary-format.md specifies
 * every byte.
 *
 * Read: all numbers come back to the bit. Every byte of the file is covered by a checksum (XXH3,
 * Collet 2019) or must be zero. A file that was altered, cut off or appended to is FUR_MALFORMED,
 * with the sentence "path: byte N: found ..., expected ...". Before it allocates, the reader checks
 * that the sizes in the header match the file and are within the limits of fur_read_limits. Threads
 * read and check the pieces of a file at the same time. FUR_IO_ERROR if the file is not a regular
 * file. FUR_UNSUPPORTED for a later version of the format.
 *
 * Written: if writing fails, an existing file is unchanged (furrow/author/files.h).
 *
 * The file records field and symmetry of the Matrix Market file that its content came from, so that
 * it can be converted back. Symmetric matrices are stored as whole matrices. */

/* Returns 1 if path is a regular file that begins as a .fur file, otherwise 0.
 *
 * The name does not matter. */
FUR_API int fur_binary_detect(const char *path);

/* Reads the header of a file, from its first bytes alone.
 *
 * A matrix is FUR_MTX_COORDINATE. A vector is FUR_MTX_ARRAY with one column. entries_in_file is the
 * number of entries in this file. */
FUR_API fur_status fur_binary_read_header(fur_context *context, const char *path,
                                          fur_mtx_header *out);

/* Options of fur_binary_read_csr and fur_binary_read_vector. */
typedef struct fur_binary_read_options {
    size_t size;            /* sizeof(fur_binary_read_options) */
    fur_mtx_header *header; /* NULL, or filled as by fur_binary_read_header if the call succeeds */
    /* 1: fur_binary_read_csr copies nothing. The matrix's arrays are the file, mapped into memory
     * and checked there, until the matrix is destroyed. Until then nobody may change or truncate
     * the file in place: the matrix would change with it. Truncation, or a failing disk, ends the
     * program with SIGBUS. Replacing the file by rename, as Furrow writes, and removing it do no
     * harm. Arrays that the file does not contain, such as the values of a pattern, are in memory.
     * Vectors, matrices of a GPU and files that the system cannot map are copied. 0: everything is
     * copied. Default 0 */
    int map;
    fur_read_limits limits; /* `unpacked` is ignored */
} fur_binary_read_options;

/* Reads a matrix, with the value type and offset width of the file.
 *
 * Entries of a pattern get the value 1. A vector becomes a matrix of one column that has every
 * entry. The caller destroys *out.
 *
 * Errors: FUR_MALFORMED also if fur_csr_check refuses the matrix. */
FUR_API fur_status fur_binary_read_csr(fur_context *context, const char *path,
                                       const fur_binary_read_options *options, fur_csr **out);

/* Reads a vector with the value type of the file.
 *
 * The file may also have a matrix of one column or one row. The caller destroys *out.
 *
 * Errors: FUR_INVALID if the file has another matrix. */
FUR_API fur_status fur_binary_read_vector(fur_context *context, const char *path,
                                          const fur_binary_read_options *options, fur_vector **out);

/* Options of fur_binary_write_csr and fur_binary_write_vector. */
typedef struct fur_binary_write_options {
    size_t size; /* sizeof(fur_binary_write_options) */
    /* Header of the Matrix Market file that the content came from; only field and symmetry are
     * used. A pattern is written without values. NULL: general, real or complex by the value type.
     */
    const fur_mtx_header *origin;
    int sync; /* 1: waits until the data is on the disk, as in fur_mtx_write_options */
} fur_binary_write_options;

/* Writes a matrix to a binary file.
 *
 * Errors: FUR_IO_ERROR if the file cannot be written. FUR_INVALID if the matrix does not have the
 * symmetry of options->origin, or if fur_csr_check refuses it, as it does kept duplicates. */
FUR_API fur_status fur_binary_write_csr(const fur_csr *a, const char *path,
                                        const fur_binary_write_options *options);

/* Writes a vector to a binary file.
 *
 * Errors: FUR_IO_ERROR if the file cannot be written. FUR_INVALID if options->origin is a pattern
 * or symmetric. */
FUR_API fur_status fur_binary_write_vector(const fur_vector *x, const char *path,
                                           const fur_binary_write_options *options);

#ifdef __cplusplus
}
#endif
#endif
