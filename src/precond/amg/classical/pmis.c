/* The rows of the next level, by PMIS (De Sterck, Yang and Heys 2006). In each round an undecided
 * row is taken if its weight is the largest among its undecided neighbours. Rows that depend on a
 * taken row are not taken. A weight is the number of rows that depend on the row, then a hash of
 * its number, then the number. Each pass reads the results of the previous pass, so that the number
 * of threads does not matter. */
#include "classical_data.h"

#define ROW_GRAIN 2048

enum { OPEN = 0, COARSE, FINE };

typedef struct contest {
    const fur_amg_graph *on; /* rows that a row depends on */
    fur_amg_graph by;        /* rows that depend on it */
    uint64_t *weight;
    unsigned char *state;
    unsigned char *next;
    int32_t *open;
    int64_t open_count;
} contest;

typedef struct dependences {
    const fur_csr_view *a;
    double theta;
    const fur_amg_graph *graph;
} dependences;

static void select_strong(void *job, int64_t begin, int64_t end)
{
    const dependences *d = job;
    for (int64_t i = begin; i < end; i++) {
        const int64_t start = fur_offset_at(d->a, i);
        const int64_t stop = fur_offset_at(d->a, i + 1);
        double sign = fur_amg_diagonal(d->a, i) < 0 ? 1 : -1;
        double largest = 0;
        int32_t count = 0;
        for (int64_t k = start; k < stop; k++)
            if (d->a->columns[k] != i)
                largest = fmax(largest, sign * fur_amg_number(d->a, k));
        for (int64_t k = start; k < stop; k++) {
            double size = sign * fur_amg_number(d->a, k);
            if (d->a->columns[k] != i && size > 0 && size >= d->theta * largest)
                d->graph->column[start + count++] = d->a->columns[k];
        }
        d->graph->begin[i] = start;
        d->graph->count[i] = count;
    }
}

fur_status fur_amg_find_dependences(fur_env *env, const fur_csr_view *a, double theta,
                                    fur_amg_graph *graph)
{
    graph->nodes = a->rows;
    FUR_TRY(fur_env_allocate(env, a->rows + 1, sizeof *graph->begin, &graph->begin));
    FUR_TRY(fur_env_allocate(env, a->rows, sizeof *graph->count, &graph->count));
    /* One more element: a matrix without entries needs the array, too; likewise below. */
    FUR_TRY(fur_env_allocate(env, a->entries + 1, sizeof *graph->column, &graph->column));
    graph->begin[a->rows] = a->entries;
    dependences d = {a, theta, graph};
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, select_strong, &d);
    return FUR_OK;
}

/* Makes the reverse of the dependences. */
static fur_status reverse(fur_env *env, contest *c)
{
    const fur_amg_graph *on = c->on;
    fur_amg_graph *by = &c->by;
    by->nodes = on->nodes;
    FUR_TRY(fur_env_allocate(env, on->nodes + 1, sizeof *by->begin, &by->begin));
    FUR_TRY(fur_env_allocate_zeros(env, on->nodes, sizeof *by->count, &by->count));
    for (int64_t i = 0; i < on->nodes; i++)
        for (int32_t t = 0; t < on->count[i]; t++)
            by->count[on->column[on->begin[i] + t]]++;
    by->begin[0] = 0;
    for (int64_t i = 0; i < on->nodes; i++) {
        by->begin[i + 1] = by->begin[i] + by->count[i];
        by->count[i] = 0;
    }
    FUR_TRY(fur_env_allocate(env, by->begin[on->nodes] + 1, sizeof *by->column, &by->column));
    for (int64_t i = 0; i < on->nodes; i++)
        for (int32_t t = 0; t < on->count[i]; t++) {
            int32_t j = on->column[on->begin[i] + t];
            by->column[by->begin[j] + by->count[j]++] = (int32_t)i;
        }
    return FUR_OK;
}

/* Returns true if i precedes every undecided neighbour. */
static bool wins(const contest *c, const fur_amg_graph *g, int32_t i)
{
    bool first = true;
    for (int32_t t = 0; t < g->count[i] && first; t++) {
        int32_t j = g->column[g->begin[i] + t];
        first = c->state[j] != OPEN || c->weight[j] < c->weight[i] ||
                (c->weight[j] == c->weight[i] && j < i);
    }
    return first;
}

static void take(void *job, int64_t begin, int64_t end)
{
    const contest *c = job;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = c->open[k];
        c->next[i] = wins(c, c->on, i) && wins(c, &c->by, i) ? COARSE : OPEN;
    }
}

static void leave(void *job, int64_t begin, int64_t end)
{
    const contest *c = job;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = c->open[k];
        bool depends = false;
        for (int32_t t = 0; t < c->on->count[i] && !depends; t++)
            depends = c->next[c->on->column[c->on->begin[i] + t]] == COARSE;
        c->state[i] = c->next[i] == COARSE ? COARSE : depends ? FINE : OPEN;
    }
}

/* Starts the rounds. Rows that no other row depends on are fine rows. */
static void begin_contest(contest *c)
{
    for (int64_t i = 0; i < c->on->nodes; i++) {
        uint64_t count = (uint64_t)c->by.count[i];
        c->weight[i] = count << 32 | fur_amg_hash((uint32_t)i, 1);
        c->state[i] = count == 0 ? FINE : OPEN;
        c->next[i] = c->state[i];
        c->open[c->open_count] = (int32_t)i;
        c->open_count += count > 0;
    }
}

static void run_contest(fur_env *env, contest *c)
{
    while (c->open_count > 0) {
        int64_t kept = 0;
        fur_parallel(env, c->open_count / ROW_GRAIN, c->open_count, take, c);
        fur_parallel(env, c->open_count / ROW_GRAIN, c->open_count, leave, c);
        for (int64_t k = 0; k < c->open_count; k++) {
            c->open[kept] = c->open[k];
            kept += c->state[c->open[k]] == OPEN;
        }
        c->open_count = kept;
    }
}

fur_status fur_amg_split(fur_env *env, fur_amg_classical *out)
{
    contest c = {.on = &out->strong};
    int64_t n = out->strong.nodes;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(reverse(env, &c));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *c.weight, &c.weight));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *c.state, &c.state));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *c.next, &c.next));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *c.open, &c.open));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *out->coarse, &out->coarse));
    begin_contest(&c);
    run_contest(env, &c);
    for (int64_t i = 0; i < n; i++)
        out->coarse[i] = c.state[i] == COARSE ? (int32_t)out->count++ : -1;
done:
    fur_env_release(env, c.open);
    fur_env_release(env, c.next);
    fur_env_release(env, c.state);
    fur_env_release(env, c.weight);
    fur_env_release(env, c.by.column);
    fur_env_release(env, c.by.count);
    fur_env_release(env, c.by.begin);
    return status;
}
