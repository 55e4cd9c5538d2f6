/* Common parts of pages for browsers: begin, end, and figures in words. A page is a single file
 * that needs no other file. */
#ifndef FURROW_TOOLS_PAGE_H
#define FURROW_TOOLS_PAGE_H

#include "words.h"

#include <furrow/furrow.h>

/* Writes the page from the doctype to <main>. style: rules in addition to the common rules. */
void page_begin(FILE *stream, const char *title, const char *style);
void page_end(FILE *stream);

/* Writes the top of the page: the kind of subject, its name, and a line of facts. */
void page_header(FILE *stream, const char *kind, const char *name, const char *facts);

/* Writes a figure in large type, with its title above and a note below. */
void page_card(FILE *stream, const char *title, const char *figure, const char *note);

/* Writes bytes into the page, for example a picture. */
void page_put_base64(FILE *stream, const void *bytes, size_t size);

/* Formats a measurement with three digits and a unit. */
void page_time(double seconds, char out[WORDS_BYTES]);
void page_count(double count, char out[WORDS_BYTES]);

/* Writes a row of a table with two columns. `text` is inserted without escaping. */
void page_row(FILE *stream, const char *name, const char *text);
void page_time_row(FILE *stream, const char *name, double seconds);

/* The machine and program that produced the figures. */
typedef struct page_origin {
    const char *device;
    const char *isa;
    int threads;
    const char *version; /* version of furrow */
} page_origin;

/* Writes "Measured on cpu (avx2) with 2 threads by furrow 0.2.0". */
void page_put_origin(FILE *stream, const page_origin *origin);

page_origin page_origin_of(fur_context *context);

#endif
