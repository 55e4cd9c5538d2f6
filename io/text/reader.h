/* Matrix Market text into matrices and vectors. The head of a file (head.h) says what is to come;
 * then the threads take blocks of whole lines (feed.h), read their entries (entry.h) and, in the
 * order of the file, give them their places (assemble.h). docs/files.md tells more. */
#ifndef FURROW_IO_READER_H
#define FURROW_IO_READER_H

#include "arrays.h"
#include "batch.h"
#include "input.h"

#include <furrow/mtx.h>

/* fur_mtx_read_csr of what is requested, a path or the bytes of a file, whose member is that of the
 * options. A thread takes about `block` bytes of text at a time, 0: the default; the result does
 * not depend on it. */
fur_status fur_reader_read(fur_context *context, const fur_input_request *request, size_t block,
                           const fur_mtx_read_options *options, fur_csr **out);

/* fur_mtx_read_header of what is requested. */
fur_status fur_reader_read_header(fur_context *context, const fur_input_request *request,
                                  fur_mtx_header *out);

/* Sets the failure that says which two entries of the file are in conflict. The input is read again
 * from its beginning; where that cannot be done, the sentence does without lines. */
fur_status fur_reader_locate(fur_storage *storage, const fur_input_request *request,
                             const fur_job *job, const fur_conflict *conflict,
                             fur_failure *failure);

#endif
