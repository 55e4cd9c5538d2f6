/* Checks what solves say about themselves, in higher precision, on random problems.
 *
 *     check_converged SECONDS [SEED [DEVICE]]
 *
 * Operators are stencils, matrices and functions of a user's, symmetric and not, of every value
 * type, with entries and right sides of all scales; methods are all those for square matrices,
 * suitable or not, with every preconditioner, and multigrid. A solve that says
 * FUR_OUTCOME_CONVERGED must have
 * ||b - A x|| <= max(rtol ||b||, atol), and every one the residual that it reports, in long double,
 * but for what computing b - A x in the value type rounds:
 *
 *     |fl(b - A x) - (b - A x)| <= u (m + 2) (|A||x| + |b|)  for m terms, u half the epsilon,
 *
 * with complex numbers four times that, and some tiny numbers where products underflow. In half of
 * the solves the bound of the residual is asked for, too, and must hold. Exit status
 * 1 at the first that is wrong; SEED and the trial's number repeat it. */
#include <furrow/author/operator.h>
#include <furrow/furrow.h>

#include "random.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MOST_POINTS 27
#define MOST_ROWS 4000

/* A term of a row. */
typedef struct term {
    int32_t row;
    int32_t col;
    double re;
    double im;
} term;

/* One problem: what the library sees, and A once more as terms, in no order. */
typedef struct trial {
    fur_context *context;
    const char *kind;
    char solve[128]; /* how it is solved, in words */
    fur_value_type value;
    int64_t n;
    int64_t count;
    int most; /* terms of a row */
    term terms[MOST_ROWS * MOST_POINTS];
    fur_stencil *stencil;
    fur_multigrid *multigrid; /* NULL unless the stencil has one */
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *a;
    fur_operator *m;
    fur_vector *b;
    fur_vector *x;
    double rtol;
    double atol;
} trial;

static long long counts[FUR_OUTCOME_DIVERGED + 1];
static long long refused;

static void fail(const trial *t, const char *what, double is, double allowed)
{
    printf("%s of %lld rows, %s, %s: %s: %.9e, allowed %.9e\n", t->kind, (long long)t->n,
           fur_value_name(t->value), t->solve, what, is, allowed);
    exit(EXIT_FAILURE);
}

static void must(const trial *t, fur_status status)
{
    if (status == FUR_OK)
        return;
    printf("%s, %s: %s\n", t->kind, fur_status_name(status), fur_context_error(t->context));
    exit(EXIT_FAILURE);
}

static bool is_single(fur_value_type value)
{
    return value == FUR_F32 || value == FUR_C64;
}

static bool is_complex(fur_value_type value)
{
    return value == FUR_C64 || value == FUR_C128;
}

/* GCC 12 vectorises two conversions to float and back to none at all, unless the float is seen. */
static double round_to(fur_value_type value, double a)
{
    volatile float rounded = is_single(value) ? (float)a : 0;
    return is_single(value) ? (double)rounded : a;
}

/* Numbers of an entry as the library has them. */
static void set_entry(fur_value_type value, void *array, int64_t i, double re, double im)
{
    int64_t step = is_complex(value) ? 2 : 1;
    for (int part = 0; part < step; part++) {
        double a = part ? im : re;
        if (is_single(value))
            ((float *)array)[step * i + part] = (float)a;
        else
            ((double *)array)[step * i + part] = a;
    }
}

static double entry_part(fur_value_type value, const void *array, int64_t i, int part)
{
    int64_t at = is_complex(value) ? 2 * i + part : i;
    if (part && !is_complex(value))
        return 0;
    return is_single(value) ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

/* In (-1, 1). */
static double unit(void)
{
    return (double)(int64_t)random_bits() / 9223372036854775808.0;
}

static int64_t below(int64_t limit)
{
    return (int64_t)(random_bits() % (uint64_t)limit);
}

/* 10^from to 10^to */
static double scale(double from, double to)
{
    return pow(10, from + (to - from) * (unit() + 1) / 2);
}

/* --- operators -------------------------------------------------------------------------------- */

static void add_term(trial *t, int64_t row, int64_t col, double re, double im)
{
    t->terms[t->count++] =
        (term){(int32_t)row, (int32_t)col, round_to(t->value, re), round_to(t->value, im)};
}

/* The point that i of n stands for; -1: none. */
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
                     d->coefficients[k].re, d->coefficients[k].im);
    }
}

/* Springs of all strengths, of which the centre is the sum, nearly or exactly. */
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

