/* furrow bench spgemm: C = A B, the first time and with a stored pattern, compared with other
 * libraries. */
#include "bench_spgemm.h"

#include <furrow/author/context.h>

#include <math.h>
#include <string.h>

#include "plain.h"
#ifdef FURROW_WITH_CUSPARSE
#    include "peer_spgemm.h"
#endif

#define ROUNDS 5

/* The product of a case, and the data of our contenders. */
typedef struct spgemm_case {
    bench *b;
    fur_csr *a;
    fur_csr *p; /* NULL: B is A */
    fur_csr *c;
    fur_spgemm *plan;
    /* For the plain loop: */
    double *sums;
    int32_t *next;
    int32_t *offsets;
} spgemm_case;

static const fur_csr *right_of(const spgemm_case *s)
{
    return s->p ? s->p : s->a;
}

/* Makes P of an aggregation of 2 x 2 x 2 points of a grid with n points along each axis. */
static fur_status make_aggregation(fur_context *context, int64_t n, fur_csr **out)
{
    int64_t half = (n + 1) / 2;
    int64_t points = n * n * n;
    int32_t *columns = NULL;
    int32_t *rows = NULL;
    double *values = NULL;
    fur_status status = fur_context_allocate(context, (size_t)points * 4, (void **)&columns);
    if (status == FUR_OK)
        status = fur_context_allocate(context, (size_t)points * 4, (void **)&rows);
    if (status == FUR_OK)
        status = fur_context_allocate(context, (size_t)points * 8, (void **)&values);
    for (int64_t i = 0; status == FUR_OK && i < points; i++) {
        rows[i] = (int32_t)i;
        columns[i] = (int32_t)((i / n / n / 2 * half + i / n % n / 2) * half + i % n / 2);
        values[i] = 1;
    }
    fur_coo_view coo = {sizeof coo, points, half * half * half, points, FUR_F64, rows,
                        columns,    values};
    if (status == FUR_OK)
        status = fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, out);
    fur_context_release(context, values);
    fur_context_release(context, rows);
    fur_context_release(context, columns);
    return status;
}

/* Copies a host matrix to the device of the case. */
static fur_status move(const bench *b, fur_csr **a)
{
    fur_csr *moved = NULL;
    if (fur_csr_context(*a) == b->context)
        return FUR_OK;
    FUR_TRY(fur_csr_transfer(*a, b->context, &moved));
    fur_csr_destroy(*a);
    *a = moved;
    return FUR_OK;
}

/* Parses a name. A suffix ":ap" means the product A P. */
static fur_status make_operands(spgemm_case *s, const char *name)
{
    fur_context *host = fur_context_host(s->b->context);
    char base[256];
    size_t length = strlen(name);
    bool is_ap = length > 3 && strcmp(name + length - 3, ":ap") == 0;
    snprintf(base, sizeof base, "%.*s", (int)(is_ap ? length - 3 : length), name);
    FUR_TRY(bench_load(s->b, host, base, &s->a));
    int64_t n = (int64_t)lround(cbrt((double)fur_csr_get(s->a)->rows));
    if (is_ap && n * n * n != fur_csr_get(s->a)->rows)
        return fur_context_fail(s->b->context, FUR_INVALID,
                                "%s cannot be aggregated; give a grid of three equal axes", base);
    if (is_ap)
        FUR_TRY(make_aggregation(host, n, &s->p));
    FUR_TRY(move(s->b, &s->a));
    return s->p ? move(s->b, &s->p) : FUR_OK;
}

static fur_status multiply_once(void *self)
{
    spgemm_case *s = self;
    fur_csr *c = NULL;
    FUR_TRY(fur_csr_multiply(s->a, right_of(s), &c));
    fur_status status = fur_context_synchronize(s->b->context);
    fur_csr_destroy(c);
    return status;
}

static fur_status multiply_again(void *self)
{
    spgemm_case *s = self;
    FUR_TRY(fur_spgemm_apply(s->plan, fur_real(1), s->c));
    return fur_context_synchronize(s->b->context);
}

