/* Reading from text that is in memory already. */
#ifndef FURROW_IO_READ_H
#define FURROW_IO_READ_H

#include <furrow/mtx.h>

/* fur_mtx_read_csr from the bytes of a file; name stands for its path in sentences. */
fur_status fur_read_text(fur_context *context, const char *name, const void *text, size_t size,
                         const fur_mtx_read_options *options, fur_csr **out);

#endif
