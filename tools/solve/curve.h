#ifndef FURROW_TOOLS_CURVE_H
#define FURROW_TOOLS_CURVE_H

#include "watch.h"

#include <stdio.h>

/* Style rules of the picture's classes, for the page. */
extern const char curve_style[];

/* Draws the residuals over the iterations on a logarithmic axis, as SVG for a page. Recurrence
 * residuals are a line, true residuals are dots, and the tolerance is marked. labels: the label of
 * each attempt, by its number from 1. */
void curve_put(FILE *stream, const watch *w, const char *const labels[]);

#endif
