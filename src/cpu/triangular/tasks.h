/* Running the tasks of a triangle. Threads take tasks in their order and wait, awake, until those
 * that a task needs are done: who holds these runs or has run, so that nobody waits for what nobody
 * does. (Park, Smelyanskiy, Sundaram and Dubey 2014 have threads wait for single tasks; here a task
 * waits for all up to the last that it needs, which one number says.) */
#ifndef FURROW_CPU_TRIANGULAR_TASKS_H
#define FURROW_CPU_TRIANGULAR_TASKS_H

#include "atomic.h"
#include "spin.h"
#include "split.h"
#include "team.h"
#include "trsv_tasks.h"

/* The places begin .. end-1, once those that they need are done. */
typedef void fur_task_body(void *job, int64_t begin, int64_t end);

typedef struct fur_task_run {
    fur_trsv_tasks *tasks;
    fur_task_body *body;
    void *job;
    fur_shared next; /* the first task that nobody has taken */
} fur_task_run;

/* The number of tasks, from the first on, that are known to be done, at least as many as needed. */
static inline int64_t fur_tasks_await(const fur_trsv_tasks *tasks, int64_t known, int64_t needs)
{
    for (; known < needs; known++)
        for (int looks = 0;
             atomic_load_explicit(&tasks->done[known], memory_order_acquire) != tasks->solve;
             looks++)
            fur_spin(looks);
    return known;
}

static inline void fur_tasks_take(fur_task_run *run)
{
    fur_trsv_tasks *tasks = run->tasks;
    int64_t known = 0;
    int64_t i;
    while ((i = fur_shared_take(&run->next, 1)) < tasks->count) {
        const fur_trsv_task *task = &tasks->task[i];
        known = fur_tasks_await(tasks, known, task->needs);
        run->body(run->job, task->begin, task->end);
        atomic_store_explicit(&tasks->done[i], tasks->solve, memory_order_release);
    }
}

/* Each index is a thread. */
static inline void fur_tasks_work(void *run, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        fur_tasks_take(run);
}

/* All tasks, of a triangle with that many rows. */
static inline void fur_tasks_run(const fur_env *env, int64_t rows, fur_trsv_tasks *tasks,
                                 fur_task_body *body, void *job)
{
    fur_task_run run = {.tasks = tasks, .body = body, .job = job};
    tasks->solve++;
    if (tasks->count == 1)
        body(job, 0, rows);
    else
        fur_parallel(env, fur_smaller(env->threads, tasks->count),
                     fur_smaller(env->threads, tasks->count), fur_tasks_work, &run);
}

#endif
