/* Contenders timed against each other in one run: in turn, round after round, so that a change in
 * the machine's speed meets all of them. */
#ifndef FURROW_TOOLS_RACE_H
#define FURROW_TOOLS_RACE_H

#include <stdint.h>

#define RACE_ROUNDS 11
#define RACE_CONTENDERS 16

typedef struct contender {
    char name[32];
    void (*run)(void *self);
    void *self;
    double rounds[RACE_ROUNDS]; /* seconds of one run */
    double seconds;             /* their median */
    double ratio; /* median over the rounds of the first contender's time over this one's */
} contender;

typedef struct race {
    int rounds; /* at most RACE_ROUNDS; 0: that many */
    int count;
    contender contenders[RACE_CONTENDERS];
    double
        read_rounds[RACE_ROUNDS]; /* bytes a second of a plain sum over an array beyond the cache */
    double read_rate;
} race;

void race_add(race *r, const char *name, void (*run)(void *self), void *self);

/* Runs all rounds. In each, every contender first runs once unmeasured and then for about
 * `seconds`; the plain sum over `reader` follows, if count is not 0. */
void race_run(race *r, double seconds, const double *reader, int64_t count);

/* Median over the rounds of one contender's time over another's. */
double race_ratio(const race *r, int slow, int fast);

#endif
