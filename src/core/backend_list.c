/* The devices of this build. */
#include "object.h"

#include <string.h>

static const struct device {
    const char *name;
    fur_backend_open open;
} devices[] = {
    {"cpu", fur_cpu_open},
};

fur_status fur_backend_named(fur_env *env, const char *device, const char *isa,
                             const fur_backend **out)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (!device || strcmp(device, devices[i].name) == 0)
            return devices[i].open(env, isa, out);
    return fur_env_fail(env, FUR_UNSUPPORTED,
                        "this build of furrow has no device \"%s\"; it has \"cpu\"", device);
}
