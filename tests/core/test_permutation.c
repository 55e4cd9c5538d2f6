/* Permutations: valid and invalid ones. Permuting vectors, matrices and operators and back restores
 * every bit. Results are compared with simple implementations. */
#include "support.h"

#include <string.h>

static const int thread_counts[] = {1, 2, 3, 8};

static fur_permutation *make(fur_context *context, int64_t n, const int32_t *order)
{
    fur_permutation *p = NULL;
    ck_ok(context, fur_permutation_create(context, n, order, &p));
    return p;
}

/* Returns a copy on the host, or NULL for NULL. */
static fur_permutation *on_host(const fur_permutation *p)
{
    fur_permutation *copy = NULL;
    if (p)
        ck_ok(fur_permutation_context(p),
              fur_permutation_transfer(p, fur_context_host(fur_permutation_context(p)), &copy));
    return copy;
}

static void ck_inverse(const fur_permutation *p, int64_t n, const int32_t *order)
{
    fur_permutation *near = on_host(p);
    ck_assert_int_eq(fur_permutation_size(p), n);
    ck_assert_int_eq(fur_permutation_size(near), n);
    for (int64_t i = 0; i < n; i++)
        if (fur_permutation_order(near)[i] != order[i] ||
            fur_permutation_position(near)[order[i]] != (int32_t)i)
            ck_abort_msg("place %lld of %lld", (long long)i, (long long)n);
    fur_permutation_destroy(near);
}

START_TEST(a_permutation_is_an_order_and_its_inverse)
{
    static const int64_t sizes[] = {0, 1, 2, 1000, 200000};
    rng r = rng_stream(1);
    for (int i = 0; i < COUNT_OF(sizes) * COUNT_OF(thread_counts); i++) {
        memory m = {0};
        int64_t n = sizes[i / COUNT_OF(thread_counts)];
        fur_context *context =
            context_counting(&m, NULL, thread_counts[i % COUNT_OF(thread_counts)]);
        int32_t *order = rng_order(&r, n);
        fur_permutation *p = make(context, n, order);
        fur_permutation *copy = NULL;
        fur_permutation *again = make(context, n, fur_permutation_order(p)); /* on the device */
        ck_ok(context, fur_permutation_transfer(p, context, &copy));
        ck_assert_ptr_eq(fur_permutation_context(p), context);
        ck_inverse(p, n, order);
        fur_permutation_destroy(p);
        ck_inverse(copy, n, order);
        ck_inverse(again, n, order);
        fur_permutation_destroy(again);
        fur_permutation_destroy(copy);
        free(order);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
    fur_permutation_destroy(NULL);
}
END_TEST

START_TEST(no_order_is_the_identity)
{
    static const int32_t identity[] = {0, 1, 2, 3};
    fur_context *context = context_make(NULL, 2);
    fur_permutation *p = make(context, 4, NULL);
    ck_inverse(p, 4, identity);
    fur_permutation_destroy(p);
    fur_context_destroy(context);
}
END_TEST

typedef struct wrong {
    const char *sentence;
    int32_t order[4];
} wrong;

static const wrong wrongs[] = {
    {"the order has 1 at positions 0 and 2; it must be a permutation", {1, 0, 1, 3}},
    {"the order has 4 at position 3; it must be a permutation of 0 .. 3", {0, 1, 2, 4}},
    {"the order has -1 at position 0; it must be a permutation of 0 .. 3", {-1, 1, 2, 3}},
    {"the order has -2147483648 at position 1; it must be a permutation of 0 .. 3",
     {0, INT32_MIN, 2, 3}},
    {"the order has 2147483647 at position 1; it must be a permutation of 0 .. 3",
     {0, INT32_MAX, 2, 3}},
    /* If several positions are wrong, the message names the first. */
    {"the order has 3 at positions 0 and 1; it must be a permutation", {3, 3, 9, -1}},
    {"the order has 9 at position 1; it must be a permutation of 0 .. 3", {3, 9, 3, -1}},
};

START_TEST(what_is_no_permutation_is_refused)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    int64_t outstanding = m.outstanding;
    fur_permutation *p = NULL;
    for (int i = 0; i < COUNT_OF(wrongs); i++)
        ck_fails(context, FUR_INVALID, wrongs[i].sentence,
                 fur_permutation_create(context, 4, wrongs[i].order, &p));
    ck_fails(context, FUR_INVALID, "a permutation cannot have -1 numbers",
             fur_permutation_create(context, -1, NULL, &p));
    ck_fails(context, FUR_OVERFLOW,
             "a permutation of 2147483648 numbers is too long; the limit is 2147483647",
             fur_permutation_create(context, INT64_C(1) << 31, NULL, &p));
    ck_assert_ptr_null(p);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_context_destroy(context);
}
END_TEST

