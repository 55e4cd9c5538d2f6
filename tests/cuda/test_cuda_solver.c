/* Solvers on a GPU. Every method for square matrices has the iterates, iterations and outcome of
 * the CPU, bit for bit. Conjugate gradients have them for any interval of checks by the host and
 * for every execution. A solve allocates nothing. */
#include "cuda_support.h"

#include <math.h>

/* A matrix or a stencil, its operator, and vectors of its size, in one context. */
typedef struct problem {
    fur_context *context;
    fur_csr *a;
    fur_spmv *plan;
    fur_stencil *stencil;
    fur_operator *op;
    fur_operator *jacobi;
    fur_vector *b;
    fur_vector *x;
} problem;

/* The arrays of a problem: a grid's Laplacian, in which the diagonal entry `bad_row` may differ.
 * Complex matrices have a factor u of modulus 1 right of the diagonal and conj(u) left of it, which
 * keeps the eigenvalues. */
typedef struct assembly {
    pattern pattern;
    fur_csr_view arrays;
    void *values;
    void *b;
} assembly;

static fur_scalar laplacian(fur_value_type value, int64_t row, int64_t col)
{
    if (row == col)
        return fur_real(6);
    if (!value_is_complex(value))
        return fur_real(-1);
    return fur_complex(-0.6, col > row ? 0.8 : -0.8);
}

static assembly assemble(const char *shape_name, fur_value_type value, int64_t bad_row,
                         double bad_entry)
{
    assembly m;
    rng r = rng_stream(1);
    m.pattern = pattern_make(&shapes[shape_find(shape_name)], &r);
    m.values = entries_make(value, m.pattern.entries);
    m.b = entries_random(&r, value, m.pattern.rows);
    for (int64_t i = 0; i < m.pattern.rows; i++) {
        for (int64_t k = m.pattern.offsets[i]; k < m.pattern.offsets[i + 1]; k++) {
            bool bad = i == bad_row && m.pattern.columns[k] == i;
            entry_set(value, m.values, k,
                      bad ? fur_real(bad_entry) : laplacian(value, i, m.pattern.columns[k]));
        }
    }
    m.arrays = arrays_make(&m.pattern, value, FUR_I32, m.values);
    return m;
}

static void assembly_release(assembly *m)
{
    arrays_release(&m->arrays);
    free(m->b);
    free(m->values);
    pattern_release(&m->pattern);
}

static problem problem_open(fur_context *context, const assembly *m, const char *kernel)
{
    problem p = {.context = context};
    fur_spmv_options options = {.size = sizeof options, .kernel = kernel};
    ck_ok(context, fur_csr_create(context, &m->arrays, FUR_OWNERSHIP_COPY, &p.a));
    ck_ok(context, fur_spmv_plan(p.a, &options, &p.plan));
    ck_ok(context, fur_operator_from_spmv(p.plan, &p.op));
    ck_ok(context, fur_operator_jacobi(p.op, &p.jacobi));
    p.b = vector_from(context, m->arrays.value_type, m->arrays.rows, m->b);
    ck_ok(context, fur_vector_create(context, m->arrays.value_type, m->arrays.rows, &p.x));
    return p;
}

/* A star-shaped stencil with coefficients for the neighbours and for the centre. */
typedef struct star {
    int points;
    int64_t extent[3];
    fur_scalar before; /* its conjugate is `behind` if the matrix is Hermitian */
    fur_scalar behind;
    double center;
} star;

