/* Tests of the fastest product in one call: the result does not depend on the choice, and the
 * report is right. */
#include "support.h"

#include <string.h>

/* Returns n random small integers. Their sums are exact in any order. */
static void *whole_numbers(rng *r, fur_value_type value, int64_t n)
{
    void *numbers = entries_make(value, n);
    for (int64_t i = 0; i < n; i++) {
        fur_scalar entry = {(double)rng_below(r, 7) - 3, (double)rng_below(r, 7) - 3};
        entry_set(value, numbers, i, value_is_complex(value) ? entry : fur_real(entry.re));
    }
    return numbers;
}

static fur_csr *whole_matrix(fur_context *context, rng *r, const char *name, fur_value_type value)
{
    pattern p = pattern_make(&shapes[shape_find(name)], r);
    void *values = whole_numbers(r, value, p.entries);
    fur_csr_view arrays = arrays_make(&p, value, FUR_I32, values);
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &a));
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    return a;
}

/* Returns op(A) x, computed entry by entry. */
static void *expected_product(const fur_csr *a, fur_op op, const void *x)
{
    const fur_csr_view *view = fur_csr_get(a);
    fur_value_type value = view->value_type;
    void *y = entries_make(value, op == FUR_OP_N ? view->rows : view->cols);
    for (int64_t i = 0; i < view->rows; i++)
        for (int64_t k = offset_at(view, i); k < offset_at(view, i + 1); k++) {
            int64_t from = op == FUR_OP_N ? view->columns[k] : i;
            int64_t to = op == FUR_OP_N ? i : view->columns[k];
            fur_scalar e = entry_get(value, view->values, k);
            fur_scalar f = entry_get(value, x, from);
            fur_scalar sum = entry_get(value, y, to);
            e.im = op == FUR_OP_H ? -e.im : e.im;
            sum.re += e.re * f.re - e.im * f.im;
            sum.im += e.re * f.im + e.im * f.re;
            entry_set(value, y, to, sum);
        }
    return y;
}

/* Checks that the product multiplies by A, or by A permuted by the product's order. */
static void check_matrix(const fur_csr *a, const fur_product *p)
{
    const fur_csr *b = fur_product_matrix(p);
    const fur_permutation *order = fur_product_order(p);
    fur_csr *expected = NULL;
    int same;
    if (!order) {
        ck_assert_ptr_eq(b, a);
        return;
    }
    ck_ok(fur_csr_context(a), fur_csr_permute(a, order, order, &expected));
    ck_ok(fur_csr_context(a), fur_csr_compare(b, expected, &same));
    ck_assert(same);
    fur_csr_destroy(expected);
}

/* Checks the product of a random vector, in the order of A's rows. */
static void check_product(const fur_csr *a, fur_op op, const fur_product *p, rng *r)
{
    fur_context *context = fur_csr_context(a);
    const fur_operator *b = fur_product_operator(p);
    const fur_permutation *order = fur_product_order(p);
    fur_value_type value = fur_operator_value_type(b);
    void *entries = whole_numbers(r, value, fur_operator_cols(b));
    void *expected = expected_product(a, op, entries);
    fur_vector *x = vector_from(context, value, fur_operator_cols(b), entries);
    fur_vector *px = vector_from(context, value, fur_operator_cols(b), entries);
    fur_vector *py = vector_random(context, r, value, fur_operator_rows(b));
    fur_vector *y = vector_random(context, r, value, fur_operator_rows(b));
    if (order)
        ck_ok(context, fur_vector_permute(order, x, px));
    ck_ok(context, fur_operator_apply(b, px, py));
    if (order)
        ck_ok(context, fur_vector_unpermute(order, py, y));
    ck_assert_int_eq(first_difference(value, fur_operator_rows(b), expected,
                                      fur_vector_const_data(order ? y : py)),
                     -1);
    fur_vector_destroy(y);
    fur_vector_destroy(py);
    fur_vector_destroy(px);
    fur_vector_destroy(x);
    free(expected);
    free(entries);
}

static const char *const kernels[] = {NULL, "auto", "reference", "merge"};
static const char *const orders[] = {NULL, "none", "auto", "rcm", "sloan"};

