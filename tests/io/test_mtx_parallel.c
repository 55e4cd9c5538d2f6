/* Tests of reading in blocks by several threads. The matrix and the sentence are the same for any
 * number of threads, block size and instruction set. No byte outside of the memory is read. */
#include "reader.h"
#include "scratch.h"

#define FILE_NAME "a.mtx"
#define ROUNDS (TEST_SLOW ? 8 : 100)
#define MAX_ENTRIES 400

/* Ways of reading that must give the same result. */
static const struct {
    int threads;
    size_t block;
} ways[] = {{1, 0}, {1, 1}, {1, 13}, {1, 100}, {2, 1}, {2, 37}, {2, 500}, {5, 7}, {5, 64}, {3, 0}};

static const char *const fields[] = {"real", "integer", "complex", "pattern"};
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

/* The text of a file and the matrix that it describes. */
typedef struct sample {
    char *text;
    size_t size;
    int field;
    int symmetry;
    int64_t rows;
    int64_t cols;
    int64_t entries;
    int32_t row[2 * MAX_ENTRIES];
    int32_t col[2 * MAX_ENTRIES];
    double value[4 * MAX_ENTRIES]; /* real and imaginary parts */
} sample;

static const char *pick(rng *r, const char *const *words, int count)
{
    return words[rng_below(r, count)];
}

/* Draws a position. In a symmetric file it is in the lower triangle, so that no two entries mirror
 * each other. */
static void random_position(rng *r, const sample *s, int32_t *row, int32_t *col)
{
    *row = (int32_t)rng_below(r, s->rows);
    *col = (int32_t)rng_below(r, s->cols);
    if (s->symmetry == 0)
        return;
    if (*row < *col) {
        int32_t swap = *row;
        *row = *col;
        *col = swap;
    }
    if (*row == *col && s->symmetry == 2 && *row > 0)
        (*col)--;
    else if (*row == *col && s->symmetry == 2)
        (*row)++;
}

static int compare_positions(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Draws positions sorted by row, by column, by row in the first half, or not at all. */
static void random_positions(rng *r, sample *s)
{
    int64_t keys[MAX_ENTRIES];
    int64_t order = rng_below(r, 4);
    for (int64_t k = 0; k < s->entries; k++) {
        int32_t row, col;
        random_position(r, s, &row, &col);
        keys[k] = order == 1 ? col * s->rows + row : row * s->cols + col;
    }
    int64_t sorted = order == 3 ? 0 : order == 2 ? s->entries / 2 : s->entries;
    qsort(keys, (size_t)sorted, sizeof *keys, compare_positions);
    for (int64_t k = 0; k < s->entries; k++) {
        s->row[k] = (int32_t)(order == 1 ? keys[k] % s->rows : keys[k] / s->cols);
        s->col[k] = (int32_t)(order == 1 ? keys[k] / s->rows : keys[k] % s->cols);
    }
}

/* Prints a random number in a random form and returns what the C library reads from the text. */
static double random_number(rng *r, bool integer, char *out, size_t room)
{
    static const char *const formats[] = {"%.17g", "%g", "%.3f", "%.16e", "%.20f", "%.25e", "%.0f"};
    double value = rng_unit(r) * (rng_below(r, 2) ? 1000 : 1e-3);
    if (integer)
        snprintf(out, room, "%d", (int)rng_below(r, 2001) - 1000);
    else
        snprintf(out, room, pick(r, formats, COUNT_OF(formats)), value);
    return strtod(out, NULL);
}

static void print_entry(rng *r, sample *s, int64_t k, FILE *out)
{
    static const char *const gaps[] = {" ", " ", " ", " ", "  ", "\t", " \t "};
    static const char *const odd_lines[] = {"\n", "% a comment\n", "  \n", "%\n"};
    static const char *const ends[] = {"\n", "\n", "\n", "\r\n", " \n"};
    char number[64];
    bool plain = rng_below(r, 4) > 0;
    if (rng_below(r, 40) == 0)
        fputs(pick(r, odd_lines, COUNT_OF(odd_lines)), out);
    fprintf(out, "%s%d%s%d", plain ? "" : " ", s->row[k] + 1, plain ? " " : pick(r, gaps, 7),
            s->col[k] + 1);
    s->value[2 * k] = 1;
    s->value[2 * k + 1] = 0;
    for (int part = 0; s->field != 3 && part < (s->field == 2 ? 2 : 1); part++) {
        bool real_diagonal = part == 1 && s->symmetry == 3 && s->row[k] == s->col[k];
        s->value[2 * k + part] = random_number(r, s->field == 1, number, sizeof number);
        if (real_diagonal)
            s->value[2 * k + part] = strtod(strcpy(number, "0"), NULL);
        fprintf(out, "%s%s", plain ? " " : pick(r, gaps, 7), number);
    }
    fputs(plain ? "\n" : pick(r, ends, 5), out);
}

static void make_sample(rng *r, sample *s)
{
    FILE *out = open_memstream(&s->text, &s->size);
    s->field = (int)rng_below(r, 4);
    s->symmetry = (int)rng_below(r, s->field == 2 ? 4 : s->field == 3 ? 2 : 3);
    s->rows = 2 + rng_below(r, rng_below(r, 2) ? 10 : 3000);
    s->cols = s->symmetry > 0 ? s->rows : 1 + rng_below(r, 50);
    s->entries = rng_below(r, MAX_ENTRIES);
    random_positions(r, s);
    fprintf(out, "%%%%MatrixMarket matrix coordinate %s %s\n%% made at random\n%lld %lld %lld\n",
            fields[s->field], symmetries[s->symmetry], (long long)s->rows, (long long)s->cols,
            (long long)s->entries);
    for (int64_t k = 0; k < s->entries; k++)
        print_entry(r, s, k, out);
    if (rng_below(r, 3) == 0)
        fputs("\n% the end", out);
    fclose(out);
}

/* Appends the mirror images of the entries. Returns the number of entries. */
static int64_t expand(sample *s)
{
    int64_t count = s->entries;
    for (int64_t k = 0; s->symmetry > 0 && k < s->entries; k++) {
        if (s->row[k] == s->col[k])
            continue;
        s->row[count] = s->col[k];
        s->col[count] = s->row[k];
        s->value[2 * count] = s->symmetry == 2 ? -s->value[2 * k] : s->value[2 * k];
        s->value[2 * count + 1] = s->symmetry >= 2 ? -s->value[2 * k + 1] : s->value[2 * k + 1];
        count++;
    }
    return count;
}

static fur_csr *expected_matrix(fur_context *context, sample *s, fur_duplicates duplicates)
{
    int64_t count = expand(s);
    bool complex = s->field == 2;
    double *values = malloc((size_t)(count + 1) * 16);
    for (int64_t k = 0; k < count; k++) {
        values[complex ? 2 * k : k] = s->value[2 * k];
        if (complex)
            values[2 * k + 1] = s->value[2 * k + 1];
    }
    fur_coo_view coo = {.size = sizeof coo,
                        .rows = s->rows,
                        .cols = s->cols,
                        .entries = count,
                        .value_type = complex ? FUR_C128 : FUR_F64,
                        .row_indices = s->row,
                        .col_indices = s->col,
                        .values = values};
    fur_csr *matrix = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, duplicates, &matrix));
    free(values);
    return matrix;
}

