/* Tests of approximate inverses that are applied by products. Rows of a factorised inverse are
 * compared with A, polynomials with their recurrence. Also: known iterations, new values, threads,
 * refusals. */
#include "poisson.h"

#include <math.h>
#include <string.h>

static const fur_precond_options kinds[] = {
    {.size = sizeof kinds[0], .kind = "fsai"},
    {.size = sizeof kinds[0], .kind = "fsai:fill=1"},
    {.size = sizeof kinds[0], .kind = "fsai:steps=23,gain=1e-300"},
    {.size = sizeof kinds[0], .kind = "chebyshev:degree=1"},
    {.size = sizeof kinds[0], .kind = "chebyshev:degree=4"},
    {.size = sizeof kinds[0], .kind = "bjacobi:block=5"},
    {.size = sizeof kinds[0], .kind = "spai:diagonal"},
    {.size = sizeof kinds[0], .kind = "schwarz:block=9,symmetric"},
    {.size = sizeof kinds[0], .kind = "schwarz:block=100"},
    {.size = sizeof kinds[0], .kind = "spai"},
    {.size = sizeof kinds[0], .kind = "bjacobi:block=5,adaptive"},
};
/* The last three are not Hermitian, or Hermitian only up to rounding in half precision. */
#define HERMITIAN_COUNT (COUNT_OF(kinds) - 3)

/* Makes a Hermitian matrix with a dominant diagonal. `most` of 1000 entries are stored. */
static fur_csr *make(fur_context *context, rng *r, int64_t n, int most, fur_value_type value)
{
    size_t all = (size_t)(n * n) + 1;
    int32_t *row = malloc(all * sizeof *row);
    int32_t *col = malloc(all * sizeof *col);
    void *values = entries_make(value, n * n + 1);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            fur_scalar v = rng_scalar(r, value);
            if (i != j && rng_below(r, 1000) >= most)
                continue;
            row[count] = (int32_t)i;
            col[count] = (int32_t)j;
            entry_set(value, values, count++, i == j ? fur_real((double)n + v.re) : v);
            if (i == j)
                continue;
            row[count] = (int32_t)j;
            col[count] = (int32_t)i;
            entry_set(value, values, count++, fur_complex(v.re, -v.im));
        }
    fur_coo_view coo = {sizeof coo, n, n, count, value, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    free(values);
    free(col);
    free(row);
    return a;
}

static fur_precond *precond_make(const fur_csr *a, const fur_precond_options *o)
{
    fur_precond *p = NULL;
    ck_ok(fur_csr_context(a), fur_precond_create(a, o, &p));
    return p;
}

/* Computes column j of M as the product with a unit vector. */
static void take_column(fur_precond *p, fur_vector *e, fur_vector *z, int64_t j, fur_scalar *column)
{
    fur_context *context = fur_vector_context(e);
    fur_value_type value = fur_vector_value_type(e);
    int64_t n = fur_vector_size(e);
    ck_ok(context, fur_vector_fill(e, fur_real(0)));
    entry_set(value, fur_vector_data(e), j, fur_real(1));
    ck_ok(context, fur_precond_apply(p, e, z));
    for (int64_t i = 0; i < n; i++)
        column[i] = entry_get(value, fur_vector_data(z), i);
}

