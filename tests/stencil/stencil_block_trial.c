#include "stencil_block_trial.h"

#include "placed_block.h"

#include <math.h>

/* Replaces column j of Y, stored by rows, by the stencil's product with columns j of X and Y. */
static void expect_column(const stencil_trial *t, const fur_stencil *s, fur_context *host,
                          int64_t cols, int64_t j, const void *x, void *y)
{
    fur_value_type value = t->d.value_type;
    void *column[2] = {entries_make(value, t->rows), entries_make(value, t->rows)};
    for (int64_t i = 0; i < t->rows; i++) {
        entry_set(value, column[0], i, entry_get(value, x, i * cols + j));
        entry_set(value, column[1], i, entry_get(value, y, i * cols + j));
    }
    fur_vector *u = vector_from(host, value, t->rows, column[0]);
    fur_vector *v = vector_from(host, value, t->rows, column[1]);
    ck_ok(host, fur_stencil_apply(s, t->alpha, u, t->beta, v));
    for (int64_t i = 0; i < t->rows; i++)
        entry_set(value, y, i * cols + j, entry_get(value, fur_vector_const_data(v), i));
    fur_vector_destroy(v);
    fur_vector_destroy(u);
    free(column[1]);
    free(column[0]);
}

void stencil_block_check(const stencil_trial *t, fur_context *context, const char *kernel,
                         int64_t cols, int way, rng *r)
{
    fur_value_type value = t->d.value_type;
    fur_context *host = fur_context_host(context);
    made by = trial_make(t, context, kernel);
    made reference = trial_make(t, host, "reference");
    void *x_entries = entries_random(r, value, t->rows * cols);
    void *y_entries = entries_random(r, value, t->rows * cols);
    for (int64_t i = 0; trial_overwrites(t) && i < t->rows * cols; i++)
        entry_set(value, y_entries, i, fur_complex(NAN, NAN));
    placed_block x =
        block_place(context, value, t->rows, cols, way & 1 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS,
                    way & 4, x_entries);
    placed_block y =
        block_place(context, value, t->rows, cols, way & 2 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS,
                    way & 4, y_entries);
    ck_ok(context, fur_stencil_apply_block(by.s, t->alpha, x.block, t->beta, y.block));
    for (int64_t j = 0; j < cols; j++)
        expect_column(t, reference.s, host, cols, j, x_entries, y_entries);
    void *after = block_take_back(&x);
    void *found = block_take_back(&y);
    int64_t at = first_difference(value, t->rows * cols, found, y_entries);
    ck_assert_msg(at < 0,
                  "%s, %d points, %d axes, %lld x %lld x %lld, boundaries %d %d %d, %s, %lld "
                  "columns, way %d, isa %s, %d threads: (%lld, %lld)",
                  fur_value_name(value), t->d.points, t->d.axes, (long long)t->d.extent[0],
                  (long long)t->d.extent[1], (long long)t->d.extent[2], (int)t->d.boundary[0],
                  (int)t->d.boundary[1], (int)t->d.boundary[2], t->fields ? "fields" : "constants",
                  (long long)cols, way, fur_context_isa(context), fur_context_threads(context),
                  (long long)(at / (cols > 0 ? cols : 1)), (long long)(at % (cols > 0 ? cols : 1)));
    ck_assert(first_difference(value, t->rows * cols, after, x_entries) < 0);
    free(found);
    free(after);
    free(y_entries);
    free(x_entries);
    made_destroy(&reference);
    made_destroy(&by);
}

stencil_trial *stencil_block_draw(fur_value_type value, int boundaries, int points, int64_t most,
                                  rng *r)
{
    static const int64_t extents[] = {1, 2, 3, 5, 8, 17, 33, 70};
    stencil_trial *t = trial_open(value, boundaries);
    t->d.axes = 1 + (int)rng_below(r, 3);
    trial_draw_offsets(t, r, points, 1 + (int)rng_below(r, FUR_STENCIL_RADIUS));
    trial_draw_extents(t, r, extents, COUNT_OF(extents), most);
    t->fields = rng_below(r, 2);
    trial_draw_product(t, r);
    return t;
}