/* A named stencil, or springs of its shape. */
static void draw_stencil(trial *t)
{
    static const int points[] = {3, 5, 7, 9, 13, 19, 27};
    fur_stencil_definition d = {.size = sizeof d, .value_type = t->value};
    fur_scalar c[MOST_POINTS];
    bool springs = below(3) > 0;
    fur_stencil_named(points[below(springs ? 3 : 7)], &d);
    t->n = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t most = d.axes == 1 ? MOST_ROWS : d.axes == 2 ? 60 : 15;
        d.extent[axis] = axis < d.axes ? 1 + below(below(4) ? most : 3) : 1;
        d.boundary[axis] = (fur_boundary)(below(2) ? FUR_BOUNDARY_DIRICHLET : below(3));
        t->n *= d.extent[axis];
    }
    double by = below(2) ? 1 : scale(-10, 10);
    for (int k = 0; k < d.points; k++)
        c[k] = d.coefficients[k];
    if (springs)
        draw_springs(t, &d, c);
    for (int k = 0; k < d.points; k++)
        c[k].re *= by;
    d.coefficients = c;
    t->kind = "stencil";
    t->most = d.points;
    must(t, fur_stencil_create(t->context, &d, &t->stencil));
    for (int64_t row = 0; row < t->n; row++)
        add_stencil_row(t, &d, row);
    must(t, fur_operator_from_stencil(t->stencil, &t->a));
    if (fur_multigrid_create(t->stencil, NULL, &t->multigrid) != FUR_OK)
        refused++;
}

/* Up to three entries below the diagonal and their mirror images, some in the first rows, which get
 * long; each position once. Diagonally dominant or not, Hermitian or not quite, with rows of their
 * own scales or not. */
