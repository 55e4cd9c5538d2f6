/* SpMV on a GPU. Every registered kernel is compared with the CPU's reference, on every shape,
 * operation, value type, offset width and filling. Its results are equal bit for bit, or within the
 * bound of any order of summation. Its bits are the same in every run. Also: arrays that are not
 * aligned; refusals of plans. */
#include "cuda_support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define OP_COUNT 3
#define MAX_KERNELS 64
#define MAX_PRODUCTS 6
/* Shapes with more entries are tested with plain random numbers only. */
#define MAX_ENTRIES_FILLED 60000
/* Shapes with more entries are left out if FURROW_TEST_SMALL is set. */
#define MAX_ENTRIES_SMALL 4000

/* Kinds of numbers: random in (-1, 1), with infinity and NaN in x or in A, or so small that
 * products underflow. */
typedef enum filling { PLAIN, POISONED_X, POISONED_A, UNDERFLOWING, FILLINGS } filling;

static const char *const filling_names[] = {"plain", "poisoned x", "poisoned A", "underflowing"};

/* Further shapes, for the distribution of work to blocks and warps of a GPU. */

static int64_t run_of(int64_t first, int64_t count, int32_t *columns)
{
    for (int64_t k = 0; k < count; k++)
        columns[k] = (int32_t)(first + k);
    return count;
}

static int64_t fill_whole(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)r, (void)row;
    return run_of(0, s->cols, columns);
}

/* One row is full; all other rows have one entry. */
static int64_t fill_one_long(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    return row == s->parameter ? fill_whole(s, r, row, columns) : run_of(row % s->cols, 1, columns);
}

/* Only every parameter-th row has entries, the first of them row parameter / 2. */
static int64_t fill_few_rows(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    return row % s->parameter == s->parameter / 2 ? run_of(row % 100, 1 + rng_below(r, 80), columns)
                                                  : 0;
}

/* Rows of every length from 0 to parameter. */
static int64_t fill_lengths(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    int64_t count = row % (s->parameter + 1);
    return run_of(rng_below(r, s->cols - count + 1), count, columns);
}

/* Dense blocks of parameter x parameter, as on a mesh with `parameter` unknowns at each node. The
 * last blocks are cut off if the size is not a multiple. */
static int64_t fill_blocks(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    static const int64_t neighbours[] = {-20, -1, 0, 1, 20};
    int64_t size = s->parameter;
    int64_t n = 0;
    (void)r;
    for (int i = 0; i < COUNT_OF(neighbours); i++) {
        int64_t first = (row / size + neighbours[i]) * size;
        int64_t end = first + size < s->cols ? first + size : s->cols;
        if (first >= 0 && first < end)
            n += run_of(first, end - first, columns + n);
    }
    return n;
}

/* Gaps between columns that just fit into 16 bits, and gaps that do not. */
static int64_t fill_gaps(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    const int64_t gaps[] = {1, 2, 65534, 65535, 65536, 65537, 1, 40000 + rng_below(r, 40000)};
    int64_t n = run_of(row, 1, columns);
    for (int64_t j = row; n < COUNT_OF(gaps) && j + gaps[n] < s->cols; n++)
        columns[n] = (int32_t)(j += gaps[n]);
    return n;
}

static const shape more_shapes[] = {
    {"one long row", 50, 100000, fill_one_long, 17},
    {"a few long rows", 5, 60000, fill_whole, 0},
    {"few rows with entries", 70000, 180, fill_few_rows, 1000},
    {"every second row", 3000, 180, fill_few_rows, 2},
    {"all lengths to 70", 71 * 5, 400, fill_lengths, 70},
    {"all lengths to 300", 301 * 2, 400, fill_lengths, 300},
    {"blocks of 2", 1000, 1000, fill_blocks, 2},
    {"blocks of 3", 1500, 1500, fill_blocks, 3},
    {"blocks of 4", 2000, 2000, fill_blocks, 4},
    {"blocks of 3, cut off", 1001, 1000, fill_blocks, 3},
    {"blocks of 4, cut off", 203, 202, fill_blocks, 4},
    {"gaps", 2500, 300000, fill_gaps, 0},
};

