/* Preconditioners by blocks of rows: inverses against the blocks themselves, blocks that are found,
 * known iterations, and what is refused. */
#include "poisson.h"

#include <math.h>
#include <string.h>

static fur_precond *precond_make(const fur_csr *a, const fur_precond_options *o)
{
    fur_precond *p = NULL;
    ck_ok(fur_csr_context(a), fur_precond_create(a, o, &p));
    return p;
}

/* n rows in blocks of `size`, the last maybe smaller: dense blocks in whose rows one entry, in
 * another column for each row, is larger than all others together; and `most` in 1000 of the
 * entries elsewhere, of any size. */
static fur_csr *make(fur_context *context, rng *r, int64_t n, int64_t size, int most,
                     fur_value_type value)
{
    size_t all = (size_t)(n * n) + 1;
    int32_t *row = malloc(all * sizeof *row);
    int32_t *col = malloc(all * sizeof *col);
    void *values = entries_make(value, n * n + 1);
    int64_t count = 0;
    for (int64_t k = 0; k < n * n; k++) {
        int64_t i = k / n;
        int64_t j = k % n;
        int64_t first = i / size * size;
        int64_t here = first + size < n ? size : n - first;
        if (j / size != i / size && rng_below(r, 1000) >= most)
            continue;
        fur_scalar v = rng_scalar(r, value);
        if (j == first + (i - first + 1) % here)
            v.re += 3 * (double)size;
        row[count] = (int32_t)i;
        col[count] = (int32_t)j;
        entry_set(value, values, count++, v);
    }
    fur_coo_view coo = {sizeof coo, n, n, count, value, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    free(values);
    free(col);
    free(row);
    return a;
}

/* A with what is outside of the blocks left out. */
static fur_csr *blocks_of(const fur_csr *a, int64_t size)
{
    const fur_csr_view *v = fur_csr_get(a);
    fur_csr *out = NULL;
    int32_t *row = malloc((size_t)(v->entries + 1) * sizeof *row);
    int32_t *col = malloc((size_t)(v->entries + 1) * sizeof *col);
    void *values = entries_make(v->value_type, v->entries + 1);
    int64_t count = 0;
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            if (v->columns[k] / size == i / size) {
                row[count] = (int32_t)i;
                col[count] = v->columns[k];
                entry_set(v->value_type, values, count++, entry_get(v->value_type, v->values, k));
            }
    fur_coo_view coo = {sizeof coo, v->rows, v->rows, count, v->value_type, row, col, values};
    ck_ok(fur_csr_context(a),
          fur_csr_from_coo(fur_csr_context(a), &coo, FUR_DUPLICATES_ERROR, &out));
    free(values);
    free(col);
    free(row);
    return out;
}

/* B M r = r for the blocks B. Rows of a block have norms up to w = 5 k for k rows, their inverses
 * norms of at most 1 / k; an inverse by Gauss and Jordan leaves a residual of at most 8 k u
 * |B||X||B||X| (Higham 2002, section 14.4), which is 200 k u w max |z| here, and the products add a
 * few u w. */
static void check_inverse(const fur_csr *a, int64_t size, fur_precond *p, rng *r)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    int64_t n = fur_csr_get(a)->rows;
    fur_csr *b = blocks_of(a, size);
    fur_spmv *plan = NULL;
    fur_vector *x = vector_random(context, r, value, n);
    fur_vector *z = vector_random(context, r, value, n);
    double norm;
    double largest;
    ck_ok(context, fur_spmv_plan(b, NULL, &plan));
    ck_ok(context, fur_precond_apply(p, x, z));
    ck_ok(context, fur_spmv_apply(plan, fur_real(-1), z, fur_real(1), x));
    ck_ok(context, fur_norm_max(x, &norm));
    ck_ok(context, fur_norm_max(z, &largest));
    double k = (double)size;
    ck_assert_msg(norm <= 1000 * k * k * value_epsilon(value) * largest, "%g", norm);
    fur_vector_destroy(z);
    fur_vector_destroy(x);
    fur_spmv_destroy(plan);
    fur_csr_destroy(b);
}

