/* Ranks on GPUs, in a build without CUDA: all calls are refused. */
#include "devices.h"

fur_status devices_join(fur_ranks *g)
{
    return group_fail(g, FUR_UNSUPPORTED,
                      "this build has no CUDA; use device \"cpu\", or configure with "
                      "-DFURROW_CUDA=ON");
}

void devices_leave(fur_ranks *g)
{
    (void)g;
}

fur_status devices_open(space *s, fur_context_options *options, fur_sharing *sharing)
{
    (void)s;
    (void)options;
    (void)sharing;
    return FUR_UNSUPPORTED;
}

void devices_close(space *s)
{
    (void)s;
}

fur_status devices_plan(fur_ranks_csr *m)
{
    (void)m;
    return FUR_UNSUPPORTED;
}

void devices_drop(fur_ranks_csr *m)
{
    (void)m;
}

fur_status devices_pass(space *s, const fur_passing *pass)
{
    (void)s;
    (void)pass;
    return FUR_UNSUPPORTED;
}

fur_status devices_meet(space *s)
{
    (void)s;
    return FUR_UNSUPPORTED;
}

fur_status devices_gather(space *s, const int64_t *bounds, size_t size, const void *mine, void *all)
{
    (void)s;
    (void)bounds;
    (void)size;
    (void)mine;
    (void)all;
    return FUR_UNSUPPORTED;
}

void devices_seat(const space *s, fur_context_options *options)
{
    (void)s;
    (void)options;
}
