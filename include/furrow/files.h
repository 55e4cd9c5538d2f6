/* Matrix Market files (Boisvert, Pozo, Remington 1996): reading into matrices and vectors, writing.
 *
 * Read: coordinate and array; real, integer, complex, pattern; general, symmetric, skew-symmetric,
 * hermitian. Numbers are rounded to nearest, whatever the locale. Comments, blank lines, CRLF,
 * leading blanks and tabs are accepted; so is "vector" for the object. A failure's sentence carries
 * path:line:column, what was found and what was expected. A false header cannot make the reader
 * allocate much: memory stays in proportion to the file (fur_read_limits). A symmetric file may
 * store either triangle, or a mixture, but not both entries of a pair.
 *
 * Written: numbers have the fewest digits that read back to the same bits. A failure leaves an
 * existing file as it was (furrow/author/files.h). A name that ends in .gz or .zst makes a
 * compressed file. */
#ifndef FURROW_FILES_H
#define FURROW_FILES_H

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

/* The header of a file. */
typedef struct fur_mtx_header {
    size_t size; /* sizeof(fur_mtx_header) */
    fur_mtx_format format;
    fur_mtx_field field;
    fur_mtx_symmetry symmetry;
    int64_t rows;
    int64_t cols;
    int64_t entries_in_file; /* coordinate: the size line's count; array: the numbers stored */
    char graphblas_type[24]; /* the type in a line "%%GraphBLAS type ...", else "" */
} fur_mtx_header;

/* What to do with a symmetric file that stores both entries of a pair, (i, j) and (j, i). */
typedef enum fur_mtx_mirrored {
    FUR_MTX_MIRRORED_ERROR = 0, /* FUR_MALFORMED: adding the two would double the entry */
    FUR_MTX_MIRRORED_LOWER      /* the one below the diagonal counts */
} fur_mtx_mirrored;

/* Limits on what reading a file may cost, for files of unknown origin. 0 is the default,
 * FUR_NO_LIMIT lifts a limit. A file beyond a limit is FUR_OVERFLOW, one that takes too long
 * FUR_CANCELLED; the sentence names the limit. By default the cost is in proportion to the bytes of
 * the file as stored, also if it is compressed: otherwise a few bytes could ask for all memory. The
 * shape has a limit because a program usually goes on to allocate vectors of that length. */
typedef struct fur_read_limits {
    /* Rows plus columns. By default 2^22, or 8 for each byte of the file, or 2 for each entry,
     * whichever is most. */
    int64_t shape;
    int64_t entries; /* entries in the file; by default as many as it has room for */
    /* Bytes after decompression, all members of an archive included, also of an archive that is not
     * compressed. By default 2^28, or 128 for each byte of the file, whichever is more; for a pipe,
     * the bytes read so far count. */
    int64_t unpacked;
    double seconds; /* by default no limit */
} fur_read_limits;
#define FUR_NO_LIMIT INT64_MAX

/* The value type of the matrix or vector that is read. */
typedef enum fur_mtx_convert {
    FUR_MTX_AS_STORED = 0, /* c128 for complex files, f64 for all others */
    FUR_MTX_AS_F32,
    FUR_MTX_AS_F64,
    FUR_MTX_AS_C64,
    FUR_MTX_AS_C128
} fur_mtx_convert;

/* The fur_mtx_convert for a value type. */
static inline fur_mtx_convert fur_mtx_as(fur_value_type value)
{
    return (fur_mtx_convert)((int)value + FUR_MTX_AS_F32);
}

