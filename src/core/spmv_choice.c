/* "auto": by the kernels' own estimates, or by timing those whose estimates are good. */
#include "spmv_choice.h"
#include "clock.h"

#include <math.h>

/* Products assumed when the caller does not say: an iterative solve. */
#define USES_ASSUMED 1000
/* Estimates within this factor of the best are worth timing. */
#define WORTH_TIMING 2.0
/* A kernel is timed for so long, and at least and at most so often. */
#define TIMING_SECONDS 0.03
#define TIMING_LEAST 3
#define TIMING_MOST 50

fur_status fur_spmv_prepare(fur_spmv *plan, const fur_spmv_kernel *kernel, void **state)
{
    *state = NULL;
    return kernel->plan ? kernel->plan(&plan->context->env, &plan->operand->view, state) : FUR_OK;
}

void fur_spmv_drop(fur_spmv *plan, const fur_spmv_kernel *kernel, void *state)
{
    if (kernel && kernel->release)
        kernel->release(&plan->context->env, state);
}

static bool eligible(const fur_spmv_kernel *kernel)
{
    return kernel->exact && kernel->cost;
}

fur_status fur_spmv_choose_estimated(fur_spmv *plan, const fur_spmv_profile *profile, int64_t uses)
{
    const fur_backend *backend = plan->context->backend;
    double n = uses > 0 ? (double)uses : USES_ASSUMED;
    double best = INFINITY;
    int suited = 0;
    for (int i = 1; i < backend->spmv_count; i++) {
        if (!eligible(backend->spmv[i]))
            continue;
        fur_spmv_cost cost = backend->spmv[i]->cost(&plan->operand->view, profile);
        double total = cost.plan_ns + n * cost.product_ns;
        suited += !cost.refusal;
        if (!cost.refusal && total < best) {
            best = total;
            plan->kernel = backend->spmv[i];
        }
    }
    snprintf(plan->reason, sizeof plan->reason,
             "the lowest estimate of %d kernels for %.0f products: %.3g us each on one thread",
             suited, n, best / n / 1e3);
    return fur_spmv_prepare(plan, plan->kernel, &plan->state);
}

/* Seconds of one product: the median would need them all kept; the least is as telling here. */
static double time_product(const fur_spmv *plan, const fur_spmv_kernel *kernel, const void *state,
                           const fur_vector *x, fur_vector *y)
{
    fur_spmv_call call = {
        .a = &plan->operand->view,
        .state = state,
        .threads = plan->context->env.threads,
        .alpha = {1, 0},
        .x = x->data,
        .y = y->data,
    };
    double least = INFINITY;
    double spent = 0;
    kernel->apply(&call);
    for (int run = 0; run < TIMING_LEAST || (run < TIMING_MOST && spent < TIMING_SECONDS); run++) {
        double start = fur_seconds();
        kernel->apply(&call);
        double seconds = fur_seconds() - start;
        spent += seconds;
        least = seconds < least ? seconds : least;
    }
    return least;
}

static double best_estimate(const fur_spmv *plan, const fur_spmv_profile *profile)
{
    const fur_backend *backend = plan->context->backend;
    double best = INFINITY;
    for (int i = 1; i < backend->spmv_count; i++) {
        if (!eligible(backend->spmv[i]))
            continue;
        fur_spmv_cost cost = backend->spmv[i]->cost(&plan->operand->view, profile);
        if (!cost.refusal && cost.product_ns < best)
            best = cost.product_ns;
    }
    return best;
}

/* Prepares and times one kernel; keeps it in the plan if it is the fastest so far. */
static fur_status try_kernel(fur_spmv *plan, const fur_spmv_kernel *kernel, const fur_vector *x,
                             fur_vector *y)
{
    void *state;
    double start = fur_seconds();
    FUR_TRY(fur_spmv_prepare(plan, kernel, &state));
    double prepare = fur_seconds() - start;
    double seconds = time_product(plan, kernel, state, x, y);
    if (!kernel->plan && plan->seconds_plain == 0)
        plan->seconds_plain = seconds;
    if (plan->kernel && plan->seconds_product <= seconds) {
        fur_spmv_drop(plan, kernel, state);
        return FUR_OK;
    }
    fur_spmv_drop(plan, plan->kernel, plan->state);
    plan->kernel = kernel;
    plan->state = state;
    plan->seconds_product = seconds;
    plan->seconds_prepare = prepare;
    return FUR_OK;
}

static fur_status try_all(fur_spmv *plan, const fur_spmv_profile *profile, const fur_vector *x,
                          fur_vector *y)
{
    const fur_backend *backend = plan->context->backend;
    double limit = WORTH_TIMING * best_estimate(plan, profile);
    int tried = 0;
    for (int i = 1; i < backend->spmv_count; i++) {
        if (!eligible(backend->spmv[i]))
            continue;
        fur_spmv_cost cost = backend->spmv[i]->cost(&plan->operand->view, profile);
        if (cost.refusal || (backend->spmv[i]->plan && cost.product_ns > limit))
            continue;
        FUR_TRY(try_kernel(plan, backend->spmv[i], x, y));
        tried++;
    }
    snprintf(plan->reason, sizeof plan->reason,
             "the fastest of %d kernels timed: %.3g us a product", tried,
             1e6 * plan->seconds_product);
    return FUR_OK;
}

fur_status fur_spmv_choose_measured(fur_spmv *plan, const fur_spmv_profile *profile)
{
    const fur_csr_view *a = &plan->operand->view;
    fur_status status = FUR_OK;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    FUR_TRY_DONE(fur_vector_create(plan->context, a->value, a->cols, &x));
    FUR_TRY_DONE(fur_vector_create(plan->context, a->value, a->rows, &y));
    FUR_TRY_DONE(try_all(plan, profile, x, y));
done:
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    return status;
}
