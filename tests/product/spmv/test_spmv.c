/* Tests of SpMV. Every registered kernel is compared with sums in long double, on every shape,
 * operation, value type, offset width, thread count and instruction set. Also: which bits must
 * agree, refusals and reports of plans. Matrices and vectors end at unmapped pages. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The expected value carries 11 bits more than double; see within_bound. */
_Static_assert(LDBL_MANT_DIG >= 64, "the reference needs more digits than double");

#define OP_COUNT 3
#define MAX_KERNELS 32
#define MAX_CONTEXTS 12
#define MAX_PRODUCTS 5
/* Larger shapes are tested with plain random numbers only. */
#define MAX_ENTRIES_POISONED 60000

static const int thread_counts[] = {1, 2, 3, 8};

/* Special values among random numbers in (-1, 1). */
typedef enum filling { PLAIN, POISONED_X, POISONED_A, UNDERFLOWING, FILLINGS } filling;

/* An expected entry of y: its value, the sum of moduli in the error bound, the number of terms. */
typedef struct expected {
    long double re;
    long double im;
    long double weight;
    int64_t terms;
} expected;

/* One choice of alpha, beta and y for a trial. All results of a kernel must have the bits of its
 * first result. All exact kernels must have the bits of the reference. */
typedef struct product {
    fur_scalar alpha;
    fur_scalar beta;
    void *y;
    expected *expected;
    void *first[MAX_KERNELS];
} product;

/* The products y = alpha op(A) x + beta y of one matrix and one x. */
typedef struct trial {
    const char *name;
    fur_csr_view a;
    fur_op op;
    int64_t x_size;
    int64_t y_size;
    void *x;
    void *y; /* y of the product that runs now */
    int count;
    product products[MAX_PRODUCTS];
} trial;

static long double modulus(fur_scalar s)
{
    return sqrtl((long double)s.re * s.re + (long double)s.im * s.im);
}

static bool is_zero(fur_scalar s)
{
    return s.re == 0 && s.im == 0;
}

/* Adds a b to e. Real types have no imaginary parts, so 0 * inf must not be added for them. */
static void add_term(expected *e, fur_value_type value, fur_scalar a, fur_scalar b)
{
    e->re += (long double)a.re * b.re;
    if (value_is_complex(value)) {
        e->re -= (long double)a.im * b.im;
        e->im += (long double)a.re * b.im + (long double)a.im * b.re;
    }
    e->weight += modulus(a) * modulus(b);
}

/* Returns the entries of op(A) x, which all products share. */
static expected *add_matrix(const trial *t)
{
    const fur_csr_view *a = &t->a;
    expected *sums = calloc((size_t)t->y_size + 1, sizeof *sums);
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t k = offset_at(a, i); k < offset_at(a, i + 1); k++) {
            fur_scalar entry = entry_get(a->value_type, a->values, k);
            int64_t j = a->columns[k];
            int64_t to = t->op == FUR_OP_N ? i : j;
            int64_t from = t->op == FUR_OP_N ? j : i;
            entry.im = t->op == FUR_OP_H ? -entry.im : entry.im;
            add_term(&sums[to], a->value_type, entry, entry_get(a->value_type, t->x, from));
            sums[to].terms++;
        }
    }
    return sums;
}

/* Replaces e by alpha e + beta y. */
static void finish(expected *e, fur_value_type value, const product *p, fur_scalar y)
{
    expected sum = *e;
    e->re = p->alpha.re * sum.re;
    if (value_is_complex(value)) {
        e->re -= p->alpha.im * sum.im;
        e->im = p->alpha.re * sum.im + p->alpha.im * sum.re;
    }
    e->weight *= modulus(p->alpha);
    if (!is_zero(p->beta))
        add_term(e, value, p->beta, y);
}

static expected *expect(const trial *t, const product *p, const expected *sums)
{
    expected *e = calloc((size_t)t->y_size + 1, sizeof *e);
    for (int64_t i = 0; i < t->y_size; i++) {
        e[i] = sums[i];
        finish(&e[i], t->a.value_type, p, entry_get(t->a.value_type, p->y, i));
    }
    return e;
}

static bool part_within(double part, long double expected_part, long double bound)
{
    if (isnan(expected_part) || isnan(part))
        return isnan(expected_part) && isnan(part);
    if (isinf(expected_part) || isinf(part))
        return part == expected_part;
    return fabsl(part - expected_part) <= bound;
}

