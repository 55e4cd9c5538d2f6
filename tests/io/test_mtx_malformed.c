/* Files that must be refused, each with its status and its exact sentence. */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HARWELL_BOEING                                                                             \
    "1:1: found a Harwell-Boeing file, not Matrix Market text; convert it first: "                 \
    "scipy.io.mmwrite(\"FILE.mtx\", scipy.io.hb_read(\"FILE\"))"
#define FORTRAN                                                                                    \
    "expected a number with a letter before its exponent, such as 1.5E+100; Fortran omits the "    \
    "letter before three digits: write in the format ES25.16E3 (after 0 of 1 entries)"

static const struct {
    const char *name; /* in tests/io/malformed, without .mtx */
    fur_status status;
    const char *sentence; /* the sentence after the file's name */
} cases[] = {
    {"001_empty", FUR_MALFORMED, "1:1: found an empty file, expected the banner '%%MatrixMarket'"},
    {"002_gzip", FUR_MALFORMED,
     " the compressed data ends early, at byte 63; the file is incomplete: get it again"},
    {"003_zstd", FUR_MALFORMED,
     " the compressed data ends early, at byte 61; the file is incomplete: get it again"},
    {"004_xz", FUR_MALFORMED,
     "1:1: found xz-compressed data; decompress it first: xz -dc FILE > FILE.mtx"},
    {"005_bzip2", FUR_MALFORMED,
     "1:1: found bzip2-compressed data; decompress it first: bzip2 -dc FILE > FILE.mtx"},
    {"006_zip", FUR_MALFORMED, "1:1: found a zip archive; unpack it first: unzip FILE"},
    {"007_hdf5", FUR_MALFORMED, "1:1: found an HDF5 file, not Matrix Market text"},
    {"008_matlab", FUR_MALFORMED, "1:1: found a MATLAB file, not Matrix Market text"},
    {"009_utf16_little", FUR_MALFORMED,
     "1:1: found UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8"},
    {"010_utf16_big", FUR_MALFORMED,
     "1:1: found UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8"},
    {"011_utf16_unmarked", FUR_MALFORMED,
     "1:1: found UTF-16 text; convert it first: iconv -f UTF-16LE -t UTF-8"},
    {"012_web_page", FUR_MALFORMED,
     "1:1: found a web page (HTML or XML), expected the banner '%%MatrixMarket'"},
    {"013_harwell_boeing", FUR_MALFORMED, HARWELL_BOEING},
    {"014_nul_byte", FUR_MALFORMED, "3:7: found a NUL byte, expected text (after 0 of 1 entries)"},
    {"015_nul_in_comment", FUR_MALFORMED, "2:3: found a NUL byte, expected text"},
    {"016_cr_only", FUR_MALFORMED,
     "1:46: found a line end of CR without LF; convert the line ends first: tr '\\r' '\\n'"},
    {"017_no_banner", FUR_MALFORMED, "1:1: found '2', expected the banner '%%MatrixMarket'"},
    {"018_no_banner_but_comment", FUR_MALFORMED,
     "1:1: found '%', expected the banner '%%MatrixMarket'"},
    {"019_blank_line_before_banner", FUR_MALFORMED,
     "1:1: found the end of the line, expected the banner '%%MatrixMarket'"},
    {"020_banner_glued", FUR_MALFORMED,
     "1:1: found '%%MatrixMarketmatrix', expected the banner '%%MatrixMarket'"},
    {"021_object_unknown", FUR_MALFORMED, "1:16: found 'tensor', expected 'matrix' or 'vector'"},
    {"022_format_unknown", FUR_MALFORMED, "1:23: found 'coord', expected 'coordinate' or 'array'"},
    {"023_field_unknown", FUR_MALFORMED,
     "1:34: found 'quaternion', expected 'real', 'integer', 'complex' or 'pattern'"},
    {"024_symmetry_unknown", FUR_MALFORMED,
     "1:39: found 'antisymmetric', expected 'general', 'symmetric', 'skew-symmetric' or "
     "'hermitian'"},
    {"025_symmetry_missing", FUR_MALFORMED,
     "1:38: found the end of the line, expected 'general', 'symmetric', 'skew-symmetric' or "
     "'hermitian'"},
    {"026_field_missing", FUR_MALFORMED,
     "1:34: found 'general', expected 'real', 'integer', 'complex' or 'pattern'"},
    {"027_banner_with_more", FUR_MALFORMED, "1:47: found 'sorted', expected the end of the line"},
    {"028_banner_only", FUR_MALFORMED, "1:46: found the end of the file, expected the size line"},
    {"029_comments_only", FUR_MALFORMED, "4:1: found the end of the file, expected the size line"},
    {"030_array_pattern", FUR_MALFORMED,
     "1:29: found 'pattern', expected 'real', 'integer' or 'complex' for an array"},
    {"031_pattern_skew", FUR_MALFORMED,
     "1:42: found 'skew-symmetric', expected 'general' or 'symmetric' for a pattern"},
    {"032_pattern_hermitian", FUR_MALFORMED,
     "1:42: found 'hermitian', expected 'general' or 'symmetric' for a pattern"},
    {"033_hermitian_real", FUR_MALFORMED,
     "1:39: found 'hermitian', expected 'symmetric', as the values are not complex"},
    {"034_hermitian_integer", FUR_MALFORMED,
     "1:42: found 'hermitian', expected 'symmetric', as the values are not complex"},
    {"035_vector_symmetric", FUR_MALFORMED,
     "1:39: found 'symmetric', expected 'general' for a vector"},
    {"036_size_missing", FUR_MALFORMED, "2:1: found the end of the file, expected the size line"},
    {"037_size_word", FUR_MALFORMED, "2:1: found 'two', expected the number of rows"},
    {"038_size_two_numbers", FUR_MALFORMED,
     "2:4: found the end of the line, expected the number of entries"},
    {"039_size_four_numbers", FUR_MALFORMED, "2:7: found '1', expected the end of the line"},
    {"040_size_negative_rows", FUR_MALFORMED, "2:1: found '-2', expected the number of rows"},
    {"041_size_negative_columns", FUR_MALFORMED, "2:3: found '-2', expected the number of columns"},
    {"042_size_negative_entries", FUR_MALFORMED, "2:5: found '-1', expected the number of entries"},
    {"043_size_with_point", FUR_MALFORMED, "2:1: found '2.0', expected the number of rows"},
    {"044_size_with_comma", FUR_MALFORMED, "2:1: found '1,000', expected the number of rows"},
    {"045_size_entries_int64_max", FUR_OVERFLOW,
     "2:5: found '9223372036854775807', expected the number of entries, below 9.2e18"},
    {"046_size_entries_uint64_max", FUR_OVERFLOW,
     "2:5: found '18446744073709551615', expected the number of entries, below 9.2e18"},
    {"047_size_entries_beyond_file", FUR_MALFORMED,
     "2:1: found bytes for at most 2 entries in the rest of the file, expected 100000000000 "
     "entries"},
    {"048_size_entries_wrap_32_bits", FUR_MALFORMED,
     "2:1: found bytes for at most 2 entries in the rest of the file, expected 4294967297 entries"},
    {"049_size_beyond_int32", FUR_OVERFLOW,
     "2:1: found a matrix of 9000000000 x 9000000000, expected at most 2147483647 rows and "
     "columns"},
    {"050_size_rows_beyond_file", FUR_OVERFLOW,
     "2:1: found a matrix of 2147483647 x 1 in a file of 69 bytes, expected at most 4194304 rows "
     "and columns together; if the file is correct, raise the limit 'shape'"},
    {"051_size_columns_beyond_file", FUR_OVERFLOW,
     "2:1: found a matrix of 1 x 2147483647 in a file of 69 bytes, expected at most 4194304 rows "
     "and columns together; if the file is correct, raise the limit 'shape'"},
    {"052_size_entries_without_rows", FUR_MALFORMED,
     "2:1: found an entry count of 1, expected 0 in a matrix of 0 x 0"},
    {"053_size_symmetric_rectangular", FUR_MALFORMED,
     "2:1: found 2 x 3, expected a square matrix for 'symmetric'"},
    {"054_size_array_overflow", FUR_OVERFLOW,
     "2:1: found an array of 4294967296 x 4294967296, whose size overflows 64 bits"},
    {"055_size_array_beyond_file", FUR_MALFORMED,
     "2:1: found bytes for at most 1 entries in the rest of the file, expected 1600000000 entries"},
    {"056_size_array_wrong_count", FUR_MALFORMED, "2:5: found '3', expected the end of the line"},
    {"057_size_array_symmetric_rectangular", FUR_MALFORMED,
     "2:1: found 2 x 3, expected a square matrix for 'symmetric'"},
    {"058_size_array_one_number", FUR_MALFORMED,
     "2:2: found the end of the line, expected the number of columns"},
    {"059_size_vector_negative", FUR_MALFORMED, "2:1: found '-3', expected the number of rows"},
    {"060_size_vector_two_numbers", FUR_MALFORMED, "2:3: found '2', expected the end of the line"},
    {"061_row_zero", FUR_MALFORMED,
     "3:1: found '0', expected a row from 1 to 2 (after 0 of 1 entries)"},
    {"062_row_negative", FUR_MALFORMED,
     "3:1: found '-1', expected a row from 1 to 2 (after 0 of 1 entries)"},
    {"063_row_too_large", FUR_MALFORMED,
     "3:1: found '3', expected a row from 1 to 2 (after 0 of 1 entries)"},
    {"064_row_wraps_32_bits", FUR_MALFORMED,
     "3:1: found '4294967297', expected a row from 1 to 2 (after 0 of 1 entries)"},
    {"065_row_overflows_64_bits", FUR_MALFORMED,
     "3:1: found '19223372036854775808', expected a row from 1 to 2 (after 0 of 1 entries)"},
    {"066_row_with_point", FUR_MALFORMED,
     "3:1: found '1.0', expected a row from 1 to 2 (after 0 of 1 entries)"},
    {"067_row_word", FUR_MALFORMED,
     "3:1: found 'one', expected a row from 1 to 2 (after 0 of 1 entries)"},
    {"068_column_zero", FUR_MALFORMED,
     "3:3: found '0', expected a column from 1 to 2 (after 0 of 1 entries)"},
    {"069_column_too_large", FUR_MALFORMED,
     "4:3: found '3', expected a column from 1 to 2 (after 1 of 2 entries)"},
    {"070_column_missing", FUR_MALFORMED,
     "2:1: found bytes for at most 0 entries in the rest of the file, expected 1 entries"},
    {"071_vector_index_zero", FUR_MALFORMED,
     "4:1: found '0', expected a row from 1 to 4 (after 1 of 3 entries)"},
    {"072_value_missing", FUR_MALFORMED,
     "3:4: found the end of the line, expected a number (after 0 of 2 entries)"},
    {"073_value_missing_at_end", FUR_MALFORMED,
     "3:4: found the end of the file, expected a number (after 0 of 1 entries)"},
    {"074_value_with_more", FUR_MALFORMED,
     "3:9: found '2.5', expected the end of the line (after 0 of 1 entries)"},
    {"075_value_with_letters", FUR_MALFORMED,
     "3:5: found '1.5junk', expected a number (after 0 of 1 entries)"},
    {"076_value_with_comma", FUR_MALFORMED,
     "3:5: found '1,5', expected a number (after 0 of 1 entries)"},
    {"077_value_hexadecimal", FUR_MALFORMED,
     "3:5: found '0x1p3', expected a number (after 0 of 1 entries)"},
    {"078_value_exponent_without_letter", FUR_MALFORMED, "3:5: found '1.5+02', " FORTRAN},
    {"079_value_exponent_without_digits", FUR_MALFORMED,
     "3:5: found '1.5e', expected a number (after 0 of 1 entries)"},
    {"080_value_sign_only", FUR_MALFORMED,
     "3:5: found '-', expected a number (after 0 of 1 entries)"},
    {"081_value_point_only", FUR_MALFORMED,
     "3:5: found '.', expected a number (after 0 of 1 entries)"},
    {"082_value_two_points", FUR_MALFORMED,
     "3:5: found '1.2.3', expected a number (after 0 of 1 entries)"},
    {"083_value_word", FUR_MALFORMED,
     "3:5: found 'forty-two', expected a number (after 0 of 1 entries)"},
    {"084_value_long_word", FUR_MALFORMED,
     "3:5: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', expected a number (after 0 of 1 "
     "entries)"},
    {"085_value_long_digits", FUR_MALFORMED,
     "3:5: found '1234567890123456789012345678901234567890...', expected a number (after 0 of 1 "
     "entries)"},
    {"086_value_not_ascii", FUR_MALFORMED,
     "3:5: found '1\\xc2\\xbd', expected a number (after 0 of 1 entries)"},
    {"087_value_vertical_tab", FUR_MALFORMED,
     "3:3: found '1\\x0b1.5', expected a column from 1 to 2 (after 0 of 1 entries)"},
    {"088_value_form_feed", FUR_MALFORMED,
     "3:5: found '1.5\\x0c', expected a number (after 0 of 1 entries)"},
    {"089_value_then_comment", FUR_MALFORMED,
     "3:9: found '%', expected the end of the line (after 0 of 1 entries)"},
    {"090_value_then_cr", FUR_MALFORMED,
     "3:5: found '1.5\\x0d', expected a number (after 0 of 1 entries)"},
    {"091_integer_with_fraction", FUR_MALFORMED,
     "3:5: found '3.7', expected an integer (after 0 of 1 entries)"},
    {"092_integer_with_exponent", FUR_MALFORMED,
     "3:5: found '1e3', expected an integer (after 0 of 1 entries)"},
    {"093_complex_without_imaginary", FUR_MALFORMED,
     "3:8: found the end of the line, expected a number (after 0 of 1 entries)"},
    {"094_complex_with_more", FUR_MALFORMED,
     "3:13: found '3.5', expected the end of the line (after 0 of 1 entries)"},
    {"095_complex_parentheses", FUR_MALFORMED,
     "3:5: found '(1.5,2.5)', expected a number (after 0 of 1 entries)"},
    {"096_pattern_with_value", FUR_MALFORMED,
     "3:5: found '1.5', expected the end of the line (after 0 of 1 entries)"},
    {"097_array_value_word", FUR_MALFORMED,
     "4:3: found 'four', expected a number (after 3 of 4 entries)"},
    {"098_array_comment_behind_value", FUR_MALFORMED,
     "3:3: found '%', expected a number (after 1 of 2 entries)"},
    {"099_array_complex_half", FUR_MALFORMED,
     "3:2: found the end of the line, expected a number (after 0 of 2 entries)"},
    {"100_entry_over_two_lines", FUR_MALFORMED,
     "3:2: found the end of the line, expected a column from 1 to 2 (after 0 of 1 entries)"},
    {"101_two_entries_in_a_line", FUR_MALFORMED,
     "3:9: found '2', expected the end of the line (after 0 of 2 entries)"},
    {"102_entries_too_few", FUR_MALFORMED, "5:1: found the end of the file after 2 of 3 entries"},
    {"103_entries_too_many", FUR_MALFORMED,
     "5:1: found '2', expected the end of the file, as all entries (1) have been read"},
    {"104_entries_cut_off", FUR_MALFORMED,
     "5:2: found the end of the file, expected a column from 1 to 7 (after 2 of 4 entries)"},
    {"105_array_too_few", FUR_MALFORMED, "6:1: found the end of the file after 3 of 4 entries"},
    {"106_array_too_many", FUR_MALFORMED,
     "7:1: found '5', expected the end of the file, as all entries (4) have been read"},
    {"107_array_symmetric_full", FUR_MALFORMED,
     "6:1: found '3', expected the end of the file, as all entries (3) have been read: such an "
     "array has only the lower triangle"},
    {"108_symmetric_both_triangles", FUR_MALFORMED,
     "6:1: found entry (1, 2) and its mirror image in line 4, expected only one of both in a "
     "symmetric file; the option mirrored=lower reads the entry below the diagonal"},
    {"109_skew_both_triangles", FUR_MALFORMED,
     "7:1: found entry (3, 1) and its mirror image in line 4, expected only one of both in a "
     "skew-symmetric file; the option mirrored=lower reads the entry below the diagonal"},
    {"110_skew_diagonal", FUR_MALFORMED,
     "4:1: found a nonzero diagonal entry, expected 0 or no entry on the diagonal of a "
     "skew-symmetric matrix (after 1 of 2 entries)"},
    {"111_skew_diagonal_complex", FUR_MALFORMED,
     "3:1: found a nonzero diagonal entry, expected 0 or no entry on the diagonal of a "
     "skew-symmetric matrix (after 0 of 1 entries)"},
    {"112_hermitian_diagonal", FUR_MALFORMED,
     "4:1: found a diagonal entry with an imaginary part, expected a real one in a hermitian "
     "matrix (after 1 of 2 entries)"},
    {"113_hermitian_array_diagonal", FUR_MALFORMED,
     "5:1: found a diagonal entry with an imaginary part, expected a real one in a hermitian "
     "matrix"},
    {"114_hermitian_both_triangles", FUR_MALFORMED,
     "4:1: found entry (1, 2) and its mirror image in line 3, expected only one of both in a "
     "hermitian file; the option mirrored=lower reads the entry below the diagonal"},
    {"115_fur", FUR_MALFORMED,
     "1:1: found a binary file (.fur), not Matrix Market text; read it with fur_binary_read_csr"},
    {"116_rutherford_boeing", FUR_MALFORMED, HARWELL_BOEING},
    {"117_git_lfs_pointer", FUR_MALFORMED,
     "1:1: found a Git LFS pointer instead of the file; fetch the file first: git lfs pull"},
    {"118_numpy", FUR_MALFORMED,
     "1:1: found a NumPy array (.npy), not Matrix Market text; write it by scipy.io.mmwrite"},
    {"119_amgx_right_hand_side", FUR_MALFORMED,
     "2:12: found 'rhs' of AMGX, which announces a right-hand side after the entries; move it to a "
     "separate file, and delete this line"},
    {"120_amgx_solution", FUR_MALFORMED,
     "2:20: found 'solution' of AMGX, which announces a solution after the entries; move it to a "
     "separate file, and delete this line"},
    {"121_amgx_diagonal", FUR_MALFORMED,
     "3:8: found 'diagonal' of AMGX, which announces a diagonal separate from the entries; write "
     "it as entries, and delete this line"},
    {"122_amgx_from_zero", FUR_MALFORMED,
     "2:12: found 'base0' of AMGX, which announces indices that count from 0; add 1 to each, and "
     "delete this line"},
    {"123_amgx_blocks", FUR_MALFORMED,
     "2:8: found '2' of AMGX, which announces blocks of entries; write single entries, and delete "
     "this line"},
    {"124_skew_array_with_diagonal", FUR_MALFORMED,
     "6:1: found '0', expected the end of the file, as all entries (3) have been read: a "
     "skew-symmetric array has only the numbers below the diagonal; leave out the zeros on the "
     "diagonal, which MATLAB writes"},
    {"125_value_fortran_exponent", FUR_MALFORMED, "3:5: found '-1.5-100', " FORTRAN},
    {"126_value_sum", FUR_MALFORMED,
     "3:5: found '1.5+x', expected a number (after 0 of 1 entries)"},
    {"127_banner_with_blank", FUR_MALFORMED,
     "3:4: found the end of the line, expected the number of entries; and 1:1: found '%% "
     "MatrixMarket', expected the banner '%%MatrixMarket' at the beginning of the line; read as if "
     "this were correct"},
    {"128_harwell_boeing_cut", FUR_MALFORMED,
     "1:1: found '1SYMMETRIC', expected the banner '%%MatrixMarket'"},
};

