/* SpMV plans: the choice of the kernel, its preparation, and the product. */
#include "names.h"

#include <furrow/author/clock.h>
#include <furrow/author/kernels.h>
#include <furrow/author/options.h>

#include "spmv.h"
#include "value_type.h"

#include <string.h>

static bool is_auto(const fur_spmv_options *o)
{
    return !o->kernel || strcmp(o->kernel, "auto") == 0;
}

static fur_status check_options(fur_env *env, const fur_spmv_options *o)
{
    if ((unsigned)o->op > FUR_OP_H)
        return fur_env_fail(env, FUR_INVALID, "%d is not an operation; use FUR_OP_N, _T or _H",
                            (int)o->op);
    if ((unsigned)o->values > FUR_STORED_F32)
        return fur_env_fail(env, FUR_INVALID,
                            "%d is not a storage of values; use FUR_STORED_EXACT or FUR_STORED_F32",
                            (int)o->values);
    if (o->uses < 0)
        return fur_env_fail(env, FUR_INVALID,
                            "the number of expected products is %lld; it must not be negative",
                            (long long)o->uses);
    if ((unsigned)o->half > FUR_HALF_HERMITIAN)
        return fur_env_fail(
            env, FUR_INVALID,
            "%d is not a kind of half; use FUR_HALF_SYMMETRIC or FUR_HALF_HERMITIAN", (int)o->half);
    if (o->half && !is_auto(o))
        return fur_env_fail(env, FUR_INVALID,
                            "kernel \"%s\" does not accept half of a matrix; use \"auto\"",
                            o->kernel);
    return FUR_OK;
}

static const fur_spmv_kernel *find_kernel(const fur_backend *backend, const char *name)
{
    for (int i = 0; i < backend->spmv_count; i++)
        if (strcmp(backend->spmv[i]->info.name, name) == 0)
            return backend->spmv[i];
    return NULL;
}

static fur_status fail_unknown(fur_context *context, const char *name)
{
    char names[512] = "auto";
    for (int i = 0; i < context->backend->spmv_count; i++)
        fur_names_add(names, sizeof names, context->backend->spmv[i]->info.name);
    return fur_context_fail(context, FUR_UNSUPPORTED,
                            "there is no SpMV kernel \"%s\" on device %s; it has %s", name,
                            context->backend->device, names);
}

static fur_status fail_unsuited(fur_context *context, const char *name, const char *why)
{
    return fur_context_fail(context, FUR_UNSUPPORTED, "kernel \"%s\" does not suit this matrix: %s",
                            name, why);
}

static fur_status choose_named(fur_spmv *plan, const char *name, const fur_spmv_profile *profile)
{
    fur_context *context = plan->context;
    const fur_spmv_kernel *kernel = find_kernel(context->backend, name);
    if (!kernel)
        return fail_unknown(context, name);
    const char *refusal = fur_spmv_refusal(kernel, &plan->operand->view, profile);
    if (refusal)
        return fail_unsuited(context, name, refusal);
    plan->kernel = kernel;
    snprintf(plan->reason, sizeof plan->reason, "asked for by name");
    fur_status status = fur_spmv_prepare(plan, kernel, profile, &plan->state);
    if (status != FUR_UNSUPPORTED)
        return status;
    char why[256];
    snprintf(why, sizeof why, "%s", fur_context_error(context));
    return fail_unsuited(context, name, why);
}

/* Chooses the kernel for half of a matrix. */
static fur_status choose_half(fur_spmv *plan)
{
    fur_context *context = plan->context;
    const fur_csr_view *a = &plan->a->view;
    if (!context->backend->spmv_half)
        return fur_context_fail(context, FUR_UNSUPPORTED,
                                "device %s does not multiply by half of a matrix; store the "
                                "complete matrix, or use the CPU",
                                context->backend->device);
    if (a->rows != a->cols)
        return fur_context_fail(
            context, FUR_INVALID,
            "half of a symmetric matrix must be square; this matrix is %lld x %lld",
            (long long)a->rows, (long long)a->cols);
    plan->kernel = &context->backend->spmv_half[plan->half - FUR_HALF_SYMMETRIC];
    snprintf(plan->reason, sizeof plan->reason, "A is half of a %s matrix",
             plan->half == FUR_HALF_HERMITIAN ? "Hermitian" : "symmetric");
    return fur_spmv_prepare(plan, plan->kernel, NULL, &plan->state);
}

static fur_status choose(fur_spmv *plan, const fur_spmv_options *o)
{
    if (plan->half)
        return choose_half(plan);
    fur_spmv_profile profile;
    FUR_TRY(fur_spmv_measure(plan->operand, &profile));
    if (!is_auto(o))
        return choose_named(plan, o->kernel, &profile);
    int64_t enough = plan->context->backend->uses_measured;
    bool measure = o->measure || (enough > 0 && o->uses >= enough);
    return measure ? fur_spmv_choose_measured(plan, &profile, o->uses)
                   : fur_spmv_choose_estimated(plan, &profile, o->uses);
}

/* Rounds the values of A into the plan's own matrix, if it has one. */
static fur_status round_operand(fur_spmv *plan)
{
    if (!plan->rounds)
        return FUR_OK;
    return plan->transpose ? fur_csr_round_values(plan->transpose, plan->transpose)
                           : fur_csr_round_values(plan->a, plan->rounded);
}

/* Returns whether op(A) = A, for a matrix A of which half is stored. */
static bool is_own_transpose(const fur_spmv *plan)
{
    fur_value_type type = plan->a->view.value_type;
    bool real = type == FUR_F32 || type == FUR_F64;
    return real || plan->op == (plan->half == FUR_HALF_HERMITIAN ? FUR_OP_H : FUR_OP_T);
}

