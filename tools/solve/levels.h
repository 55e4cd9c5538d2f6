/* The levels of a hierarchy as a page shows them, after it has gone. */
#ifndef FURROW_TOOLS_LEVELS_H
#define FURROW_TOOLS_LEVELS_H

#include <furrow/author/precond.h>
#include <furrow/furrow.h>

#include <stdio.h>

#define LEVELS_MOST 40

typedef struct level_shown {
    double rows;
    double entries;
    void *picture; /* of its pattern, a PNG file */
    size_t size;
    int width; /* pixels */
    int height;
} level_shown;

typedef struct levels {
    fur_context *context;
    int count;
    level_shown shown[LEVELS_MOST];
    fur_amg_report report;
} levels;

/* What they are in place of those before; NULL: none. */
fur_status levels_take(levels *l, fur_context *context, const fur_amg *amg);

/* A section of the page; nothing without levels. factor: what an iteration leaves of a residual. */
void levels_put(const levels *l, double factor, FILE *stream);

void levels_release(levels *l);

#endif
