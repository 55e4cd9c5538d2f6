/* Tests of complete factors by libraries that the machine may have. Solutions are compared with
 * dense elimination. Also: the choice of the library, new values, singular matrices. Skipped if
 * there is no library. */
#include "support.h"

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <string.h>

static const fur_precond_options direct = {.size = sizeof direct, .kind = "direct"};

#define ROWS 80
#define ACROSS 8 /* rows of one grid line */

/* Families of matrices. Each is factored by one library if the machine has it. */
typedef enum family { POSITIVE, NEGATIVE, CHAIN, FULL, SHIFTED } family;

static const struct {
    const char *library; /* name in the report; NULL: any library */
    const char *file;
} takers[] = {
    [POSITIVE] = {"CHOLMOD", "libcholmod.so"},
    [NEGATIVE] = {"CHOLMOD", "libcholmod.so"},
    [CHAIN] = {"KLU", "libklu.so"},
    [FULL] = {"UMFPACK", "libumfpack.so"},
};

/* Returns whether the machine has the file or one of the versions that Furrow looks for. */
static bool is_installed(const char *file)
{
    void *found = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (int version = 1; version <= 6 && !found; version++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%d", file, version);
        found = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    return found != NULL;
}

/* Returns whether the family has an entry at (i, j). */
static bool has_entry(family f, int i, int j)
{
    bool line = i / ACROSS == j / ACROSS && abs(i - j) == 1;
    if (f == CHAIN)
        return abs(i - j) <= 1;
    return i == j || f == FULL || line || abs(i - j) == ACROSS;
}

/* Returns a random entry above the diagonal, or a dominant entry on the diagonal. */
static fur_scalar entry_random(family f, rng *r, fur_value_type value, bool diagonal)
{
    static const double weights[] = {
        [POSITIVE] = 9, [NEGATIVE] = -9, [CHAIN] = 9, [FULL] = 3 * ROWS};
    fur_scalar other = rng_scalar(r, value);
    if (f == SHIFTED) /* Laplace's matrix minus one half; its smallest eigenvalue was 0.2 */
        return fur_real(diagonal ? 4 - 0.5 : -1);
    return diagonal ? fur_real(weights[f]) : other;
}

static fur_csr *make(fur_context *context, rng *r, family f, fur_value_type value,
                     fur_offset_type offset)
{
    static fur_scalar dense[ROWS][ROWS];
    int32_t *row = malloc(ROWS * ROWS * sizeof *row);
    int32_t *col = malloc(ROWS * ROWS * sizeof *col);
    void *values = entries_make(value, ROWS * ROWS);
    int64_t count = 0;
    fur_csr *a = NULL;
    fur_csr *wide = NULL;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            if (!has_entry(f, i, j))
                continue;
            dense[i][j] = f < CHAIN && j < i ? fur_complex(dense[j][i].re, -dense[j][i].im)
                                             : entry_random(f, r, value, i == j);
            row[count] = i;
            col[count] = j;
            entry_set(value, values, count++, dense[i][j]);
        }
    fur_coo_view coo = {sizeof coo, ROWS, ROWS, count, value, row, col, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_convert(a, value, offset, &wide));
    fur_csr_destroy(a);
    free(values);
    free(col);
    free(row);
    return wide;
}

static long double complex number(fur_value_type value, const void *array, int64_t i)
{
    fur_scalar x = entry_get(value, array, i);
    return (long double)x.re + (long double)x.im * I;
}

/* Exchanges row k with the row from k on that has the largest entry in column k. */
static void pivot(long double complex a[ROWS][ROWS + 1], int k)
{
    int best = k;
    for (int i = k; i < ROWS; i++)
        best = cabsl(a[i][k]) > cabsl(a[best][k]) ? i : best;
    for (int j = 0; j <= ROWS; j++) {
        long double complex kept = a[k][j];
        a[k][j] = a[best][j];
        a[best][j] = kept;
    }
}

