/* One monitor for all ranks. If a single rank stopped, the others would wait for it. */
#include "monitor.h"

#include <string.h>

/* Sets *out on all ranks to whether any rank has `own` set. */
static fur_status any(const monitor *m, bool own, bool *out)
{
    char word = (char)own;
    FUR_TRY(group_gather(m->group, &word, 1, m->stops));
    *out = memchr(m->stops, 1, (size_t)m->group->count) != NULL;
    return FUR_OK;
}

static int ask_all(void *user, const fur_solver_progress *progress)
{
    const monitor *m = user;
    bool stop;
    bool own = m->own && m->own(m->user, progress) != 0;
    /* the solve ends with an error if the group is broken */
    return any(m, own, &stop) != FUR_OK || stop;
}

fur_status monitor_join(fur_ranks *g, fur_solver_options *options, monitor *m)
{
    bool watched;
    *m = (monitor){.group = g, .own = options->monitor, .user = options->monitor_user};
    FUR_TRY(group_allocate(g, g->count, 1, &m->stops));
    FUR_TRY(any(m, m->own != NULL, &watched));
    if (watched) {
        options->monitor = ask_all;
        options->monitor_user = m;
    }
    return FUR_OK;
}

void monitor_release(monitor *m)
{
    group_release(m->group, m->stops);
}
