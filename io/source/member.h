/* Which member of an archive is meant. The SuiteSparse Matrix Collection (Davis, Hu 2011) ships
 * name.tar.gz with the matrix name/name.mtx, and beside it, in any order, name/name_b.mtx for a
 * right-hand side, name/name_x.mtx and the like. */
#ifndef FURROW_IO_MEMBER_H
#define FURROW_IO_MEMBER_H

#include "failure.h"

#include <stdbool.h>

/* Room for the name of a member, as long as the longest path of the system. */
#define FUR_MEMBER_SIZE 4096

typedef struct fur_member {
    const char *suffix; /* NULL: name/name.mtx; "b": name/name_b.mtx */
    bool found;
    /* The name that is looked for, or was found. Empty: it is not known yet, and the matrices that
     * are passed over are noted below. */
    char name[FUR_MEMBER_SIZE];
    int others;                 /* members *.mtx */
    int listed;                 /* how many of them are in the list */
    char last[FUR_MEMBER_SIZE]; /* the last of them */
    char list[256];             /* names for a sentence, as many as fit */
} fur_member;

/* Whether the member `name` of the archive is meant; sets found and name if it is. */
bool fur_member_is(fur_member *member, const char *name);

/* After a search in vain for name/name.mtx: if there is only one member *.mtx, it is what is looked
 * for from now on. */
bool fur_member_settle(fur_member *member);

/* FUR_IO_ERROR: the archive `name` does not have the member. */
fur_status fur_member_missing(const fur_member *member, const char *name, fur_failure *failure);

/* Copies a name for a sentence: without control characters, cut off if it has to be. Returns its
 * length. */
size_t fur_member_print(const char *name, char *out, size_t room);

#endif
