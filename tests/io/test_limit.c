/* Tests of the cost of reading: limits, invalid limits, and cancelling in every part that may take
 * long. */
#include "scratch.h"

#include "limit.h"

#include <furrow/files.h>

#ifdef FURROW_HAVE_ZSTD
#    include <zstd.h>
#endif

#define TEXT "a.mtx"
#define BINARY "a.fur"
#define ARCHIVE "a.tar"
#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
#define MATRIX GENERAL "2 3 2\n1 1 5\n2 3 6\n"

static fur_context *context;

static void open_context(void)
{
    context = context_make(NULL, 4);
}

static void close_context(void)
{
    fur_context_destroy(context);
    scratch_empty();
}

static const struct {
    fur_mtx_read_options options;
    const char *sentence;
} wrong_options[] = {
    {{.convert = (fur_mtx_convert)5}, "the reading option 'convert' is 5, expected 0 to 4"},
    {{.keep_triangle = -1}, "the reading option 'keep_triangle' is -1, expected 0 to 1"},
    {{.duplicates = (fur_duplicates)9}, "the reading option 'duplicates' is 9, expected 0 to 3"},
    {{.mirrored = (fur_mtx_mirrored)9}, "the reading option 'mirrored' is 9, expected 0 to 1"},
    {{.drop_zeros = 77}, "the reading option 'drop_zeros' is 77, expected 0 to 1"},
    {{.allow_trailing = 2}, "the reading option 'allow_trailing' is 2, expected 0 to 1"},
    {{.refuse_nonfinite = 2}, "the reading option 'refuse_nonfinite' is 2, expected 0 to 1"},
    {{.refuse_range = INT32_MIN},
     "the reading option 'refuse_range' is -2147483648, expected 0 to 1"},
    {{.refuse_dialects = 2}, "the reading option 'refuse_dialects' is 2, expected 0 to 1"},
    {{.limits.shape = -1},
     "the limit 'shape' is -1, expected 0 for the default or a positive number"},
    {{.limits.entries = -5},
     "the limit 'entries' is -5, expected 0 for the default or a positive number"},
    {{.limits.unpacked = -7},
     "the limit 'unpacked' is -7, expected 0 for the default or a positive number"},
    {{.limits.seconds = -0.5},
     "the limit 'seconds' is -0.5, expected 0 for the default or a positive number"},
    {{.limits.seconds = __builtin_nan("")},
     "the limit 'seconds' is nan, expected 0 for the default or a positive number"},
};

START_TEST(options_are_checked)
{
    fur_mtx_read_options options = wrong_options[_i].options;
    fur_csr *matrix = NULL;
    fur_vector *vector = NULL;
    options.size = sizeof options;
    scratch_write(TEXT, MATRIX);
    ck_fails(context, FUR_INVALID, wrong_options[_i].sentence,
             fur_mtx_read_csr(context, TEXT, &options, &matrix));
    ck_fails(context, FUR_INVALID, wrong_options[_i].sentence,
             fur_mtx_read_vector(context, TEXT, &options, &vector));
}
END_TEST

/* Cases: a limit, the bytes of a file (-1 if unknown), the shape in its header, and the refusal. */
static const struct {
    int64_t limit;
    int64_t bytes;
    int64_t rows;
    int64_t cols;
    int64_t entries;
    const char *sentence; /* NULL: accepted */
} shapes_of_files[] = {
    {0, 100, 1, 4194303, 1, NULL},
    {0, 100, 1, 4194304, 1,
     "found a matrix of 1 x 4194304 in a file of 100 bytes, expected at most 4194304 rows and "
     "columns together; if the file is correct, raise the limit 'shape'"},
    {0, 1000000, 4000000, 4000000, 1, NULL},
    {0, 1000000, 4000000, 4000001, 1,
     "found a matrix of 4000000 x 4000001 in a file of 1000000 bytes, expected at most 8000000 "
     "rows and columns together; if the file is correct, raise the limit 'shape'"},
    {0, 1000, 10000000, 10000000, 10000000, NULL},
    {0, 1000, 10000000, 10000001, 10000000,
     "found a matrix of 10000000 x 10000001 in a file of 1000 bytes, expected at most 20000000 "
     "rows and columns together; if the file is correct, raise the limit 'shape'"},
    {0, -1, INT32_MAX, INT32_MAX, 0, NULL},
    {0, INT64_MAX, INT32_MAX, INT32_MAX, 0, NULL},
    {0, INT64_MAX / 2, INT32_MAX, INT32_MAX, INT64_MAX, NULL},
    {5, 1000000, 2, 3, 0, NULL},
    {5, -1, 3, 3, 0,
     "found a matrix of 3 x 3, expected at most 5 rows and columns together (limit 'shape')"},
    {FUR_NO_LIMIT, 100, INT64_MAX / 2, INT64_MAX / 2, 1, NULL},
};