/* Every member is checked: FUR_INVALID, naming it, for a value that is not listed below. */
typedef struct fur_mtx_read_options {
    size_t size;               /* sizeof(fur_mtx_read_options) */
    fur_mtx_convert convert;   /* complex files refuse real types */
    int keep_triangle;         /* 1: keep a symmetric file's lower triangle; 0: expand it */
    fur_duplicates duplicates; /* entries at the same position */
    fur_mtx_header *header;    /* NULL or filled on success */
    /* Which file of an archive name.tar.gz to read: NULL for name.mtx, "b" for name_b.mtx;
     * FUR_IO_ERROR if the archive has none. */
    const char *member;
    fur_mtx_mirrored mirrored;
    int drop_zeros;       /* 1: leave out entries that are zero; 0: keep them */
    int allow_trailing;   /* 1: skip text behind an entry, with a warning; 0: FUR_MALFORMED */
    int refuse_nonfinite; /* 1: NaN and infinity are FUR_MALFORMED */
    int refuse_range;     /* 1: a number too large or too small for the value type is FUR_MALFORMED;
                             0: it becomes infinity, with a warning, or zero */
    int refuse_dialects;  /* 1: "%MatrixMarket", "%% MatrixMarket" and a banner behind blanks are
                             FUR_MALFORMED; 0: read, with a warning */
    /* Called after the file was read, once for each kind of suspicious content: valid, but perhaps
     * a mistake of its author. The sentence names the first place. NULL: no warnings. */
    void (*warn)(void *user, const char *sentence);
    /* Called now and then by the calling thread with the bytes read so far and the size of the
     * file, -1 if unknown; also while other members of an archive are skipped. A result other than
     * 0 stops the reading: FUR_CANCELLED. */
    int (*progress)(void *user, int64_t done, int64_t total);
    void *user; /* passed to warn and progress */
    fur_read_limits limits;
} fur_mtx_read_options;

/* Reads banner and size line only. The default limits hold, except that any shape and any number of
 * entries is accepted. */
FUR_API fur_status fur_mtx_read_header(fur_context *context, const char *path, fur_mtx_header *out);

/* Reads a coordinate or array file into a matrix. Pattern entries get the value 1. Every number of
 * an array file becomes an entry. */
FUR_API fur_status fur_mtx_read_csr(fur_context *context, const char *path,
                                    const fur_mtx_read_options *options, fur_csr **out);

/* Reads a file of one column (or one row), array or coordinate, into a dense vector. */
FUR_API fur_status fur_mtx_read_vector(fur_context *context, const char *path,
                                       const fur_mtx_read_options *options, fur_vector **out);

typedef struct fur_mtx_write_options {
    size_t size; /* sizeof(fur_mtx_write_options) */
    /* Not general: only the lower triangle is written, its zeros included. FUR_INVALID, naming an
     * entry, if the matrix does not have that symmetry. */
    fur_mtx_symmetry symmetry;
    int pattern;         /* 1: positions only */
    const char *comment; /* lines to put below the banner, without %; NULL: none */
    /* 1: of field integer; zeros lose their sign. FUR_INVALID, naming an entry, if a value is not
     * an integer of 64 bits, or if the values are complex. */
    int integer;
    /* 1: waits until the data is on the disk before the file gets its name. After a crash of the
     * system the name stands for the whole old file or the whole new one, after this call for the
     * new one. 0: a failure of this call or of the program also leaves the old file, but a crash of
     * the system loses what it has not yet written to the disk. */
    int sync;
} fur_mtx_write_options;

/* Writes a coordinate file, real or complex by the value type. A path that ends in .gz or .zst is
 * compressed by gzip or zstd, as a sequence of members or frames, which every program that knows
 * the format reads as one text; FUR_UNSUPPORTED if the library was built without it. A path that
 * names a pipe or device is written to in place; "-" is standard output. The threads of the context
 * share the work; no byte of the file depends on their number. FUR_IO_ERROR, with the system's
 * reason, if the file cannot be written. */
FUR_API fur_status fur_mtx_write_csr(const fur_csr *a, const char *path,
                                     const fur_mtx_write_options *options);

/* Writes an array file of one column, in the same way. Only options->comment and sync are used. */
FUR_API fur_status fur_mtx_write_vector(const fur_vector *x, const char *path,
                                        const fur_mtx_write_options *options);

/* Writes an array file with a column for each vector, in the same way. fur_mtx_read_csr reads such
 * a file as a matrix with all its entries, whose values are then a block in rows. The block is
 * copied meanwhile. */