/* M is Hermitian up to rounding. For a full matrix, fsai is the inverse: M A = I. */
START_TEST(inverses_are_hermitian_and_complete)
{
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    const fur_precond_options *o = &kinds[_i / FUR_VALUE_COUNT];
    bool complete = strncmp(o->kind, "fsai", 4) == 0;
    enum { N = 24 };
    static fur_scalar m[N][N];
    rng r = rng_stream(1000 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, N, complete ? 1000 : 200, value);
    fur_precond *p = precond_make(a, o);
    fur_vector *e = vector_random(context, &r, value, N);
    fur_vector *z = vector_random(context, &r, value, N);
    double bound = 64 * N * value_epsilon(value); /* M is around 1 / N, M A around 1 */
    for (int64_t j = 0; j < N; j++)
        take_column(p, e, z, j, m[j]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            ck_assert(fabs(m[i][j].re - m[j][i].re) <= bound &&
                      fabs(m[i][j].im + m[j][i].im) <= bound);
    for (int64_t j = 0; j < N && complete; j++)
        for (int64_t i = 0; i < N; i++) {
            double re = i == j ? -1 : 0;
            double im = 0;
            for (int64_t k = 0; k < N; k++) {
                fur_scalar v;
                ck_ok(context, fur_csr_entry(a, k, j, &v));
                re += m[k][i].re * v.re - m[k][i].im * v.im;
                im += m[k][i].re * v.im + m[k][i].im * v.re;
            }
            ck_assert_msg(fabs(re) <= bound && fabs(im) <= bound, "%g %g", re, im);
        }
    ck_assert_int_eq(fur_precond_describe(p)->symmetric, 1);
    fur_vector_destroy(z);
    fur_vector_destroy(e);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Checks that row i of spai's M is a least-squares solution: m A(J, :) - e is orthogonal to each
 * row of A(J, :), up to c n u |A(J, :)| (|e| + |m||A(J, :)|). Here n is at most the number of rows,
 * c is small, and norms are Frobenius norms (Higham 2002, theorem 20.3). */
static void check_row(const fur_csr *a, const fur_csr_view *v, int64_t i, const fur_scalar *m,
                      double bound)
{
    enum { N = 40 };
    fur_context *context = fur_csr_context(a);
    fur_scalar rest[N];
    for (int64_t c = 0; c < N; c++) {
        rest[c] = fur_real(c == i ? -1 : 0);
        for (int64_t j = 0; j < N; j++) {
            fur_scalar entry;
            ck_ok(context, fur_csr_entry(a, j, c, &entry));
            rest[c].re += m[j].re * entry.re - m[j].im * entry.im;
            rest[c].im += m[j].re * entry.im + m[j].im * entry.re;
        }
    }
    for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
        fur_scalar along = {0, 0};
        for (int64_t c = 0; c < N; c++) {
            fur_scalar entry;
            ck_ok(context, fur_csr_entry(a, v->columns[k], c, &entry));
            along.re += rest[c].re * entry.re + rest[c].im * entry.im;
            along.im += rest[c].im * entry.re - rest[c].re * entry.im;
        }
        ck_assert_msg(fabs(along.re) <= bound && fabs(along.im) <= bound, "%g %g, bound %g",
                      along.re, along.im, bound);
    }
}

/* Rows of spai are least-squares solutions. The matrix is not symmetric and not diagonally
 * dominant. */
START_TEST(rows_are_least_squares)
{
    enum { N = 40 };
    static fur_scalar columns[N][N];
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(1010 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_precond_options o = {.size = sizeof o, .kind = "spai"};
    fur_csr *a = make(context, &r, N, 150, value);
    const fur_csr_view *v = fur_csr_get(a);
    fur_vector *values = vector_random(context, &r, value, v->entries);
    ck_ok(context, fur_csr_set_values(a, fur_vector_const_data(values), FUR_OWNERSHIP_COPY));
    fur_precond *p = precond_make(a, &o);
    fur_vector *e = vector_random(context, &r, value, N);
    fur_vector *z = vector_random(context, &r, value, N);
    ck_assert_int_eq(fur_precond_describe(p)->entries, v->entries);
    ck_assert_int_eq(fur_precond_describe(p)->symmetric, 0);
    for (int64_t j = 0; j < N; j++)
        take_column(p, e, z, j, columns[j]);
    for (int64_t i = 0; i < N; i++) {
        fur_scalar m[N];
        double sum = 0;
        double own = 0;
        for (int64_t j = 0; j < N; j++) {
            m[j] = columns[j][i];
            sum += m[j].re * m[j].re + m[j].im * m[j].im;
        }
        own = sqrt(2.0 * (double)v->entries); /* bound for all rows of A, hence for the rows in J */
        check_row(a, v, i, m, 8 * N * value_epsilon(value) * own * (1 + own * sqrt(sum)));
    }
    fur_vector_destroy(z);
    fur_vector_destroy(e);
    fur_precond_destroy(p);
    fur_vector_destroy(values);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A row of more than 128 entries keeps only its diagonal, and no other row uses it. If a row cannot
 * be approximated, the sentence names it. */
START_TEST(long_rows_are_left_out)
{
    enum { N = 200 };
    int32_t row[4 * N];
    int32_t col[4 * N];
    double values[4 * N];
    int64_t count = 0;
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < N; j++)
            if (i == j || i == 7 || j == 7) {
                row[count] = i;
                col[count] = j;
                values[count++] = i == j ? 4 : 0.5;
            }
    fur_coo_view coo = {sizeof coo, N, N, count, FUR_F64, row, col, values};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    fur_precond_options o = {.size = sizeof o, .kind = "spai"};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_precond_create(a, &o, &p));
    ck_assert_int_eq(fur_precond_describe(p)->entries, N);
    fur_precond_destroy(p);
    p = NULL;
    for (int64_t k = 0; k < count; k++)
        values[k] = row[k] == 30 ? 0 : values[k];
    ck_ok(context, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    ck_fails(context, FUR_INVALID,
             "row 31, counting from 1, of the approximate inverse \"spai\" is 0 or not finite; try "
             "\"ilut\"",
             fur_precond_create(a, &o, &p));
    ck_assert_ptr_null(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* PCG takes the iterations of published and repeated computations, to 1e-8 for N = 10, 20, 32. */
START_TEST(known_iterations_are_taken)
{
    static const int64_t extent[] = {10, 20, 32};
    static const int64_t polynomial[3][3] = {{14, 11, 9}, {27, 19, 15}, {43, 30, 24}};
    static const int64_t inverse[2][2] = {{18, 15}, {35, 28}};
    static const int64_t nearest[2][2] = {{24, 20}, {49, 34}};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < (TEST_SLOW ? 1 : 3); i++) {
        fur_csr *a = poisson_make(context, extent[i]);
        for (int degree = 2; degree <= 4; degree++) {
            fur_chebyshev_options own = {.size = sizeof own, .degree = degree};
            fur_precond_options o = {.size = sizeof o, .kind = "chebyshev", .chebyshev = &own};
            ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), polynomial[i][degree - 2]);
        }
        for (int fill = 0; fill < 2 && i < 2; fill++) {
            fur_fsai_options own = {.size = sizeof own, .fill = fill};
            fur_precond_options o = {.size = sizeof o, .kind = "fsai", .fsai = &own};
            ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), inverse[i][fill]);
        }
        for (int whole = 0; whole < 2 && i < 2; whole++) {
            fur_spai_options own = {.size = sizeof own, .diagonal = !whole};
            fur_precond_options o = {.size = sizeof o, .kind = "spai", .spai = &own};
            ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), nearest[i][whole]);
        }
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* One thread and several give the same bits. After new values, the bits equal the bits of a
 * preconditioner made from these values. Nothing is allocated. */