/* Allocates memory that ends at an unmapped page. The size is stored in front of it. */
static void *guarded_allocate(void *user, size_t bytes)
{
    (void)user;
    size_t rounded = (bytes + 63) / 64 * 64;
    char *data = guard_allocate(rounded + 64);
    if (!data)
        return NULL;
    memcpy(data, &rounded, sizeof rounded);
    return data + 64;
}

static void guarded_release(void *user, void *data)
{
    (void)user;
    size_t rounded;
    char *begin = (char *)data - 64;
    memcpy(&rounded, begin, sizeof rounded);
    guard_release(begin, rounded + 64);
}

static fur_context *guarded_context(int isa, int threads)
{
    fur_context *context = NULL;
    const fur_context_options options = {
        .size = sizeof options,
        .threads = threads,
        .isa = isa_name(isa),
        .allocator = {.allocate = guarded_allocate, .release = guarded_release}};
    ck_ok(NULL, fur_context_create(&options, &context));
    return context;
}

/* Reads the file in blocks of `block` bytes. */
static fur_status read_blocks(fur_context *context, size_t block,
                              const fur_mtx_read_options *options, fur_csr **out)
{
    return fur_reader_read(context, &(fur_input_request){.path = FILE_NAME}, block, options, out);
}

static void check_equal(const fur_csr *matrix, const fur_csr *expected, int way, int round)
{
    int equal = 0;
    fur_csr *copy = NULL;
    ck_ok(fur_csr_context(matrix), fur_csr_transfer(matrix, fur_csr_context(expected), &copy));
    ck_ok(fur_csr_context(expected), fur_csr_compare(copy, expected, &equal));
    ck_assert_msg(equal, "round %d: %d threads, blocks of %zu bytes", round, ways[way].threads,
                  ways[way].block);
    fur_csr_destroy(copy);
}