/* Returns whether y is as near to the expected value as every order of summation must bring it.
 *
 * Let u = eps / 2 be the unit roundoff and g(k) = k u / (1 - k u). A sum of n products by fma, in
 * any order and tree, rounds every term at most n times: once in its product, n - 1 times in sums.
 * The last fma with alpha rounds once more; beta y is rounded twice. So for real types
 *     |error| <= g(n + 2) (|alpha| sum |a||x| + |beta||y|) <= (n + 2) eps (...)
 * if (n + 2) u <= 1/2.
 * A complex term takes two fma instead of one. Either part of the sum errs by at most g(2 n) sum
 * |a||x| (Cauchy-Schwarz), and its modulus by sqrt 2 times that. The result errs by sqrt 2 g(2 (n +
 * 2)) (...) <= 2 (n + 2) eps (...) if (n + 2) eps <= 1 - 1 / sqrt 2.
 * The expected value, in long double, errs by 2^-10 of this. The step from u to eps leaves room for
 * it. A rounding below the normal range errs by half of the smallest number. There are at most 2 (n
 * + 2) a part. */
static bool within_bound(fur_value_type value, const product *p, fur_scalar y, const expected *e)
{
    bool complex = value_is_complex(value);
    long double n = (long double)(e->terms + 2);
    long double underflow = 2 * n * (1 + modulus(p->alpha)) * value_tiny(value);
    long double bound = (complex ? 2 : 1) * n * value_epsilon(value) * e->weight + underflow;
    return part_within(y.re, e->re, bound) && (!complex || part_within(y.im, e->im, bound));
}

/* The contexts in which products run: each instruction set with each thread count. Offset widths
 * alternate between contexts and operations, see is_turn. */
typedef struct bench {
    fur_context *contexts[MAX_CONTEXTS];
    int turns[MAX_CONTEXTS];
    int count;
    int kernels;
    int64_t refusals[MAX_KERNELS];
} bench;

static bench bench_open(int step)
{
    bench b = {.count = 0};
    for (int i = 0; isa_name(i); i++) {
        for (int t = 0; t < COUNT_OF(thread_counts); t += step) {
            b.turns[b.count] = i + t / step;
            b.contexts[b.count++] = context_make(isa_name(i), thread_counts[t]);
        }
    }
    b.kernels = kernel_count(fur_spmv_kernel_at, b.contexts[0]);
    ck_assert_int_le(b.kernels, MAX_KERNELS);
    return b;
}

static fur_kernel_info kernel_info(fur_context *context, int kernel)
{
    return *fur_spmv_kernel_at(context, kernel);
}

static void bench_close(bench *b)
{
    for (int c = 0; c < b->count; c++)
        fur_context_destroy(b->contexts[c]);
}

static void print_refusals(const bench *b)
{
    for (int kernel = 0; kernel < b->kernels; kernel++)
        if (b->refusals[kernel] > 0)
            printf("kernel %s refused %lld of its matrices\n",
                   kernel_info(b->contexts[0], kernel).name, (long long)b->refusals[kernel]);
}

/* Checks that a kernel refused a matrix with a sentence that gives the reason. */
static void check_refusal(fur_context *context, const char *name, fur_status status)
{
    char start[128];
    snprintf(start, sizeof start, "kernel \"%s\" does not suit this matrix: ", name);
    const char *sentence = fur_context_error(context);
    ck_assert_msg(status == FUR_UNSUPPORTED, "%s: %s", name, sentence);
    ck_assert_msg(strncmp(sentence, start, strlen(start)) == 0, "%s", sentence);
    ck_assert_msg(strlen(sentence) > strlen(start) + 8, "%s", sentence);
}

/* Makes a plan for the kernel. Returns NULL if the kernel refuses the matrix. The reference must
 * not refuse. */
static fur_spmv *plan_or_refusal(const fur_csr *a, fur_op op, int kernel)
{
    fur_context *context = fur_csr_context(a);
    const char *name = kernel_info(context, kernel).name;
    fur_spmv_options options = {.size = sizeof options, .op = op, .kernel = name};
    fur_spmv *plan = NULL;
    fur_status status = fur_spmv_plan(a, &options, &plan);
    if (status != FUR_OK) {
        check_refusal(context, name, status);
        ck_assert_int_gt(kernel, 0);
        ck_assert_ptr_null(plan);
    }
    return plan;
}

static size_t y_bytes(const trial *t)
{
    return (size_t)t->y_size * fur_value_size(t->a.value_type);
}

