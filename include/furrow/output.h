/* Output files: one that is to appear under its name only when it is complete. This is how the
 * library writes matrices and vectors; it is here for what a program writes beside them.
 *
 * Until it is complete the new file has no name (Linux, O_TMPFILE), so that nothing is left of it
 * however the program ends. Where the file system knows no such files, and for the moment in which
 * a new file takes the place of an old one, it is a temporary file .furrow-*.tmp in the folder of
 * the target. Whoever looks finds the old file or the new one, whole, whatever fails and whenever
 * the program is killed. fur_context_options.watcher lets a program remove the temporary file when
 * a signal ends it; only SIGKILL in that moment leaves it there.
 *
 * A file that is replaced keeps its permissions, its group, and as root its owner; where the system
 * refuses the group, the new one's may do what everybody may. While it is written nobody may do
 * more with it than with the old one. A symbolic link is followed, even where it leads to nothing
 * yet. Not kept: access control lists, in whose place the group may do what the list allowed anyone
 * but the owner at most; extended attributes; and other names of the same file (hard links), which
 * stand for the old content from then on.
 *
 * What is not a regular file, such as a pipe or device, is written in place. So are descriptors of
 * the process: "-" and /dev/stdout are standard output, behind what the program has printed so far,
 * /dev/stderr and /dev/fd/N what they say. */
#ifndef FURROW_OUTPUT_H
#define FURROW_OUTPUT_H

#include <furrow/base.h>
#include <furrow/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread's at a time, as its context is. */
typedef struct fur_output fur_output;

/* Starts a new file. FUR_IO_ERROR, with path and the system's reason, if it cannot be made or an
 * existing one must not be written. */
FUR_API fur_status fur_output_create(fur_context *context, const char *path, fur_output **out);

/* Appends bytes. FUR_IO_ERROR if the system does not take them; then this and all later calls fail,
 * and so does fur_output_commit, which alone needs to be looked at. */
FUR_API fur_status fur_output_write(fur_output *output, const void *bytes, size_t size);

/* Ends the file and gives it its name. sync = 1: its bytes are on the disk before it gets its name,
 * and its name when this returns; should only the latter fail, the new file is there all the same.
 * FUR_IO_ERROR: nothing is left of it and what was there before stays as it was. In both cases the
 * output is gone. */
FUR_API fur_status fur_output_commit(fur_output *output, int sync);

/* Gives the file up: nothing is left of it, and what was there before stays as it was. Accepts
 * NULL. */
FUR_API void fur_output_abandon(fur_output *output);

#ifdef __cplusplus
}
#endif
#endif
