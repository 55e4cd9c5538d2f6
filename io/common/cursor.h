/* A cursor over the text of a file, with its line and column. */
#ifndef FURROW_IO_CURSOR_H
#define FURROW_IO_CURSOR_H

#include "failure.h"

#include <stdbool.h>

typedef struct fur_cursor {
    fur_failure *failure; /* where messages are stored */
    const char *name;     /* of the file, for messages */
    const char *text;     /* the whole text, up to `end` */
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

/* Returns a cursor at the first character of the text. */
fur_cursor fur_cursor_start(fur_failure *failure, const char *name, const char *text, size_t size);

/* Returns the next word of this line, or an empty word (begin = end) if there is none. */
fur_token fur_cursor_token(fur_cursor *cursor);
static inline bool fur_token_is_empty(fur_token token)
{
    return token.begin == token.end;
}

/* Skips blanks. */
void fur_cursor_skip_blanks(fur_cursor *cursor);

/* Returns whether the cursor is at the end of its line or of the text. */
bool fur_cursor_at_line_end(const fur_cursor *cursor);

/* Skips the rest of the line and moves to the next one. Returns false at the end of the file. */
bool fur_cursor_next_line(fur_cursor *cursor);

/* Moves to the next word of this line that is not in a comment. Returns false if there is none. */
bool fur_cursor_content_in_line(fur_cursor *cursor);

/* Returns FUR_MALFORMED if the rest of the line contains a NUL byte. */
fur_status fur_cursor_refuse_nul(const fur_cursor *cursor);

/* Moves to the next word, in this line or a later one. Skips blank lines and comment lines, which
 * have a % before any word. Does not move if it is at a word. Returns false at the end of the
 * file. */
bool fur_cursor_content(fur_cursor *cursor);

/* Sets the failure, with name, line and column of a place in the current line. Returns `status`. */
fur_status fur_cursor_fail(const fur_cursor *cursor, fur_status status, const char *place,
                           const char *format, ...) FUR_PRINTF(4, 5);

/* Returns FUR_MALFORMED with "found 'token', expected ...", or with a note that the line or file
 * ends here. */
fur_status fur_cursor_unexpected(const fur_cursor *cursor, fur_token found, const char *expected);

/* Returns FUR_MALFORMED unless the rest of this line is blank. */
fur_status fur_cursor_end_of_line(fur_cursor *cursor);

/* Reads a decimal integer that is the whole token. Numbers close to or beyond the range of int64_t
 * give INT64_MAX or INT64_MIN. Returns false if the token is not an integer. */
bool fur_token_integer(fur_token token, int64_t *out);

/* Returns whether the token is `word`, which is in lower case. */
bool fur_token_is(fur_token token, const char *word);

/* The bytes that fur_token_quote needs. */
#define FUR_QUOTE_SIZE 64

/* Quotes the token for a message: at most 40 characters, with unprintable characters as \xNN.
 * Returns `out`, which has FUR_QUOTE_SIZE bytes. */
const char *fur_token_quote(fur_token token, char *out);

#endif
