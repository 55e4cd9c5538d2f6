/* Tests of classical multigrid: the choice of coarse rows, interpolation weights compared with
 * dense matrices, two-stage coarsening, few iterations, new values. */
#include "problems.h"

#include "classical_data.h"

#include <math.h>
#include <string.h>

enum { ROWS = 60 };

static const fur_amg_options classical = {.size = sizeof classical, .coarsening = "classical"};

/* Makes a matrix with many negative couplings and some positive ones. Most diagonal entries are
 * larger than the sum of the couplings. */
static fur_csr *random_matrix(fur_context *context, rng *r)
{
    static int32_t row[ROWS * ROWS];
    static int32_t col[ROWS * ROWS];
    static double values[ROWS * ROWS];
    fur_coo_view coo = {sizeof coo, ROWS, ROWS, 0, FUR_F64, row, col, values};
    fur_csr *a;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            if (i != j && rng_below(r, 10) > 0)
                continue;
            row[coo.entries] = i;
            col[coo.entries] = j;
            values[coo.entries++] = i == j ? 3 + rng_unit(r) : rng_unit(r) - 0.7;
        }
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    return a;
}

typedef struct dense {
    double a[ROWS][ROWS];
    bool strong[ROWS][ROWS];
    bool coarse[ROWS];
} dense;

static void expand(const fur_csr *a, const fur_amg_classical *c, dense *d)
{
    const fur_csr_view *v = fur_csr_get(a);
    memset(d, 0, sizeof *d);
    for (int i = 0; i < ROWS; i++) {
        double largest = 0;
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            d->a[i][v->columns[k]] = ((const double *)v->values)[k];
        for (int j = 0; j < ROWS; j++)
            largest = j == i ? largest : fmax(largest, -d->a[i][j]);
        for (int j = 0; j < ROWS; j++)
            d->strong[i][j] = i != j && d->a[i][j] < 0 && -d->a[i][j] >= 0.25 * largest;
        d->coarse[i] = c->coarse[i] >= 0;
    }
}

/* Returns whether fine row i can be interpolated from coarse row j. */
static bool is_source(const dense *d, int i, int j)
{
    bool found = d->strong[i][j];
    for (int k = 0; k < ROWS && !found; k++)
        found = d->strong[i][k] && !d->coarse[k] && d->strong[k][j];
    return found && d->coarse[j];
}

/* Returns b_kl / s_k of the formula in extended.c. If s_k is 0, all of a_ik is added to the
 * diagonal. */
static double part(const dense *d, int i, int k, int l)
{
    double sum = 0;
    for (int m = 0; m < ROWS; m++)
        if (m != k && (m == i || is_source(d, i, m)) && d->a[k][m] * d->a[k][k] < 0)
            sum += d->a[k][m];
    if (sum == 0)
        return l == i;
    return d->a[k][l] * d->a[k][k] < 0 ? d->a[k][l] / sum : 0;
}

/* Computes the weights of all rows for fine row i. *size becomes the sum of the moduli that they
 * are computed from, relative to the diagonal. */
static void weigh(const dense *d, int i, double *weight, double *size)
{
    double diagonal = 0;
    *size = 0;
    memset(weight, 0, ROWS * sizeof *weight);
    for (int k = 0; k < ROWS; k++) {
        bool fine = d->strong[i][k] && !d->coarse[k];
        *size += fabs(d->a[i][k]);
        if (is_source(d, i, k))
            weight[k] += d->a[i][k];
        else if (!fine)
            diagonal += d->a[i][k];
        else
            diagonal += d->a[i][k] * part(d, i, k, i);
        for (int j = 0; j < ROWS && fine; j++)
            if (is_source(d, i, j))
                weight[j] += d->a[i][k] * part(d, i, k, j);
    }
    for (int j = 0; j < ROWS; j++)
        weight[j] /= -diagonal;
    *size /= fabs(diagonal);
}

/* Checks that row i of P stores the largest weights, scaled to the sum of all weights. Weights of
 * equal size may differ by the bound. Scaled entries may differ by more, in proportion to their
 * size. */
