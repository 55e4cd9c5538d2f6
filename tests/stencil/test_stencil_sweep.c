/* Repeated sweeps of stencils. The cases run with the kernels of a GPU and with every instruction
 * set. On the CPU, the kernels for sweeps are defined here and call products. Also: how sweeps are
 * split into passes; Jacobi's iteration; refusals; memory that runs out. Sweeps allocate nothing.
 */
#include "stencil.h"
#include "sweep_cases.h"

#include <math.h>

/* Number of sweeps of each call of a kernel that is defined here. */
#define MAX_CALLS 64
static int calls[MAX_CALLS];
static int call_count;

static const fur_stencil_kernel *reference; /* kernel for products */

/* Applies one product after the other, with a copy of x between them. */
static fur_status apply(const fur_stencil_call *call)
{
    size_t bytes = (size_t)fur_stencil_rows(call->s) * fur_value_size(call->s->value_type);
    void *x = malloc(bytes);
    fur_stencil_call one = *call;
    ck_assert_ptr_nonnull(x);
    ck_assert(call->state && call->z && call->x != call->y);
    calls[call_count++ % MAX_CALLS] = call->sweeps;
    memcpy(x, call->x, bytes);
    one.x = x;
    for (int n = 0; n < call->sweeps; n++, memcpy(x, call->y, bytes))
        ck_assert_int_eq(reference->apply(&one), FUR_OK);
    free(x);
    return FUR_OK;
}

static fur_status plan(fur_env *env, const fur_stencil_view *s, void **state)
{
    return fur_env_allocate(env, s->points, sizeof(double), state);
}

static const char *refusal(const fur_stencil_view *s)
{
    return s->fields ? "it needs constant coefficients" : NULL;
}

static const fur_stencil_kernel by_fours = {.info.name = "fours",
                                            .info.summary = "four at once",
                                            .info.source = "",
                                            .info.exact = true,
                                            .refusal = refusal,
                                            .plan = plan,
                                            .apply = apply,
                                            .release = fur_env_release,
                                            .info.depth = 4};
static const fur_stencil_kernel by_threes = {.info.name = "threes",
                                             .info.summary = "three at once",
                                             .info.source = "",
                                             .info.exact = true,
                                             .plan = plan,
                                             .apply = apply,
                                             .release = fur_env_release,
                                             .info.depth = 3};
static const fur_stencil_kernel by_twos = {.info.name = "twos",
                                           .info.summary = "two at once",
                                           .info.source = "",
                                           .info.exact = true,
                                           .by_name = true,
                                           .plan = plan,
                                           .apply = apply,
                                           .release = fur_env_release,
                                           .info.depth = 2};
static const fur_stencil_kernel *const made_here[] = {&by_threes, &by_fours, &by_twos};

/* Gives a context of the CPU the kernels for sweeps that are defined here. A GPU has its own
 * kernels. */
static fur_context *with_sweeps(fur_context *context)
{
    static fur_backend backend;
    if (on_gpu())
        return context;
    backend = *context->backend;
    backend.sweep = made_here;
    backend.sweep_count = COUNT_OF(made_here);
    reference = backend.stencil[0];
    context->backend = &backend;
    return context;
}

/* Returns a context with one of the instruction sets, selected by `turn`. */
static fur_context *context_in_turn(int turn)
{
    int count = 0;
    while (isa_name(count))
        count++;
    return with_sweeps(context_make(isa_name(turn % count), 1 + 2 * (turn % 2)));
}

/* Number of tests: value types times combinations of boundaries. On a GPU, one test has all
 * boundaries of a type. */
#define SWEEP_TESTS (on_gpu() ? FUR_VALUE_COUNT : FUR_VALUE_COUNT * BOUNDARIES)

/* Returns the test's next combination of boundaries, or BOUNDARIES after the last. */
static int next_boundaries(int boundaries)
{
    return on_gpu() ? boundaries + (test_small() ? 13 : 1) : BOUNDARIES;
}

START_TEST(sweeps_have_the_bits_of_products)
{
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    sweeper s = {.context = context_in_turn(_i / FUR_VALUE_COUNT),
                 .random = rng_stream((uint64_t)_i)};
    for (int b = _i / FUR_VALUE_COUNT; b < BOUNDARIES; b = next_boundaries(b))
        sweep_random(&s, value, b);
    sweep_check_tally(&s, value);
    fur_context_destroy(s.context);
}
END_TEST

