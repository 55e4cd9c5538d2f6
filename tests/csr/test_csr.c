/* CSR matrices: creation, the checks and their messages, assembly from coordinates, transposition,
 * permutation, diagonal, conversion, comparison and statistics. Each is compared with a naive
 * version on random matrices and edge shapes. The bits are the same for any number of threads. */
#include "support.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 8};

/* Number of entries that are compared in a large result. Each is searched along its row. */
#define SAMPLES 5000

/* Returns whether two arrays are equal, byte by byte. */
static bool same_bytes(const void *a, const void *b, int64_t count, size_t size)
{
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static bool same_arrays(const fur_csr_view *a, const fur_csr_view *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->entries == b->entries &&
           a->value_type == b->value_type && a->offset_type == b->offset_type &&
           same_bytes(a->offsets, b->offsets, a->rows + 1, fur_offset_size(a->offset_type)) &&
           same_bytes(a->columns, b->columns, a->entries, sizeof(int32_t)) &&
           same_bytes(a->values, b->values, a->entries, fur_value_size(a->value_type));
}

static void ck_same(const fur_csr *a, const fur_csr *b)
{
    fur_csr_view p = *fur_csr_get(a);
    fur_csr_view q = *fur_csr_get(b);
    ck_assert(same_arrays(&p, &q));
}

static void ck_valid(const fur_csr *a)
{
    fur_csr_view view = *fur_csr_get(a);
    ck_ok(fur_csr_context(a), fur_csr_check(fur_csr_context(a), &view));
}

/* Returns the position of (i, j) in a sorted row by bisection, or -1 if there is none. */
static int64_t find(const fur_csr_view *a, int64_t i, int64_t j)
{
    int64_t low = offset_at(a, i);
    int64_t high = offset_at(a, i + 1);
    int64_t end = high;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->columns[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && a->columns[low] == j ? low : -1;
}

/* Compares two entries. Uses no assertions, because each one reports to another process, which
 * takes longer than the comparison. */
static void ck_same_entry(const fur_csr_view *a, int64_t k, const fur_csr_view *b, int64_t l,
                          bool conjugate)
{
    if (l < 0)
        ck_abort_msg("an entry is missing");
    fur_scalar p = entry_get(a->value_type, a->values, k);
    fur_scalar q = entry_get(b->value_type, b->values, l);
    if (p.re != q.re || p.im != (conjugate ? -q.im : q.im))
        ck_abort_msg("%a%+ai became %a%+ai", p.re, p.im, q.re, q.im);
}

/* Calls a test for every shape, value type and offset width, each in a context of 1, 2, 3 or 8
 * threads. */
typedef void (*matrix_test)(const fur_csr *a, rng *r);

static void for_every_matrix(matrix_test test)
{
    for (int i = 0; i < shape_count; i++) {
        for (int type = 0; type < FUR_VALUE_COUNT * FUR_OFFSET_COUNT; type++) {
            memory m = {0};
            rng r = rng_stream((uint64_t)(100 * i + type));
            fur_context *context =
                context_counting(&m, NULL, thread_counts[(i + type) % COUNT_OF(thread_counts)]);
            fur_csr *a =
                matrix_random(context, &r, &shapes[i], (fur_value_type)(type % FUR_VALUE_COUNT),
                              (fur_offset_type)(type / FUR_VALUE_COUNT));
            test(a, &r);
            fur_csr_destroy(a);
            fur_context_destroy(context);
            ck_assert_int_eq(m.outstanding, 0);
        }
    }
}

static fur_csr *borrow(fur_context *context, const fur_csr *a)
{
    fur_csr *b = NULL;
    fur_csr_view view = *fur_csr_get(a);
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_BORROW, &b));
    return b;
}

/* Calls an operation in contexts of other thread counts and compares the bits of its result. */
typedef void (*matrix_operation)(const fur_csr *a, rng r, fur_csr **out);

static void ck_threads_agree(const fur_csr *a, rng r, const fur_csr *expected,
                             matrix_operation operation)
{
    for (int t = 0; t < COUNT_OF(thread_counts); t++) {
        fur_context *context = context_make(NULL, thread_counts[t]);
        fur_csr *b = borrow(context, a);
        fur_csr *result = NULL;
        operation(b, r, &result);
        ck_same(result, expected);
        fur_csr_destroy(result);
        fur_csr_destroy(b);
        fur_context_destroy(context);
    }
}

static void *adopted(fur_context *context, const void *data, size_t bytes)
{
    void *copy = NULL;
    ck_ok(context, fur_context_allocate(context, bytes, &copy));
    if (bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

static void check_ownership(const fur_csr *a, rng *r)
{
    (void)r;
    fur_context *context = fur_csr_context(a);
    fur_csr_view view = *fur_csr_get(a);
    fur_csr_view own = view;
    fur_csr *borrowed = borrow(context, a);
    fur_csr *copied = NULL;
    fur_csr *taken = NULL;
    size_t entries = (size_t)view.entries;
    own.offsets =
        adopted(context, view.offsets, ((size_t)view.rows + 1) * fur_offset_size(view.offset_type));
    own.columns = adopted(context, view.columns, entries * sizeof(int32_t));
    own.values = adopted(context, view.values, entries * fur_value_size(view.value_type));
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &copied));
    ck_ok(context, fur_csr_create(context, &own, FUR_OWNERSHIP_ADOPT, &taken));
    ck_assert_ptr_eq(fur_csr_get(borrowed)->columns, view.columns);
    ck_assert_ptr_eq(fur_csr_get(taken)->values, own.values);
    ck_assert_ptr_ne(fur_csr_get(copied)->offsets, view.offsets);
    ck_same(copied, a);
    ck_same(taken, a);
    fur_csr_destroy(taken);
    fur_csr_destroy(borrowed);
    ck_same(copied, a);
    fur_csr_destroy(copied);
}

