/* What authors of file formats and bindings need: the words of Matrix Market's banner, files that
 * are in memory, the unpacked text of a file, and output files that appear under their name only
 * when they are complete. */
#ifndef FURROW_AUTHOR_FILES_H
#define FURROW_AUTHOR_FILES_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/files.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The banner's word for a format: "coordinate", "array". */
FUR_API const char *fur_mtx_format_name(fur_mtx_format format);
/* The banner's word for a field: "real", "integer", "complex", "pattern". */
FUR_API const char *fur_mtx_field_name(fur_mtx_field field);
/* The banner's word for a symmetry: "general", "skew-symmetric", ... */
FUR_API const char *fur_mtx_symmetry_name(fur_mtx_symmetry symmetry);

/* fur_mtx_read_csr from memory: `size` bytes with the content of a file, which may be compressed or
 * an archive. They are not copied. Sentences name them "memory". */
FUR_API fur_status fur_mtx_read_csr_from_memory(fur_context *context, const void *bytes,
                                                size_t size, const fur_mtx_read_options *options,
                                                fur_csr **out);

/* fur_mtx_read_vector from memory, in the same way. */
FUR_API fur_status fur_mtx_read_vector_from_memory(fur_context *context, const void *bytes,
                                                   size_t size, const fur_mtx_read_options *options,
                                                   fur_vector **out);

/* Gives the text of a file to a function, unpacked, piece by piece from its beginning; of an
 * archive the member that fur_mtx_read_csr reads. The default limits hold. A result other than 0
 * ends it: FUR_CANCELLED. Whether the text is one of Matrix Market is not looked at. */
FUR_API fur_status fur_mtx_unpack(fur_context *context, const char *path,
                                  int (*take)(void *user, const char *text, size_t bytes),
                                  void *user);

/* Output files that appear under their name only when they are complete. The library writes
 * matrices and vectors in this way; a program can use it for its own files.
 *
 * Until it is complete the new file has no name (Linux, O_TMPFILE), so that nothing is left of it
 * however the program ends. On file systems without such files, and for the moment in which a new
 * file replaces an old one, it is a temporary file .furrow-*.tmp in the folder of the target. At
 * any time, whatever fails, the name stands for the whole old file or the whole new one. With
 * fur_context_options.watcher a program can remove the temporary file when a signal ends it; only
 * SIGKILL in that moment leaves it behind.
 *
 * A replaced file keeps its permissions, its group, and for root its owner. If the system refuses
 * the group, the new file's group gets the permissions of all others. While it is written nobody
 * has more access to it than to the old one. A symbolic link is followed, even to a target that
 * does not exist yet. Not kept: access control lists (the group gets at most what the list allowed
 * to anyone but the owner), extended attributes, and hard links, which keep the old content.
 *
 * Anything but a regular file, such as a pipe or device, is written in place. So are descriptors of
 * the process: "-" and /dev/stdout are standard output, after what the program has printed so far;
 * /dev/stderr and /dev/fd/N work in the same way. */

/* Used by one thread at a time, as its context. */
typedef struct fur_output fur_output;

/* Starts a new file. FUR_IO_ERROR, with path and the system's reason, if it cannot be made or an
 * existing one must not be written. */
FUR_API fur_status fur_output_create(fur_context *context, const char *path, fur_output **out);

/* Appends bytes. FUR_IO_ERROR if the system refuses them; all later calls then fail too, so that a
 * program may check fur_output_commit alone. */
FUR_API fur_status fur_output_write(fur_output *output, const void *bytes, size_t size);

/* Ends the file and gives it its name. sync = 1: its bytes are on the disk before it gets its name,
 * and its name when the call returns; if only the latter fails, the new file is there all the same.
 * FUR_IO_ERROR: nothing is left of the new file and an old one stays as it was. The output is
 * destroyed in both cases. */
FUR_API fur_status fur_output_commit(fur_output *output, int sync);

/* Gives the file up: nothing is left of it, and an old file stays as it was. Accepts NULL. */
FUR_API void fur_output_abandon(fur_output *output);

#ifdef __cplusplus
}
#endif
#endif
