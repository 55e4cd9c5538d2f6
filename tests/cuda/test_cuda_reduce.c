/* Reductions and vector operations on a GPU. They have the bits of the CPU in every run, for every
 * value type, at sizes around every boundary of the tree, and at every alignment. Numbers include
 * infinity, NaN, and numbers whose squares overflow or underflow. Scalars may stay on the
 * device. */
#include "cuda_support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define RUNS 20

/* Contexts of the host and of the GPU for equal vectors of one size. */
typedef struct sides {
    fur_value_type value;
    int64_t n;
    fur_context *host;
    fur_context *gpu;
} sides;

typedef struct twin {
    fur_vector *host;
    fur_vector *gpu;
    fur_vector *memory; /* device memory that gpu borrows */
} twin;

static twin twin_make(const sides *s, const void *entries, int64_t shift)
{
    twin t;
    size_t size = fur_value_size(s->value);
    t.host = vector_from(s->host, s->value, s->n, entries);
    ck_ok(s->gpu, fur_vector_create(s->gpu, s->value, s->n + shift + 1, &t.memory));
    ck_ok(s->gpu, fur_vector_wrap(s->gpu, s->value, s->n,
                                  (char *)fur_vector_data(t.memory) + (size_t)shift * size,
                                  FUR_OWNERSHIP_BORROW, &t.gpu));
    ck_ok(s->gpu, fur_vector_upload(entries, t.gpu));
    return t;
}

static void twin_release(twin *t)
{
    fur_vector_destroy(t->gpu);
    fur_vector_destroy(t->memory);
    fur_vector_destroy(t->host);
}

static void ck_twin(const twin *t, const char *what)
{
    fur_value_type value = fur_vector_value_type(t->host);
    int64_t n = fur_vector_size(t->host);
    void *entries = vector_entries(t->gpu);
    int64_t i = first_difference(value, n, entries, fur_vector_const_data(t->host));
    ck_assert_msg(i < 0, "%s of %lld entries of %s: entry %lld", what, (long long)n,
                  fur_value_name(value), (long long)i);
    free(entries);
}

/* The results of all reductions of one or two vectors. */
typedef struct results {
    fur_scalar dot;
    double norm1;
    double norm2;
    double norm_max;
} results;

static results reduce(const fur_vector *x, const fur_vector *y)
{
    results r;
    fur_context *context = fur_vector_context(x);
    ck_ok(context, fur_dot(x, y, &r.dot));
    ck_ok(context, fur_norm1(x, &r.norm1));
    ck_ok(context, fur_norm2(x, &r.norm2));
    ck_ok(context, fur_norm_max(x, &r.norm_max));
    return r;
}

static void ck_results(const sides *s, const results *gpu, const results *host)
{
    static const char *const names[] = {"re dot", "im dot", "norm 1", "norm 2", "norm max"};
    const double *p = &gpu->dot.re;
    const double *q = &host->dot.re;
    _Static_assert(sizeof *gpu == COUNT_OF(names) * sizeof *p, "results are plain doubles");
    for (int i = 0; i < COUNT_OF(names); i++)
        if (first_difference(FUR_F64, 1, &p[i], &q[i]) >= 0)
            ck_abort_msg("%s of %lld entries of %s: %a, on the CPU %a", names[i], (long long)s->n,
                         fur_value_name(s->value), p[i], q[i]);
}

static void check_reductions(const sides *s, const void *x, const void *y, int64_t shift_x,
                             int64_t shift_y, int runs)
{
    twin tx = twin_make(s, x, shift_x);
    twin ty = twin_make(s, y, shift_y);
    results host = reduce(tx.host, ty.host);
    for (int run = 0; run < runs; run++) {
        results gpu = reduce(tx.gpu, ty.gpu);
        ck_results(s, &gpu, &host);
    }
    twin_release(&ty);
    twin_release(&tx);
}

static int64_t leaf_entries(fur_value_type value)
{
    return 16384 / (int64_t)fur_value_size(value);
}

/* Sets sizes around the sizes of warps, rows, leaves, and levels of the tree. */
static int sizes_of(fur_value_type value, int64_t *sizes)
{
    static const int64_t fixed[] = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 100003, (1 << 20) + 1};
    static const int64_t leaves[] = {1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    int64_t row = leaf_entries(value) / 32;
    int count = 0;
    for (int i = 0; i < COUNT_OF(fixed) - (test_small() ? 2 : 0); i++)
        sizes[count++] = fixed[i];
    for (int64_t around = -1; around <= 1; around++)
        sizes[count++] = row + around;
    for (int i = 0; i < (test_small() ? 3 : COUNT_OF(leaves)); i++)
        for (int64_t around = -1; around <= 1; around++)
            sizes[count++] = leaves[i] * leaf_entries(value) + around;
    return count;
}

