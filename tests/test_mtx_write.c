/* Writing Matrix Market files: their text, what reads back, symmetries, replacing files. */
#include "scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define FILE_NAME "a.mtx"

static fur_context *context;

static void open_context(void)
{
    context = context_make(NULL, 1);
}

static void close_context(void)
{
    fur_context_destroy(context);
    scratch_empty();
}

/* The matrix in the text of a file. */
static fur_csr *matrix_of(const char *text)
{
    fur_csr *matrix = NULL;
    scratch_write("matrix_of.mtx", text);
    ck_ok(context, fur_mtx_read_csr(context, "matrix_of.mtx", NULL, &matrix));
    unlink("matrix_of.mtx");
    return matrix;
}

static void check_text(const char *expected)
{
    char *text = scratch_read(FILE_NAME);
    ck_assert_str_eq(text, expected);
    free(text);
}

#define REAL_GENERAL "%%MatrixMarket matrix coordinate real general\n"

/* Each text is read, written with its own symmetry, and has to come out as it was. */
static const struct {
    const char *text;
    fur_mtx_symmetry symmetry;
    int pattern;
} texts[] = {
    {REAL_GENERAL "2 3 4\n1 1 1.5\n1 3 0\n2 1 -1e-30\n2 2 inf\n", FUR_MTX_GENERAL, 0},
    {REAL_GENERAL "0 0 0\n", FUR_MTX_GENERAL, 0},
    {REAL_GENERAL "5 1 0\n", FUR_MTX_GENERAL, 0},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 nan\n", FUR_MTX_SYMMETRIC,
     0},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n3 2 -2\n",
     FUR_MTX_SKEW_SYMMETRIC, 0},
    {"%%MatrixMarket matrix coordinate complex general\n1 2 1\n1 2 1 -2\n", FUR_MTX_GENERAL, 0},
    {"%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 2\n", FUR_MTX_SYMMETRIC, 0},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 2\n",
     FUR_MTX_HERMITIAN, 0},
    {"%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n",
     FUR_MTX_SKEW_SYMMETRIC, 0},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", FUR_MTX_GENERAL, 1},
    {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n", FUR_MTX_SYMMETRIC, 1},
};

