/* The head of a file: banner, comments and size line. */
#include "head.h"

#include <furrow/author/files.h>
#include <furrow/author/try.h>

#include "foreign.h"

#include <stdio.h>
#include <string.h>

static const char *const formats[] = {"coordinate", "array"};
/* The four fields, and other programs' words for real and integer. */
static const char *const fields[] = {"real",   "integer",          "complex", "pattern",
                                     "double", "unsigned-integer", "float"};
static const fur_mtx_field meanings[] = {FUR_MTX_REAL,    FUR_MTX_INTEGER, FUR_MTX_COMPLEX,
                                         FUR_MTX_PATTERN, FUR_MTX_REAL,    FUR_MTX_INTEGER,
                                         FUR_MTX_REAL};
#define FIELDS ((int)(sizeof fields / sizeof *fields))
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

const char *fur_mtx_format_name(fur_mtx_format format)
{
    return (unsigned)format <= FUR_MTX_ARRAY ? formats[format] : "?";
}

const char *fur_mtx_field_name(fur_mtx_field field)
{
    return (unsigned)field <= FUR_MTX_PATTERN ? fields[field] : "?";
}

const char *fur_mtx_symmetry_name(fur_mtx_symmetry symmetry)
{
    return (unsigned)symmetry <= FUR_MTX_HERMITIAN ? symmetries[symmetry] : "?";
}

/* Accepts a banner that violates the format, if its meaning is clear. */
static fur_status tolerate(fur_cursor *cursor, const char *place, const char *what, bool refuse,
                           fur_banner *banner)
{
    fur_cursor there = *cursor;
    if (!refuse)
        there.failure = &banner->dialect;
    fur_cursor_fail(
        &there, refuse ? FUR_MALFORMED : FUR_OK, place,
        "found %s, expected the banner '%%%%MatrixMarket' at the beginning of the line%s", what,
        refuse ? "" : "; read as if this were correct");
    return refuse ? FUR_MALFORMED : FUR_OK;
}

/* Reads the marker. Returns whether a blank splits it into two words, as in "%% MatrixMarket". */
static bool read_parted(fur_cursor *cursor, fur_token *out)
{
    fur_cursor behind = *cursor;
    fur_token signs = fur_cursor_token(&behind);
    fur_token word = fur_cursor_token(&behind);
    bool parted = (fur_token_is(signs, "%%") || fur_token_is(signs, "%")) &&
                  fur_token_is(word, "matrixmarket");
    *out = parted ? (fur_token){signs.begin, word.end} : fur_cursor_token(cursor);
    cursor->at = out->end;
    return parted;
}

/* Reads the banner's first word. Accepts a missing percent sign, a blank after the signs, and
 * blanks before the word. */
static fur_status read_marker(fur_cursor *cursor, bool refuse_dialects, fur_banner *banner)
{
    const char *begin = cursor->at;
    char quote[FUR_QUOTE_SIZE];
    fur_token token;
    bool unusual = read_parted(cursor, &token) || fur_token_is(token, "%matrixmarket");
    if (!unusual && !fur_token_is(token, "%%matrixmarket"))
        return fur_cursor_unexpected(cursor, token, "the banner '%%MatrixMarket'");
    if (unusual)
        return tolerate(cursor, token.begin, fur_token_quote(token, quote), refuse_dialects,
                        banner);
    if (token.begin > begin)
        return tolerate(cursor, token.begin, "an indented banner", refuse_dialects, banner);
    return FUR_OK;
}

/* Reads one of `count` words, and stores its index in *out. */
static fur_status read_word(fur_cursor *cursor, const char *const *words, int count,
                            const char *expected, fur_token *word, int *out)
{
    int index = 0;
    *word = fur_cursor_token(cursor);
    while (index < count && !fur_token_is(*word, words[index]))
        index++;
    if (index == count)
        return fur_cursor_unexpected(cursor, *word, expected);
    *out = index;
    return FUR_OK;
}