static sides sides_open(fur_value_type value)
{
    fur_context *gpu = context_cuda();
    return (sides){value, 0, fur_context_host(gpu), gpu};
}

/* Reductions have the bits of the CPU. All tests here that use _i loop over value types. */
START_TEST(reductions_have_the_bits_of_the_cpu)
{
    int64_t sizes[80];
    int64_t largest = test_small() ? 1 << 14 : (1 << 20) + 1;
    sides s = sides_open((fur_value_type)_i);
    rng r = rng_stream((uint64_t)_i);
    void *x = entries_random(&r, s.value, largest);
    void *y = entries_random(&r, s.value, largest);
    int count = sizes_of(s.value, sizes);
    ck_assert_int_le(count, COUNT_OF(sizes));
    for (int i = 0; i < count; i++) {
        s.n = sizes[i];
        check_reductions(&s, x, y, 0, 0, s.n > 200000 ? 2 : 1);
    }
    free(y);
    free(x);
    fur_context_destroy(s.gpu);
}
END_TEST

START_TEST(reductions_need_no_alignment)
{
    static const int64_t shifts[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, 2}, {3, 1}, {2, 2}};
    sides s = sides_open((fur_value_type)_i);
    rng r = rng_stream(10 + (uint64_t)_i);
    const int64_t sizes[] = {1,
                             5,
                             127,
                             1023,
                             leaf_entries(s.value),
                             3 * leaf_entries(s.value) + 5,
                             test_small() ? 9999 : 100003};
    void *x = entries_random(&r, s.value, 100003);
    void *y = entries_random(&r, s.value, 100003);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        for (int k = 0; k < COUNT_OF(shifts); k++) {
            s.n = sizes[i];
            check_reductions(&s, x, y, shifts[k][0], shifts[k][1], 1);
        }
    }
    free(y);
    free(x);
    fur_context_destroy(s.gpu);
}
END_TEST

START_TEST(reductions_repeat_their_bits)
{
    sides s = sides_open((fur_value_type)_i);
    rng r = rng_stream(20 + (uint64_t)_i);
    s.n = test_small() ? 20000 : (1 << 20) + 1;
    void *x = entries_random(&r, s.value, s.n);
    void *y = entries_random(&r, s.value, s.n);
    check_reductions(&s, x, y, 0, 0, RUNS);
    free(y);
    free(x);
    fur_context_destroy(s.gpu);
}
END_TEST

/* Vectors with more leaves than a launch has blocks have the bits of the CPU. */
START_TEST(long_vectors_have_the_bits_of_the_cpu)
{
    sides s = sides_open((fur_value_type)_i);
    rng r = rng_stream(30 + (uint64_t)_i);
    s.n = test_small() ? 40001 : (1 << 24) + 5;
    void *x = entries_random(&r, s.value, s.n);
    check_reductions(&s, x, x, 0, 1, 2);
    free(x);
    fur_context_destroy(s.gpu);
}
END_TEST

/* Moduli of numbers at random places among zeros. A 0 ends the list. */
static const double magnitudes[][4] = {
    {0},
    {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX},
    {1e300, 1e300, 1, 1e-300},
    {1e-300, 3e-300},
    {0x1p-1074, 0x1p-1074, 0x1p-1073},
    {0x1p-540, 0x1p-520},
    {0x1p-480, 0x1p-481},
    {0x1p511, 0x1p512},
    {0x1p401, 0x1p-401},
    {0x1p-1022, 0x1p-1030},
    {FLT_MAX, FLT_MAX},
    {0x1p-149, 0x1p-126},
    {INFINITY, 1},
    {-INFINITY, INFINITY, DBL_MAX},
    {NAN, 1},
    {1, 1, 1, -NAN},
    {NAN, INFINITY},
};

static void *spread(const sides *s, rng *r, const double *moduli, bool everywhere)
{
    void *entries = entries_make(s->value, s->n);
    for (int i = 0; i < 4 && moduli[i] != 0 && s->n > 0; i++) {
        for (int64_t k = 0; k < (everywhere ? s->n / 4 : 1); k++) {
            double im = rng_below(r, 2) ? moduli[i] / 2 : 0;
            entry_set(s->value, entries, rng_below(r, s->n), fur_complex(moduli[i], im));
        }
    }
    return entries;
}

static void check_norm_of_sum(const sides *s, const void *x, const void *y);

