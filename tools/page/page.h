/* What pages for browsers share: their begin and end, and figures in words. A page is one file that
 * needs nothing else. */
#ifndef FURROW_TOOLS_PAGE_H
#define FURROW_TOOLS_PAGE_H

#include "words.h"

#include <furrow/furrow.h>

/* From the doctype to the first line of <main>; style: rules besides those of all pages. */
void page_begin(FILE *stream, const char *title, const char *style);
void page_end(FILE *stream);

/* Above the page's text: what it is about, in words and by its name, and a line about that. */
void page_header(FILE *stream, const char *kind, const char *name, const char *facts);

/* A figure in large type, with its name above and a note below. */
void page_card(FILE *stream, const char *title, const char *figure, const char *note);

/* Bytes within the page, such as those of a picture. */
void page_put_base64(FILE *stream, const void *bytes, size_t size);

/* What is measured, as three digits and a unit. */
void page_time(double seconds, char out[WORDS_BYTES]);
void page_count(double count, char out[WORDS_BYTES]);

/* A row of a table of two columns; the second is as it is to stand in the page. */
void page_row(FILE *stream, const char *name, const char *text);
void page_time_row(FILE *stream, const char *name, double seconds);

/* Where and by what the figures were measured. */
typedef struct page_origin {
    const char *device;
    const char *isa;
    int threads;
    const char *version; /* of furrow */
} page_origin;

/* "Measured on cpu (avx2) with 2 threads by furrow 0.2.0" */
void page_put_origin(FILE *stream, const page_origin *origin);

page_origin page_origin_of(fur_context *context);

#endif
