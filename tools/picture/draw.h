/* Pictures of patterns: panels side by side, each with its axes, under the matrix's name, and what
 * the tones mean. draw.c says what is where; the two kinds of pictures, draw_png.c and draw_svg.c,
 * put it there. */
#ifndef FURROW_TOOLS_DRAW_H
#define FURROW_TOOLS_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "raster.h"
#include "words.h"

#define DRAW_PANELS 2
#define DRAW_LINES 3 /* above a panel */
#define DRAW_LINE_BYTES 256

typedef struct draw_panel {
    raster cells;
    char title[DRAW_LINE_BYTES];
    char lines[DRAW_LINES][DRAW_LINE_BYTES]; /* below the title; those not used are "" */
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

/* The colour of a tone from 1 to RASTER_TONES, the denser the darker, and of all but cells. */
draw_color draw_tone(int tone);
extern const draw_color draw_paper, draw_ink, draw_soft, draw_frame;

typedef enum draw_face { DRAW_TITLE, DRAW_HEAD, DRAW_TEXT, DRAW_SMALL, DRAW_FACES } draw_face;

/* Height of an em in pixels. The first two are bold, the last is soft. */
extern const int draw_em[DRAW_FACES];

typedef enum draw_anchor { DRAW_FROM, DRAW_AROUND, DRAW_UP_TO } draw_anchor;

/* The operations of every kind of picture, in pixels from the upper left. */
typedef struct draw_pen {
    void *self;
    /* Text that begins at x, has its middle there, or ends there. */
    void (*text)(void *self, int x, int baseline, draw_face face, draw_anchor anchor,
                 const char *text);
    void (*box)(void *self, int left, int top, int width, int height, draw_color color);
    void (*cells)(void *self, int left, int top, const raster *cells, double densest);
} draw_pen;

/* Draws all of the sheet but its paper. */
void draw_run(const draw_sheet *sheet, const draw_pen *pen);

typedef struct draw_size {
    int width;
    int height;
} draw_size;

/* The size of the whole picture. */
draw_size draw_extent(const draw_sheet *sheet);

/* Both write a whole file, or fail with FUR_OUT_OF_MEMORY; what the stream meets is for its owner
 * to see. */
fur_status draw_png(fur_context *context, const draw_sheet *sheet, FILE *stream);
fur_status draw_svg(fur_context *context, const draw_sheet *sheet, FILE *stream);

/* Whether draw_png has letters: not if the build found no font. */
bool draw_png_has_words(void);

/* The cells of one raster alone, on clear ground: a PNG file in memory, which the caller gives back
 * by fur_context_release. */
fur_status draw_png_cells(fur_context *context, const raster *cells, double densest, void **bytes,
                          size_t *size);

/* The numbers along an axis, counted from 1, and where their rows or columns have their middle. */
#define DRAW_TICKS_MOST 24
typedef struct draw_tick {
    double at; /* 0 at the first cell's begin, 1 at the last one's end */
    char number[WORDS_BYTES];
} draw_tick;

/* Round numbers that stand at least `apart` pixels from each other, the first and the last. */
int draw_ticks(const raster_side *side, int apart, draw_tick ticks[DRAW_TICKS_MOST]);

#endif
