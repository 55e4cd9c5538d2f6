/* Scalars in the device's memory. Tests that they give the bits of the calls that return scalars to
 * the host, that guards halt, that a halt stops later calls, and refusals. */
#include "support.h"

#include <math.h>
#include <string.h>

#define N 5000

static fur_coefficient plain(double factor)
{
    return (fur_coefficient){.factor = fur_real(factor)};
}

static fur_coefficient quotient(double factor, const fur_scalars *s, int numerator, int denominator)
{
    return (fur_coefficient){fur_real(factor), s, numerator, denominator};
}

static fur_scalars *scalars_make(fur_context *context)
{
    fur_scalars *scalars = NULL;
    ck_ok(context, fur_scalars_create(context, &scalars));
    return scalars;
}

static fur_scalars_state state_of(fur_context *context, const fur_scalars *scalars)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    ck_ok(context, fur_scalars_get(scalars, &state));
    return state;
}

/* Sets the first `count` values, without guards. */
static void set_values(fur_context *context, fur_scalars *scalars, const double *values, int count)
{
    fur_scalars_state state = fur_scalars_initial();
    for (int i = 0; i < count; i++)
        state.value[i] = fur_real(values[i]);
    ck_ok(context, fur_scalars_set(scalars, &state));
}

static void check_same(const fur_vector *x, const fur_vector *y)
{
    ck_assert_int_eq(first_difference(fur_vector_value_type(x), fur_vector_size(x),
                                      fur_vector_const_data(x), fur_vector_const_data(y)),
                     -1);
}

START_TEST(the_first_state_is_clear)
{
    fur_context *context = context_make(NULL, 1);
    fur_scalars *scalars = scalars_make(context);
    fur_scalars_state state = state_of(context, scalars);
    ck_assert_int_eq(state.halted, -1);
    for (int i = 0; i < FUR_SCALARS_MAX; i++) {
        ck_assert(state.value[i].re == 0 && state.value[i].im == 0);
        ck_assert_int_eq(state.stores[i], 0);
        ck_assert(isnan(state.floor[i]));
    }
    state.value[3] = fur_complex(1, 2);
    state.floor[4] = 5;
    state.stores[6] = 7;
    state.halted = FUR_SCALARS_MAX - 1;
    ck_ok(context, fur_scalars_set(scalars, &state));
    fur_scalars_state back = state_of(context, scalars);
    ck_assert(back.value[3].re == 1 && back.value[3].im == 2 && back.floor[4] == 5);
    ck_assert(back.stores[6] == 7 && back.halted == FUR_SCALARS_MAX - 1);
    fur_scalars_destroy(scalars);
    fur_scalars_destroy(NULL);
    fur_context_destroy(context);
}
END_TEST

/* fur_dot_into has the bits of fur_dot. Loops over value types. */
START_TEST(a_dot_product_has_the_bits_of_dot)
{
    fur_context *context = context_make(NULL, 2);
    fur_scalars *scalars = scalars_make(context);
    rng r = rng_stream(1);
    for (int64_t n = 0; n <= N; n += 1 + n * 7) {
        fur_vector *x = vector_random(context, &r, (fur_value_type)_i, n);
        fur_vector *y = vector_random(context, &r, (fur_value_type)_i, n);
        fur_scalar expected;
        int64_t before = state_of(context, scalars).stores[2];
        ck_ok(context, fur_dot(x, y, &expected));
        ck_ok(context, fur_dot_into(x, y, scalars, 2));
        fur_scalars_state state = state_of(context, scalars);
        ck_assert_int_eq(first_difference(FUR_C128, 1, &expected, &state.value[2]), -1);
        ck_assert_int_eq(state.stores[2], before + 1);
        ck_assert_int_eq(state.stores[1], 0);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
    }
    fur_scalars_destroy(scalars);
    fur_context_destroy(context);
}
END_TEST

/* axpby with stored coefficients has the bits of axpby. Coefficients are numbers, stored values and
 * quotients. Loops over value types. */
