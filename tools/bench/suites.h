/* The suites of furrow bench: the race of each suite on each device. */
#ifndef FURROW_TOOLS_SUITES_H
#define FURROW_TOOLS_SUITES_H

#include "bench.h"

/* Options that not all suites accept. */
enum {
    TAKES_SECONDS = 1,
    TAKES_ROUNDS = 2,
    TAKES_AGAINST = 4,
    TAKES_SWEEPS = 8,
    TAKES_FILES = 16, /* and therefore the options for reading files */
    TAKES_PAGE = 32,
    TAKES_RACE = TAKES_SECONDS | TAKES_ROUNDS | TAKES_AGAINST
};

typedef struct suite {
    const char *name;
    const char *device;
    unsigned takes;
    const char *peer; /* the peer of the library's contenders; NULL: the suite chooses it */
    fur_status (*run)(bench *b, const char *name);
    fur_status (*end)(bench *b); /* called after the last case; NULL: nothing to do */
    const char *cases[11];       /* default cases */
} suite;

/* In listing order. The last has no name. */
extern const suite suites[];

/* What --help lists about the suites of a name. */
typedef struct suite_info {
    const char *name;
    const char *cases;   /* form of a case */
    const char *summary; /* the work that is timed */
} suite_info;

/* One entry for each name in suites. The last has no name. */
extern const suite_info suite_infos[];

#endif
