/* Regular systems with a condition from 1e6 to 1e15, which `auto` must solve: springs, contrasts of
 * coefficients, switches, saddle points, beams, penalties and mixed units.
 *
 * `auto` must claim a solution. Then x is compared with complete factors in quadruple precision. If
 * `auto` has scaled A, rows and columns of A are scaled here by powers of two to a largest entry
 * near 1. This makes A', b' and x'. The residual that the claim allows bounds the error,
 *
 *     ||x' - x'_exact|| <= ||A'^-1|| max(rtol ||b'||, 16 n epsilon (||A'|| ||x'|| + ||b'||)). */
#include "trial.h"

#include "check_claims.h"

#include <stdio.h>
#include <string.h>

#define MAX_FACTORED 100 /* rows of the largest systems with complete factors */
#define MAX_STIFF 200
#define SWEEPS 8 /* of scaling */
#define SLACK 16

/* Returns a number from 10^6 to 10^12, in single precision from 10 to 1000. */
static double contrast(const trial *t)
{
    return is_single(t->value) ? scale(1, 3) : scale(6, 12);
}

/* Adds a spring of stiffness k between i and j, or between i and the ground if j < 0. */
static void add_spring(trial *t, int64_t i, int64_t j, double k)
{
    add_term(t, i, i, k, 0);
    if (j < 0)
        return;
    add_term(t, j, j, k, 0);
    add_term(t, i, j, -k, 0);
    add_term(t, j, i, -k, 0);
}

/* Draws the number of rows. It is small in single precision, because the condition number grows
 * with its square. */
static int64_t draw_rows(const trial *t, int64_t least)
{
    return least + below(below(3) || is_single(t->value) ? 20 : MAX_STIFF - least);
}

/* Draws a chain of weak and stiff springs between two grounds. */
static void draw_chain(trial *t)
{
    double stiff = contrast(t);
    t->rows = draw_rows(t, 2);
    add_spring(t, 0, -1, 1);
    add_spring(t, t->rows - 1, -1, 1);
    for (int64_t i = 0; i + 1 < t->rows; i++)
        add_spring(t, i, i + 1, i % 2 == 0 || below(3) == 0 ? stiff : 1);
}

/* Draws diffusion on a square whose cells have the coefficient 1 or another one. The other
 * coefficient is on a chessboard, in an inner square, or in random cells. */
static void draw_diffusion(trial *t)
{
    double cells[16][16];
    double other = below(2) ? contrast(t) : 1 / contrast(t);
    int64_t side = 3 + below(12);
    int64_t kind = below(3);
    for (int64_t i = 0; i < 16; i++)
        for (int64_t j = 0; j < 16; j++) {
            bool inside = i > side / 3 && i <= 2 * side / 3 && j > side / 3 && j <= 2 * side / 3;
            bool is_other = kind == 0 ? (i + j) % 2 : kind == 1 ? inside : below(2);
            cells[i][j] = is_other ? other : 1;
        }
    t->rows = side * side;
    for (int64_t i = 0; i < side; i++)
        for (int64_t j = 0; j < side; j++) {
            double here = cells[i][j];
            add_spring(t, i * side + j, -1, (double)((i == 0) + (i == side - 1)) * 2 * here);
            if (i + 1 < side)
                add_spring(t, i * side + j, (i + 1) * side + j,
                           2 / (1 / here + 1 / cells[i + 1][j]));
            if (j + 1 < side)
                add_spring(t, i * side + j, i * side + j + 1, 2 / (1 / here + 1 / cells[i][j + 1]));
        }
}

/* Draws resistors in a line, some shorted by closed switches, and a source of voltage at the first
 * node. The last unknown is the current of the source. */
static void draw_circuit(trial *t)
{
    double closed = contrast(t);
    int64_t nodes = draw_rows(t, 3) - 1;
    t->rows = nodes + 1;
    for (int64_t i = 0; i < nodes; i++)
        add_spring(t, i, i + 1 < nodes ? i + 1 : -1, below(3) ? scale(-3, 0) : closed);
    add_term(t, 0, nodes, 1, 0);
    add_term(t, nodes, 0, below(2) ? 1 : -1, 0);
}

