/* Telling what a file is that cannot be read, from its first bytes. */
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
    {"MATLAB 5.0", 10, "a MATLAB file, not Matrix Market text"},
};

static const char *recognise(const fur_scan *scan)
{
    size_t size = (size_t)(scan->end - scan->at);
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *s = &signatures[i];
        if (size >= s->size && memcmp(scan->at, s->bytes, s->size) == 0)
            return s->what;
    }
    return NULL;
}

/* The first CR in the text that no LF follows, if there is no LF before it. */
static const char *lone_carriage_return(const fur_scan *scan)
{
    for (const char *at = scan->at; at + 1 < scan->end && *at != '\n'; at++)
        if (at[0] == '\r' && at[1] != '\n')
            return at;
    return NULL;
}

/* Whether the first character that is not a blank or a line end opens a tag. */
static bool is_markup(const fur_scan *scan)
{
    const char *at = scan->at;
    while (at < scan->end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at < scan->end && *at == '<';
}

fur_status fur_foreign_refuse(const fur_scan *scan)
{
    if (scan->at == scan->end)
        return fur_scan_fail(scan, FUR_MALFORMED, scan->at,
                             "found an empty file, expected the banner '%%%%MatrixMarket'");
    const char *what = recognise(scan);
    if (what)
        return fur_scan_fail(scan, FUR_MALFORMED, scan->at, "found %s", what);
    if (is_markup(scan))
        return fur_scan_fail(
            scan, FUR_MALFORMED, scan->at,
            "found a web page (HTML or XML), expected the banner '%%%%MatrixMarket'");
    const char *carriage_return = lone_carriage_return(scan);
    if (carriage_return)
        return fur_scan_fail(scan, FUR_MALFORMED, carriage_return,
                             "found CR without LF; convert the line ends first: tr '\\r' '\\n'");
    return FUR_OK;
}