/* Loops over value types. */
START_TEST(whatever_is_chosen_the_result_is_that_of_the_matrix)
{
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = whole_matrix(context, &r, "small grid", value);
    for (int i = 0; i < COUNT_OF(kernels) * COUNT_OF(orders) * 3; i++) {
        fur_product_options options = {.size = sizeof options,
                                       .op = (fur_op)(i % 3),
                                       .kernel = kernels[i / 3 % COUNT_OF(kernels)],
                                       .order = orders[i / 3 / COUNT_OF(kernels)]};
        fur_product *p = NULL;
        if (options.kernel && options.order == orders[2])
            continue; /* timing the orders takes a tenth of a second */
        ck_ok(context, fur_product_create(a, &options, &p));
        check_product(a, options.op, p, &r);
        check_matrix(a, p);
        fur_product_destroy(p);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(the_report_says_what_is_used)
{
    rng r = rng_stream(100);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = whole_matrix(context, &r, "empty rows", FUR_F64);
    for (int i = 0; i < COUNT_OF(orders); i++) {
        fur_product_options options = {.size = sizeof options, .order = orders[i]};
        fur_product *p = NULL;
        ck_ok(context, fur_product_create(a, &options, &p));
        const fur_product_report *report = fur_product_describe(p);
        ck_assert_int_eq(strcmp(report->order, "none") == 0, fur_product_order(p) == NULL);
        ck_assert_int_eq(report->order_reason[0] == '\0', i < 2);
        ck_assert_int_eq(report->seconds_order > 0, i >= 2);
        ck_assert_str_ne(report->reason, "");
        ck_assert_int_gt(report->bytes, 0);
        ck_assert_int_eq(report->recognition->recognised, 0);
        if (report->seconds_before > 0)
            ck_assert_int_eq(report->seconds_after < 0.95 * report->seconds_before,
                             strcmp(report->order, "rcm") == 0);
        fur_product_destroy(p);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Makes a 5-point matrix whose coefficients are multiplied by 1 or by 100 in different places. */
static fur_csr *jumping(fur_context *context, int64_t n)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {n, n}};
    fur_vector *fields[5];
    double *values = malloc((size_t)(n * n) * sizeof *values);
    fur_stencil *stencil = NULL;
    fur_csr *a = NULL;
    ck_assert_int_eq(fur_stencil_named(5, &d), 1);
    for (int k = 0; k < 5; k++) {
        for (int64_t i = 0; i < n * n; i++)
            values[i] = d.coefficients[k].re * (i / 16 % 2 ? 100 : 1);
        fields[k] = vector_from(context, FUR_F64, n * n, values);
    }
    d.coefficients = NULL;
    d.fields = (const fur_vector *const *)fields;
    ck_ok(context, fur_stencil_create(context, &d, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &a));
    fur_stencil_destroy(stencil);
    for (int k = 0; k < 5; k++)
        fur_vector_destroy(fields[k]);
    free(values);
    return a;
}

/* The report compares the plan with the stencil: the slower one, and the bytes for each row of
 * both. Either may be faster. */
START_TEST(the_report_tells_a_race)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = jumping(context, 200);
    fur_product_options options = {.size = sizeof options, .kernel = "stencil"};
    fur_product *p = NULL;
    double bytes[2];
    char words[64];
    ck_ok(context, fur_product_create(a, &options, &p));
    ck_assert_ptr_null(strstr(fur_product_describe(p)->reason, "measures faster"));
    bytes[1] = (double)fur_product_describe(p)->recognition->bytes / (200 * 200);
    fur_product_destroy(p);
    options.kernel = NULL;
    ck_ok(context, fur_product_create(a, &options, &p));
    const fur_product_report *report = fur_product_describe(p);
    bool wins = strcmp(report->kernel, "stencil") == 0;
    const char *what = strstr(report->reason, wins ? "faster than " : "faster than the stencil");
    ck_assert_msg(what, "%s by %s", report->reason, report->kernel);
    bytes[0] = (double)report->bytes / (200 * 200);
    snprintf(words, sizeof words,
             wins ? "with %.0f bytes a row" : "with %.0f bytes a row against %.0f", bytes[0],
             bytes[1]);
    ck_assert_msg(strstr(what, words), "%s; not %s", report->reason, words);
    fur_product_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static fur_csr *laplacian(fur_context *context, int64_t n)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {n, n}};
    fur_stencil *stencil = NULL;
    fur_csr *a = NULL;
    ck_assert_int_eq(fur_stencil_named(5, &d), 1);
    ck_ok(context, fur_stencil_create(context, &d, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &a));
    fur_stencil_destroy(stencil);
    return a;
}

static fur_solver *solver_of(const fur_product *p)
{
    const fur_operator *a = fur_product_operator(p);
    const fur_solver_options how = {.size = sizeof how, .rtol = 1e-8};
    fur_solver *solver = NULL;
    ck_ok(fur_operator_context(a), fur_solver_create(a, &how, &solver));
    return solver;
}

