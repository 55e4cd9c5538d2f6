/* Tests of writing Matrix Market files: the text, reading it back, symmetries, compression,
 * threads, replacing files. */
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

/* Makes the matrix of a Matrix Market text. */
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

/* Each text is read and written with its symmetry. The output must equal the text. */
static const struct {
    const char *text;
    fur_mtx_symmetry symmetry;
    fur_mtx_field field;
} texts[] = {
    {REAL_GENERAL "2 3 4\n1 1 1.5\n1 3 0\n2 1 -1e-30\n2 2 inf\n", FUR_MTX_GENERAL, FUR_MTX_REAL},
    {REAL_GENERAL "0 0 0\n", FUR_MTX_GENERAL, FUR_MTX_REAL},
    {REAL_GENERAL "5 1 0\n", FUR_MTX_GENERAL, FUR_MTX_REAL},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 nan\n", FUR_MTX_SYMMETRIC,
     FUR_MTX_REAL},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n3 2 -2\n",
     FUR_MTX_SKEW_SYMMETRIC, FUR_MTX_REAL},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n1 1 0\n3 2 -2\n3 3 -0\n",
     FUR_MTX_SKEW_SYMMETRIC, FUR_MTX_REAL},
    {"%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 2\n2 1 1 2\n2 2 0 0\n",
     FUR_MTX_SKEW_SYMMETRIC, FUR_MTX_COMPLEX},
    {"%%MatrixMarket matrix coordinate complex general\n1 2 1\n1 2 1 -2\n", FUR_MTX_GENERAL,
     FUR_MTX_COMPLEX},
    {"%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 2\n", FUR_MTX_SYMMETRIC,
     FUR_MTX_COMPLEX},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 2\n",
     FUR_MTX_HERMITIAN, FUR_MTX_COMPLEX},
    {"%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n",
     FUR_MTX_SKEW_SYMMETRIC, FUR_MTX_COMPLEX},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", FUR_MTX_GENERAL,
     FUR_MTX_PATTERN},
    {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n", FUR_MTX_SYMMETRIC,
     FUR_MTX_PATTERN},
    {"%%MatrixMarket matrix coordinate integer general\n1 3 3\n1 1 -9223372036854775808\n1 2 0\n"
     "1 3 9007199254740992\n",
     FUR_MTX_GENERAL, FUR_MTX_INTEGER},
    {"%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 1\n2 1 -3\n",
     FUR_MTX_SYMMETRIC, FUR_MTX_INTEGER},
};

START_TEST(text_comes_out_as_it_was)
{
    fur_mtx_write_options options = {.size = sizeof options,
                                     .symmetry = texts[_i].symmetry,
                                     .pattern = texts[_i].field == FUR_MTX_PATTERN,
                                     .integer = texts[_i].field == FUR_MTX_INTEGER};
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
     "the matrix is not symmetric: there is an entry (3, 1), but no entry (1, 3), counting from 1"},
    {REAL_GENERAL "3 3 2\n1 1 1\n1 3 2\n", FUR_MTX_SYMMETRIC, 1,
     "the matrix is not symmetric: there is an entry (1, 3), but no entry (3, 1), counting from 1"},
    {REAL_GENERAL "3 3 2\n3 1 1\n1 3 2\n", FUR_MTX_SYMMETRIC, 0,
     "the matrix is not symmetric: entries (1, 3) and (3, 1), counting from 1, do not match"},
    {REAL_GENERAL "3 3 2\n3 1 1\n1 3 1\n", FUR_MTX_SKEW_SYMMETRIC, 0,
     "the matrix is not skew-symmetric: entries (1, 3) and (3, 1), counting from 1, do not match"},
    {REAL_GENERAL "3 3 1\n2 2 1\n", FUR_MTX_SKEW_SYMMETRIC, 0,
     "the matrix is not skew-symmetric: entries (2, 2) and (2, 2), counting from 1, do not match"},
    {REAL_GENERAL "3 3 2\n1 1 0\n2 2 nan\n", FUR_MTX_SKEW_SYMMETRIC, 0,
     "the matrix is not skew-symmetric: entry (2, 2), counting from 1, is NaN"},
    {"%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 nan 0\n2 2 1 nan\n",
     FUR_MTX_HERMITIAN, 0, "the matrix is not hermitian: entry (2, 2), counting from 1, is NaN"},
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

