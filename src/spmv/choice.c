/* "auto": by the kernels' own estimates, or by timing those whose estimates are good. */
#include "spmv.h"

#include "clock.h"

#include <math.h>
#include <stdio.h>

/* Estimates within this factor of the best are worth timing; on the CPU so are all kernels without
 * a plan, which show what a plan is worth. */
#define WORTH_TIMING 2.0
/* Seconds for which a kernel is timed, and the least and most runs. */
#define TIMING_SECONDS 0.03
#define TIMING_LEAST 3
#define TIMING_MOST 50
/* On a device products are timed in batches, because waiting takes longer than a small product, and
 * for a shorter time, because they vary less. */
#define DEVICE_BATCH 8
#define DEVICE_SECONDS 0.003
/* On the CPU the first kernel serves where there are fewer products, or fewer entries in all of
 * them, than a better one needs to pay for trials of the machine. */
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

/* Whether a kernel that failed to build leaves the matrix to others: its own form of it does not
 * suit, or has no room. */
static bool makes_way(fur_status status)
{
    return status == FUR_UNSUPPORTED || status == FUR_OUT_OF_MEMORY;
}

static bool eligible(const fur_spmv_kernel *kernel)
{
    return kernel->info.exact && (kernel->cost || kernel->work);
}

/* An estimate for one kernel, or what became of it. */
typedef struct candidate {
    const fur_spmv_kernel *kernel; /* NULL: not to be considered, or no longer */
    fur_spmv_cost cost;
    double total_ns;
} candidate;

/* The kernels that suit the plan's matrix, and what they take; their number. */
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

/* Leaves the kernels whose plans cost at most `limit` products, 0: any number, with the time of
 * `uses` products and the plan. */
static void count_plans(candidate *list, int count, double uses, double limit)
{
    for (int i = 0; i < count; i++) {
        candidate *c = &list[i];
        if (limit > 0 && c->cost.plan_ns > limit * c->cost.product_ns)
            c->kernel = NULL;
        c->total_ns = c->cost.plan_ns + uses * c->cost.product_ns;
    }
}

/* Whether so many products are too short for their kernel to matter: they take less than it would
 * to get to know the machine, unless that is done. */
static bool is_short(const fur_spmv *plan, double uses)
{
    const fur_csr_view *a = &plan->operand->view;
    return !fur_is_remote(plan->context) && !plan->context->machine[a->value_type] &&
           (uses < SHORT_USES || uses * (double)a->entries < SHORT_ENTRIES);
}

/* The first kernel that needs no plan. */
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

/* The cheapest for `uses` products. A kernel that refuses the matrix only when it is built makes
 * way for the next. */
