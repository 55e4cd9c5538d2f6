/* The schedule by levels. Rows are sorted by level, and a level is cut into pieces. A piece waits
 * for all earlier levels. Consecutive short levels form one piece, because waiting would take
 * longer. */
#include "split.h"
#include "triangular.h"

/* The least work of a piece, and the cost of handing it over. */
#define PIECE_WORK 1500
#define PIECE_COST 250

/* Sorts rows by level, and by place within a level. begin: the beginning of each level. */
static void sort_by_level(const fur_workload *w, int64_t *begin, int32_t *order)
{
    int64_t n = w->t.a->rows;
    for (int64_t i = 0; i < n; i++)
        begin[w->level[i] + 1]++;
    for (int64_t l = 0; l < w->levels; l++)
        begin[l + 1] += begin[l];
    for (int64_t place = 0; place < n; place++) {
        int64_t row = fur_strict_row(&w->t, place);
        order[begin[w->level[row]]++] = (int32_t)row;
    }
    for (int64_t l = w->levels; l > 0; l--)
        begin[l] = begin[l - 1];
    begin[0] = 0;
}

/* The work of the places of a level. */
static int64_t level_work(const fur_workload *w, const int32_t *order, int64_t begin, int64_t end)
{
    int64_t work = 0;
    for (int64_t place = begin; place < end; place++) {
        int64_t own = fur_strict_row(&w->t, order[place]);
        work += fur_strict_work(w, own, own + 1);
    }
    return work;
}

/* The tasks under construction. */
typedef struct listing {
    fur_schedule s;
    double *cost;
    double *finish;
} listing;

/* Adds the pieces of a level. If `joins`, the level is appended to the last task. */
static void add_level(listing *l, int64_t begin, int64_t end, int64_t work, int64_t pieces,
                      bool joins)
{
    int64_t before = l->s.count;
    if (joins) {
        l->s.task[before - 1].end = end;
        l->cost[before - 1] += (double)work;
        return;
    }
    for (int64_t i = 0; i < pieces; i++) {
        l->s.task[l->s.count] =
            (fur_trsv_task){begin + fur_split(end - begin, (int)pieces, (int)i),
                            begin + fur_split(end - begin, (int)pieces, (int)i + 1), before};
        l->cost[l->s.count++] = (double)work / (double)pieces + PIECE_COST;
    }
}

static void list_tasks(const fur_workload *w, const int64_t *begin, listing *l)
{
    bool joins = false;
    for (int64_t i = 0; i < w->levels; i++) {
        int64_t work = level_work(w, l->s.order, begin[i], begin[i + 1]);
        int64_t most = fur_smaller(2 * (int64_t)w->threads, begin[i + 1] - begin[i]);
        int64_t pieces = fur_larger(fur_smaller(work / PIECE_WORK, most), 1);
        add_level(l, begin[i], begin[i + 1], work, pieces, joins && pieces == 1);
        joins = pieces == 1;
    }
    l->s.time = fur_schedule_play(&l->s, l->cost, w->threads, l->finish);
}

fur_status fur_schedule_levels(fur_env *env, const fur_workload *w, fur_schedule *out)
{
    listing l = {.s.name = "levels"};
    fur_status status = FUR_OK;
    int64_t n = w->t.a->rows;
    int64_t *begin = NULL;
    int64_t most = fur_smaller(n, w->levels + fur_strict_work(w, 0, n) / PIECE_WORK);
    FUR_TRY_DONE(fur_env_allocate_zeros(env, w->levels + 1, sizeof *begin, &begin));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *l.s.order, &l.s.order));
    FUR_TRY_DONE(fur_env_allocate(env, most, sizeof *l.s.task, &l.s.task));
    FUR_TRY_DONE(fur_env_allocate(env, most, sizeof *l.cost, &l.cost));
    FUR_TRY_DONE(fur_env_allocate(env, most, sizeof *l.finish, &l.finish));
    sort_by_level(w, begin, l.s.order);
    list_tasks(w, begin, &l);
    *out = l.s;
    l.s = (fur_schedule){.name = NULL};
done:
    fur_env_release(env, l.finish);
    fur_env_release(env, l.cost);
    fur_env_release(env, begin);
    fur_schedule_release(env, &l.s);
    return status;
}
