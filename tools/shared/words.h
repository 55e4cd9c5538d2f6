/* Numbers and names as pictures and pages show them. */
#ifndef FURROW_TOOLS_WORDS_H
#define FURROW_TOOLS_WORDS_H

#include <stdio.h>

#define WORDS_BYTES 64

/* A number with `decimals` decimals and a comma as thousands separator. */
void words_number(double number, int decimals, char out[WORDS_BYTES]);

/* The name of a file without its folder; "standard input" for "-". */
const char *words_file(const char *path);

/* Text for XML and HTML; what is no UTF-8, or a control character, becomes U+FFFD. */
void words_put(FILE *stream, const char *text);

#endif