static void check_kept(const double *weight, double size, double bound, const fur_csr_view *p,
                       int i)
{
    double all = 0;
    double kept = 0;
    double least = HUGE_VAL;
    bool is_kept[ROWS] = {false};
    for (int64_t k = offset_at(p, i); k < offset_at(p, i + 1); k++)
        is_kept[p->columns[k]] = true;
    for (int j = 0; j < p->cols; j++) {
        all += weight[j];
        kept += is_kept[j] ? weight[j] : 0;
        least = is_kept[j] ? fmin(least, fabs(weight[j])) : least;
    }
    for (int j = 0; j < p->cols; j++)
        ck_assert(is_kept[j] || fabs(weight[j]) <= least + bound);
    for (int64_t k = offset_at(p, i); k < offset_at(p, i + 1); k++) {
        double value = ((const double *)p->values)[k];
        double factor = fabs(all / kept) + 1;
        ck_assert_double_le(fabs(value * kept - weight[p->columns[k]] * all),
                            bound * factor * (1 + size));
    }
}

/* Checks row i of P. Both sides have some ROWS^2 roundings of numbers of modulus `size`, relative
 * to the diagonal. Cancellation multiplies the error by `size` again. */
static void check_row(const dense *d, const fur_amg_classical *c, const fur_csr_view *p, int i)
{
    double weight[ROWS];
    double by_column[ROWS] = {0};
    double size;
    weigh(d, i, weight, &size);
    for (int j = 0; j < ROWS; j++)
        if (c->coarse[j] >= 0)
            by_column[c->coarse[j]] = weight[j];
    check_kept(by_column, size, 4 * ROWS * ROWS * value_epsilon(FUR_F64) * (1 + size) * (1 + size),
               p, i);
}

/* Checks the choice of coarse rows. If two rows depend on each other, at most one is coarse. If
 * other rows depend on a fine row, this row depends on a coarse row. */
static void check_split(const dense *d)
{
    for (int i = 0; i < ROWS; i++) {
        bool needed = false;
        bool depends = false;
        for (int j = 0; j < ROWS; j++) {
            bool mutual = d->strong[i][j] && d->strong[j][i];
            ck_assert(!(mutual && d->coarse[i] && d->coarse[j]));
            needed = needed || d->strong[j][i];
            depends = depends || (d->strong[i][j] && d->coarse[j]);
        }
        ck_assert(d->coarse[i] || !needed || depends);
    }
}

