/* Tests of the mmio interface: its codes, what it reads and writes, and that it is safe in cases in
 * which the original is not. */
#include "mmio.h"
#include "scratch.h"

#include <limits.h>
#include <sys/resource.h>

#define FILE_NAME "a.mtx"
#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

static void write_file(const char *text)
{
    scratch_write(FILE_NAME, text);
}

/* Opens a stream that reads the text. */
static FILE *stream(const char *text)
{
    write_file(text);
    FILE *file = fopen(FILE_NAME, "r");
    ck_assert_ptr_nonnull(file);
    return file;
}

static void check_code(const MM_typecode code, const char *expected)
{
    ck_assert_msg(memcmp(code, expected, 4) == 0, "%.4s, expected %s", code, expected);
}

START_TEST(macros_set_and_ask)
{
    MM_typecode code;
    mm_initialize_typecode(&code);
    check_code(code, "   G");
    mm_set_matrix(&code);
    mm_set_coordinate(&code);
    mm_set_complex(&code);
    mm_set_hermitian(&code);
    check_code(code, "MCCH");
    ck_assert(mm_is_matrix(code) && mm_is_sparse(code) && mm_is_coordinate(code));
    ck_assert(mm_is_complex(code) && mm_is_hermitian(code) && !mm_is_general(code));
    mm_set_array(&code);
    mm_set_real(&code);
    mm_set_skew(&code);
    check_code(code, "MARK");
    ck_assert(mm_is_dense(code) && mm_is_array(code) && mm_is_real(code) && mm_is_skew(code));
    mm_set_dense(&code);
    mm_set_sparse(&code);
    mm_set_pattern(&code);
    mm_set_symmetric(&code);
    check_code(code, "MCPS");
    ck_assert(mm_is_pattern(code) && mm_is_symmetric(code));
    mm_set_integer(&code);
    mm_set_general(&code);
    check_code(code, "MCIG");
    ck_assert(mm_is_integer(code) && mm_is_general(code));
    mm_clear_typecode(&code);
    check_code(code, "   G");
}
END_TEST

START_TEST(valid_codes_are_those_that_exist)
{
    static const char *const valid[] = {"MCRG", "MCRS", "MCRK", "MCCH", "MCIG", "MCPS", "MARG"};
    static const char *const invalid[] = {" CRG", "MAPG", "MCRH", "MCIH", "MCPH", "MCPK"};
    MM_typecode code;
    for (int i = 0; i < COUNT_OF(valid); i++) {
        memcpy(code, valid[i], sizeof code);
        ck_assert_msg(mm_is_valid(code), "%s", valid[i]);
    }
    for (int i = 0; i < COUNT_OF(invalid); i++) {
        memcpy(code, invalid[i], sizeof code);
        ck_assert_msg(!mm_is_valid(code), "%s", invalid[i]);
    }
}
END_TEST

START_TEST(codes_have_words)
{
    static const struct {
        const char *code, *words;
    } cases[] = {{"MCRG", "matrix coordinate real general"},
                 {"MACH", "matrix array complex hermitian"},
                 {"MCPS", "matrix coordinate pattern symmetric"},
                 {"MCIK", "matrix coordinate integer skew-symmetric"},
                 {"XCRG", NULL},
                 {"MXRG", NULL},
                 {"MCXG", NULL},
                 {"MCRX", NULL}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        MM_typecode code;
        memcpy(code, cases[i].code, sizeof code);
        char *words = mm_typecode_to_str(code);
        if (cases[i].words)
            ck_assert_str_eq(words, cases[i].words);
        else
            ck_assert_ptr_null(words);
        free(words);
    }
    char *copy = mm_strdup("text");
    ck_assert_str_eq(copy, "text");
    free(copy);
}
END_TEST

