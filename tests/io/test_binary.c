/* Tests of binary files: what is read equals what was written, the bytes follow the specification,
 * and no altered byte is accepted. */
#include "scratch.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FILE_NAME "a.fur"
#define ALIGNMENT 4096
#define PIECE 262144
#define WORDS 19
#define HEADER_SIZE (WORDS * 8)

/* Indices of the header's words, as in docs/binary-format.md. */
enum {
    VERSION = 1,
    KIND = 4,
    VALUE,
    OFFSET,
    FIELD,
    SYMMETRY,
    ROWS,
    COLS,
    ENTRIES,
    TABLE_AT,
    OFFSETS_AT,
    COLUMNS_AT,
    VALUES_AT,
    FILE_SIZE,
    TABLE_SUM,
    HEADER_SUM
};

static fur_context *context;

static void open_context(void)
{
    context = context_make(NULL, 2);
}

static void close_context(void)
{
    fur_context_destroy(context);
    scratch_empty();
}

/* Returns all bytes of the file. *size becomes their number, unless `size` is NULL. */
static char *contents(size_t *size)
{
    struct stat status;
    ck_assert_int_eq(stat(FILE_NAME, &status), 0);
    if (size)
        *size = (size_t)status.st_size;
    return scratch_read(FILE_NAME);
}

static void check_equal(const fur_csr *a, const fur_csr *b)
{
    int equal = 0;
    ck_assert_int_eq(fur_csr_get(a)->offset_type, fur_csr_get(b)->offset_type);
    ck_ok(context, fur_csr_compare(a, b, &equal));
    ck_assert(equal);
}

/* Reads the file as a copy, or maps it if `map`. */
static fur_status read_file(fur_context *owner, int map, fur_csr **out)
{
    const fur_binary_read_options options = {.size = sizeof options, .map = map};
    return fur_binary_read_csr(owner, FILE_NAME, &options, out);
}

static fur_csr *read_back(int map)
{
    fur_csr *matrix = NULL;
    ck_ok(context, read_file(context, map, &matrix));
    return matrix;
}

/* Returns whether the file is mapped into this process. */
static bool is_mapped(void)
{
    char line[PATH_MAX + 100];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps))
        found = found || strstr(line, "/" FILE_NAME);
    fclose(maps);
    return found;
}

/* Checks that copying and mapping both give this matrix. A mapped matrix uses the file until it is
 * destroyed. */
static void check_file(const fur_csr *expected)
{
    for (int map = 0; map < 2; map++) {
        fur_csr *found = read_back(map);
        ck_assert_int_eq(is_mapped(), map);
        check_equal(expected, found);
        fur_csr_destroy(found);
        ck_assert(!is_mapped());
    }
}

START_TEST(matrices_come_back_to_the_bit)
{
    const shape *s = &shapes[_i];
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        for (int offset = 0; offset < FUR_OFFSET_COUNT; offset++) {
            rng r = rng_stream((uint64_t)_i);
            fur_csr *a =
                matrix_random(context, &r, s, (fur_value_type)value, (fur_offset_type)offset);
            ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
            check_file(a);
            fur_csr_destroy(a);
        }
    }
}
END_TEST

START_TEST(numbers_of_all_kinds_come_back_to_the_bit)
{
    const uint64_t bits[] = {0,
                             UINT64_C(1) << 63,
                             1,
                             UINT64_C(0x7ff0000000000000),
                             UINT64_C(0xfff0000000000000),
                             UINT64_C(0x7ff8000000000123),
                             UINT64_C(0xfff4000000000001)};
    double values[COUNT_OF(bits)];
    memcpy(values, bits, sizeof bits);
    fur_vector *x = vector_from(context, FUR_F64, COUNT_OF(bits), values), *y = NULL;
    ck_ok(context, fur_binary_write_vector(x, FILE_NAME, NULL));
    ck_ok(context, fur_binary_read_vector(context, FILE_NAME, NULL, &y));
    ck_assert_int_eq(memcmp(fur_vector_const_data(y), bits, sizeof bits), 0);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}
END_TEST

START_TEST(vectors_come_back_to_the_bit)
{
    const int64_t sizes[] = {0, 1, 511, 70000};
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream((uint64_t)_i);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        fur_vector *x = vector_random(context, &r, value, sizes[i]), *y = NULL;
        fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
        fur_binary_read_options options = {.size = sizeof options, .header = &header};
        ck_ok(context, fur_binary_write_vector(x, FILE_NAME, NULL));
        ck_ok(context, fur_binary_read_vector(context, FILE_NAME, &options, &y));
        ck_assert_int_eq(fur_vector_value_type(y), value);
        ck_assert_int_eq(fur_vector_size(y), sizes[i]);
        if (sizes[i] > 0)
            ck_assert_int_eq(memcmp(fur_vector_const_data(x), fur_vector_const_data(y),
                                    (size_t)sizes[i] * fur_value_size(value)),
                             0);
        ck_assert_int_eq(header.format, FUR_MTX_ARRAY);
        ck_assert_int_eq(header.field, value_is_complex(value) ? FUR_MTX_COMPLEX : FUR_MTX_REAL);
        ck_assert_int_eq(header.rows, sizes[i]);
        ck_assert_int_eq(header.cols, 1);
        ck_assert_int_eq(header.entries_in_file, sizes[i]);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
    }
}
END_TEST

