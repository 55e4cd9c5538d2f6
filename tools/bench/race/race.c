/* Times contenders in turn. */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "plain.h"

race_about *race_add(race *r, const char *name, void (*run)(void *self), void *self)
{
    contender *c = &r->contenders[r->count++];
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", name);
    c->run = run;
    c->self = self;
    return &c->about;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double minimum(const double *rounds, int count)
{
    double least = rounds[0];
    for (int i = 1; i < count; i++)
        least = rounds[i] < least ? rounds[i] : least;
    return least;
}

double race_median(const double *rounds, int count)
{
    double sorted[RACE_ROUNDS_MAX];
    memcpy(sorted, rounds, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    return sorted[count / 2];
}

/* Returns the mean time of the runs that fit into `seconds`, after one run that is not counted. */
static double time_runs(const contender *c, double seconds)
{
    c->run(c->self);
    double start = fur_seconds();
    double elapsed = 0;
    int64_t runs = 0;
    for (int64_t batch = 1; elapsed < seconds; batch *= 2) {
        for (int64_t i = 0; i < batch; i++)
            c->run(c->self);
        runs += batch;
        elapsed = fur_seconds() - start;
    }
    return elapsed / (double)runs;
}

/* Returns the rate of a sum over the reader, in bytes a second. */
static double time_reader(const race_reader *reader)
{
    double start = fur_seconds();
    volatile double sum = plain_sum(reader->context, reader->count, reader->data);
    (void)sum;
    return (double)(reader->count * (int64_t)sizeof(double)) / (fur_seconds() - start);
}

/* Returns the time of one run after other data has gone through the caches. */
static double time_cold(const contender *c, const race_reader *reader)
{
    time_reader(reader);
    double start = fur_seconds();
    c->run(c->self);
    return fur_seconds() - start;
}

double race_ratio(const race *r, int slow, int fast)
{
    double ratios[RACE_ROUNDS_MAX];
    for (int round = 0; round < r->rounds; round++)
        ratios[round] = r->contenders[slow].rounds[round] / r->contenders[fast].rounds[round];
    return race_median(ratios, r->rounds);
}

void race_run(race *r, double seconds, const race_reader *reader)
{
    r->rounds = r->rounds ? r->rounds : RACE_ROUNDS;
    for (int round = 0; round < r->rounds; round++) {
        for (int i = 0; i < r->count; i++) {
            contender *c = &r->contenders[i];
            c->rounds[round] = r->cold && reader ? time_cold(c, reader) : time_runs(c, seconds);
        }
        r->read_rounds[round] = reader ? time_reader(reader) : 0;
    }
    r->read_rate = race_median(r->read_rounds, r->rounds);
    for (int i = 0; i < r->count; i++) {
        r->contenders[i].seconds = race_median(r->contenders[i].rounds, r->rounds);
        r->contenders[i].least = minimum(r->contenders[i].rounds, r->rounds);
        r->contenders[i].ratio = race_ratio(r, 0, i);
    }
}