START_TEST(rows_and_columns_are_in_proportion_to_the_file)
{
    const fur_mtx_header header = {.size = sizeof header,
                                   .rows = shapes_of_files[_i].rows,
                                   .cols = shapes_of_files[_i].cols,
                                   .entries_in_file = shapes_of_files[_i].entries};
    const fur_read_limits limits = {.shape = shapes_of_files[_i].limit};
    const char *sentence = shapes_of_files[_i].sentence;
    fur_failure failure = {0};
    fur_status status =
        fur_limits_check_header(&limits, &header, shapes_of_files[_i].bytes, &failure);
    ck_assert_int_eq(status, sentence ? FUR_OVERFLOW : FUR_OK);
    ck_assert_str_eq(failure.sentence, sentence ? sentence : "");
}
END_TEST

/* Reads a matrix from a text or binary file. */
static fur_status read_matrix(const char *path, const fur_read_limits *limits, fur_csr **out)
{
    const fur_mtx_read_options text = {.size = sizeof text, .limits = *limits};
    const fur_binary_read_options binary = {.size = sizeof binary, .limits = *limits};
    return fur_binary_detect(path) ? fur_binary_read_csr(context, path, &binary, out)
                                   : fur_mtx_read_csr(context, path, &text, out);
}

static void check_beyond(const char *path, fur_read_limits limits, fur_status status,
                         const char *sentence)
{
    char whole[256];
    fur_csr *matrix = NULL;
    snprintf(whole, sizeof whole, "%s:%s", path, sentence);
    ck_fails(context, status, whole, read_matrix(path, &limits, &matrix));
}

static void check_within(const char *path, fur_read_limits limits)
{
    fur_csr *matrix = NULL;
    ck_ok(context, read_matrix(path, &limits, &matrix));
    fur_csr_destroy(matrix);
}

/* Limits hold for a Matrix Market file and for a binary file of the same matrix. */
START_TEST(limits_hold_for_every_reader)
{
    fur_csr *matrix = NULL;
    scratch_write(TEXT, MATRIX);
    ck_ok(context, fur_mtx_read_csr(context, TEXT, NULL, &matrix));
    ck_ok(context, fur_binary_write_csr(matrix, BINARY, NULL));
    const char *paths[] = {TEXT, BINARY}, *places[] = {"2:1:", ""};
    for (int i = 0; i < COUNT_OF(paths); i++) {
        char sentence[200];
        snprintf(sentence, sizeof sentence,
                 "%s found a matrix of 2 x 3, expected at most 4 rows and columns together (limit "
                 "'shape')",
                 places[i]);
        check_beyond(paths[i], (fur_read_limits){.shape = 4}, FUR_OVERFLOW, sentence);
        snprintf(sentence, sizeof sentence,
                 "%s found 2 entries, expected at most 1 (limit 'entries')", places[i]);
        check_beyond(paths[i], (fur_read_limits){.entries = 1}, FUR_OVERFLOW, sentence);
        check_beyond(paths[i], (fur_read_limits){.seconds = 1e-12}, FUR_CANCELLED,
                     " reading took longer than 1e-12 seconds (limit 'seconds')");
        check_within(paths[i],
                     (fur_read_limits){.shape = 5, .entries = 2, .unpacked = 1, .seconds = 1e6});
    }
    fur_csr_destroy(matrix);
}
END_TEST

