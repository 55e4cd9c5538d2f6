#include "problems.h"

#include <math.h>
#include <string.h>

static fur_csr *assemble(fur_context *context, int64_t rows, int64_t entries, fur_value_type value,
                         fur_offset_type offset, int32_t *i, int32_t *j, void *values)
{
    fur_coo_view coo = {sizeof coo, rows, rows, entries, value, i, j, values};
    fur_csr *a;
    fur_csr *wide;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    ck_ok(context, fur_csr_convert(a, value, offset, &wide));
    fur_csr_destroy(a);
    free(i), free(j), free(values);
    return wide;
}

/* Returns the factor of a coupling between two points. Between two blocks, the larger factor
 * counts. */
static double factor_of(const grid *g, const int64_t *at, int axis)
{
    int64_t here = at[0] / 8 + at[1] / 8 + at[2] / 8;
    int64_t there = here - at[axis] / 8 + (at[axis] + 1) / 8;
    return g->jump > 0 && (here % 2 == 0 || there % 2 == 0) ? g->jump : 1;
}

fur_csr *grid_matrix(fur_context *context, const grid *g)
{
    int64_t n = g->extent[0] * g->extent[1] * g->extent[2];
    int64_t stride[3] = {1, g->extent[0], g->extent[0] * g->extent[1]};
    int32_t *i = malloc((size_t)n * 7 * sizeof *i);
    int32_t *j = malloc((size_t)n * 7 * sizeof *j);
    void *values = entries_make(g->value, n * 7);
    double *diagonal = calloc((size_t)n, sizeof *diagonal);
    int64_t count = 0;
    double size = sqrt(0.5);
    for (int64_t p = 0; p < n; p++) {
        int64_t at[3] = {p % g->extent[0], p / stride[1] % g->extent[1], p / stride[2]};
        for (int axis = 0; axis < 3; axis++) {
            bool edge = at[axis] + 1 == g->extent[axis];
            double c = g->coupling[axis] * (edge ? 1 : factor_of(g, at, axis));
            if (!g->neumann)
                diagonal[p] += (edge ? c : 0) + (at[axis] == 0 ? g->coupling[axis] : 0);
            if (edge || c == 0)
                continue;
            int32_t q = (int32_t)(p + stride[axis]);
            diagonal[p] += c;
            diagonal[q] += c;
            fur_scalar entry =
                value_is_complex(g->value) ? fur_complex(-c * size, -c * size) : fur_real(-c);
            i[count] = (int32_t)p, j[count] = q;
            entry_set(g->value, values, count++, entry);
            i[count] = q, j[count] = (int32_t)p;
            entry_set(g->value, values, count++, fur_complex(entry.re, -entry.im));
        }
    }
    for (int64_t p = 0; p < n; p++) {
        i[count] = j[count] = (int32_t)p;
        entry_set(g->value, values, count++, fur_real(diagonal[p]));
    }
    free(diagonal);
    return assemble(context, n, count, g->value, g->offset, i, j, values);
}

/* Computes the stiffness matrix of a unit square by Gauss's rule of 2 x 2 points. */
static void element(double nu, double k[8][8])
{
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const double d[3][3] = {{1, nu, 0}, {nu, 1, 0}, {0, 0, (1 - nu) / 2}};
    memset(k, 0, 64 * sizeof(double));
    for (int point = 0; point < 4; point++) {
        double b[3][8] = {{0}};
        double x = corner[point][0] / sqrt(3);
        double y = corner[point][1] / sqrt(3);
        for (int c = 0; c < 4; c++) {
            double dx = corner[c][0] * (1 + corner[c][1] * y) / 2;
            double dy = corner[c][1] * (1 + corner[c][0] * x) / 2;
            b[0][2 * c] = b[2][2 * c + 1] = dx;
            b[1][2 * c + 1] = b[2][2 * c] = dy;
        }
        for (int r = 0; r < 8; r++)
            for (int s = 0; s < 8; s++)
                for (int m = 0; m < 9; m++)
                    k[r][s] += b[m / 3][r] * d[m / 3][m % 3] * b[m % 3][s] / (1 - nu * nu) / 4;
    }
}

fur_csr *elastic_plate(fur_context *context, int64_t n, double nu, bool fixed, fur_vectors **points)
{
    double k[8][8];
    int64_t first = fixed ? 1 : 0; /* first column of points that has unknowns */
    int64_t wide = n + 1 - first;
    int32_t *i = malloc((size_t)(n * n) * 64 * sizeof *i);
    int32_t *j = malloc((size_t)(n * n) * 64 * sizeof *j);
    double *values = malloc((size_t)(n * n) * 64 * sizeof *values);
    double *place = malloc((size_t)(wide * (n + 1)) * 2 * sizeof *place);
    int64_t count = 0;
    element(nu, k);
    for (int64_t e = 0; e < n * n; e++) {
        int64_t x = e % n - first;
        int64_t y = e / n;
        int64_t corner[4] = {y * wide + x, y * wide + x + 1, (y + 1) * wide + x + 1,
                             (y + 1) * wide + x};
        for (int r = 0; r < 8; r++)
            for (int s = 0; s < 8; s++) {
                bool outside = x < 0 && ((r / 2) % 3 == 0 || (s / 2) % 3 == 0);
                if (outside)
                    continue;
                i[count] = (int32_t)(2 * corner[r / 2] + r % 2);
                j[count] = (int32_t)(2 * corner[s / 2] + s % 2);
                values[count++] = k[r][s];
            }
    }
    for (int64_t p = 0; p < wide * (n + 1); p++) {
        place[2 * p] = (double)(p % wide + first);
        place[2 * p + 1] = (double)(p / wide); /* NOLINT(bugprone-integer-division) */
    }
    ck_ok(context,
          fur_vectors_create(context, FUR_F64, wide * (n + 1), 2, FUR_LAYOUT_ROWS, points));
    ck_ok(context, fur_vectors_upload(place, *points));
    free(place);
    return assemble(context, 2 * wide * (n + 1), count, FUR_F64, FUR_I32, i, j, values);
}

int64_t iterations(fur_amg *amg, const fur_csr *a, const char *method, double rtol, bool consistent)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *v = fur_csr_get(a);
    fur_spmv *plan;
    fur_operator *op;
    fur_operator *m;
    fur_solver *solver;
    fur_vector *b;
    rng r = rng_stream(77);
    fur_vector *x = vector_random(context, &r, v->value_type, v->rows);
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &b));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    ck_ok(context, fur_operator_from_amg(amg, &m));
    fur_solver_options options = {.size = sizeof options,
                                  .method = method,
                                  .preconditioner = m,
                                  .rtol = rtol,
                                  .max_iterations = 300};
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    if (consistent)
        ck_ok(context, fur_operator_apply(op, x, b));
    ck_ok(context, fur_vector_fill(x, fur_real(0)));
    ck_ok(context, fur_solver_create(op, &options, &solver));
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_solver_solve(solver, b, x, &report));
    ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s after %d iterations, residual %g",
                  fur_outcome_name(report.outcome), (int)report.iterations, report.residual);
    fur_solver_destroy(solver);
    fur_operator_destroy(m), fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_vector_destroy(x), fur_vector_destroy(b);
    return report.iterations;
}