START_TEST(updates_have_the_bits_of_axpby)
{
    static const double values[] = {0.7, 3, -1.25, 1, 0};
    const struct {
        int numerator;
        int denominator;
        double value;
    } cases[] = {{0, -1, 0.7}, {0, 1, 0.7 / 3}, {2, 0, -1.25 / 0.7}, {3, -1, 1}, {4, 1, 0}};
    fur_context *context = context_make(NULL, 2);
    fur_scalars *s = scalars_make(context);
    rng r = rng_stream(2);
    fur_value_type type = (fur_value_type)_i;
    fur_vector *x = vector_random(context, &r, type, N);
    fur_vector *start = vector_random(context, &r, type, N);
    fur_vector *y = vector_from(context, type, N, fur_vector_data(start));
    fur_vector *z = vector_from(context, type, N, fur_vector_data(start));
    set_values(context, s, values, COUNT_OF(values));
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_coefficient c = quotient(-2, s, cases[i].numerator, cases[i].denominator);
        fur_coefficient d = quotient(1, s, cases[i].numerator, cases[i].denominator);
        ck_ok(context, fur_axpby_from(c, x, d, y));
        ck_ok(context, fur_axpby(fur_real(-2 * cases[i].value), x, fur_real(cases[i].value), z));
        check_same(y, z);
        ck_ok(context, fur_axpby_from(plain(0.3), x, d, y));
        ck_ok(context, fur_axpby(fur_real(0.3), x, fur_real(cases[i].value), z));
        check_same(y, z);
    }
    ck_assert_int_eq(state_of(context, s).halted, -1);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(start);
    fur_vector_destroy(x);
    fur_scalars_destroy(s);
    fur_context_destroy(context);
}
END_TEST

/* axpy_norm2_into has the bits of axpy_norm2, also if squares overflow or underflow. Loops over
 * value types. */
START_TEST(updates_with_norms_have_the_bits_of_axpy_norm2)
{
    fur_context *context = context_make(NULL, 2);
    fur_scalars *s = scalars_make(context);
    rng r = rng_stream(3);
    fur_value_type type = (fur_value_type)_i;
    bool wide = value_epsilon(type) == value_epsilon(FUR_F64);
    const double scales[] = {1, wide ? 1e200 : 1e30, wide ? 1e-250 : 1e-35};
    set_values(context, s, (const double[]){3, 7}, 2);
    for (int i = 0; i < COUNT_OF(scales); i++) {
        fur_vector *x = vector_random(context, &r, type, N);
        fur_vector *y = vector_random(context, &r, type, N);
        ck_ok(context, fur_axpby(fur_real(0), x, fur_real(scales[i]), y));
        ck_ok(context, fur_axpby(fur_real(scales[i]), x, fur_real(0), x));
        fur_vector *z = vector_from(context, type, N, fur_vector_data(y));
        double norm;
        ck_ok(context, fur_axpy_norm2(fur_real(-(3.0 / 7)), x, z, &norm));
        ck_ok(context, fur_axpy_norm2_into(quotient(-1, s, 0, 1), x, y, s, 5));
        check_same(y, z);
        fur_scalars_state state = state_of(context, s);
        ck_assert_double_eq(state.value[5].re, norm);
        ck_assert_double_eq(state.value[5].im, 0);
        ck_assert_int_eq(state.stores[5], i + 1);
        fur_vector_destroy(z);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
    }
    fur_scalars_destroy(s);
    fur_context_destroy(context);
}
END_TEST

/* Returns a vector of one entry. */
static fur_vector *single(fur_context *context, double entry)
{
    return vector_from(context, FUR_F64, 1, &entry);
}

/* The fused passes of conjugate gradients equal the calls that they replace, bit by bit, without a
 * diagonal, with one, and with a constant one. Loops over value types. */