START_TEST(banners_are_read)
{
    static const struct {
        const char *text;
        int error;
        const char *code;
    } cases[] = {
        {GENERAL, 0, "MCRG"},
        {"%%MatrixMarket MATRIX Array Complex HERMITIAN\n", 0, "MACH"},
        {"%%MatrixMarket matrix coordinate pattern symmetric\r\n", 0, "MCPS"},
        {"%%MatrixMarket matrix coordinate integer skew-symmetric", 0, "MCIK"},
        {"%%MatrixMarket matrix coordinate double general\n", 0, "MCRG"},
        {"\xef\xbb\xbf%MatrixMarket matrix coordinate unsigned-integer general\n", 0, "MCIG"},
        {"", MM_PREMATURE_EOF, NULL},
        {"\n", MM_NO_HEADER, NULL},
        {"1 2 3\n", MM_NO_HEADER, NULL},
        {"%%MatrixMarket\n", MM_PREMATURE_EOF, NULL},
        {"%%MatrixMarket matrix\n", MM_PREMATURE_EOF, NULL},
        {"%%MatrixMarket matrix coordinate\n", MM_PREMATURE_EOF, NULL},
        {"%%MatrixMarket matrix coordinate real\n", MM_PREMATURE_EOF, NULL},
        {"%%MatrixMarket vector array real general\n", MM_UNSUPPORTED_TYPE, NULL},
        {"%%MatrixMarket matrix coord real general\n", MM_UNSUPPORTED_TYPE, NULL},
        {"%%MatrixMarket matrix coordinate float general\n", MM_UNSUPPORTED_TYPE, NULL},
        {"%%MatrixMarket matrix coordinate real lower\n", MM_UNSUPPORTED_TYPE, NULL},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        MM_typecode code;
        FILE *file = stream(cases[i].text);
        ck_assert_msg(mm_read_banner(file, &code) == cases[i].error, "%s", cases[i].text);
        if (!cases[i].error)
            check_code(code, cases[i].code);
        fclose(file);
    }
}
END_TEST

/* A word of 5000 characters is refused. It would overflow the original's buffer. */
START_TEST(long_words_are_refused)
{
    char *text = malloc(6000);
    int length = sprintf(text, "%%%%MatrixMarket matrix ");
    memset(text + length, 'x', 5000);
    strcpy(text + length + 5000, " real general\n");
    FILE *file = stream(text);
    MM_typecode code;
    ck_assert_int_eq(mm_read_banner(file, &code), MM_UNSUPPORTED_TYPE);
    fclose(file);
    text[strlen(MatrixMarketBanner)] = 'x';
    file = stream(text);
    ck_assert_int_eq(mm_read_banner(file, &code), MM_NO_HEADER);
    fclose(file);
    free(text);
}
END_TEST

START_TEST(sizes_are_read)
{
    static const struct {
        const char *text;
        int error, rows, cols, entries;
    } cases[] = {
        {"3 4 5\n", 0, 3, 4, 5},
        {"% a\n\n  % b\n\t3 4\t5 \r\n", 0, 3, 4, 5},
        {"2147483647 2147483647 2147483647", 0, INT_MAX, INT_MAX, INT_MAX},
        {"", MM_PREMATURE_EOF, 0, 0, 0},
        {"% only\n", MM_PREMATURE_EOF, 0, 0, 0},
        {"3 4\n5\n", MM_NOT_MTX, 0, 0, 0},
        {"3 4 5 6\n", MM_NOT_MTX, 0, 0, 0},
        {"three 4 5\n", MM_NOT_MTX, 0, 0, 0},
        {"3.0 4 5\n", MM_NOT_MTX, 0, 0, 0},
        {"-3 4 5\n", MM_NOT_MTX, 0, 0, 0},
        {"3 4 -5\n", MM_NOT_MTX, 0, 0, 0},
        {"3 4 4294967298\n", MM_UNSUPPORTED_TYPE, 0, 0, 0},
        {"3 4 99999999999999999999999\n", MM_UNSUPPORTED_TYPE, 0, 0, 0},
        {"2147483648 4 5\n", MM_UNSUPPORTED_TYPE, 0, 0, 0},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        int rows = 0, cols = 0, entries = 0;
        FILE *file = stream(cases[i].text);
        ck_assert_msg(mm_read_mtx_crd_size(file, &rows, &cols, &entries) == cases[i].error, "%s",
                      cases[i].text);
        fclose(file);
        ck_assert_int_eq(rows, cases[i].rows);
        ck_assert_int_eq(cols, cases[i].cols);
        ck_assert_int_eq(entries, cases[i].entries);
    }
}
END_TEST

