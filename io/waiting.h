/* Waiting for what other threads are about to finish. */
#ifndef FURROW_IO_WAITING_H
#define FURROW_IO_WAITING_H

#include <sched.h>
#include <time.h>

/* Looks without a pause, and looks before one sleeps: where threads have cores of their own neither
 * is reached; where they share some, the one that is waited for gets it. */
#define FUR_LOOKS 200
#define FUR_LOOKS_AWAKE 1000

/* Between look number `looks` and the next. */
static inline void fur_wait(int looks)
{
    const struct timespec moment = {.tv_nsec = 20000};
    if (looks > FUR_LOOKS_AWAKE)
        nanosleep(&moment, NULL);
    else if (looks > FUR_LOOKS)
        sched_yield();
}

#endif
