/* Contenders of furrow bench spgemm. Each computes a product and waits for it. */
#ifndef FURROW_TOOLS_BENCH_SPGEMM_H
#define FURROW_TOOLS_BENCH_SPGEMM_H

#include "bench.h"

#define SPGEMM_RACERS 8

typedef struct spgemm_racer {
    char name[32];
    race_about about;
    fur_status (*run)(void *self);
    void *self;
    double seconds[RACE_ROUNDS_MAX]; /* of each round */
} spgemm_racer;

typedef struct spgemm_race {
    int rounds;
    int against; /* the contender to which ratios refer */
    int count;
    spgemm_racer racers[SPGEMM_RACERS];
} spgemm_race;

#endif