static fur_status choose_cheapest(fur_spmv *plan, const fur_spmv_profile *profile, candidate *list,
                                  int count, double uses)
{
    const char *source =
        fur_is_remote(plan->context) ? "a model of an H200" : "trials of this machine";
    int left = 0;
    for (int i = 0; i < count; i++)
        left += list[i].kernel != NULL;
    fur_status status = FUR_UNSUPPORTED;
    for (candidate *c; makes_way(status) && (c = cheapest(list, count)); c->kernel = NULL) {
        plan->kernel = c->kernel;
        status = fur_spmv_prepare(plan, c->kernel, profile, &plan->state);
        snprintf(plan->reason, sizeof plan->reason,
                 "the lowest estimate of %d kernels for %.0f products, by %s", left, uses, source);
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
        return choose_first(plan, profile, "the products are too short to choose for");
    fur_status status = list_candidates(plan, profile, list, &count);
    if (status == FUR_OUT_OF_MEMORY && !fur_is_remote(plan->context))
        return choose_first(plan, profile, "there is no memory for trials of this machine");
    FUR_TRY(status);
    count_plans(list, count, n, uses > 0 ? 0 : backend->plan_products);
    return choose_cheapest(plan, profile, list, count, n);
}

/* So many products, done when the call returns; their seconds. */
static fur_status time_batch(const fur_spmv_kernel *kernel, const fur_spmv_call *call,
                             fur_context *context, int count, double *seconds)
{
    double start = fur_seconds();
    for (int i = 0; i < count; i++)
        FUR_TRY(kernel->apply(call));
    FUR_TRY(fur_context_synchronize(context));
    *seconds = fur_seconds() - start;
    return FUR_OK;
}

/* Seconds of one product: the median would need them all kept; the least is as telling here. */
static fur_status time_product(const fur_spmv *plan, const fur_spmv_kernel *kernel,
                               const void *state, const fur_vector *x, fur_vector *y, double *least)
{
    fur_spmv_call call = {
        .env = &plan->context->env,
        .a = &plan->operand->view,
        .state = state,
        .alpha = {1, 0},
        .x = x->data,
        .y = y->data,
    };
    bool remote = fur_is_remote(plan->context);
    int batch = remote ? DEVICE_BATCH : 1;
    int least_runs = remote ? 1 : TIMING_LEAST;
    double limit = remote ? DEVICE_SECONDS : TIMING_SECONDS;
    double spent = 0;
    double seconds;
    *least = INFINITY;
    FUR_TRY(time_batch(kernel, &call, plan->context, 1, &seconds));
    for (int run = 0; run < least_runs || (run < TIMING_MOST && spent < limit); run++) {
        FUR_TRY(time_batch(kernel, &call, plan->context, batch, &seconds));
        spent += seconds;
        *least = fmin(*least, seconds / batch);
    }
    return FUR_OK;
}

/* Prepares and times one kernel; keeps it in the plan if it is the fastest so far. */
static fur_status try_kernel(fur_spmv *plan, const fur_spmv_kernel *kernel,
                             const fur_spmv_profile *profile, const fur_vector *x, fur_vector *y)
{
    void *state;
    double start = fur_seconds();
    FUR_TRY(fur_spmv_prepare(plan, kernel, profile, &state));
    double seconds = 0;
    fur_status status = fur_context_synchronize(plan->context);
    double prepare = fur_seconds() - start;
    if (status == FUR_OK)
        status = time_product(plan, kernel, state, x, y, &seconds);
    if (status != FUR_OK) {
        fur_spmv_drop(plan, kernel, state);
        return status;
    }
    if (!kernel->plan && plan->report.seconds_plain == 0)
        plan->report.seconds_plain = seconds;
    if (plan->kernel && plan->report.seconds_product <= seconds) {
        fur_spmv_drop(plan, kernel, state);
        return FUR_OK;
    }
    fur_spmv_drop(plan, plan->kernel, plan->state);
    plan->kernel = kernel;
    plan->state = state;
    plan->report.seconds_product = seconds;
    plan->seconds_prepare = prepare;
    return FUR_OK;
}

static fur_status try_all(fur_spmv *plan, const fur_spmv_profile *profile, const fur_vector *x,
                          fur_vector *y)
{
    candidate list[FUR_SPMV_KERNELS];
    int count;
    FUR_TRY(list_candidates(plan, profile, list, &count));
    const candidate *best = cheapest(list, count);
    int tried = 0;
    for (int i = 0; i < count; i++) {
        bool plain = !list[i].kernel->plan && !fur_is_remote(plan->context);
        if (list[i].total_ns > WORTH_TIMING * best->total_ns && !plain)
            continue;
        fur_status status = try_kernel(plan, list[i].kernel, profile, x, y);
        if (status != FUR_OK && !makes_way(status))
            return status;
        tried += status == FUR_OK;
    }
    snprintf(plan->reason, sizeof plan->reason, "the fastest of %d kernels timed", tried);
    return FUR_OK;
}

fur_status fur_spmv_choose_measured(fur_spmv *plan, const fur_spmv_profile *profile)
{
    const fur_csr_view *a = &plan->operand->view;
    fur_status status = FUR_OK;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    FUR_TRY_DONE(fur_vector_create(plan->context, a->value_type, a->cols, &x));
    FUR_TRY_DONE(fur_vector_create(plan->context, a->value_type, a->rows, &y));
    FUR_TRY_DONE(try_all(plan, profile, x, y));
done:
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    /* Where nothing could be timed for want of memory, a kernel that needs none may still do. */
    bool none = makes_way(status) || (status == FUR_OK && !plan->kernel);
    return none ? fur_spmv_choose_estimated(plan, profile, 0) : status;
}
