/* The devices of this build. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

static const struct device {
    const char *name;
    fur_backend_open open;
    fur_backend_describe describe;
} devices[] = {
    {"cpu", fur_cpu_open, fur_cpu_describe},
#ifdef FUR_WITH_CUDA
    {"cuda", fur_cuda_open, fur_cuda_describe},
#endif
};

#define DEVICE_COUNT (sizeof devices / sizeof *devices)

/* Returns the number in "name:number", 0 for "name" alone, or -1 if text is not this device. */
static int number_in(const char *text, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0)
        return -1;
    if (text[length] == '\0')
        return 0;
    const char *digits = text + length + 1;
    size_t count = strspn(digits, "0123456789");
    bool number = text[length] == ':' && count > 0 && count < 6 && digits[count] == '\0';
    return number ? atoi(digits) : -1;
}

fur_status fur_backend_find(fur_env *env, const fur_context_options *options,
                            const fur_backend **out)
{
    if (!options->device)
        return devices[0].open(env, options, 0, out);
    for (size_t i = 0; i < DEVICE_COUNT; i++) {
        int number = number_in(options->device, devices[i].name);
        if (number >= 0)
            return devices[i].open(env, options, number, out);
    }
    return fur_env_fail(env, FUR_UNSUPPORTED,
                        "this build of furrow has no device \"%s\"; it has \"cpu\"%s",
                        options->device, DEVICE_COUNT > 1 ? ", \"cuda\" and \"cuda:N\"" : "");
}

const fur_device_info *fur_device_at(int index)
{
    static _Thread_local fur_device_info info;
    for (size_t i = 0; index >= 0 && i < DEVICE_COUNT; i++)
        for (int number = 0;; number++) {
            info = (fur_device_info){.size = sizeof info};
            if (!devices[i].describe(number, &info))
                break;
            if (index-- == 0)
                return &info;
        }
    return NULL;
}
