/* "auto": chooses a kernel by the kernels' own estimates, or by timing the kernels with good
 * estimates. */
#include "spmv.h"

#include <furrow/author/clock.h>
#include <furrow/author/recording.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernels are timed if their estimate is within this factor of the best. On the CPU all kernels
 * without a plan are timed too, which shows what a plan gains. */
#define WORTH_TIMING 2.0
/* Seconds for which two kernels alternate, and the least and the most runs of each. */
#define TIMING_SECONDS 0.04
#define TIMING_LEAST 3
#define TIMING_MAX 255
/* Another kernel replaces the estimated one only if it takes at most this fraction of its time.
 * Smaller differences may be accidental. */
#define CLEARLY_LESS 0.98
/* On a device, products are timed in batches, because waiting takes longer than a small product.
 * They are replayed from a recording, because a launch takes longer too. The time is shorter,
 * because they vary less. */
#define DEVICE_BATCH 16
#define DEVICE_SECONDS 0.003
/* On the CPU the first kernel is used if there are fewer products, or fewer entries in all of them.
 * A better kernel could then not make up for the trials of the machine. */
#define SHORT_USES 8
#define SHORT_ENTRIES 1e6

fur_status fur_spmv_prepare(fur_spmv *plan, const fur_spmv_kernel *kernel,
                            const fur_spmv_profile *profile, void **state)
{
    *state = NULL;
    return kernel->plan ? kernel->plan(&plan->context->env, &plan->operand->view, profile, state)
                        : FUR_OK;
}

void fur_spmv_drop(fur_spmv *plan, const fur_spmv_kernel *kernel, void *state)
{
    if (kernel && state && kernel->release)
        kernel->release(&plan->context->env, state);
}

/* Returns whether another kernel is tried after this failure to build: the form does not suit the
 * matrix, or has too little memory. */
static bool makes_way(fur_status status)
{
    return status == FUR_UNSUPPORTED || status == FUR_OUT_OF_MEMORY;
}

static bool eligible(const fur_spmv_kernel *kernel)
{
    return kernel->info.exact && (kernel->cost || kernel->work);
}

/* The estimate for one kernel. */
typedef struct candidate {
    const fur_spmv_kernel *kernel; /* NULL: not considered, or failed */
    fur_spmv_cost cost;
    double total_ns;
} candidate;

/* Lists the kernels that suit the plan's matrix, with their costs. Returns their number. */
static fur_status list_candidates(const fur_spmv *plan, const fur_spmv_profile *profile,
                                  candidate *list, int *count)
{
    const fur_backend *backend = plan->context->backend;
    *count = 0;
    for (int i = 1; i < fur_spmv_kernel_count(backend); i++) {
        fur_spmv_cost cost;
        if (!eligible(backend->spmv[i]))
            continue;
        FUR_TRY(fur_spmv_estimate_cost(plan->operand, i, profile, &cost));
        if (!cost.refusal)
            list[(*count)++] = (candidate){backend->spmv[i], cost, cost.product_ns};
    }
    return FUR_OK;
}

static candidate *cheapest(candidate *list, int count)
{
    candidate *best = NULL;
    for (int i = 0; i < count; i++)
        if (list[i].kernel && (!best || list[i].total_ns < best->total_ns))
            best = &list[i];
    return best;
}

/* Sets the time of the plan and `uses` products. */
static void count_plans(candidate *list, int count, double uses)
{
    for (int i = 0; i < count; i++)
        list[i].total_ns = list[i].cost.plan_ns + uses * list[i].cost.product_ns;
}

/* Returns whether `uses` products are too short for the choice to matter: they take less time than
 * trials of the machine, which have not been run yet. */
static bool is_short(const fur_spmv *plan, double uses)
{
    const fur_csr_view *a = &plan->operand->view;
    double entries = fmax(1, plan->operand->times) * (double)a->entries;
    return !fur_is_remote(plan->context) && !plan->context->machine[a->value_type] &&
           (uses < SHORT_USES || uses * entries < SHORT_ENTRIES);
}

/* Chooses the first kernel that needs no plan. */
static fur_status choose_first(fur_spmv *plan, const fur_spmv_profile *profile, const char *why)
{
    const fur_backend *backend = plan->context->backend;
    int i = 1;
    while (!eligible(backend->spmv[i]) || backend->spmv[i]->plan)
        i++;
    plan->kernel = backend->spmv[i];
    snprintf(plan->reason, sizeof plan->reason, "%s", why);
    return fur_spmv_prepare(plan, plan->kernel, profile, &plan->state);
}

/* Chooses the cheapest kernel for `uses` products. If it refuses the matrix while it is built, the
 * next one is tried. */
