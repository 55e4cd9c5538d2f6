/* Generates Matrix Market files by printf. The library's writer is not used, because the files
 * measure the library's reader. */
#include "generate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define NEIGHBOURS 7
#define PER_ROW 16

typedef struct kind {
    const char *name;
    int64_t size; /* the default */
    int64_t least;
    int64_t most;
    void (*write)(FILE *file, int64_t size);
} kind;

/* Lists the columns of the 7-point stencil's row for a point, including its own, counted from 1 and
 * in ascending order. */
static int neighbours(int64_t n, int64_t point, int64_t *columns)
{
    int64_t x = point % n;
    int64_t y = point / n % n;
    int64_t z = point / (n * n);
    int64_t steps[NEIGHBOURS] = {-n * n, -n, -1, 0, 1, n, n * n};
    bool inside[NEIGHBOURS] = {z > 0, y > 0, x > 0, true, x < n - 1, y < n - 1, z < n - 1};
    int count = 0;
    for (int k = 0; k < NEIGHBOURS; k++)
        if (inside[k])
            columns[count++] = point + steps[k] + 1;
    return count;
}

static void write_head(FILE *file, const char *field, int64_t rows, int64_t entries)
{
    fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n", field);
    fprintf(file, "%lld %lld %lld\n", (long long)rows, (long long)rows, (long long)entries);
}

static void write_grid(FILE *file, int64_t n, bool real)
{
    uint64_t state = 42;
    write_head(file, real ? "real" : "integer", n * n * n, 7 * n * n * n - 6 * n * n);
    for (int64_t i = 0; i < n * n * n; i++) {
        int64_t columns[NEIGHBOURS];
        int count = neighbours(n, i, columns);
        for (int k = 0; k < count; k++) {
            bool diagonal = columns[k] == i + 1;
            fprintf(file, "%lld %lld", (long long)i + 1, (long long)columns[k]);
            if (real)
                fprintf(file, " %.17g\n", (diagonal ? 10 : -1) * random_unit(&state));
            else
                fprintf(file, " %d\n", diagonal ? 6 : -1);
        }
    }
}

static void write_real(FILE *file, int64_t n)
{
    write_grid(file, n, true);
}

static void write_integer(FILE *file, int64_t n)
{
    write_grid(file, n, false);
}

static void write_pattern(FILE *file, int64_t rows)
{
    uint64_t state = 42;
    int64_t stride = rows / PER_ROW;
    write_head(file, "pattern", rows, rows * PER_ROW);
    for (int64_t i = 0; i < rows; i++) {
        int64_t column = 0;
        for (int k = 0; k < PER_ROW; k++) {
            column += 1 + (int64_t)(random_unit(&state) * (double)stride);
            fprintf(file, "%lld %lld\n", (long long)i + 1, (long long)column);
        }
    }
}

static const kind kinds[] = {{"real", 110, 1, 500, write_real},
                             {"integer", 140, 1, 500, write_integer},
                             {"pattern", 1000000, PER_ROW, 100000000, write_pattern}};

static const kind *find_kind(const char *name)
{
    size_t length = strcspn(name, ":");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == length && strncmp(name, kinds[i].name, length) == 0)
            return &kinds[i];
    return NULL;
}

bool generate_text_knows(const char *name)
{
    return find_kind(name);
}

/* Reads the size after the colon. Returns 0 if the kind does not allow it. */
static int64_t read_size(const kind *k, const char *name)
{
    const char *colon = strchr(name, ':');
    if (!colon)
        return k->size;
    char *end = NULL;
    int64_t size = strtoll(colon + 1, &end, 10);
    return *end == '\0' && size >= k->least && size <= k->most ? size : 0;
}

fur_status generate_text(fur_context *context, const char *name, const char *path)
{
    const kind *k = find_kind(name);
    int64_t size = k ? read_size(k, name) : 0;
    if (size == 0) {
        return fur_context_fail(context, FUR_INVALID,
                                "\"%s\" is not a generated file; use real:N or integer:N with N up "
                                "to 500, or pattern:ROWS",
                                name);
    }
    FILE *file = fopen(path, "w");
    if (file)
        k->write(file, size);
    bool written = file && !ferror(file);
    if (!file || fclose(file) != 0 || !written)
        return fur_context_fail(context, FUR_IO_ERROR, "%s: %s", path, strerror(errno));
    return FUR_OK;
}
