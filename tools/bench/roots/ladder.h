/* The classical ladder of parallel reduction on the GPU, only for the benchmark. It shows the gain
 * of each step, compared with CUB's sum. */
#ifndef FURROW_TOOLS_LADDER_H
#define FURROW_TOOLS_LADDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ladder_row {
    const char *name;     /* static string */
    double seconds;       /* median time of a whole reduction with all its launches */
    double gbps;          /* bytes of the input over that time, in 1e9 bytes a second */
    double step_speedup;  /* over the previous row; 1 for the first */
    double total_speedup; /* over the first row */
    int result_ok; /* whether the sum was right: exactly for ints, within a bound for floats */
} ladder_row;

/* Races the steps on n > 0 random values of type "i32", "f32" or "f64" on the current CUDA device.
 * Each step runs `rounds` times, but at least 20, after a warm-up. Sets *count rows in order, at
 * most max_rows. Returns 0, or -1 with a message in `error`. */
int ladder_run(const char *type, int64_t n, int rounds, ladder_row rows[], int max_rows, int *count,
               char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
