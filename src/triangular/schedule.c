/* Chooses the schedule: the one that is fastest in the simulation. */
#include "triangular.h"

#include <string.h>

/* A solve with less work is finished before another thread wakes up. */
#define LEAST_WORK 20000
/* If levels have fewer rows than this, no schedule has enough rows to share. */
#define LEAST_ROWS 4
/* A schedule with threads must be faster than one thread by at least this factor in the simulation:
 * a thread may come late, or not at all. */
#define GAIN 1.5
/* As GAIN, for rows by levels. Their rows are scattered over b and x, so that their work takes
 * longer. */
#define SCATTERED 1.8
/* If blocks keep this many threads busy, no other schedule is tried. */
#define ENOUGH 2.5

fur_status fur_schedule_serial(fur_env *env, const fur_workload *w, fur_schedule *out)
{
    fur_trsv_task *task;
    FUR_TRY(fur_env_allocate(env, 1, sizeof *task, &task));
    *task = (fur_trsv_task){0, w->t.a->rows, 0};
    *out = (fur_schedule){.name = "serial",
                          .task = task,
                          .count = 1,
                          .time = (double)fur_strict_work(w, 0, w->t.a->rows)};
    return FUR_OK;
}

/* Keeps the faster of two schedules, and releases the other. */
static void keep_faster(fur_env *env, fur_schedule *best, fur_schedule *other, double handicap)
{
    fur_schedule slower = *other;
    if (other->time * handicap < best->time) {
        slower = *best;
        *best = *other;
        best->time *= handicap;
    }
    fur_schedule_release(env, &slower);
}

static fur_status choose(fur_env *env, const fur_workload *w, fur_schedule *best)
{
    int64_t rows = w->t.a->rows;
    fur_schedule other;
    if (w->threads == 1 || best->time < LEAST_WORK || rows < LEAST_ROWS * w->levels)
        return FUR_OK;
    double alone = best->time;
    FUR_TRY(fur_schedule_blocks(env, w, &other));
    keep_faster(env, best, &other, GAIN);
    if (best->count > 1 && best->time * w->threads <= ENOUGH * alone)
        return FUR_OK;
    FUR_TRY(fur_schedule_levels(env, w, &other));
    keep_faster(env, best, &other, SCATTERED);
    return FUR_OK;
}

fur_status fur_schedule_create(fur_env *env, const fur_workload *w, const char *name,
                               fur_schedule *out)
{
    if (name && strcmp(name, "blocks") == 0)
        return fur_schedule_blocks(env, w, out);
    if (name && strcmp(name, "levels") == 0)
        return fur_schedule_levels(env, w, out);
    fur_schedule best;
    FUR_TRY(fur_schedule_serial(env, w, &best));
    fur_status status = name && strcmp(name, "serial") == 0 ? FUR_OK : choose(env, w, &best);
    if (status == FUR_OK)
        *out = best;
    else
        fur_schedule_release(env, &best);
    return status;
}
