/* furrow bench batch: products, conjugate gradients and elimination of many small systems at once,
 * against a loop over single ones that are all prepared. A case is ROWSxSYSTEMS; its products and
 * solves are of five diagonals, as on a grid of five points, its eliminations of three. Times are
 * of all systems. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_single.h"
#include "output.h"

#define ROUNDS 5

typedef struct racer {
    const char *name;
    fur_status (*run)(void *self);
    void *self;
    int against; /* the racer that its ratio refers to */
    race_about about;
    double seconds[RACE_ROUNDS_MOST];
} racer;

/* All systems in one batch. */
typedef struct together {
    fur_csr *pattern;
    fur_vectors *values;
    fur_vectors *b;
    fur_vectors *x;
    fur_batch *batch;
    fur_batch_solver *solver; /* NULL: a product */
} together;

static fur_status run_together(void *self)
{
    const together *t = self;
    if (!t->solver)
        return fur_batch_apply(t->batch, fur_real(1), t->b, fur_real(0), t->x);
    fur_batch_report report = FUR_DEFAULT(fur_batch_report);
    COMMAND_TRY(fur_vectors_fill(t->x, fur_real(0)));
    COMMAND_TRY(fur_batch_solve(t->solver, t->b, t->x, NULL, &report));
    return report.first_unsolved < 0
               ? FUR_OK
               : fur_context_fail(fur_batch_context(t->batch), FUR_INVALID,
                                  "system %lld of the batch is not solved: %s",
                                  (long long)report.first_unsolved,
                                  fur_outcome_name(report.outcome));
}

/* A block of the device with the entries of systems one after the other. */
static fur_status make_block(fur_context *context, int64_t rows, int64_t count,
                             const double *entries, fur_vectors **out)
{
    fur_vectors_view view = {.size = sizeof view,
                             .rows = rows,
                             .cols = count,
                             .value_type = FUR_F64,
                             .layout = FUR_LAYOUT_COLUMNS,
                             .data = (void *)(uintptr_t)entries};
    fur_vectors *columns = NULL;
    fur_vectors *made = NULL;
    COMMAND_TRY(fur_vectors_wrap(context, &view, FUR_OWNERSHIP_COPY, &columns));
    fur_status status = fur_vectors_create(context, FUR_F64, rows, count, FUR_LAYOUT_ROWS, &made);
    if (status == FUR_OK)
        status = fur_vectors_copy(columns, made);
    fur_vectors_destroy(columns);
    if (status == FUR_OK)
        *out = made;
    else
        fur_vectors_destroy(made);
    return status;
}

static fur_status make_together(fur_context *context, const batch_systems *s, const char *method,
                                together *out)
{
    fur_batch_solver_options options = {.size = sizeof options, .method = method};
    COMMAND_TRY(batch_pattern(context, s, &out->pattern));
    COMMAND_TRY(make_block(context, s->entries, s->count, s->values, &out->values));
    COMMAND_TRY(make_block(context, s->rows, s->count, s->b, &out->b));
    COMMAND_TRY(make_block(context, s->rows, s->count, s->b, &out->x));
    COMMAND_TRY(fur_batch_create(out->pattern, out->values, &out->batch));
    return method ? fur_batch_solver_create(out->batch, &options, &out->solver) : FUR_OK;
}

static void release_together(together *t)
{
    fur_batch_solver_destroy(t->solver);
    fur_batch_destroy(t->batch);
    fur_vectors_destroy(t->x);
    fur_vectors_destroy(t->b);
    fur_vectors_destroy(t->values);
    fur_csr_destroy(t->pattern);
}

/* Column s of the batch's result beside that of a single one, which must have the same bits. */
static fur_status check(const together *t, const batch_singles *singles, const char *what)
{
    const fur_vectors_view *v = fur_vectors_get(t->x);
    double *all = malloc((size_t)(v->rows * v->cols) * sizeof *all);
    double *one = malloc((size_t)v->rows * sizeof *one);
    int64_t wrong = -1;
    fur_status status = all && one ? fur_vectors_download(t->x, all) : FUR_OUT_OF_MEMORY;
    for (int64_t s = 0; s < v->cols && status == FUR_OK && wrong < 0; s++) {
        status = batch_single_result(singles, s, one);
        for (int64_t i = 0; i < v->rows; i++)
            wrong = memcmp(&all[i * v->cols + s], &one[i], sizeof *one) ? s : wrong;
    }
    free(one);
    free(all);
    COMMAND_TRY(status);
    return wrong < 0 ? FUR_OK
                     : fur_context_fail(fur_batch_context(t->batch), FUR_INVALID,
                                        "%s: system %lld has other bits than alone", what,
                                        (long long)wrong);
}

