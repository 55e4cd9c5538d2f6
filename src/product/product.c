/* The fastest product with a matrix: a plan or a stencil, in the given order or another order. */
#include "recognise.h"

#include <furrow/author/clock.h>
#include <furrow/author/operator.h>
#include <furrow/author/options.h>
#include <furrow/product.h>
#include <furrow/reorder.h>

#include <stdio.h>

/* A race between plan and stencil takes some ten products, a race between orders some hundred. */
#define USES_FOR_A_STENCIL 20
#define USES_FOR_AN_ORDER 100

/* A smaller gain cannot be distinguished from the machine's variations. */
#define WORTHWHILE 0.95

#define ORDERS_RACE_SECONDS 0.4

/* A form of the product: a plan or a stencil; the other is NULL. */
typedef struct form {
    fur_operator *op;
    fur_spmv *plan;
    fur_recognised *stencil;
    fur_recognise_report found;
    bool looked;     /* a stencil was searched for */
    char raced[128]; /* result of the race against the other form; "": no race */
} form;

struct fur_product {
    fur_context *context;
    const fur_csr *a;
    fur_product_options options;
    form form;
    fur_permutation *order;
    fur_csr *b;       /* A in that order */
    bool demanded;    /* the caller named the stencil */
    fur_operator *op; /* operator of the form */
    fur_product_report report;
    fur_dependent dependent; /* on A */
};

static bool is(const char *name, const char *word)
{
    return strcmp(name, word) == 0;
}

static void release_form(form *f)
{
    fur_operator_destroy(f->op);
    fur_spmv_destroy(f->plan);
    fur_recognised_destroy(f->stencil);
    f->op = NULL;
    f->plan = NULL;
    f->stencil = NULL;
}

static fur_status make_plan(const fur_csr *a, const fur_product_options *o, form *out)
{
    fur_spmv_options options = {.size = sizeof options,
                                .op = o->op,
                                .kernel = o->kernel,
                                .uses = o->uses,
                                .half = o->half,
                                .values = o->values};
    FUR_TRY(fur_spmv_plan(a, &options, &out->plan));
    return fur_operator_from_spmv(out->plan, &out->op);
}

/* Leaves the operator NULL if A is not a stencil. The operator has A, as a plan's operator has. cg
 * may then reduce the system: the course of a solve must not depend on which form was faster. */
static fur_status make_stencil(const fur_csr *a, form *out)
{
    out->looked = true;
    out->found = FUR_DEFAULT(fur_recognise_report);
    FUR_TRY(fur_stencil_recognise(a, NULL, &out->found, &out->stencil));
    if (!out->stencil)
        return FUR_OK;
    FUR_TRY(fur_operator_from_recognised(out->stencil, &out->op));
    out->op->matrix = &a->view;
    out->op->csr = a;
    return FUR_OK;
}

static fur_status demand_stencil(const fur_csr *a, const fur_product_options *o, form *out)
{
    if (o->op != FUR_OP_N)
        return fur_context_fail(
            a->context, FUR_UNSUPPORTED,
            "kernel \"stencil\" multiplies by A only, not by its transpose; name another kernel");
    if (o->values != FUR_STORED_EXACT)
        return fur_context_fail(a->context, FUR_UNSUPPORTED,
                                "kernel \"stencil\" multiplies by exact values only; leave the "
                                "option values out, or name another kernel");
    FUR_TRY(make_stencil(a, out));
    return out->stencil ? FUR_OK
                        : fur_context_fail(a->context, FUR_UNSUPPORTED,
                                           "kernel \"stencil\" needs the matrix of a stencil: %s",
                                           out->found.reason);
}

/* Replaces the plan by the stencil if the stencil is at least as fast. */
static fur_status take_faster(const fur_csr *a, form *plan, form *stencil)
{
    const fur_spmv_report *by_plan = fur_spmv_describe(plan->plan);
    double rows = (double)a->view.rows;
    double bytes[] = {(double)by_plan->bytes / rows, (double)stencil->found.bytes / rows};
    double seconds[2];
    FUR_TRY(fur_operator_race((const fur_operator *[2]){plan->op, stencil->op}, 0, seconds));
    bool wins = seconds[1] <= seconds[0];
    if (wins) {
        form slower = *plan;
        *plan = *stencil;
        *stencil = slower;
    }
    snprintf(plan->raced, sizeof plan->raced,
             "measures faster than %s: %.1f us against %.1f, with %.0f bytes a row against %.0f",
             wins ? by_plan->kernel : "the stencil that the matrix is", 1e6 * seconds[wins],
             1e6 * seconds[!wins], bytes[wins], bytes[!wins]);
    return FUR_OK;
}

