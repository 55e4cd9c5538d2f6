/* Waiting awake for another thread. */
#ifndef FURROW_BASE_SPIN_H
#define FURROW_BASE_SPIN_H

#include <sched.h>
#include <stdbool.h>

/* Between two looks, of which this was number `looks` from 0 on. Who is waited for may be waiting
 * for this processor: now and then it is offered, which returns true. */
static inline bool fur_spin(int looks)
{
    if (looks % 64 == 63) {
        sched_yield();
        return true;
    }
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
    return false;
}

#endif
