/* Races that are timed by the host's clock. */
#include "wall_race.h"

#include "output.h"

#define ROUNDS 5

race_about *wall_race_add(wall_race *r, const char *name, fur_status (*run)(void *self), void *self,
                          int against)
{
    wall_racer *racer = &r->racers[r->count++];
    *racer = (wall_racer){.name = name, .run = run, .self = self, .against = against};
    return &racer->about;
}

static fur_status run_rounds(bench *b, wall_race *r)
{
    r->rounds = b->rounds > 0 ? b->rounds : ROUNDS;
    for (int round = -1; round < r->rounds; round++)
        for (int i = 0; i < r->count; i++) {
            wall_racer *racer = &r->racers[i];
            double start = fur_seconds();
            FUR_TRY(racer->run(racer->self));
            FUR_TRY(fur_context_synchronize(b->context));
            if (round >= 0)
                racer->seconds[round] = fur_seconds() - start;
        }
    return FUR_OK;
}

static json_t *line_of(const wall_race *r, const wall_racer *racer)
{
    double ratios[RACE_ROUNDS_MAX];
    for (int round = 0; round < r->rounds; round++)
        ratios[round] = r->racers[racer->against].seconds[round] / racer->seconds[round];
    double seconds = race_median(racer->seconds, r->rounds);
    double ratio = race_median(ratios, r->rounds);
    json_t *figures = json_pack("{s:f, s:f, s:f}", "seconds", seconds, "gbps",
                                1e-9 * racer->about.bytes / seconds, "ratio", ratio);
    return record_line(racer->name, &racer->about, seconds, ratio, figures);
}

fur_status wall_race_run(bench *b, wall_race *r, json_t *record)
{
    static const record_column columns[] = {
        {"", "name", -22, 0, 0, ""},   {"ms", "seconds", 12, 3, 1e3, ""},
        {"GB/s", "gbps", 8, 1, 1, ""}, {"speed-up", "ratio", 7, 2, 1, "x"},
        {"", "note", 0, 0, 0, ""},     {0}};
    fur_status status = run_rounds(b, r);
    if (status != FUR_OK) {
        json_decref(record);
        return status;
    }
    json_t *lines = json_array();
    for (int i = 0; i < r->count; i++)
        output_append(lines, line_of(r, &r->racers[i]));
    json_object_set_new(record, "contenders", lines);
    bench_keep(b, record, columns);
    return FUR_OK;
}