static problem stencil_open(fur_context *context, fur_value_type value, const star *s,
                            const void *b)
{
    problem p = {.context = context};
    fur_scalar coefficients[27];
    fur_stencil_definition d = {.size = sizeof d, .value_type = value};
    ck_assert(fur_stencil_named(s->points, &d));
    for (int k = 0; k < d.points; k++) {
        fur_stencil_offset o = d.offsets[k];
        int side = o.x + o.y + o.z;
        coefficients[k] = side < 0 ? s->before : side > 0 ? s->behind : fur_real(s->center);
    }
    d.coefficients = coefficients;
    memcpy(d.extent, s->extent, sizeof d.extent);
    ck_ok(context, fur_stencil_create(context, &d, &p.stencil));
    ck_ok(context, fur_operator_from_stencil(p.stencil, &p.op));
    ck_ok(context, fur_operator_jacobi(p.op, &p.jacobi));
    p.b = vector_from(context, value, fur_operator_rows(p.op), b);
    ck_ok(context, fur_vector_create(context, value, fur_operator_rows(p.op), &p.x));
    return p;
}

static void problem_close(problem *p)
{
    fur_vector_destroy(p->x);
    fur_vector_destroy(p->b);
    fur_operator_destroy(p->jacobi);
    fur_operator_destroy(p->op);
    fur_stencil_destroy(p->stencil);
    fur_spmv_destroy(p->plan);
    fur_csr_destroy(p->a);
}

/* Solves from x = 0. */
static fur_solver_report solve(const problem *p, const fur_solver_options *options)
{
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(p->context, fur_vector_fill(p->x, fur_real(0)));
    ck_ok(p->context, fur_solver_create(p->op, options, &solver));
    ck_ok(p->context, fur_solver_solve(solver, p->b, p->x, &report));
    fur_solver_destroy(solver);
    return report;
}

static void ck_same_number(double a, double b, const char *what)
{
    ck_assert_msg(first_difference(FUR_F64, 1, &a, &b) < 0, "%s: %a, on the CPU %a", what, a, b);
}

/* Compares a solve on the GPU with the CPU's solve, whose x is still in host->x. */
static void check_solve(const problem *host, const fur_solver_report *on_host, const problem *gpu,
                        fur_solver_options options, bool jacobi, int64_t check_every)
{
    fur_value_type value = fur_vector_value_type(host->x);
    fur_solver_report expected = *on_host;
    options.size = sizeof options;
    options.preconditioner = jacobi ? gpu->jacobi : NULL;
    options.check_every = check_every;
    fur_solver_report report = solve(gpu, &options);
    ck_assert_msg(report.outcome == expected.outcome && report.iterations == expected.iterations,
                  "way %d, a look every %lld: %s after %lld, on the CPU %s after %lld",
                  (int)options.execution, (long long)check_every, fur_outcome_name(report.outcome),
                  (long long)report.iterations, fur_outcome_name(expected.outcome),
                  (long long)expected.iterations);
    ck_same_number(report.residual_recurrence, expected.residual_recurrence, "recurrence residual");
    ck_same_number(report.residual, expected.residual, "residual");
    ck_same_number(report.residual_bound, expected.residual_bound, "bound of the residual");
    ck_same_number(report.error_a_norm, expected.error_a_norm, "estimate of the error");
    void *x = vector_entries(gpu->x);
    ck_assert_int_eq(
        first_difference(value, fur_vector_size(host->x), x, fur_vector_const_data(host->x)), -1);
    free(x);
}

static fur_solver_report solve_on_host(const problem *host, fur_solver_options options, bool jacobi)
{
    options.size = sizeof options;
    options.preconditioner = jacobi ? host->jacobi : NULL;
    return solve(host, &options);
}

#define EXECUTIONS (FUR_EXECUTION_PERSISTENT + 1)

/* Tolerances and limits. The CPU's solve defines the expected outcomes. */
static const fur_solver_options cases[] = {
    {.rtol = 0},           {.rtol = 1e-3, .bounds = 1}, {.rtol = 1e-30, .max_iterations = 1500},
    {.max_iterations = 1}, {.max_iterations = 7},       {.max_iterations = 16, .rtol = 1e-14},
};

/* Checks every step-th combination of interval and execution for each case. Cases begin at
 * different combinations, so that together they cover all. */