static const shape *shape_at(int i)
{
    return i < shape_count ? &shapes[i] : &more_shapes[i - shape_count];
}

#define SHAPE_COUNT (shape_count + COUNT_OF(more_shapes))

/* A choice of alpha, beta and y, the CPU's result, and bounds of the difference of another order of
 * summation. */
typedef struct product {
    fur_scalar alpha;
    fur_scalar beta;
    fur_vector *start; /* y before the product */
    void *expected;
    double *bounds;
} product;

/* The products y = alpha op(A) x + beta y of one matrix and one x. */
typedef struct trial {
    const char *name;
    filling filling;
    fur_context *context;
    fur_csr_view a; /* on the host */
    fur_op op;
    int64_t x_size;
    int64_t y_size;
    void *x;
    fur_vector *device_x;
    fur_vector *y;
    void *result; /* the last result */
    int count;
    product products[MAX_PRODUCTS];
    int64_t *accepted; /* number of plans by kernel */
    int64_t *refused;
} trial;

static bool is_zero(fur_scalar s)
{
    return s.re == 0 && s.im == 0;
}

static double *moduli(fur_value_type value, int64_t n, const void *entries)
{
    double *out = entries_make(FUR_F64, n);
    for (int64_t i = 0; i < n; i++) {
        fur_scalar entry = entry_get(value, entries, i);
        out[i] = hypot(entry.re, entry.im);
    }
    return out;
}

static double *ones(int64_t n)
{
    double *out = entries_make(FUR_F64, n);
    for (int64_t i = 0; i < n; i++)
        out[i] = 1;
    return out;
}

/* Returns |alpha| |op(A)| |x| + |beta| |y|, computed by the reference kernel. */
static double *weights(const trial *t, fur_scalar alpha, const void *x, fur_scalar beta,
                       const void *y)
{
    fur_csr_view a = t->a;
    double *values = moduli(t->a.value_type, t->a.entries, t->a.values);
    double *from = moduli(t->a.value_type, t->x_size, x);
    double *to = moduli(t->a.value_type, t->y_size, y);
    a.value_type = FUR_F64;
    a.values = values;
    double *sums = reference_product(fur_context_host(t->context), &a, t->op,
                                     fur_real(hypot(alpha.re, alpha.im)), from,
                                     fur_real(hypot(beta.re, beta.im)), to);
    free(to);
    free(from);
    free(values);
    return sums;
}

/* Returns the number of entries in each row of op(A). */
static double *row_lengths(const trial *t)
{
    fur_csr_view a = t->a;
    double *values = ones(t->a.entries);
    double *x = ones(t->x_size);
    double *y = ones(t->y_size);
    a.value_type = FUR_F64;
    a.values = values;
    double *lengths =
        reference_product(fur_context_host(t->context), &a, t->op, fur_real(1), x, fur_real(0), y);
    free(y);
    free(x);
    free(values);
    return lengths;
}

/* Let u = eps / 2 be the unit roundoff and g(k) = k u / (1 - k u). A sum of n products by fma, in
 * any order and tree, rounds each term at most n times; alpha and beta y make it n + 2. So a real
 * result errs by at most g(n + 2) w with the weight w = |alpha| |A||x| + |beta||y|. Two results
 * differ by at most twice that, (n + 2) eps w / (1 - (n + 2) u). This is at most 2 (n + 2) eps w if
 * (n + 2) u <= 1/2.
 * A complex term takes two fma instead of one, and a part of a result multiplies both parts of the
 * sum. One result errs by sqrt 2 g(2 (n + 2)) w, two results differ by 4 (n + 2) eps w. A rounding
 * below the normal range errs by half of the smallest number. There are at most 2 (n + 2) a part of
 * each result, which alpha may enlarge. */
