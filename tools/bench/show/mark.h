/* The marks of contenders in charts: a circle for a kernel, a diamond for auto, a square for the
 * contender that the others are compared with. */
#ifndef FURROW_TOOLS_MARK_H
#define FURROW_TOOLS_MARK_H

#include <stdio.h>

#include "race.h"

/* The style rules of its classes. */
extern const char mark_style[];

/* Draws a mark with its centre at x, y. It shows the title when a pointer rests on it. */
void mark_put(FILE *stream, double x, double y, race_role role, const char *title);

/* Draws the legend of the marks in a line, from x on. */
#define MARK_LEGEND_WIDTH 390
void mark_legend(FILE *stream, double x, double y);

#endif