START_TEST(text_comes_out_as_it_was)
{
    fur_mtx_write_options options = {
        .size = sizeof options, .symmetry = texts[_i].symmetry, .pattern = texts[_i].pattern};
    fur_csr *matrix = matrix_of(texts[_i].text);
    ck_ok(context, fur_mtx_write_csr(matrix, FILE_NAME, &options));
    check_text(texts[_i].text);
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(comments_stand_below_the_banner)
{
    fur_mtx_write_options options = {.size = sizeof options, .comment = "one\n\n two\n"};
    fur_csr *matrix = matrix_of(REAL_GENERAL "1 1 1\n1 1 1\n");
    ck_ok(context, fur_mtx_write_csr(matrix, FILE_NAME, &options));
    check_text(REAL_GENERAL "% one\n% \n%  two\n1 1 1\n1 1 1\n");
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(vectors_are_written)
{
    const double values[] = {1.5, -0.0, 1e300};
    const float pair[] = {0.1f, -2};
    fur_mtx_write_options options = {.size = sizeof options, .comment = "x"};
    fur_vector *x = vector_from(context, FUR_F64, 3, values);
    ck_ok(context, fur_mtx_write_vector(x, FILE_NAME, &options));
    check_text("%%MatrixMarket matrix array real general\n% x\n3 1\n1.5\n-0\n1e300\n");
    fur_vector_destroy(x);
    x = vector_from(context, FUR_C64, 1, pair);
    ck_ok(context, fur_mtx_write_vector(x, FILE_NAME, NULL));
    check_text("%%MatrixMarket matrix array complex general\n1 1\n0.1 -2\n");
    fur_vector_destroy(x);
    x = vector_from(context, FUR_F32, 0, NULL);
    ck_ok(context, fur_mtx_write_vector(x, FILE_NAME, NULL));
    check_text("%%MatrixMarket matrix array real general\n0 1\n");
    fur_vector_destroy(x);
}
END_TEST

static const struct {
    const char *text;
    fur_mtx_symmetry symmetry;
    int pattern;
    const char *sentence;
} asymmetric[] = {
    {REAL_GENERAL "2 3 0\n", FUR_MTX_SYMMETRIC, 0, "the matrix is 2 x 3 and cannot be symmetric"},
    {REAL_GENERAL "3 3 2\n1 1 1\n3 1 2\n", FUR_MTX_SYMMETRIC, 0,
     "the matrix is not symmetric: there is an entry (3, 1) and none at (1, 3), counting from 1"},
    {REAL_GENERAL "3 3 2\n1 1 1\n1 3 2\n", FUR_MTX_SYMMETRIC, 1,
     "the matrix is not symmetric: there is an entry (1, 3) and none at (3, 1), counting from 1"},
    {REAL_GENERAL "3 3 2\n3 1 1\n1 3 2\n", FUR_MTX_SYMMETRIC, 0,
     "the matrix is not symmetric: entries (1, 3) and (3, 1), counting from 1, do not match"},
    {REAL_GENERAL "3 3 2\n3 1 1\n1 3 1\n", FUR_MTX_SKEW_SYMMETRIC, 0,
     "the matrix is not skew-symmetric: entries (1, 3) and (3, 1), counting from 1, do not match"},
    {REAL_GENERAL "3 3 1\n2 2 1\n", FUR_MTX_SKEW_SYMMETRIC, 0,
     "the matrix is not skew-symmetric: entries (2, 2) and (2, 2), counting from 1, do not match"},
    {REAL_GENERAL "1 1 1\n1 1 1\n", FUR_MTX_HERMITIAN, 0,
     "a real matrix cannot be hermitian; write it as symmetric"},
    {"%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 2 1 1\n2 1 1 1\n",
     FUR_MTX_HERMITIAN, 0,
     "the matrix is not hermitian: entries (1, 2) and (2, 1), counting from 1, do not match"},
    {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 1\n", FUR_MTX_HERMITIAN, 0,
     "the matrix is not hermitian: entries (1, 1) and (1, 1), counting from 1, do not match"},
    {REAL_GENERAL "1 1 0\n", FUR_MTX_SKEW_SYMMETRIC, 1,
     "a pattern cannot be skew-symmetric; write it as symmetric or general"},
    {REAL_GENERAL "1 1 0\n", (fur_mtx_symmetry)9, 0, "9 is not a symmetry"},
};

START_TEST(symmetry_has_to_be_true)
{
    fur_mtx_write_options options = {.size = sizeof options,
                                     .symmetry = asymmetric[_i].symmetry,
                                     .pattern = asymmetric[_i].pattern};
    fur_csr *matrix = matrix_of(asymmetric[_i].text);
    ck_fails(context, FUR_INVALID, asymmetric[_i].sentence,
             fur_mtx_write_csr(matrix, FILE_NAME, &options));
    ck_assert_int_eq(scratch_count(), 0);
    fur_csr_destroy(matrix);
}
END_TEST

/* Random bits in every part of a value, but no NaN: its bits need not come back. */
static void fill_with_bits(rng *r, fur_value value, void *values, int64_t n)
{
    int64_t parts = value_is_complex(value) ? 2 * n : n;
    bool single = value == FUR_F32 || value == FUR_C64;
    for (int64_t i = 0; i < parts; i++) {
        uint64_t bits = rng_bits(r);
        if (single)
            ((uint32_t *)values)[i] = (uint32_t)bits & ~UINT32_C(0x00800000);
        else
            ((uint64_t *)values)[i] = bits & ~UINT64_C(0x0010000000000000);
    }
}

START_TEST(random_matrices_read_back_bit_by_bit)
{
    fur_value value = (fur_value)_i;
    fur_mtx_read_options options = {.size = sizeof options, .convert = 1, .value = value};
    rng r = rng_stream((uint64_t)_i);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("empty rows")], value, FUR_I64);
    fur_csr_view view = fur_csr_get(a);
    void *values = entries_make(value, view.entries);
    fill_with_bits(&r, value, values, view.entries);
    view.values = values;
    fur_csr *b = NULL, *back = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_COPY, &b));
    ck_ok(context, fur_mtx_write_csr(b, FILE_NAME, NULL));
    ck_ok(context, fur_mtx_read_csr(context, FILE_NAME, &options, &back));
    int equal = 0;
    ck_ok(context, fur_csr_compare(b, back, &equal));
    ck_assert_int_eq(equal, 1);
    fur_vector *x = vector_from(context, value, view.entries, values), *y = NULL;
    ck_ok(context, fur_mtx_write_vector(x, FILE_NAME, NULL));
    ck_ok(context, fur_mtx_read_vector(context, FILE_NAME, &options, &y));
    ck_assert_int_eq(fur_vector_size(y), view.entries);
    ck_assert_int_eq(first_difference(value, view.entries, values, fur_vector_const_data(y)), -1);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(back);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    free(values);
}
END_TEST