START_TEST(matrices_copy_borrow_or_adopt)
{
    for_every_matrix(check_ownership);
    fur_csr_destroy(NULL);
}
END_TEST

/* The 3 x 4 matrix [1 2 0 0; 0 0 0 3; 4 0 5 0] with one fault. */
typedef struct wrong {
    const char *sentence;
    fur_status status;
    int64_t rows;
    int64_t cols;
    int64_t entries;
    int value;
    int offset;
    int32_t offsets[4];
    int32_t columns[5];
    int missing; /* 1: offsets, 2: columns, 3: values */
} wrong;

#define RIGHT_SHAPE FUR_INVALID, 3, 4, 5, FUR_F64, FUR_I32
#define RIGHT_OFFSETS                                                                              \
    {                                                                                              \
        0, 2, 3, 5                                                                                 \
    }
#define RIGHT_COLUMNS                                                                              \
    {                                                                                              \
        0, 1, 3, 0, 2                                                                              \
    }

static const wrong wrongs[] = {
    {"a matrix cannot have -1 rows, 4 columns and 5 entries", FUR_INVALID, -1, 4, 5, FUR_F64,
     FUR_I32, RIGHT_OFFSETS, RIGHT_COLUMNS, 0},
    {"a matrix cannot have 3 rows, -2 columns and 5 entries", FUR_INVALID, 3, -2, 5, FUR_F64,
     FUR_I32, RIGHT_OFFSETS, RIGHT_COLUMNS, 0},
    {"a matrix cannot have 3 rows, 4 columns and -5 entries", FUR_INVALID, 3, 4, -5, FUR_F64,
     FUR_I32, RIGHT_OFFSETS, RIGHT_COLUMNS, 0},
    {"2147483648 rows and 4 columns: each must be at most 2147483647", FUR_OVERFLOW, 2147483648, 4,
     5, FUR_F64, FUR_I32, RIGHT_OFFSETS, RIGHT_COLUMNS, 0},
    {"3 rows and 9999999999 columns: each must be at most 2147483647", FUR_OVERFLOW, 3, 9999999999,
     5, FUR_F64, FUR_I32, RIGHT_OFFSETS, RIGHT_COLUMNS, 0},
    {"2147483648 entries do not fit int32 offsets; use int64 offsets", FUR_OVERFLOW, 3, 4,
     2147483648, FUR_F64, FUR_I32, RIGHT_OFFSETS, RIGHT_COLUMNS, 0},
    {"4 is not a value type, or 0 is not an offset type", FUR_INVALID, 3, 4, 5, 4, FUR_I32,
     RIGHT_OFFSETS, RIGHT_COLUMNS, 0},
    {"1 is not a value type, or 2 is not an offset type", FUR_INVALID, 3, 4, 5, FUR_F64, 2,
     RIGHT_OFFSETS, RIGHT_COLUMNS, 0},
    {"an array is NULL; offsets needs rows + 1 elements, and columns and values need 5 elements "
     "each",
     RIGHT_SHAPE, RIGHT_OFFSETS, RIGHT_COLUMNS, 1},
    {"an array is NULL; offsets needs rows + 1 elements, and columns and values need 5 elements "
     "each",
     RIGHT_SHAPE, RIGHT_OFFSETS, RIGHT_COLUMNS, 2},
    {"an array is NULL; offsets needs rows + 1 elements, and columns and values need 5 elements "
     "each",
     RIGHT_SHAPE, RIGHT_OFFSETS, RIGHT_COLUMNS, 3},
    {"offsets[0] is 1; it must be 0", RIGHT_SHAPE, {1, 2, 3, 5}, RIGHT_COLUMNS, 0},
    {"row 2, counting from 1, begins at offset 3 and ends at 2; offsets must not decrease or "
     "exceed 5",
     RIGHT_SHAPE,
     {0, 3, 2, 5},
     RIGHT_COLUMNS,
     0},
    {"row 1, counting from 1, begins at offset 0 and ends at -1; offsets must not decrease or "
     "exceed 5",
     RIGHT_SHAPE,
     {0, -1, 3, 5},
     RIGHT_COLUMNS,
     0},
    {"row 2, counting from 1, begins at offset 2 and ends at 6; offsets must not decrease or "
     "exceed 5",
     RIGHT_SHAPE,
     {0, 2, 6, 5},
     RIGHT_COLUMNS,
     0},
    {"row 3, counting from 1, begins at offset 3 and ends at 2147483647; offsets must not decrease "
     "or exceed 5",
     RIGHT_SHAPE,
     {0, 2, 3, INT32_MAX},
     RIGHT_COLUMNS,
     0},
    {"the last row ends at offset 4, but there are 5 entries",
     RIGHT_SHAPE,
     {0, 2, 3, 4},
     RIGHT_COLUMNS,
     0},
    {"row 2 has column 5, counting from 1; the matrix has 4 columns",
     RIGHT_SHAPE,
     RIGHT_OFFSETS,
     {0, 1, 4, 0, 2},
     0},
    {"row 3 has column 0, counting from 1; the matrix has 4 columns",
     RIGHT_SHAPE,
     RIGHT_OFFSETS,
     {0, 1, 3, -1, 2},
     0},
    {"row 1 has column -2147483647, counting from 1; the matrix has 4 columns",
     RIGHT_SHAPE,
     RIGHT_OFFSETS,
     {INT32_MIN, 1, 3, 0, 2},
     0},
    {"row 1 has column 2 twice, counting from 1; sum duplicates by fur_csr_from_coo",
     RIGHT_SHAPE,
     RIGHT_OFFSETS,
     {1, 1, 3, 0, 2},
     0},
    {"row 3 has column 1 after column 3, counting from 1; columns must increase: sort them by "
     "fur_csr_from_coo",
     RIGHT_SHAPE,
     RIGHT_OFFSETS,
     {0, 1, 3, 2, 0},
     0},
    {"offsets[0] is 1; it must be 0",
     FUR_INVALID,
     0,
     4,
     1,
     FUR_F64,
     FUR_I32,
     {1},
     RIGHT_COLUMNS,
     0},
    {"the last row ends at offset 0, but there are 1 entries",
     FUR_INVALID,
     0,
     4,
     1,
     FUR_F64,
     FUR_I32,
     {0},
     RIGHT_COLUMNS,
     0},
    /* The message names the first wrong row. */
    {"row 2 has column 10, counting from 1; the matrix has 4 columns",
     RIGHT_SHAPE,
     RIGHT_OFFSETS,
     {0, 1, 9, 2, 0},
     0},
};