START_TEST(array_sizes_are_read)
{
    int rows = 0, cols = 0, number = 0;
    FILE *file = stream("%\n3 4\n7\n");
    ck_assert_int_eq(mm_read_mtx_array_size(file, &rows, &cols), 0);
    ck_assert_int_eq(rows * 10 + cols, 34);
    ck_assert_int_eq(fscanf(file, "%d", &number), 1);
    ck_assert_int_eq(number, 7);
    fclose(file);
    file = stream("3 4 12\n");
    ck_assert_int_eq(mm_read_mtx_array_size(file, &rows, &cols), 0);
    fclose(file);
    file = stream("3 4 12 1\n");
    ck_assert_int_eq(mm_read_mtx_array_size(file, &rows, &cols), MM_NOT_MTX);
    fclose(file);
    file = stream("3\n4\n");
    ck_assert_int_eq(mm_read_mtx_array_size(file, &rows, &cols), MM_NOT_MTX);
    fclose(file);
}
END_TEST

/* Long comments are skipped. The original would never return, or read numbers from the comment. */
START_TEST(long_comments_are_skipped)
{
    char *text = malloc(10000);
    memset(text, '7', 10000);
    text[0] = '%';
    for (int i = 10; i < 9000; i += 7)
        text[i] = ' ';
    strcpy(text + 9000, "\n\n% x\n1 2 3\n");
    int rows, cols, entries;
    FILE *file = stream(text);
    ck_assert_int_eq(mm_read_mtx_crd_size(file, &rows, &cols, &entries), 0);
    ck_assert_int_eq(rows * 100 + cols * 10 + entries, 123);
    fclose(file);
    free(text);
}
END_TEST

/* Bodies for a 3 x 2 matrix with two entries. */
static const struct {
    const char *code;
    const char *text;
    int error;
} bodies[] = {
    {"MCRG", "1 1 0.5\n3 2 -2\n", 0},
    {"MCRG", "% c\n\n 1\t1 .5e0 \r\n% d\n3 2 -2D0", 0},
    {"MCIG", "1 1 5\n3 2 -inf\n", 0},
    {"MCCG", "1 1 0.5 1\n3 2 -2 2\n", 0},
    {"MCPG", "1 1\n3 2\n", 0},
    {"MCXG", "1 1 1\n3 2 1\n", MM_UNSUPPORTED_TYPE},
    {"MCRG", "1 1 0.5\n", MM_PREMATURE_EOF},
    {"MCRG", "", MM_PREMATURE_EOF},
    {"MCRG", "1 1\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "1 1 0.5 0.5\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "1 1 0.5x\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "1 1 1,5\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "0 1 0.5\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "-1 1 0.5\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "4 1 0.5\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "1 3 0.5\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "4294967297 1 0.5\n3 2 1\n", MM_UNSUPPORTED_TYPE},
    {"MCRG", "1.0 1 0.5\n3 2 1\n", MM_NOT_MTX},
    {"MCRG", "1 1 0.5\r3 2 1\n", MM_NOT_MTX},
    {"MCIG", "1 1 3.7\n3 2 1\n", MM_NOT_MTX},
    {"MCCG", "1 1 0.5\n3 2 1 1\n", MM_NOT_MTX},
    {"MCPG", "1 1 1\n3 2\n", MM_NOT_MTX},
};

