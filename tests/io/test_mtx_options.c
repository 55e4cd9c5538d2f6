/* Tests of the options of reading: policies, warnings, progress and cancelling. Also tests what
 * holds for all options: memory is bounded, nothing leaks, pipes are read like files. */
#include "text_case.h"

#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define BANNER "%%MatrixMarket matrix coordinate "
#define REAL BANNER "real general\n"
#define INTEGER BANNER "integer general\n"
#define PATTERN BANNER "pattern general\n"
#define COMPLEX BANNER "complex general\n"
#define INTO_F32 .convert = FUR_MTX_AS_F32

static const text_case policies[] = {
    {0, "member of a single file", TEXT(REAL "1 1 1\n1 1 1\n"), .options = {.member = "b"},
     .status = FUR_IO_ERROR,
     .outcome = " found a single file, expected an archive with NAME/NAME_b.mtx"},
    {0, "duplicates behind a dropped zero", TEXT(REAL "1 1 3\n1 1 0\n1 1 5\n1 1 6\n"),
     .options = {.drop_zeros = 1, .duplicates = FUR_DUPLICATES_ERROR}, .status = FUR_INVALID,
     .outcome = "5:1: found an entry at the same position as in line 4, expected each position "
                "once"},
    {0, "mirrored, skew-symmetric", TEXT(BANNER "real skew-symmetric\n2 2 2\n2 1 5\n1 2 7\n"),
     .options = {.mirrored = FUR_MTX_MIRRORED_LOWER}, .outcome = ". -5; 5 ."},
    {0, "mirrored, hermitian", TEXT(BANNER "complex hermitian\n2 2 2\n1 2 5 1\n2 1 7 2\n"),
     .options = {.mirrored = FUR_MTX_MIRRORED_LOWER}, .outcome = ". 7,-2; 7,2 ."},
    {0, "mirrored, triangle kept", TEXT(BANNER "real symmetric\n2 2 3\n1 2 5\n2 1 6\n1 1 1\n"),
     .options = {.mirrored = FUR_MTX_MIRRORED_LOWER, .keep_triangle = 1}, .outcome = "1 .; 6 ."},
    {0, "mirrored, triangle kept, refused",
     TEXT(BANNER "real symmetric\n2 2 3\n1 2 5\n2 1 6\n1 1 1\n"), .options = {.keep_triangle = 1},
     .status = FUR_MALFORMED,
     .outcome =
         "4:1: found entry (2, 1) and its mirror image in line 3, expected only one of both in a "
         "symmetric file; the option mirrored=lower reads the entry below the diagonal"},
    {0, "mirrored, the lower ones added up",
     TEXT(BANNER "real symmetric\n2 2 4\n2 1 1\n1 2 5\n2 1 2\n1 2 6\n"),
     .options = {.mirrored = FUR_MTX_MIRRORED_LOWER}, .outcome = ". 3; 3 ."},
    {0, "mirrored, the upper one zero and dropped",
     TEXT(BANNER "real symmetric\n2 2 2\n2 1 1\n1 2 0\n"), .options = {.drop_zeros = 1},
     .outcome = ". 1; 1 ."},
    {0, "upper ones alone are added up", TEXT(BANNER "real symmetric\n2 2 2\n1 2 5\n1 2 6\n"),
     .options = {.mirrored = FUR_MTX_MIRRORED_LOWER}, .outcome = ". 11; 11 ."},
    {0, "zeros of either sign and kind dropped",
     TEXT(COMPLEX "1 4 4\n1 1 0 -0.0\n1 2 0 1\n1 3 1 0\n1 4 -0 0\n"), .options = {.drop_zeros = 1},
     .outcome = ". 0,1 1,0 ."},
    {0, "numbers that round to zero dropped", TEXT(REAL "1 2 2\n1 1 1e-60\n1 2 1\n"),
     .options = {.drop_zeros = 1, INTO_F32}, .outcome = ". 1"},
    {0, "zeros of an array dropped",
     TEXT("%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n4\n"),
     .options = {.drop_zeros = 1}, .outcome = "1 .; . 4"},
    {0, "zeros of an array kept",
     TEXT("%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n4\n"), .outcome = "1 0; 0 4"},
    {0, "zeros dropped before they are added up", TEXT(REAL "1 1 2\n1 1 1\n1 1 0\n"),
     .options = {.drop_zeros = 1, .duplicates = FUR_DUPLICATES_LAST}, .outcome = "1"},
    {0, "a pattern has no zeros", TEXT(PATTERN "1 1 1\n1 1\n"), .options = {.drop_zeros = 1},
     .outcome = "1"},
    {0, "values of a pattern passed over", TEXT(PATTERN "1 2 2\n1 1 7\n1 2 8 9\n"),
     .options = {.allow_trailing = 1}, .outcome = "1 1",
     .warnings = "3:5: found '7', text after an entry, which was ignored (and 1 more like it)\n"},
    {0, "blanks are no text", TEXT(REAL "1 1 1\n1 1 7 \t\r\n"), .options = {.allow_trailing = 1},
     .outcome = "7"},
    {0, "text glued to a number", TEXT(REAL "1 1 1\n1 1 7%\n"), .options = {.allow_trailing = 1},
     .status = FUR_MALFORMED,
     .outcome = "3:5: found '7%', expected a number (after 0 of 1 entries)"},
    {0, "infinite imaginary part refused", TEXT(COMPLEX "1 1 1\n1 1 0 inf\n"),
     .options = {.refuse_nonfinite = 1}, .status = FUR_MALFORMED,
     .outcome = "3:7: found 'inf', expected a finite number (after 0 of 1 entries)"},
    {0, "infinite integer refused", TEXT(INTEGER "1 1 1\n1 1 -inf\n"),
     .options = {.refuse_nonfinite = 1}, .status = FUR_MALFORMED,
     .outcome = "3:5: found '-inf', expected a finite number (after 0 of 1 entries)"},
    {0, "a range is no matter of infinity", TEXT(REAL "1 1 1\n1 1 inf\n"),
     .options = {.refuse_range = 1}, .outcome = "inf"},
    {0, "infinity is no matter of range", TEXT(REAL "1 1 1\n1 1 1e400\n"),
     .options = {.refuse_nonfinite = 1}, .outcome = "inf",
     .warnings = "3:5: found '1e400', which is out of the range of f64 and became infinite\n"},
    {0, "range of f32", TEXT(REAL "1 3 3\n1 1 -1e39\n1 2 1e-50\n1 3 3.4028235e38\n"),
     .options = {INTO_F32}, .outcome = "-inf 0 3.4028234663852886e+38",
     .warnings = "3:5: found '-1e39', which is out of the range of f32 and became infinite\n"},
    {0, "range of f32, too large", TEXT(REAL "1 1 1\n1 1 -1e39\n"),
     .options = {INTO_F32, .refuse_range = 1}, .status = FUR_MALFORMED,
     .outcome = "3:5: found '-1e39', expected a number in the range of f32 (after 0 of 1 entries)"},
    {0, "range of f32, too small", TEXT(REAL "1 1 1\n1 1 1e-50\n"),
     .options = {INTO_F32, .refuse_range = 1}, .status = FUR_MALFORMED,
     .outcome = "3:5: found '1e-50', expected a number in the range of f32 (after 0 of 1 entries)"},
    {0, "zero is in every range", TEXT(REAL "1 1 1\n1 1 0e-999\n"), .options = {.refuse_range = 1},
     .outcome = "0"},
    {0, "infinite imaginary part", TEXT(COMPLEX "1 1 1\n1 1 2 1e400\n"), .outcome = "2,inf",
     .warnings = "3:5: found '2 1e400', which is out of the range of f64 and became infinite\n"},
    {0, "2^24 + 1 as f32", TEXT(INTEGER "1 3 3\n1 1 16777216\n1 2 16777217\n1 3 33554432\n"),
     .options = {INTO_F32}, .outcome = "16777216 16777216 33554432",
     .warnings = "4:5: found '16777217', which f32 cannot hold exactly and which was rounded\n"},
    {0, "2^24 + 1 as f64", TEXT(INTEGER "1 1 1\n1 1 16777217\n"), .outcome = "16777217"},
    {0, "2^53 - 1 and 2^53", TEXT(INTEGER "1 2 2\n1 1 -9007199254740991\n1 2 9007199254740992\n"),
     .outcome = "-9007199254740991 9007199254740992"},
    {0, "2^64 + 1 in 20 digits", TEXT(INTEGER "1 1 1\n1 1 18446744073709551617\n"),
     .outcome = "1.8446744073709552e+19",
     .warnings = "3:5: found '18446744073709551617', which f64 cannot hold exactly and which was "
                 "rounded\n"},
    {0, "2^64, 10^20 and zeros before 2^65",
     TEXT(INTEGER "1 3 3\n1 1 18446744073709551616\n"
                  "1 2 -100000000000000000000\n1 3 0036893488147419103232\n"),
     .outcome = "1.8446744073709552e+19 -1e+20 3.6893488147419103e+19"},
    {0, "10^20 as f32", TEXT(INTEGER "1 1 1\n1 1 100000000000000000000\n"), .options = {INTO_F32},
     .outcome = "1.0000000200408773e+20",
     .warnings = "3:5: found '100000000000000000000', which f32 cannot hold exactly and which was "
                 "rounded\n"},
    {0, "2^64", TEXT(REAL "1 2 2\n1 1 18446744073709551616\n1 2 -36893488147419103232.5\n"),
     .outcome = "1.8446744073709552e+19 -3.6893488147419103e+19"},
    {0, "10^64, a multiple of 2^64", TEXT(REAL "1 2 2\n1 1 1~\n1 2 1~e-64\n"), .fill = "0",
     .times = 64, .outcome = "1e+64 1"},
    {0, "many zeros before a number", TEXT(REAL "1 2 2\n1 1 ~7\n1 2 ~.5\n"), .fill = "0",
     .times = 64, .outcome = "7 0.5"},
    {0, "2^53 + 1 twice", TEXT(INTEGER "1 2 2\n1 1 -9007199254740993\n1 2 9007199254740993\n"),
     .outcome = "-9007199254740992 9007199254740992",
     .warnings = "3:5: found '-9007199254740993', which f64 cannot hold exactly and which was "
                 "rounded (and 1 more like it)\n"},
    {0, "real numbers may be rounded", TEXT(REAL "1 1 1\n1 1 9007199254740993\n"),
     .outcome = "9007199254740992"},
    {0, "a word of other programs for the field",
     TEXT("%%MatrixMarket matrix coordinate float general\n1 1 1\n1 1 2.5\n"), .outcome = "2.5"},
    {0, "a blank in the banner", TEXT("%% MatrixMarket matrix array real general\n1 1\n7\n"),
     .outcome = "7",
     .warnings = "1:1: found '%% MatrixMarket', expected the banner '%%MatrixMarket' at the "
                 "beginning of the line; read as if this were correct\n"},
    {0, "a blank behind one sign", TEXT("\t%\tMATRIXMARKET matrix array real general\n1 1\n7\n"),
     .outcome = "7",
     .warnings = "1:2: found '%\\x09MATRIXMARKET', expected the banner '%%MatrixMarket' at the "
                 "beginning of the line; read as if this were correct\n"},
    {0, "a blank in the banner refused",
     TEXT("%% MatrixMarket matrix array real general\n1 1\n7\n"), .options = {.refuse_dialects = 1},
     .status = FUR_MALFORMED,
     .outcome = "1:1: found '%% MatrixMarket', expected the banner '%%MatrixMarket' at the "
                "beginning of the line"},
    {0, "rows of an array", TEXT("%%MatrixMarket matrix array real general\n2 3\n1 2 3\n4 5 6\n"),
     .outcome = "1 3 5; 2 4 6",
     .warnings = "3:3: found '2', after another number in its line; an array is read column by "
                 "column (and 3 more like it)\n"},
    {0, "rows of a complex array",
     TEXT("%%MatrixMarket matrix array complex general\n2 2\n1 0 2 0\n3 0\n4 0\n"),
     .outcome = "1,0 3,0; 2,0 4,0",
     .warnings =
         "3:5: found '2 0', after another number in its line; an array is read column by column\n"},
    {0, "an array of one row or column in a line",
     TEXT("%%MatrixMarket matrix array real general\n1 3\n1 2 3\n"), .outcome = "1 2 3"},
    {0, "a vector in a line", TEXT("%%MatrixMarket matrix array real general\n3 1\n1 2 3\n"),
     .outcome = "1; 2; 3"},
    {0, "AMGX's file of entries alone",
     TEXT("%%MatrixMarket matrix coordinate real general\n%%AMGX 1 1 sorted\n1 1 1\n1 1 2\n"),
     .outcome = "2"},
    {0, "2^31 columns", TEXT(REAL "1 2147483648 1\n1 1 1\n"), .status = FUR_OVERFLOW,
     .outcome = "2:1: found a matrix of 1 x 2147483648, expected at most 2147483647 rows and "
                "columns"},
    {0, "2^31 rows", TEXT(REAL "2147483648 1 1\n1 1 1\n"), .status = FUR_OVERFLOW,
     .outcome = "2:1: found a matrix of 2147483648 x 1, expected at most 2147483647 rows and "
                "columns"},
};

