/* Draws larger problems: stencils, some with multigrid, and sparse matrices of up to 4000 rows. */
#include "trial.h"

#include <stdio.h>
#include <string.h>

/* Returns the point that index i of n points stands for at this boundary, or -1 if there is
 * none. */
static int64_t across(fur_boundary boundary, int64_t n, int64_t i)
{
    if (i >= 0 && i < n)
        return i;
    if (boundary == FUR_BOUNDARY_DIRICHLET)
        return -1;
    if (boundary == FUR_BOUNDARY_PERIODIC)
        return (i % n + n) % n;
    int64_t at = (i % (2 * n) + 2 * n) % (2 * n);
    return at < n ? at : 2 * n - 1 - at;
}

static void add_stencil_row(trial *t, const fur_stencil_definition *d, int64_t row)
{
    int64_t at[3] = {row % d->extent[0], row / d->extent[0] % d->extent[1],
                     row / d->extent[0] / d->extent[1]};
    for (int k = 0; k < d->points; k++) {
        const int32_t o[3] = {d->offsets[k].x, d->offsets[k].y, d->offsets[k].z};
        int64_t to[3];
        bool inside = true;
        for (int axis = 0; axis < 3; axis++) {
            to[axis] = across(d->boundary[axis], d->extent[axis], at[axis] + o[axis]);
            inside = inside && to[axis] >= 0;
        }
        if (inside)
            add_term(t, row, to[0] + d->extent[0] * (to[1] + d->extent[1] * to[2]),
                     round_to(t->value, d->coefficients[k].re), 0);
    }
}

/* Draws springs of all strengths. The centre is the sum of the springs, nearly or exactly. */
static void draw_springs(trial *t, const fur_stencil_definition *d, fur_scalar *c)
{
    double epsilon = is_single(t->value) ? FLT_EPSILON : DBL_EPSILON;
    double k[3];
    double sum = 0;
    int centre = 0;
    for (int axis = 0; axis < 3; axis++)
        k[axis] = round_to(t->value, below(3) ? scale(-1, 0) : scale(-9, 0));
    for (int n = 0; n < d->points; n++) {
        fur_stencil_offset o = d->offsets[n];
        int axis = o.x ? 0 : o.y ? 1 : 2;
        bool is_centre = !o.x && !o.y && !o.z;
        c[n] = fur_real(-k[axis]);
        sum += is_centre ? 0 : k[axis];
        centre = is_centre ? n : centre;
    }
    double more = below(2) ? (double)(below(19) - 9) * epsilon : below(2) ? scale(-12, 0) : 0;
    c[centre] = fur_real(sum * (1 + more));
}

/* Draws a named stencil, or springs of its shape. */
void draw_stencil(trial *t)
{
    static const int points[] = {3, 5, 7, 9, 13, 19, 27};
    fur_stencil_definition d = {.size = sizeof d, .value_type = t->value};
    fur_scalar c[MAX_POINTS];
    bool springs = below(3) > 0;
    fur_stencil_named(points[below(springs ? 3 : 7)], &d);
    t->rows = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t most = d.axes == 1 ? MAX_ROWS : d.axes == 2 ? 60 : 15;
        d.extent[axis] = axis < d.axes ? 1 + below(below(4) ? most : 3) : 1;
        d.boundary[axis] = (fur_boundary)(below(2) ? FUR_BOUNDARY_DIRICHLET : below(3));
        t->rows *= d.extent[axis];
    }
    double by = below(2) ? 1 : scale(-10, 10);
    for (int k = 0; k < d.points; k++)
        c[k] = d.coefficients[k];
    if (springs)
        draw_springs(t, &d, c);
    for (int k = 0; k < d.points; k++)
        c[k].re *= by;
    d.coefficients = c;
    t->cols = t->rows;
    t->most = d.points;
    snprintf(t->kind, sizeof t->kind, "stencil of %d points", d.points);
    must(t, fur_stencil_create(t->context, &d, &t->stencil));
    for (int64_t row = 0; row < t->rows; row++)
        add_stencil_row(t, &d, row);
    must(t, fur_operator_from_stencil(t->stencil, &t->a));
    if (fur_multigrid_create(t->stencil, NULL, &t->multigrid) != FUR_OK)
        t->multigrid = NULL;
}

/* Draws up to three entries below the diagonal and their mirror images, each position once. Some
 * are in the first rows, which become long. The matrix may be diagonally dominant, Hermitian or
 * nearly Hermitian, and its rows may have different scales. */
static void draw_entries(trial *t)
{
    static double size[MAX_ROWS];
    static double sums[MAX_ROWS];
    double dominance = below(4) ? 1 + scale(-10, 1) : scale(-1, 0);
    double skew = below(3) ? 0 : scale(-6, 0.5);
    double spread = below(3) ? 0 : 3 * (unit() + 1);
    memset(sums, 0, sizeof sums);
    for (int64_t i = 0; i < t->rows; i++) {
        size[i] = scale(-spread, spread);
        const int64_t drawn[3] = {i - 1, below(i < 5 ? i + 1 : 5), below(i + 1)};
        for (int e = 0; e < 3; e++) {
            int64_t j = drawn[e];
            if (j < 0 || j == i || (e > 0 && j == drawn[0]) || (e > 1 && j == drawn[1]))
                continue;
            double re = unit();
            double im = is_complex(t->value) ? unit() : 0;
            double weight = size[i] * size[j];
            add_term(t, i, j, re * weight, im * weight);
            add_term(t, j, i, re * (1 + skew) * weight, -im * weight);
            sums[i] += hypot(re, im) * size[j];
            sums[j] += hypot(re, im) * size[i];
        }
    }
    for (int64_t i = 0; i < t->rows; i++)
        add_term(t, i, i, dominance * (sums[i] > 0 ? sums[i] : 1) * size[i], 0);
}

void draw_large(trial *t)
{
    t->rows = t->cols = 1 + below(below(4) ? 400 : MAX_ROWS);
    snprintf(t->kind, sizeof t->kind, "sparse");
    draw_entries(t);
    make_matrix(t);
}
