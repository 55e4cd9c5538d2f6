/* Which copy of the inner loop runs. */
#include "simple.h"

#include <string.h>

fur_simple_read *fur_simple_select(const char *isa)
{
#ifdef FUR_X86_LEVELS
    if (strcmp(isa, "portable") != 0)
        return FUR_SIMPLE(avx2);
#else
    (void)isa;
#endif
    return FUR_SIMPLE(portable);
}