static plain_csr plain_of(const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    return (plain_csr){v->rows, v->cols, v->offsets, v->columns, v->values};
}

/* Multiplies in one thread, with sorted rows. Memory for C is allocated each time, as a user
 * would. */
static fur_status multiply_plainly(void *self)
{
    spgemm_case *s = self;
    fur_context *context = s->b->context;
    plain_csr a = plain_of(s->a);
    plain_csr b = plain_of(right_of(s));
    void *columns = NULL;
    void *values = NULL;
    int64_t entries = plain_spgemm(&a, &b, s->sums, s->next, s->offsets, NULL, NULL);
    FUR_TRY(fur_context_allocate(context, (size_t)entries * 4, &columns));
    fur_status status = fur_context_allocate(context, (size_t)entries * 8, &values);
    if (status == FUR_OK)
        plain_spgemm(&a, &b, s->sums, s->next, s->offsets, columns, values);
    fur_context_release(context, values);
    fur_context_release(context, columns);
    return status;
}

static fur_status make_plain(spgemm_case *s)
{
    fur_context *context = s->b->context;
    int64_t cols = fur_csr_get(right_of(s))->cols;
    int64_t rows = fur_csr_get(s->a)->rows;
    FUR_TRY(fur_context_allocate(context, (size_t)cols * 8, (void **)&s->sums));
    FUR_TRY(fur_context_allocate(context, (size_t)cols * 4, (void **)&s->next));
    FUR_TRY(fur_context_allocate(context, (size_t)(rows + 1) * 4, (void **)&s->offsets));
    memset(s->next, 0xff, (size_t)cols * 4);
    s->offsets[0] = 0;
    return FUR_OK;
}

static void add(spgemm_race *r, const char *name, race_role role, double plan,
                fur_status (*run)(void *self), void *self)
{
    spgemm_racer *racer = &r->racers[r->count++];
    *racer = (spgemm_racer){.run = run, .self = self};
    racer->about.role = role;
    racer->about.exact = role != RACE_PEER;
    racer->about.plan_seconds = plan;
    snprintf(racer->name, sizeof racer->name, "%s", name);
}

#ifdef FURROW_WITH_CUSPARSE
/* One of cuSPARSE's methods. */
typedef struct foreign {
    spgemm_case *s;
    peer_spgemm *peer;
    int algorithm; /* 0: SpGEMMreuse */
} foreign;

static fur_status multiply_foreign(void *self)
{
    const foreign *f = self;
    size_t workspace;
    bool done = f->algorithm > 0 ? peer_spgemm_multiply(f->peer, f->algorithm, &workspace)
                                 : peer_spgemm_again(f->peer);
    return done ? FUR_OK
                : fur_context_fail(f->s->b->context, FUR_DEVICE_ERROR, "cuSPARSE's product failed");
}

/* Adds the methods that do not refuse the product. SpGEMMreuse is first, because ratios refer to
 * it. */
static void add_foreign(spgemm_race *r, foreign *all)
{
    static const char *const names[] = {"cusparse_reuse", "cusparse_alg1", "cusparse_alg2",
                                        "cusparse_alg3"};
    for (int i = 0; i < 4; i++) {
        size_t workspace = 0;
        foreign *f = &all[i];
        *f = (foreign){all->s, all->peer, i};
        if (i > 0 ? peer_spgemm_multiply(f->peer, i, &workspace)
                  : peer_spgemm_prepare(f->peer, &workspace)) {
            add(r, names[i], RACE_PEER, 0, multiply_foreign, f);
            snprintf(r->racers[r->count - 1].about.note, sizeof r->racers->about.note,
                     "workspace %.0f MB", 1e-6 * (double)workspace);
        }
    }
}
#endif

