/* Several right-hand sides at once. Each column has the x, outcome and report of a single solve,
 * bit for bit. This holds for unreduced and reduced systems, every kind of preconditioner and any
 * layout. It holds for easy, hard and unsolvable columns side by side, and for methods that solve
 * one column after the other. */
#include "dense.h"

#include <math.h>
#include <string.h>

#define MAX 19 /* columns; more than a solver solves together */

/* A system D A D with the matrix A of a grid and a random D. No storage format can use much less
 * memory than the entries. With 5 points its rows have two colours. */
typedef struct system {
    fur_context *context;
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *a;
    fur_precond *precond;
    fur_operator *m;
    int64_t n;
} system_case;

static void scale(fur_csr *a)
{
    rng r = rng_stream(99);
    fur_context *context = fur_csr_context(a);
    fur_vector *d = NULL;
    double entries[13 * 11];
    for (int i = 0; i < COUNT_OF(entries); i++)
        entries[i] = 1 + 0.25 * rng_unit(&r);
    ck_ok(context, fur_vector_create(context, FUR_F64, COUNT_OF(entries), &d));
    ck_ok(context, fur_vector_upload(entries, d));
    ck_ok(context, fur_csr_scale(a, d, d));
    fur_vector_destroy(d);
}

static system_case system_open(fur_context *context, int points, fur_value_type value, double shift,
                               const char *kind)
{
    system_case s = {.context = context, .n = 13 * 11};
    fur_stencil *stencil = NULL;
    fur_csr *made = NULL;
    fur_csr *shifted = NULL;
    fur_stencil_definition definition = FUR_DEFAULT(fur_stencil_definition);
    fur_stencil_named(points, &definition);
    definition.value_type = FUR_F64;
    definition.extent[0] = 13;
    definition.extent[1] = 11;
    ck_ok(context, fur_stencil_create(context, &definition, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &made));
    ck_ok(context, fur_csr_shift(made, fur_real(shift), &shifted));
    scale(shifted);
    ck_ok(context, fur_csr_convert(shifted, value, FUR_I32, &s.matrix));
    ck_ok(context, fur_spmv_plan(s.matrix, NULL, &s.plan));
    ck_ok(context, fur_operator_from_spmv(s.plan, &s.a));
    if (kind && strcmp(kind, "jacobi") == 0) {
        ck_ok(context, fur_operator_jacobi(s.a, &s.m));
    } else if (kind) {
        fur_precond_options options = {.size = sizeof options, .kind = kind};
        ck_ok(context, fur_precond_create(s.matrix, &options, &s.precond));
        ck_ok(context, fur_operator_from_precond(s.precond, &s.m));
    }
    fur_csr_destroy(shifted);
    fur_csr_destroy(made);
    fur_stencil_destroy(stencil);
    return s;
}

static void system_close(system_case *s)
{
    fur_operator_destroy(s->m);
    fur_precond_destroy(s->precond);
    fur_operator_destroy(s->a);
    fur_spmv_destroy(s->plan);
    fur_csr_destroy(s->matrix);
}

/* Returns entry i of n of a right-hand side that is smooth, a unit vector, tiny, huge, or 0. */
static double special(int kind, fur_value_type value, int64_t i, int64_t n)
{
    switch (kind) {
    case 1:
        return sin((double)(i + 1) / (double)n);
    case 2:
        return i == n / 2;
    case 3:
        return value_epsilon(value) > 1e-10 ? 1e-25 : 1e-200;
    case 4:
        return i % 7 == 0 ? 1e10 : 0;
    default:
        return 0;
    }
}

/* Returns right-hand sides of all kinds, stored by rows. One in six is random. */
static void *entries_of_b(rng *r, fur_value_type value, int64_t n, int64_t cols)
{
    void *b = entries_random(r, value, n * cols);
    for (int64_t i = 0; i < n * cols; i++) {
        int kind = (int)(i % cols % 6);
        if (kind > 0)
            entry_set(value, b, i, fur_real(special(kind, value, i / cols, n)));
    }
    return b;
}