static void check_pair(const problem *host, const problem *gpu, int step)
{
    static const int64_t intervals[] = {0, 1, 2, 7, 16, 1000};
    for (int i = 0; i < COUNT_OF(cases) * 4; i++) {
        bool jacobi = i % 2;
        fur_solver_options options = cases[i / 4];
        options.no_reduction = i / 2 % 2;
        fur_solver_report expected = solve_on_host(host, options, jacobi);
        for (int k = i / 2 % step; k < COUNT_OF(intervals) * EXECUTIONS; k += step) {
            options.execution = (fur_execution)(k % EXECUTIONS);
            check_solve(host, &expected, gpu, options, jacobi, intervals[k / EXECUTIONS]);
        }
    }
}

static void check_problem(fur_context *context, const assembly *m)
{
    problem host = problem_open(fur_context_host(context), m, NULL);
    problem gpu = problem_open(context, m, NULL);
    check_pair(&host, &gpu, test_small() ? 7 : 3);
    problem_close(&gpu);
    problem_close(&host);
}

/* Solutions have the bits of the CPU. Loops over value types. */
START_TEST(solutions_have_the_bits_of_the_cpu)
{
    fur_context *context = context_cuda();
    assembly m = assemble(test_small() ? "small grid" : "grid", (fur_value_type)_i, -1, 0);
    check_problem(context, &m);
    assembly_release(&m);
    fur_context_destroy(context);
}
END_TEST

/* Indefinite matrices and extreme values end as on the CPU. The entry in the middle is changed. */
START_TEST(bad_matrices_end_as_on_the_cpu)
{
    static const double entries[] = {-6, -1e-3, 1e300, 1e-300};
    fur_context *context = context_cuda();
    for (int i = 0; i < COUNT_OF(entries); i++) {
        assembly m = assemble("small grid", i % 2 ? FUR_C128 : FUR_F64, 150, entries[i]);
        check_problem(context, &m);
        assembly_release(&m);
    }
    fur_context_destroy(context);
}
END_TEST

/* Stencil systems have the bits of the CPU. For some stencils the GPU never stores the product.
 * Planes consist of complete leaves or not; systems are definite, indefinite or unsymmetric. Loops
 * over value types. */
START_TEST(stencils_are_solved_with_the_bits_of_the_cpu)
{
    static const star stars[] = {
        {7, {64, 32, 21}, {-1, 0}, {-1, 0}, 6},    {7, {67, 75, 9}, {-0.6, -0.8}, {-0.6, 0.8}, 6.5},
        {27, {61, 47, 8}, {-1, 0}, {-1, 0}, 26.5}, {7, {2, 1100, 2}, {-1, 0}, {-1, 0}, 6},
        {7, {2500, 3, 5}, {-1, 0}, {-1, 0}, -4},   {7, {80, 70, 7}, {-2.5, 0}, {0.5, 0}, 6},
        {7, {256, 130, 3}, {-1, 0}, {-1, 0}, 5},   {7, {13, 7, 11}, {-1, 0}, {-1, 0}, 6},
        {5, {64, 70}, {-1, 0}, {-1, 0}, 4},
    };
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_cuda();
    rng r = rng_stream(5);
    for (int i = 0; i < COUNT_OF(stars); i += test_small() ? 3 : 1) {
        const star *s = &stars[i];
        int64_t plane = s->extent[0] * s->extent[1];
        int64_t rows = plane * (s->points == 5 ? 1 : s->extent[2]);
        void *b = entries_random(&r, value, rows);
        problem host = stencil_open(fur_context_host(context), value, s, b);
        problem gpu = stencil_open(context, value, s, b);
        check_pair(&host, &gpu, 5);
        fur_solver_options options = {.size = sizeof options, .preconditioner = gpu.jacobi};
        fur_solver_report report = solve(&gpu, &options);
        bool passes = s->points == 7 && plane >= 2048;
        double entries = report.bytes / (double)rows / (double)fur_value_size(value);
        ck_assert(entries == (passes ? 6 : 10) || s->extent[0] == 2500);
        problem_close(&gpu);
        problem_close(&host);
        free(b);
    }
    fur_context_destroy(context);
}
END_TEST