static fur_status choose_cheapest(fur_spmv *plan, const fur_spmv_profile *profile, candidate *list,
                                  int count, double uses)
{
    const char *source =
        fur_is_remote(plan->context) ? "a model of an H200" : "trials of this machine";
    fur_status status = FUR_UNSUPPORTED;
    for (candidate *c; makes_way(status) && (c = cheapest(list, count)); c->kernel = NULL) {
        plan->kernel = c->kernel;
        status = fur_spmv_prepare(plan, c->kernel, profile, &plan->state);
        snprintf(plan->reason, sizeof plan->reason,
                 "the lowest estimate of %d kernels for %.0f products, by %s", count, uses, source);
        plan->report.seconds_estimated = 1e-9 * c->total_ns / uses;
    }
    return status;
}

fur_status fur_spmv_choose_estimated(fur_spmv *plan, const fur_spmv_profile *profile, int64_t uses)
{
    candidate list[FUR_SPMV_KERNELS];
    const fur_backend *backend = plan->context->backend;
    double n = (double)(uses > 0 ? uses : backend->uses_assumed);
    int count;
    if (is_short(plan, n))
        return choose_first(plan, profile, "the products are too short to time");
    fur_status status = list_candidates(plan, profile, list, &count);
    if (status == FUR_OUT_OF_MEMORY && !fur_is_remote(plan->context))
        return choose_first(plan, profile, "out of memory for the trials of this machine");
    FUR_TRY(status);
    count_plans(list, count, n);
    return choose_cheapest(plan, profile, list, count, n);
}

/* A kernel in a race, with its plan and the seconds of its runs. */
typedef struct contender {
    const fur_spmv_kernel *kernel; /* NULL: no kernel */
    void *state;
    fur_recording *recording; /* of a product, if the device records; else NULL */
    double prepare;           /* seconds to make the plan */
    double run[TIMING_MAX];
} contender;

/* The fastest kernel so far, and the kernel that races against it. */
typedef struct contest {
    fur_spmv *plan;
    const fur_spmv_profile *profile;
    const fur_vector *x;
    fur_vector *y;
    const fur_spmv_kernel *plain; /* the first kernel without a plan, or NULL */
    contender best;
    contender other;
    int tried;
} contest;

static fur_status apply(const contest *s, const contender *c)
{
    fur_spmv_call call = {
        .env = &s->plan->context->env,
        .a = &s->plan->operand->view,
        .state = c->state,
        .alpha = {1, 0},
        .x = s->x->data,
        .y = s->y->data,
    };
    return c->kernel->apply(&call);
}

static void forget_recording(contender *c)
{
    fur_recording_destroy(c->recording);
    c->recording = NULL;
}

/* Records a product, if the device can and the context's stream allows it. */
static void record(const contest *s, contender *c)
{
    fur_context *context = s->plan->context;
    if (!fur_is_remote(context) || fur_recording_create(context, &c->recording) != FUR_OK)
        return;
    fur_status status = fur_recording_begin(c->recording);
    if (status == FUR_OK) {
        status = apply(s, c);
        fur_status ended = fur_recording_end(c->recording);
        status = status == FUR_OK ? ended : status;
    }
    if (status != FUR_OK)
        forget_recording(c);
}

static fur_status enter(const contest *s, const fur_spmv_kernel *kernel, contender *out)
{
    double start = fur_seconds();
    FUR_TRY(fur_spmv_prepare(s->plan, kernel, s->profile, &out->state));
    fur_status status = fur_context_synchronize(s->plan->context);
    if (status != FUR_OK) {
        fur_spmv_drop(s->plan, kernel, out->state);
        return status;
    }
    out->kernel = kernel;
    out->prepare = fur_seconds() - start;
    record(s, out);
    return FUR_OK;
}

static void leave(const contest *s, contender *c)
{
    forget_recording(c);
    fur_spmv_drop(s->plan, c->kernel, c->state);
    c->kernel = NULL;
    c->state = NULL;
}

/* Computes `count` products. */
static fur_status multiply(const contest *s, const contender *c, int count)
{
    if (c->recording)
        return fur_recording_replay(c->recording, count);
    for (int i = 0; i < count; i++)
        FUR_TRY(apply(s, c));
    return FUR_OK;
}