FUR_API fur_status fur_mtx_write_vectors(const fur_vectors *x, const char *path,
                                         const fur_mtx_write_options *options);

/* Binary files (.fur): a matrix or vector as it lies in memory, to load it again at the speed of
 * memory instead of parsing text. docs/binary-format.md specifies every byte.
 *
 * Read: all numbers come back to the bit. Every byte of the file is covered by a checksum (XXH3,
 * Collet 2019) or must be zero: a file that was altered, cut off or appended to is FUR_MALFORMED
 * with the sentence "path: byte N: found ..., expected ...". Before it allocates, the reader checks
 * that the sizes in the header match the file and are within the limits, which are those of text
 * (fur_read_limits). Threads read and check the pieces of a file at the same time. The file must be
 * a regular one, else FUR_IO_ERROR; FUR_UNSUPPORTED for a later version of the format.
 *
 * Written: a failure leaves an existing file as it was (furrow/author/files.h).
 *
 * The file records field and symmetry of the Matrix Market file that its content came from, so that
 * it can be converted back. Symmetric matrices are stored whole. */

/* 1 if path is a regular file that begins as every .fur file does, with any name; else 0. */
FUR_API int fur_binary_detect(const char *path);

/* The header of a file, from its first bytes alone: a matrix is FUR_MTX_COORDINATE, a vector
 * FUR_MTX_ARRAY with one column, and entries_in_file counts the entries in this file. */
FUR_API fur_status fur_binary_read_header(fur_context *context, const char *path,
                                          fur_mtx_header *out);

typedef struct fur_binary_read_options {
    size_t size;            /* sizeof(fur_binary_read_options) */
    fur_mtx_header *header; /* NULL or filled on success, as by fur_binary_read_header */
    /* 1: fur_binary_read_csr copies nothing: the matrix's arrays are the file, mapped into memory
     * and checked there, until the matrix is destroyed. Until then nobody may change or truncate
     * the file in place: the matrix would change with it, and truncation, or a failing disk, ends
     * the program with SIGBUS. Replacing the file by rename, as Furrow writes, and removing it do
     * no harm. Arrays that the file does not hold, such as the values of a pattern, are in memory.
     * Vectors, matrices of a GPU and files that the system cannot map are copied all the same.
     * 0: copied. */
    int map;
    fur_read_limits limits; /* `unpacked` is ignored */
} fur_binary_read_options;

/* Reads a matrix with the value type and offset width it was written with; checked as by
 * fur_csr_check, FUR_MALFORMED if it is none. The entries of a pattern get the value 1. A vector
 * becomes a matrix of one column that has every entry. */
FUR_API fur_status fur_binary_read_csr(fur_context *context, const char *path,
                                       const fur_binary_read_options *options, fur_csr **out);

/* Reads a vector, or a matrix of one column or one row, with the value type it was written with.
 * FUR_INVALID for another matrix. */
FUR_API fur_status fur_binary_read_vector(fur_context *context, const char *path,
                                          const fur_binary_read_options *options, fur_vector **out);

typedef struct fur_binary_write_options {
    size_t size; /* sizeof(fur_binary_write_options) */
    /* Header of the Matrix Market file that the content came from; only field and symmetry count. A
     * pattern is written without values. NULL: general, real or complex by the value type. */
    const fur_mtx_header *origin;
    int sync; /* 1: wait until the data is on the disk, as in fur_mtx_write_options */
} fur_binary_write_options;

/* Writes a matrix. FUR_INVALID if it does not have the symmetry of options->origin, or if
 * fur_csr_check refuses it, as it does kept duplicates. */
FUR_API fur_status fur_binary_write_csr(const fur_csr *a, const char *path,
                                        const fur_binary_write_options *options);

/* Writes a vector. FUR_INVALID if options->origin is a pattern or symmetric. */
FUR_API fur_status fur_binary_write_vector(const fur_vector *x, const char *path,
                                           const fur_binary_write_options *options);

#ifdef __cplusplus
}
#endif
#endif
