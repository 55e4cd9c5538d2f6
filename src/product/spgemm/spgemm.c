/* Products of two matrices: a plan with the pattern, and the matrices that it makes. */
#include "spgemm.h"

#include <furrow/author/clock.h>
#include <furrow/author/options.h>

fur_status fur_spgemm_check(const fur_csr *a, const fur_csr *b)
{
    fur_context *context = a->context;
    if (b->context != context)
        return fur_context_fail(
            context, FUR_INVALID,
            "a and b belong to different contexts; they need the same context: transfer one");
    if (a->view.value_type != b->view.value_type)
        return fur_context_fail(
            context, FUR_INVALID,
            "a has entries of type %s, but b has type %s; they need the same type: convert one",
            fur_value_name(a->view.value_type), fur_value_name(b->view.value_type));
    if (a->view.cols != b->view.rows)
        return fur_context_fail(
            context, FUR_INVALID,
            "a is %lld x %lld and b is %lld x %lld; the columns of a must equal the rows of b",
            (long long)a->view.rows, (long long)a->view.cols, (long long)b->view.rows,
            (long long)b->view.cols);
    return FUR_OK;
}

/* Bytes of C, which may be more than any memory. */
static double bytes_of(const fur_spgemm *plan, int64_t entries)
{
    size_t entry = sizeof(int32_t) + fur_value_size(plan->a->view.value_type);
    return (double)entries * (double)entry +
           (double)(plan->a->view.rows + 1) * (double)fur_offset_size(fur_offset_for(entries));
}

/* Refuses a result that exceeds the options or the machine's memory. (A device refuses memory that
 * it does not have. A host often refuses only when the memory is written.) */
static fur_status check_entries(const fur_spgemm *plan, int64_t entries, int64_t most)
{
    fur_device_info info = {.size = sizeof info};
    double bytes = bytes_of(plan, entries);
    if (most > 0 && entries > most)
        return fur_context_fail(
            plan->context, FUR_OVERFLOW,
            "the product has %lld entries, more than the %lld of options.max_entries",
            (long long)entries, (long long)most);
    if (!fur_is_remote(plan->context) && fur_cpu_describe(0, &info) && bytes > (double)info.memory)
        return fur_context_fail(
            plan->context, FUR_OUT_OF_MEMORY,
            "the product has %lld entries, which take %.1f GB; this machine has "
            "%.1f GB",
            (long long)entries, 1e-9 * bytes, 1e-9 * (double)info.memory);
    return FUR_OK;
}

static fur_status plan_here(fur_spgemm *plan, const fur_spgemm_options *options)
{
    fur_env *env = &plan->context->env;
    const fur_csr_view *a = &plan->a->view;
    const fur_csr_view *b = &plan->b->view;
    fur_spgemm_size size;
    FUR_TRY(plan->kernels->count(env, a, b, &plan->state, &size));
    FUR_TRY(check_entries(plan, size.entries, options->max_entries));
    FUR_TRY(fur_csr_pattern_create(plan->context, a->rows, b->cols, size.entries, a->value_type,
                                   &plan->pattern));
    FUR_TRY(plan->kernels->fill(env, plan->state, a, b, &plan->pattern->view));
    plan->report.products = size.products;
    return FUR_OK;
}

static void complete_report(fur_spgemm *plan)
{
    fur_spgemm_report *report = &plan->report;
    const fur_csr_view *c = &plan->pattern->view;
    int64_t same = plan->a == plan->b ? 0 : fur_csr_bytes(&plan->b->view);
    report->size = sizeof *report;
    report->rows = c->rows;
    report->cols = c->cols;
    report->entries = c->entries;
    report->bytes = fur_csr_bytes(&plan->a->view) + same + fur_csr_bytes(c);
}

static void join(fur_spgemm *plan)
{
    plan->from_a = (fur_dependent){"the product", plan, NULL, .reads = true};
    plan->from_b = (fur_dependent){"the product", plan, NULL, .reads = true, .main = &plan->from_a};
    fur_dependent_join(&plan->from_a, &plan->a->made);
    fur_dependent_join(&plan->from_b, &plan->b->made);
}

