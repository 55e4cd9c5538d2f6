/* A small fixed-width face for pictures made of pixels: lower-case letters, digits and the little
 * else that their labels need. */
#ifndef FURROW_TOOLS_FONT_H
#define FURROW_TOOLS_FONT_H

#include <stdbool.h>

#define FONT_WIDTH 5
#define FONT_HEIGHT 9

/* Whether a letter's pixel is set, from its upper left; false for all of a letter there is not. */
bool font_pixel(char letter, int x, int y);

#endif