START_TEST(fused_updates_have_the_bits_of_separate_ones)
{
    static const double values[] = {0.7, 3, -1.25};
    fur_context *context = context_make(NULL, 2);
    fur_scalars *s = scalars_make(context);
    fur_scalars *t = scalars_make(context);
    rng r = rng_stream(3);
    fur_value_type type = (fur_value_type)_i;
    fur_coefficient alpha = quotient(1, s, 0, 1);
    fur_coefficient beta = quotient(1, s, 2, 0);
    for (int64_t n = 0; n <= 9 * N; n += 1 + n * 5) {
        fur_vector *v[6];
        fur_vector *x2;
        fur_vector *p2;
        fur_vector *z;
        for (int i = 0; i < COUNT_OF(v); i++)
            v[i] = vector_random(context, &r, type, n);
        fur_vector *q = v[0], *rr = v[1], *d = v[2], *p = v[3], *x = v[4], *r2 = v[5];
        ck_ok(context, fur_vector_copy(rr, r2));
        x2 = vector_from(context, type, n, fur_vector_data(x));
        p2 = vector_from(context, type, n, fur_vector_data(p));
        z = vector_from(context, type, n, fur_vector_data(p));
        for (int scaled = 0; scaled < 3; scaled++) {
            fur_scalar c = scaled < 2 ? fur_real(1) : fur_real(0.25 + 1. / 3);
            set_values(context, s, values, COUNT_OF(values));
            ck_ok(context, fur_axpy_norms_into(alpha, q, scaled == 1 ? d : NULL, c, rr, s, 4, 5));
            ck_ok(context, fur_axpy_norm2_into(alpha, q, r2, t, 4));
            ck_ok(context, scaled == 2 ? fur_vector_fill(d, c) : FUR_OK);
            ck_ok(context, scaled ? fur_multiply_elementwise(d, r2, z) : fur_vector_copy(r2, z));
            ck_ok(context, fur_dot_into(r2, z, t, 5));
            check_same(rr, r2);
            ck_assert(state_of(context, s).value[4].re == state_of(context, t).value[4].re);
            ck_assert(state_of(context, s).value[5].re == state_of(context, t).value[5].re);

            ck_ok(context, fur_axpy_direction(alpha, beta, scaled == 1 ? d : NULL, c, rr, p, x));
            ck_ok(context, fur_axpby_from(alpha, p2, plain(1), x2));
            ck_ok(context, fur_axpby_from(plain(1), z, beta, p2));
            check_same(x, x2);
            check_same(p, p2);
        }
        for (int i = 0; i < COUNT_OF(v); i++)
            fur_vector_destroy(v[i]);
        fur_vector_destroy(x2);
        fur_vector_destroy(p2);
        fur_vector_destroy(z);
    }
    fur_scalars_destroy(t);
    fur_scalars_destroy(s);
    fur_context_destroy(context);
}
END_TEST

