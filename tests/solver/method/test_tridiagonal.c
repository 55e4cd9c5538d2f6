/* Eigenvalues of tridiagonal matrices: closed forms, sums, scales near the ends of the range of
 * doubles, and the matrix of conjugate gradients. */
#include "support.h"
#include "tridiagonal.h"

#include <float.h>
#include <math.h>

#define N 200

/* The eigenvalues are 4 sin^2(k pi / (2 (n + 1))) if 2 is on the diagonal and -1 next to it. */
START_TEST(of_a_line)
{
    double diagonal[N];
    double beside[N];
    double scales[] = {1, 0x1p-1000, 0x1p1000};
    for (int i = 0; i < COUNT_OF(scales); i++) {
        for (int k = 0; k < N; k++) {
            diagonal[k] = 2 * scales[i];
            beside[k] = -scales[i];
        }
        for (int n = 1; n <= N; n += n < 10 ? 1 : 37)
            for (int k = 0; k < n; k++) {
                double root = sin((k + 1) * acos(-1) / (2 * (n + 1.0)));
                double found = fur_tridiagonal_eigenvalue(n, diagonal, beside, k, 0);
                ck_assert_double_le(fabs(found / scales[i] - 4 * root * root), 8 * DBL_EPSILON * 4);
            }
    }
}
END_TEST

/* The eigenvalues of a diagonal matrix are its sorted entries. */
START_TEST(of_a_diagonal)
{
    double diagonal[] = {3, -1, 0, 3, 3, -7, 0};
    double sorted[] = {-7, -1, 0, 0, 3, 3, 3};
    double beside[COUNT_OF(diagonal)] = {0};
    for (int k = 0; k < COUNT_OF(diagonal); k++) {
        double found = fur_tridiagonal_eigenvalue(COUNT_OF(diagonal), diagonal, beside, k, 0);
        ck_assert_double_le(fabs(found - sorted[k]), 2 * DBL_EPSILON * 7);
    }
}
END_TEST

/* The sum of the eigenvalues is the trace, and the sum of their squares is the square of the
 * Frobenius norm. */
START_TEST(of_random_matrices)
{
    rng r = rng_stream(1);
    for (int trial = 0; trial < 50; trial++) {
        double diagonal[N];
        double beside[N];
        long double sums[2] = {0, 0};
        int n = 1 + (int)rng_below(&r, N);
        for (int k = 0; k < n; k++) {
            diagonal[k] = rng_below(&r, 4) ? rng_unit(&r) : 0;
            beside[k] = rng_below(&r, 4) ? rng_unit(&r) : 0;
            sums[0] += diagonal[k];
            sums[1] += (long double)diagonal[k] * diagonal[k];
            sums[1] += k > 0 ? 2 * (long double)beside[k - 1] * beside[k - 1] : 0;
        }
        double before = -HUGE_VAL;
        double least = fur_tridiagonal_eigenvalue(n, diagonal, beside, 0, 0);
        for (int k = 0; k < n; k++) {
            double found = fur_tridiagonal_eigenvalue(n, diagonal, beside, k, 0);
            ck_assert_double_ge(found, before);
            before = found;
            sums[0] -= found;
            sums[1] -= (long double)found * found;
        }
        ck_assert_double_le((double)fabsl(sums[0]), n * 10 * DBL_EPSILON * 3);
        ck_assert_double_le((double)fabsl(sums[1]), n * 2 * 3 * 10 * DBL_EPSILON * 3);
        double smallest;
        double largest;
        fur_tridiagonal_extremes(n, diagonal, beside, 1e-3, &smallest, &largest);
        ck_assert_double_le(fabs(largest - before), 2e-3 * fabs(before) + 8 * DBL_EPSILON);
        ck_assert_double_le(largest, before + 8 * DBL_EPSILON);
        ck_assert_double_ge(smallest, least - 8 * DBL_EPSILON);
        ck_assert_double_le(smallest, least + 2e-3 * fabs(least) + 8 * DBL_EPSILON);
    }
}
END_TEST

START_TEST(what_is_not_finite_has_none)
{
    double diagonal[] = {1, 2, 3};
    double beside[] = {0, NAN};
    double smallest;
    double largest;
    fur_tridiagonal_extremes(3, diagonal, beside, 0, &smallest, &largest);
    ck_assert(isnan(smallest) && isnan(largest));
    beside[1] = HUGE_VAL;
    fur_tridiagonal_extremes(3, diagonal, beside, 0, &smallest, &largest);
    ck_assert(isnan(smallest) && isnan(largest));
    fur_tridiagonal_extremes(2, diagonal, beside, 0, &smallest, &largest);
    ck_assert_double_le(fabs(smallest - 1) + fabs(largest - 2), 8 * DBL_EPSILON);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, of_a_line);
    tcase_add_test(tests, of_a_diagonal);
    tcase_add_test(tests, of_random_matrices);
    tcase_add_test(tests, what_is_not_finite_has_none);
}

int main(void)
{
    return run_tests("tridiagonal", add_tests);
}