static fur_status choose_form(const fur_csr *a, const fur_product_options *o, form *out)
{
    form stencil = {.op = NULL};
    FUR_TRY(make_plan(a, o, out));
    if (o->op != FUR_OP_N || o->values != FUR_STORED_EXACT ||
        (o->uses > 0 && o->uses < USES_FOR_A_STENCIL))
        return FUR_OK;
    fur_status status = make_stencil(a, &stencil);
    out->looked = true;
    out->found = stencil.found;
    if (status == FUR_OK && stencil.op)
        status = take_faster(a, out, &stencil);
    release_form(&stencil);
    return status;
}

/* Makes the product with this matrix. On failure the caller releases the members made so far. */
static fur_status make_form(const fur_csr *a, const fur_product_options *o, form *out)
{
    if (o->half)
        return make_plan(a, o, out);
    if (!o->kernel || is(o->kernel, "auto"))
        return choose_form(a, o, out);
    return is(o->kernel, "stencil") ? demand_stencil(a, o, out) : make_plan(a, o, out);
}

/* Finds an order and permutes A. If every component keeps its order, b stays NULL. */
static fur_status permute(fur_product *p, const char *method)
{
    fur_reorder_report found = FUR_DEFAULT(fur_reorder_report);
    double start = fur_seconds();
    FUR_TRY(fur_reorder(p->a, method, NULL, &found, &p->order));
    FUR_TRY(fur_context_synchronize(p->context));
    p->report.seconds_order = fur_seconds() - start;
    p->report.order_reason = "no better order was found";
    if (found.components_kept == found.components)
        return FUR_OK;
    start = fur_seconds();
    FUR_TRY(fur_csr_permute(p->a, p->order, p->order, &p->b));
    FUR_TRY(fur_context_synchronize(p->context));
    p->report.seconds_permute = fur_seconds() - start;
    return FUR_OK;
}

static void keep_order(fur_product *p)
{
    fur_permutation_destroy(p->order);
    fur_csr_destroy(p->b);
    p->order = NULL;
    p->b = NULL;
}

/* Races A against B, and destroys the slower form. */
static fur_status race_orders(fur_product *p, form *before)
{
    double seconds[2];
    FUR_TRY(make_form(p->a, &p->options, before));
    FUR_TRY(make_form(p->b, &p->options, &p->form));
    FUR_TRY(fur_operator_race((const fur_operator *[2]){before->op, p->form.op},
                              ORDERS_RACE_SECONDS, seconds));
    p->report.seconds_before = seconds[0];
    p->report.seconds_after = seconds[1];
    if (seconds[1] < WORTHWHILE * seconds[0]) {
        p->report.order = "rcm";
        p->report.order_reason = "products measure faster in it";
        return FUR_OK;
    }
    form after = p->form;
    p->form = *before;
    *before = after;
    p->report.order_reason = "products measure no faster in another";
    return FUR_OK;
}

static fur_status choose_order(fur_product *p)
{
    form slower = {.op = NULL};
    const fur_csr_view *a = &p->a->view;
    if (a->rows != a->cols)
        p->report.order_reason = "the matrix is not square";
    else if (p->options.uses > 0 && p->options.uses < USES_FOR_AN_ORDER)
        p->report.order_reason = "too few products are expected to pay for another";
    else
        FUR_TRY(permute(p, "rcm"));
    fur_status status = p->b ? race_orders(p, &slower) : make_form(p->a, &p->options, &p->form);
    release_form(&slower);
    if (is(p->report.order, "none"))
        keep_order(p);
    return status;
}

static fur_status follow_method(fur_product *p)
{
    FUR_TRY(permute(p, p->options.order));
    if (!p->b) {
        keep_order(p);
        return make_form(p->a, &p->options, &p->form);
    }
    int i = 0;
    while (!is(fur_reorder_method_at(i)->name, p->options.order))
        i++;
    p->report.order = fur_reorder_method_at(i)->name;
    p->report.order_reason = "asked for";
    return make_form(p->b, &p->options, &p->form);
}

static fur_status choose(fur_product *p)
{
    const char *order = p->options.order;
    p->report.order = "none";
    p->report.order_reason = "";
    if (!order || is(order, "none"))
        return make_form(p->a, &p->options, &p->form);
    if (p->options.half)
        return fur_context_fail(p->context, FUR_INVALID,
                                "half of a matrix cannot be reordered by \"%s\"; permute the "
                                "complete matrix by fur_csr_permute",
                                order);
    return is(order, "auto") ? choose_order(p) : follow_method(p);
}

static void describe(fur_product *p)
{
    fur_product_report *r = &p->report;
    const form *f = &p->form;
    const fur_csr_view *a = &p->a->view;
    r->size = sizeof *r;
    if (f->looked)
        r->recognition = &f->found;
    if (f->plan) {
        const fur_spmv_report *plan = fur_spmv_describe(f->plan);
        r->kernel = plan->kernel;
        r->reason = f->raced[0] ? f->raced : plan->reason;
        r->bytes = plan->bytes;
        r->csr_bytes = plan->csr_bytes;
        r->seconds_plan = plan->seconds_plan;
        r->seconds_estimated = plan->seconds_estimated;
        return;
    }
    r->kernel = "stencil";
    r->reason = f->raced[0] ? f->raced : f->found.reason;
    r->bytes = f->found.bytes;
    r->csr_bytes = fur_csr_bytes(a) + (a->rows + a->cols) * (int64_t)fur_value_size(a->value_type);
    r->seconds_plan = f->found.seconds;
}