static fur_context *context;

static void open_context(void)
{
    context = context_make(NULL, 1);
}

static void close_context(void)
{
    fur_context_destroy(context);
}

static void path_of(int index, char *path)
{
    snprintf(path, 256, "%s.mtx", cases[index].name);
}

static void sentence_of(int index, char *sentence)
{
    snprintf(sentence, 1024, "%s.mtx:%s", cases[index].name, cases[index].sentence);
}

START_TEST(file_is_refused_with_its_sentence)
{
    char path[256], sentence[1024];
    path_of(_i, path);
    sentence_of(_i, sentence);
    fur_csr *matrix = NULL;
    ck_fails(context, cases[_i].status, sentence, fur_mtx_read_csr(context, path, NULL, &matrix));
    ck_assert_ptr_null(matrix);
}
END_TEST

START_TEST(file_is_refused_as_a_vector_too)
{
    char path[256];
    path_of(_i, path);
    fur_vector *vector = NULL;
    ck_assert_int_eq(fur_mtx_read_vector(context, path, NULL, &vector), cases[_i].status);
    ck_assert_ptr_null(vector);
}
END_TEST

/* Reading only the header of these files gives the same refusal, or succeeds if the body is bad. */
START_TEST(head_is_refused_alike_or_read)
{
    char path[256], sentence[1024];
    path_of(_i, path);
    sentence_of(_i, sentence);
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    if (fur_mtx_read_header(context, path, &header) != FUR_OK)
        ck_assert_str_eq(fur_context_error(context), sentence);
}
END_TEST

static bool is_listed(const char *name)
{
    for (int i = 0; i < COUNT_OF(cases); i++) {
        char path[256];
        path_of(i, path);
        if (strcmp(name, path) == 0)
            return true;
    }
    return false;
}

START_TEST(every_file_of_the_folder_is_listed)
{
    DIR *folder = opendir(".");
    ck_assert_ptr_nonnull(folder);
    int files = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (!strstr(entry->d_name, ".mtx"))
            continue;
        files++;
        ck_assert_msg(is_listed(entry->d_name), "%s is not in the table", entry->d_name);
    }
    closedir(folder);
    ck_assert_int_eq(files, COUNT_OF(cases));
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, file_is_refused_with_its_sentence, 0, COUNT_OF(cases));
    tcase_add_loop_test(tests, file_is_refused_as_a_vector_too, 0, COUNT_OF(cases));
    tcase_add_loop_test(tests, head_is_refused_alike_or_read, 0, COUNT_OF(cases));
    tcase_add_test(tests, every_file_of_the_folder_is_listed);
}

int main(void)
{
    if (chdir(FURROW_TESTS "/malformed") != 0)
        return 2;
    return run_tests("mtx_malformed", add);
}