static void check_wrong(fur_context *context, const wrong *w)
{
    static const double values[5] = {1, 2, 3, 4, 5};
    int64_t wide[4];
    for (int i = 0; i < 4; i++)
        wide[i] = w->offsets[i];
    fur_csr_view view = {sizeof view,
                         w->rows,
                         w->cols,
                         w->entries,
                         (fur_value_type)w->value,
                         (fur_offset_type)w->offset,
                         w->missing == 1        ? NULL
                         : w->offset == FUR_I64 ? (const void *)wide
                                                : w->offsets,
                         w->missing == 2 ? NULL : w->columns,
                         w->missing == 3 ? NULL : values};
    fur_csr *a = NULL;
    ck_fails(context, w->status, w->sentence, fur_csr_check(context, &view));
    for (int ownership = FUR_OWNERSHIP_COPY; ownership <= FUR_OWNERSHIP_ADOPT; ownership++)
        ck_fails(context, w->status, w->sentence,
                 fur_csr_create(context, &view, (fur_ownership)ownership, &a));
    ck_assert_ptr_null(a);
}

/* Every fault is tested with both offset widths, unless the fault is the width. */
START_TEST(every_broken_invariant_is_named)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    int64_t calls = m.calls;
    for (int i = 0; i < COUNT_OF(wrongs); i++) {
        wrong wide = wrongs[i];
        check_wrong(context, &wrongs[i]);
        wide.offset = FUR_I64;
        if (wide.value == FUR_F64 && wrongs[i].offset == FUR_I32 && wide.entries <= INT32_MAX)
            check_wrong(context, &wide);
    }
    ck_assert_int_eq(m.calls, calls);
    fur_context_destroy(context);
}
END_TEST

/* If every thread finds faulty rows, the message names the first row. */
START_TEST(the_first_of_many_faulty_rows_is_named)
{
    rng r = rng_stream(1);
    pattern p = pattern_make(&shapes[shape_find("grid")], &r);
    for (int t = 0; t < COUNT_OF(thread_counts); t++) {
        fur_context *context = context_make(NULL, thread_counts[t]);
        int64_t row = 1000 + rng_below(&r, 1000);
        int32_t *columns = malloc((size_t)p.entries * sizeof *columns);
        void *values = entries_make(FUR_F32, p.entries);
        char sentence[128];
        memcpy(columns, p.columns, (size_t)p.entries * sizeof *columns);
        for (int64_t i = row; i < p.rows; i += 1 + rng_below(&r, 50))
            columns[p.offsets[i]] = -7;
        fur_csr_view view = {sizeof view, p.rows,    p.cols,  p.entries, FUR_F32,
                             FUR_I64,     p.offsets, columns, values};
        snprintf(sentence, sizeof sentence,
                 "row %lld has column -6, counting from 1; the matrix has %lld columns",
                 (long long)row + 1, (long long)p.cols);
        ck_fails(context, FUR_INVALID, sentence, fur_csr_check(context, &view));
        free(values);
        free(columns);
        fur_context_destroy(context);
    }
    pattern_release(&p);
}
END_TEST

/* A coordinate list and its arrays. */
typedef struct coo {
    fur_coo_view view;
    int32_t *row_indices;
    int32_t *col_indices;
    void *values;
} coo;

static coo coo_make(fur_value_type value, int64_t rows, int64_t cols, int64_t entries)
{
    coo c = {.row_indices = calloc((size_t)entries + 1, sizeof(int32_t)),
             .col_indices = calloc((size_t)entries + 1, sizeof(int32_t)),
             .values = entries_make(value, entries)};
    c.view = (fur_coo_view){sizeof(fur_coo_view), rows,          cols,    entries, value,
                            c.row_indices,        c.col_indices, c.values};
    return c;
}

static void coo_release(coo *c)
{
    free(c->row_indices);
    free(c->col_indices);
    free(c->values);
}

