/* Contexts: options and how wrong ones are refused, the message of the last error, memory. */
#include "support.h"

#include <string.h>
#include <unistd.h>

static const char *best_isa(void)
{
    const char *best = "portable";
    for (int i = 0; isa_name(i); i++)
        best = isa_name(i);
    return best;
}

static int default_threads(void)
{
    const char *wish = getenv("OMP_NUM_THREADS");
    return wish ? atoi(wish) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static void check_defaults(const fur_context_options *options)
{
    fur_context *context = NULL;
    unsetenv("FURROW_ISA");
    ck_ok(NULL, fur_context_create(options, &context));
    ck_assert_str_eq(fur_context_device(context), "cpu");
    ck_assert_str_eq(fur_context_isa(context), best_isa());
    ck_assert_int_eq(fur_context_threads(context), default_threads());
    ck_assert_str_eq(fur_context_error(context), "");
    fur_context_destroy(context);
}

/* The defaults hold if options are NULL, if they are zero, and if an older program passes a smaller
 * struct. Bytes after its size are not read. */
START_TEST(what_is_not_said_is_default)
{
    fur_context_options sized = {.size = sizeof sized};
    fur_context_options older = {
        .size = offsetof(fur_context_options, threads), .threads = -1, .isa = "unread"};
    check_defaults(NULL);
    check_defaults(&sized);
    check_defaults(&older);
}
END_TEST

START_TEST(options_are_kept)
{
    fur_context_options options = {
        .size = sizeof options, .device = "cpu", .threads = 5, .isa = "portable"};
    fur_context *context = NULL;
    ck_ok(NULL, fur_context_create(&options, &context));
    ck_assert_str_eq(fur_context_isa(context), "portable");
    ck_assert_int_eq(fur_context_threads(context), 5);
    fur_context_destroy(context);
}
END_TEST

/* The option `isa` has precedence over the environment variable. */
START_TEST(the_environment_names_the_instruction_set)
{
    fur_context_options options = {.size = sizeof options, .isa = best_isa()};
    fur_context *context = NULL;
    setenv("FURROW_ISA", "portable", 1);
    ck_ok(NULL, fur_context_create(NULL, &context));
    ck_assert_str_eq(fur_context_isa(context), "portable");
    fur_context_destroy(context);
    ck_ok(NULL, fur_context_create(&options, &context));
    ck_assert_str_eq(fur_context_isa(context), best_isa());
    fur_context_destroy(context);
    setenv("FURROW_ISA", "", 1); /* empty counts as not set */
    ck_ok(NULL, fur_context_create(NULL, &context));
    ck_assert_str_eq(fur_context_isa(context), best_isa());
    fur_context_destroy(context);
    setenv("FURROW_ISA", "abacus", 1);
    ck_assert_int_eq(fur_context_create(NULL, &context), FUR_UNSUPPORTED);
    unsetenv("FURROW_ISA");
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    memory m = {0};
    fur_allocator own = memory_allocator(&m);
    const struct {
        fur_context_options options;
        fur_status status;
        const char *sentence;
    } cases[] = {
        {{.threads = -3}, FUR_INVALID, "the number of threads is -3; it must be 0 or more"},
        {{.device = "cpu:1"},
         FUR_UNSUPPORTED,
         "there is no device \"cpu:1\"; use \"cpu\", which is all processors together"},
        {{.isa = "abacus"},
         FUR_UNSUPPORTED,
         "there is no instruction set \"abacus\" in this build; use portable, or on x86-64 avx2 or "
         "avx512"},
        {{.allocator = {.allocate = own.allocate}},
         FUR_INVALID,
         "the allocator has only one of its two functions; set both or neither"},
        {{.allocator = {.release = own.release}},
         FUR_INVALID,
         "the allocator has only one of its two functions; set both or neither"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_context_options options = cases[i].options;
        fur_context *context = NULL;
        options.size = sizeof options;
        ck_fails(NULL, cases[i].status, cases[i].sentence, fur_context_create(&options, &context));
        ck_assert_ptr_null(context);
    }
}
END_TEST

/* Checks only the start of the message, because the list of devices depends on the build. */
START_TEST(an_unknown_device_is_refused_with_the_list)
{
    const char *start = "this build of furrow has no device \"abacus\"; it has \"cpu\"";
    fur_context_options options = {.size = sizeof options, .device = "abacus"};
    fur_context *context = NULL;
    ck_assert_int_eq(fur_context_create(&options, &context), FUR_UNSUPPORTED);
    ck_assert_int_eq(strncmp(fur_context_error(NULL), start, strlen(start)), 0);
    ck_assert_ptr_null(context);
}
END_TEST

START_TEST(a_context_keeps_its_own_last_error)
{
    fur_context *one = context_make(NULL, 1);
    fur_context *two = context_make(NULL, 1);
    fur_vector *x = NULL;
    ck_assert_int_eq(fur_vector_create(one, FUR_F64, -1, &x), FUR_INVALID);
    ck_assert_str_eq(fur_context_error(one), "a vector cannot have -1 entries");
    ck_assert_str_eq(fur_context_error(two), "");
    ck_assert_int_eq(fur_context_fail(two, FUR_CANCELLED, "%d of %s", 3, "four"), FUR_CANCELLED);
    ck_assert_str_eq(fur_context_error(two), "3 of four");
    ck_assert_str_eq(fur_context_error(one), "a vector cannot have -1 entries");
    ck_assert_ptr_null(x);
    fur_context_destroy(two);
    fur_context_destroy(one);
    fur_context_destroy(NULL);
}
END_TEST

START_TEST(a_long_sentence_is_cut)
{
    fur_context *context = context_make(NULL, 1);
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    fur_context_fail(context, FUR_IO_ERROR, "%s", text);
    size_t length = strlen(fur_context_error(context));
    ck_assert(length > 500 && length < sizeof text);
    ck_assert_int_eq(strncmp(fur_context_error(context), text, length), 0);
    fur_context_destroy(context);
}
END_TEST

static void check_memory(fur_context *context, size_t bytes)
{
    void *data = NULL;
    ck_ok(context, fur_context_allocate(context, bytes, &data));
    ck_assert_uint_eq((uintptr_t)data % 64, 0);
    memset(data, 1, bytes);
    fur_context_release(context, data);
}

/* Memory is aligned for all sizes, up to sizes that use huge pages. */
START_TEST(memory_is_aligned)
{
    fur_context *context = context_make(NULL, 1);
    for (size_t bytes = 1; bytes < ((size_t)1 << 24); bytes = 3 * bytes + 1)
        check_memory(context, bytes);
    fur_context_destroy(context);
}
END_TEST

START_TEST(no_bytes_are_no_memory)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    void *data = &m;
    int64_t calls = m.calls;
    ck_ok(context, fur_context_allocate(context, 0, &data));
    ck_assert_ptr_null(data);
    ck_assert_int_eq(m.calls, calls);
    fur_context_release(context, NULL);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(memory_that_cannot_be_had_is_named)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    void *data = context;
    m.fail_at = m.calls + 1;
    ck_fails(context, FUR_OUT_OF_MEMORY, "out of memory: 4321 bytes could not be allocated",
             fur_context_allocate(context, 4321, &data));
    ck_fails(context, FUR_OVERFLOW, "18446744073709551615 bytes do not fit in memory",
             fur_context_allocate(context, SIZE_MAX, &data));
    ck_assert_ptr_eq(data, context);
    fur_context_destroy(context);
}
END_TEST

/* The CPU is the first device. A context can be made by the name of every usable device. */
START_TEST(devices_are_listed)
{
    int count = 0;
    for (const fur_device_info *d; (d = fur_device_at(count)); count++) {
        fur_context_options options = {.size = sizeof options, .device = d->name, .threads = 1};
        fur_context *context = NULL;
        char kind[16];
        ck_assert_uint_eq(d->size, sizeof *d);
        ck_assert_str_ne(d->description, "");
        ck_assert_int_ge(d->memory, 1 << 20);
        ck_assert_int_eq(strcmp(d->name, "cpu") == 0, count == 0);
        ck_assert_int_eq(fur_context_create(&options, &context),
                         d->usable ? FUR_OK : FUR_UNSUPPORTED);
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(d->name, ":"), d->name);
        ck_assert(!d->usable || strcmp(fur_context_device(context), kind) == 0);
        fur_context_destroy(context);
    }
    ck_assert_int_ge(count, 1);
    ck_assert_ptr_null(fur_device_at(count));
    ck_assert_ptr_null(fur_device_at(-1));
    ck_assert_ptr_null(fur_device_at(INT32_MAX));
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, devices_are_listed);
    tcase_add_test(tests, what_is_not_said_is_default);
    tcase_add_test(tests, options_are_kept);
    tcase_add_test(tests, the_environment_names_the_instruction_set);
    tcase_add_test(tests, wrong_options_are_refused);
    tcase_add_test(tests, an_unknown_device_is_refused_with_the_list);
    tcase_add_test(tests, a_context_keeps_its_own_last_error);
    tcase_add_test(tests, a_long_sentence_is_cut);
    tcase_add_test(tests, memory_is_aligned);
    tcase_add_test(tests, no_bytes_are_no_memory);
    tcase_add_test(tests, memory_that_cannot_be_had_is_named);
}

int main(void)
{
    return run_tests("context", add_tests);
}