fur_status fur_spgemm_plan(const fur_csr *a, const fur_csr *b, const fur_spgemm_options *options,
                           fur_spgemm **out)
{
    FUR_NEED(fur_csr_context(a), a, b, out);
    double start = fur_seconds();
    fur_spgemm_options o;
    FUR_TAKE_OPTIONS(a->context, fur_spgemm_options, &o, options);
    FUR_TRY(fur_spgemm_check(a, b));
    fur_spgemm *plan;
    FUR_TRY(fur_env_allocate_zeros(&a->context->env, 1, sizeof *plan, &plan));
    plan->context = a->context;
    plan->a = a;
    plan->b = b;
    plan->kernels = a->context->backend->spgemm;
    fur_status status = plan->kernels ? plan_here(plan, &o) : FUR_UNSUPPORTED;
    if (status == FUR_UNSUPPORTED) {
        plan->kernels = NULL;
        status = fur_spgemm_plan_near(plan, &o);
    }
    if (status != FUR_OK) {
        fur_spgemm_destroy(plan);
        return status;
    }
    complete_report(plan);
    plan->report.seconds_plan = fur_seconds() - start;
    join(plan);
    *out = plan;
    return FUR_OK;
}

void fur_spgemm_destroy(fur_spgemm *plan)
{
    if (!plan)
        return;
    fur_dependent_leave(&plan->from_a);
    fur_dependent_leave(&plan->from_b);
    fur_spgemm_release_near(plan);
    if (plan->kernels)
        plan->kernels->release(&plan->context->env, plan->state);
    fur_csr_pattern_release(plan->pattern);
    fur_env_release(&plan->context->env, plan);
}

static fur_status check_plan(const fur_spgemm *plan)
{
    return fur_dependent_check(&plan->context->env, &plan->from_a);
}

static fur_status compute(const fur_spgemm *plan, fur_scalar alpha, void *values)
{
    if (!plan->kernels)
        return fur_spgemm_apply_near(plan, alpha, values);
    return plan->kernels->apply(&plan->context->env, plan->state, &plan->a->view, &plan->b->view,
                                alpha, &plan->pattern->view, values);
}

fur_status fur_spgemm_multiply(const fur_spgemm *plan, fur_scalar alpha, fur_csr **out)
{
    FUR_NEED(plan ? plan->context : NULL, plan, out);
    fur_csr *c;
    FUR_TRY(check_plan(plan));
    FUR_TRY(fur_csr_of_pattern(plan->pattern, &c));
    fur_status status = compute(plan, alpha, fur_csr_values(c));
    if (status == FUR_OK)
        *out = c;
    else
        fur_csr_destroy(c);
    return status;
}

typedef struct computation {
    const fur_spgemm *plan;
    fur_scalar alpha;
} computation;

/* Values that are in use must not be left incomplete. The computation therefore cannot be
 * interrupted. */
static fur_status rewrite(fur_env *env, const fur_csr_view *c, const void *arguments, void *values)
{
    const computation *it = arguments;
    int (*interrupted)(void *user) = env->interrupted;
    (void)c;
    env->interrupted = NULL;
    fur_status status = compute(it->plan, it->alpha, values);
    env->interrupted = interrupted;
    return status;
}

fur_status fur_spgemm_apply(const fur_spgemm *plan, fur_scalar alpha, fur_csr *c)
{
    FUR_NEED(plan ? plan->context : NULL, plan, c);
    FUR_TRY(check_plan(plan));
    if (c->pattern != plan->pattern)
        return fur_context_fail(plan->context, FUR_INVALID,
                                "c was not made by this plan; make it by fur_spgemm_multiply");
    return fur_csr_rewrite_in_place(c, rewrite, &(computation){plan, alpha});
}

const fur_spgemm_report *fur_spgemm_describe(const fur_spgemm *plan)
{
    static const fur_spgemm_report none = {.size = sizeof none};
    return plan ? &plan->report : &none;
}

fur_status fur_csr_multiply(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, b, out);
    fur_spgemm *plan;
    FUR_TRY(fur_spgemm_plan(a, b, NULL, &plan));
    fur_status status = fur_spgemm_multiply(plan, fur_real(1), out);
    fur_spgemm_destroy(plan);
    return status;
}
