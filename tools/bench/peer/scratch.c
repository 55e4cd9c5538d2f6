/* The scratch folder. A signal handler could not remove files that other code has just begun to
 * write there. A child process that waits for the end of a pipe can, even after SIGKILL. */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *parent(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given ? given : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* The work of the child process, which ignores Ctrl-C. */
static void remove_later(const char *folder, const int *ends)
{
    char byte = 0;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    close(ends[1]);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
    execlp("rm", "rm", "-rf", folder, (char *)NULL);
    _exit(EXIT_FAILURE);
}

fur_status scratch_begin(fur_context *context, scratch *out)
{
    scratch s = {.remover = -1};
    int ends[2] = {-1, -1};
    snprintf(s.folder, sizeof s.folder, "%.4000s/furrow-XXXXXX", parent());
    if (!mkdtemp(s.folder)) {
        return fur_context_fail(context, FUR_IO_ERROR, "%s: %s; set TMPDIR to another folder",
                                s.folder, strerror(errno));
    }
    if (pipe2(ends, O_CLOEXEC) == 0)
        s.remover = fork();
    if (s.remover < 0) {
        rmdir(s.folder);
        return fur_context_fail(context, FUR_IO_ERROR,
                                "cannot start a process that removes %s later: %s", s.folder,
                                strerror(errno));
    }
    if (s.remover == 0)
        remove_later(s.folder, ends);
    close(ends[0]);
    s.alive = ends[1];
    *out = s;
    return FUR_OK;
}

void scratch_end(scratch *s)
{
    if (s->remover > 0) {
        close(s->alive);
        waitpid(s->remover, NULL, 0);
    }
}