/* As in Matrix Market, an array of one column is read as a matrix with every entry stored. */
START_TEST(vector_is_read_as_a_matrix)
{
    const double values[] = {1.5, 0, -2};
    const fur_csr_view expected = {.size = sizeof expected,
                                   .rows = 3,
                                   .cols = 1,
                                   .entries = 3,
                                   .value_type = FUR_F64,
                                   .offset_type = FUR_I32,
                                   .offsets = (const int32_t[]){0, 1, 2, 3},
                                   .columns = (const int32_t[]){0, 0, 0},
                                   .values = values};
    fur_vector *x = vector_from(context, FUR_F64, 3, values);
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, &expected, FUR_OWNERSHIP_BORROW, &a));
    ck_ok(context, fur_binary_write_vector(x, FILE_NAME, NULL));
    check_file(a);
    fur_csr_destroy(a);
    fur_vector_destroy(x);
}
END_TEST

START_TEST(matrix_of_one_line_is_read_as_a_vector)
{
    const double values[] = {1.5, -2}, expected[] = {0, 1.5, 0, -2};
    const fur_csr_view column = {.size = sizeof column,
                                 .rows = 4,
                                 .cols = 1,
                                 .entries = 2,
                                 .value_type = FUR_F64,
                                 .offset_type = FUR_I64,
                                 .offsets = (const int64_t[]){0, 0, 1, 1, 2},
                                 .columns = (const int32_t[]){0, 0},
                                 .values = values};
    fur_csr *a = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_csr_create(context, &column, FUR_OWNERSHIP_BORROW, &a));
    for (int i = 0; i < 2; i++) {
        fur_csr *turned = NULL;
        ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
        ck_ok(context, fur_binary_read_vector(context, FILE_NAME, NULL, &x));
        ck_assert_int_eq(fur_vector_size(x), 4);
        ck_assert_int_eq(first_difference(FUR_F64, 4, expected, fur_vector_const_data(x)), -1);
        fur_vector_destroy(x);
        ck_ok(context, fur_csr_transpose(a, 0, &turned));
        fur_csr_destroy(a);
        a = turned;
    }
    fur_csr_destroy(a);
}
END_TEST

/* A file of a few bytes must not make the reader allocate gigabytes. */
START_TEST(row_that_is_long_and_empty_needs_a_limit)
{
    const fur_csr_view view = {.size = sizeof view,
                               .rows = 1,
                               .cols = INT32_MAX,
                               .value_type = FUR_F64,
                               .offset_type = FUR_I32,
                               .offsets = (const int32_t[]){0, 0}};
    fur_csr *a = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_BORROW, &a));
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
    const char *sentence =
        "a.fur: found a matrix of 1 x 2147483647 in a file of 12288 bytes, expected at most "
        "4194304 rows and columns together; if the file is correct, raise the limit 'shape'";
    fur_csr *b = NULL;
    ck_fails(context, FUR_OVERFLOW, sentence, fur_binary_read_vector(context, FILE_NAME, NULL, &x));
    for (int map = 0; map <= 1; map++) {
        fur_binary_read_options options = {.size = sizeof options, .map = map};
        ck_fails(context, FUR_OVERFLOW, sentence,
                 fur_binary_read_csr(context, FILE_NAME, &options, &b));
        options.limits.shape = FUR_NO_LIMIT;
        ck_ok(context, fur_binary_read_csr(context, FILE_NAME, &options, &b));
        ck_assert_int_eq(fur_csr_get(b)->cols, INT32_MAX);
        fur_csr_destroy(b);
        b = NULL;
    }
    fur_csr_destroy(a);
}
END_TEST

START_TEST(matrix_of_more_lines_is_no_vector)
{
    rng r = rng_stream(0);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("full")], FUR_F32, FUR_I32);
    fur_vector *x = NULL;
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
    ck_fails(context, FUR_INVALID,
             "a.fur: found a matrix of 23 x 29, expected one column or one row for a vector",
             fur_binary_read_vector(context, FILE_NAME, NULL, &x));
    ck_assert_ptr_null(x);
    fur_csr_destroy(a);
}
END_TEST