/* Draws random positions, some of them repeated or in the corners. Every tenth value is 0. */
static coo coo_random(rng *r, fur_value_type value, int64_t rows, int64_t cols, int64_t entries)
{
    coo c = coo_make(value, rows, cols, entries);
    for (int64_t e = 0; e < entries; e++) {
        bool corner = rng_below(r, 20) == 0;
        c.row_indices[e] = (int32_t)(corner ? (rows - 1) * rng_below(r, 2) : rng_below(r, rows));
        c.col_indices[e] = (int32_t)(corner ? (cols - 1) * rng_below(r, 2) : rng_below(r, cols));
        if (rng_below(r, 10) > 0)
            entry_set(value, c.values, e, rng_scalar(r, value));
    }
    return c;
}

/* The position of an entry in row-major order, and its index in the list. */
typedef struct place {
    int64_t position;
    int64_t entry;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a;
    const place *q = b;
    if (p->position != q->position)
        return p->position < q->position ? -1 : 1;
    return p->entry < q->entry ? -1 : p->entry > q->entry;
}

static place *sorted_places(const fur_coo_view *c)
{
    place *places = malloc(((size_t)c->entries + 1) * sizeof *places);
    for (int64_t e = 0; e < c->entries; e++)
        places[e] = (place){c->row_indices[e] * c->cols + c->col_indices[e], e};
    qsort(places, (size_t)c->entries, sizeof *places, compare_places);
    return places;
}

/* Returns the entries sorted by row. */
static coo coo_sorted(const fur_coo_view *c)
{
    coo sorted = coo_make(c->value_type, c->rows, c->cols, c->entries);
    place *places = sorted_places(c);
    for (int64_t k = 0; k < c->entries; k++) {
        int64_t e = places[k].entry;
        sorted.row_indices[k] = c->row_indices[e];
        sorted.col_indices[k] = c->col_indices[e];
        entry_set(c->value_type, sorted.values, k, entry_get(c->value_type, c->values, e));
    }
    free(places);
    return sorted;
}

/* Assembles the matrix by sorting. Returns the first repeated position, or -1 if there is none. */
static int64_t assemble(const fur_coo_view *c, fur_duplicates duplicates, pattern *p, void *values)
{
    int64_t repeated = -1;
    place *places = sorted_places(c);
    *p = (pattern){.rows = c->rows, .cols = c->cols};
    p->offsets = calloc((size_t)c->rows + 1, sizeof *p->offsets);
    p->columns = malloc(((size_t)c->entries + 1) * sizeof *p->columns);
    for (int64_t k = 0; k < c->entries; k++) {
        fur_scalar entry = entry_get(c->value_type, c->values, places[k].entry);
        bool again = k > 0 && places[k].position == places[k - 1].position;
        int64_t at = again && duplicates != FUR_DUPLICATES_KEEP ? p->entries - 1 : p->entries++;
        if (again && repeated < 0)
            repeated = places[k].position;
        if (again && duplicates == FUR_DUPLICATES_SUM) {
            fur_scalar sum = entry_get(c->value_type, values, at);
            entry = entry_round(c->value_type, fur_complex(sum.re + entry.re, sum.im + entry.im));
        }
        entry_set(c->value_type, values, at, entry);
        p->columns[at] = (int32_t)(places[k].position % c->cols);
        p->offsets[places[k].position / c->cols + 1] = p->entries;
    }
    for (int64_t i = 0; i < c->rows; i++)
        if (p->offsets[i + 1] < p->offsets[i])
            p->offsets[i + 1] = p->offsets[i];
    free(places);
    return repeated;
}

static void check_repeated(fur_context *context, const fur_coo_view *c, int64_t repeated)
{
    char sentence[128];
    fur_csr *a = NULL;
    snprintf(sentence, sizeof sentence, "more than one entry is at (%lld, %lld)",
             (long long)(repeated / c->cols), (long long)(repeated % c->cols));
    ck_fails(context, FUR_INVALID, sentence,
             fur_csr_from_coo(context, c, FUR_DUPLICATES_ERROR, &a));
    ck_assert_ptr_null(a);
}

static void check_from_coo(fur_context *context, const fur_coo_view *c, fur_duplicates duplicates)
{
    pattern p;
    fur_csr *a = NULL;
    void *values = entries_make(c->value_type, c->entries);
    int64_t repeated = assemble(c, duplicates, &p, values);
    if (repeated >= 0 && duplicates == FUR_DUPLICATES_ERROR) {
        check_repeated(context, c, repeated);
    } else {
        fur_csr_view expected = arrays_make(&p, c->value_type, FUR_I32, values);
        ck_ok(context, fur_csr_from_coo(context, c, duplicates, &a));
        fur_csr_view view = *fur_csr_get(a);
        ck_assert(same_arrays(&view, &expected));
        ck_assert_int_eq(fur_csr_check(context, &view),
                         repeated >= 0 && duplicates == FUR_DUPLICATES_KEEP ? FUR_INVALID : FUR_OK);
        fur_csr_destroy(a);
        arrays_release(&expected);
    }
    pattern_release(&p);
    free(values);
}

/* Checks the assembly of the given or sorted entries, which alternate with the numbers of threads
 * and the ways to treat duplicates. */
static void check_coo(rng *r, fur_value_type value, int64_t rows, int64_t cols, int64_t entries)
{
    coo given = coo_random(r, value, rows, cols, entries);
    coo sorted = coo_sorted(&given.view);
    for (int t = 0; t < COUNT_OF(thread_counts); t++) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, thread_counts[t]);
        for (int d = FUR_DUPLICATES_SUM; d <= FUR_DUPLICATES_KEEP; d++) {
            bool in_order = (t + d + (int)value + (int)entries) % 2 != 0;
            check_from_coo(context, in_order ? &sorted.view : &given.view, (fur_duplicates)d);
        }
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
    coo_release(&sorted);
    coo_release(&given);
}

