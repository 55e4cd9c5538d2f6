/* Contenders that work in the same way on both kinds of device. They are timed in turn by the
 * host's clock, including the wait for their work. */
#ifndef FURROW_TOOLS_WALL_RACE_H
#define FURROW_TOOLS_WALL_RACE_H

#include "bench.h"

#define WALL_RACERS 20

typedef struct wall_racer {
    const char *name;
    fur_status (*run)(void *self);
    void *self;
    int against; /* the contender to which its ratio refers */
    race_about about;
    double seconds[RACE_ROUNDS_MAX];
} wall_racer;

typedef struct wall_race {
    int rounds;
    int count;
    wall_racer racers[WALL_RACERS];
} wall_race;

/* Adds a contender, which is compared with contender `against`. Returns its description, for the
 * caller to fill. */
race_about *wall_race_add(wall_race *r, const char *name, fur_status (*run)(void *self), void *self,
                          int against);

/* Runs all contenders in turn, and once before without timing. Stores the record, which it owns
 * from then on, with their lines. */
fur_status wall_race_run(bench *b, wall_race *r, json_t *record);

#endif
