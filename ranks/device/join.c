/* The device of a rank and the link of its group. */
#include "device.h"
#include "devices.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICE_LINK(name) &link_##name,
static const halo_link *const links[] = {
#include "links.def"
};
#undef DEVICE_LINK
#define LINKS ((int)(sizeof links / sizeof *links))

/* The host and the device of a rank. */
typedef struct whereabouts {
    char host[64];
    int64_t device;
} whereabouts;

/* Finds the number of the device. It is in the options, or for "cuda" the ranks of a host take the
 * devices in turn. */
static fur_status find_number(fur_ranks *g, whereabouts *all)
{
    struct device_group *d = g->devices;
    whereabouts own = {.device = -1};
    int devices = 0;
    int before = 0;
    gethostname(own.host, sizeof own.host - 1);
    FUR_TRY(group_gather(g, &own, sizeof own, all));
    for (int rank = 0; rank < g->rank; rank++)
        before += strcmp(all[rank].host, own.host) == 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return group_fail(g, FUR_UNSUPPORTED,
                          "the machine of rank %d has no GPU that CUDA can use; use device "
                          "\"cpu\"",
                          g->rank);
    const char *number = strchr(g->options.device, ':');
    d->number = number ? atoi(number + 1) : before % devices;
    if (d->number < 0 || d->number >= devices)
        return group_fail(
            g, FUR_UNSUPPORTED,
            "there is no device \"%s\" for rank %d; its machine has %d GPUs, which count from 0",
            g->options.device, g->rank, devices);
    DEVICE_TRY(g, cudaSetDevice(d->number));
    own.device = d->number;
    return group_gather(g, &own, sizeof own, all);
}

static fur_status find_device(fur_ranks *g)
{
    struct device_group *d = g->devices;
    whereabouts *all;
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = find_number(g, all);
    d->apart = status == FUR_OK;
    for (int i = 0; status == FUR_OK && i < g->count; i++)
        for (int k = 0; k < i; k++)
            d->apart = d->apart && memcmp(&all[i], &all[k], sizeof *all) != 0;
    group_release(g, all);
    return status;
}

/* Finds the best link that works between all ranks. */
static fur_status find_best(fur_ranks *g)
{
    bool suits = false;
    if (g->devices->apart)
        FUR_TRY(peers_suit(g, &suits));
    g->link = &link_peers;
    if (suits)
        return FUR_OK;
    FUR_TRY(nccl_suits(g, &suits));
    g->link = suits ? &link_nccl : &link_staged;
    return FUR_OK;
}

/* Returns whether CUDA loads kernels early. By default it loads a kernel at its first launch, and
 * first waits for the whole device. Ranks that share a GPU then wait for each other forever. */
static bool loads_kernels_early(void)
{
    const char *loading = getenv("CUDA_MODULE_LOADING");
    return loading && strcmp(loading, "EAGER") == 0;
}

static fur_status find_link(fur_ranks *g)
{
    const char *name = g->options.device_transport;
    if (!name)
        return find_best(g);
    for (int i = 0; i < LINKS; i++)
        if (strcmp(name, links[i]->name) == 0)
            g->link = links[i];
    if (g->link == &link_host)
        return group_fail(g, FUR_INVALID,
                          "there is no transport between GPUs named \"%s\"; use \"peers\", "
                          "\"nccl\" or \"staged\"",
                          name);
    if (g->link == &link_peers && g->count > 1 && !g->devices->apart && !loads_kernels_early())
        return group_fail(g, FUR_UNSUPPORTED,
                          "ranks share a GPU: for \"peers\" set CUDA_MODULE_LOADING=EAGER and "
                          "CUDA_DEVICE_MAX_CONNECTIONS=32 before the program starts, or use the "
                          "transport \"staged\"");
    return FUR_OK;
}

fur_status devices_join(fur_ranks *g)
{
    FUR_TRY(group_allocate(g, 1, sizeof *g->devices, &g->devices));
    memset(g->devices, 0, sizeof *g->devices);
    FUR_TRY(find_device(g));
    FUR_TRY(find_link(g));
    return g->link->join ? g->link->join(g) : FUR_OK;
}

void devices_leave(fur_ranks *g)
{
    struct device_group *d = g->devices;
    if (!d)
        return;
    cudaSetDevice(d->number);
    if (g->link->leave)
        g->link->leave(g);
    for (int64_t i = 0; !g->broken && i < d->dead_count; i++)
        cudaFree(d->dead[i]);
    group_release(g, d->dead);
    group_release(g, d);
    g->devices = NULL;
}
