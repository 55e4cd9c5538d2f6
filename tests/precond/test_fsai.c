/* Tests of the factorised approximate inverse with searched positions. M is compared with a
 * plain search in long double. Also: threads, new values, fewer iterations with more positions,
 * refusals. */
#include "duplicates.h"
#include "poisson.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { N = 40 };
typedef long double complex entry;

/* A = S B S, where S is diagonal with powers of two. B is Hermitian, and its diagonal entries
 * exceed the sum of the other moduli of the row by 0.1. The eigenvalues of B are between 0.1 and
 * 100. */
typedef struct scaled {
    entry a[N][N];
    double s[N];
    bool has[N][N];
} scaled;

static void scaled_make(scaled *m, rng *r, fur_value_type value)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < N; i++)
        m->s[i] = ldexp(1, (int)rng_below(r, 7) - 3);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            fur_scalar v = rng_scalar(r, value);
            m->has[i][j] = m->has[j][i] = rng_below(r, 100) < 15;
            if (!m->has[i][j])
                continue;
            m->a[i][j] = v.re + v.im * (entry)I;
            m->a[j][i] = v.re - v.im * (entry)I;
        }
    for (int i = 0; i < N; i++) {
        double sum = 0.1;
        for (int j = 0; j < N; j++)
            sum += j == i ? 0 : (double)cabsl(m->a[i][j]);
        m->has[i][i] = true;
        m->a[i][i] = sum;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m->a[i][j] *= m->s[i] * m->s[j];
}

