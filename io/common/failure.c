/* Failures that have not been reported yet. */
#include "failure.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Only the end of a longer path is shown, so that the message is not truncated. */
#define SHOWN_NAME 400

fur_status fur_failure_set(fur_failure *failure, fur_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->sentence, sizeof failure->sentence, format, arguments);
    va_end(arguments);
    failure->status = status;
    failure->name = NULL;
    return status;
}

fur_status fur_failure_take(fur_failure *failure, fur_status status, fur_context *context)
{
    return status == FUR_OK ? FUR_OK
                            : fur_failure_set(failure, status, "%s", fur_context_error(context));
}

const char *fur_failure_print(const fur_failure *failure, char *out, size_t room)
{
    const char *name = failure->name;
    if (!name) {
        snprintf(out, room, "%s", failure->sentence);
        return out;
    }
    size_t length = strlen(name);
    bool cut = length > SHOWN_NAME;
    snprintf(out, room, "%s%s:%lld:%lld: %s", cut ? "..." : "",
             cut ? name + length - SHOWN_NAME : name, (long long)failure->line,
             (long long)failure->column, failure->sentence);
    return out;
}

fur_status fur_failure_report(const fur_failure *failure, fur_context *context)
{
    char text[2 * FUR_SENTENCE_SIZE];
    return failure->status == FUR_OK
               ? FUR_OK
               : fur_context_fail(context, failure->status, "%s",
                                  fur_failure_print(failure, text, sizeof text));
}