static fur_status run_rounds(const bench *b, int rounds, racer *racers, int count)
{
    for (int round = -1; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            COMMAND_TRY(fur_context_synchronize(b->context));
            double start = command_seconds();
            COMMAND_TRY(racers[i].run(racers[i].self));
            COMMAND_TRY(fur_context_synchronize(b->context));
            if (round >= 0)
                racers[i].seconds[round] = command_seconds() - start;
        }
    return FUR_OK;
}

static void report(bench *b, const char *name, const batch_systems *s, const racer *racers,
                   int count, int rounds)
{
    static const record_column columns[] = {{"", "name", -22, 0, 0, ""},
                                            {"ms", "seconds", 12, 3, 1e3, ""},
                                            {"speed-up", "ratio", 7, 2, 1, "x"},
                                            {"", "note", 0, 0, 0, ""},
                                            {0}};
    json_t *lines = json_array();
    for (int i = 0; i < count; i++) {
        double ratios[RACE_ROUNDS_MOST];
        for (int round = 0; round < rounds; round++)
            ratios[round] = racers[racers[i].against].seconds[round] / racers[i].seconds[round];
        double seconds = race_median(racers[i].seconds, rounds);
        double ratio = race_median(ratios, rounds);
        json_t *figures = json_pack("{s:f, s:f}", "seconds", seconds, "ratio", ratio);
        output_append(lines,
                      record_line(racers[i].name, &racers[i].about, seconds, ratio, figures));
    }
    json_t *record = json_pack("{s:o, s:I, s:I}", "case", output_string(name), "rows",
                               (json_int_t)s->rows, "systems", (json_int_t)s->count);
    json_object_set_new(record, "contenders", lines);
    bench_keep(b, record, columns);
}

/* What is raced: all at once, and the same by a loop over single ones. */
static const struct {
    const char *names[2];
    const char *method;
    batch_run *single;
} races[] = {
    {{"loop of products", "batch: products"}, NULL, batch_single_multiply},
    {{"loop of cg", "batch: cg"}, "cg", batch_single_cg},
    {{"loop of eliminations", "batch: band"}, "band", batch_single_band},
};
#define RACES ((int)(sizeof races / sizeof *races))

typedef struct batch_case {
    batch_systems systems[RACES];
    batch_singles singles[RACES];
    together all[RACES];
    racer racers[2 * RACES + 1];
    int count;
} batch_case;

static void add(batch_case *c, const char *name, fur_status (*run)(void *self), void *self,
                int against)
{
    c->racers[c->count] = (racer){.name = name, .run = run, .self = self, .against = against};
    c->racers[c->count++].about = (race_about){
        .role = run == run_together ? RACE_KERNEL : RACE_PEER, .exact = run == run_together};
}

static fur_status prepare(bench *b, batch_case *c, int64_t rows, int64_t count)
{
    for (int i = 0; i < RACES; i++) {
        int64_t far =
            races[i].single == batch_single_band ? 0 : (int64_t)lround(sqrt((double)rows));
        COMMAND_TRY(batch_systems_make(b->context, rows, count, far, &c->systems[i]));
        COMMAND_TRY(make_together(b->context, &c->systems[i], races[i].method, &c->all[i]));
        COMMAND_TRY(
            batch_singles_make(b->context, &c->systems[i], races[i].method, &c->singles[i]));
        add(c, races[i].names[0], races[i].single, &c->singles[i], c->count);
        add(c, races[i].names[1], run_together, &c->all[i], c->count - 1);
        COMMAND_TRY(run_together(&c->all[i]));
        COMMAND_TRY(races[i].single(&c->singles[i]));
        COMMAND_TRY(check(&c->all[i], &c->singles[i], races[i].names[1]));
    }
    if (fur_context_host(b->context) == b->context)
        add(c, "plain loop, band", batch_plain_band, &c->systems[RACES - 1], c->count - 1);
    return FUR_OK;
}

static fur_status run_case(bench *b, const char *name, batch_case *c)
{
    long long rows;
    long long count;
    char end;
    int rounds = b->rounds > 0 ? b->rounds : ROUNDS;
    if (sscanf(name, "%lldx%lld%c", &rows, &count, &end) != 2 || rows < 4 || count < 1)
        return fur_context_fail(b->context, FUR_INVALID,
                                "\"%s\" is no batch; write ROWSxSYSTEMS, such as 1000x1000", name);
    COMMAND_TRY(prepare(b, c, rows, count));
    COMMAND_TRY(run_rounds(b, rounds, c->racers, c->count));
    report(b, name, &c->systems[0], c->racers, c->count, rounds);
    return FUR_OK;
}

fur_status bench_batch(bench *b, const char *name)
{
    batch_case *c = calloc(1, sizeof *c);
    if (!c)
        return fur_context_fail(b->context, FUR_OUT_OF_MEMORY, "out of memory for %s", name);
    fur_status status = run_case(b, name, c);
    for (int i = 0; i < RACES; i++) {
        batch_singles_release(&c->singles[i]);
        release_together(&c->all[i]);
        batch_systems_release(&c->systems[i]);
    }
    free(c);
    return status;
}