START_TEST(policy_is_followed)
{
    check_case(&policies[_i]);
}
END_TEST

/* A text in allocated memory, which the caller frees. */
typedef struct text {
    char *bytes;
    size_t size;
} text;

/* The first warning of a kind, and the number of such warnings. */
typedef struct expected_warning {
    int count;
    char first[200];
} expected_warning;

static void expect(expected_warning *w, int line, int column, const char *found)
{
    if (w->count++ == 0)
        snprintf(w->first, sizeof w->first, "%d:%d: found '%s', ", line, column, found);
}

static void print_expected(const expected_warning *w, const char *what, FILE *out)
{
    fprintf(out, "%s%s", w->first, what);
    if (w->count > 1)
        fprintf(out, " (and %d more like it)", w->count - 1);
    fputc('\n', out);
}

/* The warnings expected, by kind. */
typedef struct expected_warnings {
    expected_warning inexact;
    expected_warning infinite;
    expected_warning trailing;
} expected_warnings;

/* Prints the number of entry k and the text after it. Either may cause a warning, which is
 * counted. */
static void print_odd_number(rng *r, int k, expected_warnings *w, FILE *out)
{
    char number[20];
    int line = k + 3, column = 5, kind = (int)rng_below(r, 9);
    snprintf(number, sizeof number, "%lld", kind == 0 ? (1LL << 53) + 1 + 2 * k : k);
    if (kind == 0)
        expect(&w->inexact, line, column, number);
    if (kind == 1) {
        expect(&w->infinite, line, column, "7000000000000000000000000000000000000000...");
        fprintf(out, "7%0400d\n", 0);
        return;
    }
    if (kind == 2)
        expect(&w->trailing, line, column + (int)strlen(number) + 1, "x");
    fprintf(out, "%s%s\n", number, kind == 2 ? " x y" : "");
}

