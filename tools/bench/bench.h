/* Shared data of the benchmarks of furrow bench: the current case and its results. */
#ifndef FURROW_TOOLS_BENCH_H
#define FURROW_TOOLS_BENCH_H

#include "command.h"
#include "race.h"
#include "record.h"
#include "timing.h"

#include <jansson.h>

typedef struct bench {
    fur_context *context;
    timing *timing;
    const command_common *common;
    double seconds;      /* time of a contender in a round */
    int rounds;          /* on the CPU; 0: the benchmark's default */
    int sweeps;          /* of stencils, timed together; 0: none */
    const char *against; /* the only peer to race with; NULL: any that is available */
    json_t *results;     /* an array with one object for each case */
    json_t *summary;     /* of all cases; NULL if there is none */
} bench;

/* Run one case by name. They print its figures, unless the output is JSON, and store them. */
fur_status bench_spmv(bench *b, const char *name);
fur_status bench_spmm(bench *b, const char *name);
fur_status bench_reduce(bench *b, const char *name);
fur_status bench_stencil(bench *b, const char *name);
fur_status bench_multigrid(bench *b, const char *name);
fur_status bench_io(bench *b, const char *name);
fur_status bench_recognise(bench *b, const char *name);
fur_status bench_solve(bench *b, const char *name);
fur_status bench_trisolve(bench *b, const char *name);
fur_status bench_spgemm(bench *b, const char *name);
fur_status bench_batch(bench *b, const char *name);
fur_status bench_rounded(bench *b, const char *name);
fur_status bench_stencil_block(bench *b, const char *name);
fur_status bench_algebra(bench *b, const char *name);
fur_status bench_precond(bench *b, const char *name);
fur_status bench_solve_block(bench *b, const char *name);
fur_status bench_sddmm(bench *b, const char *name);
fur_status bench_neighbours(bench *b, const char *name);

/* Loads the matrix of this name, generated or from a file, into the context. */
fur_status bench_load(const bench *b, fur_context *context, const char *name, fur_csr **out);

/* Stores the record of a case, which it owns from then on, and prints its table unless the output
 * is JSON. */
void bench_keep(bench *b, json_t *record, const record_column *columns);

/* As above, for a finished race. record: all other data of the case. */
void bench_report(bench *b, json_t *record, const race *r);

/* Makes a case's record with its name and the size of the matrix. */
json_t *bench_matrix(const char *name, const fur_csr *a);

/* Describes a contender by its plan, except its bytes and the time of the plan. */
race_about bench_product(const char *name, const fur_csr *a, const fur_spmv *plan);

/* Makes a vector with entries u(stride i + first) of docs/numerics.md. All of them differ, and none
 * is 0. */
fur_status bench_numbers(fur_context *context, int64_t n, int64_t first, int64_t stride,
                         fur_vector **out);

#endif