static fur_csr *scaled_csr(const scaled *m, fur_context *context, fur_value_type value)
{
    static int32_t row[N * N];
    static int32_t col[N * N];
    void *values = entries_make(value, N * N);
    int64_t count = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (m->has[i][j]) {
                row[count] = i;
                col[count] = j;
                entry_set(value, values, count++,
                          fur_complex((double)creall(m->a[i][j]), (double)cimagl(m->a[i][j])));
            }
    fur_coo_view coo = {sizeof coo, N, N, count, value, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    free(values);
    return a;
}

/* Computes y with A(J, J) y = -A(J, i) by Gaussian elimination. J is the list of columns. */
static void solve_row(const scaled *m, int i, const int *columns, int count, entry *y)
{
    entry d[N][N];
    for (int p = 0; p < count; p++) {
        y[p] = -m->a[columns[p]][i];
        for (int q = 0; q < count; q++)
            d[p][q] = m->a[columns[p]][columns[q]];
    }
    for (int p = 0; p < count; p++)
        for (int k = p + 1; k < count; k++) {
            entry f = d[k][p] / d[p][p];
            for (int q = p; q < count; q++)
                d[k][q] -= f * d[p][q];
            y[k] -= f * y[p];
        }
    for (int p = count - 1; p >= 0; p--) {
        for (int q = p + 1; q < count; q++)
            y[p] -= d[p][q] * y[q];
        y[p] /= d[p][p];
    }
}

/* Returns entry j of g A. The row g has 1 at column i and conj(y) at the listed columns. */
static entry gradient_at(const scaled *m, int i, const int *columns, int count, const entry *y,
                         int j)
{
    entry sum = m->a[i][j];
    for (int k = 0; k < count; k++)
        sum += conjl(y[k]) * m->a[columns[k]][j];
    return sum;
}

/* Returns the column left of i with the largest gradient that is not in the list, or -1 if all
 * gradients are 0. */
static int best_column(const scaled *m, int i, const int *columns, int count, int listed,
                       const entry *y)
{
    long double most = 0;
    int best = -1;
    for (int j = 0; j < i; j++) {
        long double weight =
            cabsl(gradient_at(m, i, columns, count, y, j)) / sqrtl(creall(m->a[j][j]));
        for (int k = 0; k < listed; k++)
            weight = columns[k] == j ? 0 : weight;
        if (weight > most) {
            most = weight;
            best = j;
        }
    }
    return best;
}

/* Computes row i of G. Returns the number of its positions. */
static int search_row(const scaled *m, int i, const fur_fsai_options *o, entry *g)
{
    int columns[N];
    entry y[N];
    int count = 0;
    long double form = creall(m->a[i][i]);
    for (int step = 0; step < o->steps; step++) {
        long double before = form;
        int listed = count;
        for (int k = 0; k < o->grow; k++) {
            int best = best_column(m, i, columns, count, listed, y);
            if (best >= 0)
                columns[listed++] = best;
        }
        if (listed == count)
            break;
        count = listed;
        solve_row(m, i, columns, count, y);
        form = creall(gradient_at(m, i, columns, count, y, i));
        if (form > (1 - o->gain) * before)
            break;
    }
    memset(g, 0, N * sizeof *g);
    for (int k = 0; k < count; k++)
        g[columns[k]] = conjl(y[k]) / sqrtl(form);
    g[i] = 1 / sqrtl(form);
    return count + 1;
}

static const fur_fsai_options searches[] = {
    {.size = sizeof searches[0], .steps = 6, .grow = 2, .gain = 1e-3},
    {.size = sizeof searches[0], .steps = 30, .grow = 1, .gain = 1e-2},
    {.size = sizeof searches[0], .steps = 3, .grow = 5, .gain = 1e-4},
};

/* The library finds the positions of the plain search. Loops over searches and the two types of
 * double precision, in which rounding never decides between two gradients. B = S^-1 A S^-1 has a
 * condition number up to 1000, and its M has entries up to 10. So a row of the factors errs by c n
 * u times 1000 times 10. */
START_TEST(positions_are_those_of_a_plain_search)
{
    static scaled m;
    static entry g[N][N];
    fur_value_type value = _i % 2 ? FUR_C128 : FUR_F64;
    const fur_fsai_options *o = &searches[_i / 2];
    const fur_precond_options options = {.size = sizeof options, .kind = "fsai", .fsai = o};
    double bound = 8 * N * value_epsilon(value) * 1000 * 10;
    rng r = rng_stream(1300 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    scaled_make(&m, &r, value);
    fur_csr *a = scaled_csr(&m, context, value);
    fur_vector *e = vector_random(context, &r, value, N);
    fur_vector *z = vector_random(context, &r, value, N);
    fur_precond *p = NULL;
    int64_t entries = 0;
    for (int i = 0; i < N; i++)
        entries += search_row(&m, i, o, g[i]);
    ck_ok(context, fur_precond_create(a, &options, &p));
    ck_assert_int_eq(fur_precond_describe(p)->entries, entries);
    ck_assert_int_eq(fur_precond_describe(p)->symmetric, 1);
    for (int j = 0; j < N; j++) {
        ck_ok(context, fur_vector_fill(e, fur_real(0)));
        entry_set(value, fur_vector_data(e), j, fur_real(1));
        ck_ok(context, fur_precond_apply(p, e, z));
        for (int i = 0; i < N; i++) {
            fur_scalar found = entry_get(value, fur_vector_data(z), i);
            entry sum = -found.re - found.im * (entry)I;
            for (int k = 0; k < N; k++)
                sum += conjl(g[k][i]) * g[k][j];
            double error = (double)cabsl(sum) * m.s[i] * m.s[j];
            ck_assert_msg(error <= bound, "(%d, %d) errs by %g, bound %g", i, j, error, bound);
        }
    }
    fur_precond_destroy(p);
    fur_vector_destroy(z);
    fur_vector_destroy(e);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Loops over value types. On a grid many gradients are equal, so that the choice between them
 * shows. */
START_TEST(bits_do_not_depend_on_threads)
{
    fur_value_type value = (fur_value_type)_i;
    const fur_precond_options o = {.size = sizeof o, .kind = "fsai:steps=8,grow=2"};
    rng r = rng_stream(1310 + (uint64_t)_i);
    void *random = NULL;
    void *first = NULL;
    for (int threads = 1; threads <= 8; threads++) {
        fur_context *context = context_make(NULL, threads);
        fur_csr *grid = poisson_make(context, 9);
        fur_csr *a = NULL;
        fur_precond *p = NULL;
        ck_ok(context, fur_csr_convert(grid, value, threads % 2 ? FUR_I32 : FUR_I64, &a));
        int64_t n = fur_csr_get(a)->rows;
        if (!random)
            random = entries_random(&r, value, n);
        fur_vector *b = vector_from(context, value, n, random);
        fur_vector *z = vector_from(context, value, n, random);
        ck_ok(context, fur_precond_create(a, &o, &p));
        ck_ok(context, fur_precond_apply(p, b, z));
        void *own = vector_entries(z);
        if (first)
            ck_assert_int_eq(first_difference(value, n, first, own), -1);
        free(first);
        first = own;
        fur_precond_destroy(p);
        fur_vector_destroy(z);
        fur_vector_destroy(b);
        fur_csr_destroy(a);
        fur_csr_destroy(grid);
        fur_context_destroy(context);
    }
    free(random);
    free(first);
}
END_TEST

/* With 3 steps, fewer positions than A's pattern has give the same number of iterations. More
 * positions give fewer iterations. */
START_TEST(positions_are_worth_their_memory)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = poisson_make(context, 20);
    fur_precond_options o = {.size = sizeof o, .kind = "fsai"};
    int64_t of_a = poisson_iterations(a, "cg", &o, NULL);
    int64_t last = INT64_MAX;
    fur_fsai_options search = {.size = sizeof search, .gain = 1e-4};
    o.fsai = &search;
    for (search.steps = 3; search.steps <= 24; search.steps *= 2) {
        int64_t own = poisson_iterations(a, "cg", &o, NULL);
        ck_assert_int_lt(own, last);
        last = own;
        if (search.steps == 3)
            ck_assert_int_eq(own, of_a);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* New values keep the positions. The update refuses values that are not positive definite at these
 * positions, until better values are set. */
START_TEST(new_values_keep_the_positions)
{
    static const int32_t offsets[] = {0, 2, 4};
    static const int32_t columns[] = {0, 1, 0, 1};
    static const double good[] = {4, 2, 2, 4};
    static const double weak[] = {4, 0x1p-20, 0x1p-20, 4}; /* a search would drop 2^-20 */
    static const double indefinite[] = {1, 2, 2, 1};
    static const double unit[] = {0, 1};
    fur_csr_view view = {sizeof view, 2, 2, 4, FUR_F64, FUR_I32, offsets, columns, good};
    const fur_precond_options o = {.size = sizeof o, .kind = "fsai:steps=1"};
    fur_context *context = context_make(NULL, 1);
    fur_vector *e = vector_from(context, FUR_F64, 2, unit);
    fur_vector *z = vector_from(context, FUR_F64, 2, unit);
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    ck_ok(context, fur_precond_create(a, &o, &p));
    ck_assert_int_eq(fur_precond_describe(p)->entries, 3);
    ck_ok(context, fur_csr_set_values(a, indefinite, FUR_OWNERSHIP_COPY));
    ck_assert_int_eq(fur_precond_update(p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 2, counting from 1"));
    ck_ok(context, fur_csr_set_values(a, weak, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_precond_update(p));
    ck_ok(context, fur_precond_apply(p, e, z));
    ck_assert_double_lt(entry_get(FUR_F64, fur_vector_const_data(z), 0).re, 0);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_vector_destroy(z);
    fur_vector_destroy(e);
    fur_context_destroy(context);
}
END_TEST

START_TEST(duplicates_count)
{
    const fur_precond_options o = {.size = sizeof o, .kind = "fsai:steps=1"};
    rng r = rng_stream(1320);
    check_duplicates(&r, &o);
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    static const struct {
        fur_fsai_options options;
        const char *sentence;
    } cases[] = {
        {{.steps = -1}, "steps of \"fsai\" must be from 0 to 255; it is -1"},
        {{.steps = 128, .grow = 2},
         "steps times grow of \"fsai\" must be from 0 to 255; it is 128 times 2"},
        {{.steps = 1, .grow = -2}, "grow of \"fsai\" must be from 1 to 255; it is -2"},
        {{.steps = 1, .gain = 1}, "gain of \"fsai\" must be from 0 to below 1; it is 1"},
        {{.steps = 1, .gain = NAN}, "gain of \"fsai\" must be from 0 to below 1; it is nan"},
        {{.steps = 1, .fill = 1},
         "\"fsai\" finds its positions by a power of A (option fill) or by a search (option "
         "steps); set only one option"},
        {{.grow = 2},
         "grow of \"fsai\" needs a search of positions; set the option steps, or leave grow out"},
        {{.fill = 1, .gain = 0.1},
         "gain of \"fsai\" needs a search of positions; set the option steps, or leave gain out"},
    };
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = poisson_make(context, 3);
    fur_precond *p = NULL;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_fsai_options fsai = cases[i].options;
        fur_precond_options o = {.size = sizeof o, .kind = "fsai", .fsai = &fsai};
        fsai.size = sizeof fsai;
        ck_fails(context, FUR_INVALID, cases[i].sentence, fur_precond_create(a, &o, &p));
        ck_assert_ptr_null(p);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, positions_are_those_of_a_plain_search, 0, 2 * COUNT_OF(searches));
    tcase_add_loop_test(tests, bits_do_not_depend_on_threads, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, positions_are_worth_their_memory);
    tcase_add_test(tests, new_values_keep_the_positions);
    tcase_add_test(tests, duplicates_count);
    tcase_add_test(tests, wrong_options_are_refused);
}

int main(void)
{
    return run_tests("fsai", add_tests);
}
