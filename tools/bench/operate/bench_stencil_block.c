/* furrow bench stencil_block: a stencil times a block of vectors, row-major and column-major,
 * compared with a loop of products with single vectors. Cases: "7-point:128@16" is 7 points on
 * 128^3 with 16 columns. */
#include <stdio.h>

#include "wall_race.h"

/* Products that are timed together, so that a GPU has a queue of them. */
#define PRODUCTS 10

typedef struct block_case {
    bench *b;
    fur_stencil *s;
    int64_t cols;
    fur_vectors *x[2]; /* by layout */
    fur_vectors *y[2];
    fur_vector **columns; /* columns of x, then columns of y, column-major */
    wall_race race;
} block_case;

static fur_status run_layout(const block_case *c, fur_layout layout)
{
    for (int i = 0; i < PRODUCTS; i++)
        FUR_TRY(
            fur_stencil_apply_block(c->s, fur_real(1), c->x[layout], fur_real(0), c->y[layout]));
    return FUR_OK;
}

static fur_status run_rows(void *self)
{
    return run_layout(self, FUR_LAYOUT_ROWS);
}

static fur_status run_columns(void *self)
{
    return run_layout(self, FUR_LAYOUT_COLUMNS);
}

static fur_status run_loop(void *self)
{
    const block_case *c = self;
    for (int i = 0; i < PRODUCTS; i++)
        for (int64_t j = 0; j < c->cols; j++)
            FUR_TRY(fur_stencil_apply(c->s, fur_real(1), c->columns[j], fur_real(0),
                                      c->columns[c->cols + j]));
    return FUR_OK;
}

static fur_status make_stencil(block_case *c, const char *name, int64_t *rows)
{
    int points = 0;
    long long n = 0;
    long long cols = 0;
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64};
    if (sscanf(name, "%d-point:%lld@%lld", &points, &n, &cols) != 3 || n < 1 || n > 1000 ||
        cols < 1 || cols > 256 || !fur_stencil_named(points, &d))
        return fur_context_fail(c->b->context, FUR_INVALID,
                                "'%s' is not a case; use P-point:N@COLUMNS, such as 7-point:128@16 "
                                "for 7 points on 128^3 with 16 columns",
                                name);
    *rows = 1;
    for (int axis = 0; axis < d.axes; axis++) {
        d.extent[axis] = n;
        *rows *= n;
    }
    c->cols = cols;
    return fur_stencil_create(c->b->context, &d, &c->s);
}

static fur_status make_blocks(block_case *c, int64_t rows)
{
    fur_context *context = c->b->context;
    for (int layout = 0; layout < 2; layout++) {
        FUR_TRY(
            fur_vectors_create(context, FUR_F64, rows, c->cols, (fur_layout)layout, &c->x[layout]));
        FUR_TRY(
            fur_vectors_create(context, FUR_F64, rows, c->cols, (fur_layout)layout, &c->y[layout]));
        FUR_TRY(fur_vectors_fill(c->x[layout], fur_real(0.3)));
        FUR_TRY(fur_vectors_fill(c->y[layout], fur_real(0)));
    }
    size_t size = 2 * (size_t)c->cols * sizeof(fur_vector *);
    FUR_TRY(fur_context_allocate(context, size, (void **)&c->columns));
    for (int64_t j = 0; j < 2 * c->cols; j++)
        c->columns[j] = NULL;
    for (int64_t j = 0; j < c->cols; j++) {
        FUR_TRY(fur_vectors_column(c->x[FUR_LAYOUT_COLUMNS], j, &c->columns[j]));
        FUR_TRY(fur_vectors_column(c->y[FUR_LAYOUT_COLUMNS], j, &c->columns[c->cols + j]));
    }
    return FUR_OK;
}

static void add(block_case *c, const char *name, fur_status (*run)(void *self), int64_t rows)
{
    race_about *about = wall_race_add(&c->race, name, run, c, 0);
    about->exact = true;
    about->bytes = PRODUCTS * 16.0 * (double)rows * (double)c->cols;
    snprintf(about->note, sizeof about->note, "%d products", PRODUCTS);
}

static fur_status run_case(block_case *c, const char *name)
{
    int64_t rows = 0;
    FUR_TRY(make_stencil(c, name, &rows));
    FUR_TRY(make_blocks(c, rows));
    add(c, "loop of single ones", run_loop, rows);
    add(c, "block, columns", run_columns, rows);
    add(c, "block, rows", run_rows, rows);
    json_t *record = json_pack("{s:s, s:I, s:I}", "case", name, "rows", (json_int_t)rows, "columns",
                               (json_int_t)c->cols);
    return wall_race_run(c->b, &c->race, record);
}

fur_status bench_stencil_block(bench *b, const char *name)
{
    block_case c = {.b = b};
    fur_status status = run_case(&c, name);
    for (int64_t j = 0; c.columns && j < 2 * c.cols; j++)
        fur_vector_destroy(c.columns[j]);
    fur_context_release(b->context, c.columns);
    for (int layout = 0; layout < 2; layout++) {
        fur_vectors_destroy(c.y[layout]);
        fur_vectors_destroy(c.x[layout]);
    }
    fur_stencil_destroy(c.s);
    return status;
}
