/* Singular systems: A 1 = 0 on each component of a graph. The graphs are Neumann problems in one to
 * three dimensions, circles, stars, and random graphs in several components. They have weights.
 * Rows may have different scales, which makes A nonsymmetric.
 *
 * A = D L, with a weighted Laplacian L and a diagonal D of powers of two. A vector u of A^H u = 0
 * is D^-1 on a component. The products of such vectors with b give the least residual of any x. If
 * b is in the range, the system must be solved, by an x that is no larger than needed. Otherwise A
 * is symmetric, and the outcome must be a least-squares solution of the least residual. */
#include "trial.h"

#include "check_claims.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_X 100 /* times the norm of the x that made b */
#define TOO_MUCH ((real)1e-4)

static int32_t component[MAX_ROWS]; /* the least row of the component */
static double row_scale[MAX_ROWS];
static bool scaled; /* rows have different scales */
static double weight_spread;
static real least;  /* the least residual */
static real x_norm; /* norm of the x that made b */
static real b_norm;

static double weight(void)
{
    return weight_spread > 0 ? ldexp(1, (int)(weight_spread * unit())) : 1;
}

static int32_t root_of(int32_t i)
{
    while (component[i] != i)
        i = component[i];
    return i;
}

static void add_edge(trial *t, int64_t i, int64_t j)
{
    double k = weight();
    int32_t a = root_of((int32_t)i);
    int32_t b = root_of((int32_t)j);
    component[a > b ? a : b] = a < b ? a : b;
    add_term(t, i, i, k * row_scale[i], 0);
    add_term(t, j, j, k * row_scale[j], 0);
    add_term(t, i, j, -k * row_scale[i], 0);
    add_term(t, j, i, -k * row_scale[j], 0);
}

static void begin(trial *t, int64_t rows)
{
    scaled = below(4) == 0;
    t->rows = rows;
    weight_spread = below(2) ? 0 : (is_single(t->value) ? 2 : 6) * (unit() + 1);
    for (int32_t i = 0; i < rows; i++) {
        component[i] = i;
        row_scale[i] = scaled ? ldexp(1, (int)(4 * unit())) : 1;
    }
}

static void draw_grid(trial *t, int axes, bool periodic)
{
    bool single = is_single(t->value); /* single precision has no digits for more */
    int64_t most = axes == 1 ? (single ? 50 : 400) : axes == 2 ? 25 : 9;
    int64_t side[3] = {1, 1, 1};
    int64_t rows = 1;
    for (int axis = 0; axis < axes; axis++)
        rows *= side[axis] = 3 + below(axes == 1 && !single && below(8) == 0 ? 3000 : most);
    begin(t, rows);
    int64_t stride = 1;
    for (int axis = 0; axis < axes; stride *= side[axis], axis++)
        for (int64_t i = 0; i < rows; i++) {
            bool last = i / stride % side[axis] == side[axis] - 1;
            if (!last)
                add_edge(t, i, i + stride);
            else if (periodic)
                add_edge(t, i, i - (side[axis] - 1) * stride);
        }
}

static void draw_path(trial *t)
{
    draw_grid(t, 1, false);
}

static void draw_circle(trial *t)
{
    draw_grid(t, 1, true);
}

static void draw_square(trial *t)
{
    draw_grid(t, 2, below(3) == 0);
}

static void draw_cube(trial *t)
{
    draw_grid(t, 3, below(3) == 0);
}

static void draw_star(trial *t)
{
    begin(t, 2 + below(200));
    for (int64_t i = 1; i < t->rows; i++)
        add_edge(t, 0, i);
}

/* Draws several paths with chords, and sometimes rows without an entry. */
static void draw_components(trial *t)
{
    int64_t parts = 1 + below(5);
    begin(t, parts * (2 + below(60)));
    int64_t size = t->rows / parts;
    int64_t empty = below(3) == 0 ? size : 0;
    for (int64_t i = 0; i < t->rows - empty; i++) {
        int64_t first = i / size * size;
        if (i + 1 < first + size)
            add_edge(t, i, i + 1);
        if (i > first + 1)
            add_edge(t, i, first + below(i - first - 1));
    }
}