START_TEST(bodies_are_read_at_once)
{
    MM_typecode code;
    int row[2], col[2];
    double values[4];
    memcpy(code, bodies[_i].code, sizeof code);
    FILE *file = stream(bodies[_i].text);
    ck_assert_int_eq(mm_read_mtx_crd_data(file, 3, 2, 2, row, col, values, code), bodies[_i].error);
    fclose(file);
    if (bodies[_i].error)
        return;
    ck_assert_int_eq(row[0] * 1000 + col[0] * 100 + row[1] * 10 + col[1], 1132);
    if (mm_is_real(code))
        ck_assert(values[0] == 0.5 && values[1] == -2);
    if (mm_is_complex(code))
        ck_assert(values[0] == 0.5 && values[1] == 1 && values[2] == -2 && values[3] == 2);
    if (mm_is_integer(code))
        ck_assert(values[0] == 5 && values[1] < -1e308);
}
END_TEST

START_TEST(entries_are_read_one_by_one)
{
    MM_typecode code = {'M', 'C', 'C', 'G'};
    int row = -1, col = -1;
    double re = -1, im = -1;
    FILE *file = stream("7 8 0.5 1\n% c\n2147483647 1 2 3\n1 1 1\n");
    ck_assert_int_eq(mm_read_mtx_crd_entry(file, &row, &col, &re, &im, code), 0);
    ck_assert(row == 7 && col == 8 && re == 0.5 && im == 1);
    ck_assert_int_eq(mm_read_mtx_crd_entry(file, &row, &col, &re, &im, code), 0);
    ck_assert(row == INT_MAX && col == 1 && re == 2 && im == 3);
    ck_assert_int_eq(mm_read_mtx_crd_entry(file, &row, &col, &re, &im, code), MM_NOT_MTX);
    ck_assert_int_eq(mm_read_mtx_crd_entry(file, &row, &col, &re, &im, code), MM_PREMATURE_EOF);
    ck_assert(row == INT_MAX && col == 1 && re == 2 && im == 3);
    mm_set_array(&code);
    code[2] = ' ';
    ck_assert_int_eq(mm_read_mtx_crd_entry(file, &row, &col, &re, &im, code), MM_UNSUPPORTED_TYPE);
    fclose(file);
}
END_TEST

START_TEST(whole_files_are_read)
{
    int M, N, nz, *row, *col;
    double *values;
    MM_typecode code;
    char name[] = FILE_NAME;
    write_file("%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 1 5\n3 1 6\n\n% end");
    ck_assert_int_eq(mm_read_mtx_crd(name, &M, &N, &nz, &row, &col, &values, &code), 0);
    check_code(code, "MCIS");
    ck_assert(M == 3 && N == 3 && nz == 2 && row[1] == 3 && col[1] == 1 && values[1] == 6);
    free(row);
    free(col);
    free(values);
    write_file("%%MatrixMarket matrix coordinate pattern general\n3 3 0\n");
    ck_assert_int_eq(mm_read_mtx_crd(name, &M, &N, &nz, &row, &col, &values, &code), 0);
    ck_assert(nz == 0 && values == NULL);
    free(row);
    free(col);
    write_file(GENERAL "3 2 2\n1 1 0.5\n3 2 1\n");
    ck_assert_int_eq(mm_read_unsymmetric_sparse(name, &M, &N, &nz, &values, &row, &col), 0);
    ck_assert(M == 3 && N == 2 && nz == 2 && row[1] == 2 && col[1] == 1 && values[1] == 1);
    free(row);
    free(col);
    free(values);
}
END_TEST

