/* Shared by the benchmarks of furrow bench: the case at hand and where its figures go. */
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
    double seconds;      /* a contender's share of a round */
    int rounds;          /* on the CPU; 0: as many as the benchmark usually has */
    int sweeps;          /* of stencils, to be timed at once; 0: none */
    const char *against; /* the peer without which there is no race; NULL: whichever is there */
    json_t *results;     /* an array of objects, one a case */
    json_t *summary;     /* of all cases, NULL if there is none */
} bench;

/* Runs one case by name; prints its figures unless all is to be JSON, and keeps them. */
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

/* The matrix of that name in the context: a generated one, or that of a file. */
fur_status bench_load(const bench *b, fur_context *context, const char *name, fur_csr **out);

/* Keeps the record of a case, which it takes over, and prints its table unless all is to be JSON.
 */
void bench_keep(bench *b, json_t *record, const record_column *columns);

/* The same for a finished race; record: what else is known of the case. */
void bench_report(bench *b, json_t *record, const race *r);

/* A case's record with its name and the matrix's size. */
json_t *bench_matrix(const char *name, const fur_csr *a);

/* What the plan of a contender of this name tells, but for its bytes and the plan's time. */
race_about bench_product(const char *name, const fur_csr *a, const fur_spmv *plan);

/* The entries u(stride i + first) of docs/numerics.md: no two alike, none 0. */
fur_status bench_numbers(fur_context *context, int64_t n, int64_t first, int64_t stride,
                         fur_vector **out);

#endif