/* Computes the product into t->y. */
static void multiply(const trial *t, const product *p, const fur_spmv *plan)
{
    fur_context *context = fur_csr_context(fur_spmv_matrix(plan));
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    if (y_bytes(t) > 0)
        memcpy(t->y, p->y, y_bytes(t));
    ck_ok(context,
          fur_vector_wrap(context, t->a.value_type, t->x_size, t->x, FUR_OWNERSHIP_BORROW, &x));
    ck_ok(context,
          fur_vector_wrap(context, t->a.value_type, t->y_size, t->y, FUR_OWNERSHIP_BORROW, &y));
    ck_ok(context, fur_spmv_apply(plan, p->alpha, x, p->beta, y));
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

static void fail_product(const trial *t, const product *p, const fur_spmv *plan, int64_t i,
                         const char *problem)
{
    fur_context *context = fur_csr_context(fur_spmv_matrix(plan));
    ck_abort_msg("%s, kernel %s, op %d, %s, %s, isa %s, %d threads, alpha %g%+gi, beta %g%+gi: "
                 "y[%lld] %s",
                 t->name, fur_spmv_describe(plan)->kernel, (int)t->op,
                 fur_value_name(t->a.value_type), fur_offset_name(t->a.offset_type),
                 fur_context_isa(context), fur_context_threads(context), p->alpha.re, p->alpha.im,
                 p->beta.re, p->beta.im, (long long)i, problem);
}

static void check_bound(const trial *t, const product *p, const fur_spmv *plan)
{
    char text[256];
    for (int64_t i = 0; i < t->y_size; i++) {
        fur_scalar entry = entry_get(t->a.value_type, t->y, i);
        const expected *e = &p->expected[i];
        if (within_bound(t->a.value_type, p, entry, e))
            continue;
        snprintf(text, sizeof text, "= %a%+ai, expected %La%+Lai", entry.re, entry.im, e->re,
                 e->im);
        fail_product(t, p, plan, i, text);
    }
}

static void check_bits(const trial *t, const product *p, const fur_spmv *plan, const void *first)
{
    char text[256];
    int64_t i = first_difference(t->a.value_type, t->y_size, first, t->y);
    if (i < 0)
        return;
    fur_scalar now = entry_get(t->a.value_type, t->y, i);
    fur_scalar before = entry_get(t->a.value_type, first, i);
    snprintf(text, sizeof text, "= %a%+ai differs from %a%+ai", now.re, now.im, before.re,
             before.im);
    fail_product(t, p, plan, i, text);
}

/* Checks the first result of a kernel against the bound, and all others against the bits of the
 * first. */
static void run_product(const trial *t, const product *p, const fur_spmv *plan, void **first)
{
    multiply(t, p, plan);
    if (*first) {
        check_bits(t, p, plan, *first);
        return;
    }
    check_bound(t, p, plan);
    *first = malloc(y_bytes(t) + 1);
    memcpy(*first, t->y, y_bytes(t));
}

static void run_kernel(trial *t, const fur_csr *a, int kernel, int64_t *refusals)
{
    fur_spmv *plan = plan_or_refusal(a, t->op, kernel);
    int first = kernel_info(fur_csr_context(a), kernel).exact ? 0 : kernel;
    *refusals += !plan;
    for (int i = 0; plan && i < t->count; i++)
        run_product(t, &t->products[i], plan, &t->products[i].first[first]);
    fur_spmv_destroy(plan);
}

/* Returns whether the trial runs in context c: in half of the contexts. For one operation, all
 * pairs of offset width, instruction set and thread count occur. Over the operations, all triples
 * occur. */
static bool is_turn(const bench *b, int c, const trial *t)
{
    return (b->turns[c] + (int)t->op + (int)t->a.offset_type) % FUR_OFFSET_COUNT == 0;
}

static void run_trial(bench *b, trial *t)
{
    for (int c = 0; c < b->count; c++) {
        if (!is_turn(b, c, t))
            continue;
        fur_csr *a = NULL;
        ck_ok(b->contexts[c], fur_csr_create(b->contexts[c], &t->a, FUR_OWNERSHIP_BORROW, &a));
        for (int kernel = 0; kernel < b->kernels; kernel++)
            run_kernel(t, a, kernel, &b->refusals[kernel]);
        fur_csr_destroy(a);
    }
}

/* Sets alpha, beta, y and the expected results. If beta is 0, y is full of NaN. */
static void set_products(trial *t, rng *r)
{
    fur_value_type value = t->a.value_type;
    const fur_scalar pairs[MAX_PRODUCTS][2] = {{rng_scalar(r, value), rng_scalar(r, value)},
                                               {{1, 0}, {0, 0}},
                                               {{0, 0}, rng_scalar(r, value)},
                                               {rng_scalar(r, value), {1, 0}},
                                               {{0, 0}, {0, 0}}};
    expected *sums = add_matrix(t);
    t->count = TEST_SLOW ? 2 : MAX_PRODUCTS;
    for (int i = 0; i < t->count; i++) {
        product *p = &t->products[i];
        *p = (product){.alpha = pairs[i][0], .beta = pairs[i][1]};
        p->y = entries_random(r, value, t->y_size);
        for (int64_t k = 0; is_zero(p->beta) && k < t->y_size; k++)
            entry_set(value, p->y, k, fur_complex(NAN, NAN));
        p->expected = expect(t, p, sums);
    }
    free(sums);
}

static void release_products(trial *t, int kernels)
{
    for (int i = 0; i < t->count; i++) {
        free(t->products[i].y);
        free(t->products[i].expected);
        for (int kernel = 0; kernel < kernels; kernel++)
            free(t->products[i].first[kernel]);
    }
}

/* Returns n random entries. One in `every` is infinite or NaN. 0: none. */
static void *poisoned(rng *r, fur_value_type value, int64_t n, int64_t every)
{
    static const double poison[] = {INFINITY, -INFINITY, NAN};
    void *entries = entries_random(r, value, n);
    for (int64_t i = 0; every > 0 && i < n; i++)
        if (rng_below(r, every) == 0)
            entry_set(value, entries, i, fur_complex(poison[rng_below(r, 3)], rng_unit(r)));
    return entries;
}

/* Scales entries down until every product of two is below the smallest number. */
static void scale_down(fur_value_type value, int64_t n, void *entries)
{
    double factor = value_epsilon(value) == DBL_EPSILON ? 0x1p-600 : 0x1p-80;
    for (int64_t i = 0; i < n; i++) {
        fur_scalar entry = entry_get(value, entries, i);
        entry_set(value, entries, i, fur_complex(entry.re * factor, entry.im * factor));
    }
}

/* Sets x to random entries in guarded memory. */
static void set_x(trial *t, rng *r, filling f)
{
    size_t bytes = (size_t)t->x_size * fur_value_size(t->a.value_type);
    void *x = poisoned(r, t->a.value_type, t->x_size, f == POISONED_X ? 8 : 0);
    if (f == UNDERFLOWING)
        scale_down(t->a.value_type, t->x_size, x);
    t->x = guard_allocate(bytes);
    if (bytes > 0)
        memcpy(t->x, x, bytes);
    free(x);
}

static void run_op(bench *b, trial *t, rng *r, filling f, const pattern *p, const void *values)
{
    bool ready = false;
    t->x_size = t->op == FUR_OP_N ? p->cols : p->rows;
    t->y_size = t->op == FUR_OP_N ? p->rows : p->cols;
    t->y = guard_allocate(y_bytes(t));
    for (int width = 0; width < FUR_OFFSET_COUNT; width++) {
        t->a = arrays_make(p, t->a.value_type, (fur_offset_type)width, values);
        if (!ready) {
            set_x(t, r, f);
            set_products(t, r);
        }
        ready = true;
        run_trial(b, t);
        arrays_release(&t->a);
    }
    release_products(t, b->kernels);
    guard_release(t->y, y_bytes(t));
    guard_release(t->x, (size_t)t->x_size * fur_value_size(t->a.value_type));
}

static void run_shape(bench *b, const shape *s, fur_value_type value, filling f)
{
    rng r = rng_stream((uint64_t)(s - shapes));
    pattern p = pattern_make(s, &r);
    void *values = poisoned(&r, value, p.entries, f == POISONED_A ? 50 : 0);
    if (f == UNDERFLOWING)
        scale_down(value, p.entries, values);
    for (int op = 0; op < OP_COUNT && (f == PLAIN || p.entries <= MAX_ENTRIES_POISONED); op++) {
        trial t = {.name = s->name, .a = {.value_type = value}, .op = (fur_op)op};
        run_op(b, &t, &r, f, &p, values);
    }
    free(values);
    pattern_release(&p);
}

/* Loops over value types and fillings. A row must not read entries of x to which it does not refer.
 * Otherwise NaN in x would spread to other rows. */
START_TEST(kernels_agree_with_long_double_and_with_each_other)
{
    filling f = (filling)(_i / FUR_VALUE_COUNT);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    bench b = bench_open(f != PLAIN ? 3 : TEST_SLOW ? 2 : 1);
    /* Special fillings and value types alternate between the shapes. */
    int step = (f == PLAIN ? 1 : 2) * (TEST_SLOW ? 3 : 1);
    for (int i = ((int)f + (int)value) % step; i < shape_count; i += step)
        run_shape(&b, &shapes[i], value, f);
    if (_i == FUR_F64)
        print_refusals(&b);
    bench_close(&b);
}
END_TEST

/* A kernel that refused everything would pass every other test. */
START_TEST(every_kernel_accepts_a_grid)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(100);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("grid")], FUR_F64, FUR_I32);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
        fur_spmv *plan = plan_or_refusal(a, FUR_OP_N, kernel);
        ck_assert_msg(plan != NULL, "%s", fur_context_error(context));
        fur_spmv_destroy(plan);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(kernels_have_distinct_names_and_say_what_they_do)
{
    fur_context *context = context_make(NULL, 1);
    int count = kernel_count(fur_spmv_kernel_at, context);
    ck_assert_str_eq(kernel_info(context, 0).name, "reference");
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

START_TEST(the_list_of_kernels_ends)
{
    fur_context *context = context_make(NULL, 1);
    int count = kernel_count(fur_spmv_kernel_at, context);
    const int outside[] = {-1, count, INT32_MAX};
    for (int i = 0; i < COUNT_OF(outside); i++)
        ck_assert_ptr_null(fur_spmv_kernel_at(context, outside[i]));
    fur_context_destroy(context);
}
END_TEST

/* A small matrix with its context and vectors of its size. */
typedef struct small {
    fur_context *context;
    fur_csr *a;
    fur_vector *x;
    fur_vector *y;
} small;

static small small_make(void)
{
    small s = {.context = context_make(NULL, 1)};
    rng r = rng_stream(101);
    s.a = matrix_random(s.context, &r, &shapes[shape_find("tall")], FUR_F64, FUR_I32);
    s.x = vector_random(s.context, &r, FUR_F64, 17);
    s.y = vector_random(s.context, &r, FUR_F64, 3001);
    return s;
}

static void small_release(small *s)
{
    fur_vector_destroy(s->y);
    fur_vector_destroy(s->x);
    fur_csr_destroy(s->a);
    fur_context_destroy(s->context);
}

START_TEST(an_unknown_kernel_is_refused_with_the_list)
{
    small s = small_make();
    char sentence[1024] = "there is no SpMV kernel \"fastest\" on device cpu; it has auto";
    fur_spmv_options options = {.size = sizeof options, .kernel = "fastest"};
    fur_spmv *plan = NULL;
    for (int i = 0; i < kernel_count(fur_spmv_kernel_at, s.context); i++) {
        strcat(sentence, ", ");
        strcat(sentence, kernel_info(s.context, i).name);
    }
    ck_fails(s.context, FUR_UNSUPPORTED, sentence, fur_spmv_plan(s.a, &options, &plan));
    ck_assert_ptr_null(plan);
    small_release(&s);
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    small s = small_make();
    fur_spmv_options op = {.size = sizeof op, .op = (fur_op)3};
    fur_spmv_options uses = {.size = sizeof uses, .uses = -5};
    fur_spmv *plan = NULL;
    ck_fails(s.context, FUR_INVALID, "3 is not an operation; use FUR_OP_N, _T or _H",
             fur_spmv_plan(s.a, &op, &plan));
    ck_fails(s.context, FUR_INVALID,
             "the number of expected products is -5; it must not be negative",
             fur_spmv_plan(s.a, &uses, &plan));
    ck_assert_ptr_null(plan);
    small_release(&s);
}
END_TEST

/* A struct of an older program ends before newer members. These members are not read. */
START_TEST(options_of_an_older_program_are_read_as_far_as_they_go)
{
    small s = small_make();
    fur_spmv_options options = {
        .size = offsetof(fur_spmv_options, kernel), .op = FUR_OP_T, .kernel = "unread", .uses = -1};
    fur_spmv *plan = NULL;
    ck_ok(s.context, fur_spmv_plan(s.a, &options, &plan));
    ck_assert_int_eq(fur_spmv_op(plan), FUR_OP_T);
    ck_assert_ptr_eq(fur_spmv_matrix(plan), s.a);
    fur_spmv_destroy(plan);
    fur_spmv_destroy(NULL);
    small_release(&s);
}
END_TEST

START_TEST(vectors_that_do_not_fit_are_refused)
{
    small s = small_make();
    fur_context *other = context_make(NULL, 1);
    rng r = rng_stream(102);
    fur_vector *single = vector_random(s.context, &r, FUR_F32, 17);
    fur_vector *foreign = vector_random(other, &r, FUR_F64, 17);
    fur_spmv *plan = NULL;
    ck_ok(s.context, fur_spmv_plan(s.a, NULL, &plan));
    const struct {
        fur_vector *x;
        fur_vector *y;
        const char *sentence;
    } cases[] = {
        {s.y, s.y, "x has 3001 entries, but the 3001 x 17 matrix needs 17"},
        {s.x, s.x, "y has 17 entries, but the 3001 x 17 matrix needs 3001"},
        {single, s.y, "x has entries of type f32, but the matrix has type f64; convert one"},
        {s.x, single, "y has entries of type f32, but the matrix has type f64; convert one"},
        {foreign, s.y, "x belongs to another context than the matrix"},
        {s.x, foreign, "y belongs to another context than the matrix"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++)
        ck_fails(s.context, FUR_INVALID, cases[i].sentence,
                 fur_spmv_apply(plan, fur_real(1), cases[i].x, fur_real(0), cases[i].y));
    fur_spmv_destroy(plan);
    fur_vector_destroy(foreign);
    fur_vector_destroy(single);
    fur_context_destroy(other);
    small_release(&s);
}
END_TEST

START_TEST(a_vector_cannot_be_both_x_and_y)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(103);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("band")], FUR_F64, FUR_I32);
    fur_vector *x = vector_random(context, &r, FUR_F64, 203);
    fur_spmv *plan = NULL;
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_fails(context, FUR_INVALID, "x and y overlap in memory; give each a separate array",
             fur_spmv_apply(plan, fur_real(1), x, fur_real(0), x));
    fur_spmv_destroy(plan);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Checks that the choice of "auto" gives the bits of the reference. */
