/* Tests of levels, colours, components and matchings for random patterns of many densities. Every
 * result is compared with its definition, evaluated on a dense array. */
#include "support.h"

#include <math.h>
#include <string.h>

/* Makes a random n x n matrix with about `per_row` entries in each row. Some are on the
 * diagonal. */
static fur_csr *make(fur_context *context, rng *r, int64_t n, double per_row, fur_value_type value)
{
    int32_t *row = malloc(((size_t)(n * n) + 1) * sizeof *row);
    int32_t *col = malloc(((size_t)(n * n) + 1) * sizeof *col);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if ((double)rng_below(r, 1000000) < 1e6 * per_row / (double)n) {
                row[count] = (int32_t)i;
                col[count++] = (int32_t)j;
            }
    void *values = entries_random(r, value, count);
    fur_coo_view coo = {sizeof coo, n, n, count, value, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    free(values);
    free(col);
    free(row);
    return a;
}

/* Returns an n x n array: entry i n + j is true if there is an edge between i and j. */
static bool *edges_of(const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    bool *edge = calloc((size_t)(v->rows * v->rows) + 1, sizeof *edge);
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            if (v->columns[k] != i)
                edge[i * v->rows + v->columns[k]] = edge[v->columns[k] * v->rows + i] = true;
    return edge;
}

/* Checks that counts, sizes and order of the classes agree with the class of each row. */
static void check_classes(const fur_csr *a, const fur_classes *c)
{
    int64_t n = fur_csr_get(a)->rows;
    const int32_t *of = fur_classes_get(c)->of_rows;
    const int64_t *begin = fur_classes_get(c)->begin;
    int64_t smallest = INT64_MAX;
    int64_t largest = 0;
    fur_permutation *p = NULL;
    ck_ok(fur_csr_context(a), fur_classes_order(c, &p));
    const int32_t *order = fur_permutation_order(p);
    ck_assert_int_eq(begin[0], 0);
    ck_assert_int_eq(begin[fur_classes_get(c)->count], n);
    for (int64_t k = 0; k < fur_classes_get(c)->count; k++) {
        int64_t size = begin[k + 1] - begin[k];
        ck_assert_int_gt(size, 0);
        smallest = size < smallest ? size : smallest;
        largest = size > largest ? size : largest;
        for (int64_t place = begin[k]; place < begin[k + 1]; place++) {
            ck_assert_int_eq(of[order[place]], k);
            ck_assert(place == begin[k] || order[place - 1] < order[place]);
        }
    }
    ck_assert_int_eq(fur_classes_get(c)->largest, largest);
    ck_assert_int_eq(fur_classes_get(c)->smallest, n > 0 ? smallest : 0);
    fur_permutation_destroy(p);
}

static void check_levels(const fur_csr *a, fur_triangle triangle)
{
    const fur_csr_view *v = fur_csr_get(a);
    int64_t n = v->rows;
    int32_t *level = calloc((size_t)n + 1, sizeof *level);
    int32_t count = 0;
    fur_classes *c = NULL;
    for (int64_t place = 0; place < n; place++) {
        int64_t i = triangle == FUR_TRIANGLE_LOWER ? place : n - 1 - place;
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
            int64_t j = v->columns[k];
            bool inside = triangle == FUR_TRIANGLE_LOWER ? j < i : j > i;
            if (inside && level[j] + 1 > level[i])
                level[i] = level[j] + 1;
        }
        count = level[i] + 1 > count ? level[i] + 1 : count;
    }
    ck_ok(fur_csr_context(a), fur_classes_from_levels(a, triangle, &c));
    ck_assert_int_eq(fur_classes_get(c)->count, count);
    ck_assert(n == 0 || memcmp(fur_classes_get(c)->of_rows, level, (size_t)n * sizeof *level) == 0);
    check_classes(a, c);
    fur_classes_destroy(c);
    free(level);
}

static bool are_near(const bool *edge, int64_t n, int64_t i, int64_t j, int distance)
{
    if (edge[i * n + j])
        return true;
    for (int64_t k = 0; distance == 2 && k < n; k++)
        if (edge[i * n + k] && edge[k * n + j])
            return true;
    return false;
}

/* Checks that rows within the distance have different colours. Except in the automatic order, each
 * smaller colour must also occur within the distance of the row. */