/* Solves A x = b by Gauss-Jordan elimination of a dense matrix. */
static void solve_plainly(const fur_csr *matrix, const void *b, long double complex *x)
{
    static long double complex a[ROWS][ROWS + 1];
    const fur_csr_view *v = fur_csr_get(matrix);
    memset(a, 0, sizeof a);
    for (int i = 0; i < ROWS; i++) {
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            a[i][v->columns[k]] += number(v->value_type, v->values, k);
        a[i][ROWS] = number(v->value_type, b, i);
    }
    for (int k = 0; k < ROWS; k++) {
        pivot(a, k);
        for (int i = 0; i < ROWS; i++) {
            long double complex factor = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j <= ROWS; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (int k = 0; k < ROWS; k++)
        x[k] = a[k][ROWS] / a[k][k];
}

/* Returns the largest difference between M b and A^-1 b, relative to the largest entry. */
static double error_of(const fur_csr *a, fur_precond *p, rng *r)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    fur_vector *b = vector_random(context, r, value, ROWS);
    fur_vector *x = vector_random(context, r, value, ROWS);
    long double complex exact[ROWS];
    long double most = 0;
    long double apart = 0;
    void *right = vector_entries(b);
    ck_ok(context, fur_precond_apply(p, b, x));
    void *found = vector_entries(x);
    solve_plainly(a, right, exact);
    for (int i = 0; i < ROWS; i++) {
        most = fmaxl(most, cabsl(exact[i]));
        apart = fmaxl(apart, cabsl(exact[i] - number(value, found, i)));
    }
    free(found);
    free(right);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    return (double)(apart / most);
}

/* Checks that the report names the family's library. Skipped if the machine lacks the library. */
static void ck_taker(family f, const fur_precond *p)
{
    const char *note = fur_precond_describe(p)->note;
    const char *library = takers[f].library;
    if (is_installed(takers[f].file))
        ck_assert_msg(strncmp(note, library, strlen(library)) == 0, "%s: %s", library, note);
    else
        printf("skipped: no %s\n", library);
}

/* Solutions agree with dense elimination. If the diagonal dominates, pivots do not grow and the
 * condition number is below 100. The error of Gaussian elimination is then below 100 times epsilon
 * times the entries of a row of the factors, which are at most n. */
START_TEST(solutions_are_those_of_dense_elimination)
{
    fur_value_type value = (fur_value_type)(_i / 8);
    family f = (family)(_i / 2 % 4);
    rng r = rng_stream(1300 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, f, value, _i % 2 ? FUR_I64 : FUR_I32);
    fur_vector *scale = NULL;
    fur_precond *p = NULL;
    ck_ok(context, fur_vector_create(context, value, ROWS, &scale));
    ck_ok(context, fur_vector_fill(scale, fur_real(0.375)));
    ck_ok(context, fur_precond_create(a, &direct, &p));
    ck_taker(f, p);
    ck_assert_int_ge(fur_precond_describe(p)->entries, ROWS);
    for (int turn = 0; turn < 2; turn++) {
        double error = error_of(a, p, &r);
        ck_assert_msg(error <= 100 * ROWS * value_epsilon(value), "%g", error);
        ck_ok(context, fur_csr_scale(a, scale, NULL));
        ck_ok(context, fur_precond_update(p));
    }
    fur_precond_destroy(p);
    fur_vector_destroy(scale);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A matrix that only seems positive definite is factored by another library. The eigenvalues of its
 * small submatrices are above 0.5, but it is indefinite. Its eigenvalues are farther than 0.04 from
 * 0, so the condition number is below 200. */
START_TEST(what_is_not_definite_goes_to_another_library)
{
    rng r = rng_stream(1340);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, SHIFTED, FUR_F64, FUR_I32);
    fur_precond *p = NULL;
    fur_csr_traits traits = {.size = sizeof traits};
    ck_ok(context, fur_csr_examine(a, &traits));
    ck_assert_int_lt(traits.indefinite_row, 0);
    ck_ok(context, fur_precond_create(a, &direct, &p));
    const char *note = fur_precond_describe(p)->note;
    ck_assert_msg(strncmp(note, "CHOLMOD", 7) != 0, "%s", note);
    double error = error_of(a, p, &r);
    ck_assert_msg(error <= 200 * ROWS * value_epsilon(FUR_F64), "%g", error);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* The method "direct" works in one call, for an operator with known entries, with new values, with
 * several right-hand sides, and with factors of the caller. */
START_TEST(a_solver_makes_factors)
{
    rng r = rng_stream(1350);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, SHIFTED, FUR_F64, FUR_I32);
    fur_vector *b = vector_random(context, &r, FUR_F64, ROWS);
    fur_vector *x = vector_random(context, &r, FUR_F64, ROWS);
    fur_vectors *many = NULL;
    fur_vector *scale = NULL;
    fur_spmv *plan = NULL;
    fur_operator *op = NULL;
    fur_operator *factors = NULL;
    fur_precond *p = NULL;
    fur_solver_options o = {.size = sizeof o, .method = "direct"};
    const fur_solve_options whole = {.size = sizeof whole, .solver = &o};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_solve(a, b, x, &whole, &report));
    ck_assert_str_eq(report.method, "direct");
    ck_assert(report.outcome == FUR_OUTCOME_CONVERGED && report.iterations <= 2);
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    ck_ok(context, fur_vector_create(context, FUR_F64, ROWS, &scale));
    ck_ok(context, fur_vectors_create(context, FUR_F64, ROWS, 2, FUR_LAYOUT_COLUMNS, &many));
    for (int turn = 0; turn < 2; turn++) {
        fur_solver *solver = NULL;
        fur_solver_report each[2] = {FUR_DEFAULT(fur_solver_report),
                                     FUR_DEFAULT(fur_solver_report)};
        fur_vectors *right = NULL;
        o.preconditioner = factors;
        ck_ok(context, fur_solver_create(op, &o, &solver));
        for (int k = 0; k < ROWS; k++)
            entry_set(FUR_F64, fur_vector_data(scale), k, fur_real(1 + 8 * turn + k));
        ck_ok(context, fur_csr_scale(a, scale, NULL));
        if (p)
            ck_ok(context, fur_precond_update(p));
        ck_ok(context, fur_vector_fill(x, fur_real(0)));
        ck_ok(context, fur_solver_solve(solver, b, x, &report));
        ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED && report.iterations <= 2, "%lld: %s",
                      (long long)report.iterations, fur_outcome_name(report.outcome));
        double ones[2 * ROWS];
        for (int k = 0; k < 2 * ROWS; k++)
            ones[k] = k < ROWS ? 1 : 2;
        ck_ok(context, fur_vectors_create(context, FUR_F64, ROWS, 2, FUR_LAYOUT_COLUMNS, &right));
        ck_ok(context, fur_vectors_upload(ones, right));
        ck_ok(context, fur_vectors_upload((double[2 *ROWS]){0}, many));
        ck_ok(context, fur_solver_solve_block(solver, right, many, each));
        ck_assert_int_eq(each[1].outcome, FUR_OUTCOME_CONVERGED);
        fur_vectors_destroy(right);
        fur_solver_destroy(solver);
        if (!p) {
            ck_ok(context, fur_precond_create(a, &direct, &p));
            ck_ok(context, fur_operator_from_precond(p, &factors));
        }
    }
    fur_operator_destroy(factors);
    fur_precond_destroy(p);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_vectors_destroy(many);
    fur_vector_destroy(scale);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* The method "direct" requires the entries of A, and refuses any other preconditioner. */