static fur_vectors *block_of(fur_context *context, fur_value_type value, int64_t n, int64_t cols,
                             fur_layout layout, void *by_rows)
{
    fur_vectors *given = NULL;
    fur_vectors *block = NULL;
    fur_vectors_view view = {sizeof view, n, cols, value, FUR_LAYOUT_ROWS, 0, by_rows};
    ck_ok(context, fur_vectors_wrap(context, &view, FUR_OWNERSHIP_COPY, &given));
    ck_ok(context, fur_vectors_create(context, value, n, cols, layout, &block));
    ck_ok(context, fur_vectors_copy(given, block));
    fur_vectors_destroy(given);
    return block;
}

/* Copies column j into a new vector. */
static fur_vector *column_of(fur_context *context, const fur_vectors *block, int64_t j)
{
    const fur_vectors_view *v = fur_vectors_get(block);
    fur_vectors *from = NULL;
    fur_vectors *to = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_vectors_columns((fur_vectors *)(uintptr_t)block, j, 1, &from));
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &x));
    ck_ok(context, fur_vectors_from_vector(x, &to));
    ck_ok(context, fur_vectors_copy(from, to));
    fur_vectors_destroy(to);
    fur_vectors_destroy(from);
    return x;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_report(const fur_solver_report *f, const fur_solver_report *e, int64_t j)
{
    ck_assert_msg(f->outcome == e->outcome, "column %lld: %s, not %s", (long long)j,
                  fur_outcome_name(f->outcome), fur_outcome_name(e->outcome));
    ck_assert_int_eq(f->iterations, e->iterations);
    ck_assert_int_eq(f->products, e->products);
    ck_assert(same(f->residual, e->residual) && same(f->condition, e->condition));
    ck_assert(same(f->residual_recurrence, e->residual_recurrence) && same(f->norm, e->norm));
    ck_assert(same(f->residual_bound, e->residual_bound));
    ck_assert(same(f->error_a_norm, e->error_a_norm));
    ck_assert(f->reduced == e->reduced && same(f->bytes, e->bytes));
}

/* Checks that the columns of X equal the results of single solves from the same random guesses. */
static void check_block(const system_case *s, rng *r, const fur_solver_options *options,
                        int64_t cols, fur_layout b_layout, fur_layout x_layout)
{
    fur_value_type value = fur_operator_value_type(s->a);
    fur_solver *solver = NULL;
    fur_solver *single = NULL;
    fur_solver_report reports[MAX];
    for (int j = 0; j < MAX; j++)
        reports[j] = FUR_DEFAULT(fur_solver_report);
    void *b_entries = entries_of_b(r, value, s->n, cols);
    void *x_entries = entries_random(r, value, s->n * cols);
    for (int64_t i = 0; i < s->n; i++) /* columns with a tiny b start from 0 */
        for (int64_t j = 3; j < cols; j += 6)
            entry_set(value, x_entries, i * cols + j, fur_real(0));
    fur_vectors *b = block_of(s->context, value, s->n, cols, b_layout, b_entries);
    fur_vectors *x = block_of(s->context, value, s->n, cols, x_layout, x_entries);
    fur_vectors *guess = block_of(s->context, value, s->n, cols, FUR_LAYOUT_COLUMNS, x_entries);
    ck_ok(s->context, fur_solver_create(s->a, options, &solver));
    ck_ok(s->context, fur_solver_create(s->a, options, &single));
    ck_ok(s->context, fur_solver_solve_block(solver, b, x, reports));
    for (int64_t j = 0; j < cols; j++) {
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        fur_vector *own_b = column_of(s->context, b, j);
        fur_vector *expected = column_of(s->context, guess, j);
        fur_vector *found = column_of(s->context, x, j);
        ck_ok(s->context, fur_solver_solve(single, own_b, expected, &report));
        check_report(&reports[j], &report, j);
        ck_same_bits(found, expected);
        fur_vector_destroy(found);
        fur_vector_destroy(expected);
        fur_vector_destroy(own_b);
    }
    fur_solver_destroy(single);
    fur_solver_destroy(solver);
    fur_vectors_destroy(guess);
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    free(x_entries);
    free(b_entries);
}