START_TEST(rows_are_chosen_and_interpolated_as_published)
{
    fur_context *context = context_make(NULL, 1 + _i % 4);
    rng r = rng_stream((uint64_t)_i);
    fur_csr *a = random_matrix(context, &r);
    fur_amg_options o = classical;
    fur_amg *amg;
    static dense d;
    o.coarsest = 5;
    o.levels = 2;
    ck_ok(context, fur_amg_create(a, &o, &amg));
    const fur_amg_classical *c = amg->rung[0].step.classical;
    ck_assert_ptr_nonnull(c);
    const fur_csr_view *p = fur_csr_get(fur_amg_level_at(amg, 0)->p);
    expand(a, c, &d);
    check_split(&d);
    for (int i = 0; i < ROWS; i++) {
        int64_t begin = offset_at(p, i);
        ck_assert_int_le(offset_at(p, i + 1) - begin, FUR_AMG_INTERPOLATED);
        if (!d.coarse[i]) {
            check_row(&d, c, p, i);
            continue;
        }
        ck_assert_int_eq(offset_at(p, i + 1), begin + 1);
        ck_assert_int_eq(p->columns[begin], c->coarse[i]);
        ck_assert_double_eq(((const double *)p->values)[begin], 1);
    }
    fur_amg_destroy(amg);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Computes row i of a product of two matrices. Returns the sum of the moduli of its terms. */
static double multiply_row(const fur_csr_view *a, int64_t i, const fur_csr_view *b, double *row)
{
    double size = 0;
    memset(row, 0, ROWS * sizeof *row);
    for (int64_t k = offset_at(a, i); k < offset_at(a, i + 1); k++)
        for (int64_t m = offset_at(b, a->columns[k]); m < offset_at(b, a->columns[k] + 1); m++) {
            double term = ((const double *)a->values)[k] * ((const double *)b->values)[m];
            row[b->columns[m]] += term;
            size += fabs(term);
        }
    return size;
}

/* Checks the matrix between the two stages: the coarse rows of A times P of the first stage. An
 * entry is a sum of at most ROWS terms. */
static void check_between(const fur_csr *a, const fur_amg_classical *c)
{
    const fur_csr_view *first = fur_csr_get(c->second->first);
    const fur_csr_view *between = fur_csr_get(c->second->between);
    ck_assert_int_eq(between->rows, c->count);
    ck_assert_int_eq(between->cols, c->count);
    for (int i = 0; i < ROWS; i++) {
        double row[ROWS];
        double size = multiply_row(fur_csr_get(a), i, first, row);
        for (int64_t k = 0; c->coarse[i] >= 0 && k < between->entries; k++)
            if (k >= offset_at(between, c->coarse[i]) && k < offset_at(between, c->coarse[i] + 1))
                row[between->columns[k]] -= ((const double *)between->values)[k];
        for (int j = 0; j < ROWS && c->coarse[i] >= 0; j++)
            ck_assert_double_le(fabs(row[j]), ROWS * value_epsilon(FUR_F64) * size);
    }
}

START_TEST(two_stages_are_joined)
{
    fur_context *context = context_make(NULL, 1 + _i % 4);
    rng r = rng_stream(100 + (uint64_t)_i);
    fur_csr *a = random_matrix(context, &r);
    fur_amg_options o = classical;
    fur_amg *amg;
    o.coarsest = 5;
    o.levels = 2;
    o.aggressive = 1;
    ck_ok(context, fur_amg_create(a, &o, &amg));
    const fur_amg_classical *c = amg->rung[0].step.classical;
    if (c && c->second) {
        const fur_csr_view *p = fur_csr_get(fur_amg_level_at(amg, 0)->p);
        check_between(a, c);
        ck_assert_int_lt(p->cols, c->count);
        for (int i = 0; i < ROWS; i++) {
            double row[ROWS];
            double size =
                multiply_row(fur_csr_get(c->second->first), i, fur_csr_get(c->second->p), row);
            ck_assert_int_le(offset_at(p, i + 1) - offset_at(p, i), FUR_AMG_INTERPOLATED);
            check_kept(row, size, ROWS * value_epsilon(FUR_F64) * (1 + size), p, i);
        }
    }
    fur_amg_destroy(amg);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void expect(const fur_csr *a, const fur_amg_options *options, const char *method,
                   int64_t most)
{
    fur_amg *amg;
    ck_ok(fur_csr_context(a), fur_amg_create(a, options, &amg));
    int64_t count = iterations(amg, a, method, 1e-8, false);
    ck_assert_msg(count <= most, "%d iterations, at most %d were expected", (int)count, (int)most);
    fur_amg_destroy(amg);
}

START_TEST(few_iterations_are_taken)
{
    fur_context *context = context_make(NULL, 2);
    fur_amg_options o = classical;
    o.single = _i;
    grid g = {.extent = {32, 32, 32}, .coupling = {1, 1, 1}, .value = FUR_F64};
    fur_csr *a = grid_matrix(context, &g);
    expect(a, &o, "cg", 10);
    o.aggressive = 1;
    expect(a, &o, "cg", 12);
    o.aggressive = 0;
    fur_csr_destroy(a);
    g = (grid){.extent = {100, 100, 1}, .coupling = {1, 1e-3, 0}, .value = FUR_F64};
    a = grid_matrix(context, &g);
    expect(a, &o, "cg", 11);
    o.smoother = "gauss-seidel";
    expect(a, &o, "cg", 10);
    fur_csr_destroy(a);
    g = (grid){.extent = {40, 40, 1}, .coupling = {1, 1, 0}, .value = FUR_F32};
    a = grid_matrix(context, &g);
    fur_amg *amg;
    ck_ok(context, fur_amg_create(a, &classical, &amg));
    ck_assert_int_le(iterations(amg, a, "cg", 1e-5, false), 8);
    fur_amg_destroy(amg);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static uint64_t hash_cycle(fur_amg *amg, const fur_csr *a)
{
    fur_context *context = fur_csr_context(a);
    rng r = rng_stream(3);
    fur_vector *b = vector_random(context, &r, FUR_F64, fur_csr_get(a)->rows);
    fur_vector *x = vector_random(context, &r, FUR_F64, fur_csr_get(a)->rows);
    ck_ok(context, fur_amg_apply(amg, b, x));
    const unsigned char *at = fur_vector_const_data(x);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < (size_t)fur_vector_size(x) * sizeof(double); i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    return hash;
}

/* If the first values are set again after other values, the cycle has its first bits. Nothing is
 * allocated. */
START_TEST(old_values_bring_back_the_old_cycle)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    grid g = {.extent = {19, 18, 17}, .coupling = {1, 1, 0.7}, .jump = 1.1, .value = FUR_F64};
    fur_csr *a = grid_matrix(context, &g);
    fur_csr *kept = grid_matrix(context, &g);
    g.coupling[0] = 1.5;
    fur_csr *other = grid_matrix(context, &g);
    fur_amg_options o = classical;
    o.aggressive = _i;
    fur_amg *amg;
    ck_ok(context, fur_amg_create(a, &o, &amg));
    ck_assert_int_eq(amg->rung[0].step.classical->second != NULL, _i);
    uint64_t first = hash_cycle(amg, a);
    int64_t calls = m.calls;
    ck_ok(context, fur_csr_set_values(a, fur_csr_get(other)->values, FUR_OWNERSHIP_COPY));
    ck_assert_int_eq(m.calls, calls);
    ck_assert(hash_cycle(amg, a) != first);
    ck_assert_int_le(iterations(amg, a, "cg", 1e-8, false), 11 + 3 * _i);
    ck_ok(context, fur_csr_set_values(a, fur_csr_get(kept)->values, FUR_OWNERSHIP_COPY));
    ck_assert(hash_cycle(amg, a) == first);
    fur_amg_destroy(amg);
    fur_csr_destroy(other);
    fur_csr_destroy(kept);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void refused(const fur_csr *a, fur_amg_options o, fur_status status, const char *sentence)
{
    fur_context *context = fur_csr_context(a);
    fur_amg *amg = NULL;
    o.size = sizeof o;
    ck_fails(context, status, sentence, fur_amg_create(a, &o, &amg));
    ck_assert_ptr_null(amg);
}

START_TEST(what_does_not_suit_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    grid g = {.extent = {6, 6, 1}, .coupling = {1, 1, 0}, .value = FUR_F64};
    fur_csr *a = grid_matrix(context, &g);
    refused(a, (fur_amg_options){.coarsening = "plain"}, FUR_INVALID,
            "coarsening of \"amg\" is \"plain\"; it must be one of: aggregation, classical");
    refused(a, (fur_amg_options){.coarsening = "classical", .block = 2}, FUR_INVALID,
            "classical multigrid accepts no near-nullspace, and no option block above 1");
    refused(a, (fur_amg_options){.aggressive = 1}, FUR_INVALID,
            "the option aggressive needs coarsening=classical");
    refused(a, (fur_amg_options){.coarsening = "classical", .aggressive = -1}, FUR_INVALID,
            "aggressive of \"amg\" must be at least 0; it is -1");
    fur_csr_destroy(a);
    g.value = FUR_C64;
    a = grid_matrix(context, &g);
    refused(a, classical, FUR_UNSUPPORTED,
            "classical multigrid needs a real matrix; this one has type c64");
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, rows_are_chosen_and_interpolated_as_published, 0, 20);
    tcase_add_turns(tests, few_iterations_are_taken, 2, 2);
    tcase_add_loop_test(tests, two_stages_are_joined, 0, 20);
    tcase_add_loop_test(tests, old_values_bring_back_the_old_cycle, 0, 2);
    tcase_add_test(tests, what_does_not_suit_is_refused);
}

int main(void)
{
    return run_tests("amg_classical", add_tests);
}
