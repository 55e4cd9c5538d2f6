#ifndef FURROW_TOOLS_CURVE_H
#define FURROW_TOOLS_CURVE_H

#include "watch.h"

#include <stdio.h>

/* The rules of its classes, for the page's style. */
extern const char curve_style[];

/* The residuals against the iterations, in powers of ten, as SVG within a page: those of the method
 * as a line, true ones as dots, and what was asked for. labels: of each attempt, by its number
 * from 1. */
void curve_put(FILE *stream, const watch *w, const char *const labels[]);

#endif
