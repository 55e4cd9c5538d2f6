/* Many cases in one chart, with a line for each and its contenders' speed-ups on the line. */
#ifndef FURROW_TOOLS_OVERVIEW_H
#define FURROW_TOOLS_OVERVIEW_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#define OVERVIEW_WIDTH 960

/* Returns whether there are many cases, and each has a contender for comparison. */
bool overview_suits(const json_t *results, const char *heat);

int overview_height(const json_t *results);

/* Draws them in the classes of marks. */
void overview_put(FILE *stream, const json_t *results, const char *heat);

#endif
