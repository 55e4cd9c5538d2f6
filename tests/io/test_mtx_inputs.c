/* Inputs on which readers of Matrix Market files differ, fail or return wrong values. Each input is
 * listed with its outcome. */
#include "text_case.h"

#define BANNER "%%MatrixMarket matrix coordinate "
#define REAL BANNER "real general\n"
#define INTEGER BANNER "integer general\n"
#define PATTERN BANNER "pattern general\n"
#define SYMMETRIC BANNER "real symmetric\n"
#define ARRAY "%%MatrixMarket matrix array real general\n"
#define ONE REAL "1 1 1\n"

static const text_case cases[] = {
    {1, "no final line end", TEXT(REAL "1 2 2\n1 1 1\n1 2 2"), .outcome = "1 2"},
    {2, "trailing blank, no line end", TEXT(REAL "1 2 2\n1 1 1\n1 2 2 "), .outcome = "1 2"},
    {3, "CRLF", TEXT(BANNER "real general\r\n1 2 2\r\n1 1 1\r\n1 2 2\r\n"), .outcome = "1 2"},
    {4, "CR only", TEXT(BANNER "real general\r1 1 1\r1 1 1\r"), .status = FUR_MALFORMED,
     .outcome =
         "1:46: found a line end of CR without LF; convert the line ends first: tr '\\r' '\\n'"},
    {5, "blank lines", TEXT(REAL "\n% a\n\n1 2 2\n\n1 1 1\n \t\n\n1 2 2\n\n"), .outcome = "1 2"},
    {6, "comment among entries", TEXT(REAL "1 2 2\n1 1 1\n% 1 1 9\n1 2 2\n"), .outcome = "1 2"},
    {7, "comment behind a value", TEXT(REAL "1 1 1\n1 1 1.5 % x\n"), .status = FUR_MALFORMED,
     .outcome = "3:9: found '%', expected the end of the line (after 0 of 1 entries)"},
    {7, "the same, allowed", TEXT(REAL "1 1 1\n1 1 1.5 % x\n"), .options = {.allow_trailing = 1},
     .outcome = "1.5", .warnings = "3:9: found '%', text after an entry, which was ignored\n"},
    {8, "byte order mark", TEXT("\xef\xbb\xbf" ONE "1 1 1\n"), .outcome = "1"},
    {9, "upper case", TEXT("%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL\n1 1 1\n1 1 1\n"),
     .outcome = "1"},
    {10, "one percent sign", TEXT("%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"),
     .outcome = "1",
     .warnings = "1:1: found '%MatrixMarket', expected the banner '%%MatrixMarket' at the "
                 "beginning of the line; read as if this were correct\n"},
    {10, "one percent sign, refused",
     TEXT("%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"),
     .options = {.refuse_dialects = 1}, .status = FUR_MALFORMED,
     .outcome = "1:1: found '%MatrixMarket', expected the banner '%%MatrixMarket' at the "
                "beginning of the line"},
    {11, "leading blanks", TEXT("  " REAL "  1 2 2\n  1 1 1\n\t1 2 2\n"), .outcome = "1 2",
     .warnings = "1:3: found an indented banner, expected the banner '%%MatrixMarket' at the "
                 "beginning of the line; read as if this were correct\n"},
    {11, "leading blanks, refused", TEXT("  " REAL "  1 2 2\n  1 1 1\n\t1 2 2\n"),
     .options = {.refuse_dialects = 1}, .status = FUR_MALFORMED,
     .outcome = "1:3: found an indented banner, expected the banner '%%MatrixMarket' at the "
                "beginning of the line"},
    {12, "no banner", TEXT("1 1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "1:1: found '1', expected the banner '%%MatrixMarket'"},
    {13, "empty file", TEXT(""), .status = FUR_MALFORMED,
     .outcome = "1:1: found an empty file, expected the banner '%%MatrixMarket'"},
    {14, "banner only", TEXT(REAL), .status = FUR_MALFORMED,
     .outcome = "2:1: found the end of the file, expected the size line"},
    {15, "200 characters in the banner", TEXT(BANNER "~ general\n1 1 1\n1 1 1\n"), .fill = "x",
     .times = 200, .status = FUR_MALFORMED,
     .outcome = "1:34: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', expected 'real', "
                "'integer', 'complex' or 'pattern'"},
    {15, "200 characters for a value", TEXT(ONE "1 1 ~\n"), .fill = "x", .times = 200,
     .status = FUR_MALFORMED,
     .outcome = "3:5: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', expected a number "
                "(after 0 of 1 entries)"},
    {16, "comment of 3000 characters", TEXT(REAL "% ~\n1 1 1\n1 1 1\n"), .fill = "abc",
     .times = 1000, .outcome = "1"},
    {17, "long comment of digits", TEXT(REAL "% ~\n1 1 1\n1 1 1\n"), .fill = "9 9 9 ", .times = 500,
     .outcome = "1"},
    {18, "size line of words", TEXT(REAL "one one one\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "2:1: found 'one', expected the number of rows"},
    {19, "two sizes", TEXT(REAL "1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "2:4: found the end of the line, expected the number of entries"},
    {20, "four sizes", TEXT(REAL "1 1 1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "2:7: found '1', expected the end of the line"},
    {21, "negative rows", TEXT(REAL "-1 1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "2:1: found '-1', expected the number of rows"},
    {21, "negative columns", TEXT(REAL "1 -1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "2:3: found '-1', expected the number of columns"},
    {21, "negative entries", TEXT(REAL "1 1 -1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "2:5: found '-1', expected the number of entries"},
    {22, "entries beyond 2^32 that wrap to 1", TEXT(REAL "1 1 4294967297\n1 1 1\n"),
     .status = FUR_MALFORMED,
     .outcome = "2:1: found bytes for at most 1 entries in the rest of the file, expected "
                "4294967297 entries"},
    {23, "entries INT64_MAX", TEXT(REAL "1 1 9223372036854775807\n1 1 1\n"), .status = FUR_OVERFLOW,
     .outcome = "2:5: found '9223372036854775807', expected the number of entries, below 9.2e18"},
    {23, "entries UINT64_MAX", TEXT(REAL "1 1 18446744073709551615\n1 1 1\n"),
     .status = FUR_OVERFLOW,
     .outcome = "2:5: found '18446744073709551615', expected the number of entries, below 9.2e18"},
    {24, "1e11 entries in 60 bytes", TEXT(REAL "9 9 100000000000\n1 1 1\n"),
     .status = FUR_MALFORMED,
     .outcome = "2:1: found bytes for at most 1 entries in the rest of the file, expected "
                "100000000000 entries"},
    {25, "cut off", TEXT(REAL "2 2 3\n1 1 1.25\n1 2 2.25\n"), .status = FUR_MALFORMED,
     .outcome = "5:1: found the end of the file after 2 of 3 entries"},
    {26, "lines to spare", TEXT(ONE "1 1 1\n1 1 2\n"), .status = FUR_MALFORMED,
     .outcome = "4:1: found '1', expected the end of the file, as all entries (1) have been read"},
    {27, "row 0", TEXT(ONE "0 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:1: found '0', expected a row from 1 to 1 (after 0 of 1 entries)"},
    {27, "column -1", TEXT(ONE "1 -1 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:3: found '-1', expected a column from 1 to 1 (after 0 of 1 entries)"},
    {28, "row beyond the matrix", TEXT(REAL "2 2 1\n3 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:1: found '3', expected a row from 1 to 2 (after 0 of 1 entries)"},
    {28, "column beyond the matrix", TEXT(REAL "2 2 1\n1 3 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:3: found '3', expected a column from 1 to 2 (after 0 of 1 entries)"},
    {29, "index 2^32 + 1", TEXT(REAL "2 2 1\n1 4294967297 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:3: found '4294967297', expected a column from 1 to 2 (after 0 of 1 entries)"},
    {30, "index with a point", TEXT(ONE "1.0 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:1: found '1.0', expected a row from 1 to 1 (after 0 of 1 entries)"},
    {31, "value missing", TEXT(REAL "2 2 2\n1 1\n2 2 5\n"), .status = FUR_MALFORMED,
     .outcome = "3:4: found the end of the line, expected a number (after 0 of 2 entries)"},
    {32, "one column more", TEXT(ONE "1 1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:7: found '1', expected the end of the line (after 0 of 1 entries)"},
    {33, "letters behind a number", TEXT(ONE "1 1 1.5junk\n"), .status = FUR_MALFORMED,
     .outcome = "3:5: found '1.5junk', expected a number (after 0 of 1 entries)"},
    {34, "exponent of Fortran", TEXT(REAL "1 3 3\n1 1 1.5D+02\n1 2 1.5d-1\n1 3 2D0\n"),
     .outcome = "150 0.14999999999999999 2"},
    {35, "exponent without a letter", TEXT(ONE "1 1 1.5+02\n"), .status = FUR_MALFORMED,
     .outcome = "3:5: found '1.5+02', expected a number with a letter before its exponent, such as "
                "1.5E+100; Fortran omits the letter before three digits: write in the format "
                "ES25.16E3 (after 0 of 1 entries)"},
    {36, "exponents of Fortran", TEXT(REAL "1 4 4\n1 1 1.5D+02\n1 2 1d3\n1 3 -2.5D-1\n1 4 1D100\n"),
     .outcome = "150 1000 -0.25 1e+100"},
    {36, "plus signs", TEXT(REAL "1 2 2\n1 1 +1.5\n1 +2 +1\n"), .outcome = "1.5 1"},
    {37, "point first or last", TEXT(REAL "1 2 2\n1 1 .5\n1 2 5.\n"), .outcome = "0.5 5"},
    {38, "decimal comma", TEXT(ONE "1 1 1,5\n"), .status = FUR_MALFORMED,
     .outcome = "3:5: found '1,5', expected a number (after 0 of 1 entries)"},
    {39, "hexadecimal", TEXT(ONE "1 1 0x1.8p3\n"), .status = FUR_MALFORMED,
     .outcome = "3:5: found '0x1.8p3', expected a number (after 0 of 1 entries)"},
    {40, "infinity and NaN", TEXT(REAL "1 3 3\n1 1 inf\n1 2 -Infinity\n1 3 nan\n"),
     .outcome = "inf -inf nan"},
    {40, "infinity refused", TEXT(ONE "1 1 -Infinity\n"), .options = {.refuse_nonfinite = 1},
     .status = FUR_MALFORMED,
     .outcome = "3:5: found '-Infinity', expected a finite number (after 0 of 1 entries)"},
    {40, "NaN refused", TEXT(ONE "1 1 nan\n"), .options = {.refuse_nonfinite = 1},
     .status = FUR_MALFORMED,
     .outcome = "3:5: found 'nan', expected a finite number (after 0 of 1 entries)"},
    {41, "beyond the range", TEXT(REAL "1 2 2\n1 1 1e400\n1 2 1e-400\n"), .outcome = "inf 0",
     .warnings = "3:5: found '1e400', which is out of the range of f64 and became infinite\n"},
    {41, "too large, refused", TEXT(ONE "1 1 1e400\n"), .options = {.refuse_range = 1},
     .status = FUR_MALFORMED,
     .outcome = "3:5: found '1e400', expected a number in the range of f64 (after 0 of 1 entries)"},
    {41, "too small, refused", TEXT(ONE "1 1 1e-400\n"), .options = {.refuse_range = 1},
     .status = FUR_MALFORMED,
     .outcome =
         "3:5: found '1e-400', expected a number in the range of f64 (after 0 of 1 entries)"},
    {42, "smallest numbers", TEXT(REAL "1 3 3\n1 1 5e-324\n1 2 2.4e-324\n1 3 2.5e-324\n"),
     .outcome = "4.9406564584124654e-324 0 4.9406564584124654e-324"},
    {42, "half-way between two doubles",
     TEXT(REAL "1 3 3\n1 1 9007199254740993\n1 2 9007199254740995\n1 3 9007199254740993.~1\n"),
     .fill = "0", .times = 1000, .outcome = "9007199254740992 9007199254740996 9007199254740994"},
    {42, "5000 digits", TEXT(ONE "1 1 0.~\n"), .fill = "3", .times = 5000,
     .outcome = "0.33333333333333331"},
    {43, "tabs", TEXT(REAL "1\t1\t1\n\t1\t1\t1\t\n"), .outcome = "1"},
    {43, "vertical tab", TEXT(ONE "1\v1 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:1: found '1\\x0b1', expected a row from 1 to 1 (after 0 of 1 entries)"},
    {43, "form feed", TEXT(ONE "1 1 1\f\n"), .status = FUR_MALFORMED,
     .outcome = "3:5: found '1\\x0c', expected a number (after 0 of 1 entries)"},
    {44, "NUL byte", TEXT(ONE "1 1 1\0\n"), .status = FUR_MALFORMED,
     .outcome = "3:6: found a NUL byte, expected text (after 0 of 1 entries)"},
    {45, "duplicates added up", TEXT(REAL "1 1 2\n1 1 2\n1 1 3\n"), .outcome = "5"},
    {45, "duplicates kept", TEXT(REAL "1 1 2\n1 1 2\n1 1 3\n"),
     .options = {.duplicates = FUR_DUPLICATES_KEEP}, .outcome = "2+3"},
    {45, "last duplicate", TEXT(REAL "1 1 2\n1 1 2\n1 1 3\n"),
     .options = {.duplicates = FUR_DUPLICATES_LAST}, .outcome = "3"},
    {45, "duplicates refused", TEXT(REAL "1 1 2\n1 1 2\n1 1 3\n"),
     .options = {.duplicates = FUR_DUPLICATES_ERROR}, .status = FUR_INVALID,
     .outcome = "4:1: found an entry at the same position as in line 3, expected each position "
                "once"},
    {46, "zero kept", TEXT(REAL "1 2 2\n1 1 0\n1 2 1\n"), .outcome = "0 1"},
    {46, "zero dropped", TEXT(REAL "1 2 2\n1 1 0\n1 2 1\n"), .options = {.drop_zeros = 1},
     .outcome = ". 1"},
    {47, "symmetric, upper triangle", TEXT(SYMMETRIC "2 2 2\n1 1 1\n1 2 2\n"),
     .outcome = "1 2; 2 ."},
    {48, "symmetric, both triangles", TEXT(SYMMETRIC "2 2 2\n1 2 5\n2 1 5\n"),
     .status = FUR_MALFORMED,
     .outcome =
         "4:1: found entry (2, 1) and its mirror image in line 3, expected only one of both in a "
         "symmetric file; the option mirrored=lower reads the entry below the diagonal"},
    {48, "symmetric, the lower counts", TEXT(SYMMETRIC "2 2 2\n1 2 5\n2 1 6\n"),
     .options = {.mirrored = FUR_MTX_MIRRORED_LOWER}, .outcome = ". 6; 6 ."},
    {49, "symmetric and not square", TEXT(SYMMETRIC "2 3 1\n1 3 1\n"), .status = FUR_MALFORMED,
     .outcome = "2:1: found 2 x 3, expected a square matrix for 'symmetric'"},
    {50, "skew-symmetric with a diagonal", TEXT(BANNER "real skew-symmetric\n2 2 1\n2 2 1\n"),
     .status = FUR_MALFORMED,
     .outcome = "3:1: found a nonzero diagonal entry, expected 0 or no entry on the diagonal of a "
                "skew-symmetric matrix (after 0 of 1 entries)"},
    {50, "skew-symmetric with zeros there", TEXT(BANNER "real skew-symmetric\n1 1 1\n1 1 0\n"),
     .outcome = "0"},
    {51, "hermitian and real", TEXT(BANNER "real hermitian\n1 1 1\n1 1 1\n"),
     .status = FUR_MALFORMED,
     .outcome = "1:39: found 'hermitian', expected 'symmetric', as the values are not complex"},
    {51, "hermitian, imaginary diagonal", TEXT(BANNER "complex hermitian\n1 1 1\n1 1 1 2\n"),
     .status = FUR_MALFORMED,
     .outcome = "3:1: found a diagonal entry with an imaginary part, expected a real one in a "
                "hermitian matrix (after 0 of 1 entries)"},
    {52, "pattern with values", TEXT(PATTERN "1 1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:5: found '1', expected the end of the line (after 0 of 1 entries)"},
    {53, "array of a pattern", TEXT("%%MatrixMarket matrix array pattern general\n1 1\n1\n"),
     .status = FUR_MALFORMED,
     .outcome = "1:29: found 'pattern', expected 'real', 'integer' or 'complex' for an array"},
    {54, "array, several in a line", TEXT(ARRAY "2 2\n1 2 3\n4\n"), .outcome = "1 3; 2 4",
     .warnings = "3:3: found '2', after another number in its line; an array is read column by "
                 "column (and 1 more like it)\n"},
    {54, "array, several in a line, too few", TEXT(ARRAY "2 2\n1 2 3\n \n"),
     .status = FUR_MALFORMED, .outcome = "5:1: found the end of the file after 3 of 4 entries"},
    {55, "array without rows", TEXT(ARRAY "0 0\n"), .outcome = ""},
    {56, "array of 2^64 numbers", TEXT(ARRAY "4294967296 4294967296\n1\n"), .status = FUR_OVERFLOW,
     .outcome = "2:1: found an array of 4294967296 x 4294967296, whose size overflows 64 bits"},
    {57, "nothing at all", TEXT(REAL "0 0 0\n"), .outcome = ""},
    {57, "an entry without rows", TEXT(REAL "0 0 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "2:1: found an entry count of 1, expected 0 in a matrix of 0 x 0"},
    {58, "vector of coordinates", TEXT("%%MatrixMarket vector coordinate real general\n3 1\n2 7\n"),
     .outcome = ".; 7; ."},
    {58, "vector of numbers", TEXT("%%MatrixMarket vector array real general\n2\n1\n2\n"),
     .outcome = "1; 2"},
    {59, "integer 2^53 + 1", TEXT(INTEGER "1 1 1\n1 1 9007199254740993\n"),
     .outcome = "9007199254740992",
     .warnings =
         "3:5: found '9007199254740993', which f64 cannot hold exactly and which was rounded\n"},
    {60, "integer with a fraction", TEXT(INTEGER "1 1 1\n1 1 3.7\n"), .status = FUR_MALFORMED,
     .outcome = "3:5: found '3.7', expected an integer (after 0 of 1 entries)"},
    {61, "field double", TEXT(BANNER "double general\n1 1 1\n1 1 1.5\n"), .outcome = "1.5"},
    {61, "field unsigned-integer", TEXT(BANNER "unsigned-integer general\n1 1 1\n1 1 7\n"),
     .outcome = "7"},
    {62, "banner without symmetry", TEXT(BANNER "real\n1 1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "1:38: found the end of the line, expected 'general', 'symmetric', "
                "'skew-symmetric' or 'hermitian'"},
    {63, "entry over two lines", TEXT(ONE "1\n1 1\n"), .status = FUR_MALFORMED,
     .outcome = "3:2: found the end of the line, expected a column from 1 to 1 (after 0 of 1 "
                "entries)"},
    {63, "two entries in a line", TEXT(REAL "1 2 2\n1 1 1 1 2 2\n"), .status = FUR_MALFORMED,
     .outcome = "3:7: found '1', expected the end of the line (after 0 of 2 entries)"},
#ifdef FURROW_HAVE_GZIP
    {64, "gzip under a plain name",
     TEXT("\x1f\x8b\x08\0\0\0\0\0\x02\x03\x53\x55\xf5\x4d\x2c\x29\xca\xac\xf0\x4d\x2c\xca\x4e\x2d"
          "\x51\xc8\x05\x73\x14\x92\xf3\xf3\x8b\x52\x32\xf3\x12\x4b\x52\x15\x8a\x52\x13\x73\x14\xd2"
          "\x53\xf3\x52\x8b\x12\x73\xb8\x0c\x15\x8c\x14\x8c\x80\x24\x10\x42\xd9\x00\x11\x8b\x1b\x48"
          "\x40\0\0\0"),
     .outcome = "1 2"},
#endif
    {65, "sizes of 9e9", TEXT(REAL "9000000000 9000000000 1\n1 1 1\n"), .status = FUR_OVERFLOW,
     .outcome = "2:1: found a matrix of 9000000000 x 9000000000, expected at most 2147483647 rows "
                "and columns"},
    {66, "INT32_MAX rows and one entry", TEXT(REAL "2147483647 2147483647 1\n1 1 1\n"),
     .status = FUR_OVERFLOW,
     .outcome =
         "2:1: found a matrix of 2147483647 x 2147483647 in a file of 76 bytes, expected at most "
         "4194304 rows and columns together; if the file is correct, raise the limit 'shape'"},
    {67, "UTF-16 with a mark", TEXT("\xff\xfe%\0%\0M\0"), .status = FUR_MALFORMED,
     .outcome = "1:1: found UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8"},
    {67, "UTF-16 without a mark", TEXT("\0%\0%\0M"), .status = FUR_MALFORMED,
     .outcome = "1:1: found UTF-16 text; convert it first: iconv -f UTF-16BE -t UTF-8"},
    {67, "web page", TEXT("<!DOCTYPE html>\n<title>404 Not Found</title>\n"),
     .status = FUR_MALFORMED,
     .outcome = "1:1: found a web page (HTML or XML), expected the banner '%%MatrixMarket'"},
    {67, "Harwell-Boeing", TEXT("A title                                                 KEY\n"),
     .status = FUR_MALFORMED, .outcome = "1:1: found 'A', expected the banner '%%MatrixMarket'"},
    {68, "mangled object", TEXT("%%MatrixMarket mangled coordinate real general\n1 1 1\n1 1 1\n"),
     .status = FUR_MALFORMED, .outcome = "1:16: found 'mangled', expected 'matrix' or 'vector'"},
    {68, "mangled format", TEXT("%%MatrixMarket matrix mangled real general\n1 1 1\n1 1 1\n"),
     .status = FUR_MALFORMED, .outcome = "1:23: found 'mangled', expected 'coordinate' or 'array'"},
    {68, "mangled field", TEXT(BANNER "mangled symmetric\n1 1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "1:34: found 'mangled', expected 'real', 'integer', 'complex' or 'pattern'"},
    {68, "mangled symmetry", TEXT(BANNER "real mangled\n1 1 1\n1 1 1\n"), .status = FUR_MALFORMED,
     .outcome = "1:39: found 'mangled', expected 'general', 'symmetric', 'skew-symmetric' or "
                "'hermitian'"},
    {68, "hermitian pattern", TEXT(BANNER "pattern hermitian\n2 2 1\n2 1\n"),
     .status = FUR_MALFORMED,
     .outcome = "1:42: found 'hermitian', expected 'general' or 'symmetric' for a pattern"},
    {68, "skew-symmetric pattern", TEXT(BANNER "pattern skew-symmetric\n2 2 1\n2 1\n"),
     .status = FUR_MALFORMED,
     .outcome = "1:42: found 'skew-symmetric', expected 'general' or 'symmetric' for a pattern"},
    {68, "unknown type, no values", TEXT(REAL "%%GraphBLAS type gunk\n2 2 2\n1 1\n2 2\n"),
     .status = FUR_MALFORMED,
     .outcome = "4:4: found the end of the line, expected a number (after 0 of 2 entries)"},
    {68, "symmetric 3 x 4, no values", TEXT(SYMMETRIC "3 4 3\n1 1\n2 2\n3 3\n"),
     .status = FUR_MALFORMED,
     .outcome = "2:1: found 3 x 4, expected a square matrix for 'symmetric'"},
    {68, "words for numbers", TEXT(REAL "3 4 2\n1 zero pi\n2 2 two\n"), .status = FUR_MALFORMED,
     .outcome = "3:3: found 'zero', expected a column from 1 to 4 (after 0 of 2 entries)"},
    {68, "far column", TEXT(REAL "3 4 2\n1 1 3\n3 9999 4\n"), .status = FUR_MALFORMED,
     .outcome = "4:3: found '9999', expected a column from 1 to 4 (after 1 of 2 entries)"},
    {68, "coordinates in an array", TEXT(ARRAY "2 2\n1 1 5\n2 1 6\n1 2 7\n2 2 8\n"),
     .status = FUR_MALFORMED,
     .outcome = "4:3: found '1', expected the end of the file, as all entries (4) have been read"},
    {68, "size line of the array for coordinates", TEXT(REAL "2 2\n"), .status = FUR_MALFORMED,
     .outcome = "2:4: found the end of the line, expected the number of entries"},
    {68, "complex with one part", TEXT(BANNER "complex general\n1 1 1\n1 1 1\n"),
     .status = FUR_MALFORMED,
     .outcome = "3:6: found the end of the line, expected a number (after 0 of 1 entries)"},
    {68, "value that the named type cannot hold",
     TEXT(INTEGER "%%GraphBLAS type int8_t\n1 1 1\n1 1 300\n"), .outcome = "300"},
};

START_TEST(input_has_its_outcome)
{
    check_case(&cases[_i]);
}
END_TEST

#ifdef FURROW_HAVE_GZIP
START_TEST(inputs_are_complete_and_in_order)
{
    int number = 0;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        ck_assert(cases[i].number == number || cases[i].number == number + 1);
        number = cases[i].number;
    }
    ck_assert_int_eq(number, 68);
}
END_TEST
#endif

/* Prints random digits. Many are zero, so that there are leading zeros, trailing zeros and only
 * zeros. */
static void print_digits(rng *r, int count, FILE *out)
{
    int64_t zeros = rng_below(r, 4);
    for (int i = 0; i < count; i++)
        fputc(rng_below(r, 4) < zeros ? '0' : (int)('0' + rng_below(r, 10)), out);
}

/* Prints a random number in one of the forms that Matrix Market and C share. */
static void print_number(rng *r, FILE *out)
{
    int whole = (int)rng_below(r, rng_below(r, 4) ? 12 : 80);
    int fraction = (int)rng_below(r, rng_below(r, 4) ? 12 : 80);
    fputs(rng_below(r, 2) ? "-" : "", out);
    print_digits(r, whole, out);
    fputs(fraction > 0 || rng_below(r, 2) ? "." : "", out);
    print_digits(r, whole + fraction > 0 ? fraction : 1, out);
    if (rng_below(r, 3) == 0)
        fprintf(out, "e%+d", (int)rng_below(r, rng_below(r, 2) ? 20 : 400) - 10);
}

#define NUMBERS 2000

/* Writes a row of numbers, and returns in the arrays what the C library reads. */
static void write_numbers(rng *r, double *doubles, float *floats)
{
    FILE *out = fopen(CASE_FILE, "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out, REAL "1 %d %d\n", NUMBERS, NUMBERS);
    for (int k = 0; k < NUMBERS; k++) {
        char number[400] = "";
        FILE *text = fmemopen(number, sizeof number, "w");
        print_number(r, text);
        fclose(text);
        doubles[k] = strtod(number, NULL);
        floats[k] = strtof(number, NULL);
        fprintf(out, "1 %d %s\n", k + 1, number);
    }
    ck_assert_int_eq(fclose(out), 0);
}

static void check_numbers(fur_context *context, fur_value_type value, const void *expected,
                          int round)
{
    const fur_mtx_read_options options = {.size = sizeof options, .convert = fur_mtx_as(value)};
    fur_csr *matrix = NULL;
    ck_ok(context, fur_mtx_read_csr(context, CASE_FILE, &options, &matrix));
    int64_t k = first_difference(value, NUMBERS, fur_csr_get(matrix)->values, expected);
    ck_assert_msg(k < 0, "round %d, %s: line %lld", round, fur_value_name(value), (long long)k + 3);
    fur_csr_destroy(matrix);
}

START_TEST(numbers_are_those_of_the_c_library)
{
    static double doubles[NUMBERS];
    static float floats[NUMBERS];
    rng r = rng_stream(1);
    fur_context *context = context_make(isa_name(_i), 1);
    for (int round = 0; round < (TEST_SLOW ? 5 : 50); round++) {
        write_numbers(&r, doubles, floats);
        check_numbers(context, FUR_F64, doubles, round);
        check_numbers(context, FUR_F32, floats, round);
    }
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, scratch_empty);
    tcase_add_loop_test(tests, input_has_its_outcome, 0, COUNT_OF(cases));
    int levels = 0;
    while (isa_name(levels))
        levels++;
    tcase_add_loop_test(tests, numbers_are_those_of_the_c_library, 0, levels);
#ifdef FURROW_HAVE_GZIP
    tcase_add_test(tests, inputs_are_complete_and_in_order);
#endif
}

int main(void)
{
    return scratch_run("mtx_inputs", add);
}
