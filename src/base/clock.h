/* Wall-clock time for reports; never part of a result. */
#ifndef FURROW_BASE_CLOCK_H
#define FURROW_BASE_CLOCK_H

#include <time.h>

/* Seconds since some fixed moment. */
static inline double fur_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
