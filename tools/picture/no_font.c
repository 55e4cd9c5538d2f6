/* The letters where the build found no font: none. */
#include "draw.h"
#include "font.h"

const font_face font_faces[DRAW_FACES];
