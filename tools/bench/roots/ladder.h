/* The classical ladder of parallel reduction on the GPU, for the benchmark alone: what each step
 * gains, beside the sum of CUB. */
#ifndef FURROW_TOOLS_LADDER_H
#define FURROW_TOOLS_LADDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ladder_row {
    const char *name;     /* static */
    double seconds;       /* median of a whole reduction, all its launches */
    double gbps;          /* the input's bytes over that time, in 1e9 bytes a second */
    double step_speedup;  /* over the row before; 1 for the first */
    double total_speedup; /* over the first row */
    int result_ok;        /* whether the sum was right: ints exactly, floats within a bound */
} ladder_row;

/* Races the steps on n > 0 random values of type "i32", "f32" or "f64" on the current CUDA device,
 * `rounds` times each but at least 20, after a warm-up. Sets *count rows, in order, at most
 * max_rows. Returns 0, or -1 with a sentence in error. */
int ladder_run(const char *type, int64_t n, int rounds, ladder_row rows[], int max_rows, int *count,
               char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
