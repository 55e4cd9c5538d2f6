/* Ctrl-C and kill while something runs that can end early and keep what it has: the first signal
 * asks it to, the next one does what it always does. */
#ifndef FURROW_TOOLS_INTERRUPT_H
#define FURROW_TOOLS_INTERRUPT_H

#include <furrow/solver.h>

#include <stdbool.h>

/* From here to interrupt_end SIGINT and SIGTERM are noted, unless they are ignored. */
void interrupt_begin(void);
void interrupt_end(void);

/* The name of the signal that came, such as "SIGINT"; NULL: none. */
const char *interrupt_name(void);

/* The name of an outcome. A solve that its monitor has stopped was interrupted by a signal. */
const char *interrupt_outcome(fur_outcome outcome);

/* Ends the process by the signal that came, as if nothing had been kept, which is what a shell or
 * script that waits for it looks for (128 + its number). Returns if none came. */
void interrupt_pass_on(void);

#endif