/* Makes a file in which some entries are inexact, infinite or followed by text. *warnings becomes
 * the expected warnings. */
static text make_odd_text(rng *r, int entries, text *warnings)
{
    expected_warnings w = {0};
    text t;
    FILE *out = open_memstream(&t.bytes, &t.size);
    fprintf(out, "%%MatrixMarket matrix coordinate integer general\n9 9 %d\n", entries);
    for (int k = 0; k < entries; k++) {
        fprintf(out, "%d %d ", k % 9 + 1, k / 9 % 9 + 1);
        print_odd_number(r, k, &w, out);
    }
    fclose(out);
    out = open_memstream(&warnings->bytes, &warnings->size);
    fputs("1:1: found '%MatrixMarket', expected the banner '%%MatrixMarket' at the beginning of "
          "the line; read as if this were correct\n",
          out);
    print_expected(&w.inexact, "which f64 cannot hold exactly and which was rounded", out);
    print_expected(&w.infinite, "which is out of the range of f64 and became infinite", out);
    print_expected(&w.trailing, "text after an entry, which was ignored", out);
    fclose(out);
    return t;
}

START_TEST(warnings_do_not_depend_on_threads)
{
    static const size_t blocks[] = {0, 1, 50};
    rng r = rng_stream(1);
    text expected, t = make_odd_text(&r, 400, &expected);
    scratch_write_bytes(CASE_FILE, t.bytes, t.size);
    for (int threads = 1; threads <= 5; threads++)
        for (int i = 0; i < COUNT_OF(blocks); i++) {
            char warnings[WARNINGS_ROOM] = "";
            fur_context *context = context_make(NULL, threads);
            fur_mtx_read_options options = {.size = sizeof options,
                                            .allow_trailing = 1,
                                            .warn = append_warning,
                                            .user = warnings};
            fur_csr *matrix = NULL;
            ck_ok(context, read_blocks(context, CASE_FILE, blocks[i], &options, &matrix));
            ck_assert_str_eq(warnings, expected.bytes);
            fur_csr_destroy(matrix);
            fur_context_destroy(context);
        }
    free(t.bytes);
    free(expected.bytes);
}
END_TEST

