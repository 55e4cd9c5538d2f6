/* The cursor: words, lines, comments, and messages with a place in the file. */
#include "cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_TOKEN 40

fur_cursor fur_cursor_start(fur_failure *failure, const char *name, const char *text, size_t size)
{
    return (fur_cursor){.failure = failure,
                        .name = name,
                        .text = text,
                        .at = text,
                        .end = text + size,
                        .line_start = text,
                        .line = 1};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A line ends with LF, with CR LF, or at the end of the file. */
static bool ends_line(const fur_cursor *cursor, const char *at)
{
    if (at < cursor->end && *at == '\r')
        at++;
    return at == cursor->end || *at == '\n';
}

void fur_cursor_skip_blanks(fur_cursor *cursor)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at))
        cursor->at++;
}

bool fur_cursor_at_line_end(const fur_cursor *cursor)
{
    return ends_line(cursor, cursor->at);
}

fur_token fur_cursor_token(fur_cursor *cursor)
{
    fur_cursor_skip_blanks(cursor);
    const char *at = cursor->at;
    fur_token token = {at, at};
    while (at < cursor->end && !is_blank(*at) && *at != '\n' &&
           !(*at == '\r' && ends_line(cursor, at)))
        at++;
    token.end = at;
    cursor->at = at;
    return token;
}

bool fur_cursor_next_line(fur_cursor *cursor)
{
    size_t left = (size_t)(cursor->end - cursor->at);
    const char *newline = left > 0 ? memchr(cursor->at, '\n', left) : NULL;
    if (!newline) {
        cursor->at = cursor->end;
        return false;
    }
    cursor->at = newline + 1;
    cursor->line_start = cursor->at;
    cursor->line++;
    return true;
}

/* Returns whether the character at the cursor is a % with only blanks before it. */
static bool is_comment(const fur_cursor *cursor)
{
    if (*cursor->at != '%')
        return false;
    const char *at = cursor->line_start;
    while (is_blank(*at))
        at++;
    return at == cursor->at;
}

bool fur_cursor_content_in_line(fur_cursor *cursor)
{
    fur_cursor_skip_blanks(cursor);
    return !ends_line(cursor, cursor->at) && !is_comment(cursor);
}

fur_status fur_cursor_refuse_nul(const fur_cursor *cursor)
{
    size_t left = (size_t)(cursor->end - cursor->at);
    const char *newline = left > 0 ? memchr(cursor->at, '\n', left) : NULL;
    size_t length = newline ? (size_t)(newline - cursor->at) : left;
    const char *nul = length > 0 ? memchr(cursor->at, '\0', length) : NULL;
    return nul ? fur_cursor_fail(cursor, FUR_MALFORMED, nul, "found a NUL byte, expected text")
               : FUR_OK;
}

bool fur_cursor_content(fur_cursor *cursor)
{
    do {
        if (fur_cursor_content_in_line(cursor))
            return true;
    } while (fur_cursor_next_line(cursor));
    return false;
}

fur_status fur_cursor_fail(const fur_cursor *cursor, fur_status status, const char *place,
                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cursor->failure->sentence, sizeof cursor->failure->sentence, format, arguments);
    va_end(arguments);
    cursor->failure->status = status;
    cursor->failure->name = cursor->name;
    cursor->failure->line = cursor->line;
    cursor->failure->column = place - cursor->line_start + 1;
    return status;
}

fur_status fur_cursor_unexpected(const fur_cursor *cursor, fur_token found, const char *expected)
{
    char quote[FUR_QUOTE_SIZE];
    if (!fur_token_is_empty(found))
        fur_token_quote(found, quote);
    else
        snprintf(quote, sizeof quote, "the end of the %s",
                 found.begin == cursor->end ? "file" : "line");
    return fur_cursor_fail(cursor, FUR_MALFORMED, found.begin, "found %s, expected %s", quote,
                           expected);
}

fur_status fur_cursor_end_of_line(fur_cursor *cursor)
{
    fur_token rest = fur_cursor_token(cursor);
    return fur_token_is_empty(rest) ? FUR_OK
                                    : fur_cursor_unexpected(cursor, rest, "the end of the line");
}

bool fur_token_integer(fur_token token, int64_t *out)
{
    const char *at = token.begin;
    bool negative = at < token.end && *at == '-';
    if (at < token.end && (*at == '-' || *at == '+'))
        at++;
    if (at == token.end)
        return false;
    int64_t value = 0;
    for (; at < token.end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        value = value >= INT64_MAX / 10 ? INT64_MAX : 10 * value + (*at - '0');
    }
    *out = !negative ? value : value == INT64_MAX ? INT64_MIN : -value;
    return true;
}

bool fur_token_is(fur_token token, const char *word)
{
    const char *at = token.begin;
    for (; at < token.end && *word; at++, word++) {
        char lower = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
        if (lower != *word)
            return false;
    }
    return at == token.end && !*word;
}

/* Appends one character to a quotation. */
static size_t quote_character(char c, char *out, size_t room)
{
    bool printable = c >= 0x20 && c < 0x7f;
    return (size_t)(printable ? snprintf(out, room, "%c", c)
                              : snprintf(out, room, "\\x%02x", (unsigned char)c));
}

const char *fur_token_quote(fur_token token, char *out)
{
    size_t length = 0;
    out[length++] = '\'';
    const char *at = token.begin;
    while (at < token.end && length <= SHOWN_TOKEN)
        length += quote_character(*at++, out + length, FUR_QUOTE_SIZE - length);
    snprintf(out + length, FUR_QUOTE_SIZE - length, at < token.end ? "...'" : "'");
    return out;
}