static void check_colours(const fur_csr *a, int distance, fur_colour_order order)
{
    int64_t n = fur_csr_get(a)->rows;
    bool *edge = edges_of(a);
    fur_colour_options options = {.size = sizeof options, .distance = distance, .order = order};
    fur_classes *c = NULL;
    ck_ok(fur_csr_context(a), fur_classes_from_colours(a, &options, &c));
    const int32_t *of = fur_classes_get(c)->of_rows;
    bool first = order != FUR_COLOUR_ORDER_AUTO;
    for (int64_t i = 0; i < n; i++) {
        int64_t seen = 0;
        bool *has = calloc((size_t)n + 1, sizeof *has);
        for (int64_t j = 0; j < n; j++)
            if (i != j && are_near(edge, n, i, j, distance)) {
                ck_assert_int_ne(of[i], of[j]);
                seen += of[j] < of[i] && !has[of[j]];
                has[of[j]] = true;
            }
        ck_assert(!first || seen == of[i]);
        free(has);
    }
    check_classes(a, c);
    fur_classes_destroy(c);
    free(edge);
}

static void check_components(const fur_csr *a)
{
    int64_t n = fur_csr_get(a)->rows;
    bool *edge = edges_of(a);
    int32_t *of = malloc(((size_t)n + 1) * sizeof *of);
    int32_t count = 0;
    fur_classes *c = NULL;
    for (int64_t i = 0; i < n; i++)
        of[i] = -1;
    for (int64_t root = 0; root < n; root++) {
        if (of[root] >= 0)
            continue;
        of[root] = count++;
        for (bool grows = true; grows;) {
            grows = false;
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n && of[i] == of[root]; j++)
                    if (edge[i * n + j] && of[j] < 0) {
                        of[j] = of[root];
                        grows = true;
                    }
        }
    }
    ck_ok(fur_csr_context(a), fur_classes_from_components(a, &c));
    ck_assert_int_eq(fur_classes_get(c)->count, count);
    ck_assert(n == 0 || memcmp(fur_classes_get(c)->of_rows, of, (size_t)n * sizeof *of) == 0);
    check_classes(a, c);
    fur_classes_destroy(c);
    free(of);
    free(edge);
}

static const int64_t sizes[] = {0, 1, 2, 7, 40, 120};
static const double densities[] = {0, 0.5, 1, 2, 5, 20};

START_TEST(classes_are_what_they_are_said_to_be)
{
    fur_context *context = context_make(NULL, 2);
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int d = 0; d < COUNT_OF(densities); d++) {
            rng r = rng_stream(500 + 10 * (uint64_t)s + (uint64_t)d);
            fur_csr *a = make(context, &r, sizes[s], densities[d], (fur_value_type)(d % 4));
            check_levels(a, FUR_TRIANGLE_LOWER);
            check_levels(a, FUR_TRIANGLE_UPPER);
            for (int order = 0; order < 4; order++)
                for (int distance = 1; distance <= 2; distance++)
                    check_colours(a, distance, (fur_colour_order)order);
            check_components(a);
            fur_csr_destroy(a);
        }
    fur_context_destroy(context);
}
END_TEST

/* A grid in random order gets two colours. Ordered by colour, its matrix has two level sets. */
START_TEST(grids_have_two_colours)
{
    rng r = rng_stream(580);
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = {
        .size = sizeof d, .value_type = FUR_F64, .axes = 3, .extent = {6, 7, 8}};
    fur_stencil *s = NULL;
    fur_csr *grid = NULL;
    fur_csr *a = NULL;
    fur_csr *b = NULL;
    fur_classes *colours = NULL;
    fur_classes *levels = NULL;
    fur_permutation *order = NULL;
    ck_assert(fur_stencil_named(7, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &grid));
    fur_permutation *p = permutation_random(context, &r, 336);
    ck_ok(context, fur_csr_permute(grid, p, p, &a));
    ck_ok(context, fur_classes_from_colours(a, NULL, &colours));
    ck_assert_int_eq(fur_classes_get(colours)->count, 2);
    check_colours(a, 1, FUR_COLOUR_ORDER_AUTO);
    ck_ok(context, fur_classes_order(colours, &order));
    ck_ok(context, fur_csr_permute(a, order, order, &b));
    ck_ok(context, fur_classes_from_levels(b, FUR_TRIANGLE_LOWER, &levels));
    ck_assert_int_eq(fur_classes_get(levels)->count, 2);
    fur_classes_destroy(levels);
    fur_csr_destroy(b);
    fur_permutation_destroy(order);
    fur_classes_destroy(colours);
    fur_csr_destroy(a);
    fur_permutation_destroy(p);
    fur_csr_destroy(grid);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
}
END_TEST

static double modulus(fur_scalar s)
{
    return hypot(s.re, s.im);
}

/* Checks that the matching has the largest product of moduli. Scaled by r and c, no entry is above
 * 1 and the diagonal is 1, so no other order of rows has a larger product: every order multiplies
 * by the same scales. Each scale is rounded once. log2 and exp2 of numbers below 2^11 err by some
 * units in their last place. */