/* With two faults at random positions, the message names the first, for any number of threads. */
START_TEST(the_first_of_many_faults_is_named)
{
    enum { N = 150000 };
    rng r = rng_stream(2);
    int32_t *order = rng_order(&r, N);
    int64_t low = 5 + rng_below(&r, N / 2);
    int64_t high = low + 1 + rng_below(&r, N / 3);
    char sentence[200];
    order[low] = order[3];
    order[high] = -7;
    snprintf(sentence, sizeof sentence,
             "the order has %d at positions 3 and %lld; it must be a permutation", order[3],
             (long long)low);
    for (int t = 0; t < COUNT_OF(thread_counts); t++) {
        fur_context *context = context_make(NULL, thread_counts[t]);
        fur_permutation *p = NULL;
        ck_fails(context, FUR_INVALID, sentence, fur_permutation_create(context, N, order, &p));
        ck_assert_ptr_null(p);
        fur_context_destroy(context);
    }
    free(order);
}
END_TEST

static void check_vectors(fur_context *context, rng *r, fur_value_type value, int64_t n)
{
    int32_t *order = rng_order(r, n);
    fur_permutation *p = make(context, n, order);
    fur_vector *x = vector_random(context, r, value, n);
    fur_vector *y = vector_random(context, r, value, n);
    fur_vector *z = vector_random(context, r, value, n);
    size_t size = fur_value_size(value);
    ck_ok(context, fur_vector_permute(p, x, y));
    ck_ok(context, fur_vector_unpermute(p, y, z));
    char *from = vector_entries(x);
    char *to = vector_entries(y);
    for (int64_t i = 0; i < n; i++)
        if (memcmp(to + (size_t)i * size, from + (size_t)order[i] * size, size) != 0)
            ck_abort_msg("entry %lld of %lld", (long long)i, (long long)n);
    ck_same_bits(z, x);
    free(to);
    free(from);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_permutation_destroy(p);
    free(order);
}

/* Permuting a vector and back restores every bit. Loops over value types. */
START_TEST(vectors_go_forth_and_back)
{
    rng r = rng_stream(3);
    for (int t = 0; t < COUNT_OF(thread_counts); t++) {
        fur_context *context = context_make(NULL, thread_counts[t]);
        check_vectors(context, &r, (fur_value_type)_i, 0);
        check_vectors(context, &r, (fur_value_type)_i, 1);
        check_vectors(context, &r, (fur_value_type)_i, 77777);
        fur_context_destroy(context);
    }
}
END_TEST