/* Zero, huge and tiny right-hand sides end as on the CPU. */
START_TEST(odd_right_sides_end_as_on_the_cpu)
{
    static const double entries[] = {0, 1e200, 1e-170, 1e-320};
    fur_context *context = context_cuda();
    for (int i = 0; i < COUNT_OF(entries); i++) {
        assembly m = assemble("small grid", FUR_F64, -1, 0);
        for (int64_t k = 0; k < m.pattern.rows; k++)
            entry_set(FUR_F64, m.b, k, fur_real(entries[i]));
        check_problem(context, &m);
        assembly_release(&m);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_is_not_finite_is_refused_as_on_the_cpu)
{
    static const double entries[] = {NAN, INFINITY};
    fur_context *context = context_cuda();
    for (int i = 0; i < COUNT_OF(entries); i++) {
        assembly m = assemble("small grid", FUR_F64, -1, 0);
        entry_set(FUR_F64, m.b, 77, fur_real(entries[i]));
        problem p = problem_open(context, &m, NULL);
        fur_solver *solver = NULL;
        ck_ok(context, fur_solver_create(p.op, NULL, &solver));
        ck_fails(context, FUR_INVALID,
                 "entry 78 of b, counting from 1, is not finite; nothing was solved",
                 fur_solver_solve(solver, p.b, p.x, NULL));
        fur_solver_destroy(solver);
        problem_close(&p);
        assembly_release(&m);
    }
    fur_context_destroy(context);
}
END_TEST

/* The report names the execution. Small systems of every type except c128 run in one kernel; other
 * systems are recorded. */
START_TEST(a_solve_is_run_as_it_says)
{
    fur_context *context = context_cuda();
    fur_value_type value = (fur_value_type)_i;
    assembly m = assemble("small grid", value, -1, 0);
    problem host = problem_open(fur_context_host(context), &m, NULL);
    problem gpu = problem_open(context, &m, NULL);
    fur_solver_options options = {
        .size = sizeof options, .preconditioner = gpu.jacobi, .no_reduction = 1};
    fur_execution fastest = value == FUR_C128 ? FUR_EXECUTION_RECORDED : FUR_EXECUTION_PERSISTENT;
    ck_assert_int_eq(solve(&gpu, &options).execution, fastest);
    options.execution = FUR_EXECUTION_RECORDED;
    ck_assert_int_eq(solve(&gpu, &options).execution, FUR_EXECUTION_RECORDED);
    options.execution = FUR_EXECUTION_PLAIN;
    ck_assert_int_eq(solve(&gpu, &options).execution, FUR_EXECUTION_PLAIN);
    options.execution = FUR_EXECUTION_AUTO;
    options.no_reduction = 0;
    fur_solver_report reduced = solve(&gpu, &options);
    ck_assert_int_eq(reduced.execution, FUR_EXECUTION_RECORDED);
    ck_assert_int_eq(reduced.reduced, 1);
    problem_close(&gpu);
    problem_close(&host);
    assembly_release(&m);
    fur_context_destroy(context);
}
END_TEST

/* A solver uses new values, for the unreduced system and for one colour. */
START_TEST(new_values_reach_a_solver)
{
    fur_context *context = context_cuda();
    assembly m = assemble("small grid", FUR_F64, -1, 0);
    assembly other = assemble("small grid", FUR_F64, 5, 9);
    problem p = problem_open(context, &m, NULL);
    problem fresh = problem_open(context, &other, NULL);
    fur_solver_options options = {
        .size = sizeof options, .preconditioner = p.jacobi, .no_reduction = _i};
    fur_solver *solver = NULL;
    ck_ok(context, fur_solver_create(p.op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, NULL));
    ck_ok(context, fur_csr_set_values(p.a, other.values, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, NULL));
    options.preconditioner = fresh.jacobi;
    solve(&fresh, &options);
    void *x = vector_entries(p.x);
    void *y = vector_entries(fresh.x);
    ck_assert_int_eq(first_difference(FUR_F64, fur_vector_size(p.x), x, y), -1);
    free(y);
    free(x);
    fur_solver_destroy(solver);
    problem_close(&fresh);
    problem_close(&p);
    assembly_release(&other);
    assembly_release(&m);
    fur_context_destroy(context);
}
END_TEST

/* Returns the next method for square matrices after `index` and advances it. Returns NULL after the
 * last. */
static const char *next_method(const problem *p, int *index)
{
    const fur_method_info *info;
    while ((info = method_at(++*index))) {
        fur_solver_options options = {.size = sizeof options, .method = info->name};
        fur_solver *solver = NULL;
        fur_status status = fur_solver_create(p->op, &options, &solver);
        fur_solver_destroy(solver);
        if (status == FUR_OK)
            return info->name;
    }
    return NULL;
}

/* Every method has the bits of the CPU, for a definite and an indefinite matrix. Loops over value
 * types. */
START_TEST(every_method_has_the_bits_of_the_cpu)
{
    static const fur_solver_options limits[] = {{.max_iterations = 500, .bounds = 1},
                                                {.rtol = 1e-30, .max_iterations = 150},
                                                {.restart = 7, .max_iterations = 20}};
    fur_context *context = context_cuda();
    for (int indefinite = 0; indefinite < 2; indefinite++) {
        assembly m = assemble("small grid", (fur_value_type)_i, indefinite ? 150 : -1, -6);
        problem host = problem_open(fur_context_host(context), &m, NULL);
        problem gpu = problem_open(context, &m, NULL);
        int index = -1;
        for (const char *name; (name = next_method(&host, &index));)
            for (int i = 0; i < 2 * COUNT_OF(limits); i += test_small() ? 5 : 1) {
                fur_solver_options options = limits[i / 2];
                options.method = name;
                fur_solver_report expected = solve_on_host(&host, options, i % 2);
                check_solve(&host, &expected, &gpu, options, i % 2, 0);
            }
        ck_assert_int_ge(index, 6);
        problem_close(&gpu);
        problem_close(&host);
        assembly_release(&m);
    }
    fur_context_destroy(context);
}
END_TEST

/* Every kernel with the reference's order of additions gives the same solve. */
START_TEST(exact_kernels_give_the_same_solution)
{
    fur_context *context = context_cuda();
    assembly m = assemble("small grid", FUR_F64, -1, 0);
    problem host = problem_open(fur_context_host(context), &m, NULL);
    problem gpu = problem_open(context, &m, NULL);
    const fur_solver_options limit = {
        .rtol = 1e-9, .execution = FUR_EXECUTION_PLAIN, .no_reduction = 1};
    fur_solver_report expected = solve_on_host(&host, limit, true);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
        fur_spmv *plan = plan_or_refusal(gpu.a, FUR_OP_N, kernel);
        if (plan && kernel_info(context, kernel).exact) {
            problem other = gpu;
            ck_ok(context, fur_operator_from_spmv(plan, &other.op));
            check_solve(&host, &expected, &other, limit, true, 5);
            fur_operator_destroy(other.op);
        }
        fur_spmv_destroy(plan);
    }
    problem_close(&gpu);
    problem_close(&host);
    assembly_release(&m);
    fur_context_destroy(context);
}
END_TEST

