/* Pictures of patterns: panels side by side under the matrix's name, each with axes, and a legend
 * of the tones. draw.c computes the layout. draw_png.c and draw_svg.c draw the two kinds of
 * pictures. */
#ifndef FURROW_TOOLS_DRAW_H
#define FURROW_TOOLS_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "raster.h"
#include "words.h"

#define DRAW_PANELS 2
#define DRAW_LINES 3 /* lines above a panel */
#define DRAW_LINE_BYTES 256

typedef struct draw_panel {
    raster cells;
    char title[DRAW_LINE_BYTES];
    char lines[DRAW_LINES][DRAW_LINE_BYTES]; /* below the title; unused lines are "" */
} draw_panel;

/* The contents of a picture. */
typedef struct draw_sheet {
    char title[DRAW_LINE_BYTES];
    char subtitle[DRAW_LINE_BYTES];
    draw_panel panels[DRAW_PANELS];
    int count;
} draw_sheet;

typedef struct draw_color {
    uint8_t red, green, blue;
} draw_color;

/* Returns the colour of a tone from 1 to RASTER_TONES. Denser tones are darker. Everything except
 * cells has one of the four colours below. */
draw_color draw_tone(int tone);
extern const draw_color draw_paper, draw_ink, draw_soft, draw_frame;

typedef enum draw_face { DRAW_TITLE, DRAW_HEAD, DRAW_TEXT, DRAW_SMALL, DRAW_FACES } draw_face;

/* Height of an em in pixels. The first two faces are bold, the last is soft. */
extern const int draw_em[DRAW_FACES];

typedef enum draw_anchor { DRAW_FROM, DRAW_AROUND, DRAW_UP_TO } draw_anchor;

/* The drawing operations of a picture, in pixels from the upper left. */
typedef struct draw_pen {
    void *self;
    /* Draws text that begins, is centred, or ends at x. */
    void (*text)(void *self, int x, int baseline, draw_face face, draw_anchor anchor,
                 const char *text);
    void (*box)(void *self, int left, int top, int width, int height, draw_color color);
    void (*cells)(void *self, int left, int top, const raster *cells, double densest);
} draw_pen;

/* Draws the sheet without its paper. */
void draw_run(const draw_sheet *sheet, const draw_pen *pen);

typedef struct draw_size {
    int width;
    int height;
} draw_size;

/* Returns the size of the whole picture. */
draw_size draw_extent(const draw_sheet *sheet);

/* Both write a whole file or fail with FUR_OUT_OF_MEMORY. The owner of the stream checks for write
 * errors. */
fur_status draw_png(fur_context *context, const draw_sheet *sheet, FILE *stream);
fur_status draw_svg(fur_context *context, const draw_sheet *sheet, FILE *stream);

/* Returns whether draw_png has letters. It has none if the build found no font. */
bool draw_png_has_words(void);

/* Draws the cells of one raster on a clear ground, as a PNG file in memory. The caller frees it
 * with fur_context_release. */
fur_status draw_png_cells(fur_context *context, const raster *cells, double densest, void **bytes,
                          size_t *size);

/* The numbers along an axis, counted from 1, and the middle of their rows or columns. */
#define DRAW_TICKS_MAX 24
typedef struct draw_tick {
    double at; /* 0 at the begin of the first cell, 1 at the end of the last */
    char number[WORDS_BYTES];
} draw_tick;

/* Makes the first, the last, and round numbers in between, at least `apart` pixels apart. */
int draw_ticks(const raster_side *side, int apart, draw_tick ticks[DRAW_TICKS_MAX]);

#endif
