/* The host as a device: its processors and memory. */
#include "kernel.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#    include <cpuid.h>

/* The processor's own name, 48 bytes from three cpuid leaves, or "" if it has none. */
static void read_name(char name[49])
{
    unsigned words[12] = {0};
    if ((unsigned)__get_cpuid_max(0x80000000, NULL) >= 0x80000004)
        for (unsigned leaf = 0; leaf < 3; leaf++)
            __get_cpuid(0x80000002 + leaf, &words[4 * leaf], &words[4 * leaf + 1],
                        &words[4 * leaf + 2], &words[4 * leaf + 3]);
    memcpy(name, words, sizeof words);
    name[48] = '\0';
}
#else
static void read_name(char name[49])
{
    name[0] = '\0';
}
#endif

bool fur_cpu_describe(int number, fur_device_info *out)
{
    char name[49];
    struct utsname system;
    if (number != 0)
        return false;
    read_name(name);
    const char *first = name + strspn(name, " ");
    if (*first == '\0' && uname(&system) == 0)
        first = system.machine;
    snprintf(out->name, sizeof out->name, "cpu");
    snprintf(out->description, sizeof out->description, "%s", first);
    out->memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    out->usable = 1;
    return true;
}