/* A solve of the unreduced system or of one colour allocates nothing. */
START_TEST(a_solve_does_not_allocate)
{
    counted c;
    counted_open(&c);
    assembly m = assemble("small grid", FUR_C128, -1, 0);
    problem p = problem_open(c.context, &m, NULL);
    int index = -1;
    for (const char *name; (name = next_method(&p, &index));) {
        fur_solver_options options = {
            .size = sizeof options, .method = name, .preconditioner = p.jacobi, .no_reduction = _i};
        fur_solver *solver = NULL;
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        ck_ok(c.context, fur_vector_fill(p.x, fur_real(0)));
        ck_ok(c.context, fur_solver_create(p.op, &options, &solver));
        int64_t host = c.host.calls;
        int64_t device = c.device.calls;
        ck_ok(c.context, fur_solver_solve(solver, p.b, p.x, &report));
        ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s: %s", name,
                      fur_outcome_name(report.outcome));
        ck_assert_int_eq(c.host.calls, host);
        ck_assert_int_eq(c.device.calls, device);
        fur_solver_destroy(solver);
    }
    problem_close(&p);
    assembly_release(&m);
    counted_close(&c);
}
END_TEST

/* Record of a monitor that counts its calls and stops at one of them. */
typedef struct watch {
    int64_t last;
    int64_t stop_at;
    int calls;
} watch;

