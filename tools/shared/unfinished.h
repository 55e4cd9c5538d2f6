/* What a signal that ends the command would leave behind: the temporary file of an output where the
 * file system has no files without a name. */
#ifndef FURROW_TOOLS_UNFINISHED_H
#define FURROW_TOOLS_UNFINISHED_H

#include <furrow/context.h>

/* From here on a signal that ends the command removes the file first; the exit status still tells
 * the signal. A limit on the size of files (SIGXFSZ) is a write that fails, with its sentence. To
 * be called by the main thread, before there are others. */
void unfinished_begin(void);

/* What tells the handler of the file; for a context that the main thread uses. */
extern const fur_file_watcher unfinished_watcher;

#endif