START_TEST(standard_streams_have_names)
{
    int M, N, nz, *row, *col;
    double *values;
    MM_typecode code;
    char in[] = "stdin", out[] = "stdout";
    write_file(GENERAL "3 2 1\n3 2 0.5\nmore");
    ck_assert_ptr_nonnull(freopen(FILE_NAME, "r", stdin));
    ck_assert_int_eq(mm_read_mtx_crd(in, &M, &N, &nz, &row, &col, &values, &code), 0);
    ck_assert_int_eq(getchar(), 'm');
    ck_assert_ptr_nonnull(freopen("out.mtx", "w", stdout));
    ck_assert_int_eq(mm_write_mtx_crd(out, M, N, nz, row, col, values, code), 0);
    ck_assert_int_eq(mm_write_mtx_array_size(stdout, 3, 2), 0);
    fflush(stdout);
    char *text = scratch_read("out.mtx");
    ck_assert_str_eq(text, GENERAL "3 2 1\n3 2 0.5\n3 2\n");
    free(text);
    free(row);
    free(col);
    free(values);
}
END_TEST

/* A large file is read. Its entries make the arrays grow several times. */
START_TEST(large_files_are_read)
{
    const int count = 50000;
    FILE *file = fopen(FILE_NAME, "w");
    fprintf(file, "%%%%MatrixMarket matrix coordinate complex general\n%d 1 %d\n", count, count);
    for (int i = 1; i <= count; i++)
        fprintf(file, "%d 1 %d %d\n", i, i, -i);
    fclose(file);
    int M, N, nz, *row, *col;
    double *values;
    MM_typecode code;
    char name[] = FILE_NAME;
    ck_assert_int_eq(mm_read_mtx_crd(name, &M, &N, &nz, &row, &col, &values, &code), 0);
    for (int i = 0; i < count; i++)
        ck_assert(row[i] == i + 1 && col[i] == 1 && values[2 * i] == i + 1 &&
                  values[2 * i + 1] == -i - 1);
    free(row);
    free(col);
    free(values);
}
END_TEST

START_TEST(bad_files_are_refused_whole)
{
    static const struct {
        const char *text;
        int error;
    } cases[] = {
        {"", MM_PREMATURE_EOF},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n", MM_UNSUPPORTED_TYPE},
        {"%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", MM_UNSUPPORTED_TYPE},
        {GENERAL "2 2 2000000000\n1 1 1\n", MM_PREMATURE_EOF},
        {GENERAL "2 2 100000000000\n1 1 1\n", MM_UNSUPPORTED_TYPE},
        {GENERAL "2 2 1\n1 1 1\n2 2 1\n", MM_NOT_MTX},
        {GENERAL "2 2 1\n1 3 1\n", MM_NOT_MTX},
    };
    int M = -1, N = -1, nz = -1, *row = NULL, *col = NULL;
    double *values = NULL;
    MM_typecode code = {'x'};
    char name[] = FILE_NAME, missing[] = "missing";
    for (int i = 0; i < COUNT_OF(cases); i++) {
        write_file(cases[i].text);
        ck_assert_int_eq(mm_read_mtx_crd(name, &M, &N, &nz, &row, &col, &values, &code),
                         cases[i].error);
        ck_assert_int_eq(mm_read_unsymmetric_sparse(name, &M, &N, &nz, &values, &row, &col), -1);
    }
    ck_assert_int_eq(mm_read_mtx_crd(missing, &M, &N, &nz, &row, &col, &values, &code),
                     MM_COULD_NOT_READ_FILE);
    write_file("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
    ck_assert_int_eq(mm_read_unsymmetric_sparse(name, &M, &N, &nz, &values, &row, &col), -1);
    ck_assert(M == -1 && N == -1 && nz == -1 && !row && !col && !values && code[0] == 'x');
}
END_TEST

/* Bad files are closed too. Otherwise this loop would run out of descriptors. */
START_TEST(bad_files_are_closed)
{
    int M, N, nz, *row, *col;
    double *values;
    MM_typecode code;
    char name[] = FILE_NAME;
    struct rlimit limit = {50, 50};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    write_file(GENERAL "2 2 1\n1 3 1\n");
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(mm_read_mtx_crd(name, &M, &N, &nz, &row, &col, &values, &code),
                         MM_NOT_MTX);
}
END_TEST

START_TEST(files_are_written)
{
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"MCRG", GENERAL "3 2 2\n1 1 0.1\n3 2 -2\n"},
        {"MCCG", "%%MatrixMarket matrix coordinate complex general\n3 2 2\n1 1 0.1 -2\n3 2 1e300 "
                 "0.3333333333333333\n"},
        {"MCPS", "%%MatrixMarket matrix coordinate pattern symmetric\n3 2 2\n1 1\n3 2\n"},
    };
    int row[] = {1, 3}, col[] = {1, 2};
    double values[] = {0.1, -2, 1e300, 1.0 / 3};
    char name[] = FILE_NAME;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        MM_typecode code;
        memcpy(code, cases[i].code, sizeof code);
        ck_assert_int_eq(mm_write_mtx_crd(name, 3, 2, 2, row, col, values, code), 0);
        char *text = scratch_read(FILE_NAME);
        ck_assert_str_eq(text, cases[i].text);
        free(text);
    }
    MM_typecode code = {'M', 'C', 'I', 'G'};
    ck_assert_int_eq(mm_write_mtx_crd(name, 3, 2, 2, row, col, values, code), MM_UNSUPPORTED_TYPE);
    values[0] = 1e20;
    ck_assert_int_eq(mm_write_mtx_crd(name, 3, 2, 2, row, col, values, code), 0);
    char *text = scratch_read(FILE_NAME);
    ck_assert_str_eq(text, "%%MatrixMarket matrix coordinate integer general\n3 2 2\n"
                           "1 1 100000000000000000000\n3 2 -2\n");
    free(text);
}
END_TEST