static int look(void *user, const fur_solver_progress *progress)
{
    watch *w = user;
    ck_assert(w->calls == 0 || progress->iteration > w->last);
    w->calls++;
    w->last = progress->iteration;
    return w->stop_at > 0 && progress->iteration >= w->stop_at;
}

START_TEST(a_monitor_sees_the_iterations_that_are_looked_at)
{
    fur_context *context = context_cuda();
    assembly m = assemble("small grid", FUR_F64, -1, 0);
    problem p = problem_open(context, &m, NULL);
    for (int64_t every = 0; every <= 6; every += 3) {
        watch w = {.stop_at = 0};
        fur_solver_options options = {
            .size = sizeof options, .monitor = look, .monitor_user = &w, .check_every = every};
        fur_solver_report report = solve(&p, &options);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(w.last, report.iterations);
        ck_assert_int_le(w.calls, report.iterations + 1);
        w = (watch){.stop_at = 4};
        ck_assert_int_eq(solve(&p, &options).outcome, FUR_OUTCOME_STOPPED);
        ck_assert(w.last >= 4 && w.last < 4 + (every ? every : 1));
    }
    problem_close(&p);
    assembly_release(&m);
    fur_context_destroy(context);
}
END_TEST

static fur_status copy_and_count(void *user, const fur_vector *x, fur_vector *y)
{
    ++*(int64_t *)user;
    return fur_vector_copy(x, y);
}

START_TEST(at_most_an_eighth_of_the_iterations_is_in_vain)
{
    fur_context *context = context_cuda();
    assembly m = assemble("small grid", FUR_F64, -1, 0);
    problem p = problem_open(context, &m, NULL);
    int64_t calls = 0;
    fur_operator_definition copy = {.size = sizeof copy,
                                    .rows = m.arrays.rows,
                                    .cols = m.arrays.rows,
                                    .value_type = FUR_F64,
                                    .user = &calls,
                                    .apply = copy_and_count};
    fur_operator *identity = NULL;
    ck_ok(context, fur_operator_create(context, &copy, &identity));
    fur_solver_options options = {.size = sizeof options, .preconditioner = identity};
    fur_solver_report report = solve(&p, &options);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_ge(calls, report.iterations);
    ck_assert_int_le(calls, report.iterations + report.iterations / 8);
    fur_operator_destroy(identity);
    problem_close(&p);
    assembly_release(&m);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, solutions_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, bad_matrices_end_as_on_the_cpu);
    tcase_add_loop_test(tests, stencils_are_solved_with_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, odd_right_sides_end_as_on_the_cpu);
    tcase_add_test(tests, what_is_not_finite_is_refused_as_on_the_cpu);
    tcase_add_loop_test(tests, a_solve_is_run_as_it_says, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, new_values_reach_a_solver, 0, 2);
    tcase_add_loop_test(tests, every_method_has_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, exact_kernels_give_the_same_solution);
    tcase_add_loop_test(tests, a_solve_does_not_allocate, 0, 2);
    tcase_add_test(tests, a_monitor_sees_the_iterations_that_are_looked_at);
    tcase_add_test(tests, at_most_an_eighth_of_the_iterations_is_in_vain);
}

int main(void)
{
    return run_gpu_tests("cuda_solver", add_tests);
}