/* Draws [H B'; B -D]. The diagonals H and D have entries of all scales. B has two entries in a
 * row. */
static void draw_saddle(trial *t)
{
    double reach = is_single(t->value) ? 2 : 8;
    int64_t primal = draw_rows(t, 4) * 2 / 3;
    int64_t dual = primal / 2;
    t->rows = primal + dual;
    for (int64_t i = 0; i < primal; i++)
        add_term(t, i, i, scale(-reach, reach), 0);
    for (int64_t k = 0; k < dual; k++) {
        add_term(t, primal + k, primal + k, -scale(-reach, -reach / 2), 0);
        for (int64_t e = 0; e < 2; e++) {
            double entry = unit();
            add_term(t, primal + k, 2 * k + e, entry, 0);
            add_term(t, 2 * k + e, primal + k, entry, 0);
        }
    }
}

/* Draws fourth differences: a beam that is clamped at both ends. */
static void draw_beam(trial *t)
{
    static const double stencil[] = {6, -4, 1};
    t->rows = is_single(t->value) ? 10 + below(20) : below(3) ? draw_rows(t, 40) : 1000;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = i < 2 ? 0 : i - 2; j < i + 3 && j < t->rows; j++)
            add_term(t, i, j, stencil[j > i ? j - i : i - j], 0);
}

/* Draws Poisson's equation on a line. Some values are prescribed by a large number on the
 * diagonal. */
static void draw_penalty(trial *t)
{
    double large = is_single(t->value) ? 1e6 : scale(8, 20);
    bool symmetric = below(2);
    t->rows = draw_rows(t, 3);
    for (int64_t i = 0; i < t->rows; i++) {
        add_term(t, i, i, i == 0 || below(10) == 0 ? large : 2, 0);
        if (i + 1 < t->rows) {
            add_term(t, i, i + 1, symmetric ? -1 : -0.5, 0);
            add_term(t, i + 1, i, symmetric ? -1 : -1.5, 0);
        }
    }
}

/* Draws a diagonally dominant matrix whose unknowns and equations have different units. */
static void draw_units(trial *t)
{
    double rows[MAX_STIFF];
    double cols[MAX_STIFF];
    double reach = is_single(t->value) ? 4 : scale(0.5, 0.9);
    bool symmetric = below(2);
    t->rows = draw_rows(t, 2);
    for (int64_t i = 0; i < t->rows; i++) {
        cols[i] = ldexp(1, (int)(3.3 * reach * unit()));
        rows[i] = symmetric ? cols[i] : ldexp(1, (int)(3.3 * reach * unit()));
    }
    for (int64_t i = 0; i < t->rows; i++) {
        add_term(t, i, i, 4 * rows[i] * cols[i], 0);
        if (i + 1 < t->rows) {
            add_term(t, i, i + 1, -rows[i] * cols[i + 1], 0);
            add_term(t, i + 1, i, (symmetric ? -1 : -2) * rows[i + 1] * cols[i], 0);
        }
    }
}

/* Draws Hilbert's matrix. */
static void draw_hilbert(trial *t)
{
    t->rows = is_single(t->value) ? 4 : 5 + below(5);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->rows; j++)
            add_term(t, i, j, 1 / (double)(i + j + 1), 0);
}

/* Draws convection that is much stronger than diffusion, on a mesh that gets finer. */
static void draw_convection(trial *t)
{
    double peclet = contrast(t);
    double step = 1;
    t->rows = draw_rows(t, 3);
    double ratio = pow(scale(-3, 0), 1 / (double)t->rows);
    for (int64_t i = 0; i < t->rows; i++, step *= ratio) {
        double diffusion = 1 / (step * step);
        double wind = peclet / step;
        add_term(t, i, i, 2 * diffusion + wind, 0);
        if (i > 0)
            add_term(t, i, i - 1, -diffusion - wind, 0);
        if (i + 1 < t->rows)
            add_term(t, i, i + 1, -diffusion, 0);
    }
}