static const struct {
    const char *text;
    int pattern;
    const char *sentence;
} fractional[] = {
    {REAL_GENERAL "2 2 3\n1 1 1\n2 1 2\n2 2 2.5\n", 0,
     "entry (2, 2), counting from 1, is 2.5, which is not a 64-bit integer; write the matrix as "
     "real"},
    {REAL_GENERAL "1 2 2\n1 1 1\n1 2 9223372036854775808\n", 0,
     "entry (1, 2), counting from 1, is 9.22337e+18, which is not a 64-bit integer; write the "
     "matrix as real"},
    {REAL_GENERAL "3 1 1\n3 1 nan\n", 0,
     "entry (3, 1), counting from 1, is nan, which is not a 64-bit integer; write the matrix as "
     "real"},
    {REAL_GENERAL "1 1 0\n", 1,
     "a pattern has no values to write as integers; request either a pattern or integers"},
    {"%%MatrixMarket matrix coordinate complex general\n1 1 0\n", 0,
     "complex values cannot be written as integers"},
};

START_TEST(integers_have_to_be_true)
{
    fur_mtx_write_options options = {
        .size = sizeof options, .pattern = fractional[_i].pattern, .integer = 1};
    fur_csr *matrix = matrix_of(fractional[_i].text);
    ck_fails(context, FUR_INVALID, fractional[_i].sentence,
             fur_mtx_write_csr(matrix, FILE_NAME, &options));
    ck_assert_int_eq(scratch_count(), 0);
    fur_csr_destroy(matrix);
}
END_TEST

/* Matrices in which one row in `period` has entries, spread over the columns. Pieces of about ten
 * thousand entries begin and end within rows, at row ends, and next to empty rows. */
static const struct {
    int64_t rows;
    int64_t cols;
    int64_t period;
    int64_t width;
} sizes[] = {
    {0, 0, 1, 0},      {5, 7, 1, 0},      {1, 1, 1, 1},         {1, 100000, 1, 100000},
    {100000, 1, 1, 1}, {300000, 3, 7, 2}, {5, 60000, 2, 30000}, {20000, 90000, 19999, 40000}};

/* Returns the value of entry k: a multiple of 1/8, which %.17g prints with the fewest digits
 * possible. */
static double value_of(int64_t k)
{
    return (double)(k % 9973 - 5000) / 8;
}

/* Makes the matrix number `size`. Writes its text, printed by the C library, to a file. */
static fur_csr *matrix_and_text(int size, const char *path)
{
    int64_t rows = sizes[size].rows, width = sizes[size].width, count = 0;
    int64_t filled = (rows + sizes[size].period - 1) / sizes[size].period * width;
    int64_t *offsets = malloc((size_t)(rows + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)filled * sizeof *columns + 1);
    double *values = malloc((size_t)filled * sizeof *values + 1);
    FILE *file = fopen(path, "w");
    ck_assert(offsets && columns && values && file);
    fprintf(file, "%s%lld %lld %lld\n", REAL_GENERAL, (long long)rows, (long long)sizes[size].cols,
            (long long)filled);
    for (int64_t row = 0; row < rows; row++) {
        offsets[row] = count;
        for (int64_t j = 0; row % sizes[size].period == 0 && j < width; j++, count++) {
            columns[count] = (int32_t)(j * (sizes[size].cols / width));
            values[count] = value_of(count);
            fprintf(file, "%lld %d %.17g\n", (long long)row + 1, columns[count] + 1, values[count]);
        }
    }
    offsets[rows] = count;
    ck_assert_int_eq(count, filled);
    fclose(file);
    const fur_csr_view arrays = {.size = sizeof arrays,
                                 .rows = rows,
                                 .cols = sizes[size].cols,
                                 .entries = count,
                                 .value_type = FUR_F64,
                                 .offset_type = FUR_I64,
                                 .offsets = offsets,
                                 .columns = columns,
                                 .values = values};
    fur_csr *matrix = NULL;
    ck_ok(context, fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &matrix));
    free(values);
    free(columns);
    free(offsets);
    return matrix;
}

/* Copies the matrix into a context of `threads` threads and writes the copy to `path`. */
static void write_by(int threads, const fur_csr *matrix, const fur_mtx_write_options *options,
                     const char *path)
{
    fur_context *own = context_make(NULL, threads);
    fur_csr *copy = NULL;
    ck_ok(context, fur_csr_transfer(matrix, own, &copy));
    ck_ok(own, fur_mtx_write_csr(copy, path, options));
    fur_csr_destroy(copy);
    fur_context_destroy(own);
}

