/* Repeated sweeps of a stencil: Jacobi's iteration, one product after the other and by the kernels
 * that make several sweeps in one pass over memory. */
#ifndef FURROW_TOOLS_SWEEPS_H
#define FURROW_TOOLS_SWEEPS_H

#include <jansson.h>

#include "forms.h"
#include "output.h"

#define SWEEPS_COUNT_MOST 10000
#define SWEEPS_DOC                                                                                 \
    "Also time N sweeps of Jacobi's iteration, several in one pass over memory where a kernel "    \
    "does so, against N single ones"
#define SWEEPS_LINES_MOST ((RACE_CONTENDERS - 1) / 2)

/* Sweeps in one way, in seconds once raced. */
typedef struct sweeps_line {
    fur_stencil *stencil;
    double seconds[2]; /* of one sweep: with b, without */
} sweeps_line;

/* x := S x + omega / d b with S = I - omega / d A, for a stencil A with d in its diagonal. */
typedef struct sweeps {
    const forms *f; /* whose x is b and where x begins, and whose y is work */
    fur_stencil_definition definition;
    fur_scalar coefficients[27];
    fur_scalar alpha;
    int count; /* of sweeps at once */
    fur_vector *x;
    int lines;
    sweeps_line line[SWEEPS_LINES_MOST]; /* single products, what auto takes, the others */
} sweeps;

/* Makes ready what is raced: single sweeps, the kernel that auto takes if there is one, and all
 * others that suit if `all`. kernel: of single products, NULL for auto. Whatever the outcome,
 * sweeps_destroy releases what there is. */
fur_status sweeps_create(const forms *f, const char *kernel, int count, bool all, sweeps *s);
void sweeps_destroy(sweeps *s);

/* FUR_INVALID, with the place, unless all have the bits of the CPU's single products. */
fur_status sweeps_check(sweeps *s);

/* Times all of them, in turn. */
fur_status sweeps_race(sweeps *s, int rounds);

/* A line for each, and their table. */
json_t *sweeps_to_json(const sweeps *s);
void sweeps_print(const sweeps *s, const json_t *lines);

/* The lines and the figures of the kernel that auto takes, as members; for people the table. */
void sweeps_put(output *out, const sweeps *s);

#endif