START_TEST(sweeps_of_integers_are_exact)
{
    sweeper s = {.context = with_sweeps(context_make(NULL, 3)),
                 .random = rng_stream(1000 + (uint64_t)_i)};
    for (int b = _i / FUR_VALUE_COUNT; b < BOUNDARIES; b = next_boundaries(b))
        sweep_integers(&s, (fur_value_type)(_i % FUR_VALUE_COUNT), b);
    fur_context_destroy(s.context);
}
END_TEST

/* Sweeps of large grids have the bits of products. Loops over the large grids. */
START_TEST(sweeps_of_large_grids_have_the_bits_of_products)
{
    sweeper s = {.context = context_make(NULL, 3), .random = rng_stream(2000 + (uint64_t)_i)};
    if (on_gpu())
        sweep_large(&s, _i, 0);
    if (!test_small())
        sweep_large(&s, _i, (int)rng_below(&s.random, BOUNDARIES));
    fur_context_destroy(s.context);
}
END_TEST

/* Returns a valid stencil of 60 points in a context. */
static fur_stencil *sound(fur_context *context, const char *sweep_kernel)
{
    fur_stencil *s = NULL;
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {3, 4, 5}};
    ck_assert(fur_stencil_named(7, &d));
    d.sweep_kernel = sweep_kernel;
    ck_ok(context, fur_stencil_create(context, &d, &s));
    return s;
}

static fur_vector *zeros(fur_context *context, fur_value_type value, int64_t n)
{
    fur_vector *v = NULL;
    ck_ok(context, fur_vector_create(context, value, n, &v));
    return v;
}

/* Checks the calls of the kernel for `count` sweeps. The sizes of the passes differ by at most one,
 * and the remaining sweeps are single. The number of passes is even, unless there is one sweep. */
static void check_passes(int count, int depth)
{
    int least = depth;
    int most = 1;
    int sweeps = 0;
    for (int i = 0; i < call_count; i++) {
        least = calls[i] < least ? calls[i] : least;
        most = calls[i] > most ? calls[i] : most;
        sweeps += calls[i];
    }
    int singles = count - sweeps;
    int passes = call_count + singles;
    least = singles > 0 ? 1 : least;
    ck_assert_msg(singles >= 0 && most <= depth && most <= least + 1,
                  "%d sweeps, at most %d at once: %d single, others of %d to %d", count, depth,
                  singles, least, most);
    ck_assert_int_eq(passes % 2, count == 1);
    ck_assert_int_lt(passes, count / depth + 3);
}

START_TEST(sweeps_are_parted_evenly_into_passes_there_and_back)
{
    fur_context *context = with_sweeps(context_make(NULL, 1));
    for (int kernel = 0; kernel < COUNT_OF(made_here); kernel++) {
        fur_stencil *s = sound(context, made_here[kernel]->info.name);
        fur_vector *x = zeros(context, FUR_F64, 60);
        fur_vector *work = zeros(context, FUR_F64, 60);
        ck_assert_str_eq(fur_stencil_describe(s)->sweep_kernel, made_here[kernel]->info.name);
        ck_assert_int_eq(fur_stencil_describe(s)->sweep_depth, made_here[kernel]->info.depth);
        for (int count = 0; count < 50; count++) {
            call_count = 0;
            ck_ok(context, fur_stencil_sweep(s, count, fur_real(0), NULL, x, work));
            check_passes(count, made_here[kernel]->info.depth);
        }
        fur_vector_destroy(work);
        fur_vector_destroy(x);
        fur_stencil_destroy(s);
    }
    fur_context_destroy(context);
}
END_TEST

/* Number of unknowns of the line in the test of Jacobi's iteration, and its sweeps. */
#define LINE 31
#define SWEEPS 40

/* Jacobi's iteration converges at the known rate. The problem is -u'' = f on a line: A = (-1, 2,
 * -1) and b. The iteration is x := S x + b / 2, where S computes the mean of the two neighbours. u
 * = sin(pi i / (n + 1)) is an eigenvector of S with the eigenvalue cos(pi / (n + 1)). From x = 0
 * and with b = A u, the error after k sweeps is cos^k(..) u. A sweep sums two terms and b, all
 * below 1 in modulus. It adds an error of at most 2 eps and does not enlarge earlier errors. */
