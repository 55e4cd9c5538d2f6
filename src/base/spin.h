/* Spinning while waiting for another thread. */
#ifndef FURROW_BASE_SPIN_H
#define FURROW_BASE_SPIN_H

#include <sched.h>
#include <stdbool.h>

/* Call this between two tests; `polls` counts the calls from 0. The other thread may need this
 * processor. Every 64th call therefore yields the processor, and returns true. */
static inline bool fur_spin(int polls)
{
    if (polls % 64 == 63) {
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
