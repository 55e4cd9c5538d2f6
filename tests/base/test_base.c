/* Version, names and sizes of the enumerations. */
#include "support.h"

#include <string.h>

START_TEST(the_version_is_the_one_compiled)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", FUR_VERSION_MAJOR, FUR_VERSION_MINOR,
             FUR_VERSION_PATCH);
    ck_assert_str_eq(fur_version(), FUR_VERSION);
    ck_assert_str_eq(text, FUR_VERSION);
}
END_TEST

START_TEST(every_status_has_a_name)
{
    static const char *const names[] = {
        "ok",          "invalid argument",   "out of memory",  "overflow",
        "unsupported", "input/output error", "malformed file", "cancelled",
        "device error"};
    ck_assert_int_eq(FUR_DEVICE_ERROR + 1, COUNT_OF(names));
    for (int i = 0; i < COUNT_OF(names); i++)
        ck_assert_str_eq(fur_status_name((fur_status)i), names[i]);
    ck_assert_str_eq(fur_status_name((fur_status)COUNT_OF(names)), "unknown");
    ck_assert_str_eq(fur_status_name((fur_status)-1), "unknown");
}
END_TEST

START_TEST(types_have_names_and_sizes)
{
    static const struct {
        const char *name;
        size_t size;
    } values[] = {{"f32", sizeof(float)},
                  {"f64", sizeof(double)},
                  {"c64", sizeof(float _Complex)},
                  {"c128", sizeof(double _Complex)}};
    ck_assert_int_eq(FUR_VALUE_COUNT, COUNT_OF(values));
    for (int i = 0; i < FUR_VALUE_COUNT; i++) {
        ck_assert_str_eq(fur_value_name((fur_value_type)i), values[i].name);
        ck_assert_uint_eq(fur_value_size((fur_value_type)i), values[i].size);
    }
    ck_assert_str_eq(fur_offset_name(FUR_I32), "i32");
    ck_assert_str_eq(fur_offset_name(FUR_I64), "i64");
    ck_assert_uint_eq(fur_offset_size(FUR_I32), sizeof(int32_t));
    ck_assert_uint_eq(fur_offset_size(FUR_I64), sizeof(int64_t));
}
END_TEST

START_TEST(values_outside_the_enumerations_are_told_apart)
{
    static const int outside[] = {-1, 4, 1 << 30};
    for (int i = 0; i < COUNT_OF(outside); i++) {
        ck_assert_str_eq(fur_value_name((fur_value_type)outside[i]), "?");
        ck_assert_str_eq(fur_offset_name((fur_offset_type)outside[i]), "?");
        ck_assert_uint_eq(fur_value_size((fur_value_type)outside[i]), 0);
        ck_assert_uint_eq(fur_offset_size((fur_offset_type)outside[i]), 0);
    }
}
END_TEST

START_TEST(scalars_have_the_parts_given)
{
    fur_scalar real = fur_real(3);
    fur_scalar complex = fur_complex(4, -5);
    ck_assert(real.re == 3 && real.im == 0);
    ck_assert(complex.re == 4 && complex.im == -5);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, the_version_is_the_one_compiled);
    tcase_add_test(tests, every_status_has_a_name);
    tcase_add_test(tests, types_have_names_and_sizes);
    tcase_add_test(tests, values_outside_the_enumerations_are_told_apart);
    tcase_add_test(tests, scalars_have_the_parts_given);
}

int main(void)
{
    return run_tests("base", add_tests);
}
