/* Contenders that work in the same way on both kinds of device, timed in turn by the host's clock
 * until their work is done. */
#ifndef FURROW_TOOLS_WALL_RACE_H
#define FURROW_TOOLS_WALL_RACE_H

#include "bench.h"

#define WALL_RACERS 20

typedef struct wall_racer {
    const char *name;
    fur_status (*run)(void *self);
    void *self;
    int against; /* the racer that its ratio refers to */
    race_about about;
    double seconds[RACE_ROUNDS_MOST];
} wall_racer;

typedef struct wall_race {
    int rounds;
    int count;
    wall_racer racers[WALL_RACERS];
} wall_race;

/* Adds a contender, that number `against` is compared with; returns what is told of it. */
race_about *wall_race_add(wall_race *r, const char *name, fur_status (*run)(void *self), void *self,
                          int against);

/* Runs all in turn, once unmeasured, and keeps the record, which it takes over, with their lines.
 */
fur_status wall_race_run(bench *b, wall_race *r, json_t *record);

#endif