/* Each column equals a separate solve. Loops over value types. Systems of 5 points are reduced or
 * not; systems of 9 points do not have two colours. */
START_TEST(columns_are_solves_of_their_own)
{
    static const char *const kinds[] = {NULL, "jacobi", "ic0", "ssor", "amg"};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream((uint64_t)_i);
    for (int i = 0; i < 2 * COUNT_OF(kinds); i++) {
        system_case s = system_open(context, i % 2 ? 9 : 5, (fur_value_type)_i, 0.01, kinds[i / 2]);
        for (int whole = 0; whole < 2; whole++) {
            fur_solver_options options = {.size = sizeof options,
                                          .preconditioner = s.m,
                                          .no_reduction = whole,
                                          .bounds = i == 0};
            int64_t cols = rng_below(&r, MAX + 1);
            check_block(&s, &r, &options, cols, (fur_layout)rng_below(&r, 2),
                        (fur_layout)rng_below(&r, 2));
        }
        system_close(&s);
    }
    fur_context_destroy(context);
}
END_TEST

/* Columns that do not converge also equal separate solves: tolerances at the limit of rounding, too
 * few iterations, indefinite matrices. Loops over value types. */
START_TEST(columns_that_are_not_solved_are_those_of_their_own)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(10 + (uint64_t)_i);
    double epsilon = value_epsilon((fur_value_type)_i);
    const struct {
        double shift;
        fur_solver_options options;
    } cases[] = {
        {0, {.rtol = 4 * epsilon}},          {0, {.rtol = 30 * epsilon, .check_every = 5}},
        {0, {.max_iterations = 7}},          {-0.5, {.no_reduction = 1}},
        {-0.5, {.no_reduction = 0}},         {-9, {.no_reduction = 0}},
        {0, {.atol = 1e3, .rtol = epsilon}},
    };
    for (int i = 0; i < 2 * COUNT_OF(cases); i++) {
        system_case s =
            system_open(context, i % 2 ? 9 : 5, (fur_value_type)_i, cases[i / 2].shift, NULL);
        fur_solver_options options = cases[i / 2].options;
        options.size = sizeof options;
        check_block(&s, &r, &options, 1 + rng_below(&r, MAX), FUR_LAYOUT_COLUMNS, FUR_LAYOUT_ROWS);
        system_close(&s);
    }
    fur_context_destroy(context);
}
END_TEST

/* Asymmetry ends a column after 16, 32, ... iterations, as in a separate solve. */
START_TEST(lost_columns_end_as_alone)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(20);
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        dense d = dense_dominant(&r, (fur_value_type)value, 90, false, true);
        dense_set(&d, 0, 89, fur_real(50));
        dense_problem p = dense_open(&d, context);
        system_case s = {.context = context, .a = p.a, .n = 90};
        fur_solver_options options = {.size = sizeof options};
        check_block(&s, &r, &options, 7, FUR_LAYOUT_COLUMNS, FUR_LAYOUT_COLUMNS);
        dense_close(&p);
        dense_release(&d);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(other_methods_take_one_column_after_the_other)
{
    static const char *const methods[] = {"minres", "gmres", "idrs"};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(30);
    system_case s = system_open(context, 5, FUR_F64, 0.01, "jacobi");
    for (int i = 0; i < COUNT_OF(methods); i++) {
        fur_solver_options options = {
            .size = sizeof options, .method = methods[i], .preconditioner = s.m};
        check_block(&s, &r, &options, 4, FUR_LAYOUT_ROWS, FUR_LAYOUT_COLUMNS);
        check_block(&s, &r, &options, 3, FUR_LAYOUT_COLUMNS, FUR_LAYOUT_COLUMNS);
    }
    system_close(&s);
    fur_context_destroy(context);
}
END_TEST

typedef struct hearing {
    int64_t calls[MAX];
    int64_t stop; /* column to stop */
} hearing;

