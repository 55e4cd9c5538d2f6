/* The tasks of a triangular solve on the CPU. */
#ifndef FURROW_KERNEL_TRSV_TASKS_H
#define FURROW_KERNEL_TRSV_TASKS_H

#include <stdatomic.h>
#include <stdint.h>

/* Places that one thread solves in order. The task waits until tasks 0 .. needs-1 are done, which
 * all come before it. */
typedef struct fur_trsv_task {
    int64_t begin;
    int64_t end;
    int64_t needs;
} fur_trsv_task;

struct fur_trsv_tasks {
    int64_t count;
    const fur_trsv_task *task;
    /* How threads tell each other that a task is done: done[i] is the number of the last solve in
     * which task i was done. `solve` is the number of the current solve. */
    _Atomic uint32_t *done;
    uint32_t solve;
};

#endif