/* Reads object, format and field. */
static fur_status read_words(fur_cursor *cursor, fur_banner *banner)
{
    static const char *const objects[] = {"matrix", "vector"};
    fur_mtx_header *header = &banner->header;
    fur_token token;
    int object = 0, format = 0, field = 0;
    FUR_TRY(read_word(cursor, objects, 2, "'matrix' or 'vector'", &token, &object));
    FUR_TRY(read_word(cursor, formats, 2, "'coordinate' or 'array'", &token, &format));
    FUR_TRY(read_word(cursor, fields, FIELDS, "'real', 'integer', 'complex' or 'pattern'", &token,
                      &field));
    banner->vector = object == 1;
    header->format = (fur_mtx_format)format;
    header->field = meanings[field];
    if (header->format == FUR_MTX_ARRAY && header->field == FUR_MTX_PATTERN)
        return fur_cursor_unexpected(cursor, token, "'real', 'integer' or 'complex' for an array");
    return FUR_OK;
}

/* Reads the symmetry, and checks that the field can have it. */
static fur_status read_symmetry(fur_cursor *cursor, fur_banner *banner)
{
    fur_mtx_header *header = &banner->header;
    fur_token token;
    int symmetry = 0;
    FUR_TRY(read_word(cursor, symmetries, 4,
                      "'general', 'symmetric', 'skew-symmetric' or 'hermitian'", &token,
                      &symmetry));
    header->symmetry = (fur_mtx_symmetry)symmetry;
    if (banner->vector && header->symmetry != FUR_MTX_GENERAL)
        return fur_cursor_unexpected(cursor, token, "'general' for a vector");
    if (header->field == FUR_MTX_PATTERN && header->symmetry > FUR_MTX_SYMMETRIC)
        return fur_cursor_unexpected(cursor, token, "'general' or 'symmetric' for a pattern");
    if (header->field != FUR_MTX_COMPLEX && header->symmetry == FUR_MTX_HERMITIAN)
        return fur_cursor_unexpected(cursor, token, "'symmetric', as the values are not complex");
    return FUR_OK;
}

static fur_status read_size(fur_cursor *cursor, const char *expected, int64_t *out)
{
    fur_token token = fur_cursor_token(cursor);
    int64_t size;
    char quote[FUR_QUOTE_SIZE];
    if (!fur_token_integer(token, &size) || size < 0)
        return fur_cursor_unexpected(cursor, token, expected);
    if (size == INT64_MAX)
        return fur_cursor_fail(cursor, FUR_OVERFLOW, token.begin,
                               "found %s, expected %s, below 9.2e18", fur_token_quote(token, quote),
                               expected);
    *out = size;
    return FUR_OK;
}

/* Counts the values in an array file: all values, or the values of a triangle. Returns false on
 * overflow. */
static bool count_stored(const fur_mtx_header *header, int64_t *out)
{
    int64_t n = header->rows;
    if (header->symmetry == FUR_MTX_GENERAL)
        return !__builtin_mul_overflow(n, header->cols, out);
    int64_t other = header->symmetry == FUR_MTX_SKEW_SYMMETRIC ? n - 1 : n + 1;
    return n % 2 == 0 ? !__builtin_mul_overflow(n / 2, other, out)
                      : !__builtin_mul_overflow(other / 2, n, out);
}

/* The size line of an array has no number of entries, but some programs write it. */
static fur_status read_array_count(fur_cursor *cursor, fur_mtx_header *header)
{
    if (!count_stored(header, &header->entries_in_file))
        return fur_cursor_fail(cursor, FUR_OVERFLOW, cursor->line_start,
                               "found an array of %lld x %lld, whose size overflows 64 bits",
                               (long long)header->rows, (long long)header->cols);
    fur_token token = fur_cursor_token(cursor);
    int64_t count;
    if (!fur_token_is_empty(token) &&
        (!fur_token_integer(token, &count) || count != header->entries_in_file))
        return fur_cursor_unexpected(cursor, token, "the end of the line");
    return FUR_OK;
}

/* Reads the numbers of the size line, and checks that they are consistent. */
static fur_status read_sizes(fur_cursor *cursor, fur_banner *banner)
{
    fur_mtx_header *header = &banner->header;
    FUR_TRY(read_size(cursor, "the number of rows", &header->rows));
    header->cols = 1;
    if (!banner->vector)
        FUR_TRY(read_size(cursor, "the number of columns", &header->cols));
    if (header->symmetry != FUR_MTX_GENERAL && header->rows != header->cols)
        return fur_cursor_fail(cursor, FUR_MALFORMED, cursor->line_start,
                               "found %lld x %lld, expected a square matrix for '%s'",
                               (long long)header->rows, (long long)header->cols,
                               fur_mtx_symmetry_name(header->symmetry));
    if (header->format == FUR_MTX_ARRAY)
        return read_array_count(cursor, header);
    FUR_TRY(read_size(cursor, "the number of entries", &header->entries_in_file));
    if (header->entries_in_file > 0 && (header->rows == 0 || header->cols == 0))
        return fur_cursor_fail(
            cursor, FUR_MALFORMED, cursor->line_start,
            "found an entry count of %lld, expected 0 in a matrix of %lld x %lld",
            (long long)header->entries_in_file, (long long)header->rows, (long long)header->cols);
    return FUR_OK;
}