START_TEST(vectors_that_do_not_fit_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    rng r = rng_stream(4);
    fur_permutation *p = make(context, 5, NULL);
    fur_permutation *foreign = make(other, 5, NULL);
    fur_vector *x = vector_random(context, &r, FUR_F64, 4);
    fur_vector *y = vector_random(context, &r, FUR_F64, 4);
    fur_vector *z = vector_random(context, &r, FUR_F32, 4);
    ck_fails(context, FUR_INVALID, "the vectors have 4 entries, but the permutation has 5 numbers",
             fur_vector_permute(p, x, y));
    ck_fails(context, FUR_INVALID,
             "the vectors have entries of types f64 and f32; they need the same type: convert one",
             fur_vector_unpermute(p, x, z));
    ck_fails(other, FUR_INVALID, "the vectors belong to another context than the permutation",
             fur_vector_unpermute(foreign, x, y));
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_permutation_destroy(foreign);
    fur_permutation_destroy(p);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

/* An entry of a row: its new column and its index k in the original matrix. */
typedef struct entry {
    int32_t column;
    int64_t k;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *p = a;
    const entry *q = b;
    int columns = (p->column > q->column) - (p->column < q->column);
    return columns ? columns : (p->k > q->k) - (p->k < q->k);
}

/* Checks row i of B against row `row` of A, which the C library sorts. */
static void check_row(const fur_csr_view *b, int64_t i, const fur_csr_view *a, int64_t row,
                      const fur_permutation *cols)
{
    int64_t begin = offset_at(a, row);
    int64_t length = offset_at(a, row + 1) - begin;
    size_t size = fur_value_size(a->value_type);
    entry *sorted = malloc((size_t)length * sizeof *sorted + 1);
    for (int64_t k = 0; k < length; k++) {
        int32_t column = a->columns[begin + k];
        sorted[k].column = cols ? fur_permutation_position(cols)[column] : column;
        sorted[k].k = begin + k;
    }
    qsort(sorted, (size_t)length, sizeof *sorted, compare_entries);
    if (offset_at(b, i + 1) - offset_at(b, i) != length)
        ck_abort_msg("row %lld has another length", (long long)i);
    for (int64_t k = 0; k < length; k++) {
        int64_t at = offset_at(b, i) + k;
        if (b->columns[at] != sorted[k].column ||
            memcmp((const char *)b->values + (size_t)at * size,
                   (const char *)a->values + (size_t)sorted[k].k * size, size) != 0)
            ck_abort_msg("entry %lld of row %lld", (long long)k, (long long)i);
    }
    free(sorted);
}

static void check_permuted(const fur_csr *a, const fur_permutation *rows,
                           const fur_permutation *cols)
{
    fur_csr *b = NULL;
    ck_ok(fur_csr_context(a), fur_csr_permute(a, rows, cols, &b));
    fur_permutation *near_rows = on_host(rows);
    fur_permutation *near_cols = on_host(cols);
    fur_csr *from = matrix_near(a);
    fur_csr *to = matrix_near(b);
    fur_csr_view p = *fur_csr_get(from);
    fur_csr_view q = *fur_csr_get(to);
    ck_assert(q.rows == p.rows && q.cols == p.cols && q.entries == p.entries);
    ck_assert(q.value_type == p.value_type && q.offset_type == p.offset_type &&
              offset_at(&q, 0) == 0);
    for (int64_t i = 0; i < p.rows; i++)
        check_row(&q, i, &p, rows ? fur_permutation_order(near_rows)[i] : i, near_cols);
    fur_csr_destroy(to);
    fur_csr_destroy(from);
    fur_permutation_destroy(near_cols);
    fur_permutation_destroy(near_rows);
    fur_csr_destroy(b);
}

/* Checks that the inverse permutations of rows and columns restore the matrix. */
static void check_round_trip(const fur_csr *a, const fur_permutation *rows,
                             const fur_permutation *cols)
{
    fur_context *context = fur_csr_context(a);
    fur_permutation *row_back =
        make(context, fur_permutation_size(rows), fur_permutation_position(rows));
    fur_permutation *col_back =
        make(context, fur_permutation_size(cols), fur_permutation_position(cols));
    fur_csr *there = NULL;
    fur_csr *back = NULL;
    int equal = 0;
    ck_ok(context, fur_csr_permute(a, rows, cols, &there));
    ck_ok(context, fur_csr_permute(there, row_back, col_back, &back));
    ck_ok(context, fur_csr_compare(a, back, &equal));
    ck_assert_int_eq(equal, 1);
    fur_csr_destroy(back);
    fur_csr_destroy(there);
    fur_permutation_destroy(col_back);
    fur_permutation_destroy(row_back);
}

static void check_matrix(const fur_csr *a, rng *r)
{
    fur_csr_view view = *fur_csr_get(a);
    fur_permutation *rows = permutation_random(fur_csr_context(a), r, view.rows);
    fur_permutation *cols = permutation_random(fur_csr_context(a), r, view.cols);
    check_permuted(a, rows, cols);
    check_permuted(a, rows, NULL);
    check_permuted(a, NULL, cols);
    check_permuted(a, NULL, NULL);
    check_round_trip(a, rows, cols);
    fur_permutation_destroy(cols);
    fur_permutation_destroy(rows);
}

/* A permuted matrix has renumbered, sorted rows. Loops over shapes. */
START_TEST(matrices_are_renumbered_and_sorted)
{
    for (int type = 0; type < FUR_VALUE_COUNT * FUR_OFFSET_COUNT; type++) {
        memory m = {0};
        rng r = rng_stream((uint64_t)(100 * _i + type));
        fur_context *context =
            context_counting(&m, NULL, thread_counts[(_i + type) % COUNT_OF(thread_counts)]);
        fur_csr *a =
            matrix_random(context, &r, &shapes[_i], (fur_value_type)(type % FUR_VALUE_COUNT),
                          (fur_offset_type)(type / FUR_VALUE_COUNT));
        check_matrix(a, &r);
        fur_csr_destroy(a);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
}
END_TEST

/* The matrix has so few columns that most positions occur several times, in short and long rows.
 * Their order is preserved. */
START_TEST(kept_duplicates_stay_in_their_order)
{
    enum { ENTRIES = 6000 };
    static int32_t rows[ENTRIES];
    static int32_t cols[ENTRIES];
    rng r = rng_stream(5);
    fur_context *context = context_make(NULL, 3);
    for (int e = 0; e < ENTRIES; e++) {
        rows[e] = (int32_t)(e < ENTRIES / 2 ? rng_below(&r, 2) : rng_below(&r, 300));
        cols[e] = (int32_t)rng_below(&r, 5 + _i * 300);
    }
    void *values = entries_random(&r, (fur_value_type)_i, ENTRIES);
    fur_coo_view coo = {sizeof coo, 300, 1000, ENTRIES, (fur_value_type)_i, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    fur_permutation *p = permutation_random(context, &r, coo.rows);
    fur_permutation *q = permutation_random(context, &r, coo.cols);
    check_permuted(a, p, q);
    check_permuted(a, NULL, q);
    fur_permutation_destroy(q);
    fur_permutation_destroy(p);
    fur_csr_destroy(a);
    free(values);
    fur_context_destroy(context);
}
END_TEST

/* P^T (P D P^T) P x = D x is exact, because D has one entry in each row. Loops over value types. */
START_TEST(a_permuted_operator_is_the_original_one)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(6);
    const shape *s = &shapes[shape_find("diagonal")];
    fur_csr *a = matrix_random(context, &r, s, (fur_value_type)_i, FUR_I32);
    fur_permutation *p = permutation_random(context, &r, s->rows);
    fur_vector *x = vector_random(context, &r, (fur_value_type)_i, s->rows);
    fur_vector *y = vector_random(context, &r, (fur_value_type)_i, s->rows);
    fur_vector *d = NULL;
    fur_csr *b = NULL;
    fur_spmv *plan = NULL;
    fur_operator *inner = NULL;
    fur_operator *op = NULL;
    ck_ok(context, fur_csr_permute(a, p, p, &b));
    ck_ok(context, fur_spmv_plan(b, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &inner));
    ck_ok(context, fur_operator_permute(inner, p, &op));
    ck_ok(context, fur_operator_apply(op, x, y));
    ck_ok(context, fur_csr_diagonal(a, &d));
    ck_ok(context, fur_multiply_elementwise(d, x, x));
    ck_same_bits(x, y);
    fur_operator_destroy(op);
    fur_operator_destroy(inner);
    fur_spmv_destroy(plan);
    fur_csr_destroy(b);
    fur_vector_destroy(d);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_permutation_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(orders_that_do_not_fit_a_matrix_are_refused)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_context *other = context_make(NULL, 1);
    fur_coo_view none = {.size = sizeof none, .rows = 3, .cols = 4, .value_type = FUR_F64};
    fur_permutation *p = make(context, 3, NULL);
    fur_permutation *foreign = make(other, 3, NULL);
    fur_csr *a = NULL;
    fur_csr *b = NULL;
    ck_ok(context, fur_csr_from_coo(context, &none, FUR_DUPLICATES_ERROR, &a));
    int64_t outstanding = m.outstanding;
    ck_fails(context, FUR_INVALID, "the column order has 3 numbers, but the matrix has 4 columns",
             fur_csr_permute(a, p, p, &b));
    ck_fails(context, FUR_INVALID, "the row order belongs to another context than the matrix",
             fur_csr_permute(a, foreign, NULL, &b));
    ck_assert_ptr_null(b);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_csr_destroy(a);
    fur_permutation_destroy(foreign);
    fur_permutation_destroy(p);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_permutation_is_an_order_and_its_inverse);
    tcase_add_test(tests, no_order_is_the_identity);
    tcase_add_test(tests, what_is_no_permutation_is_refused);
    tcase_add_test(tests, the_first_of_many_faults_is_named);
    tcase_add_loop_test(tests, vectors_go_forth_and_back, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, vectors_that_do_not_fit_are_refused);
    tcase_add_loop_test(tests, matrices_are_renumbered_and_sorted, 0, shape_count);
    tcase_add_loop_test(tests, kept_duplicates_stay_in_their_order, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_permuted_operator_is_the_original_one, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, orders_that_do_not_fit_a_matrix_are_refused);
}

int main(void)
{
    return run_tests("permutation", add_tests);
}
