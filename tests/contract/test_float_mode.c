/* The caller's mode of floating-point arithmetic: a rounding mode, and subnormal numbers flushed to
 * zero or not. No result depends on the mode, and no call changes it (docs/contract.md). */
#include "float_modes.h"
#include "fuzz_program.h"
#include "scratch.h"
#include "support.h"

#define FILE_NAME "float_mode.mtx"
#define EDGE (TEST_SLOW ? 40 : 200)
#define ROWS ((int64_t)EDGE * EDGE)
#define PROGRAMS (TEST_SLOW ? 10 : 40)
#define LONGEST 400

static const uint8_t nothing[1]; /* a program that draws zeros */

/* Returns a vector with subnormal entries, and with entries whose products are subnormal. */
static fur_vector *small_vector(run *r, fur_value_type value, int64_t n)
{
    fur_vector *x = NULL;
    bool single = value == FUR_F32;
    ck_assert(MAKE(r, &x, fur_vector_create(r->context, value, n, &x)));
    for (int64_t i = 0; i < n; i++) {
        double entry = (double)(i % 17 + 1) / 3 *
                       (i % 5 == 0   ? 1
                        : i % 5 == 1 ? (single ? 1e-40 : 1e-310)
                                     : (single ? 1e-21 : 1e-160));
        entry_set(value, fur_vector_data(x), i, fur_real(entry));
    }
    return x;
}

static void try_vectors(run *r, fur_value_type value)
{
    fur_vector *x = small_vector(r, value, ROWS), *y = small_vector(r, value, ROWS);
    fur_scalar dot = {0, 0};
    double norms[3] = {0};
    ck_assert(CALL(r, fur_dot(x, y, &dot)));
    put(r, &dot, sizeof dot);
    ck_assert(CALL(r, fur_multiply_elementwise(x, y, y)));
    put_vector(r, y);
    ck_assert(CALL(r, fur_axpby(fur_real(1.0 / 3), x, fur_real(0.1), y)));
    put_vector(r, y);
    ck_assert(CALL(r, fur_norm1(y, &norms[0])) && CALL(r, fur_norm2(y, &norms[1])) &&
              CALL(r, fur_norm_max(y, &norms[2])));
    put(r, norms, sizeof norms);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

static fur_csr *make_matrix(run *r)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {EDGE, EDGE}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_assert_int_eq(fur_stencil_named(9, &d), 1);
    ck_assert(MAKE(r, &s, fur_stencil_create(r->context, &d, &s)));
    ck_assert(MAKE(r, &a, fur_stencil_assemble(s, &a)));
    fur_stencil_destroy(s);
    return a;
}

static void try_matrix(run *r)
{
    fur_csr *a = make_matrix(r), *c = NULL, *back = NULL;
    fur_spmv *plan = NULL, *rounded = NULL;
    fur_trsv *triangle = NULL;
    const fur_spmv_options single = {.size = sizeof single, .values = FUR_STORED_F32};
    fur_vector *x = small_vector(r, FUR_F64, ROWS), *y = small_vector(r, FUR_F64, ROWS);
    ck_assert(MAKE(r, &plan, fur_spmv_plan(a, NULL, &plan)) &&
              MAKE(r, &rounded, fur_spmv_plan(a, &single, &rounded)));
    ck_assert(CALL(r, fur_csr_scale(a, x, NULL)));
    put_matrix(r, a);
    ck_assert(CALL(r, fur_spmv_apply(plan, fur_real(1.0 / 3), x, fur_real(0.1), y)));
    put_vector(r, y);
    call_begin(r);
    fur_csr_values_changed(a); /* returns no status, but computes */
    (void)call_ended(r, FUR_OK);
    ck_assert(CALL(r, fur_spmv_apply(rounded, fur_real(1), x, fur_real(0.1), y)));
    put_vector(r, y);
    ck_assert(MAKE(r, &triangle,
                   fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL,
                                 &triangle)) &&
              CALL(r, fur_trsv_apply(triangle, fur_real(1), y, x)));
    put_vector(r, x);
    ck_assert(MAKE(r, &c, fur_csr_multiply(a, a, &c)));
    put_matrix(r, c);
    ck_assert(CALL(r, fur_mtx_write_csr(a, FILE_NAME, NULL)) &&
              MAKE(r, &back, fur_mtx_read_csr(r->context, FILE_NAME, NULL, &back)));
    put_matrix(r, back);
    fur_csr_destroy(back);
    fur_csr_destroy(c);
    fur_trsv_destroy(triangle);
    fur_spmv_destroy(rounded);
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
}

