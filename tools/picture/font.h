/* Letters of PNG pictures as pixels. FreeType draws them when the command is built, so that running
 * it needs no font and no library. */
#ifndef FURROW_TOOLS_FONT_H
#define FURROW_TOOLS_FONT_H

#include <stdint.h>

typedef struct font_glyph {
    uint32_t letter;
    int8_t left; /* of the pixels, relative to the start of the letter */
    int8_t top;  /* of the pixels, above the baseline */
    uint8_t width;
    uint8_t height;
    uint8_t advance;   /* distance to the next letter */
    uint32_t coverage; /* index of its pixels in the face's array, one byte each, row by row */
} font_glyph;

typedef struct font_face {
    int count;                /* 0: the build found no font */
    const font_glyph *glyphs; /* in increasing order of the letters */
    const uint8_t *coverage;
} font_face;

/* A face for each draw_face. */
extern const font_face font_faces[];

#endif