/* If a file is refused, its sentence is reported and no warning is given. */
START_TEST(nothing_is_said_about_a_file_that_is_refused)
{
    char warnings[WARNINGS_ROOM] = "";
    fur_context *context = context_make(NULL, 1);
    fur_mtx_read_options options = {
        .size = sizeof options, .warn = append_warning, .user = warnings};
    fur_csr *matrix = NULL;
    scratch_write(CASE_FILE, REAL "1 1 2\n1 1 1e400\n1 1 x\n");
    ck_fails(context, FUR_MALFORMED,
             CASE_FILE ":4:5: found 'x', expected a number (after 1 of 2 entries)",
             fur_mtx_read_csr(context, CASE_FILE, &options, &matrix));
    ck_assert_str_eq(warnings, "");
    fur_context_destroy(context);
}
END_TEST

START_TEST(type_of_graphblas_is_in_the_header)
{
    static const struct {
        const char *line;
        const char *type;
    } lines[] = {{"%%GraphBLAS type uint8_t", "uint8_t"},
                 {"%%graphblas  TYPE\tdouble \r", "double"},
                 {"%%GraphBLAS type", ""},
                 {"%%GraphBLAS uint8_t", ""},
                 {"% GraphBLAS type bool", ""},
                 {"%%GraphBLAS type a_type_with_a_name_of_more_than_23_characters",
                  "a_type_with_a_name_of_m"}};
    fur_context *context = context_make(NULL, 1);
    for (int i = 0; i < COUNT_OF(lines); i++) {
        char file[256];
        fur_mtx_header header = FUR_DEFAULT(fur_mtx_header), from_options = header;
        fur_mtx_read_options options = {.size = sizeof options, .header = &from_options};
        fur_csr *matrix = NULL;
        snprintf(file, sizeof file, INTEGER "%s\n1 1 1\n1 1 1\n", lines[i].line);
        scratch_write(CASE_FILE, file);
        ck_ok(context, fur_mtx_read_header(context, CASE_FILE, &header));
        ck_assert_str_eq(header.graphblas_type, lines[i].type);
        ck_ok(context, fur_mtx_read_csr(context, CASE_FILE, &options, &matrix));
        ck_assert_str_eq(from_options.graphblas_type, lines[i].type);
        fur_csr_destroy(matrix);
    }
    fur_context_destroy(context);
}
END_TEST