static void read_every_way(const fur_csr *expected, fur_duplicates duplicates, int isa, int round)
{
    for (int way = 0; way < COUNT_OF(ways); way++) {
        fur_context *context = guarded_context(isa, ways[way].threads);
        fur_mtx_read_options options = {.size = sizeof options, .duplicates = duplicates};
        fur_csr *matrix = NULL;
        ck_ok(context, read_blocks(context, ways[way].block, &options, &matrix));
        check_equal(matrix, expected, way, round);
        fur_csr_destroy(matrix);
        fur_context_destroy(context);
    }
}

START_TEST(every_way_gives_the_same_matrix)
{
    static sample s;
    rng r = rng_stream(1 + (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        fur_context *context = context_make(NULL, 1);
        fur_duplicates duplicates = rng_below(&r, 2) ? FUR_DUPLICATES_SUM : FUR_DUPLICATES_LAST;
        make_sample(&r, &s);
        scratch_write_bytes(FILE_NAME, s.text, s.size);
        fur_csr *expected = expected_matrix(context, &s, duplicates);
        read_every_way(expected, duplicates, _i, round);
        fur_csr_destroy(expected);
        fur_context_destroy(context);
        free(s.text);
    }
}
END_TEST

/* Reads in one way. Returns the status, and the sentence in `sentence`. */
static fur_status try_way(int isa, int way, char *sentence, size_t room)
{
    fur_context *context = guarded_context(isa, ways[way].threads);
    fur_mtx_read_options options = {.size = sizeof options, .duplicates = FUR_DUPLICATES_ERROR};
    fur_csr *matrix = NULL;
    fur_status status = read_blocks(context, ways[way].block, &options, &matrix);
    snprintf(sentence, room, "%s", fur_context_error(context));
    ck_assert((matrix != NULL) == (status == FUR_OK));
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
    return status;
}

START_TEST(every_way_gives_the_same_sentence)
{
    static const char damage[] = "\n\n %x-.0\r\t9e\0";
    static sample s;
    char first[1024], other[1024];
    int refused = 0;
    rng r = rng_stream(1000 + (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        make_sample(&r, &s);
        for (int hits = (int)rng_below(&r, 3); hits >= 0; hits--)
            s.text[rng_below(&r, (int64_t)s.size)] = damage[rng_below(&r, sizeof damage)];
        scratch_write_bytes(FILE_NAME, s.text, s.size);
        fur_status status = try_way(0, 0, first, sizeof first);
        refused += status != FUR_OK;
        for (int way = 0; way < COUNT_OF(ways); way++) {
            ck_assert_int_eq(try_way(_i, way, other, sizeof other), status);
            ck_assert_msg(strcmp(first, other) == 0, "round %d, way %d: '%s', but first '%s'",
                          round, way, other, first);
        }
        free(s.text);
    }
    ck_assert_int_gt(refused, ROUNDS / 2);
}
END_TEST

/* The first error of the file is reported, although it is found after others: positions in an array
 * are known only after all earlier blocks are read. */
START_TEST(first_fault_of_an_array_is_told)
{
    char sentence[1024];
    scratch_write(FILE_NAME, "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n"
                             "1 2\n4 0\n");
    for (int way = 0; way < COUNT_OF(ways); way++) {
        ck_assert_int_eq(try_way(0, way, sentence, sizeof sentence), FUR_MALFORMED);
        ck_assert_str_eq(sentence, "a.mtx:5:1: found a diagonal entry with an imaginary part, "
                                   "expected a real one in a hermitian matrix");
    }
}
END_TEST

/* Writes a file long enough for many blocks of the default size and for every kind of piece. */
static void write_long(int64_t entries, int64_t unsorted_from)
{
    FILE *out = fopen(FILE_NAME, "w");
    fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n1000000 1000 %lld\n",
            (long long)entries);
    for (int64_t k = 0; k < entries; k++) {
        int64_t row = k < unsorted_from ? k * 1000000 / entries : (k * 7919) % 1000000;
        fprintf(out, "%lld %lld %.17g\n", (long long)row + 1, (long long)(k % 1000) + 1,
                1.0 / (double)(k + 3));
    }
    fclose(out);
}

START_TEST(rows_may_lose_their_order_late)
{
    const int64_t entries = 60000, from = entries * _i / 4;
    fur_context *context = context_make(NULL, 1);
    write_long(entries, from);
    int32_t *rows = malloc((size_t)entries * sizeof *rows);
    int32_t *cols = malloc((size_t)entries * sizeof *cols);
    double *values = malloc((size_t)entries * sizeof *values);
    for (int64_t k = 0; k < entries; k++) {
        rows[k] = (int32_t)(k < from ? k * 1000000 / entries : (k * 7919) % 1000000);
        cols[k] = (int32_t)(k % 1000);
        values[k] = 1.0 / (double)(k + 3);
    }
    fur_coo_view coo = {sizeof coo, 1000000, 1000, entries, FUR_F64, rows, cols, values};
    fur_csr *expected = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &expected));
    for (int threads = 1; threads <= 4; threads++) {
        fur_context *own = context_make(NULL, threads);
        fur_csr *matrix = NULL;
        fur_mtx_read_options options = {.size = sizeof options};
        ck_ok(own, read_blocks(own, 5000, &options, &matrix));
        check_equal(matrix, expected, 0, threads);
        fur_csr_destroy(matrix);
        fur_context_destroy(own);
    }
    fur_csr_destroy(expected);
    fur_context_destroy(context);
    free(rows);
    free(cols);
    free(values);
}
END_TEST

