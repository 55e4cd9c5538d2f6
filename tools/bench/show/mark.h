/* The marks of contenders in charts: a circle for a kernel, a diamond for auto, a square for what
 * they are held against. */
#ifndef FURROW_TOOLS_MARK_H
#define FURROW_TOOLS_MARK_H

#include <stdio.h>

#include "race.h"

/* The rules of its classes. */
extern const char mark_style[];

/* A mark with its middle at x, y, which says the title where a pointer rests on it. */
void mark_put(FILE *stream, double x, double y, race_role role, const char *title);

/* What the marks mean, in a line from x on. */
#define MARK_LEGEND_WIDTH 390
void mark_legend(FILE *stream, double x, double y);

#endif
