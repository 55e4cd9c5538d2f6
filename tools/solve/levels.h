/* The levels of a hierarchy, kept for a page after the hierarchy is destroyed. */
#ifndef FURROW_TOOLS_LEVELS_H
#define FURROW_TOOLS_LEVELS_H

#include <furrow/author/precond.h>
#include <furrow/furrow.h>

#include <stdio.h>

#define LEVELS_MAX 40

typedef struct level_shown {
    double rows;
    double entries;
    void *picture; /* PNG file of the pattern */
    size_t size;
    int width; /* of the picture, in pixels */
    int height;
} level_shown;

typedef struct levels {
    fur_context *context;
    int count;
    level_shown shown[LEVELS_MAX];
    fur_amg_report report;
} levels;

/* Replaces the levels by the levels of `amg`; NULL removes them. */
fur_status levels_take(levels *l, fur_context *context, const fur_amg *amg);

/* Writes a section of the page, unless the list of levels is empty. factor: reduction of the
 * residual by an iteration. */
void levels_put(const levels *l, double factor, FILE *stream);

void levels_release(levels *l);

#endif