START_TEST(files_that_cannot_be_written_are_told)
{
    int row[] = {1}, col[] = {1};
    double values[] = {1};
    char missing[] = "missing/a.mtx", full[] = "/dev/full", name[] = FILE_NAME;
    MM_typecode code = {'M', 'C', 'R', 'G'};
    ck_assert_int_eq(mm_write_mtx_crd(missing, 1, 1, 1, row, col, values, code),
                     MM_COULD_NOT_WRITE_FILE);
    ck_assert_int_eq(mm_write_mtx_crd(full, 1, 1, 1, row, col, values, code),
                     MM_COULD_NOT_WRITE_FILE);
    mm_set_array(&code);
    ck_assert_int_eq(mm_write_mtx_crd(name, 1, 1, 1, row, col, values, code), MM_UNSUPPORTED_TYPE);
    ck_assert_int_eq(scratch_count(), 0);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, scratch_empty);
    tcase_add_test(tests, macros_set_and_ask);
    tcase_add_test(tests, valid_codes_are_those_that_exist);
    tcase_add_test(tests, codes_have_words);
    tcase_add_test(tests, banners_are_read);
    tcase_add_test(tests, long_words_are_refused);
    tcase_add_test(tests, sizes_are_read);
    tcase_add_test(tests, array_sizes_are_read);
    tcase_add_test(tests, long_comments_are_skipped);
    tcase_add_loop_test(tests, bodies_are_read_at_once, 0, COUNT_OF(bodies));
    tcase_add_test(tests, entries_are_read_one_by_one);
    tcase_add_test(tests, whole_files_are_read);
    tcase_add_test(tests, standard_streams_have_names);
    tcase_add_test(tests, large_files_are_read);
    tcase_add_test(tests, bad_files_are_refused_whole);
    tcase_add_test(tests, bad_files_are_closed);
    tcase_add_test(tests, files_are_written);
    tcase_add_test(tests, files_that_cannot_be_written_are_told);
}

int main(void)
{
    return scratch_run("mmio", add);
}