/* Blocks of given sizes, with a rest or without, that need pivots; with new values, too. */
START_TEST(inverses_are_those_of_the_blocks)
{
    static const int64_t sizes[] = {1, 2, 7, 32};
    rng r = rng_stream(1200 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        fur_precond_options o = {.size = sizeof o, .kind = "bjacobi", .block = sizes[i]};
        fur_csr *a = make(context, &r, 100, sizes[i], 100, value);
        fur_vector *twos = vector_random(context, &r, value, 100);
        fur_precond *p = precond_make(a, &o);
        check_inverse(a, sizes[i], p, &r);
        ck_ok(context, fur_vector_fill(twos, fur_real(0.75)));
        ck_ok(context, fur_csr_scale(a, twos, twos));
        ck_ok(context, fur_precond_update(p));
        check_inverse(a, sizes[i], p, &r);
        fur_precond_destroy(p);
        fur_vector_destroy(twos);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* Rows of a node have one pattern: its blocks are found, up to 32 rows of them. */
START_TEST(blocks_are_found)
{
    static const int64_t sizes[] = {1, 3, 40};
    rng r = rng_stream(1220);
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        int64_t size = sizes[i];
        fur_precond_options o = {.size = sizeof o, .kind = "bjacobi"};
        fur_csr *grid = poisson_make(context, 4);
        fur_csr *node = make(context, &r, size, size, 0, FUR_F64);
        fur_csr *a = NULL;
        ck_ok(context, fur_csr_kron(grid, node, &a));
        fur_precond *p = precond_make(a, &o);
        int64_t entries = size == 40 ? 32 * 32 + 8 * 8 : size * size;
        ck_assert_int_eq(fur_precond_describe(p)->entries, 64 * entries);
        if (size < 32)
            check_inverse(a, size, p, &r);
        fur_precond_destroy(p);
        fur_csr_destroy(a);
        fur_csr_destroy(node);
        fur_csr_destroy(grid);
    }
    fur_context_destroy(context);
}
END_TEST

/* Lines of the 7-point problem; where no rows are alike, blocks that are found are Jacobi's. */
START_TEST(known_iterations_are_taken)
{
    static const int64_t extent[] = {10, 20, 32};
    static const int64_t jacobi[] = {23, 49, 79};
    static const int64_t lines[] = {25, 50, 79};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < (TEST_SLOW ? 1 : 3); i++) {
        fur_csr *a = poisson_make(context, extent[i]);
        fur_precond_options o = {.size = sizeof o, .kind = "bjacobi"};
        ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), jacobi[i]);
        o.block = extent[i];
        ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), lines[i]);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(blocks_without_inverses_are_refused)
{
    static const int32_t row[] = {0, 1, 1, 2, 2, 2};
    static const int32_t col[] = {0, 1, 2, 0, 1, 2};
    static const double good[] = {1, 2, 3, 1, 4, 5};
    static const double singular[] = {1, 2, 4, 1, 1, 2};
    fur_coo_view coo = {sizeof coo, 3, 3, 6, FUR_F64, row, col, singular};
    fur_precond_options o = {.size = sizeof o, .kind = "bjacobi", .block = 33};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_csr *turned = NULL;
    fur_precond *p = NULL;
    fur_permutation *order = NULL;
    static const int32_t turn[] = {1, 2, 0};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_fails(context, FUR_INVALID, "block of \"bjacobi\" must be from 0 to 32 rows, it is 33",
             fur_precond_create(a, &o, &p));
    o.block = -1;
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    o.block = 2; /* rows 1 and 2, row 3 */
    p = precond_make(a, &o);
    fur_precond_destroy(p);
    p = NULL;
    ck_ok(context, fur_permutation_create(context, 3, turn, &order));
    ck_ok(context, fur_csr_permute(a, order, order, &turned));
    ck_fails(
        context, FUR_INVALID,
        "the block of rows 1 to 2, counting from 1, is singular: \"bjacobi\" needs its inverse",
        fur_precond_create(turned, &o, &p));
    o.block = 3;
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_null(p);
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    p = precond_make(a, &o);
    ck_ok(context, fur_csr_set_values(a, singular, FUR_OWNERSHIP_COPY));
    ck_assert_int_eq(fur_precond_update(p), FUR_INVALID);
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_precond_update(p));
    fur_precond_destroy(p);
    fur_permutation_destroy(order);
    fur_csr_destroy(turned);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, inverses_are_those_of_the_blocks, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, blocks_are_found);
    tcase_add_test(tests, known_iterations_are_taken);
    tcase_add_test(tests, blocks_without_inverses_are_refused);
}

int main(void)
{
    return run_tests("blocks", add_tests);
}
