/* Formats numbers and names for pictures and pages. */
#ifndef FURROW_TOOLS_WORDS_H
#define FURROW_TOOLS_WORDS_H

#include <stdio.h>

#define WORDS_BYTES 64

/* Formats a number with `decimals` decimals and commas between thousands. */
void words_number(double number, int decimals, char out[WORDS_BYTES]);

/* Returns the name of a file without its folder; "standard input" for "-". */
const char *words_file(const char *path);

/* Writes text for XML and HTML. Control characters and invalid UTF-8 become U+FFFD. */
void words_put(FILE *stream, const char *text);

#endif