static double *error_bounds(const trial *t, const product *p, const double *lengths, const void *y)
{
    fur_value_type value = t->a.value_type;
    double *bounds = weights(t, p->alpha, t->x, p->beta, y);
    double factor = (value_is_complex(value) ? 4 : 2) * value_epsilon(value);
    double tiny = 4 * (1 + hypot(p->alpha.re, p->alpha.im)) * value_tiny(value);
    for (int64_t i = 0; i < t->y_size; i++)
        bounds[i] = (lengths[i] + 2) * (factor * bounds[i] + tiny);
    return bounds;
}

static void set_product(trial *t, rng *r, product *p, const double *lengths)
{
    fur_value_type value = t->a.value_type;
    void *y = entries_random(r, value, t->y_size);
    for (int64_t k = 0; is_zero(p->beta) && k < t->y_size; k++)
        entry_set(value, y, k, fur_complex(NAN, NAN));
    p->start = vector_from(t->context, value, t->y_size, y);
    p->expected =
        reference_product(fur_context_host(t->context), &t->a, t->op, p->alpha, t->x, p->beta, y);
    p->bounds = error_bounds(t, p, lengths, y);
    free(y);
}

/* Sets the choices of alpha, beta and y. If beta is 0, all entries of y are NaN. */
static void set_products(trial *t, rng *r)
{
    fur_value_type value = t->a.value_type;
    const fur_scalar pairs[MAX_PRODUCTS][2] = {{rng_scalar(r, value), rng_scalar(r, value)},
                                               {{1, 0}, {0, 0}},
                                               {{0, 0}, rng_scalar(r, value)},
                                               {{-1, 0}, {1, 0}},
                                               {rng_scalar(r, value), {-1, 0}},
                                               {{0, 0}, {0, 0}}};
    double *lengths = row_lengths(t);
    t->count = test_small() ? 2 : MAX_PRODUCTS;
    for (int i = 0; i < t->count; i++) {
        t->products[i] = (product){.alpha = pairs[i][0], .beta = pairs[i][1]};
        set_product(t, r, &t->products[i], lengths);
    }
    free(lengths);
}

static void release_products(trial *t)
{
    for (int i = 0; i < t->count; i++) {
        fur_vector_destroy(t->products[i].start);
        free(t->products[i].expected);
        free(t->products[i].bounds);
    }
}

static bool part_agrees(double part, double expected, double bound)
{
    if (!isfinite(expected))
        return isnan(expected) ? isnan(part) : part == expected;
    return fabs(part - expected) <= bound;
}

/* Returns the first entry of the result that is beyond its bound, or -1. */
static int64_t first_beyond(const trial *t, const product *p)
{
    for (int64_t i = 0; i < t->y_size; i++) {
        fur_scalar y = entry_get(t->a.value_type, t->result, i);
        fur_scalar expected = entry_get(t->a.value_type, p->expected, i);
        bool agree = part_agrees(y.re, expected.re, p->bounds[i]);
        if (value_is_complex(t->a.value_type))
            agree = agree && part_agrees(y.im, expected.im, p->bounds[i]);
        if (!agree)
            return i;
    }
    return -1;
}

static void multiply(trial *t, const product *p, const fur_spmv *plan)
{
    ck_ok(t->context, fur_vector_copy(p->start, t->y));
    ck_ok(t->context, fur_spmv_apply(plan, p->alpha, t->device_x, p->beta, t->y));
    ck_ok(t->context, fur_vector_download(t->y, t->result));
}

/* Fails with a message about entry i, unless i < 0. */
static void ck_entry(const trial *t, const product *p, const fur_spmv *plan, int64_t i,
                     const void *expected, const char *problem)
{
    if (i < 0)
        return;
    fur_value_type value = t->a.value_type;
    fur_scalar now = entry_get(value, t->result, i);
    fur_scalar before = entry_get(value, expected, i);
    ck_abort_msg("%s, %s, kernel %s, op %d, %s, %s, alpha %g%+gi, beta %g%+gi: y[%lld] = %a%+ai %s "
                 "%a%+ai (bound %g)",
                 t->name, filling_names[t->filling], fur_spmv_describe(plan)->kernel, (int)t->op,
                 fur_value_name(value), fur_offset_name(t->a.offset_type), p->alpha.re, p->alpha.im,
                 p->beta.re, p->beta.im, (long long)i, now.re, now.im, problem, before.re,
                 before.im, p->bounds[i]);
}

