/* Dependents: objects that were made from others and hold values of them.
 *
 * A plan keeps its own form of a matrix, a preconditioner the diagonal of an operator. So matrices,
 * stencils, plans and operators list their dependents. When an object's values change, each
 * dependent takes them over, and then the dependents of these. A dependent that cannot refuses to
 * be used and says why, until other values suit it: nothing works with old ones. */
#ifndef FURROW_CORE_DEPENDENTS_H
#define FURROW_CORE_DEPENDENTS_H

#include "env.h"

#include <stdbool.h>

typedef struct fur_dependent fur_dependent;

/* The list of an object's dependents. */
typedef struct fur_dependents {
    fur_dependent *first; /* in the order of making */
    fur_dependent *last;
    fur_dependent *owner; /* of the list; NULL: an object that was made from nothing */
} fur_dependents;

/* Part of an object that is made from another. */
struct fur_dependent {
    const char *name; /* that sentences begin with, such as "the plan" */
    void *object;     /* it belongs to */
    /* Takes the values of what the object was made from over. NULL: it keeps none of them. */
    fur_status (*update)(void *object);
    bool reads;             /* what it was made from, at every use: cannot do without */
    fur_dependent *main;    /* of an object made from several: refuses with this one; or NULL */
    fur_dependents made;    /* from the object itself */
    fur_dependents *source; /* the list that it is in; NULL: in none */
    fur_dependent *previous;
    fur_dependent *next;
    char refusal[512]; /* why the object cannot be used; "" if it can */
};

/* Lists d, whose members down to `main` are set and the others zero, as made from a source:
 * constant but for this list. */
void fur_dependent_join(fur_dependent *d, const fur_dependents *source);
/* Before the object goes: neither what it was made from nor what was made from it knows it then.
 * Dependents that read the object refuse to be used from now on, and so do those that read them. */
void fur_dependent_leave(fur_dependent *d);
void fur_dependents_forget(fur_dependents *made);

/* The values of the object that these were made from have changed: each takes them over, and what
 * was made from it before what was made after it. */
void fur_dependents_update(fur_env *env, const fur_dependents *made);

/* The object that d was made from; NULL once it has been destroyed. */
static inline const void *fur_dependent_source(const fur_dependent *d, const void *object)
{
    return d->source ? object : NULL;
}

/* FUR_INVALID with the refusal, if there is one. */
static inline fur_status fur_dependent_check(fur_env *env, const fur_dependent *d)
{
    return d->refusal[0] ? fur_env_fail(env, FUR_INVALID, "%s", d->refusal) : FUR_OK;
}

#endif
