/* The bytes of a file's text, one after the other: from a path, from standard input or from memory,
 * decompressed (gzip, zstd) and taken out of its archive (tar) on the way. A member of an archive
 * may be compressed, too. The first bytes of a file decide, not its name; a file that is neither
 * compressed nor an archive is text. */
#ifndef FURROW_IO_INPUT_H
#define FURROW_IO_INPUT_H

#include "limit.h"

typedef struct fur_input fur_input;

/* The file that is to be opened. */
typedef struct fur_input_request {
    const char *path;   /* "-": standard input; with memory: stands for the path in sentences */
    const void *memory; /* not NULL: the bytes of a file, `size` of them, instead of the path */
    size_t size;
    /* In an archive: NULL for name/name.mtx, or the only *.mtx if there is none, which a pipe does
     * not allow; "b" for name/name_b.mtx and so on. Without an archive only NULL finds anything. */
    const char *member;
    fur_watch *watch; /* whether to read on, and how much; NULL: always, and anything */
} fur_input_request;

/* FUR_IO_ERROR if the file cannot be opened for reading, is a directory, or is not an archive with
 * such a member; FUR_MALFORMED if what it is packed in is broken; FUR_UNSUPPORTED if it is
 * compressed with what this build cannot read. All memory is taken here, but for zstd's own. */
fur_status fur_input_open(fur_context *context, const fur_input_request *request,
                          fur_failure *failure, fur_input **out);

/* The next bytes of the text, at least one and at most `room`; *got = 0 at its end. One call at a
 * time, from any thread. After a failure nothing more can be read. */
fur_status fur_input_read(fur_input *input, char *to, size_t room, size_t *got,
                          fur_failure *failure);

/* The path, "path(member)" or "standard input", for sentences; valid as long as the input. */
const char *fur_input_name(const fur_input *input);

/* Bytes of the file as it lies on the disk, packed or not; -1 if the system cannot tell, as for a
 * pipe. */
int64_t fur_input_size(const fur_input *input);

/* How many of these have been read. */
int64_t fur_input_consumed(const fur_input *input);

/* The watch of the request. */
fur_watch *fur_input_watch(const fur_input *input);

/* The descriptor of a regular file that is plain text, which threads may read at any offset; -1 for
 * everything else. */
int fur_input_descriptor(const fur_input *input);

/* The text itself if it is plain and in memory, else NULL. */
const char *fur_input_memory(const fur_input *input);

void fur_input_close(fur_input *input);

#endif
