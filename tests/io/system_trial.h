/* A table of system calls (src/base/system.h) that a test links instead of the library's table.
 * Each call does what the system does, unless `trial` asks for a fault. */
#ifndef FURROW_TESTS_SYSTEM_TRIAL_H
#define FURROW_TESTS_SYSTEM_TRIAL_H

#include <stdatomic.h>
#include <stdbool.h>

typedef enum trial_kind {
    TRIAL_FAILS = 0,     /* returns an error; close closes nevertheless, as the system does */
    TRIAL_IS_SHORT,      /* moves one byte; only calls that move bytes are counted */
    TRIAL_IS_INTERRUPTED /* EINTR; only calls that may be repeated are counted */
} trial_kind;

typedef struct system_trial {
    trial_kind kind;
    int at;             /* number of the counted call that gets the fault; 0: none */
    int error;          /* errno for TRIAL_FAILS */
    bool all_short;     /* no call moves more than a few bytes */
    bool no_nameless;   /* the file system refuses O_TMPFILE */
    bool no_proc;       /* /proc does not exist */
    bool no_chown;      /* changing a file's owner or group fails */
    int taken;          /* number of new file names that exist already */
    void (*look)(void); /* called before each call; NULL: nothing */
    atomic_int mapped;  /* number of files mapped now */
    atomic_int calls;   /* calls counted so far */
    const char *hit;    /* name of the call that got the fault, or NULL */
} system_trial;

extern system_trial trial;

#endif