static void check_choice(const fur_csr *a, fur_op op, int64_t uses, int measure,
                         const fur_vector *x, const fur_vector *expected_y)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    int64_t n = fur_vector_size(expected_y);
    fur_spmv_options options = {
        .size = sizeof options, .op = op, .kernel = "auto", .uses = uses, .measure = measure};
    fur_spmv *plan = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    ck_ok(context, fur_vector_create(context, value, n, &y));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    ck_assert_int_eq(
        first_difference(value, n, fur_vector_data(y), fur_vector_const_data(expected_y)), -1);
    fur_spmv_report report = *fur_spmv_describe(plan);
    ck_assert_str_ne(report.kernel, "auto");
    ck_assert_uint_gt(strlen(report.reason), 16);
    ck_assert_int_ge(report.bytes, 0);
    ck_assert(report.seconds_plan >= 0);
    ck_assert(measure == (strstr(report.reason, "timed") != NULL));
    ck_assert(measure || (report.seconds_product == 0 && report.break_even == -1));
    fur_vector_destroy(y);
    fur_spmv_destroy(plan);
}

static void check_choices(fur_context *context, rng *r, const shape *s, fur_op op)
{
    fur_csr *a = matrix_random(context, r, s, FUR_F64, FUR_I32);
    fur_vector *x = vector_random(context, r, FUR_F64, op == FUR_OP_N ? s->cols : s->rows);
    fur_vector *y = vector_random(context, r, FUR_F64, op == FUR_OP_N ? s->rows : s->cols);
    fur_spmv *plan = plan_or_refusal(a, op, 0);
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    for (int64_t uses = 0; uses <= 10000; uses = uses * 10 + 1)
        check_choice(a, op, uses, 0, x, y);
    check_choice(a, op, 0, 1, x, y);
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
}