/* Runs the command if its program, the first word, is installed. */
static void check_command(const char *command)
{
    char there[64];
    snprintf(there, sizeof there, "command -v %.*s > /dev/null", (int)strcspn(command, " "),
             command);
    if (system(there) == 0)
        ck_assert_msg(system(command) == 0, "%s", command);
    else
        printf("skipped: %s\n", command);
}

START_TEST(any_number_of_threads_writes_the_same_bytes)
{
    fur_csr *matrix = matrix_and_text(_i, "expected");
    for (int threads = 1; threads <= 8; threads++) {
        write_by(threads, matrix, NULL, FILE_NAME);
        check_command("cmp expected " FILE_NAME);
    }
    fur_csr *back = NULL;
    int equal = 0;
    ck_ok(context, fur_mtx_read_csr(context, FILE_NAME, NULL, &back));
    ck_ok(context, fur_csr_compare(matrix, back, &equal));
    ck_assert_int_eq(equal, 1);
    fur_csr_destroy(back);
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(any_number_of_threads_writes_the_same_vector)
{
    const int n = 100000;
    double *values = malloc((size_t)n * sizeof *values);
    FILE *file = fopen("expected", "w");
    ck_assert(values && file);
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%d 1\n", n);
    for (int k = 0; k < n; k++) {
        values[k] = value_of(k);
        fprintf(file, "%.17g\n", values[k]);
    }
    fclose(file);
    for (int threads = 1; threads <= 8; threads++) {
        fur_context *own = context_make(NULL, threads);
        fur_vector *x = vector_from(own, FUR_F64, n, values);
        ck_ok(own, fur_mtx_write_vector(x, FILE_NAME, NULL));
        fur_vector_destroy(x);
        fur_context_destroy(own);
        check_command("cmp expected " FILE_NAME);
    }
    free(values);
}
END_TEST

/* The triangle of a symmetric matrix with three diagonals gives the same bytes for any number of
 * threads. It has many pieces. */
START_TEST(any_number_of_threads_writes_the_same_triangle)
{
    const int n = 30000;
    fur_mtx_write_options options = {.size = sizeof options, .symmetry = FUR_MTX_SYMMETRIC};
    FILE *file = fopen("expected", "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n1 1 2.5\n", n, n,
            2 * n - 1);
    for (int row = 2; row <= n; row++)
        fprintf(file, "%d %d -1\n%d %d 2.5\n", row, row - 1, row, row);
    fclose(file);
    fur_csr *matrix = NULL;
    ck_ok(context, fur_mtx_read_csr(context, "expected", NULL, &matrix));
    for (int threads = 1; threads <= 8; threads += 3) {
        write_by(threads, matrix, &options, FILE_NAME);
        check_command("cmp expected " FILE_NAME);
    }
    fur_csr_destroy(matrix);
}
END_TEST

/* File names that ask for compression, and commands that decompress the files. */
static const struct {
    const char *name;
    const char *other;
    const char *command;
    const char *sentence; /* NULL: this build can compress */
} compressed[] = {
    {"a.mtx.gz", "b.mtx.gz", "gzip -dc a.mtx.gz | cmp expected - && cmp a.mtx.gz b.mtx.gz",
#ifdef FURROW_HAVE_GZIP
     NULL
#else
     "a.mtx.gz: this build cannot write .gz files; choose another name, or build furrow with "
     "-DFURROW_WITH_GZIP=ON"
#endif
    },
    {"a.mtx.zst", "b.mtx.zst", "zstd -dcq a.mtx.zst | cmp expected - && cmp a.mtx.zst b.mtx.zst",
#ifdef FURROW_HAVE_ZSTD
     NULL
#else
     "a.mtx.zst: this build cannot write .zst files; choose another name, or build furrow with "
     "-DFURROW_WITH_ZSTD=ON"
#endif
    },
};

START_TEST(suffix_asks_for_compression)
{
    int size = _i / COUNT_OF(compressed), form = _i % COUNT_OF(compressed);
    fur_csr *matrix = matrix_and_text(size, "expected");
    if (compressed[form].sentence) {
        ck_fails(context, FUR_UNSUPPORTED, compressed[form].sentence,
                 fur_mtx_write_csr(matrix, compressed[form].name, NULL));
    } else {
        write_by(1, matrix, NULL, compressed[form].name);
        write_by(5, matrix, NULL, compressed[form].other);
        check_command(compressed[form].command);
    }
    fur_csr_destroy(matrix);
}
END_TEST

/* Text that compression cannot shrink is compressed correctly. */
START_TEST(random_comments_are_compressed)
{
    enum { LENGTH = 1000000 };
    if (compressed[_i].sentence)
        return;
    rng r = rng_stream(2);
    char *comment = malloc(LENGTH + 1);
    for (int i = 0; i < LENGTH; i++)
        comment[i] = (char)(1 + rng_below(&r, 255));
    comment[LENGTH] = '\0';
    fur_mtx_write_options options = {.size = sizeof options, .comment = comment};
    fur_csr *matrix = matrix_of(REAL_GENERAL "1 1 1\n1 1 1\n");
    write_by(1, matrix, &options, "expected");
    write_by(1, matrix, &options, compressed[_i].name);
    write_by(5, matrix, &options, compressed[_i].other);
    check_command(compressed[_i].command);
    fur_csr_destroy(matrix);
    free(comment);
}
END_TEST

/* Fills the values with random bits, but without NaN: the bits of a NaN need not be preserved. */
static void fill_with_bits(rng *r, fur_value_type value, void *values, int64_t n)
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
    fur_value_type value = (fur_value_type)_i;
    fur_mtx_read_options options = {.size = sizeof options, .convert = fur_mtx_as(value)};
    rng r = rng_stream((uint64_t)_i);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("empty rows")], value, FUR_I64);
    fur_csr_view view = *fur_csr_get(a);
    void *values = entries_make(value, view.entries);
    fill_with_bits(&r, value, values, view.entries);
    view.values = values;
    fur_csr *b = NULL, *back = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &b));
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