START_TEST(norms_of_extremes_have_the_bits_of_the_cpu)
{
    sides s = sides_open((fur_value_type)_i);
    rng r = rng_stream(40 + (uint64_t)_i);
    const int64_t sizes[] = {4, 1000, 5 * leaf_entries(s.value) + 3};
    for (int m = 0; m < COUNT_OF(magnitudes); m++) {
        for (int i = 0; i < 2 * COUNT_OF(sizes); i++) {
            s.n = sizes[i / 2];
            void *x = spread(&s, &r, magnitudes[m], i % 2);
            void *zeros = entries_make(s.value, s.n);
            check_reductions(&s, x, x, 0, 0, 1);
            check_norm_of_sum(&s, zeros, x);
            check_norm_of_sum(&s, x, x);
            free(zeros);
            free(x);
        }
    }
    fur_context_destroy(s.gpu);
}
END_TEST

/* Norms find a NaN at any place, also the last. */
START_TEST(norms_see_every_nan)
{
    sides s = sides_open(FUR_F32);
    s.n = 3 * leaf_entries(s.value) + 77;
    void *zeros = entries_make(s.value, s.n);
    twin t = twin_make(&s, zeros, 0);
    float *x = zeros;
    for (int64_t i = s.n - 1; i >= 0; i -= test_small() ? 1500 : 61) {
        double norms[2];
        x[i] = NAN;
        ck_ok(s.gpu, fur_vector_upload(x, t.gpu));
        ck_ok(s.gpu, fur_norm_max(t.gpu, &norms[0]));
        ck_ok(s.gpu, fur_norm2(t.gpu, &norms[1]));
        ck_assert_msg(isnan(norms[0]) && isnan(norms[1]), "NaN at %lld", (long long)i);
        x[i] = 0;
    }
    twin_release(&t);
    free(zeros);
    fur_context_destroy(s.gpu);
}
END_TEST

/* Checks y = x + y and its norm. */
static void check_norm_of_sum(const sides *s, const void *x, const void *y)
{
    results host = {.norm1 = 0};
    results gpu = {.norm1 = 0};
    twin tx = twin_make(s, x, 0);
    twin ty = twin_make(s, y, 0);
    ck_ok(s->host, fur_axpy_norm2(fur_real(1), tx.host, ty.host, &host.norm2));
    ck_ok(s->gpu, fur_axpy_norm2(fur_real(1), tx.gpu, ty.gpu, &gpu.norm2));
    ck_results(s, &gpu, &host);
    ck_twin(&ty, "axpy");
    twin_release(&ty);
    twin_release(&tx);
}

/* Checks every element-wise operation. Each operation uses the result of the previous one. */
static void check_operations(const sides *s, const void *x, const void *y, fur_scalar alpha,
                             fur_scalar beta, int64_t shift)
{
    results host = {.norm1 = 0};
    results gpu = {.norm1 = 0};
    twin tx = twin_make(s, x, shift);
    twin ty = twin_make(s, y, shift / 2);
    ck_ok(s->host, fur_axpby(alpha, tx.host, beta, ty.host));
    ck_ok(s->gpu, fur_axpby(alpha, tx.gpu, beta, ty.gpu));
    ck_twin(&ty, "axpby");
    ck_ok(s->host, fur_axpy_norm2(alpha, tx.host, ty.host, &host.norm2));
    ck_ok(s->gpu, fur_axpy_norm2(alpha, tx.gpu, ty.gpu, &gpu.norm2));
    ck_results(s, &gpu, &host);
    ck_twin(&ty, "axpy_norm2");
    ck_ok(s->host, fur_multiply_elementwise(tx.host, ty.host, ty.host));
    ck_ok(s->gpu, fur_multiply_elementwise(tx.gpu, ty.gpu, ty.gpu));
    ck_twin(&ty, "multiply");
    ck_ok(s->host, fur_vector_fill(ty.host, alpha));
    ck_ok(s->gpu, fur_vector_fill(ty.gpu, alpha));
    ck_twin(&ty, "fill");
    twin_release(&ty);
    twin_release(&tx);
}

START_TEST(vector_operations_have_the_bits_of_the_cpu)
{
    sides s = sides_open((fur_value_type)_i);
    rng r = rng_stream(50 + (uint64_t)_i);
    const int64_t sizes[] = {
        0, 1, 2, 31, 33, 1023, leaf_entries(s.value) + 1, test_small() ? 9999 : 1000003};
    const fur_scalar alphas[] = {rng_scalar(&r, s.value), {1, 0}, {0, 0}};
    const fur_scalar betas[] = {rng_scalar(&r, s.value), {1, 0}, {-1, 0}, {0, 0}};
    void *x = entries_random(&r, s.value, 1000003);
    void *y = entries_random(&r, s.value, 1000003);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        for (int k = 0; k < COUNT_OF(alphas) * COUNT_OF(betas); k++) {
            s.n = sizes[i];
            check_operations(&s, x, y, alphas[k / COUNT_OF(betas)], betas[k % COUNT_OF(betas)],
                             k % 4);
        }
    }
    free(y);
    free(x);
    fur_context_destroy(s.gpu);
}
END_TEST

