/* Products with blocks of vectors: the plan and the product. It runs on the context's device. If
 * the device has no kernel, it runs on copies in the companion. */
#include <furrow/author/clock.h>
#include <furrow/author/kernels.h>
#include <furrow/author/options.h>
#include <furrow/spmm.h>

#include "blocks.h"
#include "names.h"

#include <string.h>

struct fur_spmm {
    fur_context *context;
    fur_context *place; /* the context of the kernel: the plan's context, or its companion */
    const fur_csr *a;
    fur_op op;
    fur_csr *transpose;     /* NULL for op N */
    fur_csr *copy;          /* copy of op(A) in the companion; NULL if the context has the kernel */
    const fur_csr *operand; /* the matrix that the kernel multiplies by: a, transpose or copy */
    const fur_spmm_kernel *kernel;
    fur_spmv *single;        /* multiplies column by column; NULL: the kernel does all columns */
    void *state;             /* state of the kernel */
    fur_dependent dependent; /* on the matrix */
    fur_spmm_report report;
};

/* The context whose kernels multiply. */
static fur_context *place_of(const fur_context *context)
{
    return context->backend->spmm_count > 0 ? (fur_context *)(uintptr_t)context : context->host;
}

static fur_status choose_named(fur_spmm *plan, const char *name)
{
    const fur_backend *backend = plan->place->backend;
    char names[512] = "auto";
    for (int i = 0; i < backend->spmm_count; i++) {
        if (strcmp(backend->spmm[i]->info.name, name) == 0) {
            plan->kernel = backend->spmm[i];
            return FUR_OK;
        }
        fur_names_add(names, sizeof names, backend->spmm[i]->info.name);
    }
    return fur_context_fail(plan->context, FUR_UNSUPPORTED,
                            "there is no SpMM kernel \"%s\" on device %s; it has %s", name,
                            backend->device, names);
}

/* Chooses the named kernel, or the last of the list, which is the best. */
static fur_status choose(fur_spmm *plan, const char *name)
{
    const fur_backend *backend = plan->place->backend;
    if (name && strcmp(name, "auto") != 0)
        return choose_named(plan, name);
    plan->kernel = backend->spmm[backend->spmm_count - 1];
    return FUR_OK;
}

/* Makes op(A) where the kernel is: A itself, or the plan's own matrix. */
static fur_status set_operand(fur_spmm *plan)
{
    plan->operand = plan->a;
    if (plan->op != FUR_OP_N) {
        FUR_TRY(fur_csr_transpose(plan->a, plan->op == FUR_OP_H, &plan->transpose));
        plan->operand = plan->transpose;
    }
    if (plan->place == plan->context)
        return FUR_OK;
    FUR_TRY(fur_csr_transfer(plan->operand, plan->place, &plan->copy));
    plan->operand = plan->copy;
    return FUR_OK;
}

static fur_status prepare(fur_spmm *plan)
{
    const fur_spmm_kernel *kernel = plan->kernel;
    if (!kernel->plan)
        return FUR_OK;
    fur_status status = kernel->plan(&plan->place->env, &plan->operand->view, &plan->state);
    return fur_context_pass_on(plan->place, plan->context, status);
}

/* If a form of A has at most this fraction of CSR's bytes, reading it for each column is faster
 * than CSR for several columns. */
#define SMALL_FORM 0.6

static fur_status prepare_single(fur_spmm *plan, const fur_spmm_options *o)
{
    const fur_spmv_options options = {.size = sizeof options, .uses = 1000};
    bool chosen = !o->kernel || strcmp(o->kernel, "auto") == 0;
    if (o->layout != FUR_LAYOUT_COLUMNS || !chosen || fur_is_remote(plan->context))
        return FUR_OK;
    FUR_TRY(fur_spmv_plan(plan->operand, &options, &plan->single));
    const fur_spmv_report *report = fur_spmv_describe(plan->single);
    if ((double)report->bytes > SMALL_FORM * (double)report->csr_bytes) {
        fur_spmv_destroy(plan->single);
        plan->single = NULL;
    }
    return FUR_OK;
}