/* Orders of the entries of a file. For some orders the reader stores entries directly in their
 * place. */
typedef enum order { ROWS_RISE, COLUMNS_RISE, IN_NO_ORDER, SYMMETRIC } order;
#define ORDERS 4

/* Writes a matrix with `length` entries in each of `lines` rows or columns. Distances from the
 * diagonal differ, so no position repeats. */
static void write_matrix(FILE *out, order o, int lines, int length)
{
    fprintf(out, BANNER "real %s\n%d %d %d\n", o == SYMMETRIC ? "symmetric" : "general",
            lines + length, lines + length, lines * length);
    for (int line = 0; line < lines; line++)
        for (int k = 0; k < length; k++) {
            int from = o == IN_NO_ORDER ? (int)((int64_t)line * 7919 % lines) : line;
            int to = from + k;
            fprintf(out, "%d %d 0.%d\n", (o == ROWS_RISE ? from : to) + 1,
                    (o == ROWS_RISE ? to : from) + 1, 100000000 + line + k);
        }
}

static text make_matrix_text(order o, int lines, int length)
{
    text t;
    FILE *out = open_memstream(&t.bytes, &t.size);
    write_matrix(out, o, lines, length);
    fclose(out);
    return t;
}

static int64_t write_matrix_file(order o, int lines, int length)
{
    FILE *out = fopen(CASE_FILE, "w");
    write_matrix(out, o, lines, length);
    int64_t size = ftell(out);
    fclose(out);
    return size;
}

/* A record of the calls of progress. */
typedef struct progress_log {
    pthread_t caller;
    int calls;
    int cancel_at; /* 0: never */
    int64_t done;
    int64_t total;
} progress_log;

static int record_progress(void *user, int64_t done, int64_t total)
{
    progress_log *log = user;
    ck_assert(pthread_equal(pthread_self(), log->caller));
    ck_assert_int_ge(done, log->done);
    ck_assert(total < 0 || done <= total);
    log->done = done;
    log->total = total;
    return ++log->calls == log->cancel_at;
}

static fur_mtx_read_options logged(progress_log *log)
{
    return (fur_mtx_read_options){
        .size = sizeof(fur_mtx_read_options), .progress = record_progress, .user = log};
}

START_TEST(progress_is_told_by_the_calling_thread)
{
    static const size_t blocks[] = {0, 1, 50};
    int64_t size = write_matrix_file((order)_i, 100, 3);
    for (int threads = 1; threads <= 4; threads++)
        for (int i = 0; i < COUNT_OF(blocks); i++) {
            fur_context *context = context_make(NULL, threads);
            progress_log log = {.caller = pthread_self()};
            fur_mtx_read_options options = logged(&log);
            fur_csr *matrix = NULL;
            ck_ok(context, read_blocks(context, CASE_FILE, blocks[i], &options, &matrix));
            ck_assert_int_ge(log.calls, 1);
            ck_assert_int_eq(log.done, size);
            ck_assert_int_eq(log.total, size);
            fur_csr_destroy(matrix);
            fur_context_destroy(context);
        }
}
END_TEST

/* Cancels reading at call n of progress. Returns false if there were fewer calls. */
static bool cancel_at(fur_context *context, int n)
{
    progress_log log = {.caller = pthread_self(), .cancel_at = n};
    fur_mtx_read_options options = logged(&log);
    fur_csr *matrix = NULL;
    fur_status status = read_blocks(context, CASE_FILE, 50, &options, &matrix);
    fur_csr_destroy(matrix);
    ck_assert_int_eq(status, log.calls >= n ? FUR_CANCELLED : FUR_OK);
    ck_assert((matrix != NULL) == (status == FUR_OK));
    if (status == FUR_OK)
        return false;
    long long bytes = -1;
    int length = 0;
    ck_assert_int_eq(sscanf(fur_context_error(context),
                            CASE_FILE ": reading was cancelled after %lld bytes%n", &bytes,
                            &length),
                     1);
    ck_assert_int_eq(fur_context_error(context)[length], '\0');
    ck_assert_int_ge(bytes, log.done);
    ck_assert_int_le(bytes, log.total);
    return true;
}

