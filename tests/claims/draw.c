/* Draws small problems of every structure and scale, right-hand sides and initial guesses. */
#include "trial.h"

#include "random.h"

#include <stdio.h>
#include <string.h>

void draw_start(uint64_t seed, uint64_t turn)
{
    random_state = seed ^ (turn + 1) * UINT64_C(0xd1342543de82ef95);
    random_bits();
}

double unit(void)
{
    return (double)(int64_t)random_bits() / 9223372036854775808.0;
}

int64_t below(int64_t limit)
{
    return (int64_t)(random_bits() % (uint64_t)limit);
}

double scale(double from, double to)
{
    return pow(10, from + (to - from) * (unit() + 1) / 2);
}

/* The entries of a matrix before it is scaled. */
typedef struct table {
    int rows;
    int cols;
    double re[MAX_DENSE][MAX_DENSE];
    double im[MAX_DENSE][MAX_DENSE];
} table;

static bool complex_values;

static void put(table *a, int i, int j, double re, double im)
{
    a->re[i][j] = re;
    a->im[i][j] = complex_values ? im : 0;
}

static void fill_dense(table *a)
{
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->cols; j++)
            put(a, i, j, unit(), unit());
}

static void fill_sparse(table *a)
{
    for (int i = 0; i < a->rows; i++) {
        for (int k = 0; k < 3; k++)
            put(a, i, (int)below(a->cols), unit(), unit());
        if (i < a->cols && below(8))
            put(a, i, i, 1 + unit(), unit());
    }
}

static void fill_diagonal(table *a)
{
    for (int i = 0; i < a->rows && i < a->cols; i++)
        put(a, i, i, below(12) ? unit() : 0, unit());
}

static void fill_triangle(table *a)
{
    for (int i = 0; i < a->rows; i++)
        for (int j = i; j < a->cols; j++)
            put(a, i, j, i == j ? 1 : unit(), unit());
}

/* Sets small integers of low rank. The matrix is exactly singular. */
static void fill_low_rank(table *a)
{
    int rank = 1 + (int)below(3);
    for (int k = 0; k < rank; k++) {
        double row[MAX_DENSE];
        for (int j = 0; j < a->cols; j++)
            row[j] = (double)below(5) - 2;
        for (int i = 0; i < a->rows; i++) {
            double factor = (double)below(5) - 2;
            for (int j = 0; j < a->cols; j++)
                a->re[i][j] += factor * row[j];
        }
    }
}

/* Sets A(i, j) = conj A(j, i) with a few entries in a row. The diagonal dominates, or has any
 * sign. */
static void fill_hermitian(table *a, bool positive)
{
    double sums[MAX_DENSE] = {0};
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < 3; k++) {
            int j = (int)below(a->rows);
            put(a, i, j, unit(), i == j ? 0 : unit());
            put(a, j, i, a->re[i][j], -a->im[i][j]);
        }
    double dominance = 1 + scale(-15, 0);
    for (int i = 0; i < a->rows; i++) {
        for (int j = 0; j < a->rows; j++)
            sums[i] += i == j ? 0 : hypot(a->re[i][j], a->im[i][j]);
        put(a, i, i, positive ? dominance * (sums[i] > 0 ? sums[i] : 1) : unit(), 0);
    }
}

static void fill_definite(table *a)
{
    fill_hermitian(a, true);
}

static void fill_indefinite(table *a)
{
    fill_hermitian(a, false);
}

/* Sets the Laplacian of a random weighted graph with paths, circles or several components. */
static void fill_laplacian(table *a)
{
    double spread = below(2) ? 0 : 6 * (unit() + 1);
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < 2; k++) {
            int j = k == 0 ? (i + 1) % a->rows : (int)below(a->rows);
            double weight = spread > 0 ? ldexp(1, (int)(spread * unit())) : 1;
            if (i == j || (k == 0 && below(10) == 0) || a->re[i][j] != 0)
                continue;
            put(a, i, j, -weight, 0);
            put(a, j, i, -weight, 0);
            a->re[i][i] += weight;
            a->re[j][j] += weight;
        }
}

/* Sets rows that differ little from the first row. */
static void fill_nearly_singular(table *a)
{
    double little = scale(-17, -3);
    fill_dense(a);
    for (int i = 1; i < a->rows; i++)
        for (int j = 0; j < a->cols; j++)
            put(a, i, j, a->re[0][j] + little * a->re[i][j], a->im[0][j] + little * a->im[i][j]);
}

typedef struct structure {
    const char *name;
    bool square;
    void (*fill)(table *a);
} structure;

static const structure structures[] = {
    {"dense", false, fill_dense},          {"sparse", false, fill_sparse},
    {"diagonal", false, fill_diagonal},    {"triangle", false, fill_triangle},
    {"low rank", false, fill_low_rank},    {"nearly singular", false, fill_nearly_singular},
    {"definite", true, fill_definite},     {"definite", true, fill_definite},
    {"indefinite", true, fill_indefinite}, {"laplacian", true, fill_laplacian},
};

/* Returns a power of two from about 10^-reach to 10^reach. */
static double power(double reach)
{
    return ldexp(1, (int)(reach * 3.32 * unit()));
}

