/* The suites of furrow bench: what each races on which device. */
#ifndef FURROW_TOOLS_SUITES_H
#define FURROW_TOOLS_SUITES_H

#include "bench.h"

/* Options that not all suites take. */
enum {
    TAKES_SECONDS = 1,
    TAKES_ROUNDS = 2,
    TAKES_AGAINST = 4,
    TAKES_SWEEPS = 8,
    TAKES_FILES = 16, /* and so how to read them */
    TAKES_PAGE = 32,
    TAKES_RACE = TAKES_SECONDS | TAKES_ROUNDS | TAKES_AGAINST
};

typedef struct suite {
    const char *name;
    const char *device;
    unsigned takes;
    const char *peer; /* whom the library's contenders race with; NULL: the suite looks itself */
    fur_status (*run)(bench *b, const char *name);
    fur_status (*end)(bench *b); /* after the last case; NULL: nothing to do */
    const char *cases[11];       /* without any on the command line */
} suite;

/* In the order they are told; the last has no name. */
extern const suite suites[];

#endif
