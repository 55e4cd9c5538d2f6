/* The contenders below the roof that memory sets: operations a byte against operations a second. */
#ifndef FURROW_TOOLS_ROOFLINE_H
#define FURROW_TOOLS_ROOFLINE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#define ROOFLINE_WIDTH 960
#define ROOFLINE_HEIGHT 440

/* The style rules of its classes. The rules of marks are needed as well. */
extern const char roofline_style[];

/* Returns whether the memory's rate, and the bytes and operations of any contender, are known. */
bool roofline_known(const json_t *results, const char *heat);

void roofline_put(FILE *stream, const json_t *results, const char *heat);

#endif
