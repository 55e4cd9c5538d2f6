/* The letters of pictures made of pixels: drawn by FreeType when the command is built, so that it
 * needs no font and no library where it runs. */
#ifndef FURROW_TOOLS_FONT_H
#define FURROW_TOOLS_FONT_H

#include <stdint.h>

typedef struct font_glyph {
    uint32_t letter;
    int8_t left; /* of the pixels, from where the letter begins */
    int8_t top;  /* above the baseline */
    uint8_t width;
    uint8_t height;
    uint8_t advance;   /* to the next letter */
    uint32_t coverage; /* where its pixels begin in the face's, one byte each, row by row */
} font_glyph;

typedef struct font_face {
    int count;                /* 0: the build found no font */
    const font_glyph *glyphs; /* letters rise */
    const uint8_t *coverage;
} font_face;

/* One for each draw_face. */
extern const font_face font_faces[];

#endif