/* Checks a product. A kernel without the reference's bits must give the same bits in every run. */
static void check_product(trial *t, const product *p, const fur_spmv *plan, bool exact)
{
    fur_value_type value = t->a.value_type;
    bool foreign = kernel_is_foreign(fur_spmv_describe(plan)->kernel);
    multiply(t, p, plan);
    if (exact) {
        ck_entry(t, p, plan, first_difference(value, t->y_size, t->result, p->expected),
                 p->expected, "has other bits than the reference's");
        return;
    }
    ck_entry(t, p, plan, first_beyond(t, p), p->expected, "is too far from");
    void *first = malloc((size_t)t->y_size * fur_value_size(value) + 1);
    memcpy(first, t->result, (size_t)t->y_size * fur_value_size(value));
    multiply(t, p, plan);
    if (!foreign)
        ck_entry(t, p, plan, first_difference(value, t->y_size, t->result, first), first,
                 "was in an earlier run");
    free(first);
}

/* Checks all products by a kernel. Foreign kernels promise nothing about NaN and subnormal numbers.
 */
static void check_kernel(trial *t, const fur_csr *a, int kernel)
{
    fur_kernel_info info = kernel_info(t->context, kernel);
    if (t->filling != PLAIN && kernel_is_foreign(info.name))
        return;
    fur_spmv *plan = plan_or_refusal(a, t->op, kernel);
    ++*(plan ? &t->accepted[kernel] : &t->refused[kernel]);
    for (int i = 0; plan && i < t->count; i++)
        check_product(t, &t->products[i], plan, info.exact);
    fur_spmv_destroy(plan);
}

static void check_kernels(trial *t)
{
    fur_csr *a = NULL;
    ck_ok(t->context, fur_csr_create(t->context, &t->a, FUR_OWNERSHIP_COPY, &a));
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, t->context); kernel++)
        check_kernel(t, a, kernel);
    fur_csr_destroy(a);
}

/* Returns random entries, of which one in `every` is infinite or NaN. 0: none. */
static void *poisoned(rng *r, fur_value_type value, int64_t n, int64_t every)
{
    static const double poison[] = {INFINITY, -INFINITY, NAN};
    void *entries = entries_random(r, value, n);
    for (int64_t i = 0; every > 0 && i < n; i++)
        if (rng_below(r, every) == 0)
            entry_set(value, entries, i, fur_complex(poison[rng_below(r, 3)], rng_unit(r)));
    return entries;
}

/* Scales the entries so that each product of two is below the smallest number. */
static void scale_down(fur_value_type value, int64_t n, void *entries)
{
    double factor = value_epsilon(value) == DBL_EPSILON ? 0x1p-600 : 0x1p-80;
    for (int64_t i = 0; i < n; i++) {
        fur_scalar entry = entry_get(value, entries, i);
        entry_set(value, entries, i, fur_complex(entry.re * factor, entry.im * factor));
    }
}

/* Returns numbers for x or A. */
static void *filled(rng *r, fur_value_type value, int64_t n, int64_t poison, filling f)
{
    void *entries = poisoned(r, value, n, poison);
    if (f == UNDERFLOWING)
        scale_down(value, n, entries);
    return entries;
}

static void open_vectors(trial *t, rng *r)
{
    fur_value_type value = t->a.value_type;
    t->x = filled(r, value, t->x_size, t->filling == POISONED_X ? 8 : 0, t->filling);
    t->device_x = vector_from(t->context, value, t->x_size, t->x);
    t->result = entries_make(value, t->y_size);
    ck_ok(t->context, fur_vector_create(t->context, value, t->y_size, &t->y));
    set_products(t, r);
}

static void close_vectors(trial *t)
{
    release_products(t);
    fur_vector_destroy(t->y);
    fur_vector_destroy(t->device_x);
    free(t->result);
    free(t->x);
}

