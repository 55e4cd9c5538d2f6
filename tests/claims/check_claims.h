/* Messages from the process that solves to the process that watches it. */
#ifndef FURROW_TESTS_CHECK_CLAIMS_H
#define FURROW_TESTS_CHECK_CLAIMS_H

#include <furrow/furrow.h>

#define MAX_OUTCOMES 32

/* Memory that both processes share. */
typedef struct tally {
    uint64_t turn; /* number of the case in progress */
    int verbose;
    char solve[512]; /* description of the solve */
    char kind[96];   /* of its failure; "": none yet */
    char result[128];
    long long outcomes[MAX_OUTCOMES];
    long long refused;
    long long cases;
} tally;

extern tally *shared_tally;

#endif