START_TEST(reading_is_cancelled_at_every_call)
{
    write_matrix_file((order)_i, 50, 3);
    for (int threads = 1; threads <= 4; threads += 3) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, threads);
        int64_t before = m.outstanding;
        int n = 1;
        while (cancel_at(context, n)) {
            ck_assert_int_eq(m.outstanding, before);
            n++;
        }
        ck_assert_int_gt(n, 1);
        ck_assert_int_eq(m.outstanding, before);
        fur_context_destroy(context);
    }
}
END_TEST

/* Writes numbers of all lengths. Several share each position, so that the reader adds them. */
static void write_hard_sums(rng *r)
{
    FILE *out = fopen(CASE_FILE, "w");
    fprintf(out, REAL "300 300 6000\n");
    for (int i = 0; i < 6000; i++) {
        int row = (int)rng_below(r, 300) + 1, digits = (int)rng_below(r, 30);
        fprintf(out, "%d %d %.*e\n", row, i % 5 + 1, digits, rng_unit(r) - 0.5);
    }
    fclose(out);
}

START_TEST(the_callers_rounding_mode_does_not_show)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    rng r = rng_stream((uint64_t)_i);
    const fur_mtx_read_options options = {.size = sizeof options,
                                          .convert = fur_mtx_as((fur_value_type)_i)};
    fur_csr *expected = NULL;
    fur_context *plain = context_make(NULL, 1);
    write_hard_sums(&r);
    ck_ok(plain, fur_mtx_read_csr(plain, CASE_FILE, &options, &expected));
    for (int mode = 0; mode < COUNT_OF(modes); mode++)
        for (int threads = 1; threads <= 4; threads += 3) {
            fur_csr *matrix = NULL;
            fur_context *context = context_make(NULL, threads);
            fesetround(modes[mode]);
            fur_status status = read_blocks(context, CASE_FILE, 1000, &options, &matrix);
            ck_assert_int_eq(fegetround(), modes[mode]);
            fesetround(FE_TONEAREST);
            ck_ok(context, status);
            const fur_csr_view found = *fur_csr_get(matrix), wanted = *fur_csr_get(expected);
            ck_assert_int_eq(found.entries, wanted.entries);
            ck_assert_mem_eq(found.values, wanted.values,
                             (size_t)found.entries * fur_value_size(found.value_type));
            fur_csr_destroy(matrix);
            fur_context_destroy(context);
        }
    fur_csr_destroy(expected);
    fur_context_destroy(plain);
}
END_TEST

/* If any allocation fails, reading with several threads fails and releases its memory. */
START_TEST(threads_survive_every_lack_of_memory)
{
    write_matrix_file((order)_i, 50, 3);
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 4);
    int64_t before = m.outstanding, n = 0;
    do {
        m.calls = 0;
        m.fail_at = ++n;
        fur_csr *matrix = NULL;
        fur_status status = read_blocks(context, CASE_FILE, 50, NULL, &matrix);
        ck_assert_int_eq(status, m.calls >= n ? FUR_OUT_OF_MEMORY : FUR_OK);
        ck_assert((matrix != NULL) == (status == FUR_OK));
        fur_csr_destroy(matrix);
        ck_assert_int_eq(m.outstanding, before);
    } while (m.calls >= n);
    ck_assert_int_gt(n, 10);
    fur_context_destroy(context);
}
END_TEST

/* Starts a process that writes the bytes to a pipe: to `end`, or to the file `path` unless it is
 * NULL. */
static pid_t start_writer(int end, const char *path, const text *t)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child > 0)
        return child;
    if (path)
        end = open(path, O_WRONLY);
    size_t at = 0;
    for (ssize_t got = 1; got > 0 && at<t->size; at += got> 0 ? (size_t)got : 0)
        got = write(end, t->bytes + at, t->size - at);
    _exit(0);
}

/* Replaces standard input by a pipe into which a process writes the bytes. */
static pid_t feed_standard_input(const text *t)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t writer = start_writer(ends[1], NULL, t);
    close(ends[1]);
    return writer;
}

static void check_same(const fur_csr *matrix, const fur_csr *expected)
{
    int equal = 0;
    ck_ok(fur_csr_context(expected), fur_csr_compare(matrix, expected, &equal));
    ck_assert_int_eq(equal, 1);
}

/* Reads the text from its file, from a named pipe and from standard input. Checks that all
 * agree. */
static void read_streams(order o, int threads, size_t block)
{
    text t = make_matrix_text(o, 500, 5);
    scratch_write_bytes(CASE_FILE, t.bytes, t.size);
    fur_context *context = context_make(NULL, threads);
    fur_csr *expected = NULL;
    ck_ok(context, fur_mtx_read_csr(context, CASE_FILE, NULL, &expected));
    for (int named = 0; named <= 1; named++) {
        progress_log log = {.caller = pthread_self()};
        fur_mtx_read_options options = logged(&log);
        fur_csr *matrix = NULL;
        if (named)
            ck_assert_int_eq(mkfifo("pipe", 0600), 0);
        pid_t writer = named ? start_writer(-1, "pipe", &t) : feed_standard_input(&t);
        ck_ok(context, read_blocks(context, named ? "pipe" : "-", block, &options, &matrix));
        ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
        ck_assert_int_eq(log.total, -1);
        ck_assert_int_eq(log.done, (int64_t)t.size);
        check_same(matrix, expected);
        fur_csr_destroy(matrix);
    }
    unlink("pipe");
    fur_csr_destroy(expected);
    fur_context_destroy(context);
    free(t.bytes);
}

