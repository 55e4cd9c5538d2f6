/* Simulates a schedule with the work of its tasks. */
#include "triangular.h"
#include "split.h"

void fur_schedule_release(fur_env *env, fur_schedule *schedule)
{
    fur_env_release(env, schedule->task);
    fur_env_release(env, schedule->order);
}

/* Returns the thread that becomes free first. */
static int first_free(const double *until, int threads)
{
    int first = 0;
    for (int i = 1; i < threads; i++)
        first = until[i] < until[first] ? i : first;
    return first;
}

double fur_schedule_play(const fur_schedule *s, const double *cost, int threads, double *finish)
{
    enum { MAX = 64 };
    double until[MAX] = {0};
    double latest = 0;
    threads = (int)fur_smaller(threads, MAX);
    for (int64_t i = 0; i < s->count; i++) {
        double *own = &until[first_free(until, threads)];
        double ready = s->task[i].needs > 0 ? finish[s->task[i].needs - 1] : 0;
        *own = (*own > ready ? *own : ready) + cost[i];
        latest = *own > latest ? *own : latest;
        finish[i] = latest; /* the latest end of this and all earlier tasks */
    }
    return latest;
}