/* A small file of many columns is refused: the vector that the matrix multiplies would need much
 * memory. */
START_TEST(a_small_file_of_many_columns_is_refused_in_every_form)
{
    const fur_read_limits any = {.shape = FUR_NO_LIMIT};
    fur_csr *matrix = NULL;
    fur_vector *vector = NULL;
    scratch_write(TEXT, GENERAL "1 2147483647 2\n1 1 5\n1 2147483647 6\n");
    ck_ok(context, read_matrix(TEXT, &any, &matrix));
    ck_ok(context, fur_binary_write_csr(matrix, BINARY, NULL));
    check_beyond(
        TEXT, (fur_read_limits){0}, FUR_OVERFLOW,
        "2:1: found a matrix of 1 x 2147483647 in a file of 82 bytes, expected at most 4194304 "
        "rows and columns together; if the file is correct, raise the limit 'shape'");
    check_beyond(
        BINARY, (fur_read_limits){0}, FUR_OVERFLOW,
        " found a matrix of 1 x 2147483647 in a file of 16400 bytes, expected at most 4194304 rows "
        "and columns together; if the file is correct, raise the limit 'shape'");
    ck_assert_int_eq(fur_binary_read_vector(context, BINARY, NULL, &vector), FUR_OVERFLOW);
    ck_assert_int_eq(fur_mtx_read_vector(context, TEXT, NULL, &vector), FUR_OVERFLOW);
    check_within(BINARY, any);
    fur_csr_destroy(matrix);
}
END_TEST

/* Writes the ustar header of a member of a tar archive. */
static void write_member(FILE *out, const char *name, size_t size)
{
    char block[512] = "";
    unsigned sum = 0;
    snprintf(block, 100, "%s", name);
    snprintf(block + 124, 12, "%011zo", size);
    memset(block + 148, ' ', 8);
    block[156] = '0';
    memcpy(block + 257, "ustar", sizeof "ustar");
    memset(block + 263, '0', 2);
    for (size_t i = 0; i < sizeof block; i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    fwrite(block, sizeof block, 1, out);
}

static void write_matrix(FILE *out)
{
    static const char zeros[512];
    write_member(out, "a/a.mtx", strlen(MATRIX));
    fwrite(MATRIX, strlen(MATRIX), 1, out);
    fwrite(zeros, 512 - strlen(MATRIX) % 512, 1, out);
}

/* Writes an archive with a sparse member of `size` bytes before or after the matrix. */
static void write_hole(size_t size, bool before)
{
    FILE *out = fopen(ARCHIVE, "wb");
    if (!before)
        write_matrix(out);
    write_member(out, "a/hole", size);
    fseek(out, (long)size, SEEK_CUR);
    if (before)
        write_matrix(out);
    fwrite((char[1024]){0}, 1024, 1, out);
    ck_assert_int_eq(fclose(out), 0);
}

typedef struct stopper {
    int calls;
    int stop_at;
    int64_t done;
} stopper;

static int count_calls(void *user, int64_t done, int64_t total)
{
    stopper *s = user;
    ck_assert_int_ge(done, s->done);
    ck_assert(total < 0 || done <= total);
    s->done = done;
    return ++s->calls == s->stop_at;
}

/* Reads the archive. Call number `stop_at` of progress cancels. */
static fur_status read_stopped(stopper *s, fur_csr **out)
{
    const fur_mtx_read_options options = {.size = sizeof options,
                                          .progress = count_calls,
                                          .user = s,
                                          .limits.unpacked = FUR_NO_LIMIT};
    return fur_mtx_read_csr(context, ARCHIVE, &options, out);
}

static void check_stops(int stop_at)
{
    fur_csr *matrix = NULL;
    stopper all = {0}, some = {.stop_at = stop_at};
    ck_ok(context, read_stopped(&all, &matrix));
    ck_assert_int_gt(all.calls, stop_at);
    fur_csr_destroy(matrix);
    matrix = NULL;
    ck_assert_int_eq(read_stopped(&some, &matrix), FUR_CANCELLED);
    ck_assert_ptr_null(matrix);
    ck_assert_int_eq(some.calls, stop_at);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "reading was cancelled after "));
}