/* Solves a system of two unknowns with a subnormal right-hand side by several methods. */
static void try_solves(run *r)
{
    static const char *const methods[] = {"cg", "gmres", "bicgstab", "minres"};
    int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    double values[] = {1, 1e-200}, right[] = {3e-310, 1e-310};
    const fur_csr_view view = {sizeof view, 2, 2, 2, FUR_F64, FUR_I32, offsets, columns, values};
    fur_csr *a = NULL;
    fur_spmv *plan = NULL;
    fur_operator *op = NULL, *jacobi = NULL;
    fur_vector *b = NULL, *x = NULL;
    ck_assert(MAKE(r, &a, fur_csr_create(r->context, &view, FUR_OWNERSHIP_COPY, &a)) &&
              MAKE(r, &plan, fur_spmv_plan(a, NULL, &plan)) &&
              MAKE(r, &op, fur_operator_from_spmv(plan, &op)) &&
              MAKE(r, &jacobi, fur_operator_jacobi(op, &jacobi)) &&
              MAKE(r, &b, fur_vector_wrap(r->context, FUR_F64, 2, right, FUR_OWNERSHIP_COPY, &b)) &&
              MAKE(r, &x, fur_vector_create(r->context, FUR_F64, 2, &x)));
    call_begin(r);
    fur_operator_changed(op); /* returns no status, but computes */
    (void)call_ended(r, FUR_OK);
    put_vector(r, fur_operator_scaling(jacobi));
    for (int i = 0; i < COUNT_OF(methods); i++) {
        fur_solver *solver = NULL;
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        const fur_solver_options o = {.size = sizeof o, .bounds = 1, .method = methods[i]};
        ck_assert(CALL(r, fur_vector_fill(x, fur_real(0))) &&
                  MAKE(r, &solver, fur_solver_create(op, &o, &solver)) &&
                  CALL(r, fur_solver_solve(solver, b, x, &report)));
        put_vector(r, x);
        put(r, &report.outcome, sizeof report.outcome);
        put_entries(r, FUR_F64, 1, &report.residual);
        put_entries(r, FUR_F64, 1, &report.residual_bound);
        fur_solver_destroy(solver);
    }
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_operator_destroy(jacobi);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
}

/* Makes all calls in a mode and logs their results. The library's threads are started in this
 * mode. */
static run work(int mode, int threads)
{
    run r;
    ck_assert(run_begin(&r, nothing, 0, threads, 0));
    r.mode = mode;
    try_vectors(&r, FUR_F32);
    try_vectors(&r, FUR_F64);
    try_matrix(&r);
    try_solves(&r);
    run_end(&r);
    return r;
}

/* All results equal the results in the standard mode. Loops over the modes. */
START_TEST(no_result_depends_on_the_callers_mode)
{
    run expected = work(0, 1);
    for (int threads = 1; threads <= 4; threads += 3) {
        run found = work(_i, threads);
        ck_assert_uint_eq(found.length, expected.length);
        ck_assert(memcmp(found.log, expected.log, found.length) == 0);
        free(found.log);
    }
    free(expected.log);
}
END_TEST

static void note_control(void *user, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        ((uint64_t *)user)[i] = float_control();
}

START_TEST(all_threads_compute_in_the_standard_mode)
{
    uint64_t seen[64] = {0};
    fur_context *context = context_make(NULL, 4);
    float_mode_reset();
    uint64_t standard = float_control();
    for (int mode = 0; mode < FLOAT_MODES; mode++) {
        float_mode_set(mode);
        uint64_t before = float_control();
        fur_status status = fur_context_parallel(context, 64, 1, note_control, seen);
        uint64_t after = float_control();
        float_mode_reset();
        ck_ok(context, status);
        ck_assert_uint_eq(after, before);
        for (int i = 0; i < 64; i++)
            ck_assert_uint_eq(seen[i], standard);
    }
    fur_context_destroy(context);
}
END_TEST

/* Random programs give equal results in two modes. The fuzz target runs each program in both. Loops
 * over seeds. */
START_TEST(programs_do_the_same_in_every_mode)
{
    rng random = rng_stream(100 + (uint64_t)_i);
    uint8_t program[LONGEST];
    for (int n = 0; n < PROGRAMS; n++) {
        for (int i = 0; i < LONGEST; i++)
            program[i] = (uint8_t)rng_bits(&random);
        program[0] &= 0xfc; /* no allocation fails */
        LLVMFuzzerTestOneInput(program, sizeof program);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, no_result_depends_on_the_callers_mode, 0, FLOAT_MODES);
    tcase_add_test(tests, all_threads_compute_in_the_standard_mode);
    tcase_add_loop_test(tests, programs_do_the_same_in_every_mode, 0, 5);
}

int main(void)
{
    return scratch_run("float_mode", add_tests);
}
