/* A cursor over the text of a file that knows its line and column. */
#ifndef FURROW_IO_SCAN_H
#define FURROW_IO_SCAN_H

#include "failure.h"

#include <stdbool.h>

/* Returns early with the status of a call that failed. */
#define FUR_TRY(expression)                                                                        \
    do {                                                                                           \
        fur_status try_status = (expression);                                                      \
        if (try_status != FUR_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

/* The same where there is something to clean up: sets `status` and jumps to `done`. */
#define FUR_TRY_DONE(expression)                                                                   \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (status != FUR_OK)                                                                      \
            goto done;                                                                             \
    } while (0)

typedef struct fur_scan {
    fur_failure *failure; /* where sentences go */
    const char *name;     /* of the file, for sentences */
    const char *text;     /* all of it, to end */
    const char *at;
    const char *end;
    const char *line_start;
    int64_t line; /* from 1 */
} fur_scan;

/* A word: characters up to a blank or the end of the line. */
typedef struct fur_token {
    const char *begin;
    const char *end;
} fur_token;

/* At the first character of the text. */
fur_scan fur_scan_start(fur_failure *failure, const char *name, const char *text, size_t size);

/* The next word of this line; empty (begin = end) if there is none. */
fur_token fur_scan_token(fur_scan *scan);
static inline bool fur_token_is_empty(fur_token token)
{
    return token.begin == token.end;
}

/* Moves over blanks. */
void fur_scan_blanks(fur_scan *scan);

/* Whether the cursor is at the end of its line or of the text. */
bool fur_scan_at_line_end(const fur_scan *scan);

/* Moves to the next line, over what is left of this one. False at the end of the file. */
bool fur_scan_next_line(fur_scan *scan);

/* Moves to the next word of this line, which is no comment. False if there is none. */
bool fur_scan_content_in_line(fur_scan *scan);

/* FUR_MALFORMED if there is a NUL byte from the cursor to the end of the line. */
fur_status fur_scan_refuse_nul(const fur_scan *scan);

/* Moves to the next word, in this line or below, over blank lines and comment lines: those that
 * have a % before any word. Stays where it is if it stands on a word. False at the end of the file.
 */
bool fur_scan_content(fur_scan *scan);

/* Sets the failure, with name, line and column of a place in the current line, and returns status.
 */
fur_status fur_scan_fail(const fur_scan *scan, fur_status status, const char *place,
                         const char *format, ...) FUR_PRINTF(4, 5);

/* FUR_MALFORMED "found 'token', expected ...", or that the line or file ends here. */
fur_status fur_scan_unexpected(const fur_scan *scan, fur_token found, const char *expected);

/* FUR_MALFORMED unless nothing but blanks is left of this line. */
fur_status fur_scan_end_of_line(fur_scan *scan);

/* A decimal integer that takes all of the token. INT64_MAX and INT64_MIN stand for all that come
 * near them or lie beyond. False if the token is something else. */
bool fur_token_integer(fur_token token, int64_t *out);

/* Whether the token is the word, given in lower case. */
bool fur_token_is(fur_token token, const char *word);

/* Room for fur_token_quote. */
#define FUR_QUOTE_SIZE 64

/* 'token' for a sentence: at most 40 characters, those that cannot be printed as \xNN. Returns
 * out, which has FUR_QUOTE_SIZE bytes. */
const char *fur_token_quote(fur_token token, char *out);

#endif
