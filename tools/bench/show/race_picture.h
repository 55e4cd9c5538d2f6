/* A race as one SVG picture: its bars, or an overview of many cases, and its roofline. */
#ifndef FURROW_TOOLS_RACE_PICTURE_H
#define FURROW_TOOLS_RACE_PICTURE_H

#include <stdio.h>

#include <jansson.h>

/* saved: the JSON output of furrow bench. */
void race_picture_put(FILE *stream, const json_t *saved);

#endif