/* Makes [0 2; 2 1]. `sign` is the sign of the entry above the diagonal. */
static fur_csr *small_matrix(fur_value_type value, double sign)
{
    fur_csr *matrix = NULL;
    void *values = entries_make(value, 3);
    entry_set(value, values, 0, fur_complex(sign * 2, 0));
    entry_set(value, values, 1, fur_complex(2, 0));
    entry_set(value, values, 2, fur_complex(1, 0));
    const fur_csr_view view = {.size = sizeof view,
                               .rows = 2,
                               .cols = 2,
                               .entries = 3,
                               .value_type = value,
                               .offset_type = FUR_I32,
                               .offsets = (const int32_t[]){0, 1, 3},
                               .columns = (const int32_t[]){1, 0, 1},
                               .values = values};
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &matrix));
    free(values);
    return matrix;
}

static void check_header(const fur_mtx_header *found, const fur_mtx_header *origin)
{
    ck_assert_int_eq(found->format, FUR_MTX_COORDINATE);
    ck_assert_int_eq(found->field, origin->field);
    ck_assert_int_eq(found->symmetry, origin->symmetry);
    ck_assert_int_eq(found->rows, 2);
    ck_assert_int_eq(found->cols, 2);
    ck_assert_int_eq(found->entries_in_file, 3);
}

START_TEST(field_and_symmetry_of_the_origin_come_back)
{
    const fur_mtx_symmetry symmetry = (fur_mtx_symmetry)_i;
    fur_csr *a = small_matrix(FUR_C64, 1), *b = NULL;
    for (int field = 0; field <= FUR_MTX_PATTERN && symmetry != FUR_MTX_SKEW_SYMMETRIC; field++) {
        const fur_mtx_header origin = {
            .size = sizeof origin, .field = (fur_mtx_field)field, .symmetry = symmetry};
        fur_mtx_header found = FUR_DEFAULT(fur_mtx_header);
        fur_binary_write_options write = {.size = sizeof write, .origin = &origin, .sync = 1};
        fur_binary_read_options read = {.size = sizeof read, .header = &found};
        ck_ok(context, fur_binary_write_csr(a, FILE_NAME, &write));
        ck_ok(context, fur_binary_read_csr(context, FILE_NAME, &read, &b));
        check_header(&found, &origin);
        ck_ok(context, fur_binary_read_header(context, FILE_NAME, &found));
        check_header(&found, &origin);
        fur_csr_destroy(b);
    }
    fur_csr_destroy(a);
}
END_TEST

START_TEST(pattern_comes_back_with_ones)
{
    const fur_mtx_header origin = {.size = sizeof origin, .field = FUR_MTX_PATTERN};
    fur_binary_write_options options = {.size = sizeof options, .origin = &origin};
    fur_csr *a = small_matrix((fur_value_type)_i, 1);
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, &options));
    fur_csr *b = read_back(_i % 2);
    fur_csr_view view = *fur_csr_get(b);
    ck_assert_int_eq(view.value_type, _i);
    ck_assert_int_eq(view.entries, 3);
    ck_assert_int_eq(memcmp(view.columns, fur_csr_get(a)->columns, 3 * sizeof(int32_t)), 0);
    for (int64_t k = 0; k < 3; k++) {
        fur_scalar entry = entry_get(view.value_type, view.values, k);
        ck_assert(entry.re == 1 && entry.im == 0);
    }
    fur_csr_destroy(b);
    fur_csr_destroy(a);
}
END_TEST

START_TEST(what_could_not_be_read_is_not_written)
{
    fur_csr *a = small_matrix(FUR_F64, -1), *kept = NULL;
    fur_vector *x = vector_from(context, FUR_F64, 1, (const double[]){1});
    fur_mtx_header origin = {.size = sizeof origin, .symmetry = FUR_MTX_SYMMETRIC};
    fur_binary_write_options options = {.size = sizeof options, .origin = &origin};
    ck_fails(
        context, FUR_INVALID,
        "the matrix is not symmetric: entries (1, 2) and (2, 1), counting from 1, do not match",
        fur_binary_write_csr(a, FILE_NAME, &options));
    ck_fails(context, FUR_INVALID,
             "a vector cannot be written as a pattern or as symmetric; write it as general and "
             "real, integer or complex",
             fur_binary_write_vector(x, FILE_NAME, &options));
    origin.symmetry = (fur_mtx_symmetry)4;
    ck_fails(context, FUR_INVALID, "4 is not a symmetry",
             fur_binary_write_csr(a, FILE_NAME, &options));
    origin = (fur_mtx_header){.size = sizeof origin, .field = (fur_mtx_field)4};
    ck_fails(context, FUR_INVALID, "4 is not a field",
             fur_binary_write_vector(x, FILE_NAME, &options));
    const fur_coo_view twice = {.size = sizeof twice,
                                .rows = 1,
                                .cols = 1,
                                .entries = 2,
                                .value_type = FUR_F64,
                                .row_indices = (const int32_t[]){0, 0},
                                .col_indices = (const int32_t[]){0, 0},
                                .values = (const double[]){1, 2}};
    ck_ok(context, fur_csr_from_coo(context, &twice, FUR_DUPLICATES_KEEP, &kept));
    ck_fails(context, FUR_INVALID,
             "row 1 has column 1 twice, counting from 1; sum duplicates by fur_csr_from_coo",
             fur_binary_write_csr(kept, FILE_NAME, NULL));
    ck_assert_int_eq(scratch_count(), 0);
    fur_csr_destroy(kept);
    fur_csr_destroy(a);
    fur_vector_destroy(x);
}
END_TEST

