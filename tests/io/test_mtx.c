/* Tests of reading Matrix Market files: every kind of file, all that must be accepted, the
 * options. */
#include "text_case.h"

#include <math.h>
#include <sys/stat.h>

#define FILE_NAME CASE_FILE
#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate real symmetric\n"

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

static fur_csr *read_file(const fur_mtx_read_options *options)
{
    fur_csr *matrix = NULL;
    ck_ok(context, fur_mtx_read_csr(context, FILE_NAME, options, &matrix));
    return matrix;
}

static void check_file(const fur_mtx_read_options *options, const char *expected)
{
    char dense[1000];
    fur_csr *matrix = read_file(options);
    print_dense(matrix, dense, sizeof dense);
    ck_assert_str_eq(dense, expected);
    fur_csr_destroy(matrix);
}

static const struct {
    const char *text;
    const char *matrix;
} kinds[] = {
    {GENERAL "2 3 3\n1 1 1.5\n2 3 -2e1\n1 2 .25\n", "1.5 0.25 .; . . -20"},
    {"%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 1.5D+02\n", "150"},
    {"%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -3\n1 2 +4\n", "-3 4"},
    {"%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 7\n", "7"},
    {"%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -inf\n1 2 inf\n", "-inf inf"},
    {"%%MatrixMarket matrix coordinate complex general\n1 2 1\n1 2 1 -2\n", ". 1,-2"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", ". 1; 1 ."},
    {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n", ". 1; 1 1"},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 2\n", "1 2; 2 ."},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n1 2 2\n", "1 2; 2 ."},
    {"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 2 5\n3 1 6\n",
     ". 5 6; 5 . .; 6 . ."},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 2\n2 1 3\n", ". 5; 5 ."},
    {"%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 2\n", ". 1,2; 1,2 ."},
    {"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n", ". -3; 3 ."},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 2 3\n", ". 3; -3 ."},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n", "0 -3; 3 ."},
    {"%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n", ". -1,-2; 1,2 ."},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 1 2\n",
     "4,0 1,-2; 1,2 ."},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 2 1 2\n", ". 1,2; 1,-2 ."},
    {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n0\n", "1 3; 2 0"},
    {"%%MatrixMarket matrix array integer general\n2 2 4\n1\n2\n3\n4\n", "1 3; 2 4"},
    {"%%MatrixMarket matrix array real general\n2 2\n1 2\n\n% half\n3\n  4", "1 3; 2 4"},
    {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", "1 2; 2 3"},
    {"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", ". -1 -2; 1 . -3; 2 3 ."},
    {"%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n", "1,0 2,-3; 2,3 4,0"},
    {"%%MatrixMarket vector array real general\n3\n1\n2\n3\n", "1; 2; 3"},
    {"%%MatrixMarket vector coordinate real general\n3 1\n2 7\n", ".; 7; ."},
    {"%%MatrixMarket vector coordinate real general\n2 0\n", ".; ."},
};

START_TEST(every_kind_is_read)
{
    scratch_write(FILE_NAME, kinds[_i].text);
    check_file(NULL, kinds[_i].matrix);
}
END_TEST

/* Spellings of the same matrix "1 2; . 3". */
static const char *const spellings[] = {
    GENERAL "2 2 3\n1 1 1\n1 2 2\n2 2 3\n",
    GENERAL "2 2 3\n1 1 1\n1 2 2\n2 2 3",
    GENERAL "2 2 3\n1 1 1\n1 2 2\n2 2 3 ",
    GENERAL "2 2 3\n1 1 1\n1 2 2\n2 2 3\n\n  \n% end\n",
    GENERAL "2 2 3\n2 2 3\n1 1 1\n1 2 2\n",
    "%%MatrixMarket matrix coordinate real general\r\n2 2 3\r\n1 1 1\r\n1 2 2\r\n2 2 3\r\n",
    "%%MatrixMarket matrix coordinate real general\r\n2 2 3\r\n1 1 1\r\n1 2 2\r\n2 2 3\r",
    GENERAL "\n% a\n\n  % b\n  2\t2   3  \n\n1 1 1\n% c\n\n\t1  2\t2\n \n 2 2 3\n",
    "%%matrixmarket MATRIX Coordinate REAL General\n2 2 3\n1 1 1\n1 2 2\n2 2 3\n",
    "%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 2\n2 2 3\n",
    "  %%MatrixMarket  matrix\tcoordinate real general  \n2 2 3\n1 1 1\n1 2 2\n2 2 3\n",
    "\xef\xbb\xbf" GENERAL "2 2 3\n1 1 1\n1 2 2\n2 2 3\n",
    GENERAL "%%GraphBLAS type double\n2 2 3\n1 1 1\n1 2 2\n2 2 3\n",
    GENERAL "%9 9 9\n2 2 3\n1 1 1\n1 2 2\n2 2 3\n",
    GENERAL "+2 02 3\n+1 01 +1.\n1 2 2e0\n2 0002 0.3D1\n",
};

START_TEST(every_spelling_is_read)
{
    scratch_write(FILE_NAME, spellings[_i]);
    check_file(NULL, "1 2; . 3");
}
END_TEST

START_TEST(long_comments_and_numbers_are_read)
{
    char *text = malloc(20000);
    int length = sprintf(text, GENERAL "%%");
    memset(text + length, '7', 3000);
    length += 3000;
    length += sprintf(text + length, "\n%% ");
    for (int i = 0; i < 1000; i++)
        length += sprintf(text + length, "9 9 9 ");
    length += sprintf(text + length, "\n1 2 2\n1 1 0.");
    memset(text + length, '3', 5000);
    strcpy(text + length + 5000, "\n1 2 2\n");
    scratch_write(FILE_NAME, text);
    check_file(NULL, "0.33333333333333331 2");
    free(text);
}
END_TEST

START_TEST(empty_matrices_are_read)
{
    static const struct {
        const char *text;
        int64_t rows, cols;
    } cases[] = {
        {GENERAL "0 0 0\n", 0, 0},
        {GENERAL "3 0 0\n", 3, 0},
        {GENERAL "0 4 0", 0, 4},
        {"%%MatrixMarket matrix array real general\n0 0\n", 0, 0},
        {"%%MatrixMarket matrix array real general\n0 5\n", 0, 5},
        {"%%MatrixMarket matrix array real symmetric\n0 0\n", 0, 0},
        {"%%MatrixMarket matrix array real skew-symmetric\n1 1\n", 1, 1},
        {"%%MatrixMarket matrix array complex skew-symmetric\n0 0\n", 0, 0},
        {"%%MatrixMarket vector array real general\n0\n", 0, 1},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        scratch_write(FILE_NAME, cases[i].text);
        fur_csr *matrix = read_file(NULL);
        fur_csr_view view = *fur_csr_get(matrix);
        ck_assert_int_eq(view.rows, cases[i].rows);
        ck_assert_int_eq(view.cols, cases[i].cols);
        ck_assert_int_eq(view.entries, 0);
        fur_csr_destroy(matrix);
    }
}
END_TEST

START_TEST(triangle_can_be_kept)
{
    fur_mtx_read_options keep = {.size = sizeof keep, .keep_triangle = 1};
    scratch_write(FILE_NAME,
                  "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 1 2\n1 3 3\n");
    check_file(&keep, "1 . .; 2 . .; 3 . .");
    scratch_write(FILE_NAME,
                  "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 2 1 2\n");
    check_file(&keep, ". .; 1,-2 .");
    scratch_write(FILE_NAME, "%%MatrixMarket matrix array real skew-symmetric\n2 2\n3\n");
    check_file(&keep, ". .; 3 .");
    scratch_write(FILE_NAME, GENERAL "2 2 1\n1 2 3\n");
    check_file(&keep, ". 3; . .");
}
END_TEST

START_TEST(value_type_is_chosen_or_given)
{
    scratch_write(FILE_NAME, GENERAL "1 1 1\n1 1 1.5\n");
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        fur_mtx_read_options options = {.size = sizeof options,
                                        .convert = fur_mtx_as((fur_value_type)value)};
        fur_csr *matrix = read_file(&options);
        fur_csr_view view = *fur_csr_get(matrix);
        ck_assert_int_eq(view.value_type, value);
        ck_assert_double_eq(entry_get(view.value_type, view.values, 0).re, 1.5);
        ck_assert_double_eq(entry_get(view.value_type, view.values, 0).im, 0);
        fur_csr_destroy(matrix);
    }
    fur_csr *matrix = read_file(NULL);
    ck_assert_int_eq(fur_csr_get(matrix)->value_type, FUR_F64);
    fur_csr_destroy(matrix);
    scratch_write(FILE_NAME, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n");
    matrix = read_file(NULL);
    ck_assert_int_eq(fur_csr_get(matrix)->value_type, FUR_C128);
    fur_csr_destroy(matrix);
}
END_TEST

/* A number is rounded to f32 once. Rounded to f64 first, this one would become 0x1.000004p0. */
START_TEST(floats_are_rounded_once)
{
    fur_mtx_read_options options = {.size = sizeof options, .convert = FUR_MTX_AS_F32};
    scratch_write(FILE_NAME, GENERAL "1 1 1\n1 1 1.00000017881393432617187499\n");
    fur_csr *matrix = read_file(&options);
    ck_assert_float_eq(*(const float *)fur_csr_get(matrix)->values, 0x1.000002p0f);
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(complex_file_does_not_become_real)
{
    fur_csr *matrix = NULL;
    scratch_write(FILE_NAME, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n");
    fur_mtx_read_options options = {.size = sizeof options, .convert = FUR_MTX_AS_F32};
    ck_fails(context, FUR_INVALID,
             "a.mtx:2:1: the file is complex and does not fit f32; read it as c64 or c128",
             fur_mtx_read_csr(context, FILE_NAME, &options, &matrix));
    options.convert = (fur_mtx_convert)9;
    ck_fails(context, FUR_INVALID, "the reading option 'convert' is 9, expected 0 to 4",
             fur_mtx_read_csr(context, FILE_NAME, &options, &matrix));
    ck_assert_ptr_null(matrix);
}
END_TEST

START_TEST(duplicates_follow_the_option)
{
    fur_mtx_read_options options = {.size = sizeof options, .duplicates = FUR_DUPLICATES_LAST};
    scratch_write(FILE_NAME, GENERAL "2 2 4\n1 1 1\n2 2 5\n\n% again\n 1 1 2\n1 1 4\n");
    check_file(NULL, "7 .; . 5");
    check_file(&options, "4 .; . 5");
    options.duplicates = FUR_DUPLICATES_ERROR;
    fur_csr *matrix = NULL;
    ck_fails(context, FUR_INVALID,
             "a.mtx:7:2: found an entry at the same position as in line 3, expected each position "
             "once",
             fur_mtx_read_csr(context, FILE_NAME, &options, &matrix));
    scratch_write(FILE_NAME,
                  "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n1 2 2\n");
    ck_fails(context, FUR_INVALID,
             "a.mtx:4:1: found an entry at the same position as in line 3, expected each position "
             "once",
             fur_mtx_read_csr(context, FILE_NAME, &options, &matrix));
    ck_assert_ptr_null(matrix);
}
END_TEST

static void check_header(const fur_mtx_header *header)
{
    ck_assert_int_eq(header->format, FUR_MTX_COORDINATE);
    ck_assert_int_eq(header->field, FUR_MTX_INTEGER);
    ck_assert_int_eq(header->symmetry, FUR_MTX_SYMMETRIC);
    ck_assert_int_eq(header->rows, 3);
    ck_assert_int_eq(header->cols, 3);
    ck_assert_int_eq(header->entries_in_file, 2);
}

START_TEST(header_is_filled)
{
    fur_mtx_header header = {.size = sizeof header, .rows = -1};
    fur_mtx_read_options options = {.size = sizeof options, .header = &header};
    scratch_write(FILE_NAME,
                  "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 1 1\n2 1 1\n");
    fur_csr_destroy(read_file(&options));
    check_header(&header);
    header = (fur_mtx_header){.size = sizeof header, .rows = -1};
    ck_ok(context, fur_mtx_read_header(context, FILE_NAME, &header));
    check_header(&header);
    scratch_write(FILE_NAME, "%%MatrixMarket matrix array real symmetric\n3 3\n1\n");
    ck_ok(context, fur_mtx_read_header(context, FILE_NAME, &header));
    ck_assert_int_eq(header.format, FUR_MTX_ARRAY);
    ck_assert_int_eq(header.entries_in_file, 6);
    header.rows = -1;
    ck_assert_int_ne(fur_mtx_read_csr(context, FILE_NAME, &options, NULL), FUR_OK);
    ck_assert_int_eq(header.rows, -1);
}
END_TEST

/* A header is found although the comments before it are longer than the first block. */
START_TEST(header_below_long_comments_is_found)
{
    FILE *file = fopen(FILE_NAME, "w");
    fputs(GENERAL, file);
    for (int i = 0; i < 30000; i++)
        fputs("% 7 7 7 and so on, and so forth\n", file);
    fputs("12 34 1\n1 1 1\n", file);
    fclose(file);
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    ck_ok(context, fur_mtx_read_header(context, FILE_NAME, &header));
    ck_assert_int_eq(header.rows, 12);
    ck_assert_int_eq(header.cols, 34);
}
END_TEST

/* Any file may have 2^22 rows and columns together, a large file 8 for each of its bytes. */
START_TEST(memory_for_rows_is_bounded_by_the_file)
{
    fur_csr *matrix = NULL;
    scratch_write(FILE_NAME, GENERAL "4194303 1 1\n4194303 1 5\n");
    fur_csr_destroy(read_file(NULL));
    scratch_write(FILE_NAME, GENERAL "4194304 1 1\n4194304 1 5\n");
    ck_fails(context, FUR_OVERFLOW,
             "a.mtx:2:1: found a matrix of 4194304 x 1 in a file of 70 bytes, expected at most "
             "4194304 rows and columns together; if the file is correct, raise the limit 'shape'",
             fur_mtx_read_csr(context, FILE_NAME, NULL, &matrix));
    FILE *file = fopen(FILE_NAME, "w");
    fprintf(file, GENERAL "8000000 1 1\n4194304 1 5\n%%");
    for (int i = 0; i < 100000; i++)
        fputs("1234567890", file);
    fclose(file);
    fur_csr_destroy(read_file(NULL));
}
END_TEST

static void check_vector(const char *text, fur_value_type value, int64_t size,
                         const double *expected)
{
    fur_vector *x = NULL;
    fur_mtx_header header = {.size = sizeof header, .rows = -1};
    fur_mtx_read_options options = {.size = sizeof options, .header = &header};
    scratch_write(FILE_NAME, text);
    for (int from_memory = 0; from_memory < 2; from_memory++) {
        ck_ok(context, from_memory ? fur_mtx_read_vector_from_memory(context, text, strlen(text),
                                                                     &options, &x)
                                   : fur_mtx_read_vector(context, FILE_NAME, &options, &x));
        ck_assert_int_eq(fur_vector_value_type(x), value);
        ck_assert_int_eq(fur_vector_size(x), size);
        ck_assert_int_eq(header.rows * header.cols, size);
        for (int64_t i = 0; i < size; i++)
            ck_assert_double_eq(entry_get(value, fur_vector_const_data(x), i).re, expected[i]);
        fur_vector_destroy(x);
    }
}

START_TEST(vectors_are_read)
{
    const double full[] = {1, 2, 3}, sparse[] = {0, 7, 0}, summed[] = {0, 0, 9};
    check_vector("%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n", FUR_F64, 3, full);
    check_vector("%%MatrixMarket matrix array integer general\n1 3\n1 2 3\n", FUR_F64, 3, full);
    check_vector("%%MatrixMarket vector array complex general\n3\n1 0\n2 0\n3 0\n", FUR_C128, 3,
                 full);
    check_vector("%%MatrixMarket vector coordinate real general\n3 1\n2 7\n", FUR_F64, 3, sparse);
    check_vector(GENERAL "3 1 1\n2 1 7\n", FUR_F64, 3, sparse);
    check_vector(GENERAL "1 3 1\n1 2 7\n", FUR_F64, 3, sparse);
    check_vector(GENERAL "1 3 2\n1 3 7\n1 3 2\n", FUR_F64, 3, summed);
    check_vector(GENERAL "0 1 0\n", FUR_F64, 0, NULL);
    check_vector(GENERAL "1 1 1\n1 1 1\n", FUR_F64, 1, full);
}
END_TEST

START_TEST(matrix_is_not_a_vector)
{
    fur_vector *x = NULL;
    scratch_write(FILE_NAME, GENERAL "2 3 0\n");
    ck_fails(context, FUR_INVALID,
             "a.mtx: found a matrix of 2 x 3, expected one column or one row for a vector",
             fur_mtx_read_vector(context, FILE_NAME, NULL, &x));
    ck_assert_ptr_null(x);
}
END_TEST

/* Checks that a file and its bytes in memory give equal matrices. The memory ends with the
 * bytes. */
static void check_from_memory(const char *path)
{
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    size_t size = (size_t)status.st_size;
    char *bytes = malloc(size);
    FILE *file = fopen(path, "rb");
    ck_assert_uint_eq(fread(bytes, 1, size, file), size);
    fclose(file);
    fur_csr *expected = NULL, *found = NULL;
    fur_mtx_header headers[2] = {FUR_DEFAULT(fur_mtx_header), FUR_DEFAULT(fur_mtx_header)};
    fur_mtx_read_options options = {.size = sizeof options, .header = &headers[0]};
    int equal = 0;
    ck_ok(context, fur_mtx_read_csr(context, path, &options, &expected));
    options.header = &headers[1];
    ck_ok(context, fur_mtx_read_csr_from_memory(context, bytes, size, &options, &found));
    ck_ok(context, fur_csr_compare(expected, found, &equal));
    ck_assert_int_eq(equal, 1);
    ck_assert_int_eq(headers[0].symmetry, headers[1].symmetry);
    ck_assert_int_eq(headers[0].entries_in_file, headers[1].entries_in_file);
    fur_csr_destroy(expected);
    fur_csr_destroy(found);
    free(bytes);
}

START_TEST(memory_is_read_as_a_file)
{
    static const char *const packed[] = {"b.mtx", "b.mtx.gz", "b.mtx.zst"};
    fur_csr *matrix = NULL;
    scratch_write(FILE_NAME, SYMMETRIC "3 3 3\n1 1 5\n3 1 0.1\n3 2 1e9");
    check_from_memory(FILE_NAME);
    ck_ok(context, fur_mtx_read_csr(context, FILE_NAME, NULL, &matrix));
    for (int i = 0; i < COUNT_OF(packed); i++) {
        fur_status status = fur_mtx_write_csr(matrix, packed[i], NULL);
        if (status == FUR_OK)
            check_from_memory(packed[i]);
        else
            ck_assert_int_eq(status, FUR_UNSUPPORTED); /* this build cannot decompress it */
    }
    fur_csr_destroy(matrix);
}
END_TEST

START_TEST(sentences_about_memory_call_it_so)
{
    static const char excess[] = GENERAL "1 1 1\n1 1 5\n2\n", wide[] = GENERAL "2 3 0\n";
    static const char mirrored[] = SYMMETRIC "2 2 2\n1 2 5\n2 1 5\n";
    fur_csr *matrix = NULL;
    fur_vector *x = NULL;
    ck_fails(context, FUR_MALFORMED,
             "memory:1:1: found an empty file, expected the banner '%%MatrixMarket'",
             fur_mtx_read_csr_from_memory(context, "", 0, NULL, &matrix));
    ck_fails(context, FUR_MALFORMED,
             "memory:4:1: found '2', expected the end of the file, as all entries (1) have been "
             "read",
             fur_mtx_read_csr_from_memory(context, excess, strlen(excess), NULL, &matrix));
    ck_fails(
        context, FUR_MALFORMED,
        "memory:4:1: found entry (2, 1) and its mirror image in line 3, expected only one of both "
        "in a symmetric file; the option mirrored=lower reads the entry below the diagonal",
        fur_mtx_read_csr_from_memory(context, mirrored, strlen(mirrored), NULL, &matrix));
    ck_fails(context, FUR_INVALID,
             "memory: found a matrix of 2 x 3, expected one column or one row for a vector",
             fur_mtx_read_vector_from_memory(context, wide, strlen(wide), NULL, &x));
    ck_assert_ptr_null(matrix);
    ck_assert_ptr_null(x);
}
END_TEST

START_TEST(names_are_the_words_of_the_banner)
{
    ck_assert_str_eq(fur_mtx_format_name(FUR_MTX_ARRAY), "array");
    ck_assert_str_eq(fur_mtx_field_name(FUR_MTX_PATTERN), "pattern");
    ck_assert_str_eq(fur_mtx_symmetry_name(FUR_MTX_SKEW_SYMMETRIC), "skew-symmetric");
    ck_assert_str_eq(fur_mtx_format_name((fur_mtx_format)7), "?");
    ck_assert_str_eq(fur_mtx_field_name((fur_mtx_field)7), "?");
    ck_assert_str_eq(fur_mtx_symmetry_name((fur_mtx_symmetry)7), "?");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, every_kind_is_read, 0, COUNT_OF(kinds));
    tcase_add_loop_test(tests, every_spelling_is_read, 0, COUNT_OF(spellings));
    tcase_add_test(tests, long_comments_and_numbers_are_read);
    tcase_add_test(tests, empty_matrices_are_read);
    tcase_add_test(tests, triangle_can_be_kept);
    tcase_add_test(tests, value_type_is_chosen_or_given);
    tcase_add_test(tests, floats_are_rounded_once);
    tcase_add_test(tests, complex_file_does_not_become_real);
    tcase_add_test(tests, duplicates_follow_the_option);
    tcase_add_test(tests, header_is_filled);
    tcase_add_test(tests, header_below_long_comments_is_found);
    tcase_add_test(tests, memory_for_rows_is_bounded_by_the_file);
    tcase_add_test(tests, vectors_are_read);
    tcase_add_test(tests, matrix_is_not_a_vector);
    tcase_add_test(tests, memory_is_read_as_a_file);
    tcase_add_test(tests, sentences_about_memory_call_it_so);
    tcase_add_test(tests, names_are_the_words_of_the_banner);
}

int main(void)
{
    return scratch_run("mtx", add);
}