/* The assembly equals a simple one. Sums of single precision are rounded at each step: the double
 * sum of two floats, rounded to float, is their float sum (Figueroa 1995: 53 >= 2 * 24 + 2). Loops
 * over value types. */
START_TEST(coordinates_become_rows)
{
    rng r = rng_stream(2);
    for (int i = 0; i < (TEST_SLOW ? 4 : 60); i++) {
        int64_t rows = 1 + rng_below(&r, 40);
        int64_t cols = 1 + rng_below(&r, 40);
        check_coo(&r, (fur_value_type)_i, rows, cols, rng_below(&r, 3 * rows * cols / 2));
    }
    check_coo(&r, (fur_value_type)_i, 3, 5000, 20000);
    check_coo(&r, (fur_value_type)_i, 5000, 3, 20000);
    check_coo(&r, (fur_value_type)_i, 30, 40000, 5000); /* fewer entries than columns */
    check_coo(&r, (fur_value_type)_i, 400, 300, TEST_SLOW ? 70000 : 150000);
}
END_TEST

/* Entries that share a position keep their order, and the diagonal adds them. */
START_TEST(kept_duplicates_survive_what_is_done_to_them)
{
    static const int32_t swap[] = {1, 0};
    static const double values[] = {1, 2, 3, 4, 5};
    static const double swapped[] = {4, 5, 1, 2, 3};
    static const double transposed[] = {1, 2, 4, 3, 5};
    fur_context *context = context_make(NULL, 2);
    coo c = coo_make(FUR_F64, 2, 2, 5);
    fur_csr *a = NULL;
    fur_csr *b = NULL;
    fur_csr *t = NULL;
    fur_permutation *p = NULL;
    fur_vector *d = NULL;
    memcpy(c.values, values, sizeof values);
    c.col_indices[2] = c.col_indices[4] = 1;
    c.row_indices[3] = c.row_indices[4] = 1;
    ck_ok(context, fur_csr_from_coo(context, &c.view, FUR_DUPLICATES_KEEP, &a));
    ck_ok(context, fur_permutation_create(context, 2, swap, &p));
    ck_ok(context, fur_csr_permute(a, p, NULL, &b));
    ck_ok(context, fur_csr_transpose(a, 0, &t));
    ck_ok(context, fur_csr_diagonal(a, &d));
    ck_assert_mem_eq(fur_csr_get(a)->values, values, sizeof values);
    ck_assert_mem_eq(fur_csr_get(t)->values, transposed, sizeof transposed);
    ck_assert_mem_eq(fur_csr_get(b)->values, swapped, sizeof swapped);
    ck_assert_double_eq(((const double *)fur_vector_data(d))[0], 1 + 2);
    ck_assert_double_eq(((const double *)fur_vector_data(d))[1], 5);
    fur_vector_destroy(d);
    fur_csr_destroy(t);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_permutation_destroy(p);
    coo_release(&c);
    fur_context_destroy(context);
}
END_TEST

START_TEST(no_coordinates_are_an_empty_matrix)
{
    static const int64_t sizes[] = {0, 1, 7};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < COUNT_OF(sizes) * COUNT_OF(sizes); i++) {
        fur_coo_view c = {
            .size = sizeof c, .rows = sizes[i / 3], .cols = sizes[i % 3], .value_type = FUR_C64};
        fur_csr *a = NULL;
        ck_ok(context, fur_csr_from_coo(context, &c, FUR_DUPLICATES_ERROR, &a));
        fur_csr_view view = *fur_csr_get(a);
        ck_assert(view.rows == c.rows && view.cols == c.cols && view.entries == 0);
        ck_valid(a);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* The largest possible column index is preserved. */
START_TEST(the_largest_column_is_kept)
{
    fur_context *context = context_make(NULL, 2);
    coo c = coo_make(FUR_F32, 2, INT32_MAX, 3);
    c.row_indices[2] = 1;
    c.col_indices[1] = c.col_indices[2] = INT32_MAX - 1;
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &c.view, FUR_DUPLICATES_ERROR, &a));
    fur_csr_view view = *fur_csr_get(a);
    ck_assert_int_eq(view.columns[1], INT32_MAX - 1);
    ck_assert_int_eq(view.columns[2], INT32_MAX - 1);
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    ck_ok(context, fur_csr_measure(a, &figures));
    ck_assert_int_eq(figures.bandwidth, INT32_MAX - 1);
    fur_csr_destroy(a);
    coo_release(&c);
    fur_context_destroy(context);
}
END_TEST

