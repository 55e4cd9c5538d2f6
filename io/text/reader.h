/* Reads Matrix Market text into matrices and vectors. The head of a file (head.h) describes its
 * contents. Threads then take blocks of whole lines (feed.h), read their entries (entry.h) and, in
 * the order of the file, assign them their places (assemble.h). See docs/files.md. */
#ifndef FURROW_IO_READER_H
#define FURROW_IO_READER_H

#include "arrays.h"
#include "batch.h"
#include "input.h"

#include <furrow/files.h>

/* fur_mtx_read_csr for a request: a path or the bytes of a file, with the member of the options. A
 * thread takes about `block` bytes of text at a time; 0 means the default. The result does not
 * depend on it. */
fur_status fur_reader_read(fur_context *context, const fur_input_request *request, size_t block,
                           const fur_mtx_read_options *options, fur_csr **out);

/* fur_mtx_read_header for a request. */
fur_status fur_reader_read_header(fur_context *context, const fur_input_request *request,
                                  fur_mtx_header *out);

/* Sets the failure that names the two entries in conflict. The input is read again from its
 * beginning. If this is impossible, the message has no line numbers. */
fur_status fur_reader_locate(fur_storage *storage, const fur_input_request *request,
                             const fur_job *job, const fur_conflict *conflict,
                             fur_failure *failure);

#endif
