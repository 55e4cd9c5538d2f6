/* The contenders of a case as bars, the longer the faster. */
#ifndef FURROW_TOOLS_BARS_H
#define FURROW_TOOLS_BARS_H

#include <stdio.h>

#include <jansson.h>

#define BARS_WIDTH 600

int bars_height(const json_t *record);

/* Draws them in the classes of marks, from the upper left on. heat: as shown.h has it. */
void bars_put(FILE *stream, const json_t *record, const char *heat);

#endif