/* A file has the bytes that the specification describes. */
START_TEST(bytes_are_those_of_the_specification)
{
    uint64_t words[WORDS], table[3];
    size_t size;
    fur_csr *a = small_matrix(FUR_F64, 1);
    const fur_mtx_header origin = {
        .size = sizeof origin, .field = FUR_MTX_INTEGER, .symmetry = FUR_MTX_SYMMETRIC};
    fur_binary_write_options options = {.size = sizeof options, .origin = &origin};
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, &options));
    fur_csr_destroy(a);
    char *bytes = contents(&size);
    memcpy(words, bytes, sizeof words);
    memcpy(table, bytes + ALIGNMENT, sizeof table);
    ck_assert_int_eq(memcmp(bytes,
                            "\x89"
                            "FUR\r\n\x1a\n",
                            8),
                     0);
    const uint64_t expected[] = {1,
                                 HEADER_SIZE,
                                 PIECE,
                                 0,
                                 FUR_F64,
                                 FUR_I32,
                                 FUR_MTX_INTEGER,
                                 FUR_MTX_SYMMETRIC,
                                 2,
                                 2,
                                 3,
                                 ALIGNMENT,
                                 2 * ALIGNMENT,
                                 3 * ALIGNMENT,
                                 4 * ALIGNMENT,
                                 4 * ALIGNMENT + 24};
    ck_assert_int_eq(memcmp(words + 1, expected, sizeof expected), 0);
    ck_assert_uint_eq(size, words[FILE_SIZE]);
    const struct {
        const void *bytes;
        size_t size;
    } sections[] = {{(const int32_t[]){0, 1, 3}, 12},
                    {(const int32_t[]){1, 0, 1}, 12},
                    {(const double[]){2, 2, 1}, 24}};
    for (int i = 0; i < COUNT_OF(sections); i++) {
        ck_assert_int_eq(memcmp(bytes + words[OFFSETS_AT + i], sections[i].bytes, sections[i].size),
                         0);
        ck_assert_uint_eq(table[i], XXH3_64bits(sections[i].bytes, sections[i].size));
    }
    ck_assert_uint_eq(words[TABLE_SUM], XXH3_64bits(table, sizeof table));
    ck_assert_uint_eq(words[HEADER_SUM], XXH3_64bits(words, HEADER_SIZE - 8));
    free(bytes);
}
END_TEST

/* Checks that the altered file is refused with a sentence. */
static void check_refused(const char *what, size_t at)
{
    char sentences[2][300];
    for (int map = 0; map < 2; map++) {
        fur_csr *matrix = NULL;
        fur_status status = read_file(context, map, &matrix);
        ck_assert_msg(status == FUR_MALFORMED && !matrix, "%s %zu: %s", what, at,
                      fur_status_name(status));
        snprintf(sentences[map], sizeof sentences[map], "%s", fur_context_error(context));
    }
    ck_assert_str_eq(sentences[0], sentences[1]);
    ck_assert_msg(strncmp(sentences[0], "a.fur: byte ", 12) == 0 &&
                      strstr(sentences[0], "; create the file again from the original"),
                  "%s", sentences[0]);
}

static void put_byte(FILE *file, size_t at, int byte)
{
    ck_assert_int_eq(fseek(file, (long)at, SEEK_SET), 0);
    ck_assert_int_eq(fputc(byte, file), byte);
    ck_assert_int_eq(fflush(file), 0);
}

/* Every altered bit is detected. Slow builds alter one bit of about every second byte. */
START_TEST(every_altered_byte_is_refused)
{
    size_t size;
    fur_csr *a = small_matrix(_i == 0 ? FUR_F64 : FUR_C64, 1);
    const fur_mtx_header origin = {.size = sizeof origin, .field = FUR_MTX_PATTERN};
    fur_binary_write_options options = {.size = sizeof options, .origin = _i == 0 ? NULL : &origin};
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, &options));
    fur_csr_destroy(a);
    char *bytes = contents(&size);
    FILE *file = fopen(FILE_NAME, "r+b");
    ck_assert_ptr_nonnull(file);
    rng r = rng_stream((uint64_t)_i);
    for (size_t at = 0; at < size; at += TEST_SLOW ? 1 + (size_t)rng_below(&r, 3) : 1) {
        int original = (unsigned char)bytes[at];
        for (int bit = 0; bit < 8; bit += TEST_SLOW ? 8 : 1) {
            put_byte(file, at, original ^ 1 << (TEST_SLOW ? (int)rng_below(&r, 8) : bit));
            check_refused("byte", at);
        }
        put_byte(file, at, original);
    }
    fclose(file);
    free(bytes);
    ck_assert(!is_mapped());
    fur_csr_destroy(read_back(0));
}
END_TEST