START_TEST(members_are_passed_over_under_the_callers_eye)
{
    write_hole((size_t)64 << 20, true);
    check_stops(1);
    check_stops(200);
}
END_TEST

#ifdef FURROW_HAVE_ZSTD
/* Compresses the archive. Each MiB becomes a frame. */
static void pack_archive(void)
{
    const size_t room = (size_t)1 << 20;
    char *text = malloc(room), *packed = malloc(2 * room);
    FILE *in = fopen(ARCHIVE, "rb"), *out = fopen("packed", "wb");
    size_t got;
    while ((got = fread(text, 1, room, in)) > 0) {
        size_t size = ZSTD_compress(packed, 2 * room, text, got, 1);
        ck_assert(!ZSTD_isError(size));
        fwrite(packed, size, 1, out);
    }
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(rename("packed", ARCHIVE), 0);
    free(text);
    free(packed);
}

/* Unpacking can be cancelled in every thread. Bytes after the matrix are unpacked too, for the
 * checksum. */
START_TEST(unpacking_is_watched_by_every_thread)
{
    for (int before = 0; before <= 1; before++) {
        write_hole((size_t)64 << 20, before);
        pack_archive();
        if (before)
            check_stops(300);
        stopper late = {.stop_at = 3};
        fur_csr *matrix = NULL;
        ck_assert_int_eq(read_stopped(&late, &matrix), FUR_CANCELLED);
        const fur_read_limits soon = {.seconds = 1e-12};
        check_beyond(ARCHIVE, soon, FUR_CANCELLED,
                     " reading took longer than 1e-12 seconds (limit 'seconds')");
    }
}
END_TEST

/* A file of 15 KB that unpacks to 300 MiB is refused. */
START_TEST(what_unpacks_to_too_much_is_refused)
{
    char sentence[200];
    write_hole((size_t)300 << 20, true);
    pack_archive();
    FILE *file = fopen(ARCHIVE, "rb");
    fseek(file, 0, SEEK_END);
    snprintf(sentence, sizeof sentence,
             " found more than 268435456 bytes of unpacked data in %ld bytes of the file; if the "
             "file is correct, raise the limit 'unpacked'",
             ftell(file));
    fclose(file);
    check_beyond(ARCHIVE, (fur_read_limits){0}, FUR_OVERFLOW, sentence);
    check_beyond(ARCHIVE, (fur_read_limits){.unpacked = 1000000}, FUR_OVERFLOW,
                 " found more than 1000000 bytes of unpacked data (limit 'unpacked')");
    check_within(ARCHIVE, (fur_read_limits){.unpacked = FUR_NO_LIMIT});
}
END_TEST
#endif

/* An empty symmetric pattern is read without arithmetic on NULL, which sanitizers would report. */
START_TEST(an_empty_symmetric_pattern_is_read)
{
    fur_csr *matrix = NULL;
    scratch_write(TEXT, "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 0\n");
    ck_ok(context, fur_mtx_read_csr(context, TEXT, NULL, &matrix));
    ck_assert_int_eq(fur_csr_get(matrix)->entries, 0);
    fur_csr_destroy(matrix);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, options_are_checked, 0, COUNT_OF(wrong_options));
    tcase_add_loop_test(tests, rows_and_columns_are_in_proportion_to_the_file, 0,
                        COUNT_OF(shapes_of_files));
    tcase_add_test(tests, limits_hold_for_every_reader);
    tcase_add_test(tests, a_small_file_of_many_columns_is_refused_in_every_form);
    tcase_add_test(tests, members_are_passed_over_under_the_callers_eye);
#ifdef FURROW_HAVE_ZSTD
    tcase_add_test(tests, unpacking_is_watched_by_every_thread);
    tcase_add_test(tests, what_unpacks_to_too_much_is_refused);
#endif
    tcase_add_test(tests, an_empty_symmetric_pattern_is_read);
}

int main(void)
{
    return scratch_run("limit", add_tests);
}