/* Sets the operand: A for op N, else its transpose. The plan owns a transpose or rounded matrix. */
static fur_status set_operand(fur_spmv *plan)
{
    plan->operand = plan->a;
    if (plan->half && plan->op != FUR_OP_N && !is_own_transpose(plan))
        return fur_context_fail(plan->context, FUR_UNSUPPORTED,
                                "half of a complex matrix supports only A and the transpose that "
                                "equals A; conjugate x and y instead");
    if (plan->op != FUR_OP_N && !plan->half) {
        FUR_TRY(fur_csr_transpose(plan->a, plan->op == FUR_OP_H, &plan->transpose));
        plan->operand = plan->transpose;
    } else if (plan->rounds) {
        FUR_TRY(fur_csr_share_pattern(plan->a, &plan->rounded));
        plan->operand = plan->rounded;
    }
    return round_operand(plan);
}

/* Sets the bytes that a product moves. The form of A may depend on its values. */
static void report_bytes(fur_spmv *plan)
{
    const fur_csr_view *a = &plan->operand->view;
    const fur_spmv_kernel *kernel = plan->kernel;
    int64_t vectors = (a->rows + a->cols) * (int64_t)fur_value_size(a->value_type);
    plan->report.bytes =
        vectors + (kernel->matrix_bytes ? kernel->matrix_bytes(a, plan->state) : fur_csr_bytes(a));
    plan->report.csr_bytes = vectors + fur_csr_bytes(a);
}

/* Updates the plan from the matrix's new values. */
static fur_status update(void *object)
{
    fur_spmv *plan = object;
    const fur_spmv_kernel *kernel = plan->kernel;
    if (plan->transpose)
        FUR_TRY(fur_csr_transpose_values(plan->a, plan->op == FUR_OP_H, plan->transpose));
    FUR_TRY(round_operand(plan));
    if (kernel->refresh)
        FUR_TRY(kernel->refresh(&plan->context->env, &plan->operand->view, plan->state));
    report_bytes(plan);
    return FUR_OK;
}

static int64_t break_even(const fur_spmv *plan)
{
    if (plan->report.seconds_product == 0 || plan->report.seconds_plain == 0)
        return -1;
    double saved = plan->report.seconds_plain - plan->report.seconds_product;
    return saved > 0 ? (int64_t)(plan->seconds_prepare / saved) + 1 : 0;
}

/* Sets the members of the report that do not depend on the choice of the kernel. */
static void complete_report(fur_spmv *plan)
{
    fur_spmv_report *report = &plan->report;
    report->size = sizeof *report;
    report->kernel = plan->kernel->info.name;
    report->reason = plan->reason;
    report->break_even = break_even(plan);
    report_bytes(plan);
}

fur_status fur_spmv_plan(const fur_csr *a, const fur_spmv_options *options, fur_spmv **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    double start = fur_seconds();
    fur_env *env = &a->context->env;
    fur_spmv_options o;
    FUR_TAKE_OPTIONS(a->context, fur_spmv_options, &o, options);
    FUR_TRY(check_options(env, &o));

    fur_spmv *plan;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *plan, &plan));
    plan->context = a->context;
    plan->a = a;
    plan->op = o.op;
    plan->half = o.half;
    plan->rounds = o.values == FUR_STORED_F32 && !fur_value_is_single(a->view.value_type);
    fur_status status = set_operand(plan);
    if (status == FUR_OK)
        status = choose(plan, &o);
    if (status != FUR_OK) {
        fur_spmv_destroy(plan);
        return status;
    }
    complete_report(plan);
    plan->report.seconds_plan = fur_seconds() - start;
    plan->dependent = (fur_dependent){"the plan", plan, update, .reads = true};
    fur_dependent_join(&plan->dependent, &a->made);
    *out = plan;
    return FUR_OK;
}

void fur_spmv_destroy(fur_spmv *plan)
{
    if (!plan)
        return;
    fur_dependent_leave(&plan->dependent);
    fur_spmv_drop(plan, plan->kernel, plan->state);
    fur_csr_destroy(plan->rounded);
    fur_csr_destroy(plan->transpose);
    fur_env_release(&plan->context->env, plan);
}

fur_status fur_spmv_apply(const fur_spmv *plan, fur_scalar alpha, const fur_vector *x,
                          fur_scalar beta, fur_vector *y)
{
    FUR_NEED(plan ? plan->context : NULL, plan, x, y);
    FUR_TRY(fur_dependent_check(&plan->context->env, &plan->dependent));
    const fur_csr_view *a = &plan->operand->view;
    FUR_TRY(fur_csr_check_vector(plan->operand, "x", x, a->cols));
    FUR_TRY(fur_csr_check_vector(plan->operand, "y", y, a->rows));
    FUR_TRY(fur_vector_check_apart(x, "x", y, "y"));
    fur_spmv_call call = {
        .env = &plan->context->env,
        .a = a,
        .state = plan->state,
        .alpha = alpha,
        .beta = beta,
        .x = x->data,
        .y = y->data,
    };
    return plan->kernel->apply(&call);
}

const fur_csr *fur_spmv_matrix(const fur_spmv *plan)
{
    return plan ? fur_dependent_source(&plan->dependent, plan->a) : NULL;
}

fur_op fur_spmv_op(const fur_spmv *plan)
{
    return plan ? plan->op : FUR_OP_N;
}

const fur_spmv_report *fur_spmv_describe(const fur_spmv *plan)
{
    static const fur_spmv_report none = {.size = sizeof none, .kernel = "", .reason = ""};
    return plan ? &plan->report : &none;
}

const fur_kernel_info *fur_spmv_kernel_at(const fur_context *context, int index)
{
    return context && index >= 0 && index < context->backend->spmv_count
               ? &context->backend->spmv[index]->info
               : NULL;
}