static void check_matching(fur_csr *a, fur_value_type value)
{
    fur_context *context = fur_csr_context(a);
    int64_t n = fur_csr_get(a)->rows;
    fur_vector *r = NULL;
    fur_vector *c = NULL;
    fur_permutation *order = NULL;
    fur_csr *b = NULL;
    fur_matching_report report = {.size = sizeof report};
    double slack = 8 * value_epsilon(value) + 1e-11;
    double product = 0;
    ck_ok(context, fur_vector_create(context, value, n, &r));
    ck_ok(context, fur_vector_create(context, value, n, &c));
    ck_ok(context, fur_matching_find(a, r, c, &report, &order));
    for (int64_t i = 0; i < n; i++) {
        fur_scalar entry;
        ck_ok(context, fur_csr_entry(a, fur_permutation_order(order)[i], i, &entry));
        product += log2(modulus(entry));
    }
    ck_assert(fabs(product - report.product) <= 1e-9 * (1 + fabs(product)));
    ck_ok(context, fur_csr_scale(a, r, c));
    ck_ok(context, fur_csr_permute(a, order, NULL, &b));
    const fur_csr_view *v = fur_csr_get(b);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
            double size = modulus(entry_get(value, v->values, k));
            ck_assert(size <= 1 + slack);
            ck_assert(v->columns[k] != i || size >= 1 - slack);
        }
    ck_assert(n == 0 || fabs(report.smallest - 1) <= 1e-11);
    fur_csr_destroy(b);
    fur_permutation_destroy(order);
    fur_vector_destroy(c);
    fur_vector_destroy(r);
}

/* Loops over value types. */
START_TEST(matchings_have_the_largest_product)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 2);
    int done = 0;
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int t = 0; t < 8; t++) {
            rng r = rng_stream(600 + 100 * (uint64_t)_i + 10 * (uint64_t)s + (uint64_t)t);
            fur_csr *a = make(context, &r, sizes[s], 2 + 3.0 * t, value);
            fur_permutation *order = NULL;
            if (fur_matching_find(a, NULL, NULL, NULL, &order) == FUR_OK) {
                fur_permutation_destroy(order);
                check_matching(a, value);
                done++;
            }
            fur_csr_destroy(a);
        }
    ck_assert_int_gt(done, 12);
    fur_context_destroy(context);
}
END_TEST

/* Returns the largest product over all orders of n rows. The digits of a number to the base n are
 * an order if no two digits are equal. */
static double try_orders(const double *size, int n)
{
    double best = 0;
    int64_t numbers = (int64_t)round(pow(n, n));
    for (int64_t number = 0; number < numbers; number++) {
        double product = 1;
        unsigned taken = 0;
        int64_t left = number;
        for (int column = 0; column < n; column++, left /= n) {
            product *= size[left % n * n + column];
            taken |= 1U << left % n;
        }
        if (taken == (1U << n) - 1 && product > best)
            best = product;
    }
    return best;
}

/* Compares the matching with all orders. If no order has a full diagonal, compares the structural
 * rank. */
