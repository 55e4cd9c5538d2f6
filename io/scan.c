/* The cursor: words, lines, comments, and sentences that say where. */
#include "scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_TOKEN 40

fur_scan fur_scan_start(fur_failure *failure, const char *name, const char *text, size_t size)
{
    return (fur_scan){.failure = failure,
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

/* A line ends with LF, CR LF, or with the file. */
static bool ends_line(const fur_scan *scan, const char *at)
{
    if (at < scan->end && *at == '\r')
        at++;
    return at == scan->end || *at == '\n';
}

void fur_scan_blanks(fur_scan *scan)
{
    while (scan->at < scan->end && is_blank(*scan->at))
        scan->at++;
}

bool fur_scan_at_line_end(const fur_scan *scan)
{
    return ends_line(scan, scan->at);
}

fur_token fur_scan_token(fur_scan *scan)
{
    fur_scan_blanks(scan);
    const char *at = scan->at;
    fur_token token = {at, at};
    while (at < scan->end && !is_blank(*at) && *at != '\n' && !(*at == '\r' && ends_line(scan, at)))
        at++;
    token.end = at;
    scan->at = at;
    return token;
}

bool fur_scan_next_line(fur_scan *scan)
{
    size_t left = (size_t)(scan->end - scan->at);
    const char *newline = left > 0 ? memchr(scan->at, '\n', left) : NULL;
    if (!newline) {
        scan->at = scan->end;
        return false;
    }
    scan->at = newline + 1;
    scan->line_start = scan->at;
    scan->line++;
    return true;
}

/* Whether the character at the cursor is a % with only blanks before it. */
static bool is_comment(const fur_scan *scan)
{
    if (*scan->at != '%')
        return false;
    const char *at = scan->line_start;
    while (is_blank(*at))
        at++;
    return at == scan->at;
}

bool fur_scan_content_in_line(fur_scan *scan)
{
    fur_scan_blanks(scan);
    return !ends_line(scan, scan->at) && !is_comment(scan);
}

fur_status fur_scan_refuse_nul(const fur_scan *scan)
{
    size_t left = (size_t)(scan->end - scan->at);
    const char *newline = left > 0 ? memchr(scan->at, '\n', left) : NULL;
    size_t length = newline ? (size_t)(newline - scan->at) : left;
    const char *nul = length > 0 ? memchr(scan->at, '\0', length) : NULL;
    return nul ? fur_scan_fail(scan, FUR_MALFORMED, nul, "found a NUL byte, expected text")
               : FUR_OK;
}

bool fur_scan_content(fur_scan *scan)
{
    do {
        if (fur_scan_content_in_line(scan))
            return true;
    } while (fur_scan_next_line(scan));
    return false;
}

fur_status fur_scan_fail(const fur_scan *scan, fur_status status, const char *place,
                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scan->failure->sentence, sizeof scan->failure->sentence, format, arguments);
    va_end(arguments);
    scan->failure->status = status;
    scan->failure->name = scan->name;
    scan->failure->line = scan->line;
    scan->failure->column = place - scan->line_start + 1;
    return status;
}

fur_status fur_scan_unexpected(const fur_scan *scan, fur_token found, const char *expected)
{
    char quote[FUR_QUOTE_SIZE];
    if (!fur_token_is_empty(found))
        fur_token_quote(found, quote);
    else
        snprintf(quote, sizeof quote, "the end of the %s",
                 found.begin == scan->end ? "file" : "line");
    return fur_scan_fail(scan, FUR_MALFORMED, found.begin, "found %s, expected %s", quote,
                         expected);
}

fur_status fur_scan_end_of_line(fur_scan *scan)
{
    fur_token rest = fur_scan_token(scan);
    return fur_token_is_empty(rest) ? FUR_OK
                                    : fur_scan_unexpected(scan, rest, "the end of the line");
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

/* Puts one character into a quotation. */
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