START_TEST(pipes_are_read_like_files)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        read_streams((order)_i, threads, 0);
        read_streams((order)_i, threads, 50);
    }
}
END_TEST

START_TEST(standard_input_may_be_a_file)
{
    write_matrix_file(ROWS_RISE, 10, 2);
    fur_context *context = context_make(NULL, 1);
    fur_csr *expected = NULL, *matrix = NULL;
    ck_ok(context, fur_mtx_read_csr(context, CASE_FILE, NULL, &expected));
    int descriptor = open(CASE_FILE, O_RDONLY);
    ck_assert_int_eq(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
    ck_ok(context, fur_mtx_read_csr(context, "-", NULL, &matrix));
    check_same(matrix, expected);
    close(descriptor);
    fur_csr_destroy(expected);
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
}
END_TEST

/* Counts of an allocator: the bytes allocated now, and the most at any time. */
typedef struct meter {
    int64_t bytes;
    int64_t most;
} meter;

static void *metered_allocate(void *user, size_t bytes)
{
    meter *m = user;
    size_t rounded = (bytes + 63) / 64 * 64;
    char *data = aligned_alloc(64, rounded + 64);
    if (!data)
        return NULL;
    memcpy(data, &rounded, sizeof rounded);
    m->bytes += (int64_t)rounded;
    m->most = m->bytes > m->most ? m->bytes : m->most;
    return data + 64;
}

static void metered_release(void *user, void *data)
{
    meter *m = user;
    size_t rounded;
    memcpy(&rounded, (char *)data - 64, sizeof rounded);
    m->bytes -= (int64_t)rounded;
    free((char *)data - 64);
}

#ifdef FURROW_HAVE_GZIP
/* A gzip file: the header of a 2e9 x 2e9 pattern with 1e12 entries, then 100000 blank lines. */
static const unsigned char blank_lines[191] = {
    0x1f, 0x8b, 0x08, 0,    0,    0,    0,    0,    0x02, 0x03, 0xed, 0xc7, 0x31, 0x0a,
    0xc2, 0x40, 0x10, 0x40, 0xd1, 0x3e, 0xa7, 0xd8, 0x26, 0x7d, 0xf4, 0x1e, 0x39, 0xc4,
    0xa0, 0x83, 0x04, 0x75, 0x23, 0xc3, 0x16, 0x1e, 0x5f, 0x10, 0x84, 0x1c, 0xc1, 0xe2,
    0xbd, 0xea, 0xff, 0x79, 0x5e, 0x63, 0xd4, 0xf6, 0x5e, 0xa3, 0xee, 0x39, 0xda, 0xf3,
    0x3b, 0xed, 0xb2, 0xef, 0x75, 0xdd, 0x7a, 0x8c, 0x6c, 0xaf, 0x18, 0x23, 0xab, 0xb7,
    0x5b, 0xf6, 0xac, 0x78, 0x4c, 0xe7, 0xe5, 0xa7, 0x1d, 0xf2, 0xb4, 0x1c, 0x4c, [179] = 0xc0,
    0xff, 0xfa, 0,    0xab, 0x79, 0x3b, 0x71, 0xf5, 0x86, 0x01, 0};
#endif

/* Checks that standard input is refused. Returns the most memory that was allocated. */
static int64_t refuse_standard_input(int threads, const text *t, fur_status expected,
                                     const char *sentence)
{
    meter m = {0};
    fur_context *context = NULL;
    const fur_context_options options = {.size = sizeof options,
                                         .threads = threads,
                                         .allocator = {metered_allocate, metered_release, &m}};
    ck_ok(NULL, fur_context_create(&options, &context));
    fur_csr *matrix = NULL;
    pid_t writer = feed_standard_input(t);
    ck_fails(context, expected, sentence, fur_mtx_read_csr(context, "-", NULL, &matrix));
    ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
    fur_context_destroy(context);
    ck_assert_int_eq(m.bytes, 0);
    return m.most;
}

#define LITERAL(bytes)                                                                             \
    {                                                                                              \
        (char *)(bytes), sizeof(bytes) - 1                                                         \
    }

/* Streams whose header promises more entries than follow. The reader notices at the end of the
 * stream. */
static const struct {
    text stream;
    fur_status status;
    const char *sentence;
} liars[] = {
    {LITERAL(REAL "2000000000 2000000000 1\n1 1 1\n"), FUR_OVERFLOW,
     "standard input:2:1: found a matrix of 2000000000 x 2000000000 in a file of 76 bytes, "
     "expected at most 4194304 rows and columns together; if the file is correct, raise the limit "
     "'shape'"},
    {LITERAL(REAL "9 9 1000000000000\n1 1 1\n"), FUR_MALFORMED,
     "standard input:4:1: found the end of the file after 1 of 1000000000000 entries"},
    {LITERAL(BANNER "real symmetric\n9 9 1000000000000\n1 1 1\n"), FUR_MALFORMED,
     "standard input:4:1: found the end of the file after 1 of 1000000000000 entries"},
    {LITERAL("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n"), FUR_MALFORMED,
     "standard input:4:1: found the end of the file after 1 of 4000000000000000000 entries"},
#ifdef FURROW_HAVE_GZIP
    {{(char *)blank_lines, sizeof blank_lines},
     FUR_MALFORMED,
     "standard input:100003:1: found the end of the file after 0 of 1000000000000 entries"},
#endif
};

START_TEST(promises_of_a_stream_cost_no_memory)
{
    for (int threads = 1; threads <= 2; threads++)
        ck_assert_int_le(
            refuse_standard_input(threads, &liars[_i].stream, liars[_i].status, liars[_i].sentence),
            8 << 20);
}
END_TEST

/* In a stream, conflicting entries are reported by position, not by line: the reader cannot read
 * the stream again. */
START_TEST(conflicts_in_a_stream_are_told_by_position)
{
    static const text symmetric = LITERAL(BANNER "real symmetric\n3 3 2\n3 1 1\n1 3 2\n");
    static const text repeated = LITERAL(REAL "3 3 2\n3 1 1\n3 1 2\n");
    fur_context *context = context_make(NULL, 1);
    fur_mtx_read_options options = {.size = sizeof options, .duplicates = FUR_DUPLICATES_ERROR};
    fur_csr *matrix = NULL;
    pid_t writer = feed_standard_input(&symmetric);
    ck_fails(context, FUR_MALFORMED,
             "standard input: found entry (1, 3) twice, on both sides of the diagonal, expected "
             "each position once; the option mirrored=lower reads the entry below",
             fur_mtx_read_csr(context, "-", NULL, &matrix));
    ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
    writer = feed_standard_input(&repeated);
    ck_fails(context, FUR_INVALID,
             "standard input: found entry (3, 1) twice, expected each position once",
             fur_mtx_read_csr(context, "-", &options, &matrix));
    ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
    fur_context_destroy(context);
}
END_TEST

/* Reading takes little more memory than the matrix. The test measures the peak of the process,
 * which is small at the beginning. */
START_TEST(memory_is_near_to_that_of_the_matrix)
{
    if (TEST_SLOW) {
        printf("SKIPPED memory_is_near_to_that_of_the_matrix: a sanitizer needs its own\n");
        return;
    }
    write_matrix_file((order)_i, 100000, 13);
    fur_context *context = context_make(NULL, 2);
    fur_csr *matrix = NULL;
    ck_ok(context, fur_mtx_read_csr(context, CASE_FILE, NULL, &matrix));
    fur_csr_view view = *fur_csr_get(matrix);
    int64_t size = (view.rows + 1) * (int64_t)fur_offset_size(view.offset_type) +
                   view.entries * (int64_t)(sizeof(int32_t) + fur_value_size(view.value_type));
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    ck_assert_int_lt(usage.ru_maxrss * 1024, size * 8 / 5 + (64 << 20));
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, scratch_empty);
    tcase_add_loop_test(tests, policy_is_followed, 0, COUNT_OF(policies));
    tcase_add_test(tests, warnings_do_not_depend_on_threads);
    tcase_add_test(tests, nothing_is_said_about_a_file_that_is_refused);
    tcase_add_test(tests, type_of_graphblas_is_in_the_header);
    tcase_add_loop_test(tests, progress_is_told_by_the_calling_thread, 0, ORDERS);
    tcase_add_loop_test(tests, the_callers_rounding_mode_does_not_show, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, reading_is_cancelled_at_every_call, 0, ORDERS);
    tcase_add_loop_test(tests, threads_survive_every_lack_of_memory, 0, ORDERS);
    tcase_add_loop_test(tests, pipes_are_read_like_files, 0, ORDERS);
    tcase_add_test(tests, standard_input_may_be_a_file);
    tcase_add_loop_test(tests, promises_of_a_stream_cost_no_memory, 0, COUNT_OF(liars));
    tcase_add_test(tests, conflicts_in_a_stream_are_told_by_position);
    tcase_add_loop_test(tests, memory_is_near_to_that_of_the_matrix, 0, ORDERS);
}

int main(void)
{
    return scratch_run("mtx_options", add);
}