START_TEST(every_truncated_or_longer_file_is_refused)
{
    size_t size;
    fur_csr *a = small_matrix(FUR_F64, 1);
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
    fur_csr_destroy(a);
    free(contents(&size));
    for (size_t length = size + 1; length <= size + 2 * ALIGNMENT;
         length += length < size + 9 ? 1 : 511) {
        ck_assert_int_eq(truncate(FILE_NAME, (off_t)length), 0);
        check_refused("length", length);
    }
    for (size_t length = size; length-- > 0;) {
        ck_assert_int_eq(truncate(FILE_NAME, (off_t)length), 0);
        check_refused("length", length);
    }
}
END_TEST

/* Makes a matrix with several pieces in each section. */
static fur_csr *large_matrix(fur_context *owner)
{
    enum { LARGE_ROWS = 200000, ROW_ENTRIES = 3 };
    static int32_t offsets[LARGE_ROWS + 1], columns[LARGE_ROWS * ROW_ENTRIES];
    static float values[LARGE_ROWS * ROW_ENTRIES];
    for (int i = 0; i <= LARGE_ROWS; i++)
        offsets[i] = i * ROW_ENTRIES;
    for (int k = 0; k < LARGE_ROWS * ROW_ENTRIES; k++) {
        columns[k] = k / ROW_ENTRIES + k % ROW_ENTRIES;
        values[k] = (float)k;
    }
    const fur_csr_view view = {.size = sizeof view,
                               .rows = LARGE_ROWS,
                               .cols = LARGE_ROWS + ROW_ENTRIES,
                               .entries = LARGE_ROWS * ROW_ENTRIES,
                               .value_type = FUR_F32,
                               .offset_type = FUR_I32,
                               .offsets = offsets,
                               .columns = columns,
                               .values = values};
    fur_csr *matrix = NULL;
    ck_ok(owner, fur_csr_create(owner, &view, FUR_OWNERSHIP_COPY, &matrix));
    return matrix;
}

START_TEST(threads_change_neither_file_nor_matrix)
{
    size_t size, first_size = 0;
    char *first = NULL;
    for (int threads = 1; threads <= 8; threads++) {
        fur_context *team = context_make(NULL, threads);
        fur_csr *a = large_matrix(team), *b = NULL;
        ck_ok(team, fur_binary_write_csr(a, FILE_NAME, NULL));
        ck_ok(team, read_file(team, threads % 2, &b));
        check_equal(a, b);
        char *bytes = contents(&size);
        if (first) {
            ck_assert_uint_eq(size, first_size);
            ck_assert_int_eq(memcmp(bytes, first, size), 0);
            free(bytes);
        } else {
            first = bytes;
            first_size = size;
        }
        fur_csr_destroy(a);
        fur_csr_destroy(b);
        fur_context_destroy(team);
    }
    free(first);
}
END_TEST

START_TEST(first_altered_piece_is_named_whatever_the_threads)
{
    fur_csr *a = large_matrix(context);
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
    fur_csr_destroy(a);
    uint64_t words[WORDS];
    size_t size;
    char *bytes = contents(&size), expected[200];
    memcpy(words, bytes, sizeof words);
    rng r = rng_stream(0);
    for (int round = 0; round < 10; round++) {
        size_t piece = (size_t)rng_below(&r, 9); /* in the 2400000 bytes of columns */
        size_t begin = words[COLUMNS_AT] + piece * PIECE;
        size_t at = begin + (size_t)rng_below(&r, PIECE);
        bytes[at] = (char)(bytes[at] ^ 4);
        bytes[size - 1] = (char)(bytes[size - 1] ^ 4);
        scratch_write_bytes(FILE_NAME, bytes, size);
        snprintf(expected, sizeof expected,
                 "a.fur: byte %zu: found the checksum 0x%llx of 262144 bytes, expected 0x", begin,
                 (unsigned long long)XXH3_64bits(bytes + begin, PIECE));
        for (int i = 0; i < 8; i++) {
            fur_context *team = context_make(NULL, 1 + i / 2);
            fur_csr *b = NULL;
            ck_assert_int_eq(read_file(team, i % 2, &b), FUR_MALFORMED);
            ck_assert_msg(strncmp(fur_context_error(team), expected, strlen(expected)) == 0, "%s",
                          fur_context_error(team));
            fur_context_destroy(team);
        }
        bytes[at] = (char)(bytes[at] ^ 4);
        bytes[size - 1] = (char)(bytes[size - 1] ^ 4);
    }
    free(bytes);
}
END_TEST

