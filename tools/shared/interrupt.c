/* Signals that request an early end. */
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

static const struct {
    int number;
    const char *name;
} kinds[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

static struct sigaction before[KINDS];
static atomic_int came; /* the signal; 0: none. Read by the threads of several ranks */

/* Notes a signal. The next signal, of either kind, has its default effect. */
static void note(int number)
{
    came = number;
    for (int i = 0; i < KINDS; i++)
        sigaction(kinds[i].number, &before[i], NULL);
}

void interrupt_begin(void)
{
    struct sigaction noting = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&noting.sa_mask);
    for (int i = 0; i < KINDS; i++)
        sigaction(kinds[i].number, NULL, &before[i]);
    for (int i = 0; i < KINDS; i++)
        if (before[i].sa_handler != SIG_IGN)
            sigaction(kinds[i].number, &noting, NULL);
}

void interrupt_end(void)
{
    for (int i = 0; i < KINDS; i++)
        sigaction(kinds[i].number, &before[i], NULL);
}

const char *interrupt_name(void)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].number == came)
            return kinds[i].name;
    return NULL;
}

const char *interrupt_outcome(fur_outcome outcome)
{
    return outcome == FUR_OUTCOME_STOPPED ? "interrupted" : fur_outcome_name(outcome);
}

void interrupt_pass_on(void)
{
    if (came != 0) {
        fflush(NULL);
        raise(came);
    }
}