/* A coefficient may use the previous value of a slot. The kept values of a slot can be read. */
START_TEST(earlier_values_can_be_had)
{
    fur_context *context = context_make(NULL, 1);
    fur_scalars *s = scalars_make(context);
    double ones[] = {1, 1, 1};
    double kept[3] = {0};
    fur_vector *x = vector_from(context, FUR_F64, 3, ones);
    ck_ok(context, fur_scalars_keep(s, 2, 3));
    for (int i = 1; i <= 4; i++) {
        ck_ok(context, fur_vector_fill(x, fur_real(i)));
        ck_ok(context, fur_dot_into(x, x, s, 1));
    }
    fur_scalars_state state = state_of(context, s);
    ck_assert(state.value[1].re == 48 && state.previous[1].re == 27);
    ck_ok(context, fur_scalars_kept(s, 1, 3, kept));
    ck_assert(kept[0] == 3 && kept[1] == 12 && kept[2] == 27);
    ck_ok(context, fur_axpby_from(plain(0), x, quotient(1, s, FUR_PREVIOUS(1), 1), x));
    ck_assert(((double *)fur_vector_data(x))[2] == 4 * (27. / 48));
    ck_fails(context, FUR_INVALID, "the scalars keep only 3 values of 2 slots",
             fur_scalars_kept(s, 2, 1, kept));
    ck_fails(context, FUR_INVALID, "the scalars keep only 3 values of 2 slots",
             fur_scalars_kept(s, 0, 4, kept));
    ck_fails(context, FUR_INVALID,
             "the number of slots must be from 0 to 8, and the number of values 0 or more",
             fur_scalars_keep(s, 9, 4));
    ck_assert_int_eq(fur_scalars_keep(s, 8, INT64_C(1) << 61), FUR_OVERFLOW);
    ck_ok(context, fur_scalars_kept(s, 1, 3, kept)); /* failed calls lose no kept values */
    fur_vector_destroy(x);
    fur_scalars_destroy(s);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_guard_halts_at_its_floor_and_at_what_is_not_finite)
{
    static const struct {
        double floor;
        double value;
        bool halts;
    } cases[] = {
        {0, 1, false},          {0, 0, true},     {0, -1, true},          {-2, -1, false},
        {2, 2, true},           {0, NAN, true},   {0, INFINITY, true},    {0, -INFINITY, true},
        {NAN, NAN, false},      {NAN, -1, false}, {NAN, INFINITY, false}, {INFINITY, 1, true},
        {-INFINITY, -1, false},
    };
    fur_context *context = context_make(NULL, 1);
    fur_vector *one = single(context, 1);
    fur_scalars *s = scalars_make(context);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_vector *x = single(context, cases[i].value);
        fur_scalars_state state = fur_scalars_initial();
        state.floor[3] = cases[i].floor;
        ck_ok(context, fur_scalars_set(s, &state));
        ck_ok(context, fur_dot_into(one, x, s, 3));
        state = state_of(context, s);
        ck_assert_msg(state.halted == (cases[i].halts ? 3 : -1), "case %d", i);
        ck_assert_int_eq(state.stores[3], 1);
        ck_assert(state.value[3].re == cases[i].value || isnan(cases[i].value));
        fur_vector_destroy(x);
    }
    fur_scalars_destroy(s);
    fur_vector_destroy(one);
    fur_context_destroy(context);
}
END_TEST

