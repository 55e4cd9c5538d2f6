/* What reading has for its tests and not for all. */
#ifndef FURROW_IO_READ_H
#define FURROW_IO_READ_H

#include "input.h"

#include <furrow/mtx.h>

/* fur_mtx_read_csr of a source, a path or the bytes of a file, whose member is that of the options;
 * a thread takes about `block` bytes of text at a time, 0: a good number. That shows in no result.
 */
fur_status fur_read_in_blocks(fur_context *context, const fur_input_request *source, size_t block,
                              const fur_mtx_read_options *options, fur_csr **out);

#endif
