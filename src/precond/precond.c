/* Preconditioners by name: creation, update, application, the operator. */
#include "precond.h"

#include <furrow/author/clock.h>
#include <furrow/author/options.h>
#include <furrow/author/precond.h>

#include "names.h"

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

/* Returns the kind of a text, or NULL. *options is the text after the name; NULL if there is none.
 */
static const fur_precond_kind *find(const char *text, const char **options)
{
    size_t length = strcspn(text, ":");
    for (int i = 0; i < KIND_COUNT; i++)
        if (strlen(kinds[i]->info.name) == length &&
            memcmp(kinds[i]->info.name, text, length) == 0) {
            *options = text[length] ? text + length + 1 : NULL;
            return kinds[i];
        }
    return NULL;
}

static fur_status find_kind(fur_context *context, const char *text, const fur_precond_kind **out,
                            const char **options)
{
    char names[256] = "";
    *out = find(text, options);
    for (int i = 0; i < KIND_COUNT; i++)
        fur_names_add(names, sizeof names, kinds[i]->info.name);
    return *out ? FUR_OK
                : fur_context_fail(context, FUR_UNSUPPORTED,
                                   "there is no preconditioner \"%.63s\"; there are: %s", text,
                                   names);
}

const fur_method_info *fur_precond_find(const char *text)
{
    const char *options;
    const fur_precond_kind *kind = text ? find(text, &options) : NULL;
    return kind ? &kind->info : NULL;
}

const fur_option *fur_precond_option_at(const char *text, int index)
{
    const char *options;
    const fur_precond_kind *kind = text ? find(text, &options) : NULL;
    const fur_option *o = kind && index >= 0 ? kind->table.options : NULL;
    while (o && o->name && index-- > 0)
        o++;
    return o && o->name ? o : NULL;
}

/* Options of a kind, of any struct. */
typedef union own_options {
    char bytes[FUR_OPTIONS_MAX];
    double number; /* aligns the bytes, as `pointer` does */
    const void *pointer;
} own_options;

/* Sets the options of the text, which replace those in the struct. Then checks ranges and sets
 * defaults. */
static fur_status complete(fur_context *context, const fur_precond_kind *kind, const char *text,
                           own_options *own)
{
    const char *name = kind->info.name;
    if (text)
        FUR_TRY(fur_options_read(context, name, kind->table.options, text, own));
    const own_options given = *own;
    FUR_TRY(fur_options_complete(context, name, kind->table.options, own));
    return kind->check ? kind->check(context, &given) : FUR_OK;
}

fur_status fur_precond_check(const char *text)
{
    FUR_NEED(NULL, text);
    own_options own = {{0}};
    const fur_precond_kind *kind = NULL;
    const char *options = NULL;
    FUR_TRY(find_kind(NULL, text, &kind, &options));
    return complete(NULL, kind, options, &own);
}

static const void *pointer_at(const fur_precond_options *o, const fur_precond_table *table)
{
    const void *pointer = NULL;
    if (table->options)
        memcpy(&pointer, (const char *)o + table->at, sizeof pointer);
    return pointer;
}

/* Refuses options of another kind than the chosen kind. */
static fur_status check_others(fur_context *context, const fur_precond_options *o,
                               const fur_precond_kind *kind)
{
    for (int i = 0; i < KIND_COUNT; i++) {
        const fur_precond_table *other = &kinds[i]->table;
        bool own = kind->table.options && other->at == kind->table.at;
        if (pointer_at(o, other) && !own)
            return fur_context_fail(
                context, FUR_INVALID,
                "the preconditioner is \"%s\", but its options are %s; set that "
                "pointer to NULL, or choose the kind of these options",
                kind->info.name, other->type);
    }
    return FUR_OK;
}

/* Takes the chosen kind's options from its struct and the text. */
static fur_status take_options(fur_context *context, const fur_precond_options *o,
                               const fur_precond_kind *kind, const char *text, own_options *own)
{
    const fur_precond_table *table = &kind->table;
    const void *given = pointer_at(o, table);
    FUR_TRY(check_others(context, o, kind));
    if (table->options && !fur_options_copy(own, table->size, given))
        return FUR_FAIL_SIZE(context, table->type, table->size, given);
    if (kind->preset && !given)
        kind->preset(own);
    return complete(context, kind, text, own);
}

/* Returns true if a device with separate memory can make and apply the kind. */
static bool works_on(const fur_backend *backend, const fur_precond_kind *kind)
{
    return kind->place == FUR_PRECOND_ANYWHERE ||
           (kind->place == FUR_PRECOND_FACTORED && backend->factor);
}

static fur_status check(const fur_csr *a, const fur_precond_kind *kind)
{
    if (a->view.rows != a->view.cols)
        return fur_context_fail(a->context, FUR_INVALID,
                                "a preconditioner needs a square matrix; this one is %lld x %lld",
                                (long long)a->view.rows, (long long)a->view.cols);
    if (fur_is_remote(a->context) && !works_on(a->context->backend, kind))
        return fur_context_fail(a->context, FUR_UNSUPPORTED,
                                "the preconditioner \"%s\" works on the CPU only; use \"jacobi\", "
                                "or solve in a context on the CPU",
                                kind->info.name);
    return FUR_OK;
}

/* Uses A's new values. */
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
    own_options own;
    const fur_precond_kind *kind = NULL;
    const char *text = NULL;
    fur_precond *p;
    FUR_TAKE_OPTIONS(a->context, fur_precond_options, &o, options);
    FUR_TRY(find_kind(a->context, o.kind ? o.kind : DEFAULT_KIND, &kind, &text));
    FUR_TRY(take_options(a->context, &o, kind, text, &own));
    FUR_TRY(check(a, kind));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *p, &p));
    p->context = a->context;
    p->a = a;
    p->kind = kind;
    p->report = (fur_precond_report){
        .size = sizeof p->report, .kind = kind->info.name, .symmetric = kind->symmetric};
    fur_status status = kind->create(p, &own);
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
        snprintf(d->refusal, sizeof d->refusal, "%s could not be updated for new values: %.400s",
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

/* A scaling is read without a call of apply(), so it must refuse by itself. */
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

fur_amg *fur_precond_hierarchy(const fur_precond *p)
{
    return p && p->kind->hierarchy ? p->kind->hierarchy(p) : NULL;
}

const fur_precond_report *fur_precond_describe(const fur_precond *p)
{
    static const fur_precond_report none = {.size = sizeof none, .kind = ""};
    return p ? &p->report : &none;
}