/* Writes a dense matrix, or a triangle if `symmetry` is set. Some lines have several numbers. */
static void write_array(rng *r, int symmetry, int64_t rows, int64_t cols)
{
    FILE *out = fopen(FILE_NAME, "w");
    fprintf(out, "%%%%MatrixMarket matrix array real %s\n%lld %lld\n", symmetries[symmetry],
            (long long)rows, (long long)cols);
    for (int64_t col = 0; col < cols; col++)
        for (int64_t row = symmetry == 0 ? 0 : symmetry == 1 ? col : col + 1; row < rows; row++)
            fprintf(out, "%lld%s", (long long)(row * cols + col + 1),
                    rng_below(r, 5) == 0    ? " "
                    : rng_below(r, 30) == 0 ? "\n\n% x\n"
                                            : "\n");
    fclose(out);
}

START_TEST(arrays_are_read_in_blocks)
{
    rng r = rng_stream(2000 + (uint64_t)_i);
    const int64_t rows = 40, cols = _i == 0 ? 33 : rows;
    write_array(&r, _i, rows, cols);
    for (int way = 0; way < COUNT_OF(ways); way++) {
        fur_context *context = guarded_context(0, ways[way].threads);
        fur_mtx_read_options options = {.size = sizeof options};
        fur_csr *matrix = NULL;
        ck_ok(context, read_blocks(context, ways[way].block, &options, &matrix));
        fur_csr_view view = *fur_csr_get(matrix);
        const double *values = view.values;
        for (int64_t row = 0, k = 0; row < rows; row++)
            for (int64_t col = 0; col < cols; col++) {
                if (_i == 2 && row == col)
                    continue;
                bool image = _i > 0 && row < col;
                double stored = (double)(image ? col * cols + row + 1 : row * cols + col + 1);
                ck_assert_int_eq(view.columns[k], col);
                ck_assert_double_eq(values[k++], image && _i == 2 ? -stored : stored);
            }
        fur_csr_destroy(matrix);
        fur_context_destroy(context);
    }
}
END_TEST

/* A row with thousands of entries in falling order is sorted correctly. Long rows have their own
 * sort. */
START_TEST(long_rows_are_sorted)
{
    enum { COLS = 5000 };
    fur_context *context = context_make(NULL, 2);
    FILE *out = fopen(FILE_NAME, "w");
    fprintf(out, "%%%%MatrixMarket matrix coordinate integer general\n3 %d %d\n", COLS, 2 * COLS);
    for (int k = 0; k < COLS; k++)
        fprintf(out, "2 %d %d\n", COLS - k, k);
    for (int k = 0; k < COLS; k++)
        fprintf(out, "2 %d %d\n", k * 7 % COLS + 1, 1);
    fclose(out);
    fur_csr *matrix = NULL;
    ck_ok(context, fur_mtx_read_csr(context, FILE_NAME, NULL, &matrix));
    fur_csr_view view = *fur_csr_get(matrix);
    ck_assert_int_eq(view.entries, COLS);
    for (int k = 0; k < COLS; k++) {
        ck_assert_int_eq(view.columns[k], k);
        ck_assert_double_eq(((const double *)view.values)[k], COLS - 1 - k + 1);
    }
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    int levels = 0;
    while (isa_name(levels))
        levels++;
    tcase_add_checked_fixture(tests, NULL, scratch_empty);
    tcase_add_loop_test(tests, every_way_gives_the_same_matrix, 0, levels);
    tcase_add_loop_test(tests, every_way_gives_the_same_sentence, 0, levels);
    tcase_add_test(tests, first_fault_of_an_array_is_told);
    tcase_add_turns(tests, rows_may_lose_their_order_late, 5, 2);
    tcase_add_loop_test(tests, arrays_are_read_in_blocks, 0, 3);
    tcase_add_test(tests, long_rows_are_sorted);
}

int main(void)
{
    return scratch_run("mtx_parallel", add);
}
