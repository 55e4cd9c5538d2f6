/* The speed of the machine for the CPU's kernels: trials, the fit, and estimates from it. */
#include "machine.h"

#include <furrow/author/clock.h>

#include "trial.h"

#include "split.h"

#include <math.h>

/* The fastest product of a kernel in a trial counts. A trial has at least ROUNDS products, and at
 * least ENTRIES entries in all of them. There are PASSES passes over all trials, so that a
 * disturbance of one pass does not affect the others. */
#define ROUNDS 2
#define ENTRIES 12000
#define PASSES 3
/* Plans of each kernel in each trial. The last trial's plans are also made by all threads, one of
 * which may be late. */
#define PLANS 2
#define PLANS_BY_ALL 6
/* Bounds of the time to get a byte of new memory, which is measured only once. */
#define FRESH_LEAST 0.02
#define FRESH_MAX 1.0
/* Iterations of the fit. */
#define SWEEPS 300

/* The results of a kernel in the trials. */
typedef struct record {
    fur_spmv_work work[FUR_TRIALS];
    void *state[FUR_TRIALS]; /* states of its plans */
    double ns[FUR_TRIALS];   /* infinite: the kernel cannot run */
    double plan_ns;          /* for one entry */
} record;

typedef struct trials {
    fur_env *env; /* of one thread, except in the last steps */
    const fur_backend *backend;
    fur_trial trial[FUR_TRIALS];
    record record[FUR_SPMV_KERNELS];
} trials;

/* Makes a kernel's plan for a trial `times` times. *ns: the least time, in memory that has been
 * used before. */
static fur_status make_plan(trials *s, int index, const fur_spmv_kernel *kernel, record *r,
                            int times, double *ns)
{
    const fur_trial *t = &s->trial[index];
    *ns = INFINITY;
    for (int i = 0; i < times; i++) {
        if (r->state[index] && kernel->release)
            kernel->release(s->env, r->state[index]);
        r->state[index] = NULL;
        double start = fur_seconds();
        FUR_TRY(kernel->plan(s->env, &t->a, &t->profile, &r->state[index]));
        *ns = fmin(*ns, 1e9 * (fur_seconds() - start));
    }
    return FUR_OK;
}

/* Takes a kernel's work in a trial, and makes its plan. */
static fur_status prepare_kernel(trials *s, int index, const fur_spmv_kernel *kernel, record *r)
{
    const fur_trial *t = &s->trial[index];
    double ns = 0;
    r->ns[index] = INFINITY;
    r->work[index] = kernel->work(&t->a, &t->profile);
    if (index == 0)
        r->plan_ns = kernel->plan ? INFINITY : 0;
    if (r->work[index].refusal || !kernel->plan)
        return FUR_OK;
    FUR_TRY(make_plan(s, index, kernel, r, PLANS, &ns));
    r->plan_ns = fmin(r->plan_ns, ns / (double)t->a.entries);
    return FUR_OK;
}

static fur_status prepare(trials *s, fur_value_type value)
{
    for (int t = 0; t < FUR_TRIALS; t++) {
        FUR_TRY(fur_trial_create(s->env, t, value, &s->trial[t]));
        for (int k = 0; k < fur_spmv_kernel_count(s->backend); k++)
            if (s->backend->spmv[k]->work)
                FUR_TRY(prepare_kernel(s, t, s->backend->spmv[k], &s->record[k]));
    }
    return FUR_OK;
}

/* Updates *ns by the fastest of some more products. */
static fur_status time_products(trials *s, const fur_trial *t, const fur_spmv_kernel *kernel,
                                const void *state, double *ns)
{
    int64_t rounds = fur_larger(ROUNDS, ENTRIES / t->a.entries);
    fur_spmv_call call = {s->env, &t->a, state, {1, 0}, {0, 0}, t->x, t->y};
    FUR_TRY(kernel->apply(&call));
    for (int64_t i = 0; i < rounds; i++) {
        double start = fur_seconds();
        FUR_TRY(kernel->apply(&call));
        *ns = fmin(*ns, 1e9 * (fur_seconds() - start));
    }
    return FUR_OK;
}

/* Runs all kernels once in all trials. */
static fur_status run_pass(trials *s)
{
    for (int t = 0; t < FUR_TRIALS; t++)
        for (int k = 0; k < fur_spmv_kernel_count(s->backend); k++) {
            const fur_spmv_kernel *kernel = s->backend->spmv[k];
            record *r = &s->record[k];
            if (kernel->work && !r->work[t].refusal)
                FUR_TRY(time_products(s, &s->trial[t], kernel, r->state[t], &r->ns[t]));
        }
    return FUR_OK;
}

static void release(trials *s)
{
    for (int t = 0; t < FUR_TRIALS; t++) {
        for (int k = 0; k < fur_spmv_kernel_count(s->backend); k++)
            if (s->record[k].state[t] && s->backend->spmv[k]->release)
                s->backend->spmv[k]->release(s->env, s->record[k].state[t]);
        fur_trial_release(s->env, &s->trial[t]);
    }
}

/* The time of a kernel's work if all data is in the near caches. */
static double near_ns(const fur_kernel_speed *speed, const fur_spmv_work *work)
{
    double ns = 0;
    for (int p = 0; p < FUR_WORK_PARTS; p++)
        ns += speed->part[p] * work->part[p];
    return ns;
}

/* Changes the time of part p so that the sum of squared relative errors is least. It stays at least
 * 0. */