static void check_op(trial *t, rng *r, const pattern *p, const void *values)
{
    fur_value_type value = t->a.value_type;
    t->x_size = t->op == FUR_OP_N ? p->cols : p->rows;
    t->y_size = t->op == FUR_OP_N ? p->rows : p->cols;
    for (int width = 0; width < FUR_OFFSET_COUNT; width++) {
        t->a = arrays_make(p, value, (fur_offset_type)width, values);
        if (width == 0)
            open_vectors(t, r);
        check_kernels(t);
        arrays_release(&t->a);
    }
    close_vectors(t);
}

/* Returns whether an operation is tested. A small run tests one operation for each shape. */
static bool op_runs(int op, int shape_index)
{
    return !test_small() || op == shape_index % OP_COUNT;
}

static bool shape_runs(const pattern *p, filling f)
{
    return p->entries <= (test_small() ? MAX_ENTRIES_SMALL : MAX_ENTRIES_FILLED) ||
           (f == PLAIN && !test_small());
}

static void check_shape(trial t, int index)
{
    const shape *s = shape_at(index);
    rng r = rng_stream((uint64_t)index);
    pattern p = pattern_make(s, &r);
    void *values =
        filled(&r, t.a.value_type, p.entries, t.filling == POISONED_A ? 50 : 0, t.filling);
    t.name = s->name;
    for (int op = 0; op < OP_COUNT && shape_runs(&p, t.filling); op++) {
        t.op = (fur_op)op;
        if (op_runs(op, index))
            check_op(&t, &r, &p, values);
    }
    free(values);
    pattern_release(&p);
}

/* Checks that each kernel accepted a matrix. A kernel that refuses everything would pass all other
 * tests. */
static void check_tally(const trial *t)
{
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, t->context); kernel++) {
        const char *name = kernel_info(t->context, kernel).name;
        if (t->refused[kernel] > 0)
            printf("kernel %s refused %lld of %lld plans for %s\n", name,
                   (long long)t->refused[kernel],
                   (long long)(t->refused[kernel] + t->accepted[kernel]),
                   fur_value_name(t->a.value_type));
        ck_assert_msg(t->accepted[kernel] > 0 || test_small(), "kernel %s took no matrix", name);
    }
    fflush(stdout);
}

/* Kernels agree with the CPU's reference. A value of x that a row does not refer to must not change
 * the row. Otherwise NaN would spread to other rows. Loops over value types. */
START_TEST(kernels_agree_with_the_reference_of_the_cpu)
{
    int64_t accepted[MAX_KERNELS] = {0};
    int64_t refused[MAX_KERNELS] = {0};
    trial t = {.context = context_cuda(),
               .a = {.value_type = (fur_value_type)_i},
               .accepted = accepted,
               .refused = refused};
    ck_assert_int_le(kernel_count(fur_spmv_kernel_at, t.context), MAX_KERNELS);
    for (int f = 0; f < (test_small() ? POISONED_A : FILLINGS); f++) {
        t.filling = (filling)f;
        for (int i = 0; i < SHAPE_COUNT; i++)
            check_shape(t, i);
    }
    check_tally(&t);
    fur_context_destroy(t.context);
}
END_TEST

/* Only kernels whose storage must pay for itself may refuse a plain grid. */
START_TEST(kernels_accept_a_grid)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(100);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("grid")], FUR_F64, FUR_I32);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
        const char *name = kernel_info(context, kernel).name;
        bool selective = strncmp(name, "bsr", 3) == 0 || strncmp(name, "delta", 5) == 0;
        fur_spmv *plan = plan_or_refusal(a, FUR_OP_N, kernel);
        ck_assert_msg(plan || selective, "%s", fur_context_error(context));
        if (!plan)
            printf("%s\n", fur_context_error(context));
        fur_spmv_destroy(plan);
    }
    fflush(stdout);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Checks that runs repeat their bits. Some runs make a new plan, because its analysis must not
 * depend on the run either. */
