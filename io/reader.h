/* Reading a Matrix Market file with all threads of a context. */
#ifndef FURROW_IO_READER_H
#define FURROW_IO_READER_H

#include "input.h"

#include <furrow/mtx.h>

/* fur_mtx_read_csr of what is requested, in blocks as of fur_read_in_blocks. Options are complete
 * and checked. */
fur_status fur_reader_read(fur_context *context, const fur_input_request *request, size_t block,
                           const fur_mtx_read_options *options, fur_csr **out);

/* fur_mtx_read_header of what is requested. */
fur_status fur_reader_read_header(fur_context *context, const fur_input_request *request,
                                  fur_mtx_header *out);

#endif
