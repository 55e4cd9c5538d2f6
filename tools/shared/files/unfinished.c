/* Handles signals. Only the main thread makes, renames and removes temporary files, and only it
 * handles signals. The handler thus never sees a half-changed state. */
#include "unfinished.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 256

static struct {
    pthread_t thread; /* the main thread */
    volatile sig_atomic_t there;
    int directory;
    char name[NAME_BYTES];
} unfinished;

static void watch(void *user, int directory, const char *name)
{
    (void)user;
    unfinished.there = 0;
    atomic_signal_fence(memory_order_seq_cst);
    size_t size = name ? strlen(name) + 1 : 0;
    if (size > 0 && size <= NAME_BYTES) {
        unfinished.directory = directory;
        memcpy(unfinished.name, name, size);
        atomic_signal_fence(memory_order_seq_cst);
        unfinished.there = 1;
    }
}

const fur_file_watcher unfinished_watcher = {.watch = watch};

/* The signal stays blocked until the handler returns. Then it ends the command. */
static void end(int signal_number)
{
    int error = errno;
    if (!pthread_equal(pthread_self(), unfinished.thread)) {
        pthread_kill(unfinished.thread, signal_number);
        errno = error;
        return;
    }
    if (unfinished.there)
        unlinkat(unfinished.directory, unfinished.name, 0);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void unfinished_begin(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
    struct sigaction before;
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    unfinished.thread = pthread_self();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        /* A signal that the parent ignored stays ignored, as with nohup. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
}