static void check_runs(const fur_csr *a, int kernel, const fur_vector *x, const fur_vector *start)
{
    fur_context *context = fur_csr_context(a);
    int64_t n = fur_vector_size(start);
    fur_spmv *plan = plan_or_refusal(a, FUR_OP_N, kernel);
    fur_vector *y = NULL;
    void *first = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &y));
    for (int run = 0; plan && run < (test_small() ? 5 : 100); run++) {
        ck_ok(context, fur_vector_copy(start, y));
        ck_ok(context, fur_spmv_apply(plan, fur_real(0.7), x, fur_real(-0.3), y));
        void *now = vector_entries(y);
        first = first ? first : vector_entries(y);
        ck_assert_msg(first_difference(FUR_F64, n, first, now) < 0, "kernel %s, run %d",
                      kernel_info(context, kernel).name, run);
        free(now);
        if (run % 20 == 19) {
            fur_spmv_destroy(plan);
            plan = plan_or_refusal(a, FUR_OP_N, kernel);
        }
    }
    free(first);
    fur_vector_destroy(y);
    fur_spmv_destroy(plan);
}

START_TEST(kernels_repeat_their_bits)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(101);
    const shape *s = &shapes[shape_find("skewed")];
    fur_csr *a = matrix_random(context, &r, s, FUR_F64, FUR_I32);
    fur_vector *x = vector_random(context, &r, FUR_F64, s->cols);
    fur_vector *y = vector_random(context, &r, FUR_F64, s->rows);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++)
        if (!kernel_is_foreign(kernel_info(context, kernel).name))
            check_runs(a, kernel, x, y);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A matrix, x and y. The arrays belong to the library, or are borrowed device arrays that each
 * begin one entry after an aligned address. */
typedef struct placed {
    fur_csr_view device;
    void *device_x;
    void *device_y;
    fur_csr *a;
    fur_vector *x;
    fur_vector *y;
} placed;

static placed place_shifted(fur_context *context, const fur_csr_view *host, const void *x,
                            const void *y)
{
    placed p;
    fur_value_type value = host->value_type;
    size_t size = fur_value_size(value);
    p.device = device_arrays(host, 1);
    p.device_x = device_copy(x, (size_t)host->cols * size, size);
    p.device_y = device_copy(y, (size_t)host->rows * size, size);
    ck_ok(context, fur_csr_create(context, &p.device, FUR_OWNERSHIP_BORROW, &p.a));
    ck_ok(context,
          fur_vector_wrap(context, value, host->cols, p.device_x, FUR_OWNERSHIP_BORROW, &p.x));
    ck_ok(context,
          fur_vector_wrap(context, value, host->rows, p.device_y, FUR_OWNERSHIP_BORROW, &p.y));
    return p;
}

static placed place_plainly(fur_context *context, const fur_csr_view *host, const void *x,
                            const void *y)
{
    placed p = {.a = NULL};
    ck_ok(context, fur_csr_create(context, host, FUR_OWNERSHIP_COPY, &p.a));
    p.x = vector_from(context, host->value_type, host->cols, x);
    p.y = vector_from(context, host->value_type, host->rows, y);
    return p;
}

static void placed_release(placed *p)
{
    size_t size = fur_value_size(fur_vector_value_type(p->x));
    fur_vector_destroy(p->y);
    fur_vector_destroy(p->x);
    fur_csr_destroy(p->a);
    if (!p->device.offsets)
        return;
    device_copy_release(p->device_y, size);
    device_copy_release(p->device_x, size);
    device_arrays_release(&p->device, 1);
}

/* Returns 2 A x + 3 y, or NULL if the kernel refuses the matrix. */
static void *product_of(const placed *p, int kernel, const void *y)
{
    fur_context *context = fur_csr_context(p->a);
    fur_spmv *plan = plan_or_refusal(p->a, FUR_OP_N, kernel);
    if (!plan)
        return NULL;
    ck_ok(context, fur_vector_upload(y, p->y));
    ck_ok(context, fur_spmv_apply(plan, fur_real(2), p->x, fur_real(3), p->y));
    fur_spmv_destroy(plan);
    return vector_entries(p->y);
}

