/* Converts arrays of entries to another value type. */
#include "atomic.h"
#include "core.h"
#include "scalar.h"
#include "table.h"
#include "team.h"

#define ENTRY_GRAIN 16384

#define FUR_TEMPLATE "convert_template.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

typedef struct conversion {
    fur_scalar (*load)(const void *array, int64_t i);
    int (*store)(fur_scalar a, void *array, int64_t i);
    const void *in;
    void *out;
    fur_shared lost; /* the first entry whose imaginary part was lost */
} conversion;

static void convert_entries(void *job, int64_t begin, int64_t end)
{
    conversion *c = job;
    int64_t lost = INT64_MAX;
    for (int64_t i = begin; i < end; i++)
        if (!c->store(c->load(c->in, i), c->out, i) && i < lost)
            lost = i;
    fur_shared_least(&c->lost, lost);
}

static fur_scalar (*const load_entry[FUR_VALUE_COUNT])(const void *,
                                                       int64_t) = FUR_VALUE_TABLE(load);

fur_scalar fur_scalar_at(fur_value_type value, const void *array, int64_t i)
{
    return load_entry[value](array, i);
}

int64_t fur_convert_values(const fur_env *env, int64_t count, fur_value_type from, const void *in,
                           fur_value_type to, void *out)
{
    static int (*const store[FUR_VALUE_COUNT])(fur_scalar, void *, int64_t) =
        FUR_VALUE_TABLE(store);
    conversion c = {load_entry[from], store[to], in, out, count};
    fur_parallel(env, count / ENTRY_GRAIN, count, convert_entries, &c);
    return c.lost < count ? c.lost : -1;
}