START_TEST(auto_gives_the_bits_of_the_reference)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(104);
    FOR_TURNS (i, shape_count, 3, rng_below(&r, 3))
        for (int op = 0; op < OP_COUNT; op += 2)
            check_choices(context, &r, &shapes[i], (fur_op)op);
    fur_context_destroy(context);
}
END_TEST

/* Makes a square matrix with `length` entries in each row, in consecutive columns or `anywhere`. */
static fur_csr *even_rows(fur_context *context, int64_t rows, int64_t length, bool anywhere)
{
    fur_coo_view coo = {.size = sizeof coo,
                        .rows = rows,
                        .cols = rows,
                        .entries = rows * length,
                        .value_type = FUR_F64};
    int32_t *row = malloc((size_t)coo.entries * sizeof *row);
    int32_t *col = malloc((size_t)coo.entries * sizeof *col);
    double *values = malloc((size_t)coo.entries * sizeof *values);
    rng r = rng_stream(112);
    for (int64_t k = 0; k < coo.entries; k++) {
        row[k] = (int32_t)(k / length);
        col[k] =
            anywhere ? (int32_t)rng_below(&r, rows) : (int32_t)((k / length + k % length) % rows);
        values[k] = 1;
    }
    coo.row_indices = row;
    coo.col_indices = col;
    coo.values = values;
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    free(values);
    free(col);
    free(row);
    return a;
}