/* The guard of ||y|| halts after y is updated. Later calls that use these scalars do nothing. */
START_TEST(after_a_halt_nothing_is_done)
{
    fur_context *context = context_make(NULL, 1);
    fur_vector *x = single(context, 3);
    fur_vector *y = single(context, 4);
    fur_scalars *s = scalars_make(context);
    fur_scalars *other = scalars_make(context);
    fur_scalars_state state = fur_scalars_initial();
    state.value[0] = fur_real(2);
    state.floor[1] = 100;
    ck_ok(context, fur_scalars_set(s, &state));
    ck_ok(context, fur_axpy_norm2_into(quotient(1, s, 0, -1), x, y, s, 1));
    ck_assert_double_eq(*(double *)fur_vector_data(y), 10);
    state = state_of(context, s);
    ck_assert_int_eq(state.halted, 1);
    ck_assert_double_eq(state.value[1].re, 10);

    ck_ok(context, fur_dot_into(x, y, s, 0));
    ck_ok(context, fur_dot_into(x, y, s, 1));
    ck_ok(context, fur_axpby_from(quotient(1, s, 0, -1), x, plain(1), y));
    ck_ok(context, fur_axpby_from(plain(1), x, quotient(1, s, 0, -1), y));
    ck_ok(context, fur_axpy_norm2_into(plain(1), x, y, s, 2));
    ck_ok(context, fur_axpy_norm2_into(quotient(1, s, 0, -1), x, y, other, 2));
    fur_scalars_state after = state_of(context, s);
    ck_assert_int_eq(memcmp(&after, &state, sizeof state), 0);
    ck_assert_int_eq(state_of(context, other).stores[2], 0);
    ck_assert_int_eq(state_of(context, other).halted, -1);
    ck_assert_double_eq(*(double *)fur_vector_data(y), 10);

    ck_ok(context, fur_axpby_from(plain(1), x, plain(1), y));
    ck_assert_double_eq(*(double *)fur_vector_data(y), 13);
    fur_scalars_destroy(other);
    fur_scalars_destroy(s);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

/* A quotient that is not finite halts at its denominator, or at its numerator if it has no
 * denominator. */
START_TEST(a_coefficient_that_is_not_finite_halts)
{
    static const double values[] = {1, 0, NAN, INFINITY, 1e-320};
    static const struct {
        int numerator;
        int denominator;
        int halted;
    } cases[] = {{0, 1, 1}, {1, 1, 1}, {0, 2, 2}, {2, -1, 2}, {3, -1, 3}, {3, 0, 0}, {0, 4, 4}};
    fur_context *context = context_make(NULL, 1);
    fur_vector *x = single(context, 3);
    fur_vector *y = single(context, 4);
    fur_scalars *s = scalars_make(context);
    for (int i = 0; i < 3 * COUNT_OF(cases); i++) {
        fur_coefficient c = quotient(1, s, cases[i / 3].numerator, cases[i / 3].denominator);
        set_values(context, s, values, COUNT_OF(values));
        if (i % 3 == 0)
            ck_ok(context, fur_axpby_from(c, x, plain(1), y));
        if (i % 3 == 1)
            ck_ok(context, fur_axpby_from(plain(1), x, c, y));
        if (i % 3 == 2)
            ck_ok(context, fur_axpy_norm2_into(c, x, y, s, 6));
        fur_scalars_state state = state_of(context, s);
        ck_assert_msg(state.halted == cases[i / 3].halted, "case %d: %d", i, (int)state.halted);
        ck_assert_int_eq(state.stores[6], 0);
        ck_assert_double_eq(*(double *)fur_vector_data(y), 4);
    }
    fur_scalars_destroy(s);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_halt_can_be_lifted)
{
    fur_context *context = context_make(NULL, 1);
    fur_vector *x = single(context, 3);
    fur_scalars *s = scalars_make(context);
    fur_scalars_state state = fur_scalars_initial();
    state.floor[0] = 9;
    ck_ok(context, fur_scalars_set(s, &state));
    ck_ok(context, fur_dot_into(x, x, s, 0));
    state = state_of(context, s);
    ck_assert_int_eq(state.halted, 0);
    state.halted = -1;
    state.floor[0] = 8;
    ck_ok(context, fur_scalars_set(s, &state));
    ck_ok(context, fur_dot_into(x, x, s, 0));
    state = state_of(context, s);
    ck_assert_int_eq(state.halted, -1);
    ck_assert_int_eq(state.stores[0], 2);
    fur_scalars_destroy(s);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    static const char foreign[] = "the scalars and the vectors belong to different contexts";
    static const char sizes[] = "the vectors have 1 and 2 entries; they need the same number";
    fur_context *context = context_make(NULL, 1);
    fur_context *elsewhere = context_make(NULL, 1);
    fur_vector *x = single(context, 3);
    fur_vector *y = single(context, 4);
    fur_vector *longer = vector_from(context, FUR_F64, 2, (const double[]){1, 2});
    fur_scalars *s = scalars_make(context);
    fur_scalars *strange = scalars_make(elsewhere);
    fur_coefficient one = plain(1);
    ck_fails(context, FUR_INVALID, "slot 8 is out of range; it must be from 0 to 7",
             fur_dot_into(x, y, s, 8));
    ck_fails(context, FUR_INVALID, "slot -1 is out of range; it must be from 0 to 7",
             fur_dot_into(x, y, s, -1));
    ck_fails(context, FUR_INVALID, "slot 9 is out of range; it must be from 0 to 7",
             fur_axpy_norm2_into(one, x, y, s, 9));
    ck_fails(context, FUR_INVALID, "numerator 16 is out of range; it must be from 0 to 15",
             fur_axpby_from(quotient(1, s, 16, -1), x, one, y));
    ck_fails(context, FUR_INVALID, "numerator -1 is out of range; it must be from 0 to 15",
             fur_axpby_from(one, x, quotient(1, s, -1, -1), y));
    ck_fails(context, FUR_INVALID, "denominator 16 is out of range; it must be from -1 to 15",
             fur_axpby_from(quotient(1, s, 0, 16), x, one, y));
    ck_fails(context, FUR_INVALID, "denominator -2 is out of range; it must be from -1 to 15",
             fur_axpy_norm2_into(quotient(1, s, 0, -2), x, y, s, 0));
    ck_fails(context, FUR_INVALID, foreign, fur_dot_into(x, y, strange, 0));
    ck_fails(context, FUR_INVALID, foreign, fur_axpy_norm2_into(one, x, y, strange, 0));
    ck_fails(context, FUR_INVALID, foreign, fur_axpby_from(quotient(1, strange, 0, 1), x, one, y));
    ck_fails(context, FUR_INVALID, sizes, fur_dot_into(x, longer, s, 0));
    ck_fails(context, FUR_INVALID, sizes, fur_axpby_from(one, x, one, longer));
    ck_fails(context, FUR_INVALID, sizes, fur_axpy_norm2_into(one, x, longer, s, 0));
    for (int64_t halted = -2; halted <= 8; halted += 10) {
        char sentence[128];
        fur_scalars_state state = fur_scalars_initial();
        state.halted = halted;
        snprintf(sentence, sizeof sentence,
                 "halted must be a slot below 8, or -1 for none; it is %d", (int)halted);
        ck_fails(context, FUR_INVALID, sentence, fur_scalars_set(s, &state));
    }
    ck_assert_double_eq(*(double *)fur_vector_data(y), 4);
    ck_assert_int_eq(state_of(context, s).stores[0], 0);
    fur_scalars_destroy(strange);
    fur_scalars_destroy(s);
    fur_vector_destroy(longer);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(elsewhere);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_cpu_records_nothing)
{
    fur_context *context = context_make(NULL, 1);
    fur_recording *recording = NULL;
    ck_fails(context, FUR_UNSUPPORTED, "device \"cpu\" cannot record work; use a context on a GPU",
             fur_recording_create(context, &recording));
    ck_assert_ptr_null(recording);
    fur_context_destroy(context);
}
END_TEST

START_TEST(memory_that_is_not_there_is_reported)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    int64_t outstanding = m.outstanding;
    fur_scalars *scalars = NULL;
    fur_status status = FUR_OUT_OF_MEMORY;
    for (int64_t call = 1; status != FUR_OK; call++) {
        m.fail_at = m.calls + call;
        status = fur_scalars_create(context, &scalars);
        ck_assert(status == FUR_OK || (status == FUR_OUT_OF_MEMORY && !scalars));
        ck_assert(status == FUR_OK || m.outstanding == outstanding);
    }
    fur_scalars_destroy(scalars);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, the_first_state_is_clear);
    tcase_add_loop_test(tests, a_dot_product_has_the_bits_of_dot, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, updates_have_the_bits_of_axpby, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, updates_with_norms_have_the_bits_of_axpy_norm2, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_guard_halts_at_its_floor_and_at_what_is_not_finite);
    tcase_add_loop_test(tests, fused_updates_have_the_bits_of_separate_ones, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, earlier_values_can_be_had);
    tcase_add_test(tests, after_a_halt_nothing_is_done);
    tcase_add_test(tests, a_coefficient_that_is_not_finite_halts);
    tcase_add_test(tests, a_halt_can_be_lifted);
    tcase_add_test(tests, wrong_arguments_are_refused);
    tcase_add_test(tests, a_cpu_records_nothing);
    tcase_add_test(tests, memory_that_is_not_there_is_reported);
}

int main(void)
{
    return run_tests("scalars", add_tests);
}
