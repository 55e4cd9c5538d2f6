/* Contexts with shared vectors, by the messages of a group. */
#include "space.h"

#include "devices.h"

fur_status space_pass(const space *s, fur_status status)
{
    return status == FUR_OK ? FUR_OK : fur_context_fail(s->context, status, "%s", s->group->error);
}

static fur_status share_gather(void *user, const void *mine, size_t bytes, void *all)
{
    const space *s = user;
    return space_pass(s, group_gather(s->group, mine, bytes, all));
}

static fur_status share_send(void *user, int to, const void *data, size_t bytes)
{
    const space *s = user;
    return space_pass(s, group_send(s->group, to, data, bytes));
}

static fur_status share_receive(void *user, int from, void *data, size_t bytes)
{
    const space *s = user;
    return space_pass(s, group_receive(s->group, from, data, bytes));
}

fur_sharing space_sharing(space *s, const int64_t *bounds)
{
    return (fur_sharing){.size = sizeof(fur_sharing),
                         .rank = s->group->rank,
                         .ranks = s->group->count,
                         .bounds = bounds,
                         .user = s,
                         .gather = share_gather,
                         .send = share_send,
                         .receive = share_receive};
}

fur_status space_join(fur_ranks *g)
{
    return group_on_gpu(&g->options) && !g->devices ? devices_join(g) : FUR_OK;
}

fur_status space_open(fur_ranks *g, const int64_t *bounds, space *s)
{
    FUR_TRY(space_join(g));
    s->group = g;
    s->next = g->spaces;
    g->spaces = s;
    fur_sharing sharing = space_sharing(s, bounds);
    fur_context_options options = {.size = sizeof options,
                                   .threads = g->options.threads,
                                   .isa = g->options.isa,
                                   .allocator = g->options.allocator,
                                   .sharing = &sharing};
    if (group_on_gpu(&g->options))
        FUR_TRY(devices_open(s, &options, &sharing));
    if (g->count == 1)
        options.sharing = NULL; /* vectors are not shared */
    return group_pass_on(g, NULL, fur_context_create(&options, &s->context));
}

void space_close(space *s)
{
    space **at = &s->group->spaces;
    fur_context_destroy(s->context);
    devices_close(s);
    while (*at && *at != s)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
}
