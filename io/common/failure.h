/* What the folders of io/ stand on: failures, here; a cursor over a text (cursor.h); limits and the
 * wish to stop (limit.h); what threads share (parallel.h); matrices as files see them (matrix.h).
 *
 * A failure is kept apart from the context: several threads may fail at once, and only the
 * failure that comes first in the file is told. */
#ifndef FURROW_IO_FAILURE_H
#define FURROW_IO_FAILURE_H

#include <furrow/context.h>

/* Room for a sentence; a longer one is cut off. */
#define FUR_SENTENCE_SIZE 1024

typedef struct fur_failure {
    fur_status status; /* FUR_OK: none */
    const char *name;  /* of the file, if a place in its text is meant; else NULL */
    int64_t line;      /* from 1 */
    int64_t column;
    char sentence[FUR_SENTENCE_SIZE]; /* without the place */
} fur_failure;

/* Sets status and sentence, without a place, and returns the status. */
fur_status fur_failure_set(fur_failure *failure, fur_status status, const char *format, ...)
    FUR_PRINTF(3, 4);

/* Sets what a function has told the context about `status`; FUR_OK sets nothing. Returns status. */
fur_status fur_failure_take(fur_failure *failure, fur_status status, fur_context *context);

/* "name:line:column: sentence", as far as there is a place. Returns out, which has `room` bytes. */
const char *fur_failure_print(const fur_failure *failure, char *out, size_t room);

/* Hands the failure to the context where the caller looks, and returns its status. */
fur_status fur_failure_report(const fur_failure *failure, fur_context *context);

#endif