/* Headers with wrong words and a correct checksum. */
static const struct {
    int word;
    uint64_t found;
    fur_status status;
    const char *sentence;
} lies[] = {
    {VERSION, 0, FUR_MALFORMED, "a.fur: byte 8: found 0 as version, expected 1"},
    {VERSION, 2, FUR_UNSUPPORTED,
     "a.fur: the file has version 2 of the format, but this library reads up to version 1; use a "
     "newer library"},
    {2, 160, FUR_MALFORMED, "a.fur: byte 16: found 160 as size of the header, expected 152"},
    {3, 1, FUR_MALFORMED, "a.fur: byte 24: found 1 as size of a piece, expected 262144"},
    {KIND, 2, FUR_MALFORMED, "a.fur: byte 32: found 2 as kind, expected at most 1"},
    {KIND, 1, FUR_MALFORMED, "a.fur: byte 80: found 2 as columns, expected 1"},
    {VALUE, 4, FUR_MALFORMED, "a.fur: byte 40: found 4 as value type, expected at most 3"},
    {VALUE, 0, FUR_MALFORMED, "a.fur: byte 128: found 16408 as size of the file, expected 16396"},
    {OFFSET, 2, FUR_MALFORMED, "a.fur: byte 48: found 2 as offset type, expected at most 1"},
    {FIELD, 4, FUR_MALFORMED, "a.fur: byte 56: found 4 as field, expected at most 3"},
    {SYMMETRY, 4, FUR_MALFORMED, "a.fur: byte 64: found 4 as symmetry, expected at most 3"},
    {ROWS, UINT64_MAX, FUR_MALFORMED,
     "a.fur: byte 72: found 18446744073709551615 as rows, expected at most 72057594037927936"},
    {ROWS, UINT64_C(1) << 56, FUR_MALFORMED,
     "a.fur: byte 104: found 8192 as place of the offsets, expected 8796093030400"},
    {COLS, UINT64_C(1) << 31, FUR_MALFORMED,
     "a.fur: byte 80: found 2147483648 as columns, expected at most 2147483647"},
    {ENTRIES, UINT64_C(1) << 60, FUR_MALFORMED,
     "a.fur: byte 88: found 1152921504606846976 as entries, expected at most 72057594037927936"},
    {ENTRIES, 4, FUR_MALFORMED, "a.fur: byte 128: found 16408 as size of the file, expected 16416"},
    {TABLE_AT, 0, FUR_MALFORMED,
     "a.fur: byte 96: found 0 as place of the checksums, expected 4096"},
    {VALUES_AT, 0, FUR_MALFORMED,
     "a.fur: byte 120: found 0 as place of the values, expected 16384"},
    {FILE_SIZE, 16407, FUR_MALFORMED,
     "a.fur: byte 128: found 16407 as size of the file, expected 16408"},
    {COLS, 1, FUR_MALFORMED,
     "a.fur: row 1 has column 2, counting from 1; the matrix has 1 columns"},
};

START_TEST(lying_header_is_refused_before_memory_is_taken)
{
    const int lie = _i / 2, map = _i % 2;
    memory m = {0};
    uint64_t words[WORDS];
    size_t size;
    fur_csr *a = small_matrix(FUR_F64, 1), *b = NULL;
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
    fur_csr_destroy(a);
    char *bytes = contents(&size), expected[300];
    memcpy(words, bytes, sizeof words);
    words[lies[lie].word] = lies[lie].found;
    words[HEADER_SUM] = XXH3_64bits(words, HEADER_SIZE - 8);
    memcpy(bytes, words, sizeof words);
    scratch_write_bytes(FILE_NAME, bytes, size);
    fur_context *counting = context_counting(&m, NULL, 1);
    m.calls = 0;
    snprintf(expected, sizeof expected, "%s%s", lies[lie].sentence,
             lies[lie].status == FUR_MALFORMED ? "; create the file again from the original" : "");
    ck_fails(counting, lies[lie].status, expected, read_file(counting, map, &b));
    if (strstr(expected, "byte"))
        ck_assert_int_eq(m.calls, 0);
    ck_assert_ptr_null(b);
    fur_context_destroy(counting);
    free(bytes);
}
END_TEST

typedef fur_status (*attempt)(fur_context *owner);