/* Checks that every exact kernel except the reference has an estimate or a reason to refuse. For
 * many products, the kernel with the smallest estimate must be chosen. */
static void check_estimates(const fur_csr *a)
{
    fur_context *context = fur_csr_context(a);
    fur_spmv_options options = {.size = sizeof options, .uses = 1000000};
    const char *least = NULL;
    double seconds = HUGE_VAL;
    fur_spmv *plan = NULL;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    for (int i = 1; i < kernel_count(fur_spmv_kernel_at, context); i++) {
        fur_spmv_estimate e = {.size = sizeof e};
        ck_ok(context, fur_spmv_estimate_at(a, i, &e));
        if (!kernel_info(context, i).exact || e.refusal) {
            ck_assert(e.seconds_product == 0);
            continue;
        }
        ck_assert(e.seconds_product > 0 && e.seconds_product < 1 && e.seconds_plan >= 0);
        double total = e.seconds_product + e.seconds_plan / (double)options.uses;
        if (total < seconds) {
            seconds = total;
            least = kernel_info(context, i).name;
        }
    }
    ck_assert_str_eq(fur_spmv_describe(plan)->kernel, least);
    ck_assert_double_eq_tol(fur_spmv_describe(plan)->seconds_estimated, seconds, 1e-9 * seconds);
    fur_spmv_destroy(plan);
}