START_TEST(bits_depend_on_values_alone)
{
    const fur_precond_options *o = &kinds[_i];
    rng r = rng_stream(1030 + (uint64_t)_i);
    void *first = NULL;
    double *random = NULL;
    for (int threads = 1; threads <= 8; threads += 3) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, threads);
        fur_csr *a = poisson_make(context, TEST_SLOW ? 9 : 17);
        int64_t n = fur_csr_get(a)->rows;
        if (!random)
            random = entries_random(&r, FUR_F64, n);
        fur_vector *b = vector_from(context, FUR_F64, n, random);
        fur_vector *d = vector_from(context, FUR_F64, n, random);
        fur_vector *z = vector_from(context, FUR_F64, n, random);
        fur_vector *y = vector_from(context, FUR_F64, n, random);
        fur_precond *p = precond_make(a, o);
        int64_t calls = m.calls;
        ck_ok(context, fur_precond_apply(p, b, z));
        ck_assert_int_eq(m.calls, calls);
        void *own = vector_entries(z);
        if (first)
            ck_assert_int_eq(first_difference(FUR_F64, n, first, own), -1);
        free(first);
        first = own;
        ck_ok(context, fur_vector_fill(d, fur_real(4))); /* exact: positions do not change */
        ck_ok(context, fur_csr_scale(a, d, NULL));
        calls = m.calls;
        ck_ok(context, fur_precond_update(p));
        ck_ok(context, fur_precond_apply(p, b, z));
        ck_assert_int_eq(m.calls, calls);
        fur_precond *q = precond_make(a, o);
        ck_ok(context, fur_precond_apply(q, b, y));
        ck_same_bits(z, y);
        fur_precond_destroy(q);
        fur_precond_destroy(p);
        fur_vector_destroy(y);
        fur_vector_destroy(z);
        fur_vector_destroy(d);
        fur_vector_destroy(b);
        fur_csr_destroy(a);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
    free(random);
    free(first);
}
END_TEST

/* Matrices of 0, 1 and 2 rows work. A row with too many positions keeps those nearest to the
 * diagonal. */
