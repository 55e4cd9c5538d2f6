/* The contenders of a case as bars. A longer bar means a faster contender. */
#ifndef FURROW_TOOLS_BARS_H
#define FURROW_TOOLS_BARS_H

#include <stdio.h>

#include <jansson.h>

#define BARS_WIDTH 600

int bars_height(const json_t *record);

/* Draws them from the upper left corner on, in the classes of marks. heat: see shown.h. */
void bars_put(FILE *stream, const json_t *record, const char *heat);

#endif