/* If beta = 0, NaN in y is overwritten. If alpha = 0, NaN in x still shows. */
START_TEST(axpby_with_zeros_treats_nan_as_said)
{
    sides s = sides_open((fur_value_type)_i);
    rng r = rng_stream(60);
    s.n = 5000;
    void *x = entries_random(&r, s.value, s.n);
    void *nans = entries_make(s.value, s.n);
    for (int64_t i = 0; i < s.n; i++)
        entry_set(s.value, nans, i, fur_complex(NAN, NAN));
    check_operations(&s, x, nans, fur_real(2), fur_real(0), 0);
    check_operations(&s, nans, x, fur_real(0), fur_real(1), 0);
    free(nans);
    free(x);
    fur_context_destroy(s.gpu);
}
END_TEST

/* Scalars and vectors on both devices, with which a program of scalar operations runs. */
typedef struct machine {
    const sides *sides;
    fur_scalars *host;
    fur_scalars *gpu;
    twin x;
    twin y;
} machine;

static void ck_state(const machine *m, const char *step)
{
    fur_scalars_state host = FUR_DEFAULT(fur_scalars_state);
    fur_scalars_state gpu = FUR_DEFAULT(fur_scalars_state);
    ck_ok(m->sides->host, fur_scalars_get(m->host, &host));
    ck_ok(m->sides->gpu, fur_scalars_get(m->gpu, &gpu));
    ck_assert_msg(first_difference(FUR_C128, FUR_SCALARS_MAX, host.value, gpu.value) < 0 &&
                      first_difference(FUR_F64, FUR_SCALARS_MAX, host.floor, gpu.floor) < 0,
                  "values after %s", step);
    ck_assert_msg(memcmp(host.stores, gpu.stores, sizeof host.stores) == 0, "stores after %s",
                  step);
    ck_assert_msg(host.halted == gpu.halted, "halted by %lld after %s, on the CPU by %lld",
                  (long long)gpu.halted, step, (long long)host.halted);
    ck_twin(&m->y, step);
}

static fur_coefficient quotient(const fur_scalars *scalars, fur_scalar factor, int numerator,
                                int denominator)
{
    return (fur_coefficient){factor, scalars, numerator, denominator};
}

/* Computes y = alpha x + beta y with coefficients from slots. If `beta` is negative, the
 * coefficient beta is 1. */
static void axpby_by(machine *m, int numerator, int denominator, int beta)
{
    const fur_scalar factor = {-0.75, 0.25};
    fur_vector *xs[] = {m->x.host, m->x.gpu};
    fur_vector *ys[] = {m->y.host, m->y.gpu};
    fur_scalars *scalars[] = {m->host, m->gpu};
    for (int i = 0; i < 2; i++) {
        fur_coefficient b = {.factor = fur_real(1)};
        if (beta >= 0)
            b = quotient(scalars[i], fur_real(1), beta, -1);
        ck_ok(
            fur_vector_context(xs[i]),
            fur_axpby_from(quotient(scalars[i], factor, numerator, denominator), xs[i], b, ys[i]));
    }
    ck_state(m, "axpby_by");
}

static void axpy_norm2_into(machine *m, int numerator, int denominator, int slot)
{
    fur_coefficient a = quotient(m->host, fur_real(0.5), numerator, denominator);
    ck_ok(m->sides->host, fur_axpy_norm2_into(a, m->x.host, m->y.host, m->host, slot));
    a.scalars = m->gpu;
    ck_ok(m->sides->gpu, fur_axpy_norm2_into(a, m->x.gpu, m->y.gpu, m->gpu, slot));
    ck_state(m, "axpy_norm2_into");
}

static void dot_into(machine *m, int slot)
{
    ck_ok(m->sides->host, fur_dot_into(m->x.host, m->y.host, m->host, slot));
    ck_ok(m->sides->gpu, fur_dot_into(m->x.gpu, m->y.gpu, m->gpu, slot));
    ck_state(m, "dot_into");
}

static void set_state(machine *m, const fur_scalars_state *state)
{
    ck_ok(m->sides->host, fur_scalars_set(m->host, state));
    ck_ok(m->sides->gpu, fur_scalars_set(m->gpu, state));
    ck_state(m, "set");
}

