/* Matrices made on the spot, by name. */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

#include "generate_kinds.h"

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static const struct grid_name {
    const char *prefix;
    int axes;
    bool diagonals;
    int unknowns;
} grid_names[] = {{"5-point:", 2, false, 1},
                  {"9-point:", 2, true, 1},
                  {"7-point:", 3, false, 1},
                  {"27-point:", 3, true, 1},
                  {"nodes3:", 3, true, 3}};

static const struct grid_name *find_grid(const char *name)
{
    for (size_t i = 0; i < sizeof grid_names / sizeof *grid_names; i++)
        if (starts(name, grid_names[i].prefix))
            return &grid_names[i];
    return NULL;
}

bool generate_knows(const char *name)
{
    return find_grid(name) || starts(name, "random:") || starts(name, "rmat:") ||
           starts(name, "power:");
}

/* The positive number after the first colon, and that after an x behind it, 0 where it is missing.
 */
static void read_sizes(const char *name, long long *first, long long *second)
{
    char *end;
    *first = strtoll(strchr(name, ':') + 1, &end, 10);
    *second = *end == 'x' ? strtoll(end + 1, &end, 10) : 0;
    if (*end != '\0')
        *first = 0;
}

/* Along an axis, so that rows stay below 2^31. */
static long long most_points(const struct grid_name *named)
{
    if (named->axes == 2)
        return 40000;
    return named->unknowns == 1 ? 1200 : 800;
}

fur_status generate_matrix(fur_context *context, const char *name, fur_csr **out)
{
    long long first;
    long long second;
    const struct grid_name *named = find_grid(name);
    read_sizes(name, &first, &second);
    if (named && first > 0 && first <= most_points(named) && second == 0) {
        grid g = {first, named->axes, named->diagonals, named->unknowns};
        return generate_grid(context, &g, out);
    }
    bool rows_fit = !named && first > 0 && first <= INT32_MAX;
    if (starts(name, "random:") && rows_fit && second > 0 && second <= 1000)
        return generate_random(context, first, second, out);
    if (starts(name, "rmat:") && rows_fit && first <= 26 && second == 0)
        return generate_rmat(context, (int)first, out);
    if (starts(name, "power:") && rows_fit && second == 0)
        return generate_power(context, first, out);
    return fur_context_fail(context, FUR_INVALID,
                            "\"%s\" is no generated matrix; use 5-point:N, 7-point:N, 9-point:N, "
                            "27-point:N, nodes3:N, random:ROWSxENTRIES, rmat:SCALE or power:ROWS",
                            name);
}