/* Repeats the call while allocation 1 fails, then allocation 2, until none fails. */
static void try_every_failure(attempt call)
{
    memory m = {0};
    fur_context *owner = context_counting(&m, NULL, 1);
    int64_t before = m.outstanding, n = 0;
    fur_status status;
    do {
        m.calls = 0;
        m.fail_at = ++n;
        status = call(owner);
        ck_assert_int_eq(m.outstanding, before);
        ck_assert_int_eq(status, m.calls >= m.fail_at ? FUR_OUT_OF_MEMORY : FUR_OK);
    } while (status != FUR_OK);
    ck_assert_int_gt(n, 1);
    fur_context_destroy(owner);
}

static fur_status read_and_destroy(fur_context *owner, int map)
{
    fur_csr *matrix = NULL;
    fur_status status = read_file(owner, map, &matrix);
    ck_assert((matrix != NULL) == (status == FUR_OK));
    fur_csr_destroy(matrix);
    ck_assert(!is_mapped());
    return status;
}

static fur_status read_matrix(fur_context *owner)
{
    return read_and_destroy(owner, 0);
}

static fur_status map_matrix(fur_context *owner)
{
    return read_and_destroy(owner, 1);
}

static fur_status read_vector(fur_context *owner)
{
    fur_vector *vector = NULL;
    fur_status status = fur_binary_read_vector(owner, FILE_NAME, NULL, &vector);
    ck_assert((vector != NULL) == (status == FUR_OK));
    fur_vector_destroy(vector);
    return status;
}

START_TEST(reading_survives_every_lack_of_memory)
{
    const fur_mtx_header origin = {.size = sizeof origin, .field = FUR_MTX_PATTERN};
    fur_binary_write_options options = {.size = sizeof options, .origin = &origin};
    rng r = rng_stream(0);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("1 x N")], FUR_F64, FUR_I32);
    fur_vector *x = vector_random(context, &r, FUR_C64, 100);
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
    try_every_failure(read_matrix);
    try_every_failure(map_matrix);
    try_every_failure(read_vector);
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, &options));
    try_every_failure(read_matrix);
    try_every_failure(map_matrix);
    ck_ok(context, fur_binary_write_vector(x, FILE_NAME, NULL));
    try_every_failure(read_matrix);
    try_every_failure(map_matrix);
    try_every_failure(read_vector);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
}
END_TEST

START_TEST(writing_survives_every_lack_of_memory)
{
    memory m = {0};
    fur_context *owner = context_counting(&m, NULL, 1);
    fur_csr *a = large_matrix(owner);
    int64_t before = m.outstanding;
    scratch_write(FILE_NAME, "old");
    fur_status status = FUR_OUT_OF_MEMORY;
    for (int64_t n = 1; status != FUR_OK; n++) {
        char *text = contents(NULL);
        ck_assert_str_eq(text, "old");
        free(text);
        m.calls = 0;
        m.fail_at = n;
        status = fur_binary_write_csr(a, FILE_NAME, NULL);
        ck_assert(status == FUR_OK || status == FUR_OUT_OF_MEMORY);
        ck_assert_int_eq(m.outstanding, before);
        ck_assert_int_eq(scratch_count(), 1);
    }
    m.fail_at = 0;
    fur_csr_destroy(a);
    fur_context_destroy(owner);
}
END_TEST

/* A mapped matrix stays valid if Furrow's writers replace the file or if it is removed. Objects
 * made from the matrix do not need the file. */
START_TEST(mapped_file_may_be_replaced_and_removed)
{
    rng r = rng_stream(0);
    fur_csr *a = large_matrix(context), *t = NULL, *expected = NULL;
    fur_csr *other = matrix_random(context, &r, &shapes[shape_find("full")], FUR_F32, FUR_I32);
    ck_ok(context, fur_csr_transpose(a, 0, &expected));
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
    fur_csr *mapped = read_back(1);
    ck_ok(context, fur_binary_write_csr(other, FILE_NAME, NULL));
    check_equal(a, mapped);
    fur_csr *found = read_back(0);
    check_equal(other, found);
    fur_csr_destroy(found);
    ck_assert_int_eq(unlink(FILE_NAME), 0);
    check_equal(a, mapped);
    ck_ok(context, fur_csr_transpose(mapped, 0, &t));
    fur_csr_destroy(mapped);
    check_equal(expected, t);
    fur_csr_destroy(expected);
    fur_csr_destroy(t);
    fur_csr_destroy(other);
    fur_csr_destroy(a);
}
END_TEST

/* A file that cannot be mapped is copied. The process has no free addresses, but small arrays fit
 * into memory that was freed. Sanitizers need addresses themselves. */
START_TEST(file_that_cannot_be_mapped_is_copied)
{
    if (TEST_SLOW)
        return;
    fur_context *single = context_make(NULL, 1);
    fur_csr *a = small_matrix(FUR_F64, 1), *b = NULL;
    struct rlimit before, none;
    ck_ok(context, fur_binary_write_csr(a, FILE_NAME, NULL));
    free(malloc(65536));
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
    none = before;
    none.rlim_cur = 0;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
    fur_status status = read_file(single, 1, &b);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
    ck_ok(single, status);
    ck_assert(!is_mapped());
    check_equal(a, b);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(single);
}
END_TEST