/* Solves A x = b for b of ones. Returns the iterations. The caller frees *x. */
static int64_t solve(const fur_csr *a, fur_solver *solver, double **x)
{
    fur_context *context = fur_csr_context(a);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    const int64_t n = fur_csr_get(a)->rows;
    fur_vector *b;
    fur_vector *found;
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &found));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    ck_ok(context, fur_vector_fill(found, fur_real(0)));
    ck_ok(context, fur_solver_solve(solver, b, found, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    *x = malloc((size_t)n * sizeof **x);
    ck_ok(context, fur_vector_download(found, *x));
    fur_vector_destroy(found);
    fur_vector_destroy(b);
    return report.iterations;
}

/* As above, by the solver of a product that this function makes. */
static int64_t solve_by(const fur_csr *a, const char *kernel, double **x)
{
    const fur_product_options options = {.size = sizeof options, .kernel = kernel};
    fur_product *p = NULL;
    ck_ok(fur_csr_context(a), fur_product_create(a, &options, &p));
    fur_solver *solver = solver_of(p);
    int64_t iterations = solve(a, solver, x);
    fur_solver_destroy(solver);
    fur_product_destroy(p);
    return iterations;
}

/* A solve has the same bits and iterations with the stencil and with a plan. */
START_TEST(a_solve_by_the_stencil_is_that_by_a_plan)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = laplacian(context, 40);
    double *by_stencil;
    double *by_plan;
    ck_assert_int_eq(solve_by(a, "stencil", &by_stencil), solve_by(a, "reference", &by_plan));
    ck_assert(memcmp(by_stencil, by_plan, 1600 * sizeof *by_plan) == 0);
    free(by_plan);
    free(by_stencil);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_stencil_is_taken_where_it_is_asked_for)
{
    rng r = rng_stream(200);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = laplacian(context, 40);
    fur_csr *other = whole_matrix(context, &r, "empty rows", FUR_F64);
    fur_product_options options = {.size = sizeof options, .kernel = "stencil"};
    fur_product *p = NULL;
    ck_ok(context, fur_product_create(a, &options, &p));
    ck_assert_str_eq(fur_product_describe(p)->kernel, "stencil");
    ck_assert_int_eq(fur_product_describe(p)->recognition->points, 5);
    check_product(a, FUR_OP_N, p, &r);
    fur_product_destroy(p);
    p = NULL;
    ck_assert_int_eq(fur_product_create(other, &options, &p), FUR_UNSUPPORTED);
    ck_assert_ptr_nonnull(
        strstr(fur_context_error(context), "kernel \"stencil\" needs the matrix of a stencil: "));
    options.op = FUR_OP_T;
    ck_fails(context, FUR_UNSUPPORTED,
             "kernel \"stencil\" multiplies by A only, not by its transpose; name another kernel",
             fur_product_create(a, &options, &p));
    ck_assert_ptr_null(p);
    fur_csr_destroy(other);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(few_uses_pay_for_no_race)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = laplacian(context, 40);
    fur_product_options options = {.size = sizeof options, .order = "auto", .uses = 19};
    fur_product *p = NULL;
    ck_ok(context, fur_product_create(a, &options, &p));
    ck_assert_ptr_null(fur_product_describe(p)->recognition);
    ck_assert_str_eq(fur_product_describe(p)->order_reason,
                     "too few products are expected to pay for another");
    fur_product_destroy(p);
    options.uses = 100;
    ck_ok(context, fur_product_create(a, &options, &p));
    ck_assert_ptr_nonnull(fur_product_describe(p)->recognition);
    fur_product_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(only_a_square_matrix_has_another_order)
{
    rng r = rng_stream(300);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = whole_matrix(context, &r, "tall", FUR_F64);
    fur_product_options options = {.size = sizeof options, .order = "auto"};
    fur_product *p = NULL;
    ck_ok(context, fur_product_create(a, &options, &p));
    ck_assert_str_eq(fur_product_describe(p)->order, "none");
    ck_assert_str_eq(fur_product_describe(p)->order_reason, "the matrix is not square");
    check_product(a, FUR_OP_N, p, &r);
    fur_product_destroy(p);
    p = NULL;
    options.order = "rcm";
    ck_assert_int_eq(fur_product_create(a, &options, &p), FUR_INVALID);
    options.order = "abacus";
    ck_assert_int_ne(fur_product_create(a, &options, &p), FUR_OK);
    options.order = NULL;
    options.kernel = "abacus";
    ck_assert_int_eq(fur_product_create(a, &options, &p), FUR_UNSUPPORTED);
    ck_assert_ptr_null(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A product uses new values. Loops over the orders. */
START_TEST(new_values_are_followed)
{
    rng r = rng_stream(400 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = whole_matrix(context, &r, "empty rows", FUR_C128);
    fur_product_options options = {.size = sizeof options, .order = orders[_i]};
    fur_product *p = NULL;
    ck_ok(context, fur_product_create(a, &options, &p));
    for (int trial = 0; trial < 3; trial++) {
        void *values = whole_numbers(&r, FUR_C128, fur_csr_get(a)->entries);
        ck_ok(context, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
        check_product(a, FUR_OP_N, p, &r);
        free(values);
    }
    fur_product_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_product_in_another_order_refuses_what_it_cannot_follow)
{
    memory m = {0};
    rng r = rng_stream(500);
    fur_context *context = context_counting(&m, NULL, 1);
    fur_csr *a = whole_matrix(context, &r, "empty rows", FUR_F64);
    fur_vector *x = vector_random(context, &r, FUR_F64, fur_csr_get(a)->cols);
    fur_vector *y = vector_random(context, &r, FUR_F64, fur_csr_get(a)->rows);
    fur_product_options options = {.size = sizeof options, .order = "rcm"};
    fur_product *p = NULL;
    ck_ok(context, fur_product_create(a, &options, &p));
    ck_assert_ptr_nonnull(fur_product_order(p));
    m.fail_at = m.calls + 1;
    fur_csr_values_changed(a);
    ck_assert_int_eq(fur_operator_apply(fur_product_operator(p), x, y), FUR_INVALID);
    ck_assert_ptr_nonnull(
        strstr(fur_context_error(context), "the product could not be updated for new values"));
    fur_csr_values_changed(a);
    check_product(a, FUR_OP_N, p, &r);
    fur_csr_destroy(a);
    ck_assert_int_eq(fur_operator_apply(fur_product_operator(p), x, y), FUR_INVALID);
    fur_product_destroy(p);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Makes a product by "auto". Tries up to 20 times until the stencil is the fastest. */
static fur_product *stencil_by_race(const fur_csr *a, const char *order)
{
    const fur_product_options options = {.size = sizeof options, .order = order, .uses = 10000};
    fur_product *p = NULL;
    for (int trial = 0; trial < 20; trial++) {
        fur_product_destroy(p);
        ck_ok(fur_csr_context(a), fur_product_create(a, &options, &p));
        if (strcmp(fur_product_describe(p)->kernel, "stencil") == 0)
            break;
    }
    return p;
}

/* Replaces the diagonal of a Laplacian by multiples of 4, with `numbers` different values. If
 * `numbers` is 1, A is a stencil again. */
static void set_diagonal(fur_csr *a, int64_t numbers)
{
    const fur_csr_view *view = fur_csr_get(a);
    double *values = entries_make(FUR_F64, view->entries);
    memcpy(values, view->values, (size_t)view->entries * sizeof *values);
    for (int64_t i = 0; i < view->rows; i++)
        for (int64_t k = offset_at(view, i); k < offset_at(view, i + 1); k++)
            if (view->columns[k] == i)
                values[k] = (double)(4 * (1 + i % numbers));
    ck_ok(fur_csr_context(a), fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    free(values);
}

/* Products and solvers made when A was a stencil work after new values, which are not a stencil.
 * Loops over two orders. */
START_TEST(new_values_that_are_no_stencil_are_followed)
{
    static const char *const two[] = {NULL, "auto"};
    static const int64_t numbers[] = {7, 1, 3, 1};
    rng r = rng_stream(700 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = laplacian(context, 64);
    fur_product *p = stencil_by_race(a, two[_i]);
    const fur_operator *op = fur_product_operator(p);
    fur_solver *solver = solver_of(p);
    for (int i = 0; i < COUNT_OF(numbers); i++) {
        double *x;
        double *expected;
        set_diagonal(a, numbers[i]);
        ck_assert_ptr_eq(fur_product_operator(p), op);
        check_product(a, FUR_OP_N, p, &r);
        ck_assert_str_ne(fur_product_describe(p)->kernel, i == 0 ? "stencil" : "");
        if (!fur_product_order(p)) {
            ck_assert_int_eq(solve(a, solver, &x), solve_by(a, "reference", &expected));
            ck_assert(memcmp(x, expected, 4096 * sizeof *x) == 0);
            free(expected);
            free(x);
        }
    }
    fur_solver_destroy(solver);
    fur_product_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_stencil_that_was_asked_for_waits_for_values_that_suit_it)
{
    rng r = rng_stream(800);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = laplacian(context, 40);
    fur_vector *x = vector_random(context, &r, FUR_F64, 1600);
    fur_vector *y = vector_random(context, &r, FUR_F64, 1600);
    const fur_product_options options = {.size = sizeof options, .kernel = "stencil"};
    fur_product *p = NULL;
    ck_ok(context, fur_product_create(a, &options, &p));
    set_diagonal(a, 5);
    ck_assert_int_eq(fur_operator_apply(fur_product_operator(p), x, y), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "recognise the matrix again"));
    set_diagonal(a, 1);
    check_product(a, FUR_OP_N, p, &r);
    ck_assert_str_eq(fur_product_describe(p)->kernel, "stencil");
    fur_product_destroy(p);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A product by half of a matrix is a product by the complete matrix. Loops over symmetric and
 * Hermitian halves. */
START_TEST(half_of_a_matrix_is_taken_for_the_whole)
{
    rng r = rng_stream(600 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *lower = NULL;
    fur_csr *a = laplacian(context, 30);
    fur_product_options options = {.size = sizeof options,
                                   .half = _i ? FUR_HALF_HERMITIAN : FUR_HALF_SYMMETRIC};
    fur_product *p = NULL;
    ck_ok(context, fur_csr_band(a, INT64_MIN, 0, &lower));
    ck_ok(context, fur_product_create(lower, &options, &p));
    ck_assert_str_eq(fur_product_describe(p)->kernel, "half");
    ck_assert_ptr_null(fur_product_describe(p)->recognition);
    check_product(a, FUR_OP_N, p, &r);
    fur_product_destroy(p);
    p = NULL;
    options.kernel = "stencil";
    ck_fails(context, FUR_INVALID,
             "kernel \"stencil\" does not accept half of a matrix; use \"auto\"",
             fur_product_create(lower, &options, &p));
    options.kernel = NULL;
    options.order = "rcm";
    ck_fails(context, FUR_INVALID,
             "half of a matrix cannot be reordered by \"rcm\"; permute the complete matrix by "
             "fur_csr_permute",
             fur_product_create(lower, &options, &p));
    ck_assert_ptr_null(p);
    fur_csr_destroy(lower);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_race_needs_two_of_one_shape)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = laplacian(context, 20);
    fur_csr *b = laplacian(context, 21);
    fur_product *p = NULL;
    fur_product *q = NULL;
    double least[2] = {-1, -1};
    const char *sentence = "both operators need the same shape, value type and context, and the "
                           "seconds must be 0 or more";
    ck_ok(context, fur_product_create(a, NULL, &p));
    ck_ok(context, fur_product_create(b, NULL, &q));
    const fur_operator *racers[] = {fur_product_operator(p), fur_product_operator(q)};
    ck_fails(context, FUR_INVALID, sentence, fur_operator_race(racers, 0, least));
    racers[1] = racers[0];
    ck_fails(context, FUR_INVALID, sentence, fur_operator_race(racers, -1, least));
    ck_assert(least[0] == -1 && least[1] == -1);
    ck_ok(context, fur_operator_race(racers, 0, least));
    ck_assert(least[0] > 0 && least[1] > 0);
    fur_product_destroy(q);
    fur_product_destroy(p);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, whatever_is_chosen_the_result_is_that_of_the_matrix, 0,
                        FUR_VALUE_COUNT);
    tcase_add_test(tests, the_report_says_what_is_used);
    tcase_add_test(tests, the_report_tells_a_race);
    tcase_add_test(tests, a_solve_by_the_stencil_is_that_by_a_plan);
    tcase_add_test(tests, a_stencil_is_taken_where_it_is_asked_for);
    tcase_add_test(tests, few_uses_pay_for_no_race);
    tcase_add_test(tests, only_a_square_matrix_has_another_order);
    tcase_add_loop_test(tests, new_values_are_followed, 0, COUNT_OF(orders));
    tcase_add_test(tests, a_product_in_another_order_refuses_what_it_cannot_follow);
    tcase_add_loop_test(tests, new_values_that_are_no_stencil_are_followed, 0, 2);
    tcase_add_test(tests, a_stencil_that_was_asked_for_waits_for_values_that_suit_it);
    tcase_add_loop_test(tests, half_of_a_matrix_is_taken_for_the_whole, 0, 2);
    tcase_add_test(tests, a_race_needs_two_of_one_shape);
}

int main(void)
{
    return run_tests("product", add_tests);
}
