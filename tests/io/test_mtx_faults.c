/* Reading and writing when memory, the file system or the locale cause faults. */
#include "scratch.h"

#include <locale.h>

#define FILE_NAME "a.mtx"
#define OLD "old text"

/* Files that together take all paths of the reader that allocate memory. */
static const struct {
    const char *text;
    fur_duplicates duplicates;
    fur_status status; /* if no allocation fails */
} files[] = {
    {"%%MatrixMarket matrix coordinate real general\n3 3 3\n3 1 1\n1 2 2\n1 1 3\n",
     FUR_DUPLICATES_SUM, FUR_OK},
    {"%%MatrixMarket matrix coordinate real general\n3 1 3\n1 1 1\n1 1 2\n2 1 3\n",
     FUR_DUPLICATES_ERROR, FUR_INVALID},
    {"%%MatrixMarket matrix coordinate complex hermitian\n3 3 3\n3 1 1 2\n1 2 2 3\n2 3 3 4\n",
     FUR_DUPLICATES_LAST, FUR_OK},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 2\n", FUR_DUPLICATES_SUM,
     FUR_MALFORMED},
    {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", FUR_DUPLICATES_SUM, FUR_OK},
    {"%%MatrixMarket matrix array real general\n1 4\n1\n2\n3\n4", FUR_DUPLICATES_SUM, FUR_OK},
};

typedef fur_status (*attempt)(fur_context *context, int index);

/* Repeats the call while allocation 1 fails, then allocation 2, until none fails. Checks that each
 * failed call returns FUR_OUT_OF_MEMORY and releases all memory. */
static void try_every_failure(attempt call, int index, fur_status expected)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    int64_t before = m.outstanding;
    fur_status status;
    int64_t n = 0;
    do {
        m.calls = 0;
        m.fail_at = ++n;
        status = call(context, index);
        ck_assert_int_eq(m.outstanding, before);
        ck_assert_int_lt(n, 1000);
        if (m.calls >= m.fail_at)
            ck_assert_int_eq(status, FUR_OUT_OF_MEMORY);
    } while (m.calls >= m.fail_at);
    ck_assert_int_eq(status, expected);
    ck_assert_int_gt(n, 1);
    fur_context_destroy(context);
    scratch_empty();
}

static fur_status read_matrix(fur_context *context, int index)
{
    fur_csr *matrix = NULL;
    fur_mtx_read_options options = {.size = sizeof options, .duplicates = files[index].duplicates};
    fur_status status = fur_mtx_read_csr(context, FILE_NAME, &options, &matrix);
    ck_assert((matrix != NULL) == (status == FUR_OK));
    fur_csr_destroy(matrix);
    return status;
}

START_TEST(reading_a_matrix_survives_every_lack_of_memory)
{
    scratch_write(FILE_NAME, files[_i].text);
    try_every_failure(read_matrix, _i, files[_i].status);
}
END_TEST

static fur_status read_vector(fur_context *context, int index)
{
    (void)index;
    fur_vector *vector = NULL;
    fur_status status = fur_mtx_read_vector(context, FILE_NAME, NULL, &vector);
    ck_assert((vector != NULL) == (status == FUR_OK));
    fur_vector_destroy(vector);
    return status;
}

START_TEST(reading_a_vector_survives_every_lack_of_memory)
{
    scratch_write(FILE_NAME, "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
    try_every_failure(read_vector, 0, FUR_OK);
}
END_TEST

static fur_status read_header(fur_context *context, int index)
{
    (void)index;
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    return fur_mtx_read_header(context, FILE_NAME, &header);
}

START_TEST(reading_a_head_survives_every_lack_of_memory)
{
    FILE *file = fopen(FILE_NAME, "w");
    fputs("%%MatrixMarket matrix array real general\n", file);
    for (int i = 0; i < 200000; i++)
        fputc('\n', file);
    fputs("2 1\n1\n2\n", file);
    fclose(file);
    try_every_failure(read_header, 0, FUR_OK);
}
END_TEST

/* Makes a symmetric matrix without a diagonal, large enough to be written by several threads.
 * Allocations fail only during the attempt. */
static fur_csr *symmetric_matrix(fur_context *context)
{
    enum { N = 20000 };
    static int32_t rows[2 * N], cols[2 * N];
    static double values[2 * N];
    int64_t count = 0;
    for (int32_t i = 1; i < N; i++) {
        rows[count] = cols[count + 1] = i;
        cols[count] = rows[count + 1] = i - 1;
        values[count] = values[count + 1] = i;
        count += 2;
    }
    const fur_coo_view entries = {.size = sizeof entries,
                                  .rows = N,
                                  .cols = N,
                                  .entries = count,
                                  .value_type = FUR_F64,
                                  .row_indices = rows,
                                  .col_indices = cols,
                                  .values = values};
    fur_csr *matrix = NULL;
    ck_ok(context, fur_csr_from_coo(context, &entries, FUR_DUPLICATES_ERROR, &matrix));
    return matrix;
}

static const char *const written[] = {
    FILE_NAME,
#ifdef FURROW_HAVE_GZIP
    FILE_NAME ".gz",
#endif
#ifdef FURROW_HAVE_ZSTD
    FILE_NAME ".zst",
#endif
};

START_TEST(writing_survives_every_lack_of_memory)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    fur_csr *matrix = symmetric_matrix(context);
    fur_mtx_write_options options = {.size = sizeof options, .symmetry = FUR_MTX_SYMMETRIC};
    int64_t before = m.outstanding;
    scratch_write(written[_i], OLD);
    fur_status status = FUR_OUT_OF_MEMORY;
    for (int64_t n = 1; status != FUR_OK; n++) {
        char *text = scratch_read(written[_i]);
        ck_assert_str_eq(text, OLD);
        free(text);
        m.calls = 0;
        m.fail_at = n;
        status = fur_mtx_write_csr(matrix, written[_i], &options);
        ck_assert(status == FUR_OK || status == FUR_OUT_OF_MEMORY);
        ck_assert_int_eq(m.outstanding, before);
        ck_assert_int_eq(scratch_count(), 1);
    }
    m.fail_at = 0;
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
    scratch_empty();
}
END_TEST