START_TEST(wrong_coordinates_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    static const int32_t in[] = {0, 1, 2};
    static const int32_t negative[] = {0, -1, 5};
    static const int32_t beyond[] = {0, 1, 4};
    static const double values[] = {1, 2, 3};
    const struct {
        fur_coo_view view;
        fur_status status;
        const char *sentence;
    } cases[] = {
        {{sizeof(fur_coo_view), -1, 4, 3, FUR_F64, in, in, values},
         FUR_INVALID,
         "a matrix cannot have -1 rows, 4 columns and 3 entries"},
        {{sizeof(fur_coo_view), 4, 4, -3, FUR_F64, in, in, values},
         FUR_INVALID,
         "a matrix cannot have 4 rows, 4 columns and -3 entries"},
        {{sizeof(fur_coo_view), 4, 3000000000, 3, FUR_F64, in, in, values},
         FUR_OVERFLOW,
         "4 rows and 3000000000 columns: each must be at most 2147483647"},
        {{sizeof(fur_coo_view), 4, 4, 3, (fur_value_type)5, in, in, values},
         FUR_INVALID,
         "5 is not a value type"},
        {{sizeof(fur_coo_view), 4, 4, 3, FUR_F64, NULL, in, values},
         FUR_INVALID,
         "an array is NULL, but has to hold 3 entries"},
        {{sizeof(fur_coo_view), 4, 4, 3, FUR_F64, in, NULL, values},
         FUR_INVALID,
         "an array is NULL, but has to hold 3 entries"},
        {{sizeof(fur_coo_view), 4, 4, 3, FUR_F64, in, in, NULL},
         FUR_INVALID,
         "an array is NULL, but has to hold 3 entries"},
        {{sizeof(fur_coo_view), 4, 4, 3, FUR_F64, negative, in, values},
         FUR_INVALID,
         "entry 2 is at (0, 2), counting from 1, outside the 4 x 4 matrix; indices in memory count "
         "from 0"},
        {{sizeof(fur_coo_view), 4, 4, 3, FUR_F64, in, negative, values},
         FUR_INVALID,
         "entry 2 is at (2, 0), counting from 1, outside the 4 x 4 matrix; indices in memory count "
         "from 0"},
        {{sizeof(fur_coo_view), 4, 4, 3, FUR_F64, beyond, in, values},
         FUR_INVALID,
         "entry 3 is at (5, 3), counting from 1, outside the 4 x 4 matrix; indices in memory count "
         "from 0"},
        {{sizeof(fur_coo_view), 4, 4, 3, FUR_F64, in, beyond, values},
         FUR_INVALID,
         "entry 3 is at (3, 5), counting from 1, outside the 4 x 4 matrix; indices in memory count "
         "from 0"},
        {{sizeof(fur_coo_view), 0, 4, 1, FUR_F64, in, in, values},
         FUR_INVALID,
         "entry 1 is at (1, 1), counting from 1, outside the 0 x 4 matrix; indices in memory count "
         "from 0"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_csr *a = NULL;
        ck_fails(context, cases[i].status, cases[i].sentence,
                 fur_csr_from_coo(context, &cases[i].view, FUR_DUPLICATES_SUM, &a));
        ck_assert_ptr_null(a);
    }
    fur_context_destroy(context);
}
END_TEST

static void count_release(void *user)
{
    ++*(int *)user;
}

START_TEST(what_a_matrix_keeps_is_released_once)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    const int32_t offsets[] = {0, 1}, columns[] = {0};
    const double values[] = {1};
    const fur_csr_view view = {sizeof view, 1, 1, 1, FUR_F64, FUR_I32, offsets, columns, values};
    int releases = 0, others = 0;
    fur_csr *a = NULL, *b = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_BORROW, &a));
    ck_fails(context, FUR_INVALID, "fur_csr_on_destroy was given NULL for release",
             fur_csr_on_destroy(a, NULL, &others));
    ck_ok(context, fur_csr_on_destroy(a, count_release, &releases));
    ck_fails(context, FUR_INVALID,
             "the matrix has a release function already; let that function release both objects",
             fur_csr_on_destroy(a, count_release, &others));
    ck_ok(context, fur_csr_transfer(a, context, &b));
    ck_assert_ptr_ne(fur_csr_get(b)->offsets, offsets);
    ck_assert_ptr_ne(fur_csr_get(b)->columns, columns);
    ck_assert_ptr_ne(fur_csr_get(b)->values, values);
    fur_csr_destroy(b);
    ck_assert_int_eq(releases, 0);
    fur_csr_destroy(a);
    ck_assert_int_eq(releases, 1);
    ck_assert_int_eq(others, 0);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(values_outside_the_enumerations_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    const int32_t index[] = {0};
    const double values[] = {1};
    const int32_t offsets[] = {0, 1};
    fur_coo_view entry = {sizeof entry, 1, 1, 1, FUR_F64, index, index, values};
    fur_csr_view view = {sizeof view, 1, 1, 1, FUR_F64, FUR_I32, offsets, index, values};
    fur_csr *a = NULL;
    ck_fails(context, FUR_INVALID, "4 is not a way to treat duplicates",
             fur_csr_from_coo(context, &entry, (fur_duplicates)4, &a));
    ck_fails(context, FUR_INVALID,
             "3 is not an ownership; use FUR_OWNERSHIP_COPY, FUR_OWNERSHIP_BORROW or "
             "FUR_OWNERSHIP_ADOPT",
             fur_csr_create(context, &view, (fur_ownership)3, &a));
    ck_assert_ptr_null(a);
    fur_context_destroy(context);
}
END_TEST

static void transpose(const fur_csr *a, rng r, fur_csr **out)
{
    (void)r;
    ck_ok(fur_csr_context(a), fur_csr_transpose(a, 0, out));
}