static void draw_entries(trial *t)
{
    static double size[MOST_ROWS];
    static double sums[MOST_ROWS];
    double dominance = below(4) ? 1 + scale(-10, 1) : scale(-1, 0);
    double skew = below(3) ? 0 : scale(-6, 0.5);
    double spread = below(3) ? 0 : 3 * (unit() + 1);
    memset(sums, 0, sizeof sums);
    for (int64_t i = 0; i < t->n; i++) {
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
    for (int64_t i = 0; i < t->n; i++)
        add_term(t, i, i, dominance * (sums[i] > 0 ? sums[i] : 1) * size[i], 0);
}

static int longest_row(const trial *t)
{
    static int length[MOST_ROWS];
    int most = 0;
    memset(length, 0, sizeof length);
    for (int64_t k = 0; k < t->count; k++)
        most = ++length[t->terms[k].row] > most ? length[t->terms[k].row] : most;
    return most;
}

static fur_status apply_plan(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_spmv_apply(user, fur_real(1), x, fur_real(0), y);
}

static void draw_matrix(trial *t)
{
    static int32_t rows[MOST_ROWS * MOST_POINTS];
    static int32_t cols[MOST_ROWS * MOST_POINTS];
    static double values[2 * MOST_ROWS * MOST_POINTS];
    t->n = 1 + below(below(4) ? 400 : MOST_ROWS);
    draw_entries(t);
    t->most = longest_row(t);
    for (int64_t k = 0; k < t->count; k++) {
        rows[k] = t->terms[k].row;
        cols[k] = t->terms[k].col;
        set_entry(t->value, values, k, t->terms[k].re, t->terms[k].im);
    }
    fur_coo_view coo = {sizeof coo, t->n, t->n, t->count, t->value, rows, cols, values};
    must(t, fur_csr_from_coo(t->context, &coo, FUR_DUPLICATES_ERROR, &t->matrix));
    must(t, fur_spmv_plan(t->matrix, NULL, &t->plan));
    t->kind = below(3) ? "matrix" : "function";
    fur_operator_definition d = {.size = sizeof d,
                                 .rows = t->n,
                                 .cols = t->n,
                                 .value_type = t->value,
                                 .user = t->plan,
                                 .apply = apply_plan};
    must(t, t->kind[0] == 'm' ? fur_operator_from_spmv(t->plan, &t->a)
                              : fur_operator_create(t->context, &d, &t->a));
}

/* --- solves ----------------------------------------------------------------------------------- */

static fur_vector *draw_vector(trial *t, double by)
{
    static double entries[2 * MOST_ROWS];
    fur_vector *v = NULL;
    int64_t shape = below(3);
    int64_t spike = below(t->n);
    for (int64_t i = 0; i < t->n; i++) {
        double re = shape == 0 ? unit() : shape == 1 ? 1 : (double)(i == spike);
        set_entry(t->value, entries, i, by * re, by * (shape == 0 ? unit() : 0));
    }
    must(t, fur_vector_create(t->context, t->value, t->n, &v));
    must(t, fur_vector_upload(entries, v));
    return v;
}

/* A preconditioner, if there is one of the kind. */
static const char *draw_preconditioner(trial *t)
{
    int64_t kind = below(3);
    if (kind == 1 && fur_operator_jacobi(t->a, &t->m) == FUR_OK)
        return "jacobi";
    if (kind == 2 && t->multigrid) {
        must(t, fur_operator_from_multigrid(t->multigrid, &t->m));
        return "multigrid";
    }
    return "nothing";
}

/* The default in half of the trials. */
static const char *draw_method(void)
{
    static const char *const methods[] = {"bicgstab", "minres", "gmres", "fgmres", "idrs"};
    int64_t count = (int64_t)(sizeof methods / sizeof *methods);
    return below(2) ? "cg" : methods[below(count)];
}

static fur_solver_report solve(trial *t)
{
    fur_solver_report report = {.size = sizeof report, .outcome = FUR_OUTCOME_UNSOLVED};
    fur_solver *solver = NULL;
    if (t->multigrid && below(2)) {
        snprintf(t->solve, sizeof t->solve, "multigrid to %g", t->rtol);
        t->atol = 0;
        must(t, fur_multigrid_solve(t->multigrid, t->b, t->x, t->rtol, 0, &report));
        return report;
    }
    const char *with = draw_preconditioner(t);
    const char *method = draw_method();
    int restart = below(2) ? 0 : 1 + (int)below(20);
    snprintf(t->solve, sizeof t->solve, "%s (%d) with %s to %g or %g", method, restart, with,
             t->rtol, t->atol);
    fur_solver_options options = {.size = sizeof options,
                                  .method = method,
                                  .restart = restart,
                                  .preconditioner = t->m,
                                  .rtol = t->rtol,
                                  .atol = t->atol,
                                  .check_every = below(20),
                                  .whole = (int)below(2),
                                  .max_iterations = below(8) ? 1000 : 1 + below(50),
                                  .bounds = (int)below(2),
                                  .matrix = t->matrix};
    must(t, fur_solver_create(t->a, &options, &solver));
    must(t, fur_solver_solve(solver, t->b, t->x, &report));
    fur_solver_destroy(solver);
    return report;
}

/* --- the check -------------------------------------------------------------------------------- */

/* Norms in long double. */
typedef struct norms {
    long double b;
    long double residual;
    long double rounding; /* what computing the residual may be off by */
} norms;

static norms measure(const trial *t)
{
    static double b[2 * MOST_ROWS];
    static double x[2 * MOST_ROWS];
    static long double sum[3 * MOST_ROWS]; /* Re and Im of b - A x, and |A||x| + |b| */
    long double u = (is_single(t->value) ? FLT_EPSILON : DBL_EPSILON) / 2.0L;
    long double tiny = is_single(t->value) ? FLT_MIN : DBL_MIN;
    norms norm = {0};
    must(t, fur_vector_download(t->b, b));
    must(t, fur_vector_download(t->x, x));
    for (int64_t i = 0; i < t->n; i++) {
        for (int part = 0; part < 2; part++)
            sum[3 * i + part] = entry_part(t->value, b, i, part);
        sum[3 * i + 2] = hypotl(sum[3 * i], sum[3 * i + 1]);
        norm.b += sum[3 * i + 2] * sum[3 * i + 2];
    }
    for (int64_t k = 0; k < t->count; k++) {
        term e = t->terms[k];
        long double re = entry_part(t->value, x, e.col, 0);
        long double im = entry_part(t->value, x, e.col, 1);
        sum[3 * e.row] -= e.re * re - e.im * im;
        sum[3 * e.row + 1] -= e.re * im + e.im * re;
        sum[3 * e.row + 2] += hypotl(e.re, e.im) * hypotl(re, im);
    }
    u *= (is_complex(t->value) ? 4 : 1) * (t->most + 2);
    for (int64_t i = 0; i < t->n; i++) {
        long double off = u * sum[3 * i + 2] + t->most * tiny;
        norm.residual += sum[3 * i] * sum[3 * i] + sum[3 * i + 1] * sum[3 * i + 1];
        norm.rounding += off * off;
    }
    return (norms){sqrtl(norm.b), sqrtl(norm.residual), sqrtl(norm.rounding)};
}

/* Norms themselves, in double, and quotients err by less than 1e-13. */
static void check(const trial *t, const fur_solver_report *report)
{
    norms norm = measure(t);
    long double target = fmaxl(t->rtol * norm.b, t->atol);
    long double said = report->residual * (norm.b > 0 ? norm.b : 1);
    counts[report->outcome]++;
    if (report->outcome == FUR_OUTCOME_UNSOLVED)
        fail(t, "an outcome is missing", 0, 1);
    if (report->outcome == FUR_OUTCOME_CONVERGED) {
        if (!(norm.residual <= target * (1 + 1e-13L) + norm.rounding))
            fail(t, "converged, but ||b - A x||", (double)norm.residual, (double)target);
        if (!(report->residual <= t->rtol || said <= t->atol * (1 + 1e-13L)))
            fail(t, "converged, but the reported residual", report->residual, t->rtol);
    } else if (report->residual <= t->rtol) {
        fail(t, "not converged, but the reported residual", report->residual, t->rtol);
    }
    if (isfinite(report->residual) && isfinite((double)norm.residual) &&
        !(fabsl(said - norm.residual) <= 1e-13L * norm.residual + norm.rounding))
        fail(t, "||b - A x|| as reported", (double)said, (double)norm.residual);
}

/* The bound of the residual: long double rounds 2^-11 of what double does. */
static void check_bound(const trial *t, const fur_solver_report *report)
{
    norms norm = measure(t);
    long double bound = report->residual_bound * (norm.b > 0 ? norm.b : 1);
    long double rounding = norm.rounding * 0x1p-10L;
    if (isnan(report->residual_bound) || !isfinite((double)norm.residual))
        return;
    if (!(bound >= norm.residual * (1 - 1e-15L) - rounding))
        fail(t, "the bound of ||b - A x||", (double)bound, (double)norm.residual);
    if (!(bound <= norm.residual * (1 + 1e-12L) + rounding))
        fail(t, "the bound is not near ||b - A x||", (double)bound, (double)norm.residual);
}

static void release(trial *t)
{
    fur_vector_destroy(t->x);
    fur_vector_destroy(t->b);
    fur_operator_destroy(t->m);
    fur_operator_destroy(t->a);
    fur_multigrid_destroy(t->multigrid);
    fur_stencil_destroy(t->stencil);
    fur_spmv_destroy(t->plan);
    fur_csr_destroy(t->matrix);
}

static void run_trial(fur_context *context)
{
    static trial t;
    t = (trial){.context = context, .value = (fur_value_type)below(FUR_VALUE_COUNT)};
    bool single = is_single(t.value);
    if (below(2))
        draw_stencil(&t);
    else
        draw_matrix(&t);
    double by = below(3) ? 1 : single ? scale(-12, 12) : scale(-100, 100);
    t.rtol = scale(single ? -7 : -16, -1);
    t.atol = below(4) ? 0 : by * scale(single ? -7 : -16, -1);
    t.b = draw_vector(&t, by);
    t.x = draw_vector(&t, below(2) ? 0 : by);
    fur_solver_report report = solve(&t);
    check(&t, &report);
    check_bound(&t, &report);
    release(&t);
}

static fur_context *open_context(const char *device)
{
    fur_context *context = NULL;
    fur_context_options options = {.size = sizeof options, .device = device, .threads = 1};
    if (fur_context_create(&options, &context) == FUR_OK)
        return context;
    printf("skipped: %s\n", fur_context_error(NULL));
    exit(77);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "usage: check_converged SECONDS [SEED [DEVICE]]\n");
        return 2;
    }
    if (count > 2)
        setenv("FURROW_SEED", arguments[2], 1);
    random_start();
    fur_context *context = open_context(count > 3 ? arguments[3] : "cpu");
    time_t end = time(NULL) + (time_t)strtoll(arguments[1], NULL, 10);
    long long trials = 0;
    do {
        run_trial(context);
        trials++;
    } while (time(NULL) < end);
    fur_context_destroy(context);
    printf("%lld solves\n", trials);
    for (int outcome = 0; outcome <= FUR_OUTCOME_DIVERGED; outcome++)
        printf("%10lld %s\n", counts[outcome], fur_outcome_name((fur_outcome)outcome));
    printf("%10lld stencils without multigrid\n", refused);
    return EXIT_SUCCESS;
}