static const struct {
    const char *name;
    int threads;
    const char *sentence;
} interrupted[] = {
    {"a.mtx", 1, "a.mtx: cannot write: File too large"},
    {"a.mtx", 4, "a.mtx: cannot write: File too large"},
#ifdef FURROW_HAVE_GZIP
    {"a.mtx.gz", 4, "a.mtx.gz: cannot write: File too large"},
#endif
#ifdef FURROW_HAVE_ZSTD
    {"a.mtx.zst", 4, "a.mtx.zst: cannot write: File too large"},
#endif
};

/* A write that fails in the middle of the file leaves the existing file. A limit of the process
 * imitates a full disk. */
START_TEST(failed_write_leaves_the_existing_file)
{
    const int64_t n = 100000;
    const char *name = interrupted[_i].name;
    fur_context *own = context_make(NULL, interrupted[_i].threads);
    rng r = rng_stream(1);
    fur_vector *x = vector_random(own, &r, FUR_F64, n);
    scratch_write(name, "old");
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {400000, 400000};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_fails(own, FUR_IO_ERROR, interrupted[_i].sentence, fur_mtx_write_vector(x, name, NULL));
    char *text = scratch_read(name);
    ck_assert_str_eq(text, "old");
    free(text);
    ck_assert_int_eq(scratch_count(), 1);
    fur_vector_destroy(x);
    fur_context_destroy(own);
}
END_TEST

START_TEST(full_device_stops_all_threads)
{
    fur_csr *matrix = matrix_and_text(3, "expected"), *copy = NULL;
    fur_context *own = context_make(NULL, 4);
    ck_ok(context, fur_csr_transfer(matrix, own, &copy));
    ck_fails(own, FUR_IO_ERROR, "/dev/full: cannot write: No space left on device",
             fur_mtx_write_csr(copy, "/dev/full", NULL));
    fur_csr_destroy(copy);
    fur_csr_destroy(matrix);
    fur_context_destroy(own);
}
END_TEST

/* The path "-" writes to standard output. Tests run in separate processes, so this one may replace
 * it. */
