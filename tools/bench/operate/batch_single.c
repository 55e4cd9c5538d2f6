/* The single systems with which a batch is compared. */
#include "batch_single.h"

#include <math.h>
#include <stdlib.h>

/* Returns a random number in [0, 1). */
static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static void set_pattern(batch_systems *s, int64_t far)
{
    const int64_t shifts[] = {-far, -1, 0, 1, far};
    int32_t next = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        s->offsets[i] = next;
        for (int d = far > 0 ? 0 : 1; d < (far > 0 ? 5 : 4); d++)
            if (i + shifts[d] >= 0 && i + shifts[d] < s->rows)
                s->columns[next++] = (int32_t)(i + shifts[d]);
    }
    s->offsets[s->rows] = next;
    s->entries = next;
}

/* Sets the values of a system. Entries off the diagonal are in (-1, 0] and symmetric. The diagonal
 * exceeds the sum of their moduli by 0.05, so that cg takes some tens of iterations. */
static void set_values(const batch_systems *s, int64_t system, double *values)
{
    for (int64_t i = 0; i < s->rows; i++) {
        double sum = 0.05;
        int64_t diagonal = 0;
        for (int32_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
            int64_t j = s->columns[k];
            uint64_t low = (uint64_t)(i < j ? i : j);
            uint64_t state = (low * 1000003 + (uint64_t)(i + j)) * 1000003 + (uint64_t)system;
            draw(&state);
            values[k] = -draw(&state);
            if (i == j)
                diagonal = k;
            else
                sum -= values[k];
        }
        values[diagonal] = sum;
    }
}

fur_status batch_systems_make(fur_context *context, int64_t rows, int64_t count, int64_t far,
                              batch_systems *out)
{
    batch_systems *s = out;
    uint64_t state = 1;
    s->rows = rows;
    s->count = count;
    s->offsets = calloc((size_t)rows + 1, sizeof *s->offsets);
    s->columns = calloc((size_t)rows * 5, sizeof *s->columns);
    s->values = calloc((size_t)(rows * 5 * count), sizeof *s->values);
    s->b = calloc((size_t)(rows * count), sizeof *s->b);
    s->x = calloc((size_t)(rows * count), sizeof *s->x);
    s->work = calloc((size_t)rows * 3, sizeof *s->work);
    if (!s->offsets || !s->columns || !s->values || !s->b || !s->x || !s->work)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "out of memory for %lld systems",
                                (long long)count);
    set_pattern(s, far);
    for (int64_t i = 0; i < count; i++)
        set_values(s, i, s->values + i * s->entries);
    for (int64_t i = 0; i < rows * count; i++)
        s->b[i] = 2 * draw(&state) - 1;
    return FUR_OK;
}

void batch_systems_release(batch_systems *s)
{
    free(s->work);
    free(s->x);
    free(s->b);
    free(s->values);
    free(s->columns);
    free(s->offsets);
}

static fur_status make_matrix(fur_context *context, const batch_systems *s, int64_t system,
                              fur_csr **out)
{
    fur_csr_view view = {.size = sizeof view,
                         .rows = s->rows,
                         .cols = s->rows,
                         .entries = s->entries,
                         .value_type = FUR_F64,
                         .offset_type = FUR_I32,
                         .offsets = s->offsets,
                         .columns = s->columns,
                         .values = s->values + system * s->entries};
    return fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, out);
}

fur_status batch_pattern(fur_context *context, const batch_systems *s, fur_csr **out)
{
    return make_matrix(context, s, 0, out);
}

/* Makes a block of one column. */
static fur_status make_column(fur_context *context, int64_t rows, const double *entries,
                              fur_vectors **out)
{
    fur_vectors_view view = {.size = sizeof view,
                             .rows = rows,
                             .cols = 1,
                             .value_type = FUR_F64,
                             .layout = FUR_LAYOUT_ROWS,
                             .data = (void *)(uintptr_t)entries};
    return fur_vectors_wrap(context, &view, FUR_OWNERSHIP_COPY, out);
}

static fur_status make_band(fur_context *context, const batch_systems *s, int64_t system,
                            batch_single *one)
{
    const double *b = s->b + system * s->rows;
    fur_batch_solver_options options = {.size = sizeof options, .method = "band"};
    FUR_TRY(make_column(context, s->entries, s->values + system * s->entries, &one->values));
    FUR_TRY(make_column(context, s->rows, b, &one->b_block));
    FUR_TRY(make_column(context, s->rows, b, &one->x_block));
    FUR_TRY(fur_batch_create(one->a, one->values, &one->batch));
    return fur_batch_solver_create(one->batch, &options, &one->elimination);
}

static fur_status make_cg(batch_single *one)
{
    fur_solver_options options = {.size = sizeof options, .no_reduction = 1};
    FUR_TRY(fur_operator_from_spmv(one->plan, &one->op));
    FUR_TRY(fur_operator_jacobi(one->op, &one->jacobi));
    options.preconditioner = one->jacobi;
    return fur_solver_create(one->op, &options, &one->solver);
}

static fur_status make_single(fur_context *context, const batch_systems *s, const char *method,
                              int64_t system, batch_single *one)
{
    fur_spmv_options options = {.size = sizeof options, .uses = 1000};
    double *b = s->b + system * s->rows;
    FUR_TRY(make_matrix(context, s, system, &one->a));
    if (method && method[0] == 'b')
        return make_band(context, s, system, one);
    FUR_TRY(fur_spmv_plan(one->a, &options, &one->plan));
    FUR_TRY(fur_vector_wrap(context, FUR_F64, s->rows, b, FUR_OWNERSHIP_COPY, &one->b));
    FUR_TRY(fur_vector_create(context, FUR_F64, s->rows, &one->x));
    return method ? make_cg(one) : FUR_OK;
}

