/* Matrices made on the spot. */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

/* Coordinates while they are collected. */
typedef struct coordinates {
    fur_context *context;
    fur_coo_view view;
    int32_t *rows;
    int32_t *cols;
    double *values;
} coordinates;

static fur_status reserve(coordinates *c, int64_t entries)
{
    void *memory;
    fur_status status = fur_context_allocate(c->context, (size_t)entries * 4, &memory);
    c->rows = status == FUR_OK ? memory : NULL;
    if (status == FUR_OK)
        status = fur_context_allocate(c->context, (size_t)entries * 4, &memory);
    c->cols = status == FUR_OK && c->rows ? memory : NULL;
    if (status == FUR_OK)
        status = fur_context_allocate(c->context, (size_t)entries * 8, &memory);
    c->values = status == FUR_OK && c->cols ? memory : NULL;
    return status;
}

static void add(coordinates *c, int64_t row, int64_t col, double value)
{
    c->rows[c->view.entries] = (int32_t)row;
    c->cols[c->view.entries] = (int32_t)col;
    c->values[c->view.entries] = value;
    c->view.entries++;
}

static fur_status finish(coordinates *c, fur_status status, fur_csr **out)
{
    if (status == FUR_OK) {
        c->view.value = FUR_F64;
        c->view.row_indices = c->rows;
        c->view.col_indices = c->cols;
        c->view.values = c->values;
        status = fur_csr_from_coo(c->context, &c->view, FUR_DUPLICATES_SUM, out);
    }
    fur_context_release(c->context, c->rows);
    fur_context_release(c->context, c->cols);
    fur_context_release(c->context, c->values);
    return status;
}

/* A grid of n points along each of `axes` axes. */
typedef struct grid {
    int64_t n;
    int axes;
    bool diagonals; /* neighbours that differ along several axes count too */
} grid;

static int64_t points(const grid *g)
{
    return g->axes == 2 ? g->n * g->n : g->n * g->n * g->n;
}

static void add_grid_row(coordinates *c, const grid *g, int64_t i, int64_t j, int64_t k)
{
    int64_t row = (k * g->n + j) * g->n + i;
    int depth = g->axes == 3;
    for (int dk = -depth; dk <= depth; dk++) {
        for (int dj = -1; dj <= 1; dj++) {
            for (int di = -1; di <= 1; di++) {
                int moved = abs(di) + abs(dj) + abs(dk);
                bool inside = i + di >= 0 && i + di < g->n && j + dj >= 0 && j + dj < g->n &&
                              k + dk >= 0 && k + dk < (depth ? g->n : 1);
                if (inside && (moved <= 1 || g->diagonals))
                    add(c, row, row + (dk * g->n + dj) * g->n + di,
                        moved          ? -1
                        : g->diagonals ? 26
                                       : 2 * g->axes);
            }
        }
    }
}

static fur_status make_grid(fur_context *context, const grid *g, fur_csr **out)
{
    coordinates c = {.context = context, .view = {.rows = points(g), .cols = points(g)}};
    int most = g->diagonals ? (g->axes == 3 ? 27 : 9) : 2 * g->axes + 1;
    fur_status status = reserve(&c, points(g) * most);
    for (int64_t k = 0; status == FUR_OK && k < (g->axes == 3 ? g->n : 1); k++)
        for (int64_t j = 0; j < g->n; j++)
            for (int64_t i = 0; i < g->n; i++)
                add_grid_row(&c, g, i, j, k);
    return finish(&c, status, out);
}

/* xorshift64* (Vigna 2016) */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dU;
}

static double next_unit(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static fur_status make_random(fur_context *context, int64_t rows, int64_t per_row, fur_csr **out)
{
    uint64_t state = 42;
    coordinates c = {.context = context, .view = {.rows = rows, .cols = rows}};
    fur_status status = reserve(&c, rows * per_row);
    for (int64_t i = 0; status == FUR_OK && i < rows; i++)
        for (int64_t k = 0; k < per_row; k++)
            add(&c, i, (int64_t)(next_unit(&state) * (double)rows), next_unit(&state));
    return finish(&c, status, out);
}

/* One edge: at each scale a quadrant is drawn. */
static void add_rmat_edge(coordinates *c, int scale, uint64_t *state)
{
    int64_t row = 0;
    int64_t col = 0;
    for (int level = 0; level < scale; level++) {
        double u = next_unit(state);
        row = 2 * row + (u >= 0.76);
        col = 2 * col + ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
    add(c, row, col, next_unit(state));
}

static fur_status make_rmat(fur_context *context, int scale, fur_csr **out)
{
    uint64_t state = 42;
    int64_t rows = (int64_t)1 << scale;
    coordinates c = {.context = context, .view = {.rows = rows, .cols = rows}};
    fur_status status = reserve(&c, 16 * rows);
    for (int64_t e = 0; status == FUR_OK && e < 16 * rows; e++)
        add_rmat_edge(&c, scale, &state);
    return finish(&c, status, out);
}

static const struct grid_name {
    const char *prefix;
    int axes;
    bool diagonals;
} grid_names[] = {
    {"5-point:", 2, false}, {"9-point:", 2, true}, {"7-point:", 3, false}, {"27-point:", 3, true}};

static const struct grid_name *find_grid(const char *name)
{
    for (size_t i = 0; i < sizeof grid_names / sizeof *grid_names; i++)
        if (strncmp(name, grid_names[i].prefix, strlen(grid_names[i].prefix)) == 0)
            return &grid_names[i];
    return NULL;
}

bool generate_knows(const char *name)
{
    return find_grid(name) || strncmp(name, "random:", 7) == 0 || strncmp(name, "rmat:", 5) == 0;
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

fur_status generate_matrix(fur_context *context, const char *name, fur_csr **out)
{
    long long first;
    long long second;
    const struct grid_name *named = find_grid(name);
    read_sizes(name, &first, &second);
    if (named && first > 0 && first <= (named->axes == 2 ? 40000 : 1200) && second == 0) {
        grid g = {first, named->axes, named->diagonals};
        return make_grid(context, &g, out);
    }
    if (name[1] == 'a' && first > 0 && first <= INT32_MAX && second > 0 && second <= 1000)
        return make_random(context, first, second, out);
    if (name[1] == 'm' && first > 0 && first <= 26 && second == 0)
        return make_rmat(context, (int)first, out);
    return fur_context_fail(context, FUR_INVALID,
                            "\"%s\" is no generated matrix; use 5-point:N, 7-point:N, 9-point:N, "
                            "27-point:N, random:ROWSxENTRIES or rmat:SCALE",
                            name);
}
