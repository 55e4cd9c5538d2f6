/* The text of a file as a stream of bytes, from a path, from standard input or from memory. It is
 * decompressed (gzip, zstd) and taken from its archive (tar) if needed. A member of an archive may
 * be compressed, too. The first bytes of a file decide, not its name. A file that is neither
 * compressed nor an archive is text. */
#ifndef FURROW_IO_INPUT_H
#define FURROW_IO_INPUT_H

#include "limit.h"

typedef struct fur_input fur_input;

/* The file to open. */
typedef struct fur_input_request {
    const char *path;   /* "-": standard input; with `memory`: the name in messages */
    const void *memory; /* if not NULL: the `size` bytes of a file, used instead of the path */
    size_t size;
    /* In an archive, NULL means name/name.mtx, or else the only *.mtx, which a pipe does not allow.
     * "b" means name/name_b.mtx, and so on. Other files have only the member NULL. */
    const char *member;
    fur_watch *watch; /* progress, cancellation and limits; NULL: none */
} fur_input_request;

/* Opens an input. All memory is allocated here, except zstd's own. Errors: FUR_IO_ERROR if the file
 * cannot be opened for reading, is a directory, or is not an archive with such a member;
 * FUR_MALFORMED if the compressed data or the archive is damaged; FUR_UNSUPPORTED if this build
 * cannot read the compression format. */
fur_status fur_input_open(fur_context *context, const fur_input_request *request,
                          fur_failure *failure, fur_input **out);

/* Reads the next bytes of the text, at least one and at most `room`. *got = 0 at its end. One call
 * at a time, from any thread. After a failure, nothing more can be read. */
fur_status fur_input_read(fur_input *input, char *to, size_t room, size_t *got,
                          fur_failure *failure);

/* Returns the path, "path(member)" or "standard input", for messages. It is valid as long as the
 * input. */
const char *fur_input_name(const fur_input *input);

/* Returns the bytes of the file on the disk, packed or not, or -1 if the system cannot tell, as for
 * a pipe. */
int64_t fur_input_size(const fur_input *input);

/* Returns how many bytes of the file have been read. */
int64_t fur_input_consumed(const fur_input *input);

/* Returns the watch of the request. */
fur_watch *fur_input_watch(const fur_input *input);

/* Returns the descriptor of a regular file of plain text, which threads may read at any offset, or
 * -1 for any other input. */
int fur_input_descriptor(const fur_input *input);

/* Returns the text itself if it is plain and in memory, and otherwise NULL. */
const char *fur_input_memory(const fur_input *input);

void fur_input_close(fur_input *input);

#endif