START_TEST(files_that_cannot_be_read_are_named)
{
    fur_context *context = context_make(NULL, 1);
    fur_csr *matrix = NULL;
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    ck_fails(context, FUR_IO_ERROR, "missing.mtx: cannot open: No such file or directory",
             fur_mtx_read_csr(context, "missing.mtx", NULL, &matrix));
    ck_fails(context, FUR_IO_ERROR, "/: cannot read: Is a directory",
             fur_mtx_read_csr(context, "/", NULL, &matrix));
    ck_fails(context, FUR_IO_ERROR, "/: cannot read: Is a directory",
             fur_mtx_read_header(context, "/", &header));
    fur_context_destroy(context);
}
END_TEST

/* A message shows only the end of a long path, so that there is room for the sentence. */
START_TEST(long_paths_are_shown_by_their_end)
{
    fur_context *context = context_make(NULL, 1);
    char path[1000] = "", expected[1000];
    for (int i = 0; i < 300; i++)
        strcat(path, "./");
    strcat(path, FILE_NAME);
    scratch_write(FILE_NAME, "nothing");
    fur_csr *matrix = NULL;
    snprintf(expected, sizeof expected,
             "...%s:1:1: found 'nothing', expected the banner '%%%%MatrixMarket'",
             path + strlen(path) - 400);
    ck_fails(context, FUR_MALFORMED, expected, fur_mtx_read_csr(context, path, NULL, &matrix));
    fur_context_destroy(context);
    scratch_empty();
}
END_TEST

/* Sets a locale with a decimal comma: one of the system, or one compiled into the current
 * folder. */
static bool use_decimal_comma(void)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        return true;
    char folder[500];
    if (!getcwd(folder, sizeof folder) ||
        system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null") != 0)
        return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

START_TEST(decimal_comma_of_the_locale_does_not_matter)
{
    if (!use_decimal_comma()) {
        printf("SKIPPED decimal_comma_of_the_locale_does_not_matter: no such locale here\n");
        return;
    }
    char with_comma[16];
    snprintf(with_comma, sizeof with_comma, "%.1f", 1.5);
    ck_assert_str_eq(with_comma, "1,5");
    fur_context *context = context_make(NULL, 1);
    const double values[] = {1.5, 0.1, 1e-300, 123456.789, 12345678901234567890.0};
    fur_vector *x = vector_from(context, FUR_F64, COUNT_OF(values), values), *y = NULL;
    ck_ok(context, fur_mtx_write_vector(x, FILE_NAME, NULL));
    char *text = scratch_read(FILE_NAME);
    ck_assert_str_eq(text, "%%MatrixMarket matrix array real general\n5 1\n1.5\n0.1\n1e-300\n"
                           "123456.789\n1.2345678901234567e19\n");
    free(text);
    ck_ok(context, fur_mtx_read_vector(context, FILE_NAME, NULL, &y));
    ck_assert_int_eq(first_difference(FUR_F64, COUNT_OF(values), values, fur_vector_const_data(y)),
                     -1);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
    ck_assert_int_eq(system("rm -rf ./de_DE.UTF-8"), 0);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, reading_a_matrix_survives_every_lack_of_memory, 0, COUNT_OF(files));
    tcase_add_test(tests, reading_a_vector_survives_every_lack_of_memory);
    tcase_add_test(tests, reading_a_head_survives_every_lack_of_memory);
    tcase_add_loop_test(tests, writing_survives_every_lack_of_memory, 0, COUNT_OF(written));
    tcase_add_test(tests, files_that_cannot_be_read_are_named);
    tcase_add_test(tests, long_paths_are_shown_by_their_end);
    tcase_add_test(tests, decimal_comma_of_the_locale_does_not_matter);
}

int main(void)
{
    return scratch_run("mtx_faults", add);
}