START_TEST(a_solver_refuses_what_has_no_factors)
{
    rng r = rng_stream(1351);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = make(context, &r, CHAIN, FUR_F64, FUR_I32);
    fur_vector *x = vector_random(context, &r, FUR_F64, ROWS);
    fur_vector *y = vector_random(context, &r, FUR_F64, ROWS);
    fur_operator *op = NULL;
    fur_precond *p = NULL;
    fur_solver *solver = NULL;
    const fur_solver_options o = {.size = sizeof o, .method = "direct"};
    const fur_solve_options whole = {.size = sizeof whole, .solver = &o, .precond = "ic0"};
    ck_ok(context, fur_precond_create(a, NULL, &p));
    ck_ok(context, fur_operator_from_precond(p, &op));
    ck_fails(context, FUR_INVALID,
             "direct needs the entries of A: set options.matrix, or give complete factors as the "
             "preconditioner",
             fur_solver_create(op, &o, &solver));
    ck_fails(context, FUR_INVALID,
             "method direct uses complete factors as its preconditioner; leave \"ic0\" out",
             fur_solve(a, x, y, &whole, NULL));
    fur_operator_destroy(op);
    fur_precond_destroy(p);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Checks that [1 2; 2 d] is refused. */
static void ck_refused(double d, fur_status status, const char *sentence)
{
    static const int32_t row[] = {0, 0, 1, 1};
    static const int32_t col[] = {0, 1, 0, 1};
    const double values[] = {1, 2, 2, d};
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {sizeof coo, 2, 2, 4, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_fails(context, status, sentence, fur_precond_create(a, &direct, &p));
    fur_csr_destroy(a);
    fur_context_destroy(context);
}

START_TEST(what_has_no_factors_is_refused)
{
    if (is_installed("libumfpack.so"))
        ck_refused(4, FUR_INVALID, "the matrix is singular: UMFPACK found a pivot that is 0");
    else
        printf("skipped: no UMFPACK\n");
    ck_refused(
        NAN, FUR_INVALID,
        "entry (2, 2) of the matrix, counting from 1, is not finite, so the matrix has no factors");
}
END_TEST

/* Duplicates are added. */
START_TEST(kept_duplicates_are_added)
{
    static const int32_t row[] = {0, 0, 0, 1, 1};
    static const int32_t col[] = {0, 0, 1, 0, 1};
    static const double values[] = {1, 2, 1, 1, 2};
    static const double ones[] = {4, 3};
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {sizeof coo, 2, 2, 5, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    ck_ok(context, fur_precond_create(a, &direct, &p));
    fur_vector *b = vector_from(context, FUR_F64, 2, ones);
    fur_vector *x = vector_from(context, FUR_F64, 2, ones);
    ck_ok(context, fur_precond_apply(p, b, x));
    double *found = vector_entries(x);
    for (int i = 0; i < 2; i++) /* the condition number is 2.7 */
        ck_assert_double_le(fabs(found[i] - 1), 100 * value_epsilon(FUR_F64));
    free(found);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

#define RING 300
#define ORDERS 2000

/* Makes a ring: row order[k] has 4, 1 and -1 in columns after k. A is a sum of permutations, so its
 * singular values are between 2 and 6. */
static fur_csr *ring(fur_context *context, rng *r)
{
    static const double weight[] = {4, 1, -1};
    static const int32_t step[] = {1, 2, RING / 3};
    static int32_t row[3 * RING];
    static int32_t col[3 * RING];
    static double values[3 * RING];
    int32_t *order = rng_order(r, RING);
    for (int32_t k = 0; k < 3 * RING; k++) {
        row[k] = order[k / 3];
        col[k] = (k / 3 + step[k % 3]) % RING;
        values[k] = weight[k % 3];
    }
    free(order);
    fur_coo_view coo = {sizeof coo, RING, RING, (int64_t)3 * RING, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    return a;
}

/* Factors do not grow. In some orders a small pivot on the diagonal gives less fill-in, but the
 * factors grow by 4 in every row. For b = A 1 = 4, stable factors have a backward error of at most
 * 1e-10. The 2-norm of the error is then at most 1e-10 sqrt(n) (6 + 4) / 2. */
START_TEST(pivots_do_not_let_factors_grow)
{
    rng r = rng_stream(8800);
    fur_context *context = context_make(NULL, 1);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    fur_vector *ones = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, RING, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, RING, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, RING, &ones));
    ck_ok(context, fur_vector_fill(b, fur_real(4)));
    ck_ok(context, fur_vector_fill(ones, fur_real(1)));
    for (int i = 0; i < ORDERS; i++) {
        fur_csr *a = ring(context, &r);
        fur_precond *p = NULL;
        double error = NAN;
        ck_ok(context, fur_precond_create(a, &direct, &p));
        ck_ok(context, fur_precond_apply(p, b, x));
        ck_ok(context, fur_axpby(fur_real(-1), ones, fur_real(1), x));
        ck_ok(context, fur_norm2(x, &error));
        ck_assert_msg(error <= 1e-10 * sqrt(RING) * (6 + 4) / 2, "order %d: an error of %g by %s",
                      i, error, fur_precond_describe(p)->note);
        fur_precond_destroy(p);
        fur_csr_destroy(a);
    }
    fur_vector_destroy(ones);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_context_destroy(context);
}
END_TEST

START_TEST(no_rows_are_solved)
{
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {.size = sizeof coo, .value_type = FUR_F64};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_vector_create(context, FUR_F64, 0, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, 0, &x));
    ck_ok(context, fur_precond_create(a, &direct, &p));
    ck_ok(context, fur_precond_apply(p, b, x));
    fur_precond_destroy(p);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* If any allocation of the preconditioner fails, nothing is lost. The libraries allocate outside of
 * the context, so their allocations do not fail here. */
START_TEST(every_failing_allocation_is_survived)
{
    memory m = {.calls = 0};
    rng r = rng_stream(1320 + (uint64_t)_i);
    fur_context *context = context_counting(&m, NULL, 1);
    fur_csr *a = make(context, &r, (family)_i, FUR_C64, FUR_I32);
    int64_t before = m.outstanding;
    int failures = 0;
    bool failed = true;
    for (int64_t n = 1; failed; n++) {
        fur_precond *p = NULL;
        m.fail_at = m.calls + n;
        fur_status status = fur_precond_create(a, &direct, &p);
        failed = m.calls >= m.fail_at;
        ck_assert_int_eq(status, failed ? FUR_OUT_OF_MEMORY : FUR_OK);
        failures += failed;
        fur_precond_destroy(p);
        ck_assert_int_eq(m.outstanding, before);
    }
    m.fail_at = 0;
    ck_assert_int_ge(failures, 8);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Returns whether the machine has a library. Otherwise prints the reason. */
static bool is_here(void)
{
    fur_context *context = NULL;
    static const int32_t first = 0;
    static const double one = 1;
    fur_coo_view coo = {sizeof coo, 1, 1, 1, FUR_F64, &first, &first, &one};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    bool here = fur_context_create(NULL, &context) == FUR_OK &&
                fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a) == FUR_OK &&
                fur_precond_create(a, &direct, &p) == FUR_OK;
    if (!here)
        printf("skipped: %s\n", fur_context_error(context));
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return here;
}

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, solutions_are_those_of_dense_elimination, 0, 32);
    tcase_add_test(tests, what_is_not_definite_goes_to_another_library);
    tcase_add_test(tests, a_solver_makes_factors);
    tcase_add_test(tests, a_solver_refuses_what_has_no_factors);
    tcase_add_test(tests, what_has_no_factors_is_refused);
    tcase_add_test(tests, kept_duplicates_are_added);
    tcase_add_test(tests, pivots_do_not_let_factors_grow);
    tcase_add_test(tests, no_rows_are_solved);
    tcase_add_loop_test(tests, every_failing_allocation_is_survived, POSITIVE, SHIFTED);
}

int main(void)
{
    return is_here() ? run_tests("direct", add_tests) : TEST_SKIPPED;
}
