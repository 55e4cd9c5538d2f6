/* The benchmarks of furrow bench that run on a GPU. */
#ifndef FURROW_TOOLS_BENCH_CUDA_H
#define FURROW_TOOLS_BENCH_CUDA_H

#include "bench.h"
#include "race_cuda.h"

/* Run one case by name. They print its figures, unless the output is JSON, and store them. */
fur_status bench_spmv_cuda(bench *b, const char *name);
fur_status bench_spmm_cuda(bench *b, const char *name);
fur_status bench_reduce_cuda(bench *b, const char *name);
fur_status bench_ladder_cuda(bench *b, const char *name);
fur_status bench_sddmm_cuda(bench *b, const char *name);
fur_status bench_trisolve_cuda(bench *b, const char *name);
fur_status bench_dense_cuda(bench *b, const char *name);
fur_status bench_transfer_cuda(bench *b, const char *name);
fur_status bench_reorder_cuda(bench *b, const char *name);

/* Prints and stores the ratio of auto to the peer over all cases of bench_spmv_cuda. */
fur_status bench_spmv_cuda_end(bench *b);

/* The times to which others are compared. */
typedef struct cuda_base {
    double cold; /* seconds; 0: no comparison */
    double warm;
} cuda_base;

/* Returns the times of contender `index` of the race. */
cuda_base bench_cuda_base(const cuda_race *r, int index);

/* Returns the speed-up over the base, or 0 without a base. */
double bench_cuda_ratio(double base, double seconds);

/* Stores and prints a finished race; see bench_report. */
void bench_report_cuda(bench *b, json_t *record, const cuda_race *r, cuda_base base);

#endif
