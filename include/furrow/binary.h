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
 * Written: a failure leaves an existing file as it was (furrow/author/output.h).
 *
 * The file records field and symmetry of the Matrix Market file that its content came from, so that
 * it can be converted back. Symmetric matrices are stored whole. */
#ifndef FURROW_BINARY_H
#define FURROW_BINARY_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/mtx.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

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