/* Copies new values to the matrix in the companion. */
static fur_status update_copy(fur_spmm *plan)
{
    const fur_csr *from = plan->transpose ? plan->transpose : plan->a;
    const fur_csr_view *v = &from->view;
    return fur_memory_copy(plan->context, fur_csr_values(plan->copy), v->values,
                           v->entries * (int64_t)fur_value_size(v->value_type));
}

/* Updates the plan from the matrix's new values. */
static fur_status update(void *object)
{
    fur_spmm *plan = object;
    const fur_spmm_kernel *kernel = plan->kernel;
    if (plan->transpose)
        FUR_TRY(fur_csr_transpose_values(plan->a, plan->op == FUR_OP_H, plan->transpose));
    if (plan->transpose)
        fur_dependents_update(&plan->context->env, &plan->transpose->made);
    if (plan->copy)
        FUR_TRY(update_copy(plan));
    return kernel->refresh ? kernel->refresh(&plan->place->env, &plan->operand->view, plan->state)
                           : FUR_OK;
}

fur_status fur_spmm_plan(const fur_csr *a, const fur_spmm_options *options, fur_spmm **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    double start = fur_seconds();
    fur_env *env = &a->context->env;
    fur_spmm_options o;
    FUR_TAKE_OPTIONS(a->context, fur_spmm_options, &o, options);
    if ((unsigned)o.op > FUR_OP_H)
        return fur_env_fail(env, FUR_INVALID, "%d is not an operation; use FUR_OP_N, _T or _H",
                            (int)o.op);
    if ((unsigned)o.layout > FUR_LAYOUT_COLUMNS)
        return fur_env_fail(env, FUR_INVALID,
                            "%d is not a layout; use FUR_LAYOUT_ROWS or FUR_LAYOUT_COLUMNS",
                            (int)o.layout);
    fur_spmm *plan;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *plan, &plan));
    plan->context = a->context;
    plan->place = place_of(a->context);
    plan->a = a;
    plan->op = o.op;
    fur_status status = choose(plan, o.kernel);
    if (status == FUR_OK)
        status = set_operand(plan);
    if (status == FUR_OK)
        status = prepare(plan);
    if (status == FUR_OK)
        status = prepare_single(plan, &o);
    if (status != FUR_OK) {
        fur_spmm_destroy(plan);
        return status;
    }
    plan->report = (fur_spmm_report){
        .size = sizeof plan->report,
        .kernel = plan->kernel->info.name,
        .matrix_bytes = fur_csr_bytes(&plan->operand->view),
        .seconds_plan = fur_seconds() - start,
        .by_columns = plan->single != NULL,
    };
    plan->dependent = (fur_dependent){"the plan", plan, update, .reads = true};
    fur_dependent_join(&plan->dependent, &a->made);
    *out = plan;
    return FUR_OK;
}

void fur_spmm_destroy(fur_spmm *plan)
{
    if (!plan)
        return;
    fur_dependent_leave(&plan->dependent);
    if (plan->state && plan->kernel->release)
        plan->kernel->release(&plan->place->env, plan->state);
    fur_spmv_destroy(plan->single);
    fur_csr_destroy(plan->copy);
    fur_csr_destroy(plan->transpose);
    fur_env_release(&plan->context->env, plan);
}

fur_status fur_spmm_check_block(fur_context *context, const fur_csr_view *a, const char *name,
                                const fur_vectors *v, int64_t rows)
{
    fur_env *env = &context->env;
    if (v->context != context)
        return fur_env_fail(env, FUR_INVALID, "%s belongs to another context than the matrix",
                            name);
    if (v->view.value_type != a->value_type)
        return fur_env_fail(
            env, FUR_INVALID, "%s has entries of type %s, but the matrix has type %s; convert one",
            name, fur_value_name(v->view.value_type), fur_value_name(a->value_type));
    if (v->view.rows != rows)
        return fur_env_fail(
            env, FUR_INVALID, "%s has %lld rows, but the %lld x %lld matrix needs %lld", name,
            (long long)v->view.rows, (long long)a->rows, (long long)a->cols, (long long)rows);
    return FUR_OK;
}