START_TEST(extreme_sizes_work)
{
    rng r = rng_stream(1050);
    fur_context *context = context_make(NULL, 2);
    for (int k = 0; k < COUNT_OF(kinds); k++)
        for (int64_t n = 0; n < 3; n++) {
            fur_csr *a = make(context, &r, n, 1000, FUR_F64);
            fur_precond *p = precond_make(a, &kinds[k]);
            fur_vector *b = vector_random(context, &r, FUR_F64, n);
            fur_vector *z = vector_random(context, &r, FUR_F64, n);
            ck_ok(context, fur_precond_apply(p, b, z));
            fur_vector_destroy(z);
            fur_vector_destroy(b);
            fur_precond_destroy(p);
            fur_csr_destroy(a);
        }
    fur_csr *a = make(context, &r, 300, 1000, FUR_F64);
    fur_precond *p = precond_make(a, &kinds[0]);
    ck_assert_int_eq(fur_precond_describe(p)->entries, 256 * 257 / 2 + 44 * 256);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Computes z = 2^exponent M r, where M is made for 2^exponent A. */
static void apply_scaled(fur_csr *a, const fur_precond_options *o, int exponent,
                         const fur_vector *r, fur_vector *z)
{
    fur_context *context = fur_csr_context(a);
    fur_vector *scale = NULL;
    ck_ok(context,
          fur_vector_create(context, fur_vector_value_type(r), fur_vector_size(r), &scale));
    ck_ok(context, fur_vector_fill(scale, fur_real(ldexp(1, exponent))));
    ck_ok(context, fur_csr_scale(a, scale, NULL));
    fur_precond *p = precond_make(a, o);
    ck_ok(context, fur_precond_apply(p, r, z));
    ck_ok(context, fur_vector_scale(z, fur_real(ldexp(1, exponent))));
    ck_ok(context, fur_vector_fill(scale, fur_real(ldexp(1, -exponent))));
    ck_ok(context, fur_csr_scale(a, scale, NULL));
    fur_precond_destroy(p);
    fur_vector_destroy(scale);
}

/* If A is multiplied by a power of two, M is divided by it. Loops over value types. Half precision
 * is left out, because it stores very large inverses in full precision. */
START_TEST(inverses_have_the_scale_of_the_matrix)
{
    fur_value_type value = (fur_value_type)_i;
    bool single = value == FUR_F32 || value == FUR_C64;
    rng random = rng_stream(1060);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = make(context, &random, 40, 200, value);
    fur_vector *r = vector_random(context, &random, value, 40);
    fur_vector *near = vector_random(context, &random, value, 40);
    fur_vector *far = vector_random(context, &random, value, 40);
    for (int k = 0; k < COUNT_OF(kinds); k++) {
        if (strstr(kinds[k].kind, "adaptive"))
            continue;
        apply_scaled(a, &kinds[k], 0, r, near);
        apply_scaled(a, &kinds[k], single ? 100 : 900, r, far);
        ck_same_bits(near, far);
        apply_scaled(a, &kinds[k], single ? -100 : -900, r, far);
        ck_same_bits(near, far);
    }
    fur_vector_destroy(far);
    fur_vector_destroy(near);
    fur_vector_destroy(r);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_is_not_positive_definite_is_refused)
{
    static const int32_t offsets[] = {0, 2, 4};
    static const int32_t columns[] = {0, 1, 0, 1};
    static const double indefinite[] = {1, 2, 2, 1};
    static const double negative[] = {1, 0, 0, -1};
    fur_csr_view view = {sizeof view, 2, 2, 4, FUR_F64, FUR_I32, offsets, columns, indefinite};
    fur_context *context = context_make(NULL, 1);
    fur_precond_options o = {.size = sizeof o, .kind = "fsai"};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 2, counting from 1"));
    o.kind = "fsai:fill=-1";
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "fill"));
    o.kind = "chebyshev:degree=101";
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "degree"));
    ck_ok(context, fur_csr_set_values(a, negative, FUR_OWNERSHIP_COPY));
    o.kind = "chebyshev:degree=2";
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 2, counting from 1"));
    ck_assert_ptr_null(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, inverses_are_hermitian_and_complete, 0,
                        HERMITIAN_COUNT * FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, rows_are_least_squares, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, long_rows_are_left_out);
    tcase_add_test(tests, known_iterations_are_taken);
    tcase_add_loop_test(tests, bits_depend_on_values_alone, 0, COUNT_OF(kinds));
    tcase_add_test(tests, extreme_sizes_work);
    tcase_add_loop_test(tests, inverses_have_the_scale_of_the_matrix, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, what_is_not_positive_definite_is_refused);
}

int main(void)
{
    return run_tests("inverses", add_tests);
}