static void improve_part(const record *r, fur_kernel_speed *speed, int p)
{
    double slope = 0;
    double curve = 0;
    for (int t = 0; t < FUR_FAR_TRIAL; t++) {
        if (isinf(r->ns[t]))
            continue;
        double share = r->work[t].part[p] / r->ns[t];
        slope += share * (1 - near_ns(speed, &r->work[t]) / r->ns[t]);
        curve += share * share;
    }
    if (curve > 0)
        speed->part[p] = fmax(0, speed->part[p] + slope / curve);
}

/* Nonnegative least squares, one part after another. The remaining time of the last trial is the
 * cost of entries that are not in the near caches. */
static void fit(const record *r, double far_entries, fur_kernel_speed *speed)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < FUR_WORK_PARTS; p++)
            improve_part(r, speed, p);
    double beyond = r->ns[FUR_FAR_TRIAL] - near_ns(speed, &r->work[FUR_FAR_TRIAL]);
    speed->far = fmax(0, beyond / far_entries);
    speed->plan = r->plan_ns;
}

static void fit_all(const trials *s, fur_machine *m)
{
    for (int k = 0; k < fur_spmv_kernel_count(s->backend); k++)
        if (s->backend->spmv[k]->work)
            fit(&s->record[k], s->trial[FUR_FAR_TRIAL].profile.far_entries, &m->kernel[k]);
}

static fur_status run_trials(trials *s, fur_value_type value, fur_machine *m)
{
    FUR_TRY(prepare(s, value));
    for (int pass = 0; pass < PASSES; pass++)
        FUR_TRY(run_pass(s));
    fit_all(s, m);
    return FUR_OK;
}

/* Measures the time that plans take with all threads, in addition to the threads' shares. */
static fur_status wake_threads(trials *s, fur_machine *m)
{
    for (int k = 0; k < fur_spmv_kernel_count(s->backend); k++) {
        const fur_spmv_kernel *kernel = s->backend->spmv[k];
        fur_kernel_speed *speed = &m->kernel[k];
        record *r = &s->record[k];
        double ns;
        if (!kernel->work || !kernel->plan || r->work[FUR_FAR_TRIAL].refusal)
            continue;
        FUR_TRY(make_plan(s, FUR_FAR_TRIAL, kernel, r, PLANS_BY_ALL, &ns));
        double entries = (double)s->trial[FUR_FAR_TRIAL].a.entries;
        speed->waking = fmax(0, ns - speed->plan * entries / s->env->threads);
    }
    FUR_TRY(fur_machine_fresh(s->env, &m->fresh));
    m->fresh = fmax(FRESH_LEAST, fmin(m->fresh, FRESH_MAX));
    return FUR_OK;
}

/* Runs the trials in the calling thread alone, and then plans in all threads. */
static fur_status measure(fur_context *context, fur_value_type value, fur_machine *m)
{
    fur_env *env = &context->env;
    const int threads = env->threads;
    struct fur_team *team = env->team;
    trials *s;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *s, &s));
    s->backend = context->backend;
    s->env = env;
    env->threads = 1;
    env->team = NULL;
    fur_status status = run_trials(s, value, m);
    env->threads = threads;
    env->team = team;
    if (status == FUR_OK)
        status = wake_threads(s, m);
    release(s);
    fur_env_release(env, s);
    return status;
}

fur_status fur_machine_of(fur_context *context, fur_value_type value, fur_machine **out)
{
    fur_machine **kept = &context->machine[value];
    if (!*kept) {
        fur_machine *m;
        FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *m, &m));
        fur_status status = measure(context, value, m);
        if (status != FUR_OK) {
            fur_env_release(&context->env, m);
            return status;
        }
        *kept = m;
        fur_env_let_go(&context->env); /* it is the context's own */
    }
    *out = *kept;
    return FUR_OK;
}

/* Bytes a ns for a matrix with `size` bytes. If only a part of such a matrix exists, the rate of
 * the next larger known size is used. */
static double rate_at(fur_machine *m, const fur_context *context, const fur_csr_view *a,
                      int64_t part, int64_t size)
{
    int first = ilogb((double)size);
    double *rate = &m->rate[first];
    if (*rate == 0 && part == size)
        *rate = fur_machine_rate(&context->env, a->values, size);
    for (int k = first; k < FUR_MACHINE_SIZES; k++)
        if (m->rate[k] > 0)
            return m->rate[k];
    return fur_machine_rate(&context->env, a->values, part);
}

/* The least time to read and write `bytes` bytes, in a product with a matrix `times` times as large
 * as A. */
static double stream_ns(fur_machine *m, const fur_context *context, const fur_csr_view *a,
                        double times, double bytes)
{
    int64_t part = a->entries * (int64_t)fur_value_size(a->value_type);
    int64_t size = (int64_t)(times * (double)part);
    if (size < FUR_NEAR_BYTES) /* as near as in the trials */
        return 0;
    return times * bytes / rate_at(m, context, a, part, size);
}

fur_spmv_cost fur_machine_cost(fur_machine *m, const fur_context *context, int index,
                               const fur_csr_view *a, const fur_spmv_profile *profile)
{
    const fur_kernel_speed *speed = &m->kernel[index];
    fur_spmv_work work = context->backend->spmv[index]->work(a, profile);
    if (work.refusal)
        return (fur_spmv_cost){.refusal = work.refusal};
    double times = profile->times > 0 ? profile->times : 1;
    double threads = fmax(1, fmin(context->env.threads, floor(times * work.worth)));
    double core = times * near_ns(speed, &work) * fmax(1 / threads, work.longest / times);
    double far = times * speed->far * profile->far_entries / threads;
    double plan = m->fresh * work.form + speed->plan * (double)a->entries / threads;
    return (fur_spmv_cost){
        .product_ns = fmax(core, stream_ns(m, context, a, times, work.bytes)) + far,
        .plan_ns = speed->plan > 0 ? speed->waking + times * plan : 0,
    };
}
