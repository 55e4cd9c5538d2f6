/* Dependents are in intrusive lists, so that nothing is allocated. */
#include "dependents.h"

#include "float_mode.h"

#include <stdio.h>
#include <string.h>

static void append(fur_dependents *list, fur_dependent *d)
{
    d->source = list;
    d->previous = list->last;
    d->next = NULL;
    *(list->last ? &list->last->next : &list->first) = d;
    list->last = d;
}

void fur_dependent_join(fur_dependent *d, const fur_dependents *source)
{
    d->made.owner = d;
    append((fur_dependents *)(uintptr_t)source, d);
}

static void take_out(fur_dependent *d)
{
    fur_dependents *list = d->source;
    if (!list)
        return;
    *(d->previous ? &d->previous->next : &list->first) = d->next;
    *(d->next ? &d->next->previous : &list->last) = d->previous;
    d->source = NULL;
}

void fur_dependent_leave(fur_dependent *d)
{
    take_out(d);
    fur_dependents_forget(&d->made);
}

static void move(fur_dependent *d, fur_dependents *to)
{
    take_out(d);
    append(to, d);
}

/* A dependent that cannot be used any more counts as destroyed for its own dependents. */
void fur_dependents_forget(fur_dependents *made)
{
    for (fur_dependent *d; (d = made->first);) {
        take_out(d);
        if (!d->reads)
            continue;
        snprintf(d->refusal, sizeof d->refusal,
                 "%s cannot be used any more, because an object that it was created from has been "
                 "destroyed",
                 d->name);
        if (d->main)
            move(d->main, made);
        while (d->made.first)
            move(d->made.first, made);
    }
}

/* Updates a dependent that uses new values at once; others keep their values and their refusal. The
 * context keeps the error sentence of the last failed call, so that this failure must not replace
 * it. */
static void update(fur_env *env, fur_dependent *d)
{
    if (!d->update)
        return;
    char before[sizeof env->error];
    memcpy(before, env->error, sizeof before);
    env->error[0] = '\0';
    fur_status status = d->update(d->object);
    d->refusal[0] = '\0';
    if (status != FUR_OK)
        snprintf(d->refusal, sizeof d->refusal, "%s could not be updated for new values: %.400s",
                 d->name, env->error[0] ? env->error : fur_status_name(status));
    memcpy(env->error, before, sizeof before);
}

/* The next in depth-first order: the first dependent of d, else the next sibling. */
static fur_dependent *next_of(const fur_dependent *d, const fur_dependents *all)
{
    if (d->made.first)
        return d->made.first;
    while (!d->next && d->source != all)
        d = d->source->owner;
    return d->next;
}

void fur_dependents_update(fur_env *env, const fur_dependents *made)
{
    FUR_STANDARD_MODE; /* callers that return nothing have not set it */
    for (fur_dependent *d = made->first; d; d = next_of(d, made))
        update(env, d);
}
