/* Recognition of stencils: matrices of named and of random stencils at all boundaries, of all value
 * types, whole and altered, and matrices that are none. What is recognised must have the bits of
 * the reference kernel's product, and exactly the rows that are not the stencil's must be listed.
 */
#include "support.h"

#include <math.h>
#include <string.h>

#define BOUNDARIES 27
#define MAX_POINTS 729

static const int named_points[] = {3, 5, 7, 9, 13, 19, 27};

static fur_csr *assemble(fur_context *context, const fur_stencil_definition *d)
{
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_ok(context, fur_stencil_create(context, d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    fur_stencil_destroy(s);
    return a;
}

/* The stencil of that name with Dirichlet boundaries. */
static fur_stencil_definition named(int points, fur_value value, int64_t nx, int64_t ny, int64_t nz)
{
    fur_stencil_definition d = {.size = sizeof d, .value = value, .extent = {nx, ny, nz}};
    ck_assert(fur_stencil_named(points, &d));
    return d;
}

static fur_csr *grid(fur_context *context, int points, int64_t nx, int64_t ny, int64_t nz)
{
    fur_stencil_definition d = named(points, FUR_F64, nx, ny, nz);
    return assemble(context, &d);
}

static bool same_row(const fur_csr_view *a, int64_t i, const fur_csr_view *b, int64_t j)
{
    size_t size = fur_value_size(a->value);
    int64_t begin = offset_at(a, i);
    int64_t other = offset_at(b, j);
    size_t count = (size_t)(offset_at(a, i + 1) - begin);
    return count == (size_t)(offset_at(b, j + 1) - other) &&
           memcmp(a->columns + begin, b->columns + other, count * sizeof *a->columns) == 0 &&
           memcmp((const char *)a->values + (size_t)begin * size,
                  (const char *)b->values + (size_t)other * size, count * size) == 0;
}

/* Listed are those rows that the stencil's own matrix has otherwise, with their entries. */
static void check_rows(fur_context *context, const fur_csr *a, const fur_recognised *r)
{
    fur_csr *of_stencil = NULL;
    ck_ok(context, fur_stencil_assemble(fur_recognised_stencil(r), &of_stencil));
    fur_csr_view whole = fur_csr_get(a);
    fur_csr_view stencil = fur_csr_get(of_stencil);
    fur_csr_view rows = fur_csr_get(fur_recognised_rows(r));
    const int32_t *numbers = fur_recognised_row_numbers(r);
    int64_t listed = 0;
    ck_assert(rows.cols == whole.cols && stencil.rows == whole.rows);
    for (int64_t i = 0; i < whole.rows; i++) {
        bool is_listed = listed < rows.rows && numbers[listed] == i;
        ck_assert_msg(is_listed == !same_row(&whole, i, &stencil, i), "row %lld", (long long)i);
        ck_assert(!is_listed || same_row(&whole, i, &rows, listed));
        listed += is_listed;
    }
    ck_assert_int_eq(listed, rows.rows);
    fur_csr_destroy(of_stencil);
}

/* Infinity and NaN in x must reach the rows that refer to them, and no others. */
static void poison(fur_vector *x, rng *r)
{
    entry_set(fur_vector_value(x), fur_vector_data(x), rng_below(r, fur_vector_size(x)),
              rng_below(r, 2) ? fur_complex(NAN, 0) : fur_complex(0, -INFINITY));
}

static void check_product(fur_context *context, const fur_csr *a, const fur_recognised *r,
                          rng *random)
{
    fur_csr_view view = fur_csr_get(a);
    const fur_spmv_options options = {.size = sizeof options, .kernel = "reference"};
    const fur_scalar betas[] = {{0, 0}, {1, 0}, rng_scalar(random, view.value)};
    fur_scalar alpha = rng_scalar(random, view.value);
    fur_scalar beta = betas[rng_below(random, COUNT_OF(betas))];
    fur_vector *x = vector_random(context, random, view.value, view.cols);
    fur_vector *expected = vector_random(context, random, view.value, view.rows);
    if (rng_below(random, 2))
        poison(x, random);
    if (beta.re == 0 && beta.im == 0)
        ck_ok(context, fur_vector_fill(expected, fur_complex(NAN, NAN)));
    fur_vector *y = vector_from(context, view.value, view.rows, fur_vector_const_data(expected));
    fur_spmv *plan = NULL;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    ck_ok(context, fur_spmv_apply(plan, alpha, x, beta, expected));
    ck_ok(context, fur_recognised_apply(r, alpha, x, beta, y));
    ck_assert_int_eq(
        first_difference(view.value, view.rows, fur_vector_data(y), fur_vector_data(expected)), -1);
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(expected);
    fur_vector_destroy(x);
}

static void check_operator(fur_context *context, const fur_csr *a, const fur_recognised *r)
{
    fur_csr_view view = fur_csr_get(a);
    fur_operator *op = NULL;
    fur_vector *d = NULL;
    fur_vector *expected = NULL;
    ck_ok(context, fur_operator_from_recognised(r, &op));
    ck_ok(context, fur_vector_create(context, view.value, view.rows, &d));
    ck_ok(context, fur_operator_diagonal(op, d));
    ck_ok(context, fur_csr_diagonal(a, &expected));
    ck_assert_int_eq(
        first_difference(view.value, view.rows, fur_vector_data(d), fur_vector_data(expected)), -1);
    fur_vector_destroy(expected);
    fur_vector_destroy(d);
    fur_operator_destroy(op);
}

static fur_recognised *recognise(fur_context *context, const fur_csr *a,
                                 fur_recognise_report *report)
{
    fur_recognised *r = NULL;
    ck_ok(context, fur_stencil_recognise(a, NULL, &r, report));
    ck_assert_int_eq(report->recognised, r != NULL);
    ck_assert(report->reason[0] != '\0' && report->seconds >= 0);
    return r;
}

/* Checks what is recognised, if anything is. */
static void check(fur_context *context, const fur_csr *a, rng *random, fur_recognise_report *report)
{
    fur_recognised *r = recognise(context, a, report);
    if (!r)
        return;
    ck_assert_int_eq(report->rows_differing, fur_csr_get(fur_recognised_rows(r)).rows);
    ck_assert_int_le(8 * report->rows_differing, fur_csr_get(a).rows);
    ck_assert_int_eq(report->points, fur_stencil_describe(fur_recognised_stencil(r)).points);
    ck_assert_int_eq(report->extent[0] * report->extent[1] * report->extent[2],
                     fur_csr_get(a).rows);
    check_rows(context, a, r);
    check_product(context, a, r, random);
    check_operator(context, a, r);
    fur_recognised_destroy(r);
}

static void draw_extents(fur_stencil_definition *d, rng *r, int64_t most)
{
    static const int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 10, 17, 33};
    int64_t rows;
    do {
        rows = 1;
        for (int axis = 0; axis < d->axes; axis++) {
            d->extent[axis] = extents[rng_below(r, COUNT_OF(extents))];
            rows *= d->extent[axis];
        }
    } while (rows > most || rows < 2);
}

static void fail_definition(const fur_stencil_definition *d, const fur_recognise_report *report)
{
    ck_abort_msg("%d points%s, %s, %lld x %lld x %lld (%d axes), boundaries %d %d %d: %s",
                 d->points, d->fields ? " of fields" : "", fur_value_name(d->value),
                 (long long)d->extent[0], (long long)d->extent[1], (long long)d->extent[2], d->axes,
                 (int)d->boundary[0], (int)d->boundary[1], (int)d->boundary[2], report->reason);
}

static bool is_dirichlet(const fur_stencil_definition *d)
{
    bool all = true;
    for (int axis = 0; axis < d->axes; axis++)
        all = all && d->boundary[axis] == FUR_DIRICHLET;
    return all;
}

static void set_boundaries(fur_stencil_definition *d, int combination)
{
    for (int axis = 0; axis < 3; axis++, combination /= FUR_BOUNDARY_COUNT)
        d->boundary[axis] = (fur_boundary)(combination % FUR_BOUNDARY_COUNT);
}

/* Loops over the value types and the boundaries of three axes. */
START_TEST(named_stencils_are_recognised)
{
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_make(NULL, 1 + (int)rng_below(&r, 3));
    for (int n = 0; n < COUNT_OF(named_points); n++)
        for (int trial = 0; trial < (TEST_SLOW ? 2 : 6); trial++) {
            fur_recognise_report report;
            fur_stencil_definition d =
                named(named_points[n], (fur_value)(_i % FUR_VALUE_COUNT), 1, 1, 1);
            set_boundaries(&d, _i / FUR_VALUE_COUNT);
            draw_extents(&d, &r, 3000);
            fur_csr *a = assemble(context, &d);
            check(context, a, &r, &report);
            if (is_dirichlet(&d) &&
                (!report.recognised || report.rows_differing > 0 || report.variable))
                fail_definition(&d, &report);
            fur_csr_destroy(a);
        }
    fur_context_destroy(context);
}
END_TEST

/* A star of three axes and other offsets. */
static void draw_offsets(fur_stencil_definition *d, rng *r, fur_stencil_offset *offsets,
                         fur_scalar *coefficients)
{
    ck_assert(fur_stencil_named(2 * d->axes + 1, d));
    int radius = 1 + (int)rng_below(r, FUR_STENCIL_RADIUS);
    int side = 2 * radius + 1;
    int all = side * (d->axes > 1 ? side : 1) * (d->axes > 2 ? side : 1);
    int32_t *order = rng_order(r, all);
    int more = (int)rng_below(r, all < 200 ? all : 200);
    memcpy(offsets, d->offsets, (size_t)d->points * sizeof *offsets);
    for (int k = 0; k < more; k++) {
        int32_t z = d->axes > 2 ? order[k] / side / side - radius : 0;
        int32_t y = d->axes > 1 ? order[k] / side % side - radius : 0;
        fur_stencil_offset o = {order[k] % side - radius, y, z};
        if (abs(o.x) + abs(o.y) + abs(o.z) > 1)
            offsets[d->points++] = o;
    }
    for (int k = 0; k < d->points; k++)
        coefficients[k] = rng_scalar(r, d->value);
    d->offsets = offsets;
    d->coefficients = coefficients;
    free(order);
}

static void draw_fields(fur_context *context, fur_stencil_definition *d, rng *r, int64_t rows,
                        fur_vector **fields)
{
    for (int k = 0; k < d->points; k++)
        fields[k] = vector_random(context, r, d->value, rows);
    d->coefficients = NULL;
    d->fields = (const fur_vector *const *)fields;
}

/* A pattern that many grids have. */
static bool is_nearly_dense(const fur_csr *a)
{
    fur_csr_view view = fur_csr_get(a);
    return 2 * view.entries > view.rows * view.rows;
}

/* Loops over the value types. */
START_TEST(random_stencils_are_recognised)
{
    rng r = rng_stream(1000 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    for (int trial = 0; trial < (TEST_SLOW ? 10 : 60); trial++) {
        fur_stencil_offset offsets[MAX_POINTS];
        fur_scalar coefficients[MAX_POINTS];
        fur_vector *fields[MAX_POINTS] = {NULL};
        fur_recognise_report report;
        fur_stencil_definition d = {
            .size = sizeof d, .value = (fur_value)_i, .axes = 1 + trial % 3};
        draw_offsets(&d, &r, offsets, coefficients);
        draw_extents(&d, &r, 3000);
        if (trial % 2)
            draw_fields(context, &d, &r,
                        d.extent[0] * (d.axes > 1 ? d.extent[1] : 1) *
                            (d.axes > 2 ? d.extent[2] : 1),
                        fields);
        fur_csr *a = assemble(context, &d);
        check(context, a, &r, &report);
        if (!report.recognised && !is_nearly_dense(a) &&
            !(d.fields && strstr(report.reason, "more to read")))
            fail_definition(&d, &report);
        fur_csr_destroy(a);
        for (int k = 0; k < MAX_POINTS; k++)
            fur_vector_destroy(fields[k]);
    }
    fur_context_destroy(context);
}
END_TEST

/* A matrix as a list that can be altered. */
typedef struct list {
    int64_t rows;
    int64_t entries;
    int32_t *row;
    int32_t *col;
    double *value;
} list;

static list list_make(int64_t rows, int64_t entries)
{
    size_t room = 2 * (size_t)entries;
    return (list){.rows = rows,
                  .entries = entries,
                  .row = malloc(room * sizeof(int32_t)),
                  .col = malloc(room * sizeof(int32_t)),
                  .value = malloc(room * sizeof(double))};
}

static list list_of(const fur_csr *a)
{
    fur_csr_view v = fur_csr_get(a);
    list l = list_make(v.rows, v.entries);
    for (int64_t i = 0; i < v.rows; i++)
        for (int64_t k = offset_at(&v, i); k < offset_at(&v, i + 1); k++)
            l.row[k] = (int32_t)i;
    memcpy(l.col, v.columns, (size_t)v.entries * sizeof *l.col);
    memcpy(l.value, v.values, (size_t)v.entries * sizeof *l.value);
    return l;
}

static fur_csr *matrix_of(fur_context *context, const list *l)
{
    fur_coo_view coo = {l->rows, l->rows, l->entries, FUR_F64, l->row, l->col, l->value};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    return a;
}

static void list_release(list *l)
{
    free(l->row);
    free(l->col);
    free(l->value);
}

/* The list's matrix; the list goes. */
static fur_csr *take_list(fur_context *context, list *l)
{
    fur_csr *a = matrix_of(context, l);
    list_release(l);
    return a;
}

/* Ways to alter entry k; each returns the row that is then another. */
static int32_t change_bit(list *l, rng *r, int64_t k)
{
    (void)r;
    l->value[k] = nextafter(l->value[k], INFINITY);
    return l->row[k];
}

static int32_t remove_entry(list *l, rng *r, int64_t k)
{
    (void)r;
    int32_t row = l->row[k];
    l->entries--;
    l->row[k] = l->row[l->entries];
    l->col[k] = l->col[l->entries];
    l->value[k] = l->value[l->entries];
    return row;
}

/* It may be there already and is then there twice. */
static int32_t add_entry(list *l, rng *r, int64_t k)
{
    int64_t last = l->entries++;
    l->row[last] = l->row[k];
    l->col[last] = (int32_t)rng_below(r, l->rows);
    l->value[last] = rng_below(r, 2) ? 0 : rng_unit(r);
    return l->row[k];
}

static int32_t move_entry(list *l, rng *r, int64_t k)
{
    int32_t old = l->col[k];
    while (l->col[k] == old)
        l->col[k] = (int32_t)rng_below(r, l->rows);
    return l->row[k];
}

static int32_t negate_zero(list *l, rng *r, int64_t k)
{
    (void)r;
    l->value[k] = -0.0;
    return l->row[k];
}

static int32_t (*const alterations[])(list *, rng *, int64_t) = {
    change_bit, remove_entry, add_entry, move_entry, negate_zero};

static bool is_listed(const fur_recognised *r, int32_t row)
{
    int64_t count = fur_csr_get(fur_recognised_rows(r)).rows;
    for (int64_t i = 0; i < count; i++)
        if (fur_recognised_row_numbers(r)[i] == row)
            return true;
    return false;
}

/* Loops over the alterations. */
START_TEST(an_altered_row_is_listed)
{
    rng r = rng_stream(2000 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 3);
    for (int n = 0; n < COUNT_OF(named_points); n++)
        for (int trial = 0; trial < (TEST_SLOW ? 2 : 10); trial++) {
            fur_recognise_report report;
            fur_csr *whole = grid(context, named_points[n], 17, 12, 11);
            list l = list_of(whole);
            int32_t row = alterations[_i](&l, &r, rng_below(&r, l.entries));
            fur_csr *a = matrix_of(context, &l);
            check(context, a, &r, &report);
            fur_recognised *found = recognise(context, a, &report);
            ck_assert_msg(found && is_listed(found, row), "row %d: %s", row, report.reason);
            ck_assert_int_eq(report.rows_differing, 1);
            ck_assert(!report.variable);
            fur_recognised_destroy(found);
            fur_csr_destroy(a);
            list_release(&l);
            fur_csr_destroy(whole);
        }
    fur_context_destroy(context);
}
END_TEST

/* Nothing that is recognised is wrong, however many rows are altered. */
START_TEST(altered_matrices_keep_their_bits)
{
    rng r = rng_stream(3000 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    int recognised = 0;
    for (int trial = 0; trial < (TEST_SLOW ? 10 : 100); trial++) {
        static const int64_t extents[] = {1, 2, 3, 4, 6, 9, 14};
        fur_recognise_report report;
        int points = named_points[rng_below(&r, COUNT_OF(named_points))];
        fur_csr *whole =
            grid(context, points, 2 + rng_below(&r, 20), extents[rng_below(&r, COUNT_OF(extents))],
                 extents[rng_below(&r, COUNT_OF(extents))]);
        list l = list_of(whole);
        for (int64_t n = rng_below(&r, 1 + l.rows / 4); n > 0 && l.entries > 1; n--) {
            int way = (int)rng_below(&r, COUNT_OF(alterations));
            alterations[way](&l, &r, rng_below(&r, l.entries));
        }
        fur_csr *a = matrix_of(context, &l);
        check(context, a, &r, &report);
        recognised += report.recognised;
        fur_csr_destroy(a);
        list_release(&l);
        fur_csr_destroy(whole);
    }
    ck_assert_int_gt(recognised, 0);
    fur_context_destroy(context);
}
END_TEST

/* Large grids whose boundaries are few rows: those differ. */
START_TEST(periodic_and_neumann_boundaries_differ)
{
    rng r = rng_stream(4000);
    fur_context *context = context_make(NULL, 2);
    for (int boundary = FUR_NEUMANN; boundary <= FUR_PERIODIC; boundary++)
        for (int n = 0; n < 3; n++) {
            fur_recognise_report report;
            fur_stencil_definition d = named(2 * n + 3, FUR_F64, n ? 60 : 1000, 56, 58);
            set_boundaries(&d, boundary * 13);
            int64_t inner = 1;
            int64_t rows = 1;
            for (int axis = 0; axis < d.axes; axis++) {
                inner *= d.extent[axis] - 2;
                rows *= d.extent[axis];
            }
            fur_csr *a = assemble(context, &d);
            check(context, a, &r, &report);
            ck_assert_msg(report.recognised && report.axes == d.axes, "%s", report.reason);
            ck_assert_int_eq(report.rows_differing, rows - inner);
            ck_assert_int_eq(memcmp(report.extent, d.extent, (size_t)d.axes * sizeof *d.extent), 0);
            fur_csr_destroy(a);
        }
    fur_context_destroy(context);
}
END_TEST

START_TEST(one_value_among_millions_is_found)
{
    int64_t n = TEST_SLOW ? 30 : 100;
    fur_context *context = context_make(NULL, 2);
    fur_recognise_report report;
    rng r = rng_stream(5000);
    fur_csr *a = grid(context, 7, n, n, n);
    fur_csr_view view = fur_csr_get(a);
    int64_t k = rng_below(&r, view.entries);
    double *value = (double *)(uintptr_t)view.values + k;
    *value = nextafter(*value, 0);
    check(context, a, &r, &report);
    ck_assert_int_eq(report.recognised, 1);
    ck_assert_int_eq(report.rows_differing, 1);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(threads_and_instruction_sets_do_not_show)
{
    for (int i = 0; isa_name(i); i++)
        for (int threads = 1; threads <= 5; threads++) {
            rng r = rng_stream(6000);
            fur_recognise_report report;
            fur_context *context = context_make(isa_name(i), threads);
            fur_stencil_definition d = named(7, FUR_F64, 63, 61, 59);
            d.boundary[0] = FUR_PERIODIC;
            fur_csr *a = assemble(context, &d);
            check(context, a, &r, &report);
            ck_assert_str_eq(report.reason, "a stencil of 7 points with constant coefficients on a "
                                            "grid of 63 x 61 x 59; 7198 rows differ");
            fur_csr_destroy(a);
            fur_context_destroy(context);
        }
}
END_TEST

static fur_csr *shape_matrix(fur_context *context, const char *name)
{
    rng r = rng_stream(7000);
    return matrix_random(context, &r, &shapes[shape_find(name)], FUR_F64, FUR_I32);
}

/* Whatever its shape, no matrix is recognised wrongly. */
START_TEST(other_matrices_are_not_mistaken)
{
    rng r = rng_stream(8000 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_recognise_report report;
    fur_csr *a = matrix_random(context, &r, &shapes[_i], (fur_value)(_i % FUR_VALUE_COUNT),
                               (fur_offset)(_i % FUR_OFFSET_COUNT));
    check(context, a, &r, &report);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void refuse(fur_context *context, fur_csr *a, const char *reason)
{
    fur_recognised *r = (fur_recognised *)(void *)&a; /* to become NULL */
    fur_recognise_report report;
    ck_ok(context, fur_stencil_recognise(a, NULL, &r, &report));
    ck_assert_ptr_null(r);
    ck_assert_msg(strstr(report.reason, reason), "%s", report.reason);
    ck_assert(!report.recognised && report.points == 0 && report.bytes == 0);
    fur_csr_destroy(a);
}

static fur_csr *permuted_grid(fur_context *context)
{
    rng r = rng_stream(9000);
    fur_csr *a = grid(context, 7, 20, 20, 20);
    fur_csr *b = NULL;
    fur_permutation *p = permutation_random(context, &r, 8000);
    ck_ok(context, fur_csr_permute(a, p, p, &b));
    fur_permutation_destroy(p);
    fur_csr_destroy(a);
    return b;
}

static fur_csr *empty_matrix(fur_context *context, int64_t rows, int64_t cols)
{
    fur_coo_view coo = {.rows = rows, .cols = cols, .value = FUR_F64};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    return a;
}

/* Entries (i, i) and (i, (i + shift) mod n). */
static fur_csr *circulant(fur_context *context, int64_t n, int64_t shift)
{
    list l = list_make(n, 2 * n);
    for (int64_t k = 0; k < l.entries; k++) {
        l.row[k] = (int32_t)(k / 2);
        l.col[k] = (int32_t)((k / 2 + k % 2 * shift) % n);
        l.value[k] = 1;
    }
    return take_list(context, &l);
}

/* Rows of so many entries anywhere. */
static fur_csr *scattered(fur_context *context, int64_t rows, int64_t count)
{
    rng r = rng_stream(9100);
    list l = list_make(rows, rows * count);
    for (int64_t k = 0; k < l.entries; k++) {
        l.row[k] = (int32_t)(k / count);
        l.col[k] = (int32_t)(k % count * (rows / count) + rng_below(&r, rows / count));
        l.value[k] = 1;
    }
    return take_list(context, &l);
}

static fur_csr *dense_random(fur_context *context, int64_t rows)
{
    rng r = rng_stream(9200);
    list l = list_make(rows, rows * rows);
    for (int64_t k = 0; k < l.entries; k++) {
        l.row[k] = (int32_t)(k / rows);
        l.col[k] = (int32_t)(k % rows);
        l.value[k] = rng_unit(&r);
    }
    return take_list(context, &l);
}

static fur_csr *periodic_grid(fur_context *context, int64_t n)
{
    fur_stencil_definition d = named(7, FUR_F64, n, n, n);
    set_boundaries(&d, 13 * FUR_PERIODIC);
    return assemble(context, &d);
}

START_TEST(refusals_say_why)
{
    static const char nothing_common[] =
        "no distance between row and column, but 0, is common to an eighth of the rows";
    fur_context *context = context_make(NULL, 2);
    refuse(context, empty_matrix(context, 3, 5),
           "the matrix is 3 x 5, that of a stencil is square");
    refuse(context, empty_matrix(context, 0, 0), "the matrix has no rows");
    refuse(context, empty_matrix(context, 9, 9), nothing_common);
    refuse(context, shape_matrix(context, "diagonal"), nothing_common);
    refuse(context, permuted_grid(context), nothing_common);
    refuse(context, circulant(context, 10007, 3001),
           "no grid of 10007 points has short offsets at the common distances between row and "
           "column");
    refuse(context, dense_random(context, 37),
           "no grid of 37 points has short offsets at the common distances between row and column");
    refuse(context, shape_matrix(context, "empty rows"), nothing_common);
    refuse(context, scattered(context, 4000, 60),
           "rows have more than 2048 different distances between row and column");
    refuse(context, periodic_grid(context, 12),
           "of 512 rows 219 do not fit the best grid, 12 x 12 x 12; one is row 1725");
    refuse(context, dense_random(context, 5),
           "9 coefficients a point would be more to read than the matrix");
    fur_context_destroy(context);
}
END_TEST

/* Adds 1 to a value of so many rows. */
static void alter_rows(fur_csr *a, rng *r, int64_t count)
{
    fur_csr_view view = fur_csr_get(a);
    double *values = (double *)(uintptr_t)view.values;
    int32_t *order = rng_order(r, view.rows);
    for (int64_t i = 0; i < count; i++)
        values[offset_at(&view, order[i])] += 1;
    free(order);
}

/* So few more than an eighth of the rows are altered that it takes the proof to know. */
START_TEST(a_proof_may_fail)
{
    rng r = rng_stream(9500);
    fur_context *context = context_make(NULL, 2);
    bool failed = false;
    for (int trial = 0; trial < 64 && !failed; trial++) {
        fur_recognise_report report;
        fur_csr *a = grid(context, 5, 100, 100, 1);
        alter_rows(a, &r, 1251);
        check(context, a, &r, &report);
        failed =
            strcmp(report.reason, "1251 of 10000 rows differ from the stencil that most have") == 0;
        ck_assert(!failed || !report.recognised);
        fur_csr_destroy(a);
    }
    ck_assert(failed);
    fur_context_destroy(context);
}
END_TEST

START_TEST(reports_describe_what_was_found)
{
    fur_context *context = context_make(NULL, 1);
    fur_recognise_report report;
    fur_csr *a = grid(context, 5, 40, 30, 1);
    fur_recognised *r = recognise(context, a, &report);
    ck_assert_str_eq(report.reason, "a stencil of 5 points with constant coefficients on a grid of "
                                    "40 x 30; 0 rows differ");
    ck_assert(report.axes == 2 && report.points == 5 && !report.variable);
    ck_assert(report.extent[0] == 40 && report.extent[1] == 30 && report.extent[2] == 1);
    ck_assert_int_eq(report.bytes, 1200 * 16 + 0);
    fur_recognised_destroy(r);
    ck_ok(context, fur_stencil_recognise(a, NULL, &r, NULL));
    fur_recognised_destroy(r);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(calls_that_break_the_contract_fail)
{
    fur_context *context = context_make(NULL, 1);
    const fur_recognise_options by_name = {.size = sizeof by_name, .kernel = "reference"};
    const fur_recognise_options unknown = {.size = sizeof unknown, .kernel = "abacus"};
    fur_recognised *r = NULL;
    fur_vector *x = NULL;
    fur_vector *shorter = NULL;
    fur_csr *a = grid(context, 5, 10, 6, 1);
    ck_assert_int_eq(fur_stencil_recognise(a, &unknown, &r, NULL), FUR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "abacus"));
    ck_assert_ptr_null(r);
    ck_ok(context, fur_stencil_recognise(a, &by_name, &r, NULL));
    ck_assert_str_eq(fur_stencil_describe(fur_recognised_stencil(r)).kernel, "reference");
    ck_ok(context, fur_vector_create(context, FUR_F64, 60, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, 59, &shorter));
    ck_fails(context, FUR_INVALID, "y has 59 entries of type f64, the grid needs 60 of type f64",
             fur_recognised_apply(r, fur_real(1), x, fur_real(0), shorter));
    ck_fails(context, FUR_INVALID, "x and y are the same array; the product needs two",
             fur_recognised_apply(r, fur_real(1), x, fur_real(0), x));
    fur_recognised_destroy(NULL);
    fur_recognised_destroy(r);
    fur_vector_destroy(shorter);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, named_stencils_are_recognised, 0, FUR_VALUE_COUNT * BOUNDARIES);
    tcase_add_loop_test(tests, random_stencils_are_recognised, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, an_altered_row_is_listed, 0, COUNT_OF(alterations));
    tcase_add_loop_test(tests, altered_matrices_keep_their_bits, 0, 4);
    tcase_add_test(tests, periodic_and_neumann_boundaries_differ);
    tcase_add_test(tests, one_value_among_millions_is_found);
    tcase_add_test(tests, threads_and_instruction_sets_do_not_show);
    tcase_add_loop_test(tests, other_matrices_are_not_mistaken, 0, shape_count);
    tcase_add_test(tests, refusals_say_why);
    tcase_add_test(tests, a_proof_may_fail);
    tcase_add_test(tests, reports_describe_what_was_found);
    tcase_add_test(tests, calls_that_break_the_contract_fail);
}

int main(void)
{
    return run_tests("recognise", add_tests);
}
