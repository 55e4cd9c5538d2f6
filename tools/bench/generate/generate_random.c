/* Random matrices: uniform, recursive, and by power laws. They are the same in every run. */
#include "generate_kinds.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"

/* Coordinates that are being collected. */
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
        c->view.value_type = FUR_F64;
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

fur_status generate_random(fur_context *context, int64_t rows, int64_t per_row, fur_csr **out)
{
    uint64_t state = 42;
    coordinates c = {.context = context,
                     .view = {.size = sizeof c.view, .rows = rows, .cols = rows}};
    fur_status status = reserve(&c, rows * per_row);
    for (int64_t i = 0; status == FUR_OK && i < rows; i++)
        for (int64_t k = 0; k < per_row; k++)
            add(&c, i, (int64_t)(random_unit(&state) * (double)rows), random_unit(&state));
    return finish(&c, status, out);
}

/* Adds one edge. At each scale, a quadrant is drawn. */
static void add_rmat_edge(coordinates *c, int scale, uint64_t *state)
{
    int64_t row = 0;
    int64_t col = 0;
    for (int level = 0; level < scale; level++) {
        double u = random_unit(state);
        row = 2 * row + (u >= 0.76);
        col = 2 * col + ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
    add(c, row, col, random_unit(state));
}

fur_status generate_rmat(fur_context *context, int scale, fur_csr **out)
{
    uint64_t state = 42;
    int64_t rows = (int64_t)1 << scale;
    coordinates c = {.context = context,
                     .view = {.size = sizeof c.view, .rows = rows, .cols = rows}};
    fur_status status = reserve(&c, 16 * rows);
    for (int64_t e = 0; status == FUR_OK && e < 16 * rows; e++)
        add_rmat_edge(&c, scale, &state);
    return finish(&c, status, out);
}

#define POWER_LONGEST 32768

/* The parameters of all rows of a power-law matrix. */
typedef struct power_law {
    int64_t rows;
    double reach; /* (rows + 1)^(1/11) - 1: the end of the distribution of columns */
} power_law;

/* Returns a different seed for every row. */
static uint64_t row_seed(int64_t row)
{
    return random_mix(((uint64_t)row + 1) * 0x9e3779b97f4a7c15U) | 1;
}

/* Draws a length that is at least k with probability k^-1.1. */
static int draw_length(const power_law *law, uint64_t *state)
{
    double length = pow(1 - random_unit(state), -1 / 1.1);
    double most = law->rows < POWER_LONGEST ? (double)law->rows : POWER_LONGEST;
    return (int)(length < most ? length : most);
}

/* Draws a column: c + 1 is t^11 with a uniform t, so that column c has a density of (c +
 * 1)^(-10/11). */
static int32_t draw_column(const power_law *law, uint64_t *state)
{
    double t = 1 + random_unit(state) * law->reach;
    double t2 = t * t;
    double t4 = t2 * t2;
    int64_t column = (int64_t)(t4 * t4 * t2 * t) - 1;
    return (int32_t)(column < law->rows ? column : law->rows - 1);
}

static int by_column(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int64_t power_row(const void *self, int64_t row, int32_t *columns, double *values)
{
    const power_law *law = self;
    int32_t drawn[POWER_LONGEST];
    uint64_t state = row_seed(row);
    int length = draw_length(law, &state);
    for (int k = 0; k < length; k++)
        drawn[k] = draw_column(law, &state);
    qsort(drawn, (size_t)length, sizeof *drawn, by_column);
    int64_t count = 0;
    for (int k = 0; k < length; k++) {
        if (k > 0 && drawn[k] == drawn[k - 1])
            continue;
        if (columns) {
            columns[count] = drawn[k];
            values[count] = random_unit(&state);
        }
        count++;
    }
    return count;
}

fur_status generate_power(fur_context *context, int64_t rows, fur_csr **out)
{
    power_law law = {rows, pow((double)rows + 1, 1.0 / 11) - 1};
    return generate_rows(context, rows, power_row, &law, out);
}