static int hear(void *user, const fur_solver_progress *progress)
{
    hearing *h = user;
    h->calls[progress->column]++;
    return progress->column == h->stop && progress->iteration == 3;
}

/* A monitor that stops one column does not stop the others. It is called for all columns. A second
 * solve allocates nothing. */
START_TEST(columns_are_heard_of_and_stopped_one_by_one)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    rng r = rng_stream(40);
    system_case s = system_open(context, 9, FUR_F64, 0.01, NULL);
    hearing h = {.stop = 17};
    fur_solver_options options = {.size = sizeof options, .monitor = hear, .monitor_user = &h};
    fur_solver_report reports[MAX];
    fur_solver *solver = NULL;
    void *entries = entries_random(&r, FUR_F64, s.n * MAX);
    fur_vectors *b = block_of(context, FUR_F64, s.n, MAX, FUR_LAYOUT_COLUMNS, entries);
    fur_vectors *x = NULL;
    for (int j = 0; j < MAX; j++)
        reports[j] = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_vectors_create(context, FUR_F64, s.n, MAX, FUR_LAYOUT_COLUMNS, &x));
    ck_ok(context, fur_solver_create(s.a, &options, &solver));
    ck_ok(context, fur_solver_solve_block(solver, b, x, reports));
    for (int j = 0; j < MAX; j++) {
        ck_assert_int_eq(reports[j].outcome,
                         j == h.stop ? FUR_OUTCOME_STOPPED : FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(h.calls[j], reports[j].iterations + 1);
    }
    int64_t calls = m.calls;
    ck_ok(context, fur_vectors_fill(x, fur_real(0)));
    ck_ok(context, fur_solver_solve_block(solver, b, x, NULL));
    ck_assert_int_eq(m.calls, calls);
    fur_solver_destroy(solver);
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    free(entries);
    system_close(&s);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* If any allocation of the first solve fails, a second solve works. Loops over matrices with and
 * without two colours. */
START_TEST(failing_allocations_leave_a_solver_that_works)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    rng r = rng_stream(50);
    system_case s = system_open(context, _i ? 9 : 5, FUR_F64, 0.01, NULL);
    void *entries = entries_random(&r, FUR_F64, s.n * 3);
    fur_vectors *b = block_of(context, FUR_F64, s.n, 3, FUR_LAYOUT_ROWS, entries);
    fur_vectors *x = NULL;
    ck_ok(context, fur_vectors_create(context, FUR_F64, s.n, 3, FUR_LAYOUT_ROWS, &x));
    bool failed = true;
    for (int64_t n = 1; failed; n++) {
        fur_solver *solver = NULL;
        fur_solver_report reports[3];
        for (int j = 0; j < 3; j++)
            reports[j] = FUR_DEFAULT(fur_solver_report);
        ck_ok(context, fur_solver_create(s.a, NULL, &solver));
        m.fail_at = m.calls + n;
        fur_status status = fur_solver_solve_block(solver, b, x, reports);
        failed = m.calls >= m.fail_at;
        m.fail_at = 0;
        ck_assert(status == FUR_OK || (failed && status == FUR_OUT_OF_MEMORY));
        if (status != FUR_OK)
            ck_assert_int_eq(reports[2].outcome, FUR_OUTCOME_UNSOLVED);
        ck_ok(context, fur_solver_solve_block(solver, b, x, reports));
        for (int j = 0; j < 3; j++)
            ck_assert_int_eq(reports[j].outcome, FUR_OUTCOME_CONVERGED);
        ck_assert(failed || n > 10);
        fur_solver_destroy(solver);
    }
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    free(entries);
    system_close(&s);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(wrong_blocks_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    system_case s = system_open(context, 5, FUR_F64, 0.01, NULL);
    fur_solver *solver = NULL;
    fur_vectors *b = NULL;
    fur_vectors *x = NULL;
    fur_vectors *few = NULL;
    fur_vectors *part = NULL;
    fur_vectors *narrow = NULL;
    ck_ok(context, fur_solver_create(s.a, NULL, &solver));
    ck_ok(context, fur_vectors_create(context, FUR_F64, s.n, 4, FUR_LAYOUT_COLUMNS, &b));
    ck_ok(context, fur_vectors_create(context, FUR_F64, s.n, 4, FUR_LAYOUT_ROWS, &x));
    ck_ok(context, fur_vectors_create(context, FUR_F64, s.n, 3, FUR_LAYOUT_ROWS, &few));
    ck_ok(context, fur_vectors_create(context, FUR_F32, s.n, 4, FUR_LAYOUT_ROWS, &narrow));
    ck_ok(context, fur_vectors_columns(b, 0, 4, &part));
    ck_fails(context, FUR_INVALID, "B has 4 columns, but X has 3",
             fur_solver_solve_block(solver, b, few, NULL));
    ck_fails(context, FUR_INVALID,
             "B has columns of 143 entries of type f32, but the solver needs 143 of type f64",
             fur_solver_solve_block(solver, narrow, x, NULL));
    ck_fails(context, FUR_INVALID, "B and X overlap in memory; give each a separate array",
             fur_solver_solve_block(solver, b, part, NULL));
    double nonfinite[4 * 143] = {0};
    nonfinite[2 * 143 + 8] = NAN;
    ck_ok(context, fur_vectors_upload(nonfinite, b));
    ck_fails(context, FUR_INVALID,
             "column 3, counting from 1: entry 9 of b, counting from 1, is not finite; nothing was "
             "solved",
             fur_solver_solve_block(solver, b, x, NULL));
    fur_vectors_destroy(part);
    fur_vectors_destroy(narrow);
    fur_vectors_destroy(few);
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    fur_solver_destroy(solver);
    system_close(&s);
    fur_context_destroy(context);
}
END_TEST

/* Solves of blocks have the same bits for any number of threads. Loops over value types. */
START_TEST(blocks_have_the_same_bits_for_any_number_of_threads)
{
    static const int threads[] = {1, 2, 3, 8};
    void *first = NULL;
    for (int i = 0; i < COUNT_OF(threads); i++) {
        fur_context *context = context_make(NULL, threads[i]);
        fur_value_type value = (fur_value_type)_i;
        rng r = rng_stream(60);
        system_case s = system_open(context, 5, value, 0.01, NULL);
        fur_solver *solver = NULL;
        void *entries = entries_random(&r, value, s.n * 5);
        void *found = entries_make(value, s.n * 5);
        fur_vectors *b = block_of(context, value, s.n, 5, FUR_LAYOUT_ROWS, entries);
        fur_vectors *x = NULL;
        ck_ok(context, fur_vectors_create(context, value, s.n, 5, FUR_LAYOUT_ROWS, &x));
        ck_ok(context, fur_solver_create(s.a, NULL, &solver));
        ck_ok(context, fur_solver_solve_block(solver, b, x, NULL));
        ck_ok(context, fur_vectors_download(x, found));
        if (first)
            ck_assert_int_eq(first_difference(value, s.n * 5, found, first), -1);
        if (first)
            free(found);
        else
            first = found;
        free(entries);
        fur_solver_destroy(solver);
        fur_vectors_destroy(x);
        fur_vectors_destroy(b);
        system_close(&s);
        fur_context_destroy(context);
    }
    free(first);
}
END_TEST

#define GRID_COLS 5
#define GRID_ROWS (31 * 29)

/* Solves with the matrix of a grid by cg, with recorded calls rather than in one kernel. */
static void solve_grid(fur_context *context, fur_value_type value, int points, int whole,
                       fur_layout layout, void *entries, void *found, fur_solver_report *reports)
{
    fur_stencil *stencil = NULL;
    fur_csr *made = NULL;
    fur_csr *matrix = NULL;
    fur_spmv *plan = NULL;
    fur_operator *a = NULL;
    fur_operator *m = NULL;
    fur_solver *solver = NULL;
    fur_vectors *b = NULL;
    fur_vectors *x = NULL;
    fur_stencil_definition definition = FUR_DEFAULT(fur_stencil_definition);
    fur_stencil_named(points, &definition);
    definition.value_type = FUR_F64;
    definition.extent[0] = 31;
    definition.extent[1] = 29;
    ck_ok(context, fur_stencil_create(context, &definition, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &made));
    ck_ok(context, fur_csr_convert(made, value, FUR_I32, &matrix));
    ck_ok(context, fur_spmv_plan(matrix, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &a));
    ck_ok(context, fur_operator_jacobi(a, &m));
    ck_ok(context, fur_vectors_create(context, value, GRID_ROWS, GRID_COLS, layout, &b));
    ck_ok(context, fur_vectors_create(context, value, GRID_ROWS, GRID_COLS, layout, &x));
    ck_ok(context, fur_vectors_upload(entries, b));
    fur_solver_options options = {.size = sizeof options,
                                  .preconditioner = m,
                                  .no_reduction = whole,
                                  .execution = FUR_EXECUTION_RECORDED};
    ck_ok(context, fur_solver_create(a, &options, &solver));
    ck_ok(context, fur_solver_solve_block(solver, b, x, reports));
    ck_ok(context, fur_vectors_download(x, found));
    fur_solver_destroy(solver);
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    fur_operator_destroy(m);
    fur_operator_destroy(a);
    fur_spmv_destroy(plan);
    fur_csr_destroy(matrix);
    fur_csr_destroy(made);
    fur_stencil_destroy(stencil);
}

/* X, outcomes and iterations equal those of one CPU thread on every device. Loops over value types.
 */
START_TEST(blocks_have_the_same_bits_everywhere)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *host = context_cpu("portable", 1);
    fur_context *device = context_make(NULL, 3);
    rng r = rng_stream(700 + (uint64_t)_i);
    void *entries = entries_random(&r, value, (int64_t)GRID_ROWS * GRID_COLS);
    void *expected = entries_make(value, (int64_t)GRID_ROWS * GRID_COLS);
    void *found = entries_make(value, (int64_t)GRID_ROWS * GRID_COLS);
    for (int i = 0; i < 8; i++) {
        fur_solver_report of_host[GRID_COLS];
        fur_solver_report of_device[GRID_COLS];
        fur_layout layout = i & 4 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS;
        for (int j = 0; j < GRID_COLS; j++)
            of_host[j] = of_device[j] = FUR_DEFAULT(fur_solver_report);
        solve_grid(host, value, i & 1 ? 9 : 5, i & 2, layout, entries, expected, of_host);
        solve_grid(device, value, i & 1 ? 9 : 5, i & 2, layout, entries, found, of_device);
        for (int j = 0; j < GRID_COLS; j++) {
            ck_assert_int_eq(of_device[j].outcome, of_host[j].outcome);
            ck_assert_int_eq(of_device[j].iterations, of_host[j].iterations);
        }
        ck_assert_int_eq(first_difference(value, (int64_t)GRID_ROWS * GRID_COLS, found, expected),
                         -1);
    }
    free(found);
    free(expected);
    free(entries);
    fur_context_destroy(device);
    fur_context_destroy(host);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, blocks_have_the_same_bits_everywhere, 0, FUR_VALUE_COUNT);
    if (on_gpu())
        return;
    tcase_add_loop_test(tests, columns_are_solves_of_their_own, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, columns_that_are_not_solved_are_those_of_their_own, 0,
                        FUR_VALUE_COUNT);
    tcase_add_test(tests, lost_columns_end_as_alone);
    tcase_add_test(tests, other_methods_take_one_column_after_the_other);
    tcase_add_test(tests, columns_are_heard_of_and_stopped_one_by_one);
    tcase_add_loop_test(tests, failing_allocations_leave_a_solver_that_works, 0, 2);
    tcase_add_test(tests, wrong_blocks_are_refused);
    tcase_add_loop_test(tests, blocks_have_the_same_bits_for_any_number_of_threads, 0,
                        FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("solve_block", add_tests);
}