START_TEST(the_choice_is_the_least_estimate)
{
    fur_context *context = context_make(NULL, 2);
    for (int anywhere = 0; anywhere < 2; anywhere++) {
        fur_csr *a = even_rows(context, 4000, 7, anywhere);
        fur_spmv_estimate e = {.size = sizeof e};
        check_estimates(a);
        ck_fails(context, FUR_INVALID,
                 "there is no SpMV kernel 99 on device cpu; fur_spmv_kernel_at lists the kernels",
                 fur_spmv_estimate_at(a, 99, &e));
        ck_fails(context, FUR_INVALID,
                 "there is no SpMV kernel -1 on device cpu; fur_spmv_kernel_at lists the kernels",
                 fur_spmv_estimate_at(a, -1, &e));
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* A plan for few products does not measure the machine. */
START_TEST(few_products_are_not_chosen_for)
{
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = even_rows(context, 4000, 7, false);
    static const struct {
        int64_t uses;
        bool unseen;
    } cases[] = {{1, true}, {7, true}, {8, true}, {35, true}, {36, false}, {1, false}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_spmv_options options = {.size = sizeof options, .uses = cases[i].uses};
        fur_spmv *plan = NULL;
        ck_ok(context, fur_spmv_plan(a, &options, &plan));
        bool unseen = strstr(fur_spmv_describe(plan)->reason, "too short") != NULL;
        ck_assert_msg(unseen == cases[i].unseen, "%lld uses: %s", (long long)cases[i].uses,
                      fur_spmv_describe(plan)->reason);
        fur_spmv_destroy(plan);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* The report of a plan is right. Plain CSR moves offsets, columns, values, x and y once. */
START_TEST(a_plan_describes_itself)
{
    small s = small_make();
    int64_t entries = fur_csr_get(s.a)->entries;
    int64_t csr_bytes = 3002 * 4 + entries * (4 + 8) + (17 + 3001) * 8;
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, s.context); kernel++) {
        fur_spmv *plan = plan_or_refusal(s.a, FUR_OP_N, kernel);
        if (!plan)
            continue;
        fur_spmv_report report = *fur_spmv_describe(plan);
        ck_assert_str_eq(report.kernel, kernel_info(s.context, kernel).name);
        ck_assert_str_eq(report.reason, "asked for by name");
        ck_assert_int_eq(report.csr_bytes, csr_bytes);
        ck_assert_int_ge(report.bytes, (17 + 3001) * 8 + entries);
        ck_assert_double_eq(report.seconds_product, 0);
        ck_assert_double_eq(report.seconds_plain, 0);
        ck_assert_int_eq(report.break_even, -1);
        fur_spmv_destroy(plan);
    }
    small_release(&s);
}
END_TEST

/* Makes a 300 x 200 matrix of small integers. Many positions repeat. */
static fur_csr *repeated_entries(fur_context *context, fur_value_type value,
                                 fur_duplicates duplicates)
{
    static int32_t rows[5000];
    static int32_t cols[5000];
    static double values[2 * 5000];
    rng r = rng_stream(106);
    fur_csr *a = NULL;
    for (int e = 0; e < COUNT_OF(rows); e++) {
        rows[e] = (int32_t)rng_below(&r, 300);
        cols[e] = (int32_t)rng_below(&r, rng_below(&r, 2) ? 200 : 12);
        entry_set(value, values, e,
                  fur_complex((double)rng_below(&r, 9) - 4, (double)rng_below(&r, 9) - 4));
    }
    fur_coo_view coo = {sizeof coo, 300, 200, COUNT_OF(rows), value, rows, cols, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, duplicates, &a));
    return a;
}

static void multiply_ones(const fur_csr *a, fur_op op, int kernel, fur_vector *y)
{
    fur_context *context = fur_csr_context(a);
    fur_vector *x = NULL;
    fur_spmv *plan = plan_or_refusal(a, op, kernel);
    ck_ok(context,
          fur_vector_create(context, fur_csr_get(a)->value_type, op == FUR_OP_N ? 200 : 300, &x));
    ck_ok(context, fur_vector_fill(x, fur_complex(1, 2)));
    ck_ok(context, plan ? fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y) : FUR_OK);
    fur_spmv_destroy(plan);
    fur_vector_destroy(x);
}