START_TEST(the_iteration_of_jacobi_converges_as_it_must)
{
    static const fur_stencil_offset offsets[] = {{-1, 0, 0}, {1, 0, 0}};
    const fur_scalar halves[] = {{0.5, 0}, {0.5, 0}};
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = {.size = sizeof d,
                                .value_type = FUR_F64,
                                .axes = 1,
                                .extent = {LINE},
                                .points = 2,
                                .offsets = offsets,
                                .coefficients = halves};
    const double angle = acos(-1) / (LINE + 1);
    double b[LINE];
    fur_stencil *s = NULL;
    fur_vector *x = NULL;
    fur_vector *work = NULL;
    for (int i = 0; i < LINE; i++)
        b[i] = 2 * (1 - cos(angle)) * sin(angle * (i + 1));
    fur_vector *right = vector_from(context, FUR_F64, LINE, b);
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_vector_create(context, FUR_F64, LINE, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, LINE, &work));
    ck_ok(context, fur_stencil_sweep(s, SWEEPS, fur_real(0.5), right, x, work));
    double *u = vector_entries(x);
    for (int i = 0; i < LINE; i++)
        ck_assert_double_eq_tol(u[i], (1 - pow(cos(angle), SWEEPS)) * sin(angle * (i + 1)),
                                (SWEEPS + 2) * 2 * 0x1p-52);
    free(u);
    fur_vector_destroy(work);
    fur_vector_destroy(x);
    fur_vector_destroy(right);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
}
END_TEST

#define REFUSED(sentence, count, b, x, work)                                                       \
    ck_fails(context, FUR_INVALID, sentence, fur_stencil_sweep(s, count, fur_real(1), b, x, work))

START_TEST(vectors_that_do_not_fit_are_refused)
{
    static const char work[] = "x and work overlap in memory; give each a separate array";
    static const char input[] = "b and x overlap in memory; give each a separate array";
    static const char both[] = "b and work overlap in memory; give each a separate array";
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    fur_stencil *s = sound(context, NULL);
    fur_vector *v[] = {zeros(context, FUR_F64, 60), zeros(context, FUR_F64, 60),
                       zeros(context, FUR_F64, 60), zeros(context, FUR_F64, 59),
                       zeros(context, FUR_F32, 60), zeros(other, FUR_F64, 60)};
    REFUSED("the number of sweeps is -1; it must be 0 or more", -1, v[0], v[1], v[2]);
    REFUSED("x has 59 entries of type f64, but the grid needs 60 of type f64", 1, v[0], v[3], v[2]);
    REFUSED("work has 60 entries of type f32, but the grid needs 60 of type f64", 1, NULL, v[1],
            v[4]);
    REFUSED("b belongs to another context than the stencil", 1, v[5], v[1], v[2]);
    REFUSED(work, 0, v[0], v[1], v[1]);
    REFUSED(input, 2, v[0], v[0], v[2]);
    REFUSED(both, 2, v[2], v[1], v[2]);
    for (int i = 0; i < COUNT_OF(v); i++)
        fur_vector_destroy(v[i]);
    fur_stencil_destroy(s);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

START_TEST(kernels_are_taken_by_name_or_as_the_last_that_suits)
{
    fur_context *context = context_make(NULL, 1);
    fur_kernel_info info;
    fur_stencil *s = sound(context, NULL);
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {3, 4, 5}};
    ck_assert_str_eq(fur_stencil_describe(s)->sweep_kernel, "single");
    ck_assert_int_eq(fur_stencil_describe(s)->sweep_depth, 1);
    ck_assert_int_eq(kernel_count(fur_stencil_sweep_kernel_at, context), 0);
    ck_assert_ptr_null(fur_stencil_sweep_kernel_at(context, 0));
    fur_stencil_destroy(s);
    s = sound(with_sweeps(context), "auto");
    ck_assert_str_eq(fur_stencil_describe(s)->sweep_kernel, "fours");
    fur_stencil_destroy(s);
    s = NULL;
    ck_assert(fur_stencil_named(7, &d));
    d.sweep_kernel = "fast";
    ck_fails(context, FUR_UNSUPPORTED,
             "there is no sweep kernel \"fast\" on device cpu; it has auto, single, threes, fours, "
             "twos",
             fur_stencil_create(context, &d, &s));
    ck_assert_ptr_null(s);
    info = *fur_stencil_sweep_kernel_at(context, 1);
    ck_assert_str_eq(info.name, "fours");
    ck_assert_int_eq(info.depth, 4);
    fur_context_destroy(context);
}
END_TEST