/* Sets the members that solvers read from the operator. */
static void set_operator(fur_product *p)
{
    const fur_operator *from = p->form.op;
    p->op->matrix = from->matrix;
    p->op->csr = from->csr;
    p->op->stencil = from->stencil;
}

/* A stencil refuses new values that do not suit it. A plan then replaces it, unless the caller
 * named the stencil. */
static fur_status replace_stencil(fur_product *p)
{
    form *f = &p->form;
    form plan = {.found = f->found,
                 .looked = f->looked,
                 .raced = "the matrix has new values, which differ from the stencil"};
    fur_status status =
        f->stencil ? fur_dependent_check(&p->context->env, &f->stencil->dependent) : FUR_OK;
    if (status == FUR_OK || p->demanded)
        return status;
    status = make_plan(p->b ? p->b : p->a, &p->options, &plan);
    if (status != FUR_OK) {
        release_form(&plan);
        return status;
    }
    release_form(f);
    *f = plan;
    set_operator(p);
    describe(p);
    return FUR_OK;
}

/* Updates B from the new values of A. */
static fur_status permute_values(fur_product *p)
{
    fur_csr *fresh = NULL;
    FUR_TRY(fur_csr_permute(p->a, p->order, p->order, &fresh));
    fur_status status = fur_csr_set_values(p->b, fresh->view.values, FUR_OWNERSHIP_COPY);
    fur_csr_destroy(fresh);
    return status;
}

/* The form of A or B was notified before: it has taken A's new values, or refused them. */
static fur_status update(void *object)
{
    fur_product *p = object;
    if (p->b)
        FUR_TRY(permute_values(p));
    return replace_stencil(p);
}

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    const fur_product *p = user;
    const fur_operator_definition *present = &p->form.op->definition;
    FUR_TRY(fur_dependent_check(&p->context->env, &p->dependent));
    return present->apply(present->user, x, y);
}

static fur_status diagonal(void *user, fur_vector *d)
{
    const fur_product *p = user;
    FUR_TRY(fur_dependent_check(&p->context->env, &p->dependent));
    return fur_operator_diagonal(p->form.op, d);
}

/* Makes an operator that stays the same when the form changes. */
static fur_status make_operator(fur_product *p)
{
    fur_operator_definition definition = p->form.op->definition;
    definition.user = p;
    definition.apply = apply;
    definition.diagonal = diagonal;
    definition.release = NULL;
    p->dependent = (fur_dependent){"the product", p, update, .reads = true};
    fur_dependent_join(&p->dependent, &p->a->made);
    fur_dependent dependent = {"the operator of a product", NULL, NULL, .reads = true};
    FUR_TRY(fur_operator_derive(p->context, &definition, &dependent, &p->dependent.made, &p->op));
    set_operator(p);
    return FUR_OK;
}

fur_status fur_product_create(const fur_csr *a, const fur_product_options *options,
                              fur_product **out)
{
    FUR_NEED(a ? a->context : NULL, a, out);
    fur_product_options o;
    FUR_TAKE_OPTIONS(a->context, fur_product_options, &o, options);
    fur_product *p;
    FUR_TRY(fur_env_allocate_zeros(&a->context->env, 1, sizeof *p, &p));
    p->context = a->context;
    p->a = a;
    p->options = o;
    p->demanded = o.kernel && is(o.kernel, "stencil");
    fur_status status = choose(p);
    /* the caller's string; a plan that replaces a stencil is chosen automatically */
    p->options.kernel = NULL;
    if (status == FUR_OK)
        status = make_operator(p);
    if (status != FUR_OK) {
        fur_product_destroy(p);
        return status;
    }
    describe(p);
    *out = p;
    return FUR_OK;
}

void fur_product_destroy(fur_product *p)
{
    if (!p)
        return;
    fur_dependent_leave(&p->dependent);
    fur_operator_destroy(p->op);
    release_form(&p->form);
    keep_order(p);
    fur_env_release(&p->context->env, p);
}

const fur_operator *fur_product_operator(const fur_product *p)
{
    return p ? p->op : NULL;
}

const fur_csr *fur_product_matrix(const fur_product *p)
{
    return !p ? NULL : p->b ? p->b : p->a;
}

const fur_permutation *fur_product_order(const fur_product *p)
{
    return p ? p->order : NULL;
}

const fur_product_report *fur_product_describe(const fur_product *p)
{
    static const fur_product_report none = {
        .size = sizeof none, .kernel = "", .reason = "", .order = "", .order_reason = ""};
    return p ? &p->report : &none;
}