static void check_alignment(fur_context *context, const fur_csr_view *host, const void *x,
                            const void *y)
{
    placed shifted = place_shifted(context, host, x, y);
    placed plain = place_plainly(context, host, x, y);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
        const char *name = kernel_info(context, kernel).name;
        if (kernel_is_foreign(name))
            continue;
        void *result = product_of(&shifted, kernel, y);
        void *expected = product_of(&plain, kernel, y);
        ck_assert_msg(
            !result == !expected &&
                (!result || first_difference(host->value_type, host->rows, result, expected) < 0),
            "kernel %s, %s, %lld x %lld", name, fur_value_name(host->value_type),
            (long long)host->rows, (long long)host->cols);
        free(expected);
        free(result);
    }
    placed_release(&plain);
    placed_release(&shifted);
}

static void check_unaligned(fur_context *context, int index, fur_value_type value)
{
    rng r = rng_stream(200 + (uint64_t)index);
    pattern p = pattern_make(shape_at(index), &r);
    void *values = entries_random(&r, value, p.entries);
    void *x = entries_random(&r, value, p.cols);
    void *y = entries_random(&r, value, p.rows);
    fur_csr_view host = arrays_make(&p, value, index % 2 ? FUR_I64 : FUR_I32, values);
    check_alignment(context, &host, x, y);
    arrays_release(&host);
    free(y);
    free(x);
    free(values);
    pattern_release(&p);
}

/* Arrays need no alignment. Loops over value types. */
START_TEST(arrays_need_no_alignment)
{
    fur_context *context = context_cuda();
    for (int i = 0; i < SHAPE_COUNT; i += test_small() ? 7 : 1)
        check_unaligned(context, i, (fur_value_type)_i);
    fur_context_destroy(context);
}
END_TEST

/* Checks that auto's choice has the bits of the reference for these options. */
static void check_choice(const fur_csr *a, const fur_spmv_options *options, const fur_vector *x,
                         const void *expected)
{
    fur_context *context = fur_csr_context(a);
    fur_spmv *plan = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_spmv_plan(a, options, &plan));
    int64_t n = options->op == FUR_OP_N ? fur_csr_get(a)->rows : fur_csr_get(a)->cols;
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &y));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    void *result = vector_entries(y);
    fur_spmv_report report = *fur_spmv_describe(plan);
    ck_assert_msg(first_difference(FUR_F64, n, result, expected) < 0, "%s", report.kernel);
    ck_assert_uint_gt(strlen(report.reason), 16);
    bool measured = options->measure || options->uses >= 200;
    ck_assert(measured == (strstr(report.reason, "timed") != NULL));
    free(result);
    fur_vector_destroy(y);
    fur_spmv_destroy(plan);
}

static void check_choices(fur_context *context, int index, fur_op op)
{
    rng r = rng_stream(300 + (uint64_t)index);
    pattern p = pattern_make(shape_at(index), &r);
    void *values = entries_random(&r, FUR_F64, p.entries);
    int64_t n = op == FUR_OP_N ? p.cols : p.rows;
    void *x = entries_random(&r, FUR_F64, n);
    void *zeros = entries_make(FUR_F64, p.rows + p.cols);
    fur_csr_view arrays = arrays_make(&p, FUR_F64, FUR_I32, values);
    void *expected = reference_product(fur_context_host(context), &arrays, op, fur_real(1), x,
                                       fur_real(0), zeros);
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &a));
    fur_vector *from = vector_from(context, FUR_F64, n, x);
    fur_spmv_options options = {.size = sizeof options, .op = op, .kernel = "auto"};
    for (options.uses = 0; options.uses <= 10000; options.uses = options.uses * 10 + 1)
        check_choice(a, &options, from, expected);
    options.uses = 0;
    options.measure = 1;
    check_choice(a, &options, from, expected);
    fur_vector_destroy(from);
    fur_csr_destroy(a);
    free(expected);
    arrays_release(&arrays);
    free(zeros);
    free(x);
    free(values);
    pattern_release(&p);
}