static fur_status run_rounds(const bench *b, spgemm_race *r)
{
    r->rounds = b->rounds > 0 ? b->rounds : ROUNDS;
    for (int round = -1; round < r->rounds; round++)
        for (int i = 0; i < r->count; i++) {
            spgemm_racer *racer = &r->racers[i];
            double start = fur_seconds();
            FUR_TRY(racer->run(racer->self));
            if (round >= 0)
                racer->seconds[round] = fur_seconds() - start;
        }
    return FUR_OK;
}

static void report(bench *b, const char *name, const spgemm_case *s, spgemm_race *r)
{
    static const record_column columns[] = {
        {"", "name", -22, 0, 0, ""},   {"ms", "seconds", 12, 3, 1e3, ""},
        {"GB/s", "gbps", 8, 1, 1, ""}, {"speed-up", "ratio", 7, 2, 1, "x"},
        {"", "note", 0, 0, 0, ""},     {0}};
    const fur_spgemm_report *plan = fur_spgemm_describe(s->plan);
    json_t *record = bench_matrix(name, s->a);
    json_t *lines = json_array();
    for (int i = 0; i < r->count; i++) {
        spgemm_racer *racer = &r->racers[i];
        double ratios[RACE_ROUNDS_MAX];
        for (int round = 0; round < r->rounds; round++)
            ratios[round] = r->racers[r->against].seconds[round] / racer->seconds[round];
        double seconds = race_median(racer->seconds, r->rounds);
        double ratio = race_median(ratios, r->rounds);
        json_t *figures = json_pack("{s:f, s:f, s:f}", "seconds", seconds, "gbps",
                                    1e-9 * (double)plan->bytes / seconds, "ratio", ratio);
        output_append(lines, record_line(racer->name, &racer->about, seconds, ratio, figures));
    }
    json_object_set_new(record, "product_entries", json_integer(plan->entries));
    json_object_set_new(record, "products", json_integer(plan->products));
    json_object_set_new(record, "against", output_string(r->racers[r->against].name));
    json_object_set_new(record, "contenders", lines);
    bench_keep(b, record, columns);
}

/* Adds our contenders and, on the CPU, the plain loop. */
static fur_status add_own(bench *b, spgemm_case *s, spgemm_race *r)
{
    if (fur_context_host(b->context) == b->context) {
        FUR_TRY(make_plain(s));
        add(r, "plain, serial", RACE_PEER, 0, multiply_plainly, s);
    }
    add(r, "pattern and values", RACE_KERNEL, 0, multiply_once, s);
    add(r, "values", RACE_KERNEL, fur_spgemm_describe(s->plan)->seconds_plan, multiply_again, s);
    return FUR_OK;
}

static fur_status race_case(bench *b, const char *name, spgemm_case *s, spgemm_race *r)
{
    FUR_TRY(make_operands(s, name));
    FUR_TRY(fur_spgemm_plan(s->a, right_of(s), NULL, &s->plan));
    FUR_TRY(fur_spgemm_multiply(s->plan, fur_real(1), &s->c));
#ifdef FURROW_WITH_CUSPARSE
    foreign all[4] = {{.s = s}};
    if (b->timing->stream)
        all->peer =
            peer_spgemm_open(b->timing->stream, fur_csr_get(s->a), fur_csr_get(right_of(s)));
    if (all->peer)
        add_foreign(r, all);
#endif
    fur_status status = add_own(b, s, r);
    if (status == FUR_OK)
        status = run_rounds(b, r);
#ifdef FURROW_WITH_CUSPARSE
    peer_spgemm_close(all->peer);
#endif
    FUR_TRY(status);
    report(b, name, s, r);
    return FUR_OK;
}

fur_status bench_spgemm(bench *b, const char *name)
{
    spgemm_case s = {.b = b};
    spgemm_race r = {0};
    fur_status status = race_case(b, name, &s, &r);
    fur_context_release(b->context, s.offsets);
    fur_context_release(b->context, s.next);
    fur_context_release(b->context, s.sums);
    fur_csr_destroy(s.c);
    fur_spgemm_destroy(s.plan);
    fur_csr_destroy(s.p);
    fur_csr_destroy(s.a);
    return status;
}