static fur_status check_blocks(const fur_spmm *plan, const fur_vectors *x, const fur_vectors *y)
{
    const fur_csr_view *a = &plan->operand->view;
    FUR_TRY(fur_spmm_check_block(plan->context, a, "X", x, a->cols));
    FUR_TRY(fur_spmm_check_block(plan->context, a, "Y", y, a->rows));
    if (x->view.cols != y->view.cols)
        return fur_env_fail(&plan->context->env, FUR_INVALID, "X has %lld columns, but Y has %lld",
                            (long long)x->view.cols, (long long)y->view.cols);
    return fur_vectors_check_apart(x, "X", y, "Y");
}

static fur_status apply_columns(const fur_spmm *plan, fur_scalar alpha, const fur_vectors *x,
                                fur_scalar beta, fur_vectors *y)
{
    for (int64_t j = 0; j < y->view.cols; j++) {
        const fur_vector from = fur_vectors_at(x, j);
        fur_vector to = fur_vectors_at(y, j);
        FUR_TRY(fur_spmv_apply(plan->single, alpha, &from, beta, &to));
    }
    return FUR_OK;
}

/* Multiplies copies of X and Y in the companion. */
static fur_status apply_there(const fur_spmm *plan, fur_spmm_call call, const fur_vectors *x,
                              fur_vectors *y)
{
    fur_context *context = plan->context;
    fur_vectors_view near_x;
    fur_vectors_view near_y;
    FUR_TRY(fur_vectors_to_host(x, &near_x));
    fur_status status = fur_vectors_to_host(y, &near_y);
    if (status == FUR_OK) {
        call.x = &near_x;
        call.y = &near_y;
        status = fur_context_pass_on(plan->place, context, plan->kernel->apply(&call));
        fur_status written =
            fur_memory_from_host(context, y->view.data, near_y.data, fur_vectors_bytes(&y->view));
        status = status == FUR_OK ? written : status;
    }
    fur_memory_drop(context, x->view.data, near_x.data);
    return status;
}

fur_status fur_spmm_apply(const fur_spmm *plan, fur_scalar alpha, const fur_vectors *x,
                          fur_scalar beta, fur_vectors *y)
{
    FUR_NEED(plan ? plan->context : NULL, plan, x, y);
    FUR_TRY(fur_dependent_check(&plan->context->env, &plan->dependent));
    FUR_TRY(check_blocks(plan, x, y));
    if (y->view.rows == 0 || y->view.cols == 0)
        return FUR_OK;
    if (plan->single && x->view.layout == FUR_LAYOUT_COLUMNS &&
        y->view.layout == FUR_LAYOUT_COLUMNS)
        return apply_columns(plan, alpha, x, beta, y);
    fur_spmm_call call = {
        .env = &plan->place->env,
        .a = &plan->operand->view,
        .state = plan->state,
        .alpha = alpha,
        .beta = beta,
        .x = &x->view,
        .y = &y->view,
    };
    return plan->place == plan->context ? plan->kernel->apply(&call)
                                        : apply_there(plan, call, x, y);
}

const fur_spmm_report *fur_spmm_describe(const fur_spmm *plan)
{
    static const fur_spmm_report none = {.size = sizeof none, .kernel = ""};
    return plan ? &plan->report : &none;
}

const fur_kernel_info *fur_spmm_kernel_at(const fur_context *context, int index)
{
    const fur_backend *backend = context ? place_of(context)->backend : NULL;
    return backend && index >= 0 && index < backend->spmm_count ? &backend->spmm[index]->info
                                                                : NULL;
}
