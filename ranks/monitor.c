/* One monitor for all ranks: a rank that stopped alone would leave the others waiting for it. */
#include "monitor.h"

#include <string.h>

/* Whether any rank says 1, which all learn. */
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
    return any(m, own, &stop) != FUR_OK || stop; /* a broken group fails at the end of the solve */
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
