/* The tasks of a triangular solve on the CPU. */
#ifndef FURROW_KERNEL_TRSV_TASKS_H
#define FURROW_KERNEL_TRSV_TASKS_H

#include <stdatomic.h>
#include <stdint.h>

/* Places that one thread solves in order, once tasks 0 .. needs-1 are done, which come before it.
 */
typedef struct fur_trsv_task {
    int64_t begin;
    int64_t end;
    int64_t needs;
} fur_trsv_task;

struct fur_trsv_tasks {
    int64_t count;
    const fur_trsv_task *task;
    /* Where threads tell each other what they have done: for each task the number of the solve that
     * it was done in last; the number of the last solve. */
    _Atomic uint32_t *done;
    uint32_t solve;
};

#endif
