/* UTF-8 (RFC 3629). Names of files may be invalid UTF-8. */
#ifndef FURROW_TOOLS_UTF8_H
#define FURROW_TOOLS_UTF8_H

#include <stddef.h>

/* Replaces a byte that belongs to no character: U+FFFD. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Returns the bytes of the first character of the text, or 0 if it is invalid UTF-8. */
static inline size_t utf8_size(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t size = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    unsigned char least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    if (c[0] > 0xf4 || (size > 1 && (c[1] < least || c[1] > most)))
        return 0;
    for (size_t i = 2; i < size; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

#endif
