/* Banner and size line. */
#include "banner.h"
#include "limit.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

/* What is not in the format but plainly meant so. */
static fur_status tolerate(fur_scan *scan, const char *place, const char *what, bool refuse,
                           fur_banner *banner)
{
    fur_scan there = *scan;
    if (!refuse)
        there.failure = &banner->dialect;
    fur_scan_fail(&there, refuse ? FUR_MALFORMED : FUR_OK, place,
                  "found %s, expected the banner '%%%%MatrixMarket' at the beginning of the line%s",
                  what, refuse ? "" : "; read as if it were so");
    return refuse ? FUR_MALFORMED : FUR_OK;
}

static fur_status read_marker(fur_scan *scan, bool refuse_dialects, fur_banner *banner)
{
    const char *begin = scan->at;
    fur_token token = fur_scan_token(scan);
    bool one_percent = fur_token_is(token, "%matrixmarket");
    if (!one_percent && !fur_token_is(token, "%%matrixmarket"))
        return fur_scan_unexpected(scan, token, "the banner '%%MatrixMarket'");
    if (one_percent)
        return tolerate(scan, token.begin, "'%MatrixMarket'", refuse_dialects, banner);
    if (token.begin > begin)
        return tolerate(scan, token.begin, "an indented banner", refuse_dialects, banner);
    return FUR_OK;
}

static fur_status read_words(fur_scan *scan, fur_banner *banner)
{
    fur_mtx_header *header = &banner->header;
    fur_token token;
    token = fur_scan_token(scan);
    banner->vector = fur_token_is(token, "vector");
    if (!banner->vector && !fur_token_is(token, "matrix"))
        return fur_scan_unexpected(scan, token, "'matrix' or 'vector'");
    token = fur_scan_token(scan);
    if (!fur_words_format(token, &header->format))
        return fur_scan_unexpected(scan, token, "'coordinate' or 'array'");
    token = fur_scan_token(scan);
    if (!fur_words_field(token, &header->field))
        return fur_scan_unexpected(scan, token, "'real', 'integer', 'complex' or 'pattern'");
    if (header->format == FUR_MTX_ARRAY && header->field == FUR_MTX_PATTERN)
        return fur_scan_unexpected(scan, token, "'real', 'integer' or 'complex' for an array");
    return FUR_OK;
}

/* The symmetry, and whether the field can have it. */
static fur_status read_symmetry(fur_scan *scan, fur_banner *banner)
{
    fur_mtx_header *header = &banner->header;
    fur_token token = fur_scan_token(scan);
    if (!fur_words_symmetry(token, &header->symmetry))
        return fur_scan_unexpected(scan, token,
                                   "'general', 'symmetric', 'skew-symmetric' or 'hermitian'");
    if (banner->vector && header->symmetry != FUR_MTX_GENERAL)
        return fur_scan_unexpected(scan, token, "'general' for a vector");
    if (header->field == FUR_MTX_PATTERN && header->symmetry > FUR_MTX_SYMMETRIC)
        return fur_scan_unexpected(scan, token, "'general' or 'symmetric' for a pattern");
    if (header->field != FUR_MTX_COMPLEX && header->symmetry == FUR_MTX_HERMITIAN)
        return fur_scan_unexpected(scan, token, "'symmetric', as the values are not complex");
    return FUR_OK;
}

static fur_status read_size(fur_scan *scan, const char *expected, int64_t *out)
{
    fur_token token = fur_scan_token(scan);
    int64_t size;
    char quote[FUR_QUOTE_SIZE];
    if (!fur_token_integer(token, &size) || size < 0)
        return fur_scan_unexpected(scan, token, expected);
    if (size == INT64_MAX)
        return fur_scan_fail(scan, FUR_OVERFLOW, token.begin, "found %s, expected %s, below 9.2e18",
                             fur_token_quote(token, quote), expected);
    *out = size;
    return FUR_OK;
}

/* *out = a * b for a, b >= 0; false if it does not fit. */
static bool multiply(int64_t a, int64_t b, int64_t *out)
{
    if (b > 0 && a > INT64_MAX / b)
        return false;
    *out = a * b;
    return true;
}

/* The numbers an array file stores: all, or those of a triangle. False if they do not fit. */
static bool count_stored(const fur_mtx_header *header, int64_t *out)
{
    int64_t n = header->rows;
    if (header->symmetry == FUR_MTX_GENERAL)
        return multiply(n, header->cols, out);
    int64_t other = header->symmetry == FUR_MTX_SKEW_SYMMETRIC ? n - 1 : n + 1;
    return n % 2 == 0 ? multiply(n / 2, n == 0 ? 0 : other, out) : multiply(other / 2, n, out);
}

/* Of an array the count is not part of the size line; some programs write it nevertheless. */
static fur_status read_array_count(fur_scan *scan, fur_mtx_header *header)
{
    if (!count_stored(header, &header->entries_in_file))
        return fur_scan_fail(scan, FUR_OVERFLOW, scan->line_start,
                             "found an array of %lld x %lld, whose size overflows 64 bits",
                             (long long)header->rows, (long long)header->cols);
    fur_token token = fur_scan_token(scan);
    int64_t count;
    if (!fur_token_is_empty(token) &&
        (!fur_token_integer(token, &count) || count != header->entries_in_file))
        return fur_scan_unexpected(scan, token, "the end of the line");
    return FUR_OK;
}

