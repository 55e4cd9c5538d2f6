<<<<<<<< HEAD:ranks/group/seconds.h
/* A clock. */
#ifndef FURROW_RANKS_SECONDS_H
#define FURROW_RANKS_SECONDS_H
========
#include <furrow/author/clock.h>
>>>>>>>> 97827e52 (author: one clock for the library, ranks, the command and races):src/base/clock.c

#include <time.h>

double fur_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
