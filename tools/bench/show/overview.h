/* Many cases at a glance: a line for each, with its contenders' speed-ups along it. */
#ifndef FURROW_TOOLS_OVERVIEW_H
#define FURROW_TOOLS_OVERVIEW_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#define OVERVIEW_WIDTH 960

/* Whether the cases are many, and each has something that its contenders are held against. */
bool overview_suits(const json_t *results, const char *heat);

int overview_height(const json_t *results);

/* Draws them in the classes of marks. */
void overview_put(FILE *stream, const json_t *results, const char *heat);

#endif
