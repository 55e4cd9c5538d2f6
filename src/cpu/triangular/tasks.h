/* Runs the tasks of a triangle. Threads take tasks in order, and wait, spinning, for the tasks that
 * they need. Every task that is waited for has been taken by a thread that runs it, so that there
 * is no deadlock. Park, Smelyanskiy, Sundaram and Dubey (2014) have threads wait for single tasks.
 * Here a task waits for all tasks up to the last one that it needs, which is a single number. */
#ifndef FURROW_CPU_TRIANGULAR_TASKS_H
#define FURROW_CPU_TRIANGULAR_TASKS_H

#include "atomic.h"
#include "spin.h"
#include "split.h"
#include "team.h"
#include "trsv_tasks.h"

/* Computes the places begin .. end-1, after the places that they need. */
typedef void fur_task_body(void *job, int64_t begin, int64_t end);

typedef struct fur_task_run {
    fur_trsv_tasks *tasks;
    fur_task_body *body;
    void *job;
    fur_shared next; /* the first task that no thread has taken */
} fur_task_run;

/* Waits until at least `needs` tasks, counted from the first, are done. Returns the number that is
 * known to be done. */
static inline int64_t fur_tasks_await(const fur_trsv_tasks *tasks, int64_t known, int64_t needs)
{
    for (; known < needs; known++)
        for (int polls = 0;
             atomic_load_explicit(&tasks->done[known], memory_order_acquire) != tasks->solve;
             polls++)
            fur_spin(polls);
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

/* Runs all tasks of a triangle with `rows` rows. */
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
