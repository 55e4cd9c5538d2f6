/* The benchmarks of furrow bench that run on a GPU. */
#ifndef FURROW_TOOLS_BENCH_CUDA_H
#define FURROW_TOOLS_BENCH_CUDA_H

#include "bench.h"
#include "race_cuda.h"

/* Runs one case by name; prints its figures unless all is to be JSON, and keeps them. */
fur_status bench_spmv_cuda(bench *b, const char *name);
fur_status bench_spmm_cuda(bench *b, const char *name);
fur_status bench_reduce_cuda(bench *b, const char *name);
fur_status bench_ladder_cuda(bench *b, const char *name);
fur_status bench_sddmm_cuda(bench *b, const char *name);
fur_status bench_trisolve_cuda(bench *b, const char *name);
fur_status bench_dense_cuda(bench *b, const char *name);
fur_status bench_transfer_cuda(bench *b, const char *name);
fur_status bench_reorder_cuda(bench *b, const char *name);

/* For all cases of bench_spmv_cuda: prints and keeps the ratio of auto to the peer. */
fur_status bench_spmv_cuda_end(bench *b);

/* The base of comparison. */
typedef struct cuda_base {
    double cold; /* seconds; 0: there is nothing to compare with */
    double warm;
} cuda_base;

/* The race's index-th contender as base. */
cuda_base bench_cuda_base(const cuda_race *r, int index);

/* How many times as fast as the base; 0 without one. */
double bench_cuda_ratio(double base, double seconds);

/* Keeps and prints a finished race; see bench_report. */
void bench_report_cuda(bench *b, json_t *record, const cuda_race *r, cuda_base base);

#endif
