/* The file that a signal would leave behind when it ends the command: the temporary file of an
 * output where the file system has no files without a name. */
#ifndef FURROW_TOOLS_UNFINISHED_H
#define FURROW_TOOLS_UNFINISHED_H

#include <furrow/context.h>

/* From here on a signal that ends the command removes the file first; the exit status still tells
 * the signal. A limit on the size of files (SIGXFSZ) is a write that fails, with its sentence. To
 * be called by the main thread, before there are others. */
void unfinished_begin(void);

/* Tells the signal handler about the file; for a context that the main thread uses. */
extern const fur_file_watcher unfinished_watcher;

#endif