START_TEST(auto_gives_the_bits_of_the_reference)
{
    fur_context *context = context_cuda();
    for (int i = 0; i < SHAPE_COUNT; i += test_small() ? 9 : 1)
        check_choices(context, i, i % 2 ? FUR_OP_T : FUR_OP_N);
    fur_context_destroy(context);
}
END_TEST

START_TEST(kernels_have_distinct_names_and_say_what_they_do)
{
    fur_context *context = context_cuda();
    int count = kernel_count(fur_spmv_kernel_at, context);
    ck_assert_int_gt(count, 0);
    ck_assert_int_eq(kernel_info(context, 0).exact, 1);
    for (int i = 0; i < count; i++) {
        fur_kernel_info info = kernel_info(context, i);
        ck_assert_uint_gt(strlen(info.summary), 8);
        ck_assert_ptr_nonnull(info.source);
        ck_assert_str_ne(info.name, "auto");
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(info.name, kernel_info(context, j).name);
    }
    fur_context_destroy(context);
}
END_TEST

/* Returns a matrix with repeated entries. They are small integers, which are added exactly, so kept
 * duplicates give the same results as summed ones. */
static fur_csr *repeated_entries(fur_context *context, fur_duplicates duplicates)
{
    static int32_t rows[5000];
    static int32_t cols[5000];
    static double values[5000];
    rng r = rng_stream(102);
    fur_csr *a = NULL;
    for (int e = 0; e < COUNT_OF(rows); e++) {
        rows[e] = (int32_t)rng_below(&r, 300);
        cols[e] = (int32_t)rng_below(&r, rng_below(&r, 2) ? 200 : 12);
        values[e] = (double)rng_below(&r, 9) - 4;
    }
    fur_coo_view coo = {sizeof coo, 300, 200, COUNT_OF(rows), FUR_F64, rows, cols, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, duplicates, &a));
    return a;
}

/* Returns op(A) times ones, or NULL if the kernel refuses the matrix. */
static void *times_ones(const fur_csr *a, fur_op op, int kernel)
{
    fur_context *context = fur_csr_context(a);
    fur_spmv *plan = plan_or_refusal(a, op, kernel);
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, op == FUR_OP_N ? 200 : 300, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, op == FUR_OP_N ? 300 : 200, &y));
    ck_ok(context, fur_vector_fill(x, fur_real(1)));
    ck_ok(context, plan ? fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y) : FUR_OK);
    void *entries = plan ? vector_entries(y) : NULL;
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_spmv_destroy(plan);
    return entries;
}

START_TEST(kept_duplicates_are_added_up)
{
    fur_context *context = context_cuda();
    fur_csr *summed = repeated_entries(fur_context_host(context), FUR_DUPLICATES_SUM);
    fur_csr *kept = repeated_entries(context, FUR_DUPLICATES_KEEP);
    for (int op = 0; op < OP_COUNT; op++) {
        double *expected = times_ones(summed, (fur_op)op, 0);
        for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
            double *result = times_ones(kept, (fur_op)op, kernel);
            for (int64_t i = 0; result && i < (op == FUR_OP_N ? 300 : 200); i++)
                if (result[i] != expected[i])
                    ck_abort_msg("kernel %s, op %d: y[%lld] = %g, expected %g",
                                 kernel_info(context, kernel).name, op, (long long)i, result[i],
                                 expected[i]);
            free(result);
        }
        free(expected);
    }
    fur_csr_destroy(kept);
    fur_csr_destroy(summed);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, kernels_agree_with_the_reference_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, kernels_accept_a_grid);
    tcase_add_test(tests, kernels_repeat_their_bits);
    tcase_add_loop_test(tests, arrays_need_no_alignment, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, auto_gives_the_bits_of_the_reference);
    tcase_add_test(tests, kernels_have_distinct_names_and_say_what_they_do);
    tcase_add_test(tests, kept_duplicates_are_added_up);
}

int main(void)
{
    return run_gpu_tests("cuda_spmv", add_tests);
}