START_TEST(existing_file_is_replaced_with_its_permissions)
{
    struct stat status;
    fur_csr *matrix = matrix_of(REAL_GENERAL "1 1 1\n1 1 1\n");
    umask(022);
    ck_ok(context, fur_mtx_write_csr(matrix, FILE_NAME, NULL));
    ck_assert_int_eq(stat(FILE_NAME, &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0644);
    ck_assert_int_eq(chmod(FILE_NAME, 0640), 0);
    ck_ok(context, fur_mtx_write_csr(matrix, FILE_NAME, NULL));
    ck_assert_int_eq(stat(FILE_NAME, &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0640);
    ck_assert_int_eq(scratch_count(), 1);
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(link_stays_a_link)
{
    struct stat status;
    fur_csr *matrix = matrix_of(REAL_GENERAL "1 1 1\n1 1 1\n");
    scratch_write("target", "old");
    ck_assert_int_eq(symlink("target", FILE_NAME), 0);
    ck_ok(context, fur_mtx_write_csr(matrix, FILE_NAME, NULL));
    ck_assert_int_eq(lstat(FILE_NAME, &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    check_text(REAL_GENERAL "1 1 1\n1 1 1\n");
    ck_assert_int_eq(scratch_count(), 2);
    fur_csr_destroy(matrix);
}
END_TEST

/* The disk is full, as far as this process can tell, in the middle of the file. */
START_TEST(failed_write_leaves_the_existing_file)
{
    rng r = rng_stream(1);
    fur_csr *matrix =
        matrix_random(context, &r, &shapes[shape_find("empty rows")], FUR_F64, FUR_I32);
    scratch_write(FILE_NAME, "old");
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {70000, 70000};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_fails(context, FUR_IO, "a.mtx: cannot write: File too large",
             fur_mtx_write_csr(matrix, FILE_NAME, NULL));
    check_text("old");
    ck_assert_int_eq(scratch_count(), 1);
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(places_that_cannot_be_written_are_named)
{
    fur_csr *matrix = matrix_of(REAL_GENERAL "1 1 1\n1 1 1\n");
    ck_fails(context, FUR_IO, "missing/a.mtx: cannot write: No such file or directory",
             fur_mtx_write_csr(matrix, "missing/a.mtx", NULL));
    ck_fails(context, FUR_IO, "/: cannot write: Is a directory",
             fur_mtx_write_csr(matrix, "/", NULL));
    ck_fails(context, FUR_IO, "/dev/full: cannot write: No space left on device",
             fur_mtx_write_csr(matrix, "/dev/full", NULL));
    ck_fails(context, FUR_INVALID, "fur_mtx_write_csr was given no path",
             fur_mtx_write_csr(matrix, NULL, NULL));
    fur_vector *x = vector_from(context, FUR_F64, 0, NULL);
    ck_fails(context, FUR_INVALID, "fur_mtx_write_vector was given no path",
             fur_mtx_write_vector(x, NULL, NULL));
    fur_vector_destroy(x);
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(files_without_write_permission_are_left_alone)
{
    if (geteuid() == 0) {
        printf("SKIPPED files_without_write_permission_are_left_alone: run as root\n");
        return;
    }
    fur_csr *matrix = matrix_of(REAL_GENERAL "1 1 1\n1 1 1\n");
    scratch_write(FILE_NAME, "old");
    ck_assert_int_eq(chmod(FILE_NAME, 0444), 0);
    ck_fails(context, FUR_IO, "a.mtx: cannot write: Permission denied",
             fur_mtx_write_csr(matrix, FILE_NAME, NULL));
    ck_assert_int_eq(chmod(FILE_NAME, 0644) | chmod(".", 0555), 0);
    ck_fails(context, FUR_IO, "a.mtx: cannot write: Permission denied",
             fur_mtx_write_csr(matrix, FILE_NAME, NULL));
    ck_assert_int_eq(chmod(".", 0755), 0);
    check_text("old");
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(pipes_are_written_and_read_in_place)
{
    int ends[2];
    char path[32], text[200];
    fur_csr *matrix = matrix_of(REAL_GENERAL "1 1 1\n1 1 1\n"), *back = NULL;
    ck_assert_int_eq(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    ck_ok(context, fur_mtx_write_csr(matrix, path, NULL));
    ck_ok(context, fur_mtx_write_csr(matrix, path, NULL));
    close(ends[1]);
    size_t length = (size_t)read(ends[0], text, sizeof text);
    ck_assert_uint_eq(length, 2 * strlen(REAL_GENERAL "1 1 1\n1 1 1\n"));
    close(ends[0]);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], text, length / 2), (ssize_t)(length / 2));
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    ck_ok(context, fur_mtx_read_csr(context, path, NULL, &back));
    int equal = 0;
    ck_ok(context, fur_csr_compare(matrix, back, &equal));
    ck_assert_int_eq(equal, 1);
    close(ends[0]);
    fur_csr_destroy(back);
    fur_csr_destroy(matrix);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, text_comes_out_as_it_was, 0, COUNT_OF(texts));
    tcase_add_test(tests, comments_stand_below_the_banner);
    tcase_add_test(tests, vectors_are_written);
    tcase_add_loop_test(tests, symmetry_has_to_be_true, 0, COUNT_OF(asymmetric));
    tcase_add_loop_test(tests, random_matrices_read_back_bit_by_bit, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, existing_file_is_replaced_with_its_permissions);
    tcase_add_test(tests, link_stays_a_link);
    tcase_add_test(tests, failed_write_leaves_the_existing_file);
    tcase_add_test(tests, places_that_cannot_be_written_are_named);
    tcase_add_test(tests, files_without_write_permission_are_left_alone);
    tcase_add_test(tests, pipes_are_written_and_read_in_place);
}

int main(void)
{
    return scratch_run("mtx_write", add);
}
