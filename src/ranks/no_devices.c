/* Ranks on GPUs in a build without CUDA: there are none. */
#include "devices.h"

fur_status devices_join(fur_ranks *g)
{
    return fur_ranks_fail(g, FUR_UNSUPPORTED,
                          "this build has no CUDA; use device \"cpu\", or configure with "
                          "-DFURROW_CUDA=ON");
}

void devices_leave(fur_ranks *g)
{
    (void)g;
}

fur_status devices_open(fur_ranks_csr *m, fur_context_options *options, fur_sharing *sharing)
{
    (void)m;
    (void)options;
    (void)sharing;
    return FUR_UNSUPPORTED;
}

fur_status devices_plan(fur_ranks_csr *m)
{
    (void)m;
    return FUR_UNSUPPORTED;
}

void devices_close(fur_ranks_csr *m)
{
    (void)m;
}