static void check_transposed(const fur_csr *a, bool conjugate)
{
    fur_csr *t = NULL;
    fur_csr *back = NULL;
    ck_ok(fur_csr_context(a), fur_csr_transpose(a, conjugate, &t));
    fur_csr_view p = *fur_csr_get(a);
    fur_csr_view q = *fur_csr_get(t);
    ck_valid(t);
    ck_assert(q.rows == p.cols && q.cols == p.rows && q.entries == p.entries);
    ck_assert(q.value_type == p.value_type && q.offset_type == p.offset_type);
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t k = offset_at(&p, i); k < offset_at(&p, i + 1); k += 1 + p.entries / SAMPLES)
            ck_same_entry(&p, k, &q, find(&q, p.columns[k], i), conjugate);
    ck_ok(fur_csr_context(a), fur_csr_transpose(t, conjugate, &back));
    ck_same(back, a);
    fur_csr_destroy(back);
    fur_csr_destroy(t);
}

static void check_transpose(const fur_csr *a, rng *r)
{
    fur_csr *t = NULL;
    check_transposed(a, false);
    check_transposed(a, true);
    transpose(a, *r, &t);
    ck_threads_agree(a, *r, t, transpose);
    fur_csr_destroy(t);
}

START_TEST(transposition_exchanges_rows_and_columns)
{
    for_every_matrix(check_transpose);
}
END_TEST

/* Permutes by random orders that depend only on r. */
static void permute(const fur_csr *a, rng r, fur_csr **out)
{
    fur_context *context = fur_csr_context(a);
    fur_permutation *rows = permutation_random(context, &r, fur_csr_get(a)->rows);
    fur_permutation *cols = permutation_random(context, &r, fur_csr_get(a)->cols);
    ck_ok(context, fur_csr_permute(a, rows, cols, out));
    fur_permutation_destroy(cols);
    fur_permutation_destroy(rows);
}

static void check_permute(const fur_csr *a, rng *r)
{
    fur_csr *b = NULL;
    permute(a, *r, &b);
    ck_valid(b);
    ck_threads_agree(a, *r, b, permute);
    fur_csr_destroy(b);
}

START_TEST(permuted_matrices_are_valid_for_any_threads)
{
    for_every_matrix(check_permute);
}
END_TEST

static void check_diagonal(const fur_csr *a, rng *r)
{
    (void)r;
    fur_csr_view p = *fur_csr_get(a);
    fur_vector *d = NULL;
    int64_t n = p.rows < p.cols ? p.rows : p.cols;
    ck_ok(fur_csr_context(a), fur_csr_diagonal(a, &d));
    ck_assert(fur_vector_size(d) == n && fur_vector_value_type(d) == p.value_type);
    void *expected = entries_make(p.value_type, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = find(&p, i, i);
        if (k >= 0)
            entry_set(p.value_type, expected, i, entry_get(p.value_type, p.values, k));
    }
    ck_assert_int_eq(first_difference(p.value_type, n, fur_vector_data(d), expected), -1);
    free(expected);
    fur_vector_destroy(d);
}

START_TEST(the_diagonal_has_zeros_where_nothing_is_stored)
{
    for_every_matrix(check_diagonal);
}
END_TEST

/* Checks conversions of real matrices to all value types and of complex ones to complex types, with
 * every offset width. */
static void check_conversions(const fur_csr *a, rng *r)
{
    (void)r;
    fur_csr_view p = *fur_csr_get(a);
    for (int type = 0; type < FUR_VALUE_COUNT * FUR_OFFSET_COUNT; type++) {
        fur_value_type value = (fur_value_type)(type % FUR_VALUE_COUNT);
        fur_csr *b = NULL;
        if (value_is_complex(p.value_type) && !value_is_complex(value))
            continue;
        ck_ok(fur_csr_context(a),
              fur_csr_convert(a, value, (fur_offset_type)(type / FUR_VALUE_COUNT), &b));
        fur_csr_view q = *fur_csr_get(b);
        ck_assert(q.value_type == value &&
                  q.offset_type == (fur_offset_type)(type / FUR_VALUE_COUNT));
        ck_assert(q.rows == p.rows && q.cols == p.cols && q.entries == p.entries);
        ck_assert(same_bytes(q.columns, p.columns, p.entries, sizeof(int32_t)));
        ck_valid(b);
        void *expected = entries_make(value, p.entries);
        for (int64_t k = 0; k < p.entries; k++)
            entry_set(value, expected, k, entry_get(p.value_type, p.values, k));
        ck_assert_int_eq(first_difference(value, p.entries, q.values, expected), -1);
        free(expected);
        fur_csr_destroy(b);
    }
}

START_TEST(conversion_keeps_pattern_and_numbers)
{
    for_every_matrix(check_conversions);
}
END_TEST

START_TEST(conversion_names_what_it_cannot_keep)
{
    fur_context *context = context_make(NULL, 2);
    coo c = coo_make(FUR_C128, 3, 9, 3);
    for (int32_t e = 0; e < 3; e++) {
        c.row_indices[e] = e;
        c.col_indices[e] = 3 * e;
        entry_set(FUR_C128, c.values, e, fur_complex(1, e));
    }
    fur_csr *a = NULL;
    fur_csr *b = NULL;
    ck_ok(context, fur_csr_from_coo(context, &c.view, FUR_DUPLICATES_ERROR, &a));
    ck_fails(context, FUR_INVALID,
             "entry (2, 4), counting from 1, has an imaginary part, which type f64 cannot hold",
             fur_csr_convert(a, FUR_F64, FUR_I64, &b));
    ck_fails(context, FUR_INVALID, "7 is not a value type, or 0 is not an offset type",
             fur_csr_convert(a, (fur_value_type)7, FUR_I32, &b));
    ck_fails(context, FUR_INVALID, "1 is not a value type, or 3 is not an offset type",
             fur_csr_convert(a, FUR_F64, (fur_offset_type)3, &b));
    ck_assert_ptr_null(b);
    fur_csr_destroy(a);
    coo_release(&c);
    fur_context_destroy(context);
}
END_TEST

