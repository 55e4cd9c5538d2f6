/* Formats numbers and names for people. */
#include "words.h"

#include <string.h>

#include "utf8.h"

void words_number(double number, int decimals, char out[WORDS_BYTES])
{
    char digits[WORDS_BYTES];
    int length = snprintf(digits, sizeof digits, "%.*f", decimals, number);
    int whole = length - (decimals > 0 ? decimals + 1 : 0);
    int end = 0;
    for (int i = 0; i < length && end < WORDS_BYTES - 2; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            out[end++] = ',';
        out[end++] = digits[i];
    }
    out[end] = '\0';
}

const char *words_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

void words_put(FILE *stream, const char *text)
{
    static const char marks[] = "&<>\"";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (size_t size; *text; text += size ? size : 1) {
        const char *mark = strchr(marks, *text);
        size = (unsigned char)*text < ' ' ? 0 : utf8_size(text);
        if (mark)
            fputs(names[mark - marks], stream);
        else if (size == 0)
            fputs(UTF8_REPLACEMENT, stream);
        else
            fwrite(text, 1, size, stream);
    }
}
