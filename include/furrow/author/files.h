/* Tools for authors of file formats and bindings: the words of Matrix Market's banner, files in
 * memory, the unpacked text of a file, and output files that appear under their name only when they
 * are complete. */
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

/* Returns the banner's word for a format: "coordinate" or "array". */
FUR_API const char *fur_mtx_format_name(fur_mtx_format format);
/* Returns the banner's word for a field: "real", "integer", "complex" or "pattern". */
FUR_API const char *fur_mtx_field_name(fur_mtx_field field);
/* Returns the banner's word for a symmetry: "general", "skew-symmetric", ... */
FUR_API const char *fur_mtx_symmetry_name(fur_mtx_symmetry symmetry);

/* Reads a matrix from the content of a file in memory, as fur_mtx_read_csr.
 *
 * - bytes: `size` bytes, which may be compressed or an archive. They are not copied. Sentences name
 *   them "memory". */
FUR_API fur_status fur_mtx_read_csr_from_memory(fur_context *context, const void *bytes,
                                                size_t size, const fur_mtx_read_options *options,
                                                fur_csr **out);

/* Reads a vector from the content of a file in memory, as fur_mtx_read_vector.
 *
 * The parameters are those of fur_mtx_read_csr_from_memory. */
FUR_API fur_status fur_mtx_read_vector_from_memory(fur_context *context, const void *bytes,
                                                   size_t size, const fur_mtx_read_options *options,
                                                   fur_vector **out);

/* Passes the unpacked text of a file to a function, piece by piece.
 *
 * - path: a file, or an archive. In an archive it is the member that fur_mtx_read_csr reads. The
 *   default limits hold. The text need not be a Matrix Market file.
 * - take: called with each piece, from the beginning. A result other than 0 stops the call.
 * - user: passed to `take`.
 *
 * Errors: FUR_CANCELLED if `take` stopped the call; otherwise as for reading. */
FUR_API fur_status fur_mtx_unpack(fur_context *context, const char *path,
                                  int (*take)(void *user, const char *text, size_t bytes),
                                  void *user);

/* Output files that appear under their name only when they are complete.
 *
 * The library writes matrices and vectors in this way. A program can use it for its own files.
 *
 * Until the new file is complete it has no name (Linux, O_TMPFILE). So nothing of it remains,
 * however the program ends. On file systems without such files, and for the moment in which a new
 * file replaces an old file, it is a temporary file .furrow-*.tmp in the folder of the target. At
 * any time, whatever fails, the name stands for the whole old file or the whole new file. With
 * fur_context_options.watcher a program can remove the temporary file when a signal ends it. Only
 * SIGKILL in that moment leaves it there.
 *
 * A replaced file keeps its permissions, its group, and for root its owner. If the system refuses
 * the group, the new file's group gets the permissions of all others. While the file is written
 * nobody has more access to it than to the old file. A symbolic link is followed, even to a target
 * that does not exist yet. Access control lists are not kept: the group gets at most the access
 * that the list allowed to anyone but the owner. Extended attributes are not kept. Hard links keep
 * the old content.
 *
 * If the target is not a regular file, such as a pipe or device, it is written in place. So are
 * descriptors of the process. "-" and /dev/stdout are standard output, after the program's earlier
 * output. /dev/stderr and /dev/fd/N work in the same way. */

/* An output file. Use it in one thread at a time, as its context. */
typedef struct fur_output fur_output;

/* Starts a new file.
 *
 * End it by fur_output_commit or fur_output_abandon.
 *
 * Errors: FUR_IO_ERROR, with path and the system's reason, if the file cannot be made, or an
 * existing file must not be written. */
FUR_API fur_status fur_output_create(fur_context *context, const char *path, fur_output **out);

/* Appends bytes to the file.
 *
 * Errors: FUR_IO_ERROR if the system refuses the bytes. All later calls then fail too, so that a
 * program may check fur_output_commit alone. */
FUR_API fur_status fur_output_write(fur_output *output, const void *bytes, size_t size);

/* Completes the file, gives it its name and destroys the output.
 *
 * - sync: 1: the bytes are on the disk before the file gets its name, and the name is on the disk
 *   when the call returns. If only the name fails, the new file exists all the same.
 *
 * Errors: FUR_IO_ERROR: nothing of the new file remains, and an old file is unchanged. The output
 * is destroyed in this case, too. */
FUR_API fur_status fur_output_commit(fur_output *output, int sync);

/* Removes the new file and destroys the output; NULL does nothing.
 *
 * An old file is unchanged. */
FUR_API void fur_output_abandon(fur_output *output);

#ifdef __cplusplus
}
#endif
#endif
