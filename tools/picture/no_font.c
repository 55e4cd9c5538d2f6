/* An empty font, used if the build found none. */
#include "draw.h"
#include "font.h"

const font_face font_faces[DRAW_FACES];
