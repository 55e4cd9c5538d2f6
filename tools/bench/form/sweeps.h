/* Repeated sweeps of a stencil by Jacobi's iteration, either with one product after the other, or
 * with kernels that run several sweeps in one pass over memory. */
#ifndef FURROW_TOOLS_SWEEPS_H
#define FURROW_TOOLS_SWEEPS_H

#include <jansson.h>

#include "forms.h"
#include "output.h"

#define SWEEPS_COUNT_MAX 10000
#define SWEEPS_DOC "Also time N Jacobi sweeps: several in one pass over memory, and one by one"
#define SWEEPS_LINES_MAX ((RACE_CONTENDERS - 1) / 2)

/* Sweeps by one method. The times are set by the race. */
typedef struct sweeps_line {
    fur_stencil *stencil;
    double seconds[2]; /* of one sweep: with b, without b */
} sweeps_line;

/* x := S x + omega / d b with S = I - omega / d A, for a stencil A with d in its diagonal. */
typedef struct sweeps {
    const forms *f; /* its x is b and the initial x; its y is a work vector */
    fur_stencil_definition definition;
    fur_scalar coefficients[27];
    fur_scalar alpha;
    int count; /* number of sweeps at once */
    fur_vector *x;
    int lines;
    sweeps_line line[SWEEPS_LINES_MAX]; /* single products, auto's choice, the others */
} sweeps;

/* Prepares the methods to race: single sweeps, the kernel that auto chooses, if there is one, and
 * all other suitable kernels if `all`. kernel: for single products; NULL means auto. sweeps_destroy
 * releases them in every case. */
fur_status sweeps_create(const forms *f, const char *kernel, int count, bool all, sweeps *s);
void sweeps_destroy(sweeps *s);

/* Returns FUR_INVALID with the place, unless all results have the bits of the CPU's single
 * products. */
fur_status sweeps_check(sweeps *s);

/* Times all methods in turn. */
fur_status sweeps_race(sweeps *s, int rounds);

/* The lines of all methods, and their table. */
json_t *sweeps_to_json(const sweeps *s);
void sweeps_print(const sweeps *s, const json_t *lines);

/* Writes the lines, and the figures of the kernel that auto chooses, as members. Prints the table
 * if the output is not JSON. */
void sweeps_put(output *out, const sweeps *s);

#endif