START_TEST(small_matchings_agree_with_all_orders)
{
    fur_context *context = context_make(NULL, 1);
    for (int t = 0; t < 200; t++) {
        rng r = rng_stream(1100 + (uint64_t)t);
        int n = 1 + t % 6;
        fur_csr *a = make(context, &r, n, 1 + t % 3, FUR_F64);
        double size[36] = {0};
        fur_permutation *order = NULL;
        fur_matching_report report = {.size = sizeof report};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                fur_scalar entry;
                ck_ok(context, fur_csr_entry(a, i, j, &entry));
                size[i * n + j] = fabs(entry.re);
            }
        double best = try_orders(size, n);
        fur_status status = fur_matching_find(a, NULL, NULL, &report, &order);
        ck_assert_int_eq(status, best > 0 ? FUR_OK : FUR_INVALID);
        if (status == FUR_OK)
            ck_assert(fabs(exp2(report.product) - best) <= 1e-12 * best);
        fur_permutation_destroy(order);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

static fur_csr *of_three(fur_context *context, int64_t cols, const double *values)
{
    static const int32_t row[] = {0, 1, 2, 2};
    static const int32_t col[] = {1, 1, 0, 2};
    fur_coo_view coo = {sizeof coo, 3, cols, 4, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    return a;
}

START_TEST(what_does_not_fit_is_refused)
{
    const double values[] = {1, 2, 3, 4};
    const double poisoned[] = {1, 2, 3, NAN};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = of_three(context, 3, values);
    fur_csr *wide = of_three(context, 4, values);
    fur_csr *nan = of_three(context, 3, poisoned);
    fur_vector *x = NULL;
    fur_classes *c = NULL;
    fur_permutation *p = NULL;
    fur_colour_options far = {.size = sizeof far, .distance = 3};
    fur_colour_options order = {.size = sizeof order, .order = (fur_colour_order)4};
    ck_ok(context, fur_vector_create(context, FUR_F64, 3, &x));
    ck_fails(context, FUR_INVALID, "levels need a square matrix; this one is 3 x 4",
             fur_classes_from_levels(wide, FUR_TRIANGLE_LOWER, &c));
    ck_fails(context, FUR_INVALID,
             "7 is not a triangle; use FUR_TRIANGLE_LOWER or FUR_TRIANGLE_UPPER",
             fur_classes_from_levels(a, (fur_triangle)7, &c));
    ck_fails(context, FUR_INVALID, "colours need a square matrix; this one is 3 x 4",
             fur_classes_from_colours(wide, NULL, &c));
    ck_fails(context, FUR_INVALID, "the distance of a colouring is 3; it must be 1 or 2",
             fur_classes_from_colours(a, &far, &c));
    ck_fails(context, FUR_INVALID,
             "4 is not an order of colouring; use FUR_COLOUR_ORDER_AUTO, _ROWS, _LARGEST or "
             "_HASHED",
             fur_classes_from_colours(a, &order, &c));
    ck_fails(context, FUR_INVALID, "components need a square matrix; this one is 3 x 4",
             fur_classes_from_components(wide, &c));
    ck_fails(context, FUR_INVALID, "a matching needs a square matrix; this one is 3 x 4",
             fur_matching_find(wide, NULL, NULL, NULL, &p));
    ck_fails(context, FUR_INVALID,
             "only 2 of 3 rows can be matched with a column, so the matrix is structurally "
             "singular; row 2, counting from 1, is the first without a column",
             fur_matching_find(a, NULL, NULL, NULL, &p));
    ck_fails(
        context, FUR_INVALID,
        "row 3, counting from 1, has an entry that is not finite; a matching needs finite entries",
        fur_matching_find(nan, NULL, NULL, NULL, &p));
    ck_fails(context, FUR_INVALID, "r and c overlap in memory; give each a separate array",
             fur_matching_find(a, x, x, NULL, &p));
    ck_assert(c == NULL && p == NULL);
    fur_vector_destroy(x);
    fur_csr_destroy(nan);
    fur_csr_destroy(wide);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Makes one object, number `which` of six, and destroys it. Returns the status. */
static fur_status make_one(const fur_csr *a, int which)
{
    fur_classes *c = NULL;
    fur_permutation *p = NULL;
    fur_colour_options by_hash = {.size = sizeof by_hash, .order = FUR_COLOUR_ORDER_HASHED};
    fur_colour_options by_degree = {.size = sizeof by_degree, .order = FUR_COLOUR_ORDER_LARGEST};
    fur_status status = which == 0   ? fur_classes_from_levels(a, FUR_TRIANGLE_UPPER, &c)
                        : which == 1 ? fur_classes_from_colours(a, NULL, &c)
                        : which == 2 ? fur_classes_from_colours(a, &by_hash, &c)
                        : which == 3 ? fur_classes_from_colours(a, &by_degree, &c)
                        : which == 4 ? fur_classes_from_components(a, &c)
                                     : fur_matching_find(a, NULL, NULL, NULL, &p);
    ck_assert(status == FUR_OK || (c == NULL && p == NULL));
    fur_classes_destroy(c);
    fur_permutation_destroy(p);
    return status;
}

START_TEST(every_failing_allocation_is_survived)
{
    memory m = {0};
    rng r = rng_stream(1500);
    fur_context *context = context_counting(&m, NULL, 2);
    fur_csr *a = make(context, &r, 60, 20, FUR_F64);
    int64_t before = m.outstanding;
    for (int which = 0; which < 6; which++) {
        int64_t failures = 0;
        fur_status status = FUR_OUT_OF_MEMORY;
        while (status != FUR_OK) {
            m.fail_at = m.calls + ++failures;
            status = make_one(a, which);
            ck_assert(status == FUR_OK || status == FUR_OUT_OF_MEMORY);
            ck_assert_int_eq(m.outstanding, before);
        }
        ck_assert_int_gt(failures, 3);
    }
    m.fail_at = 0;
    fur_csr_destroy(a);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, classes_are_what_they_are_said_to_be);
    tcase_add_test(tests, grids_have_two_colours);
    tcase_add_loop_test(tests, matchings_have_the_largest_product, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, small_matchings_agree_with_all_orders);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    tcase_add_test(tests, every_failing_allocation_is_survived);
}

int main(void)
{
    return run_tests("graph", add_tests);
}