static machine machine_open(const sides *s, uint64_t stream, double poison)
{
    machine m = {.sides = s};
    rng r = rng_stream(stream);
    void *x = entries_random(&r, s->value, s->n);
    void *y = entries_random(&r, s->value, s->n);
    if (poison != 0 && s->n > 0)
        entry_set(s->value, x, s->n / 2, fur_real(poison));
    ck_ok(s->host, fur_scalars_create(s->host, &m.host));
    ck_ok(s->gpu, fur_scalars_create(s->gpu, &m.gpu));
    m.x = twin_make(s, x, 0);
    m.y = twin_make(s, y, 1);
    ck_state(&m, "create");
    free(y);
    free(x);
    return m;
}

static void machine_close(machine *m)
{
    twin_release(&m->y);
    twin_release(&m->x);
    fur_scalars_destroy(m->gpu);
    fur_scalars_destroy(m->host);
}

/* Runs dot products whose quotients are coefficients. Some calls also store to the slot that they
 * read. */
static void run_program(machine *m)
{
    dot_into(m, 0);
    axpy_norm2_into(m, 0, -1, 1);
    axpby_by(m, 0, 1, -1);
    axpby_by(m, 0, 1, 1);
    axpy_norm2_into(m, 1, 0, 1);
    dot_into(m, 7);
    axpby_by(m, 7, 1, 0);
}

static void check_program(const sides *s, const fur_scalars_state *state, uint64_t stream,
                          double poison)
{
    machine m = machine_open(s, stream, poison);
    set_state(&m, state);
    run_program(&m);
    machine_close(&m);
}

/* Sets initial states: guards that hold or fail, and values that cannot be coefficients. */
static int states_of(fur_scalars_state *states)
{
    int count = 0;
    for (; count < 11; count++)
        states[count] = fur_scalars_initial();
    states[1].floor[0] = -1e30;
    states[2].floor[0] = 1e30;
    states[3].floor[1] = 0;
    states[4].floor[1] = 1e30;
    states[5].floor[7] = 0;
    states[6].halted = 3;
    states[7].value[1] = fur_real(2);
    states[7].floor[1] = 1e30;
    states[7].stores[1] = INT64_C(1) << 40;
    states[8].value[0] = fur_real(NAN);
    states[9].value[0] = fur_real(0);
    states[9].floor[0] = 0;
    states[10].value[5] = fur_complex(INFINITY, 1);
    return count;
}

START_TEST(scalars_have_the_bits_of_the_cpu)
{
    static const double poisons[] = {0, NAN, INFINITY};
    fur_scalars_state states[16];
    sides s = sides_open((fur_value_type)_i);
    const int64_t sizes[] = {0, 1, 1000, test_small() ? 9999 : 300007};
    int count = states_of(states);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        s.n = sizes[i];
        for (int k = 0; k < count * COUNT_OF(poisons); k++)
            check_program(&s, &states[k / COUNT_OF(poisons)], 70 + (uint64_t)k,
                          poisons[k % COUNT_OF(poisons)]);
    }
    fur_context_destroy(s.gpu);
}
END_TEST

/* A nonfinite coefficient halts the scalars, and later operations do nothing. */
START_TEST(what_is_not_finite_halts_the_scalars)
{
    static const double values[][2] = {{1, 0}, {0, 0}, {NAN, 1}, {1, NAN}, {INFINITY, 1}, {1, 4}};
    sides s = sides_open((fur_value_type)_i);
    s.n = test_small() ? 5000 : 300007;
    for (int i = 0; i < COUNT_OF(values); i++) {
        fur_scalars_state state = fur_scalars_initial();
        machine m = machine_open(&s, 80, 0);
        state.value[2] = fur_real(values[i][0]);
        state.value[3] = fur_real(values[i][1]);
        set_state(&m, &state);
        axpby_by(&m, 2, 3, -1);
        axpy_norm2_into(&m, 2, -1, 4);
        dot_into(&m, 5);
        state.halted = -1;
        set_state(&m, &state);
        axpy_norm2_into(&m, 2, 3, 4);
        axpby_by(&m, 3, -1, 2);
        machine_close(&m);
    }
    fur_context_destroy(s.gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, reductions_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, reductions_need_no_alignment, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, reductions_repeat_their_bits, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, long_vectors_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, norms_of_extremes_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, norms_see_every_nan);
    tcase_add_loop_test(tests, vector_operations_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, axpby_with_zeros_treats_nan_as_said, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, scalars_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, what_is_not_finite_halts_the_scalars, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_reduce", add_tests);
}