static void skip_byte_order_mark(fur_cursor *cursor)
{
    if (cursor->end - cursor->at >= 3 && memcmp(cursor->at, "\xef\xbb\xbf", 3) == 0)
        cursor->at += 3;
}

/* A line "%%GraphBLAS type <name>" (Davis 2019) names the type of the numbers before they were
 * written. */
static void read_type(const fur_cursor *cursor, fur_banner *banner)
{
    char *type = banner->header.graphblas_type;
    fur_cursor line = *cursor;
    if (!fur_token_is(fur_cursor_token(&line), "%%graphblas") ||
        !fur_token_is(fur_cursor_token(&line), "type"))
        return;
    fur_token token = fur_cursor_token(&line);
    int length = (int)(token.end - token.begin);
    for (int i = 0; i < length; i++)
        if ((unsigned char)token.begin[i] <= ' ' || (unsigned char)token.begin[i] >= 0x7f)
            return;
    snprintf(type, sizeof banner->header.graphblas_type, "%.*s", length, token.begin);
}

/* A word of AMGX's line, and its meaning. */
static const struct {
    const char *word;
    const char *meaning;
} amgx_words[] = {
    {"rhs", "a right-hand side after the entries; move it to a separate file"},
    {"solution", "a solution after the entries; move it to a separate file"},
    {"diagonal", "a diagonal separate from the entries; write it as entries"},
    {"base0", "indices that count from 0; add 1 to each"},
};

/* Returns FUR_MALFORMED if the word says that AMGX's file has blocks, or more than entries. */
static fur_status refuse_amgx_word(const fur_cursor *cursor, fur_token token)
{
    const char *meaning = NULL;
    char quote[FUR_QUOTE_SIZE];
    int64_t number;
    for (size_t i = 0; i < sizeof amgx_words / sizeof *amgx_words; i++)
        if (fur_token_is(token, amgx_words[i].word))
            meaning = amgx_words[i].meaning;
    if (fur_token_integer(token, &number) && number != 1)
        meaning = "blocks of entries; write single entries";
    return meaning ? fur_cursor_fail(cursor, FUR_MALFORMED, token.begin,
                                     "found %s of AMGX, which announces %s, and delete this line",
                                     fur_token_quote(token, quote), meaning)
                   : FUR_OK;
}

/* A line "%%AMGX 1 1 sorted rhs" names the contents of the file besides the entries. */
static fur_status refuse_amgx(const fur_cursor *cursor)
{
    fur_cursor line = *cursor;
    fur_token token = fur_cursor_token(&line);
    if (!fur_token_is(token, "%%amgx") && !fur_token_is(token, "%%nvamg"))
        return FUR_OK;
    for (token = fur_cursor_token(&line); !fur_token_is_empty(token);
         token = fur_cursor_token(&line))
        FUR_TRY(refuse_amgx_word(cursor, token));
    return FUR_OK;
}

/* Skips comments and blank lines up to the size line. */
static fur_status find_size_line(fur_cursor *cursor, fur_banner *banner)
{
    do {
        FUR_TRY(fur_cursor_refuse_nul(cursor));
        if (fur_cursor_content_in_line(cursor))
            return FUR_OK;
        read_type(cursor, banner);
        FUR_TRY(refuse_amgx(cursor));
    } while (fur_cursor_next_line(cursor));
    return fur_cursor_unexpected(cursor, fur_cursor_token(cursor), "the size line");
}

/* Reads the text after the marker, up to the end of the size line. */
static fur_status read_behind_marker(fur_cursor *cursor, fur_banner *banner)
{
    FUR_TRY(read_words(cursor, banner));
    FUR_TRY(read_symmetry(cursor, banner));
    FUR_TRY(fur_cursor_end_of_line(cursor));
    fur_cursor_next_line(cursor);
    FUR_TRY(find_size_line(cursor, banner));
    FUR_TRY(read_sizes(cursor, banner));
    return fur_cursor_end_of_line(cursor);
}

