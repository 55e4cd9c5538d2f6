/* Preconditioners by name: creation, update, application, the operator. */
#include "precond.h"

#include "clock.h"
#include "names.h"
#include <furrow/author/options.h>

#include <stdio.h>
#include <string.h>

#define FUR_PRECOND(kind) extern const fur_precond_kind kind;
#include "kinds.def"
#undef FUR_PRECOND

#define FUR_PRECOND(kind) &kind,
static const fur_precond_kind *const kinds[] = {
#include "kinds.def"
};
#undef FUR_PRECOND

#define DEFAULT_KIND "jacobi"
#define KIND_COUNT ((int)(sizeof kinds / sizeof *kinds))

const fur_method_info *fur_precond_at(int index)
{
    return index >= 0 && index < KIND_COUNT ? &kinds[index]->info : NULL;
}

static fur_status find_kind(fur_context *context, const char *name, const fur_precond_kind **out)
{
    char names[256] = "";
    for (int i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i]->info.name, name ? name : DEFAULT_KIND) == 0) {
            *out = kinds[i];
            return FUR_OK;
        }
        fur_names_add(names, sizeof names, kinds[i]->info.name);
    }
    return fur_context_fail(context, FUR_UNSUPPORTED,
                            "there is no preconditioner \"%s\"; there are: %s", name, names);
}

/* Whether a device with memory of its own can make and apply it. */
static bool works_on(const fur_backend *backend, const fur_precond_kind *kind)
{
    return kind->place == FUR_PRECOND_ANYWHERE ||
           (kind->place == FUR_PRECOND_FACTORED && backend->factor);
}

static fur_status check(const fur_csr *a, const fur_precond_kind *kind)
{
    if (a->view.rows != a->view.cols)
        return fur_context_fail(a->context, FUR_INVALID,
                                "a preconditioner needs a square matrix, this one is %lld x %lld",
                                (long long)a->view.rows, (long long)a->view.cols);
    if (fur_is_remote(a->context) && !works_on(a->context->backend, kind))
        return fur_context_fail(a->context, FUR_UNSUPPORTED,
                                "the preconditioner \"%s\" works on the CPU only; take \"jacobi\", "
                                "or solve in a context on the CPU",
                                kind->info.name);
    return FUR_OK;
}

/* A's new values have come. */
static fur_status follow(void *object)
{
    fur_precond *p = object;
    return p->kind->update(p);
}

fur_status fur_precond_create(const fur_csr *a, const fur_precond_options *options,
                              fur_precond **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    double start = fur_seconds();
    fur_env *env = &a->context->env;
    fur_precond_options o;
    const fur_precond_kind *kind = NULL;
    fur_precond *p;
    FUR_TAKE_OPTIONS(a->context, fur_precond_options, &o, options);
    FUR_TRY(find_kind(a->context, o.kind, &kind));
    FUR_TRY(check(a, kind));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *p, &p));
    p->context = a->context;
    p->a = a;
    p->kind = kind;
    p->report = (fur_precond_report){
        .size = sizeof p->report, .kind = kind->info.name, .symmetric = kind->symmetric};
    fur_status status = kind->create(p, &o);
    if (status != FUR_OK) {
        fur_precond_destroy(p);
        return status;
    }
    p->report.seconds_setup = fur_seconds() - start;
    p->dependent =
        (fur_dependent){"the preconditioner", p, kind->follows ? follow : NULL, .reads = true};
    fur_dependent_join(&p->dependent, &a->made);
    *out = p;
    return FUR_OK;
}

void fur_precond_destroy(fur_precond *p)
{
    if (!p)
        return;
    fur_dependent_leave(&p->dependent);
    p->kind->release(p);
    fur_env_release(&p->context->env, p);
}

fur_status fur_precond_update(fur_precond *p)
{
    FUR_NEED(p ? p->context : NULL, p);
    fur_dependent *d = &p->dependent;
    double start = fur_seconds();
    if (!d->source) /* the matrix is gone */
        return fur_dependent_check(&p->context->env, d);
    fur_status status = p->kind->update(p);
    d->refusal[0] = '\0';
    if (status != FUR_OK)
        snprintf(d->refusal, sizeof d->refusal, "%s could not take over new values: %.400s",
                 d->name, p->context->env.error);
    fur_dependents_update(&p->context->env, &d->made);
    p->report.seconds_setup = fur_seconds() - start;
    return status;
}

fur_status fur_precond_apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    FUR_NEED(p ? p->context : NULL, p, r, z);
    FUR_TRY(fur_dependent_check(&p->context->env, &p->dependent));
    FUR_TRY(fur_csr_check_vector(p->a, "r", r, p->a->view.rows));
    FUR_TRY(fur_csr_check_vector(p->a, "z", z, p->a->view.rows));
    FUR_TRY(fur_vector_check_apart(r, "r", z, "z"));
    return p->kind->apply(p, r, z);
}

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_precond_apply(user, x, y);
}

/* A scaling is read without a call of apply: it must refuse by itself. */
static fur_status follow_precond(void *object)
{
    const fur_precond *p = object;
    return fur_dependent_check(&p->context->env, &p->dependent);
}

fur_status fur_operator_from_precond(fur_precond *p, fur_operator **out)
{
    FUR_NEED(p ? p->context : NULL, p, out);
    FUR_TRY(fur_dependent_check(&p->context->env, &p->dependent));
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = p->a->view.rows,
        .cols = p->a->view.cols,
        .value_type = p->a->view.value_type,
        .user = p,
        .apply = apply,
        .recordable = p->kind->place != FUR_PRECOND_HOST && !p->waits,
    };
    fur_dependent dependent = {"the operator of a preconditioner", p, follow_precond,
                               .reads = true};
    FUR_TRY(fur_operator_derive(p->context, &definition, &dependent, &p->dependent.made, out));
    (*out)->scaling = p->scaling;
    return FUR_OK;
}

const fur_amg *fur_precond_hierarchy(const fur_precond *p)
{
    return p && p->kind->hierarchy ? p->kind->hierarchy(p) : NULL;
}

const fur_precond_report *fur_precond_describe(const fur_precond *p)
{
    static const fur_precond_report none = {.size = sizeof none, .kind = ""};
    return p ? &p->report : &none;
}