fur_status batch_singles_make(fur_context *context, const batch_systems *s, const char *method,
                              batch_singles *out)
{
    out->each = calloc((size_t)s->count, sizeof *out->each);
    if (!out->each)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "out of memory for %lld systems",
                                (long long)s->count);
    out->count = s->count;
    out->systems = s;
    for (int64_t i = 0; i < s->count; i++)
        FUR_TRY(make_single(context, s, method, i, &out->each[i]));
    return FUR_OK;
}

static void release_single(batch_single *one)
{
    fur_batch_solver_destroy(one->elimination);
    fur_batch_destroy(one->batch);
    fur_vectors_destroy(one->x_block);
    fur_vectors_destroy(one->b_block);
    fur_vectors_destroy(one->values);
    fur_vector_destroy(one->x);
    fur_vector_destroy(one->b);
    fur_solver_destroy(one->solver);
    fur_operator_destroy(one->jacobi);
    fur_operator_destroy(one->op);
    fur_spmv_destroy(one->plan);
    fur_csr_destroy(one->a);
}

void batch_singles_release(batch_singles *s)
{
    for (int64_t i = 0; i < s->count; i++)
        release_single(&s->each[i]);
    free(s->each);
}

fur_status batch_single_multiply(void *self)
{
    const batch_singles *s = self;
    for (int64_t i = 0; i < s->count; i++) {
        const batch_single *one = &s->each[i];
        FUR_TRY(fur_spmv_apply(one->plan, fur_real(1), one->b, fur_real(0), one->x));
    }
    return FUR_OK;
}

fur_status batch_single_cg(void *self)
{
    const batch_singles *s = self;
    for (int64_t i = 0; i < s->count; i++) {
        const batch_single *one = &s->each[i];
        FUR_TRY(fur_vector_fill(one->x, fur_real(0)));
        FUR_TRY(fur_solver_solve(one->solver, one->b, one->x, NULL));
    }
    return FUR_OK;
}

fur_status batch_single_band(void *self)
{
    const batch_singles *s = self;
    for (int64_t i = 0; i < s->count; i++) {
        const batch_single *one = &s->each[i];
        FUR_TRY(fur_batch_solve(one->elimination, one->b_block, one->x_block, NULL, NULL));
    }
    return FUR_OK;
}

static fur_status take_values(const batch_singles *s, int64_t system)
{
    const double *values = s->systems->values + system * s->systems->entries;
    return fur_csr_set_values(s->each[0].a, values, FUR_OWNERSHIP_COPY);
}

fur_status batch_reused_multiply(void *self)
{
    const batch_singles *s = self;
    for (int64_t i = 0; i < s->count; i++) {
        FUR_TRY(take_values(s, i));
        FUR_TRY(
            fur_spmv_apply(s->each[0].plan, fur_real(1), s->each[i].b, fur_real(0), s->each[i].x));
    }
    return take_values(s, 0);
}

fur_status batch_reused_cg(void *self)
{
    const batch_singles *s = self;
    for (int64_t i = 0; i < s->count; i++) {
        FUR_TRY(take_values(s, i));
        FUR_TRY(fur_vector_fill(s->each[i].x, fur_real(0)));
        FUR_TRY(fur_solver_solve(s->each[0].solver, s->each[i].b, s->each[i].x, NULL));
    }
    return take_values(s, 0);
}

fur_status batch_single_result(const batch_singles *singles, int64_t s, double *x)
{
    const batch_single *one = &singles->each[s];
    return one->x_block ? fur_vectors_download(one->x_block, x) : fur_vector_download(one->x, x);
}

/* Solves one system. d, e and f are the diagonal of U and the two diagonals above it. */
static void solve_plainly(int64_t n, const double *values, const double *b, double *d, double *e,
                          double *f, double *x)
{
    double pivot = values[0];
    double beside = values[1];
    double right = b[0];
    for (int64_t i = 0; i < n - 1; i++) {
        const double *row = values + 3 * i + 2; /* of row i + 1 */
        double third = i + 2 < n ? row[2] : 0;
        if (fabs(row[0]) <= fabs(pivot)) {
            double factor = row[0] / pivot;
            d[i] = pivot;
            e[i] = beside;
            f[i] = 0;
            x[i] = right;
            pivot = row[1] - factor * beside;
            beside = third;
            right = b[i + 1] - factor * right;
        } else {
            double factor = pivot / row[0];
            d[i] = row[0];
            e[i] = row[1];
            f[i] = third;
            x[i] = b[i + 1];
            pivot = beside - factor * row[1];
            beside = -factor * third;
            right -= factor * b[i + 1];
        }
    }
    x[n - 1] = right / pivot;
    for (int64_t i = n - 2; i >= 0; i--) {
        double sum = x[i] - e[i] * x[i + 1];
        x[i] = (i + 2 < n ? sum - f[i] * x[i + 2] : sum) / d[i];
    }
}

fur_status batch_plain_band(void *self)
{
    const batch_systems *s = self;
    double *d = s->work;
    for (int64_t i = 0; i < s->count; i++)
        solve_plainly(s->rows, s->values + i * s->entries, s->b + i * s->rows, d, d + s->rows,
                      d + 2 * s->rows, s->x + i * s->rows);
    return FUR_OK;
}