/* Times a run: one product, or on a device a batch. Adds its seconds to *spent. */
static fur_status time_run(const contest *s, contender *c, int run, double *spent)
{
    int batch = fur_is_remote(s->plan->context) ? DEVICE_BATCH : 1;
    double start = fur_seconds();
    FUR_TRY(multiply(s, c, batch));
    FUR_TRY(fur_context_synchronize(s->plan->context));
    double seconds = fur_seconds() - start;
    c->run[run] = seconds / batch;
    *spent += seconds;
    return FUR_OK;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The seconds of a product: the median of `runs` runs. The plain kernel's time is stored. */
static double seconds_of(const contest *s, contender *c, int runs)
{
    qsort(c->run, (size_t)runs, sizeof *c->run, compare_seconds);
    if (c->kernel == s->plain)
        s->plan->report.seconds_plain = c->run[runs / 2];
    return c->run[runs / 2];
}

/* Times the best kernel and the other, if there is one, alternately. Other activity of the machine
 * then affects both equally. Each has one run before that does not count. */
static fur_status race(contest *s, double *best, double *other)
{
    bool remote = fur_is_remote(s->plan->context);
    contender *both[] = {&s->best, &s->other};
    int count = s->other.kernel ? 2 : 1;
    int least_runs = remote ? 1 : TIMING_LEAST;
    double limit = count * (remote ? DEVICE_SECONDS : TIMING_SECONDS);
    double spent = 0;
    int runs = 0;
    for (int i = 0; i < count; i++)
        FUR_TRY(time_run(s, both[i], 0, &spent));
    for (spent = 0; runs < least_runs || (runs < TIMING_MAX && spent < limit); runs++)
        for (int i = 0; i < count; i++)
            FUR_TRY(time_run(s, both[i], runs, &spent));
    *best = seconds_of(s, &s->best, runs);
    *other = count > 1 ? seconds_of(s, &s->other, runs) : INFINITY;
    return FUR_OK;
}

/* Races a kernel against the best one so far. If it is clearly faster it replaces the best one. */
static fur_status try_kernel(contest *s, const fur_spmv_kernel *kernel)
{
    contender *entered = s->best.kernel ? &s->other : &s->best;
    double best;
    double other;
    FUR_TRY(enter(s, kernel, entered));
    fur_status status = race(s, &best, &other);
    if (status != FUR_OK) {
        leave(s, entered);
        return status;
    }
    s->tried++;
    s->plan->report.seconds_product = best;
    if (other < CLEARLY_LESS * best) {
        contender slower = s->best;
        s->best = s->other;
        s->other = slower;
        s->plan->report.seconds_product = other;
    }
    leave(s, &s->other);
    return FUR_OK;
}

/* Tries the first of the list, and the promising others. */
static fur_status try_all(contest *s, const candidate *list, int count)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, list[i].cost.product_ns);
    for (int i = 0; i < count; i++) {
        bool plain = !list[i].kernel->plan && !fur_is_remote(s->plan->context);
        if (i > 0 && list[i].cost.product_ns > WORTH_TIMING * least && !plain)
            continue;
        fur_status status = try_kernel(s, list[i].kernel);
        if (status != FUR_OK && !makes_way(status))
            return status;
    }
    return FUR_OK;
}

/* Moves the candidate that the estimates would choose to the front. */
static void lead_with_cheapest(candidate *list, int count, double uses)
{
    candidate weighed[FUR_SPMV_KERNELS];
    memcpy(weighed, list, (size_t)count * sizeof *list);
    count_plans(weighed, count, uses);
    const candidate *best = cheapest(weighed, count);
    if (!best)
        return;
    candidate chosen = list[best - weighed];
    list[best - weighed] = list[0];
    list[0] = chosen;
}

static const fur_spmv_kernel *first_plain(const candidate *list, int count)
{
    for (int i = 0; i < count; i++)
        if (!list[i].kernel->plan)
            return list[i].kernel;
    return NULL;
}

static fur_status hold_contest(contest *s, int64_t uses)
{
    candidate list[FUR_SPMV_KERNELS];
    const fur_backend *backend = s->plan->context->backend;
    int count;
    FUR_TRY(list_candidates(s->plan, s->profile, list, &count));
    s->plain = first_plain(list, count);
    lead_with_cheapest(list, count, (double)(uses > 0 ? uses : backend->uses_assumed));
    fur_status status = try_all(s, list, count);
    forget_recording(&s->best);
    s->plan->kernel = s->best.kernel;
    s->plan->state = s->best.state;
    s->plan->seconds_prepare = s->best.prepare;
    snprintf(s->plan->reason, sizeof s->plan->reason, "the fastest of %d kernels timed", s->tried);
    return status;
}

fur_status fur_spmv_choose_measured(fur_spmv *plan, const fur_spmv_profile *profile, int64_t uses)
{
    const fur_csr_view *a = &plan->operand->view;
    contest s = {.plan = plan, .profile = profile};
    fur_status status = FUR_OK;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    FUR_TRY_DONE(fur_vector_create(plan->context, a->value_type, a->cols, &x));
    FUR_TRY_DONE(fur_vector_create(plan->context, a->value_type, a->rows, &y));
    s.x = x;
    s.y = y;
    FUR_TRY_DONE(hold_contest(&s, uses));
done:
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    /* If nothing could be timed because of too little memory, a kernel without a plan may still
     * run. */
    bool none = makes_way(status) || (status == FUR_OK && !plan->kernel);
    return none ? fur_spmv_choose_estimated(plan, profile, uses) : status;
}
