/* Picks the CPU backend for the instruction set of this machine. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

extern const fur_backend fur_backend_cpu_portable;
#ifdef FUR_X86_LEVELS
extern const fur_backend fur_backend_cpu_avx2;
extern const fur_backend fur_backend_cpu_avx512;
#endif

typedef struct level {
    const fur_backend *backend;
    bool (*supported)(void);
} level;

static bool always(void)
{
    return true;
}

#ifdef FUR_X86_LEVELS
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* The best instruction set comes first. */
static const level levels[] = {
#ifdef FUR_X86_LEVELS
    {&fur_backend_cpu_avx512, has_avx512},
    {&fur_backend_cpu_avx2, has_avx2},
#endif
    {&fur_backend_cpu_portable, always},
};

/* The instruction set that the environment asks for, or NULL. */
static const char *isa_of_environment(void)
{
    const char *isa = getenv("FURROW_ISA");
    return isa && *isa ? isa : NULL;
}

fur_status fur_cpu_open(fur_env *env, const fur_context_options *options, int number,
                        const fur_backend **out)
{
    const char *isa = options->isa ? options->isa : isa_of_environment();
    if (number != 0)
        return fur_env_fail(
            env, FUR_UNSUPPORTED,
            "there is no device \"cpu:%d\"; use \"cpu\", which is all processors together", number);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        bool named = isa && strcmp(isa, levels[i].backend->isa) == 0;
        if (isa && !named)
            continue;
        if (levels[i].supported()) {
            *out = levels[i].backend;
            return FUR_OK;
        }
        if (named)
            return fur_env_fail(env, FUR_UNSUPPORTED,
                                "this machine does not have the instruction set \"%s\"; leave the "
                                "name out to get the best instruction set of this machine",
                                isa);
    }
    return fur_env_fail(env, FUR_UNSUPPORTED,
                        "there is no instruction set \"%s\" in this build; use portable, or on "
                        "x86-64 avx2 or avx512",
                        isa);
}
