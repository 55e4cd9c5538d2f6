/* Dependents: objects that were made from other objects and contain their values.
 *
 * A plan has its own form of a matrix, and a preconditioner has the diagonal of an operator.
 * Matrices, stencils, plans and operators therefore list their dependents. When an object's values
 * change, each dependent is updated, and then its own dependents. If an update fails, the dependent
 * refuses to be used, and tells why, until other values suit it. No object ever works with old
 * values. */
#ifndef FURROW_CORE_DEPENDENTS_H
#define FURROW_CORE_DEPENDENTS_H

#include "env.h"

#include <stdbool.h>

typedef struct fur_dependent fur_dependent;

/* The list of an object's dependents. */
typedef struct fur_dependents {
    fur_dependent *first; /* in the order in which they were made */
    fur_dependent *last;
    fur_dependent *owner; /* owner of the list; NULL: the object depends on nothing */
} fur_dependents;

/* The part of an object that depends on another object. */
struct fur_dependent {
    const char *name; /* begins error sentences, such as "the plan" */
    void *object;     /* the object it belongs to */
    /* Updates the object from the values of its source. NULL: it contains no values. */
    fur_status (*update)(void *object);
    bool reads; /* every use reads the source, which must exist */
    /* for an object made from several: it refuses when this one does; or NULL */
    fur_dependent *main;
    fur_dependents made;    /* dependents of the object itself */
    fur_dependents *source; /* the list that contains it, or NULL */
    fur_dependent *previous;
    fur_dependent *next;
    char refusal[512]; /* why the object cannot be used, or "" */
};

/* Registers d with its source. d's members down to `main` are set, the others are zero. The source
 * is otherwise unchanged. */
void fur_dependent_join(fur_dependent *d, const fur_dependents *source);
/* Called before the object is destroyed. fur_dependent_leave removes it from its source's list.
 * fur_dependents_forget clears its own list: dependents that read the object refuse to be used from
 * now on, and so do their dependents. */
void fur_dependent_leave(fur_dependent *d);
void fur_dependents_forget(fur_dependents *made);

/* The values of the owner of this list have changed. Updates each dependent before its own
 * dependents. */
void fur_dependents_update(fur_env *env, const fur_dependents *made);

/* The object that d was made from, or NULL after it has been destroyed. */
static inline const void *fur_dependent_source(const fur_dependent *d, const void *object)
{
    return d->source ? object : NULL;
}

/* Returns FUR_INVALID with the refusal, if there is one. */
static inline fur_status fur_dependent_check(fur_env *env, const fur_dependent *d)
{
    return d->refusal[0] ? fur_env_fail(env, FUR_INVALID, "%s", d->refusal) : FUR_OK;
}

#endif
