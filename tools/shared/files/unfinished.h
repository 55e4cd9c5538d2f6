/* Removes the temporary file of an output when a signal ends the command. Such a file exists only
 * if the file system does not support files without a name. */
#ifndef FURROW_TOOLS_UNFINISHED_H
#define FURROW_TOOLS_UNFINISHED_H

#include <furrow/context.h>

/* From now on a signal that ends the command first removes the file. The exit status still tells
 * the signal. Exceeding the limit on file sizes (SIGXFSZ) becomes a failed write with a message.
 * The main thread must call this before it starts other threads. */
void unfinished_begin(void);

/* Tells the signal handler about the file. For a context that the main thread uses. */
extern const fur_file_watcher unfinished_watcher;

#endif
