/* Contenders that are timed against each other in turn, round after round. A change in the
 * machine's speed therefore affects all of them. */
#ifndef FURROW_TOOLS_RACE_H
#define FURROW_TOOLS_RACE_H

#include <furrow/context.h>

#include <stdbool.h>

#define RACE_ROUNDS 11
#define RACE_ROUNDS_MAX 101
#define RACE_CONTENDERS 16

/* An array larger than the caches. A sum over it measures the speed of memory, and removes all
 * other data from the caches. */
typedef struct race_reader {
    fur_context *context; /* its threads add up the array */
    double *data;
    int64_t count;
} race_reader;

typedef enum race_role { RACE_KERNEL, RACE_AUTO, RACE_PEER } race_role;

/* The description of a contender in tables and pages, besides its times. */
typedef struct race_about {
    race_role role;      /* a peer is a usual alternative to the library */
    const char *kernel;  /* NULL: it has only its own name */
    bool exact;          /* adds in the order of docs/numerics.md */
    double bytes;        /* bytes that a run moves, for its rate */
    double bytes_own;    /* its own bytes, if the rate counts those of another form; otherwise 0 */
    double flops;        /* of a run; 0: not counted */
    double plan_seconds; /* 0: there is no plan */
    char note[96];
} race_about;

typedef struct contender {
    char name[32];
    race_about about;
    void (*run)(void *self);
    void *self;
    double rounds[RACE_ROUNDS_MAX]; /* seconds of one run */
    double seconds;                 /* median of `rounds` */
    double least;
    /* median over the rounds of the first contender's time over this contender's time */
    double ratio;
} contender;

typedef struct race {
    int rounds; /* at most RACE_ROUNDS_MAX; 0: RACE_ROUNDS */
    bool cold;  /* runs begin with cold caches */
    int count;
    contender contenders[RACE_CONTENDERS];
    double read_rounds[RACE_ROUNDS_MAX]; /* bytes a second of a plain sum over the reader */
    double read_rate;
} race;

/* Adds a contender. Returns its description, for the caller to fill. */
race_about *race_add(race *r, const char *name, void (*run)(void *self), void *self);

/* Runs all rounds. In each round, every contender first runs once without timing, and then for
 * about `seconds`. If `cold`, it runs only once, after a sum over the reader. The round ends with a
 * sum over the reader. Without a reader (NULL), there are no cold runs and no rates. */
void race_run(race *r, double seconds, const race_reader *reader);

/* Returns the median of at most RACE_ROUNDS_MAX numbers. */
double race_median(const double *rounds, int count);

/* Returns the median over the rounds of one contender's time over another's. */
double race_ratio(const race *r, int slow, int fast);

#endif
