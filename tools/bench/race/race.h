/* Contenders timed against each other in one run: in turn, round after round, so that a change in
 * the machine's speed meets all of them. */
#ifndef FURROW_TOOLS_RACE_H
#define FURROW_TOOLS_RACE_H

#include <furrow/context.h>

#include <stdbool.h>

#define RACE_ROUNDS 11
#define RACE_ROUNDS_MOST 101
#define RACE_CONTENDERS 16

/* An array beyond the caches: a sum over it says how fast memory is, and leaves nothing else in
 * them. */
typedef struct race_reader {
    fur_context *context; /* whose threads add up */
    double *data;
    int64_t count;
} race_reader;

typedef enum race_role { RACE_KERNEL, RACE_AUTO, RACE_PEER } race_role;

/* What tables and pages say of a contender besides its times. */
typedef struct race_about {
    race_role role;      /* a peer is what people use otherwise */
    const char *kernel;  /* NULL: it has no other name than its own */
    bool exact;          /* adds in the order of docs/numerics.md */
    double bytes;        /* that a run moves, for its rate */
    double bytes_own;    /* if the rate counts those of another form, its own; else 0 */
    double flops;        /* of a run; 0: not counted */
    double plan_seconds; /* 0: there is no plan */
    char note[96];
} race_about;

typedef struct contender {
    char name[32];
    race_about about;
    void (*run)(void *self);
    void *self;
    double rounds[RACE_ROUNDS_MOST]; /* seconds of one run */
    double seconds;                  /* their median */
    double least;
    double ratio; /* median over the rounds of the first contender's time over this one's */
} contender;

typedef struct race {
    int rounds; /* at most RACE_ROUNDS_MOST; 0: RACE_ROUNDS */
    bool cold;  /* runs find nothing of theirs in the caches */
    int count;
    contender contenders[RACE_CONTENDERS];
    double read_rounds[RACE_ROUNDS_MOST]; /* bytes a second of a plain sum over the reader */
    double read_rate;
} race;

/* Returns what is told of the contender, for the caller to fill. */
race_about *race_add(race *r, const char *name, void (*run)(void *self), void *self);

/* Runs all rounds. In each, every contender first runs once unmeasured and then for about
 * `seconds`; if cold, it runs once, after a sum over the reader. The sum over the reader ends the
 * round. Without a reader (NULL) there is no cold run and no rate. */
void race_run(race *r, double seconds, const race_reader *reader);

/* The median of at most RACE_ROUNDS_MOST numbers. */
double race_median(const double *rounds, int count);

/* Median over the rounds of one contender's time over another's. */
double race_ratio(const race *r, int slow, int fast);

#endif
