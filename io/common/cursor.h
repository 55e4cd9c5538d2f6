/* A cursor over the text of a file that knows its line and column. */
#ifndef FURROW_IO_CURSOR_H
#define FURROW_IO_CURSOR_H

#include "failure.h"

#include <stdbool.h>

typedef struct fur_cursor {
    fur_failure *failure; /* where sentences go */
    const char *name;     /* of the file, for sentences */
    const char *text;     /* all of it, to end */
    const char *at;
    const char *end;
    const char *line_start;
    int64_t line; /* from 1 */
} fur_cursor;

/* A word: characters up to a blank or the end of the line. */
typedef struct fur_token {
    const char *begin;
    const char *end;
} fur_token;

/* At the first character of the text. */
fur_cursor fur_cursor_start(fur_failure *failure, const char *name, const char *text, size_t size);

/* The next word of this line; empty (begin = end) if there is none. */
fur_token fur_cursor_token(fur_cursor *cursor);
static inline bool fur_token_is_empty(fur_token token)
{
    return token.begin == token.end;
}

/* Moves over blanks. */
void fur_cursor_skip_blanks(fur_cursor *cursor);

/* Whether the cursor is at the end of its line or of the text. */
bool fur_cursor_at_line_end(const fur_cursor *cursor);

/* Moves to the next line, over what is left of this one. False at the end of the file. */
bool fur_cursor_next_line(fur_cursor *cursor);

/* Moves to the next word of this line, which is no comment. False if there is none. */
bool fur_cursor_content_in_line(fur_cursor *cursor);

/* FUR_MALFORMED if there is a NUL byte from the cursor to the end of the line. */
fur_status fur_cursor_refuse_nul(const fur_cursor *cursor);

/* Moves to the next word, in this line or below, over blank lines and comment lines: those that
 * have a % before any word. Stays where it is if it stands on a word. False at the end of the file.
 */
bool fur_cursor_content(fur_cursor *cursor);

/* Sets the failure, with name, line and column of a place in the current line, and returns status.
 */
fur_status fur_cursor_fail(const fur_cursor *cursor, fur_status status, const char *place,
                           const char *format, ...) FUR_PRINTF(4, 5);

/* FUR_MALFORMED "found 'token', expected ...", or that the line or file ends here. */
fur_status fur_cursor_unexpected(const fur_cursor *cursor, fur_token found, const char *expected);

/* FUR_MALFORMED unless nothing but blanks is left of this line. */
fur_status fur_cursor_end_of_line(fur_cursor *cursor);

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