/* Multiplies rows and columns by powers of two, by a random kind of scaling. Returns its name. */
static const char *scale_table(table *a, bool single)
{
    static const char *const names[] = {"unscaled",   "as a whole",    "in rows",
                                        "in columns", "symmetrically", "entry by entry"};
    double reach = below(2) ? (single ? 4 : 10) : (single ? 36 : 300);
    int64_t kind = below(2) ? 0 : below(6);
    double rows[MAX_DENSE];
    double cols[MAX_DENSE];
    double whole = kind == 1 ? power(reach) : 1;
    for (int i = 0; i < MAX_DENSE; i++) {
        double both = power(reach / 2);
        rows[i] = kind == 2 ? power(reach) : kind == 4 ? both : whole;
        cols[i] = kind == 3 ? power(reach) : kind == 4 ? both : 1;
    }
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->cols; j++) {
            double by = kind == 5 ? power(reach) : 1;
            a->re[i][j] = a->re[i][j] * rows[i] * cols[j] * by;
            a->im[i][j] = a->im[i][j] * rows[i] * cols[j] * by;
        }
    return names[kind];
}

static int draw_size(void)
{
    int64_t kind = below(20);
    return 1 + (int)below(kind < 10 ? 6 : kind < 18 ? 20 : MAX_DENSE);
}

static void draw_small(trial *t)
{
    static table a;
    memset(&a, 0, sizeof a);
    complex_values = is_complex(t->value);
    const structure *s = &structures[below((int64_t)(sizeof structures / sizeof *structures))];
    a.rows = draw_size();
    a.cols = s->square || below(3) ? a.rows : draw_size();
    s->fill(&a);
    const char *scaled = scale_table(&a, is_single(t->value));
    snprintf(t->kind, sizeof t->kind, "%s, scaled %s", s->name, scaled);
    t->rows = a.rows;
    t->cols = a.cols;
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++)
            if (a.re[i][j] != 0 || a.im[i][j] != 0)
                add_term(t, i, j, a.re[i][j], a.im[i][j]);
    make_matrix(t);
}

void draw_family(trial *t, const family *families, int count)
{
    const family *f = &families[below(count)];
    snprintf(t->kind, sizeof t->kind, "%s", f->name);
    f->draw(t);
    t->cols = t->rows;
    make_matrix(t);
}

/* Draws entries times `by`: random entries, ones, or a single 1 among zeros. */
static void draw_entries(const trial *t, int64_t n, double by, double *entries)
{
    int64_t shape = below(4);
    int64_t spike = below(n);
    for (int64_t i = 0; i < n; i++) {
        double re = shape < 2 ? unit() : shape == 2 ? 1 : (double)(i == spike);
        set_entry(t->value, entries, i, by * re, shape < 2 ? by * unit() : 0);
    }
}

void multiply_entries(const trial *t, const double *x, double *y)
{
    static number sum[MAX_ROWS];
    memset(sum, 0, sizeof sum);
    for (int64_t k = 0; k < t->count; k++) {
        term e = t->terms[k];
        number a = {(real)e.re, (real)e.im};
        sum[e.row] = add(sum[e.row], multiply(a, entry_number(t->value, x, e.col)));
    }
    for (int64_t i = 0; i < t->rows; i++)
        set_entry(t->value, y, i, (double)sum[i].re, (double)sum[i].im);
}

static double draw_scale(const trial *t)
{
    bool single = is_single(t->value);
    if (below(2))
        return 1;
    return below(2) ? scale(-8, 8) : single ? scale(-36, 36) : scale(-300, 300);
}

/* Draws the initial guess: 0, numbers of any scale, or a point near the solution if it is known. */
static void draw_guess(trial *t, const double *solution)
{
    int64_t kind = below(8);
    double off = scale(-16, 0);
    memset(t->guess, 0, sizeof t->guess);
    if (kind == 4)
        draw_entries(t, t->cols, 1, t->guess);
    else if (kind == 5)
        draw_entries(t, t->cols, draw_scale(t), t->guess);
    for (int64_t i = 0; kind > 5 && solution && i < t->cols; i++)
        set_entry(t->value, t->guess, i, entry_part(t->value, solution, i, 0) * (1 + off * unit()),
                  entry_part(t->value, solution, i, 1) * (1 + off * unit()));
}

bool draw_right_side(const trial *t, double by, double *b, double *x)
{
    int64_t kind = below(8);
    memset(b, 0, 2 * (size_t)t->rows * sizeof *b);
    if (kind < 4) {
        draw_entries(t, t->cols, by, x);
        multiply_entries(t, x, b);
    } else if (kind < 7 || below(4)) {
        draw_entries(t, t->rows, by, b);
    }
    return kind < 4;
}

/* Draws b, in the range of A or not, and an initial guess. Both have any scale. */
static void draw_vectors(trial *t)
{
    static double b[2 * MAX_ROWS];
    static double x[2 * MAX_ROWS];
    bool known = draw_right_side(t, draw_scale(t), b, x);
    draw_guess(t, known ? x : NULL);
    set_vectors(t, b);
}

void draw_random(trial *t)
{
    t->value = (fur_value_type)below(FUR_VALUE_COUNT);
    int64_t kind = below(20);
    if (kind == 0)
        draw_stencil(t);
    else if (kind == 1)
        draw_large(t);
    else
        draw_small(t);
    draw_vectors(t);
}