static const family families[] = {
    {"chain", draw_chain},   {"diffusion", draw_diffusion}, {"circuit", draw_circuit},
    {"saddle", draw_saddle}, {"beam", draw_beam},           {"penalty", draw_penalty},
    {"units", draw_units},   {"hilbert", draw_hilbert},     {"convection", draw_convection},
};

void draw_stiff(trial *t)
{
    static double b[2 * MAX_ROWS];
    static double x[2 * MAX_ROWS];
    t->value = (fur_value_type)below(FUR_VALUE_COUNT);
    draw_family(t, families, (int)(sizeof families / sizeof *families));
    draw_right_side(t, scale(-5, 5), b, x);
    set_vectors(t, b);
}

/* --- the exact solution ----------------------------------------------------------------------- */

/* Returns the power of two that scales `largest` to a number from 1 to 2, or 1 if `largest` is
 * 0. */
static double balance(double largest)
{
    return largest > 0 ? ldexp(1, -ilogb(largest)) : 1;
}

/* Finds scales for which the largest entry of every row and column is near 1. The scales must be 1
 * on entry. */
static void find_scales(const trial *t, double *rows, double *cols)
{
    static double largest[2][MAX_ROWS];
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        memset(largest, 0, sizeof largest);
        for (int64_t k = 0; k < t->count; k++) {
            term e = t->terms[k];
            double size = hypot(e.re, e.im) * rows[e.row] * cols[e.col];
            double *of = &largest[sweep % 2][sweep % 2 ? e.col : e.row];
            *of = fmax(*of, size);
        }
        for (int64_t i = 0; i < t->rows; i++)
            *(sweep % 2 ? &cols[i] : &rows[i]) *= balance(largest[sweep % 2][i]);
    }
}

static void check_solution(const trial *t)
{
    static double rows[MAX_ROWS];
    static double cols[MAX_ROWS];
    static double b[2 * MAX_ROWS];
    static double x[2 * MAX_ROWS];
    int n = (int)t->rows;
    exact a = exact_make(n, n);
    exact right = exact_make(n, 1);
    exact found = exact_make(n, 1);
    for (int64_t i = 0; i < t->rows; i++)
        rows[i] = cols[i] = 1;
    if (t->report.scale && strcmp(t->report.scale, "none") != 0)
        find_scales(t, rows, cols);
    must(t, fur_vector_download(t->b, b));
    must(t, fur_vector_download(t->x, x));
    for (int64_t k = 0; k < t->count; k++) {
        term e = t->terms[k];
        real by = (real)rows[e.row] * (real)cols[e.col];
        a.at[e.row * n + e.col] = times(by, (number){(real)e.re, (real)e.im});
    }
    for (int i = 0; i < n; i++) {
        right.at[i] = times((real)rows[i], entry_number(t->value, b, i));
        found.at[i] = times(1 / (real)cols[i], entry_number(t->value, x, i));
    }
    real epsilon = is_single(t->value) ? (real)FLT_EPSILON : (real)DBL_EPSILON;
    real residual =
        larger((real)t->rtol * exact_norm(&right),
               SLACK * n * epsilon * (exact_norm(&a) * exact_norm(&found) + exact_norm(&right)));
    real allowed = residual / exact_least(&a);
    exact_solve(&a, &right);
    for (int i = 0; i < n; i++)
        found.at[i] = subtract(found.at[i], right.at[i]);
    real error = exact_norm(&found);
    if (!(error <= allowed))
        fail(t, "x is not the solution", error / exact_norm(&right), allowed / exact_norm(&right));
    exact_release(&found);
    exact_release(&right);
    exact_release(&a);
}

void check_stiff(trial *t)
{
    check_trial(t);
    if (t->status != FUR_OK)
        fail(t, "refused", 0, 0);
    if (!fur_outcome_solved(t->report.outcome))
        fail(t, "not solved", (real)t->report.residual, (real)t->rtol);
    if (t->rows <= MAX_FACTORED)
        check_solution(t);
}