START_TEST(minus_is_standard_output)
{
    fur_csr *matrix = matrix_and_text(3, "expected");
    ck_assert_ptr_nonnull(freopen("printed", "w", stdout));
    printf("before\n");
    write_by(3, matrix, NULL, "-");
    printf("behind\n");
    fflush(stdout);
    check_command("(echo before; cat expected; echo behind) | cmp printed -");
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(data_is_brought_to_the_disk_if_asked)
{
    fur_mtx_write_options options = {.size = sizeof options, .sync = 1};
    fur_csr *matrix = matrix_and_text(3, "expected");
    write_by(2, matrix, &options, FILE_NAME);
    check_command("cmp expected " FILE_NAME);
    ck_ok(context, fur_mtx_write_csr(matrix, "/dev/null", &options));
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(places_that_cannot_be_written_are_named)
{
    fur_csr *matrix = matrix_of(REAL_GENERAL "1 1 1\n1 1 1\n");
    ck_fails(context, FUR_IO_ERROR, "missing/a.mtx: cannot write: No such file or directory",
             fur_mtx_write_csr(matrix, "missing/a.mtx", NULL));
    ck_fails(context, FUR_IO_ERROR, "/: cannot write: Is a directory",
             fur_mtx_write_csr(matrix, "/", NULL));
    ck_fails(context, FUR_IO_ERROR, "/dev/full: cannot write: No space left on device",
             fur_mtx_write_csr(matrix, "/dev/full", NULL));
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
    ck_fails(context, FUR_IO_ERROR, "a.mtx: cannot write: Permission denied",
             fur_mtx_write_csr(matrix, FILE_NAME, NULL));
    ck_assert_int_eq(chmod(FILE_NAME, 0644) | chmod(".", 0555), 0);
    ck_fails(context, FUR_IO_ERROR, "a.mtx: cannot write: Permission denied",
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

/* The text that fur_mtx_unpack passes to take_text. */
typedef struct unpacked {
    char *text;
    size_t bytes;
    size_t most; /* number of bytes after which to stop */
} unpacked;

static int take_text(void *user, const char *text, size_t bytes)
{
    unpacked *u = user;
    u->text = realloc(u->text, u->bytes + bytes + 1);
    ck_assert_ptr_nonnull(u->text);
    memcpy(u->text + u->bytes, text, bytes);
    u->bytes += bytes;
    u->text[u->bytes] = '\0';
    return u->bytes >= u->most;
}

START_TEST(text_is_unpacked)
{
    static const char *const paths[] = {"plain.mtx", "packed.mtx.gz", "packed.mtx.zst"};
    rng r = rng_stream(7);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("small grid")], FUR_F64, FUR_I32);
    ck_ok(context, fur_mtx_write_csr(a, "plain.mtx", NULL));
    char *plain = scratch_read("plain.mtx");
    for (int i = 0; i < COUNT_OF(paths); i++) {
        unpacked all = {.most = SIZE_MAX};
        unpacked some = {.most = 1};
        fur_status status = fur_mtx_write_csr(a, paths[i], NULL);
        if (status == FUR_UNSUPPORTED) /* this build does not compress */
            continue;
        ck_assert_int_eq(status, FUR_OK);
        ck_ok(context, fur_mtx_unpack(context, paths[i], take_text, &all));
        ck_assert_str_eq(all.text, plain);
        ck_assert_int_eq(fur_mtx_unpack(context, paths[i], take_text, &some), FUR_CANCELLED);
        free(all.text);
        free(some.text);
    }
    ck_assert_int_eq(fur_mtx_unpack(context, "missing.mtx.gz", take_text, NULL), FUR_IO_ERROR);
    free(plain);
    fur_csr_destroy(a);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, text_is_unpacked);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, text_comes_out_as_it_was, 0, COUNT_OF(texts));
    tcase_add_test(tests, comments_stand_below_the_banner);
    tcase_add_test(tests, vectors_are_written);
    tcase_add_loop_test(tests, symmetry_has_to_be_true, 0, COUNT_OF(asymmetric));
    tcase_add_loop_test(tests, random_matrices_read_back_bit_by_bit, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, existing_file_is_replaced_with_its_permissions);
    tcase_add_test(tests, link_stays_a_link);
    tcase_add_loop_test(tests, integers_have_to_be_true, 0, COUNT_OF(fractional));
    tcase_add_turns(tests, any_number_of_threads_writes_the_same_bytes, COUNT_OF(sizes), 2);
    tcase_add_test(tests, any_number_of_threads_writes_the_same_vector);
    tcase_add_test(tests, any_number_of_threads_writes_the_same_triangle);
    tcase_add_loop_test(tests, suffix_asks_for_compression, 0,
                        COUNT_OF(sizes) * COUNT_OF(compressed));
    tcase_add_loop_test(tests, random_comments_are_compressed, 0, COUNT_OF(compressed));
    tcase_add_loop_test(tests, failed_write_leaves_the_existing_file, 0, COUNT_OF(interrupted));
    tcase_add_test(tests, full_device_stops_all_threads);
    tcase_add_test(tests, minus_is_standard_output);
    tcase_add_test(tests, data_is_brought_to_the_disk_if_asked);
    tcase_add_test(tests, places_that_cannot_be_written_are_named);
    tcase_add_test(tests, files_without_write_permission_are_left_alone);
    tcase_add_test(tests, pipes_are_written_and_read_in_place);
}

int main(void)
{
    return scratch_run("mtx_write", add);
}