static fur_status plan_without_room(fur_env *env, const fur_stencil_view *s, void **state)
{
    (void)s;
    (void)state;
    return fur_env_fail(env, FUR_UNSUPPORTED, "there is no room");
}

START_TEST(kernels_that_a_device_has_no_room_for_are_done_without)
{
    static const fur_stencil_kernel vast = {.info.name = "vast",
                                            .info.exact = true,
                                            .plan = plan_without_room,
                                            .apply = apply,
                                            .info.depth = 3};
    static const fur_stencil_kernel *const only[] = {&vast};
    fur_context *context = with_sweeps(context_make(NULL, 1));
    fur_backend backend = *context->backend;
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {3, 4, 5}};
    backend.sweep = only;
    backend.sweep_count = 1;
    context->backend = &backend;
    fur_stencil *s = sound(context, NULL);
    ck_assert_str_eq(fur_stencil_describe(s)->sweep_kernel, "single");
    fur_stencil_destroy(s);
    s = NULL;
    ck_assert(fur_stencil_named(7, &d));
    d.sweep_kernel = "vast";
    ck_fails(context, FUR_UNSUPPORTED, "there is no room", fur_stencil_create(context, &d, &s));
    ck_assert_ptr_null(s);
    fur_context_destroy(context);
}
END_TEST

START_TEST(memory_that_runs_out_is_given_back)
{
    memory m = {0};
    fur_context *context = with_sweeps(context_counting(&m, NULL, 1));
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {3, 4, 5}};
    fur_stencil *s = NULL;
    fur_status status = FUR_OUT_OF_MEMORY;
    const int64_t outstanding = m.outstanding;
    ck_assert(fur_stencil_named(7, &d));
    for (int64_t n = 1; status != FUR_OK; n++) {
        m.fail_at = m.calls + n;
        status = fur_stencil_create(context, &d, &s);
        ck_assert(status == FUR_OK || (status == FUR_OUT_OF_MEMORY && !s));
        ck_assert(status == FUR_OK || m.outstanding == outstanding);
    }
    fur_stencil_destroy(s);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_context_destroy(context);
}
END_TEST

START_TEST(sweeps_allocate_nothing)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    fur_stencil *s = sound(context, NULL);
    fur_vector *v[] = {zeros(context, FUR_F64, 60), zeros(context, FUR_F64, 60),
                       zeros(context, FUR_F64, 60)};
    const int64_t before = m.calls;
    ck_ok(context, fur_stencil_sweep(s, 3, fur_real(1), v[0], v[1], v[2]));
    ck_assert_int_eq(m.calls, before);
    for (int i = 0; i < COUNT_OF(v); i++)
        fur_vector_destroy(v[i]);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_turns(tests, sweeps_have_the_bits_of_products, SWEEP_TESTS, 3);
    tcase_add_turns(tests, sweeps_of_integers_are_exact, SWEEP_TESTS, 3);
    tcase_add_loop_test(tests, sweeps_of_large_grids_have_the_bits_of_products, 0,
                        sweep_large_count);
    tcase_add_test(tests, the_iteration_of_jacobi_converges_as_it_must);
    tcase_add_test(tests, vectors_that_do_not_fit_are_refused);
    tcase_add_test(tests, sweeps_allocate_nothing);
    if (on_gpu())
        return;
    tcase_add_test(tests, sweeps_are_parted_evenly_into_passes_there_and_back);
    tcase_add_test(tests, kernels_are_taken_by_name_or_as_the_last_that_suits);
    tcase_add_test(tests, kernels_that_a_device_has_no_room_for_are_done_without);
    tcase_add_test(tests, memory_that_runs_out_is_given_back);
}

int main(void)
{
    return run_tests("stencil_sweep", add_tests);
}
