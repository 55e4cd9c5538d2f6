/* Times the two ways to gather entries of x. */
#include "gathers.h"

#include <furrow/author/clock.h>

#include "lanes.h"

#include <math.h>

/* Entries that stay in the first-level cache, and the gathers of one run. */
#define ENTRIES 1024
#define GATHERS 512
#define INDICES ((size_t)GATHERS * LANES)
/* The two ways alternate for this many runs, and the fastest run of each counts. */
#define RUNS 10

/* Entries at pseudo-random places, and their sum. */
typedef struct trial {
    double x[ENTRIES];
    int32_t index[INDICES];
    volatile double sum;
} trial;

static void prepare(trial *t)
{
    for (int i = 0; i < ENTRIES; i++)
        t->x[i] = i;
    for (size_t i = 0; i < INDICES; i++)
        t->index[i] = (int32_t)((uint32_t)i * UINT32_C(0x9e3779b1) >> 22);
}

/* The seconds of one run. It has four sums, because slices do not wait for each other. */
INLINE double run(trial *t, bool at_once)
{
    lanes_f64 sum[4] = {f64_zero(), f64_zero(), f64_zero(), f64_zero()};
    double start = fur_seconds();
    for (size_t i = 0; i < INDICES; i += LANES) {
        const int32_t *index = t->index + i;
        lanes_f64 *to = &sum[i / LANES % 4];
        *to = f64_plus(*to, at_once ? f64_gather_at_once(t->x, index) : f64_gather(t->x, index));
    }
    sum[0] = f64_plus(f64_plus(sum[0], sum[1]), f64_plus(sum[2], sum[3]));
    t->sum = f64_fold(sum[0]);
    return fur_seconds() - start;
}

static bool compare(void)
{
    double each = INFINITY;
    double at_once = INFINITY;
    trial t;
    prepare(&t);
    for (int i = 0; i < RUNS; i++) {
        each = fmin(each, run(&t, false));
        at_once = fmin(at_once, run(&t, true));
    }
    return at_once < each;
}

atomic_int ISA(spmv_gathers) = FUR_GATHERS_UNKNOWN;

/* If several threads come at the same time, each measures. Their results may differ, and both are
 * right. */
void ISA(spmv_time_gathers)(void)
{
    if (FUR_REAL_REGISTERS && atomic_load(&ISA(spmv_gathers)) == FUR_GATHERS_UNKNOWN)
        atomic_store(&ISA(spmv_gathers), compare() ? FUR_GATHERS_FASTER : FUR_GATHERS_SLOWER);
}
