/* Shared by the fuzz targets. */
#ifndef FURROW_TESTS_FUZZ_H
#define FURROW_TESTS_FUZZ_H

#include <furrow/furrow.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static inline fur_context *fuzz_context(int threads, const char *isa)
{
    fur_context_options options = {.size = sizeof options, .threads = threads, .isa = isa};
    fur_context *context = NULL;
    require(fur_context_create(&options, &context) == FUR_OK, "no context");
    return context;
}

/* Returns a context of one thread, which is made once. */
static inline fur_context *the_context(void)
{
    static fur_context *context;
    if (!context)
        context = fuzz_context(1, NULL);
    return context;
}

/* Returns a file name of this process. The file is in memory if the system allows it. */
static inline const char *fuzz_path(void)
{
    static char path[64];
    if (!*path)
        snprintf(path, sizeof path, "%s/furrow-fuzz-%ld",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    return path;
}

#endif
