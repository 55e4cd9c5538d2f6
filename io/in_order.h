/* Loops whose threads take the indices in order, a run of them at a time: what lies in a file is
 * read from its beginning to its end, and nobody waits while others have much left. */
#ifndef FURROW_IO_IN_ORDER_H
#define FURROW_IO_IN_ORDER_H

#include <furrow/context.h>

/* Calls body(user, begin, end) for the runs of 0 .. count-1 on the context's threads. */
void fur_in_order(fur_context *context, int64_t count, int64_t run,
                  void (*body)(void *user, int64_t begin, int64_t end), void *user);

/* The first of begin .. end-1 that is looked for; end if there is none. */
typedef int64_t fur_find(void *user, int64_t begin, int64_t end);

/* The first of 0 .. count-1; count if there is none. */
int64_t fur_find_first(fur_context *context, int64_t count, int64_t run, fur_find *find,
                       void *user);

#endif