/* A refused file gets no warnings, so that its message also mentions unusual syntax. */
static void mention_dialect(const fur_banner *banner, fur_failure *failure)
{
    const fur_failure *d = &banner->dialect;
    size_t length = strlen(failure->sentence);
    if (d->name)
        snprintf(failure->sentence + length, sizeof failure->sentence - length,
                 "; and %lld:%lld: %.300s", (long long)d->line, (long long)d->column, d->sentence);
}

/* Reads from the first character of a text to the end of the size line. */
static fur_status read_banner(fur_cursor *cursor, bool refuse_dialects, fur_banner *out)
{
    fur_banner banner = {.vector = false};
    skip_byte_order_mark(cursor);
    FUR_TRY(fur_cursor_refuse_nul(cursor));
    FUR_TRY(read_marker(cursor, refuse_dialects, &banner));
    fur_status status = read_behind_marker(cursor, &banner);
    if (status == FUR_OK)
        *out = banner;
    else
        mention_dialect(&banner, cursor->failure);
    return status;
}

/* Returns the fewest bytes of an entry: a digit and a blank or line end for each index, or for the
 * single number of an array. Values are not counted, so that a file without values gets the right
 * message. */
static int64_t smallest_entry(const fur_banner *banner)
{
    return banner->vector || banner->header.format == FUR_MTX_ARRAY ? 2 : 4;
}

fur_status fur_banner_check_size(const fur_cursor *cursor, const fur_banner *banner)
{
    long long rows = banner->header.rows, cols = banner->header.cols;
    if (rows > INT32_MAX || cols > INT32_MAX)
        return fur_cursor_fail(
            cursor, FUR_OVERFLOW, cursor->line_start,
            "found a matrix of %lld x %lld, expected at most %d rows and columns", rows, cols,
            INT32_MAX);
    return FUR_OK;
}

fur_status fur_banner_check_limits(const fur_cursor *cursor, const fur_banner *banner,
                                   const fur_read_limits *limits, int64_t bytes)
{
    fur_failure beyond = {.status = FUR_OK};
    if (fur_limits_check_header(limits, &banner->header, bytes, &beyond) == FUR_OK)
        return FUR_OK;
    return fur_cursor_fail(cursor, beyond.status, cursor->line_start, "%s", beyond.sentence);
}

fur_status fur_banner_check_room(const fur_cursor *cursor, const fur_banner *banner, int64_t left)
{
    long long entries = banner->header.entries_in_file;
    /* The end of the size line replaces that of the last entry, which may be missing. */
    long long fitting = left / smallest_entry(banner);
    if (entries <= fitting)
        return FUR_OK;
    return fur_cursor_fail(
        cursor, FUR_MALFORMED, cursor->line_start,
        "found bytes for at most %lld entries in the rest of the file, expected %lld entries",
        fitting, entries);
}

/* Bytes that are read at first, and the most that are read to find the size line if the size of the
 * text is unknown. */
#define FIRST_LOOK 65536
#define LAST_LOOK ((size_t)64 << 20)

/* Returns whether the text has a complete line after the first that is neither blank nor a
 * comment. */
static bool has_size_line(fur_cursor cursor)
{
    return fur_cursor_next_line(&cursor) && fur_cursor_content(&cursor) &&
           fur_cursor_next_line(&cursor);
}

static fur_cursor start(const fur_feed *feed, const char *name, fur_failure *failure)
{
    return fur_cursor_start(failure, name, feed->head, feed->head_size);
}

fur_status fur_head_read(fur_feed *feed, const char *name, bool refuse_dialects,
                         fur_failure *failure, fur_banner *banner, fur_cursor *cursor)
{
    size_t wanted = FIRST_LOOK;
    FUR_TRY(fur_feed_look(feed, wanted, failure));
    *cursor = start(feed, name, failure);
    FUR_TRY(fur_foreign_refuse(cursor));
    while (!feed->ended && !has_size_line(*cursor)) {
        if (wanted >= LAST_LOOK && fur_feed_size(feed) < 0)
            return fur_failure_set(failure, FUR_MALFORMED,
                                   "%.400s: found no size line in the first %zu bytes of the text",
                                   name, feed->head_size);
        wanted *= 4;
        FUR_TRY(fur_feed_look(feed, wanted, failure));
        *cursor = start(feed, name, failure);
    }
    return read_banner(cursor, refuse_dialects, banner);
}