static fur_status read_sizes(fur_scan *scan, fur_banner *banner)
{
    fur_mtx_header *header = &banner->header;
    FUR_TRY(read_size(scan, "the number of rows", &header->rows));
    header->cols = 1;
    if (!banner->vector)
        FUR_TRY(read_size(scan, "the number of columns", &header->cols));
    if (header->symmetry != FUR_MTX_GENERAL && header->rows != header->cols)
        return fur_scan_fail(scan, FUR_MALFORMED, scan->line_start,
                             "found %lld x %lld, expected a square matrix for '%s'",
                             (long long)header->rows, (long long)header->cols,
                             fur_mtx_symmetry_name(header->symmetry));
    if (header->format == FUR_MTX_ARRAY)
        return read_array_count(scan, header);
    FUR_TRY(read_size(scan, "the number of entries", &header->entries_in_file));
    if (header->entries_in_file > 0 && (header->rows == 0 || header->cols == 0))
        return fur_scan_fail(scan, FUR_MALFORMED, scan->line_start,
                             "found an entry count of %lld, expected 0 in a matrix of %lld x %lld",
                             (long long)header->entries_in_file, (long long)header->rows,
                             (long long)header->cols);
    return FUR_OK;
}

static void skip_byte_order_mark(fur_scan *scan)
{
    if (scan->end - scan->at >= 3 && memcmp(scan->at, "\xef\xbb\xbf", 3) == 0)
        scan->at += 3;
}

/* A line "%%GraphBLAS type <name>" (Davis 2019) says what the numbers were before they were
 * written. */
static void read_type(const fur_scan *scan, fur_banner *banner)
{
    char *type = banner->header.graphblas_type;
    fur_scan line = *scan;
    if (!fur_token_is(fur_scan_token(&line), "%%graphblas") ||
        !fur_token_is(fur_scan_token(&line), "type"))
        return;
    fur_token token = fur_scan_token(&line);
    int length = (int)(token.end - token.begin);
    for (int i = 0; i < length; i++)
        if ((unsigned char)token.begin[i] <= ' ' || (unsigned char)token.begin[i] >= 0x7f)
            return;
    snprintf(type, sizeof banner->header.graphblas_type, "%.*s", length, token.begin);
}

/* Over comments and blank lines to the size line. */
static fur_status find_size_line(fur_scan *scan, fur_banner *banner)
{
    do {
        FUR_TRY(fur_scan_refuse_nul(scan));
        if (fur_scan_content_in_line(scan))
            return FUR_OK;
        read_type(scan, banner);
    } while (fur_scan_next_line(scan));
    return fur_scan_unexpected(scan, fur_scan_token(scan), "the size line");
}

fur_status fur_banner_read(fur_scan *scan, bool refuse_dialects, fur_banner *out)
{
    fur_banner banner = {.vector = false};
    skip_byte_order_mark(scan);
    FUR_TRY(fur_scan_refuse_nul(scan));
    FUR_TRY(read_marker(scan, refuse_dialects, &banner));
    FUR_TRY(read_words(scan, &banner));
    FUR_TRY(read_symmetry(scan, &banner));
    FUR_TRY(fur_scan_end_of_line(scan));
    fur_scan_next_line(scan);
    FUR_TRY(find_size_line(scan, &banner));
    FUR_TRY(read_sizes(scan, &banner));
    FUR_TRY(fur_scan_end_of_line(scan));
    *out = banner;
    return FUR_OK;
}

/* The fewest bytes an entry takes: one digit and one blank or line end for each index, or for the
 * one number of an array. Values are left out, so that a file that lacks them is told so. */
static int64_t smallest_entry(const fur_banner *banner)
{
    return banner->vector || banner->header.format == FUR_MTX_ARRAY ? 2 : 4;
}

fur_status fur_banner_check_size(const fur_scan *scan, const fur_banner *banner)
{
    long long rows = banner->header.rows, cols = banner->header.cols;
    if (rows > INT32_MAX || cols > INT32_MAX)
        return fur_scan_fail(scan, FUR_OVERFLOW, scan->line_start,
                             "found a matrix of %lld x %lld, expected at most %d rows and columns",
                             rows, cols, INT32_MAX);
    return FUR_OK;
}

fur_status fur_banner_check_limits(const fur_scan *scan, const fur_banner *banner,
                                   const fur_read_limits *limits, int64_t bytes)
{
    fur_failure beyond = {.status = FUR_OK};
    if (fur_limits_check_header(limits, &banner->header, bytes, &beyond) == FUR_OK)
        return FUR_OK;
    return fur_scan_fail(scan, beyond.status, scan->line_start, "%s", beyond.sentence);
}

fur_status fur_banner_check_room(const fur_scan *scan, const fur_banner *banner, int64_t left)
{
    long long entries = banner->header.entries_in_file;
    /* The end of the size line stands in for that of the last entry, which may be missing. */
    long long fitting = left / smallest_entry(banner);
    if (entries <= fitting)
        return FUR_OK;
    return fur_scan_fail(scan, FUR_MALFORMED, scan->line_start,
                         "found room for at most %lld entries in the rest of the file, expected "
                         "%lld",
                         fitting, entries);
}
