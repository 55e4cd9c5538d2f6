/* Tests of preconditioners by blocks of rows: inverses compared with the blocks, automatic blocks,
 * known iterations, refusals. */
#include "poisson.h"

#include <math.h>
#include <string.h>

static fur_precond *precond_make(const fur_csr *a, const fur_precond_options *o)
{
    fur_precond *p = NULL;
    ck_ok(fur_csr_context(a), fur_precond_create(a, o, &p));
    return p;
}

/* Makes n rows with dense blocks of `size` rows; the last block may be smaller. In each row of a
 * block one entry exceeds the sum of all others, in a different column for each row. Outside of the
 * blocks, `most` of 1000 entries are stored, of any size. */
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

/* Returns A without the entries outside of the blocks. */
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

/* Checks that B M r = r for the blocks B. Rows of a block of k rows have norms up to w = 5 k, rows
 * of its inverse norms of at most 1 / k. Gauss-Jordan inversion leaves a residual of at most 8 k u
 * |B||X||B||X| (Higham 2002, section 14.4). That is 200 k u w max |z| here, and the products add a
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

/* Blocks of a given size are inverted with pivoting, also if the last block is smaller, and after
 * new values. */
START_TEST(inverses_are_those_of_the_blocks)
{
    static const int64_t sizes[] = {1, 2, 7, 32};
    rng r = rng_stream(1200 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        fur_bjacobi_options blocks = {.size = sizeof blocks, .block = sizes[i]};
        fur_precond_options o = {.size = sizeof o, .kind = "bjacobi", .bjacobi = &blocks};
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

static double fma_part(bool single, double a, double b, double c)
{
    return single ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

/* Returns s + x r, rounded in the order of docs/numerics.md. */
static fur_scalar add_product(fur_value_type value, fur_scalar x, fur_scalar r, fur_scalar s)
{
    bool single = value == FUR_F32 || value == FUR_C64;
    if (!value_is_complex(value))
        return fur_real(fma_part(single, x.re, r.re, s.re));
    return fur_complex(fma_part(single, -x.im, r.im, fma_part(single, x.re, r.re, s.re)),
                       fma_part(single, x.im, r.re, fma_part(single, x.re, r.im, s.im)));
}

/* Blocks of one row divide by the diagonal. They have the bits and bytes of Jacobi. */
START_TEST(blocks_of_one_row_are_a_scaling)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(1240 + (uint64_t)_i);
    fur_csr *a = make(context, &r, 300, 1, 2, value);
    fur_precond_options o = {.size = sizeof o, .kind = "jacobi"};
    fur_precond *jacobi = precond_make(a, &o);
    o.kind = "bjacobi:block=1";
    fur_precond *blocks = precond_make(a, &o);
    fur_vector *x = vector_random(context, &r, value, 300);
    fur_vector *y = vector_random(context, &r, value, 300);
    fur_vector *z = vector_random(context, &r, value, 300);
    entry_set(value, fur_vector_data(x), 7, fur_real(-0.0));
    for (int round = 0; round < 2; round++) {
        ck_ok(context, fur_precond_apply(jacobi, x, y));
        ck_ok(context, fur_precond_apply(blocks, x, z));
        ck_same_bits(y, z);
        ck_assert_double_eq(fur_precond_describe(blocks)->bytes,
                            fur_precond_describe(jacobi)->bytes);
        ck_ok(context, fur_vector_fill(z, fur_real(3)));
        ck_ok(context, fur_csr_scale(a, z, NULL));
        ck_ok(context, fur_precond_update(blocks));
    }
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_precond_destroy(blocks);
    fur_precond_destroy(jacobi);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Products have the documented bits on every instruction set, in full and in half precision.
 * Entries of M are read exactly, by unit vectors, and added in the order of the columns. */
START_TEST(products_have_the_written_bits)
{
    enum { ROWS = 70 };
    static const int64_t sizes[] = {1, 3, 8, 13, 32};
    static fur_scalar m[ROWS][ROWS];
    fur_value_type value = (fur_value_type)(_i / 2);
    rng r = rng_stream(1210 + (uint64_t)_i);
    for (int k = 0; k < COUNT_OF(sizes) * (isa_name(1) ? isa_name(2) ? 3 : 2 : 1); k++) {
        int64_t size = sizes[k % COUNT_OF(sizes)];
        fur_bjacobi_options own = {.size = sizeof own, .block = size, .adaptive = _i % 2};
        fur_precond_options o = {.size = sizeof o, .kind = "bjacobi", .bjacobi = &own};
        fur_context *context = context_make(isa_name(k / COUNT_OF(sizes)), 2);
        fur_csr *a = make(context, &r, ROWS, size, 0, value);
        fur_precond *p = precond_make(a, &o);
        fur_vector *x = vector_random(context, &r, value, ROWS);
        fur_vector *e = vector_random(context, &r, value, ROWS);
        fur_vector *z = vector_random(context, &r, value, ROWS);
        for (int j = 0; j < ROWS; j++) {
            ck_ok(context, fur_vector_fill(e, fur_real(0)));
            entry_set(value, fur_vector_data(e), j, fur_real(1));
            ck_ok(context, fur_precond_apply(p, e, z));
            for (int i = 0; i < ROWS; i++)
                m[i][j] = entry_get(value, fur_vector_const_data(z), i);
        }
        for (int64_t i = 0; i < ROWS; i++) {
            fur_scalar sum = {0, 0};
            for (int64_t j = i / size * size; j < ROWS && j / size == i / size; j++)
                sum =
                    add_product(value, m[i][j], entry_get(value, fur_vector_const_data(x), j), sum);
            entry_set(value, fur_vector_data(e), i, sum);
        }
        ck_ok(context, fur_precond_apply(p, x, z));
        ck_same_bits(z, e);
        fur_vector_destroy(z);
        fur_vector_destroy(e);
        fur_vector_destroy(x);
        fur_precond_destroy(p);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
}
END_TEST

/* The condition number of a block decides how its inverse is stored. Blocks have two rows and
 * condition numbers of 3, 4e4 and 4e9. The next has condition number 1, but an inverse with an
 * exponent that kernels cannot use. The last has small values. Bytes: the stored entries, 16 for
 * each block, two vectors. */
START_TEST(inverses_are_kept_by_condition)
{
    static const double blocks[][4] = {{2, 1, 1, 2},
                                       {1, 1, 1, 1 + 1e-4},
                                       {1, 1, 1, 1 + 1e-9},
                                       {0x1p+1010, 0, 0, 0x1p+1010},
                                       {2e-200, 1e-200, 1e-200, 2e-200}};
    static const double bytes[] = {8, 16, 32, 32, 8};
    enum { COUNT = COUNT_OF(blocks) };
    int32_t row[4 * COUNT];
    int32_t col[4 * COUNT];
    double values[4 * COUNT];
    double expected = COUNT * (16 + 2 * 2 * 8);
    for (int k = 0; k < 4 * COUNT; k++) {
        row[k] = 2 * (k / 4) + k % 4 / 2;
        col[k] = 2 * (k / 4) + k % 2;
        values[k] = blocks[k / 4][k % 4];
    }
    for (int b = 0; b < COUNT; b++)
        expected += bytes[b];
    fur_coo_view coo = {sizeof coo, 2 * COUNT, 2 * COUNT, 4 * COUNT, FUR_F64, row, col, values};
    fur_precond_options o = {.size = sizeof o, .kind = "bjacobi:block=2,adaptive"};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    fur_precond *p = precond_make(a, &o);
    ck_assert_double_eq(fur_precond_describe(p)->bytes, expected);
    ck_assert_int_eq(fur_precond_describe(p)->entries, 4 * COUNT);
    for (int b = 0; b < COUNT; b++) {
        double one[2 * COUNT] = {0};
        one[2 * b] = 1;
        fur_vector *e = vector_from(context, FUR_F64, (int64_t)2 * COUNT, one);
        fur_vector *z = vector_from(context, FUR_F64, (int64_t)2 * COUNT, one);
        ck_ok(context, fur_precond_apply(p, e, z));
        /* B z = e for the exact inverse; the stored inverse may err by a tenth */
        double first = entry_get(FUR_F64, fur_vector_const_data(z), (int64_t)2 * b).re;
        double second = entry_get(FUR_F64, fur_vector_const_data(z), (int64_t)2 * b + 1).re;
        ck_assert_double_le(fabs(blocks[b][0] * first + blocks[b][1] * second - 1), 0.1);
        ck_assert_double_le(fabs(blocks[b][2] * first + blocks[b][3] * second), 0.1);
        fur_vector_destroy(z);
        fur_vector_destroy(e);
    }
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Rows of a node have the same pattern, so the blocks of nodes are found. A block has at most 32
 * rows. */
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

/* Iterations are as known if blocks are lines of the 7-point problem. If no rows have the same
 * pattern, automatic blocks give Jacobi. */
START_TEST(known_iterations_are_taken)
{
    static const int64_t extent[] = {10, 20, 32};
    static const int64_t jacobi[] = {23, 49, 79};
    static const int64_t lines[] = {25, 50, 79};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < (TEST_SLOW ? 1 : 3); i++) {
        fur_csr *a = poisson_make(context, extent[i]);
        fur_bjacobi_options line = {.size = sizeof line, .block = extent[i]};
        fur_precond_options o = {.size = sizeof o, .kind = "bjacobi"};
        ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), jacobi[i]);
        o.bjacobi = &line;
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
    fur_precond_options o = {.size = sizeof o, .kind = "bjacobi:block=33"};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_csr *turned = NULL;
    fur_precond *p = NULL;
    fur_permutation *order = NULL;
    static const int32_t turn[] = {1, 2, 0};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_fails(context, FUR_INVALID, "block of \"bjacobi\" must be from 1 to 32; it is 33",
             fur_precond_create(a, &o, &p));
    o.kind = "bjacobi:block=-1";
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    o.kind = "bjacobi:block=2"; /* the blocks are rows 1 and 2, and row 3 */
    p = precond_make(a, &o);
    fur_precond_destroy(p);
    p = NULL;
    ck_ok(context, fur_permutation_create(context, 3, turn, &order));
    ck_ok(context, fur_csr_permute(a, order, order, &turned));
    ck_fails(context, FUR_INVALID,
             "the block of rows 1 to 2, counting from 1, is singular, but \"bjacobi\" needs its "
             "inverse; try another size of blocks",
             fur_precond_create(turned, &o, &p));
    o.kind = "bjacobi:block=3";
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

/* Stores the rows of the block first .. end - 1 in rising order. With overlap, adds the columns in
 * which these rows have entries. Returns the number of rows. */
static int64_t rows_of(const fur_csr_view *v, int64_t first, int64_t end, bool overlap,
                       int32_t *rows)
{
    bool *has = calloc((size_t)v->rows + 1, sizeof *has);
    int64_t count = 0;
    for (int64_t i = first; i < end; i++) {
        has[i] = true;
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            has[v->columns[k]] |= overlap;
    }
    for (int64_t i = 0; i < v->rows; i++)
        if (has[i])
            rows[count++] = (int32_t)i;
    free(has);
    return count;
}

/* Adds the solution of the block first .. end - 1 for r to z: all of it if symmetric, otherwise
 * only for rows of the block without overlap. */
static void add_block(const fur_csr *a, int64_t first, int64_t end, const fur_schwarz_options *o,
                      const fur_vector *r, fur_scalar *z)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *v = fur_csr_get(a);
    fur_precond_options inner = {.size = sizeof inner, .kind = o->symmetric ? "ic0" : "ilu0"};
    int32_t *rows = malloc((size_t)v->rows * sizeof *rows);
    int64_t count = rows_of(v, first, end, !o->no_overlap, rows);
    fur_csr *block = NULL;
    ck_ok(context, fur_csr_select(a, count, rows, count, rows, &block));
    fur_precond *p = precond_make(block, &inner);
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_vector_create(context, v->value_type, count, &x));
    ck_ok(context, fur_vector_create(context, v->value_type, count, &y));
    for (int64_t k = 0; k < count; k++)
        entry_set(v->value_type, fur_vector_data(x), k,
                  entry_get(v->value_type, fur_vector_const_data(r), rows[k]));
    ck_ok(context, fur_precond_apply(p, x, y));
    for (int64_t k = 0; k < count; k++) {
        fur_scalar s = entry_get(v->value_type, fur_vector_const_data(y), k);
        if (o->symmetric || (rows[k] >= first && rows[k] < end)) {
            z[rows[k]].re += s.re;
            z[rows[k]].im += s.im;
        }
    }
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_precond_destroy(p);
    fur_csr_destroy(block);
    free(rows);
}

/* Each block is solved by factors of its own matrix. The result is equal bit for bit if each row is
 * in one block only. Otherwise it is equal up to the rounding of a sum of at most n / block + 1
 * numbers of modulus 100 or less. */
START_TEST(blocks_are_solved_apart)
{
    static const fur_schwarz_options trials[] = {
        {.size = sizeof trials[0], .block = 30, .no_overlap = 1},
        {.size = sizeof trials[0], .block = 30},
        {.size = sizeof trials[0], .block = 17, .symmetric = 1},
        {.size = sizeof trials[0]}};
    enum { N = 125 };
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    const fur_schwarz_options *o = &trials[_i / FUR_VALUE_COUNT];
    const fur_precond_options options = {.size = sizeof options, .kind = "schwarz", .schwarz = o};
    int64_t block = o->block ? o->block : 1024;
    rng r = rng_stream(1250 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *grid = poisson_make(context, 5);
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_convert(grid, value, FUR_I64, &a));
    fur_vector *scale = vector_random(context, &r, value, N);
    fur_vector *x = vector_random(context, &r, value, N);
    fur_vector *y = vector_random(context, &r, value, N);
    fur_precond *p = precond_make(a, &options);
    for (int turn = 0; turn < 2; turn++) {
        fur_scalar z[N] = {{0, 0}};
        for (int64_t first = 0; first < N; first += block)
            add_block(a, first, first + block < N ? first + block : N, o, x, z);
        ck_ok(context, fur_precond_apply(p, x, y));
        double bound = o->symmetric ? 10 * value_epsilon(value) * 100 : 0;
        for (int64_t i = 0; i < N; i++) {
            fur_scalar found = entry_get(value, fur_vector_const_data(y), i);
            ck_assert(fabs(found.re - z[i].re) <= bound && fabs(found.im - z[i].im) <= bound);
        }
        ck_ok(context, fur_vector_fill(scale, fur_real(1.25)));
        ck_ok(context, fur_csr_scale(a, scale, scale));
        ck_ok(context, fur_precond_update(p));
    }
    ck_assert_int_eq(fur_precond_describe(p)->symmetric, o->symmetric);
    fur_precond_destroy(p);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_vector_destroy(scale);
    fur_csr_destroy(a);
    fur_csr_destroy(grid);
    fur_context_destroy(context);
}
END_TEST

/* One block gives the known iterations of ic0. More blocks need more iterations, and overlap needs
 * fewer. */
START_TEST(blocks_cost_iterations)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = poisson_make(context, 10);
    fur_precond_options o = {.size = sizeof o,
                             .kind = "schwarz:block=9223372036854775807,symmetric"};
    ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), 14);
    o.kind = "schwarz:block=100,symmetric";
    int64_t apart = poisson_iterations(a, "cg", &o, NULL);
    ck_assert_int_gt(apart, 14);
    o.kind = "schwarz:block=100,no_overlap";
    apart = poisson_iterations(a, "gmres", &o, NULL);
    o.kind = "schwarz:block=100";
    ck_assert_int_lt(poisson_iterations(a, "gmres", &o, NULL), apart);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(schwarz_refuses)
{
    static const int32_t at[] = {0, 1, 2};
    static const double values[] = {1, 0, 3};
    static const double good[] = {1, 2, 3};
    fur_coo_view coo = {sizeof coo, 3, 3, 3, FUR_F64, at, at, values};
    fur_context *context = context_make(NULL, 1);
    fur_precond_options o = {.size = sizeof o, .kind = "schwarz:block=-1"};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_fails(context, FUR_INVALID, "block of \"schwarz\" must be at least 1; it is -1",
             fur_precond_create(a, &o, &p));
    o.kind = "schwarz:block=2";
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(
        strstr(fur_context_error(context),
               "in the matrix of all blocks of \"schwarz\", in order and with overlap: the "
               "pivot of row 2"));
    ck_assert_ptr_null(p);
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    p = precond_make(a, &o);
    ck_ok(context, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    ck_assert_int_eq(fur_precond_update(p), FUR_INVALID);
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_precond_update(p));
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, inverses_are_those_of_the_blocks, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, blocks_of_one_row_are_a_scaling, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, products_have_the_written_bits, 0, 2 * FUR_VALUE_COUNT);
    tcase_add_test(tests, inverses_are_kept_by_condition);
    tcase_add_test(tests, blocks_are_found);
    tcase_add_test(tests, known_iterations_are_taken);
    tcase_add_test(tests, blocks_without_inverses_are_refused);
    tcase_add_loop_test(tests, blocks_are_solved_apart, 0, 4 * FUR_VALUE_COUNT);
    tcase_add_test(tests, blocks_cost_iterations);
    tcase_add_test(tests, schwarz_refuses);
}

int main(void)
{
    return run_tests("blocks", add_tests);
}
