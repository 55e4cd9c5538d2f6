/* Handles Ctrl-C and kill during work that can end early and keep its results. The first signal
 * requests the end. The next signal has its default effect. */
#ifndef FURROW_TOOLS_INTERRUPT_H
#define FURROW_TOOLS_INTERRUPT_H

#include <furrow/solver.h>

#include <stdbool.h>

/* From here to interrupt_end SIGINT and SIGTERM are noted, unless they are ignored. */
void interrupt_begin(void);
void interrupt_end(void);

/* Returns the name of the signal that came, such as "SIGINT", or NULL. */
const char *interrupt_name(void);

/* Returns the name of an outcome. A solve that its monitor stopped was interrupted by a signal. */
const char *interrupt_outcome(fur_outcome outcome);

/* Ends the process by the signal that came. A shell or script that waits for the process expects
 * this status (128 + the signal's number). Returns if no signal came. */
void interrupt_pass_on(void);

#endif
