/* Lines of a stream and the words in them, for the mmio interface. */
#ifndef FURROW_IO_MMIO_LINE_H
#define FURROW_IO_MMIO_LINE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct fur_line {
    char *text; /* from malloc, with the line end */
    size_t capacity;
    const char *at; /* behind the words that were taken */
    const char *end;
} fur_line;

/* Reads the next line. 0, MM_PREMATURE_EOF or MM_COULD_NOT_READ_FILE. */
int fur_line_read(FILE *f, fur_line *line);
/* The same, over blank lines and comments. */
int fur_line_read_content(FILE *f, fur_line *line);
void fur_line_release(fur_line *line);

/* The next word; false if there is none. */
bool fur_line_word(fur_line *line, const char **begin, const char **end);
/* Whether the next word is the one given in lower case; it is then taken. */
bool fur_line_take(fur_line *line, const char *word);
bool fur_line_is_done(fur_line *line);

/* An integer from `least` to INT_MAX. 0, MM_NOT_MTX or, above INT_MAX, MM_UNSUPPORTED_TYPE. */
int fur_line_int(fur_line *line, int least, int *out);
/* A number, or an integer, or an infinity or NaN. 0 or MM_NOT_MTX. */
int fur_line_double(fur_line *line, bool integer, double *out);

#endif