/* Returns a 2 x cols matrix with the entries 1 at (0, 0) and `second` at (row, col). */
static fur_csr *two_entries(fur_context *context, int64_t cols, int32_t row, int32_t col,
                            double second, fur_value_type value, fur_offset_type offset)
{
    coo c = coo_make(value, 2, cols, 2);
    fur_csr *a = NULL;
    fur_csr *b = NULL;
    c.row_indices[1] = row;
    c.col_indices[1] = col;
    entry_set(value, c.values, 0, fur_real(1));
    entry_set(value, c.values, 1, fur_real(second));
    ck_ok(context, fur_csr_from_coo(context, &c.view, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_convert(a, value, offset, &b));
    fur_csr_destroy(a);
    coo_release(&c);
    return b;
}

/* Matrices are compared bit by bit: -0 differs from 0, and a NaN equals itself. */
START_TEST(comparison_sees_every_difference)
{
    fur_context *context = context_make(NULL, 1);
    const struct {
        fur_csr *a;
        int equal;
    } cases[] = {
        {two_entries(context, 3, 1, 1, 0.0, FUR_F64, FUR_I32), 1},
        {two_entries(context, 3, 1, 1, 0.0, FUR_F64, FUR_I64), 1},
        {two_entries(context, 4, 1, 1, 0.0, FUR_F64, FUR_I32), 0},
        {two_entries(context, 3, 0, 1, 0.0, FUR_F64, FUR_I32), 0},
        {two_entries(context, 3, 1, 2, 0.0, FUR_F64, FUR_I32), 0},
        {two_entries(context, 3, 1, 1, -0.0, FUR_F64, FUR_I32), 0},
        {two_entries(context, 3, 1, 1, NAN, FUR_F64, FUR_I32), 0},
        {two_entries(context, 3, 1, 1, 0.0, FUR_C128, FUR_I32), 0},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        int equal = -1;
        ck_ok(context, fur_csr_compare(cases[0].a, cases[i].a, &equal));
        ck_assert_int_eq(equal, cases[i].equal);
        ck_ok(context, fur_csr_compare(cases[i].a, cases[i].a, &equal));
        ck_assert_int_eq(equal, 1);
    }
    for (int i = 0; i < COUNT_OF(cases); i++)
        fur_csr_destroy(cases[i].a);
    fur_context_destroy(context);
}
END_TEST

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static fur_csr_statistics naive_figures(const fur_csr_view *a)
{
    fur_csr_statistics s = {.size = sizeof s};
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t length = offset_at(a, i + 1) - offset_at(a, i);
        int64_t first = i;
        s.row_min = i == 0 || length < s.row_min ? length : s.row_min;
        s.row_max = larger(s.row_max, length);
        s.empty_rows += length == 0;
        for (int64_t k = offset_at(a, i); k < offset_at(a, i + 1); k++) {
            int64_t j = a->columns[k];
            s.bandwidth = larger(s.bandwidth, i > j ? i - j : j - i);
            first = j < first ? j : first;
        }
        s.profile += i - first;
    }
    s.row_mean = a->rows > 0 ? (double)a->entries / (double)a->rows : 0;
    return s;
}

static void check_figures(const fur_csr *a, rng *r)
{
    (void)r;
    fur_csr_statistics s = FUR_DEFAULT(fur_csr_statistics);
    fur_csr_view view = *fur_csr_get(a);
    fur_csr_statistics expected = naive_figures(&view);
    ck_ok(fur_csr_context(a), fur_csr_measure(a, &s));
    ck_assert_int_eq(s.row_min, expected.row_min);
    ck_assert_int_eq(s.row_max, expected.row_max);
    ck_assert_int_eq(s.empty_rows, expected.empty_rows);
    ck_assert_int_eq(s.bandwidth, expected.bandwidth);
    ck_assert_int_eq(s.profile, expected.profile);
    ck_assert_double_eq(s.row_mean, expected.row_mean);
}

START_TEST(figures_of_the_pattern_are_right)
{
    for_every_matrix(check_figures);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, matrices_copy_borrow_or_adopt);
    tcase_add_test(tests, every_broken_invariant_is_named);
    tcase_add_test(tests, the_first_of_many_faulty_rows_is_named);
    tcase_add_turns(tests, coordinates_become_rows, FUR_VALUE_COUNT, 2);
    tcase_add_test(tests, kept_duplicates_survive_what_is_done_to_them);
    tcase_add_test(tests, no_coordinates_are_an_empty_matrix);
    tcase_add_test(tests, the_largest_column_is_kept);
    tcase_add_test(tests, wrong_coordinates_are_refused);
    tcase_add_test(tests, what_a_matrix_keeps_is_released_once);
    tcase_add_test(tests, values_outside_the_enumerations_are_refused);
    tcase_add_test(tests, transposition_exchanges_rows_and_columns);
    tcase_add_test(tests, permuted_matrices_are_valid_for_any_threads);
    tcase_add_test(tests, the_diagonal_has_zeros_where_nothing_is_stored);
    tcase_add_test(tests, conversion_keeps_pattern_and_numbers);
    tcase_add_test(tests, conversion_names_what_it_cannot_keep);
    tcase_add_test(tests, comparison_sees_every_difference);
    tcase_add_test(tests, figures_of_the_pattern_are_right);
}

int main(void)
{
    return run_tests("csr", add_tests);
}
