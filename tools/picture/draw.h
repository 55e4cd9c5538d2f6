/* Pictures of patterns: panels side by side, each with a title, a frame around its cells and lines
 * below that say what is seen. */
#ifndef FURROW_TOOLS_DRAW_H
#define FURROW_TOOLS_DRAW_H

#include <stdint.h>
#include <stdio.h>

#include "raster.h"

#define DRAW_PANELS 2
#define DRAW_LINES 4
#define DRAW_LINE_BYTES 64

typedef struct draw_panel {
    raster cells;
    char title[DRAW_LINE_BYTES];
    char lines[DRAW_LINES][DRAW_LINE_BYTES];
} draw_panel;

typedef struct draw_sheet {
    draw_panel panels[DRAW_PANELS];
    int count;
    int lines; /* of each panel that are used */
} draw_sheet;

/* Sizes in pixels that all pictures share. */
enum {
    DRAW_MARGIN = 16,
    DRAW_LETTER = 12, /* width of a letter, with the space behind it */
    DRAW_ROW = 24,    /* height of a line of text */
    DRAW_GAP = 6      /* between the cells and their frame, and between frame and text */
};

/* Where a panel is, and how large. */
typedef struct draw_box {
    int left; /* of title, frame and lines */
    int top;  /* of the cells */
    int width;
    int height;
} draw_box;

draw_box draw_place(const draw_sheet *sheet, int panel);
/* Of the whole picture. */
draw_box draw_extent(const draw_sheet *sheet);

/* The panels' common measure of density, so that their tones can be compared. */
double draw_densest(const draw_sheet *sheet);

typedef struct draw_color {
    uint8_t red, green, blue;
} draw_color;

extern const draw_color draw_paper, draw_ink, draw_frame;

/* Of a tone from 1 to RASTER_TONES: the denser the darker. */
draw_color draw_tone(int tone);

/* Both write a whole file, or fail with FUR_OUT_OF_MEMORY; what the stream meets is for its owner
 * to see. */
fur_status draw_png(fur_context *context, const draw_sheet *sheet, FILE *stream);
fur_status draw_svg(fur_context *context, const draw_sheet *sheet, FILE *stream);

/* The cells of one raster alone, on clear ground: a PNG file in memory, which the caller gives back
 * by fur_context_release. */
fur_status draw_png_cells(fur_context *context, const raster *cells, double densest, void **bytes,
                          size_t *size);

#endif
