/* The common base of the folders in io/: failures (this file), a cursor over a text (cursor.h),
 * limits and cancellation (limit.h), shared data of threads (parallel.h), and matrices as files see
 * them (matrix.h).
 *
 * A failure is stored separately from the context. Several threads may fail at once, and only the
 * failure that is first in the file is reported. */
#ifndef FURROW_IO_FAILURE_H
#define FURROW_IO_FAILURE_H

#include <furrow/context.h>

/* The size of a message. A longer message is truncated. */
#define FUR_SENTENCE_SIZE 1024

typedef struct fur_failure {
    fur_status status; /* FUR_OK: no failure */
    const char *name;  /* of the file, if the failure has a place in its text; otherwise NULL */
    int64_t line;      /* from 1 */
    int64_t column;
    char sentence[FUR_SENTENCE_SIZE]; /* without the place */
} fur_failure;

/* Sets the status and the message, without a place. Returns the status. */
fur_status fur_failure_set(fur_failure *failure, fur_status status, const char *format, ...)
    FUR_PRINTF(3, 4);

/* Takes the message that a function has left in the context. FUR_OK sets nothing. Returns
 * `status`. */
fur_status fur_failure_take(fur_failure *failure, fur_status status, fur_context *context);

/* Prints "name:line:column: sentence", with the known parts of the place. Returns `out`, which has
 * `room` bytes. */
const char *fur_failure_print(const fur_failure *failure, char *out, size_t room);

/* Reports the failure to the caller's context. Returns its status. */
fur_status fur_failure_report(const fur_failure *failure, fur_context *context);

#endif