START_TEST(binary_files_are_known_by_their_first_bytes)
{
    fur_vector *x = vector_from(context, FUR_F64, 1, (const double[]){1});
    ck_ok(context, fur_binary_write_vector(x, "a.mtx", NULL));
    fur_vector_destroy(x);
    scratch_write("b.fur", "%%MatrixMarket matrix array real general\n1 1\n1\n");
    scratch_write("c.fur", "\x89"
                           "FUR\r\n");
    ck_assert_int_eq(mkfifo("d.fur", 0600), 0);
    ck_assert_int_eq(fur_binary_detect("a.mtx"), 1);
    ck_assert_int_eq(fur_binary_detect("b.fur"), 0);
    ck_assert_int_eq(fur_binary_detect("c.fur"), 0);
    ck_assert_int_eq(fur_binary_detect("d.fur"), 0);
    ck_assert_int_eq(fur_binary_detect("missing.fur"), 0);
    ck_assert_int_eq(fur_binary_detect("."), 0);
    ck_assert_int_eq(fur_binary_detect(NULL), 0);
}
END_TEST

START_TEST(files_that_cannot_be_read_are_named)
{
    fur_csr *a = NULL;
    fur_vector *x = NULL;
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    ck_fails(context, FUR_IO_ERROR, "missing.fur: cannot open: No such file or directory",
             fur_binary_read_csr(context, "missing.fur", NULL, &a));
    ck_fails(context, FUR_IO_ERROR,
             "/: cannot read: it is not a regular file, as a binary file must be; copy it to a "
             "disk first",
             fur_binary_read_vector(context, "/", NULL, &x));
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    ck_fails(context, FUR_IO_ERROR,
             "pipe: cannot read: it is not a regular file, as a binary file must be; copy it to a "
             "disk first",
             fur_binary_read_header(context, "pipe", &header));
    scratch_write(FILE_NAME, "%%MatrixMarket matrix");
    ck_fails(context, FUR_MALFORMED,
             "a.fur: byte 21: found the end of the file, expected 131 more bytes; create the file "
             "again from the original",
             fur_binary_read_csr(context, FILE_NAME, NULL, &a));
    char text[HEADER_SIZE + 1] = "";
    memset(text, ' ', HEADER_SIZE);
    scratch_write(FILE_NAME, text);
    ck_fails(context, FUR_MALFORMED,
             "a.fur: byte 0: found 0x2020202020202020, expected the signature 0xa1a0a0d52554689; "
             "create the file again from the original",
             fur_binary_read_csr(context, FILE_NAME, NULL, &a));
    ck_assert_ptr_null(a);
    ck_assert_ptr_null(x);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, matrices_come_back_to_the_bit, 0, shape_count);
    tcase_add_test(tests, numbers_of_all_kinds_come_back_to_the_bit);
    tcase_add_loop_test(tests, vectors_come_back_to_the_bit, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, vector_is_read_as_a_matrix);
    tcase_add_test(tests, matrix_of_one_line_is_read_as_a_vector);
    tcase_add_test(tests, row_that_is_long_and_empty_needs_a_limit);
    tcase_add_test(tests, matrix_of_more_lines_is_no_vector);
    tcase_add_loop_test(tests, field_and_symmetry_of_the_origin_come_back, 0,
                        FUR_MTX_HERMITIAN + 1);
    tcase_add_loop_test(tests, pattern_comes_back_with_ones, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, what_could_not_be_read_is_not_written);
    tcase_add_test(tests, bytes_are_those_of_the_specification);
    tcase_add_loop_test(tests, every_altered_byte_is_refused, 0, 2);
    tcase_add_test(tests, every_truncated_or_longer_file_is_refused);
    tcase_add_test(tests, threads_change_neither_file_nor_matrix);
    tcase_add_test(tests, first_altered_piece_is_named_whatever_the_threads);
    tcase_add_loop_test(tests, lying_header_is_refused_before_memory_is_taken, 0,
                        2 * COUNT_OF(lies));
    tcase_add_test(tests, reading_survives_every_lack_of_memory);
    tcase_add_test(tests, writing_survives_every_lack_of_memory);
    tcase_add_test(tests, mapped_file_may_be_replaced_and_removed);
    tcase_add_test(tests, file_that_cannot_be_mapped_is_copied);
    tcase_add_test(tests, binary_files_are_known_by_their_first_bytes);
    tcase_add_test(tests, files_that_cannot_be_read_are_named);
}

int main(void)
{
    return scratch_run("binary", add);
}
