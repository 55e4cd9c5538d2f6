/* A table of system calls (src/base/system.h) that a test links instead of the library's. Each call
 * does what it always does, unless the trial says otherwise. */
#ifndef FURROW_TESTS_SYSTEM_TRIAL_H
#define FURROW_TESTS_SYSTEM_TRIAL_H

#include <stdatomic.h>
#include <stdbool.h>

typedef enum trial_kind {
    TRIAL_FAILS = 0,     /* with an error; a close closes nevertheless, as the system's does */
    TRIAL_IS_SHORT,      /* moves one byte; counts only what moves bytes */
    TRIAL_IS_INTERRUPTED /* EINTR; counts only what may be tried again after that */
} trial_kind;

typedef struct system_trial {
    trial_kind kind;
    int at;             /* which of the calls that count; 0: none */
    int error;          /* of TRIAL_FAILS */
    bool all_short;     /* no call moves more than a few bytes */
    bool no_nameless;   /* the file system refuses O_TMPFILE */
    bool no_proc;       /* /proc does not exist */
    bool no_chown;      /* files cannot be given away, nor to another group */
    int taken;          /* number of names for new files that exist already */
    void (*look)(void); /* called before each call; NULL: nothing */
    atomic_int mapped;  /* files in memory now */
    atomic_int calls;   /* that count, so far */
    const char *hit;    /* the name of the call that did not go well, NULL if none */
} system_trial;

extern system_trial trial;

#endif
