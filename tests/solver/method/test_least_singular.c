/* Estimates of the least singular value of a triangle that grows by columns. */
#include "support.h"

#include "least_singular.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#define MAX 40

static long double complex number(fur_scalar s)
{
    return (long double)s.re + (long double)s.im * I;
}

/* Draws a triangle stored by columns. Column k has k + 1 entries from k (k + 1) / 2 on. */
static void draw(rng *r, fur_value_type value, double scale, int n, fur_scalar *triangle)
{
    for (int k = 0; k < n; k++) {
        fur_scalar *column = triangle + k * (k + 1) / 2;
        double decade = pow(10, -3 * fabs(rng_unit(r)));
        for (int i = 0; i < k; i++) {
            fur_scalar entry = rng_scalar(r, value);
            column[i] = fur_complex(scale * entry.re, scale * entry.im);
        }
        column[k] = fur_real(scale * decade);
    }
}

/* Returns ||w^H R|| for R of n columns. */
static long double row_length(int n, const fur_scalar *triangle, const fur_scalar *w)
{
    long double squares = 0;
    for (int k = 0; k < n; k++) {
        long double complex sum = 0;
        for (int i = 0; i <= k; i++)
            sum += conjl(number(w[i])) * number(triangle[k * (k + 1) / 2 + i]);
        squares += creall(sum * conjl(sum));
    }
    return sqrtl(squares);
}

/* Returns the Frobenius norm of R^-1, computed by columns. It is at least 1 / the least singular
 * value. */
static long double inverse_length(int n, const fur_scalar *triangle)
{
    long double squares = 0;
    for (int j = 0; j < n; j++) {
        long double complex x[MAX] = {0};
        x[j] = 1;
        for (int k = j; k >= 0; k--) {
            const fur_scalar *column = triangle + k * (k + 1) / 2;
            x[k] /= number(column[k]);
            for (int i = 0; i < k; i++)
                x[i] -= number(column[i]) * x[k];
            squares += creall(x[k] * conjl(x[k]));
        }
    }
    return sqrtl(squares);
}

/* The estimate is an upper bound of the least singular value, proved by a witness w of unit length.
 * Length and proof are exact to 2 roundings for each scaling of w. The bound is exact for two
 * columns. */
START_TEST(the_estimate_has_a_witness_and_is_from_above)
{
    rng r = rng_stream(1);
    for (int trial = 0; trial < 200; trial++) {
        fur_scalar triangle[MAX * (MAX + 1) / 2];
        fur_scalar witness[MAX];
        fur_least_singular l = {HUGE_VAL, witness};
        int n = 1 + (int)rng_below(&r, MAX);
        double scale = pow(10, 200 * rng_unit(&r));
        draw(&r, (fur_value_type)_i, scale, n, triangle);
        for (int k = 0; k < n; k++) {
            fur_least_singular_grow(&l, k, triangle + k * (k + 1) / 2, scale);
            long double length = 0;
            for (int i = 0; i <= k; i++)
                length = hypotl(length, cabsl(number(witness[i])));
            ck_assert_double_eq_tol((double)length, 1, 8 * (k + 1) * DBL_EPSILON);
        }
        double bound = 8 * n * DBL_EPSILON * scale * n;
        ck_assert_double_eq_tol(l.value, (double)row_length(n, triangle, witness), bound);
        long double least = 1 / inverse_length(n, triangle);
        ck_assert_double_ge(l.value, (double)least * (1 - 1e-9));
        if (n <= 2)
            ck_assert_double_le(l.value, (double)(sqrtl(n) * least) * (1 + 1e-9));
    }
}
END_TEST

/* The estimate for a diagonal matrix is its least entry. */
START_TEST(a_diagonal_is_exact)
{
    fur_scalar column[MAX] = {{0, 0}};
    fur_scalar witness[MAX];
    fur_least_singular l = {HUGE_VAL, witness};
    rng r = rng_stream(2);
    double least = HUGE_VAL;
    for (int k = 0; k < MAX; k++) {
        double pivot = 1e-300 + fabs(rng_unit(&r));
        least = fmin(least, pivot);
        column[k] = fur_real(pivot);
        fur_least_singular_grow(&l, k, column, 1);
        column[k] = fur_real(0);
        ck_assert_double_eq_tol(l.value, least, 4 * (k + 1) * DBL_EPSILON * least);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, the_estimate_has_a_witness_and_is_from_above, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_diagonal_is_exact);
}

int main(void)
{
    return run_tests("least_singular", add_tests);
}