static const family families[] = {
    {"path", draw_path}, {"circle", draw_circle}, {"square", draw_square},
    {"cube", draw_cube}, {"star", draw_star},     {"components", draw_components},
};

/* Computes the least residual from the products of b with u = D^-1 on each component. */
static void find_least(const trial *t, const double *b)
{
    static number found[MAX_ROWS];
    static real length[MAX_ROWS];
    memset(found, 0, sizeof found);
    memset(length, 0, sizeof length);
    least = b_norm = 0;
    for (int32_t i = 0; i < t->rows; i++) {
        int32_t root = root_of(i);
        real u = 1 / (real)row_scale[i];
        found[root] = add(found[root], times(u, entry_number(t->value, b, i)));
        length[root] += u * u;
        b_norm += square(entry_number(t->value, b, i));
    }
    for (int64_t i = 0; i < t->rows; i++)
        least += length[i] > 0 ? square(found[i]) / length[i] : 0;
    least = square_root(least);
    b_norm = square_root(b_norm);
}

/* Draws b: A x for a random x, A x plus a random vector, or equal entries. */
static void draw_known(trial *t)
{
    static double x[2 * MAX_ROWS];
    static double b[2 * MAX_ROWS];
    double by = below(2) ? 1 : scale(-5, 5);
    int64_t kind = below(scaled ? 2 : 4);
    double outside = kind > 1 ? by * scale(-3, 0) : 0;
    for (int64_t i = 0; i < t->cols; i++)
        set_entry(t->value, x, i, kind < 3 ? by * unit() : 0, kind < 3 ? by * unit() : 0);
    multiply_entries(t, x, b);
    for (int64_t i = 0; i < t->rows && outside > 0; i++)
        set_entry(t->value, b, i, entry_part(t->value, b, i, 0) + outside * (kind < 3 ? unit() : 1),
                  entry_part(t->value, b, i, 1));
    x_norm = 0;
    for (int64_t i = 0; i < t->cols; i++)
        x_norm += square(entry_number(t->value, x, i));
    x_norm = square_root(x_norm);
    find_least(t, b);
    set_vectors(t, b);
}

void draw_singular(trial *t)
{
    t->value = (fur_value_type)below(FUR_VALUE_COUNT);
    draw_family(t, families, (int)(sizeof families / sizeof *families));
    draw_known(t);
}

static real norm_of_x(const trial *t)
{
    static double x[2 * MAX_ROWS];
    real sum = 0;
    must(t, fur_vector_download(t->x, x));
    for (int64_t i = 0; i < t->cols; i++)
        sum += square(entry_number(t->value, x, i));
    return square_root(sum);
}

void check_singular_system(trial *t)
{
    real target = (real)t->rtol * b_norm;
    bool solvable = least <= target / 2;
    bool converged = fur_outcome_solved(t->report.outcome);
    check_trial(t);
    if (t->status != FUR_OK)
        fail(t, "refused", 0, 0);
    real residual = (real)t->report.residual * (b_norm > 0 ? b_norm : 1);
    if (solvable && !converged)
        fail(t, "there is a solution, but not found", residual, target);
    if (!converged && t->report.outcome != FUR_OUTCOME_LEAST_SQUARES)
        fail(t, "no least-squares solution", residual, least);
    real outside = (real)t->report.outside * b_norm;
    if (outside > 0 && !(magnitude(outside - least) <= TOO_MUCH * least + target))
        fail(t, "the part of b outside the range is another", outside, least);
    if (!(residual <= least * (1 + TOO_MUCH) + target))
        fail(t, "the residual is not the least one", residual, least);
    if (solvable && !(norm_of_x(t) <= LARGEST_X * x_norm))
        fail(t, "x is too large", norm_of_x(t), x_norm);
}
