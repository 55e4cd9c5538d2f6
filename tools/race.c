/* Timing of contenders in turn. */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "plain.h"

void race_add(race *r, const char *name, void (*run)(void *self), void *self)
{
    contender *c = &r->contenders[r->count++];
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", name);
    c->run = run;
    c->self = self;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *rounds, int count)
{
    double sorted[RACE_ROUNDS];
    memcpy(sorted, rounds, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    return sorted[count / 2];
}

/* Seconds of one run: as many as fit into `seconds`, after one that is not counted. */
static double time_runs(const contender *c, double seconds)
{
    c->run(c->self);
    const double start = command_seconds();
    double elapsed = 0;
    int64_t runs = 0;
    for (int64_t batch = 1; elapsed < seconds; batch *= 2) {
        for (int64_t i = 0; i < batch; i++) {
            c->run(c->self);
        }
        runs += batch;
        elapsed = command_seconds() - start;
    }
    return elapsed / (double)runs;
}

static double time_reader(const double *reader, int64_t count)
{
    const double start = command_seconds();
    volatile double sum = plain_sum(count, reader);
    (void)sum;
    return (double)(count * (int64_t)sizeof *reader) / (command_seconds() - start);
}

double race_ratio(const race *r, int slow, int fast)
{
    double ratios[RACE_ROUNDS];
    for (int round = 0; round < r->rounds; round++) {
        ratios[round] = r->contenders[slow].rounds[round] / r->contenders[fast].rounds[round];
    }
    return median(ratios, r->rounds);
}

void race_run(race *r, double seconds, const double *reader, int64_t count)
{
    r->rounds = r->rounds ? r->rounds : RACE_ROUNDS;
    for (int round = 0; round < r->rounds; round++) {
        for (int i = 0; i < r->count; i++) {
            r->contenders[i].rounds[round] = time_runs(&r->contenders[i], seconds);
        }
        r->read_rounds[round] = time_reader(reader, count);
    }
    r->read_rate = median(r->read_rounds, r->rounds);
    for (int i = 0; i < r->count; i++) {
        r->contenders[i].seconds = median(r->contenders[i].rounds, r->rounds);
        r->contenders[i].ratio = race_ratio(r, 0, i);
    }
}
