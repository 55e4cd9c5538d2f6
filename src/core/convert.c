/* Arrays of entries from one value type into another. */
#include "object.h"
#include "scalar.h"
#include "split.h"
#include "table.h"

/* Entries below which a further thread costs more than it brings. */
#define ENTRY_GRAIN 16384

#define FUR_TEMPLATE "convert_template.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

int64_t fur_convert_values(int threads, int64_t count, fur_value from, const void *in, fur_value to,
                           void *out)
{
    static fur_scalar (*const load[FUR_VALUE_COUNT])(const void *, int64_t) = FUR_VALUE_TABLE(load);
    static int (*const store[FUR_VALUE_COUNT])(fur_scalar, void *, int64_t) =
        FUR_VALUE_TABLE(store);
    int64_t lost = count;
    int team = fur_team(threads, count, ENTRY_GRAIN);
#pragma omp parallel for schedule(static) num_threads(team) reduction(min : lost) if (team > 1)
    for (int64_t i = 0; i < count; i++)
        if (!store[to](load[from](in, i), out, i) && i < lost)
            lost = i;
    return lost < count ? lost : -1;
}
