/* A product of two matrices on the CPU: the state that its three steps share, and the blocks of
 * rows that its threads take. */
#ifndef FURROW_CPU_SPGEMM_PRODUCT_H
#define FURROW_CPU_SPGEMM_PRODUCT_H

#include "atomic.h"
#include "isa.h"
#include "kernel.h"

#include <pthread.h>

/* The products and rows that justify one more thread. */
#define SPGEMM_GRAIN 8192

typedef struct spgemm_state {
    int lanes;       /* threads, each with its own memory */
    int blocks;      /* blocks of rows with nearly equal work; a lane takes the next free block */
    int64_t *bounds; /* first row of each block, then the number of rows */
    int64_t *work;   /* work of the rows before each block */
    int64_t *starts; /* offsets of C until C is filled in; then NULL */
    /* The columns that were found while the rows were counted, if there was memory for them. Block
     * i has room[i] to room[i + 1] - 1, which hold its rows before known[i]. NULL after C is filled
     * in. */
    int32_t *found;
    int64_t *room;
    int64_t *known;
    /* How the columns of each row follow from the row before: see repeat.h. NULL after C is filled
     * in. */
    uint8_t *repeats_a;
    uint8_t *repeats_b; /* equals repeats_a if A is B */
    int64_t width;      /* the most columns from the first to the last of a row of C */
    void *sums;         /* the sums of each lane, all 0 between rows */
    int64_t stride;     /* bytes of the sums of one lane */
} spgemm_state;

/* A step over the rows of C. */
typedef struct spgemm_step spgemm_step;
typedef void spgemm_block(spgemm_step *step, int lane, int64_t block);
struct spgemm_step {
    spgemm_state *state;
    const fur_csr_view *a;
    const fur_csr_view *b;
    const fur_csr_view *c; /* NULL in the first step */
    spgemm_block *run;     /* for the rows of a block */
    fur_shared next;       /* the first block that no lane has taken */
    fur_env *env;
    pthread_t caller;
    fur_status status; /* set by the caller's thread */
    /* Data of single steps. */
    uint64_t *marks; /* the marks of each lane, one lane after the other */
    int64_t room;    /* words of the marks of one lane */
    fur_scalar alpha;
    void *values;
    fur_shared width;
};

/* Runs the step over all blocks. If the environment says stop, some blocks are left undone. */
extern fur_status ISA(spgemm_run)(fur_env *env, spgemm_step *step);

extern fur_status ISA(spgemm_count)(fur_env *env, const fur_csr_view *a, const fur_csr_view *b,
                                    void **state, fur_spgemm_size *size);
extern fur_status ISA(spgemm_fill)(fur_env *env, void *state, const fur_csr_view *a,
                                   const fur_csr_view *b, const fur_csr_view *c);
extern void ISA(spgemm_release)(fur_env *env, void *state);

#endif
