/* Recognises files of other formats by their first bytes. */
#include "foreign.h"

#include <string.h>

typedef struct signature {
    const char *bytes;
    size_t size;
    const char *what;
} signature;

static const signature signatures[] = {
    {"\x1f\x8b", 2, "gzip-compressed data; decompress it first: gzip -dc FILE > FILE.mtx"},
    {"\x28\xb5\x2f\xfd", 4, "zstd-compressed data; decompress it first: zstd -dc FILE > FILE.mtx"},
    {"\xfd\x37zXZ", 5, "xz-compressed data; decompress it first: xz -dc FILE > FILE.mtx"},
    {"BZh", 3, "bzip2-compressed data; decompress it first: bzip2 -dc FILE > FILE.mtx"},
    {"PK\x03\x04", 4, "a zip archive; unpack it first: unzip FILE"},
    {"\xff\xfe", 2, "UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff", 2, "UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8"},
    {"%\0%\0", 4, "UTF-16 text; convert it first: iconv -f UTF-16LE -t UTF-8"},
    {"\0%\0%", 4, "UTF-16 text; convert it first: iconv -f UTF-16BE -t UTF-8"},
    {"\x89HDF", 4, "an HDF5 file, not Matrix Market text"},
    {"\211FUR\r\n\032\n", 8,
     "a binary file (.fur), not Matrix Market text; read it with fur_binary_read_csr"},
    {"MATLAB 5.0", 10, "a MATLAB file, not Matrix Market text"},
    {"\x93NUMPY", 6, "a NumPy array (.npy), not Matrix Market text; write it by scipy.io.mmwrite"},
    {"version https://git-lfs.github.com/spec/", 40,
     "a Git LFS pointer instead of the file; fetch the file first: git lfs pull"},
};

static const char *recognise(const fur_cursor *cursor)
{
    size_t size = (size_t)(cursor->end - cursor->at);
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *s = &signatures[i];
        if (size >= s->size && memcmp(cursor->at, s->bytes, s->size) == 0)
            return s->what;
    }
    return NULL;
}

/* Returns the first CR in the text without a following LF, if no LF comes before it. */
static const char *lone_carriage_return(const fur_cursor *cursor)
{
    for (const char *at = cursor->at; at + 1 < cursor->end && *at != '\n'; at++)
        if (at[0] == '\r' && at[1] != '\n')
            return at;
    return NULL;
}

/* Returns whether the first character that is not a blank or a line end opens a tag. */
static bool is_markup(const fur_cursor *cursor)
{
    const char *at = cursor->at;
    while (at < cursor->end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at < cursor->end && *at == '<';
}

/* Returns whether the third line has a type such as RSA, and the fourth a Fortran format. These are
 * the heads of Harwell-Boeing and Rutherford-Boeing files (Duff, Grimes, Lewis 1992, 1997). */
static bool is_harwell_boeing(const fur_cursor *cursor)
{
    fur_cursor line = *cursor;
    for (int i = 0; i < 2; i++)
        if (!fur_cursor_next_line(&line))
            return false;
    fur_token type = fur_cursor_token(&line);
    if (type.end - type.begin != 3 || !strchr("RCPIQrcpiq", type.begin[0]) ||
        !strchr("SUHZRsuhzr", type.begin[1]) || !strchr("AEae", type.begin[2]))
        return false;
    if (!fur_cursor_next_line(&line))
        return false;
    fur_token format = fur_cursor_token(&line);
    return !fur_token_is_empty(format) && *format.begin == '(';
}

fur_status fur_foreign_refuse(const fur_cursor *cursor)
{
    if (cursor->at == cursor->end)
        return fur_cursor_fail(cursor, FUR_MALFORMED, cursor->at,
                               "found an empty file, expected the banner '%%%%MatrixMarket'");
    const char *what = recognise(cursor);
    if (what)
        return fur_cursor_fail(cursor, FUR_MALFORMED, cursor->at, "found %s", what);
    if (is_harwell_boeing(cursor))
        return fur_cursor_fail(cursor, FUR_MALFORMED, cursor->at,
                               "found a Harwell-Boeing file, not Matrix Market text; convert it "
                               "first: scipy.io.mmwrite(\"FILE.mtx\", scipy.io.hb_read(\"FILE\"))");
    if (is_markup(cursor))
        return fur_cursor_fail(
            cursor, FUR_MALFORMED, cursor->at,
            "found a web page (HTML or XML), expected the banner '%%%%MatrixMarket'");
    const char *carriage_return = lone_carriage_return(cursor);
    if (carriage_return)
        return fur_cursor_fail(
            cursor, FUR_MALFORMED, carriage_return,
            "found a line end of CR without LF; convert the line ends first: tr '\\r' '\\n'");
    return FUR_OK;
}
