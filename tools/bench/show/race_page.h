/* A web page about a race. */
#ifndef FURROW_TOOLS_RACE_PAGE_H
#define FURROW_TOOLS_RACE_PAGE_H

#include <stdio.h>

#include <jansson.h>

/* saved: the JSON output of furrow bench. */
void race_page_put(FILE *stream, const json_t *saved);

#endif
