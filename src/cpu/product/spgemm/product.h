/* A product of two matrices on the CPU: what the three steps hand on, and how their rows are cut
 * and shared by the threads. */
#ifndef FURROW_CPU_SPGEMM_PRODUCT_H
#define FURROW_CPU_SPGEMM_PRODUCT_H

#include "atomic.h"
#include "isa.h"
#include "kernel.h"

#include <pthread.h>

/* Products and rows that a thread should have at least. */
#define SPGEMM_GRAIN 8192

typedef struct spgemm_state {
    int lanes;       /* threads that work, each with memory of its own */
    int blocks;      /* of rows, of nearly equal work: lanes take one after the other */
    int64_t *bounds; /* first rows of the blocks, and the rows that there are */
    int64_t *work;   /* of the rows before each block */
    int64_t *starts; /* offsets of C, until they are filled in; then NULL */
    /* Columns that were found when the rows were counted, as far as there is room: of block i from
     * room[i] to room[i + 1] - 1, for its rows before known[i]. Until C is filled in; then NULL. */
    int32_t *found;
    int64_t *room;
    int64_t *known;
    /* How each row's columns follow from those of the row before: see repeat.h. Until C is filled
     * in; then NULL. */
    uint8_t *repeats_a;
    uint8_t *repeats_b; /* repeats_a, where A is B */
    int64_t width;      /* columns from the first to the last of a row of C, at most */
    void *sums;         /* for each lane so many values, all 0 between rows */
    int64_t stride;     /* bytes of a lane's */
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
    fur_status status; /* by the caller */
    /* What the step needs besides. */
    uint64_t *marks; /* of each lane, one after the other */
    int64_t room;    /* words of a lane's */
    fur_scalar alpha;
    void *values;
    fur_shared width;
};

/* Runs the step over all blocks; asks now and then whether to stop, and then leaves it half done.
 */
extern fur_status ISA(spgemm_run)(fur_env *env, spgemm_step *step);

extern fur_status ISA(spgemm_count)(fur_env *env, const fur_csr_view *a, const fur_csr_view *b,
                                    void **state, fur_spgemm_size *size);
extern fur_status ISA(spgemm_fill)(fur_env *env, void *state, const fur_csr_view *a,
                                   const fur_csr_view *b, const fur_csr_view *c);
extern void ISA(spgemm_release)(fur_env *env, void *state);

#endif