/* Checks that kept duplicates give the result of summed duplicates. Sums of small integers are
 * exact. */
static void check_repeated(fur_context *context, fur_value_type value, fur_op op)
{
    int64_t n = op == FUR_OP_N ? 300 : 200;
    fur_csr *summed = repeated_entries(context, value, FUR_DUPLICATES_SUM);
    fur_csr *kept = repeated_entries(context, value, FUR_DUPLICATES_KEEP);
    fur_vector *sums = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_vector_create(context, value, n, &sums));
    ck_ok(context, fur_vector_create(context, value, n, &y));
    multiply_ones(summed, op, 0, sums);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
        ck_ok(context, fur_vector_copy(sums, y));
        multiply_ones(kept, op, kernel, y);
        for (int64_t i = 0; i < n; i++) {
            fur_scalar a = entry_get(value, fur_vector_data(y), i);
            fur_scalar b = entry_get(value, fur_vector_data(sums), i);
            if (a.re != b.re || a.im != b.im)
                ck_abort_msg("kernel %s, op %d, %s: y[%lld] = %g%+gi, expected %g%+gi",
                             kernel_info(context, kernel).name, (int)op, fur_value_name(value),
                             (long long)i, a.re, a.im, b.re, b.im);
        }
    }
    fur_vector_destroy(y);
    fur_vector_destroy(sums);
    fur_csr_destroy(kept);
    fur_csr_destroy(summed);
}

/* Loops over value types. */
START_TEST(kept_duplicates_are_added_up)
{
    for (int i = 0; isa_name(i); i++) {
        fur_context *context = context_make(isa_name(i), 2);
        for (int op = 0; op < OP_COUNT; op++)
            check_repeated(context, (fur_value_type)_i, (fur_op)op);
        fur_context_destroy(context);
    }
}
END_TEST

/* A product allocates nothing, and a plan releases all its memory. */
START_TEST(products_do_not_allocate)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    rng r = rng_stream(105);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("grid")], FUR_C64, FUR_I64);
    fur_vector *x = vector_random(context, &r, FUR_C64, fur_csr_get(a)->cols);
    fur_vector *y = vector_random(context, &r, FUR_C64, fur_csr_get(a)->rows);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
        int64_t outstanding = m.outstanding;
        fur_spmv *plan = plan_or_refusal(a, FUR_OP_H, kernel);
        int64_t calls = m.calls;
        if (plan)
            ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(1), y));
        ck_assert_int_eq(m.calls, calls);
        fur_spmv_destroy(plan);
        ck_assert_int_eq(m.outstanding, outstanding);
    }
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_turns(tests, kernels_agree_with_long_double_and_with_each_other,
                    FUR_VALUE_COUNT * FILLINGS, 3);
    tcase_add_test(tests, every_kernel_accepts_a_grid);
    tcase_add_test(tests, kernels_have_distinct_names_and_say_what_they_do);
    tcase_add_test(tests, the_list_of_kernels_ends);
    tcase_add_test(tests, an_unknown_kernel_is_refused_with_the_list);
    tcase_add_test(tests, wrong_options_are_refused);
    tcase_add_test(tests, options_of_an_older_program_are_read_as_far_as_they_go);
    tcase_add_test(tests, vectors_that_do_not_fit_are_refused);
    tcase_add_test(tests, a_vector_cannot_be_both_x_and_y);
    tcase_add_test(tests, auto_gives_the_bits_of_the_reference);
    tcase_add_test(tests, the_choice_is_the_least_estimate);
    tcase_add_test(tests, few_products_are_not_chosen_for);
    tcase_add_test(tests, a_plan_describes_itself);
    tcase_add_loop_test(tests, kept_duplicates_are_added_up, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, products_do_not_allocate);
}

int main(void)
{
    return run_tests("spmv", add_tests);
}
