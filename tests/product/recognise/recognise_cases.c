/* See recognise_cases.h. A recognised matrix must have the bits of the reference kernel's product.
 * The rows that do not match the stencil must be listed exactly. */
#include "recognise_cases.h"

#include <math.h>
#include <string.h>

static const int named_points[] = {3, 5, 7, 9, 13, 19, 27};

static bool same_row(const fur_csr_view *a, int64_t i, const fur_csr_view *b, int64_t j)
{
    size_t size = fur_value_size(a->value_type);
    int64_t begin = offset_at(a, i);
    int64_t other = offset_at(b, j);
    size_t count = (size_t)(offset_at(a, i + 1) - begin);
    return count == (size_t)(offset_at(b, j + 1) - other) &&
           memcmp(a->columns + begin, b->columns + other, count * sizeof *a->columns) == 0 &&
           memcmp((const char *)a->values + (size_t)begin * size,
                  (const char *)b->values + (size_t)other * size, count * size) == 0;
}

/* Checks that exactly those rows are listed that differ from the stencil's matrix, with their
 * entries. */
static void check_rows(fur_context *context, const fur_csr *a, const fur_recognised *r)
{
    fur_csr *of_stencil = NULL;
    ck_ok(context, fur_stencil_assemble(fur_recognised_stencil(r), &of_stencil));
    fur_csr_view whole = *fur_csr_get(a);
    fur_csr_view stencil = *fur_csr_get(of_stencil);
    fur_csr_view rows = *fur_csr_get(fur_recognised_rows(r));
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

/* Sets an entry of x to infinity or NaN. It must reach the rows that refer to it, and no others. */
static void poison(fur_vector *x, rng *r)
{
    entry_set(fur_vector_value_type(x), fur_vector_data(x), rng_below(r, fur_vector_size(x)),
              rng_below(r, 2) ? fur_complex(NAN, 0) : fur_complex(0, -INFINITY));
}

static void check_product(fur_context *context, const fur_csr *a, const fur_recognised *r,
                          rng *random)
{
    fur_csr_view view = *fur_csr_get(a);
    const fur_spmv_options options = {.size = sizeof options, .kernel = "reference"};
    const fur_scalar betas[] = {{0, 0}, {1, 0}, rng_scalar(random, view.value_type)};
    fur_scalar alpha = rng_scalar(random, view.value_type);
    fur_scalar beta = betas[rng_below(random, COUNT_OF(betas))];
    fur_vector *x = vector_random(context, random, view.value_type, view.cols);
    fur_vector *expected = vector_random(context, random, view.value_type, view.rows);
    if (rng_below(random, 2))
        poison(x, random);
    if (beta.re == 0 && beta.im == 0)
        ck_ok(context, fur_vector_fill(expected, fur_complex(NAN, NAN)));
    fur_vector *y =
        vector_from(context, view.value_type, view.rows, fur_vector_const_data(expected));
    fur_spmv *plan = NULL;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    ck_ok(context, fur_spmv_apply(plan, alpha, x, beta, expected));
    ck_ok(context, fur_recognised_apply(r, alpha, x, beta, y));
    ck_assert_int_eq(
        first_difference(view.value_type, view.rows, fur_vector_data(y), fur_vector_data(expected)),
        -1);
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(expected);
    fur_vector_destroy(x);
}

static void check_operator(fur_context *context, const fur_csr *a, const fur_recognised *r)
{
    fur_csr_view view = *fur_csr_get(a);
    fur_operator *op = NULL;
    fur_vector *d = NULL;
    fur_vector *expected = NULL;
    ck_ok(context, fur_operator_from_recognised(r, &op));
    ck_ok(context, fur_vector_create(context, view.value_type, view.rows, &d));
    ck_ok(context, fur_operator_diagonal(op, d));
    ck_ok(context, fur_csr_diagonal(a, &expected));
    ck_assert_int_eq(
        first_difference(view.value_type, view.rows, fur_vector_data(d), fur_vector_data(expected)),
        -1);
    fur_vector_destroy(expected);
    fur_vector_destroy(d);
    fur_operator_destroy(op);
}

fur_recognised *recognise(fur_context *context, const fur_csr *a, fur_recognise_report *report)
{
    fur_recognised *r = NULL;
    ck_ok(context, fur_stencil_recognise(a, NULL, report, &r));
    ck_assert_int_eq(report->recognised, r != NULL);
    ck_assert(report->reason[0] != '\0' && report->seconds >= 0);
    return r;
}

static void check_found(subject *s, const fur_csr *a, const fur_recognised *r,
                        const fur_recognise_report *report)
{
    ck_assert_int_eq(report->rows_differing, fur_csr_get(fur_recognised_rows(r))->rows);
    ck_assert_int_le(8 * report->rows_differing, fur_csr_get(a)->rows);
    ck_assert_int_eq(report->points, fur_stencil_describe(fur_recognised_stencil(r))->points);
    ck_assert_int_eq(report->extent[0] * report->extent[1] * report->extent[2],
                     fur_csr_get(a)->rows);
    check_rows(s->context, a, r);
    check_product(s->context, a, r, &s->random);
    check_operator(s->context, a, r);
}

void check(subject *s, const fur_csr *a, fur_recognise_report *report)
{
    fur_recognised *r = recognise(s->context, a, report);
    if (r)
        check_found(s, a, r, report);
    if (s->also)
        s->also(s, a, r, report);
    fur_recognised_destroy(r);
}

static void fail_definition(const fur_stencil_definition *d, const fur_recognise_report *report)
{
    ck_abort_msg("%d points%s, %s, %lld x %lld x %lld (%d axes), boundaries %d %d %d: %s",
                 d->points, d->fields ? " of fields" : "", fur_value_name(d->value_type),
                 (long long)d->extent[0], (long long)d->extent[1], (long long)d->extent[2], d->axes,
                 (int)d->boundary[0], (int)d->boundary[1], (int)d->boundary[2], report->reason);
}

static bool is_dirichlet(const fur_stencil_definition *d)
{
    bool all = true;
    for (int axis = 0; axis < d->axes; axis++)
        all = all && d->boundary[axis] == FUR_BOUNDARY_DIRICHLET;
    return all;
}

/* Makes the stencil's matrix with offsets of a random width. */
static fur_csr *assemble_any(subject *s, const fur_stencil_definition *d)
{
    fur_csr *a = assemble(s->context, d);
    fur_csr *wide = NULL;
    if (rng_below(&s->random, 2))
        return a;
    ck_ok(s->context, fur_csr_convert(a, d->value_type, FUR_I64, &wide));
    fur_csr_destroy(a);
    return wide;
}

void recognise_named(subject *s, fur_value_type value, int boundaries, int trials)
{
    for (int n = 0; n < COUNT_OF(named_points); n++)
        for (int trial = 0; trial < trials; trial++) {
            fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
            fur_stencil_definition d = named(named_points[n], value, 1, 1, 1);
            set_boundaries(&d, boundaries);
            draw_extents(&d, &s->random, 3000);
            fur_csr *a = assemble_any(s, &d);
            check(s, a, &report);
            if (is_dirichlet(&d) &&
                (!report.recognised || report.rows_differing > 0 || report.variable))
                fail_definition(&d, &report);
            fur_csr_destroy(a);
        }
}

/* Returns whether more than half of the entries are stored. Many grids have such a pattern. */
static bool is_nearly_dense(const fur_csr *a)
{
    fur_csr_view view = *fur_csr_get(a);
    return 2 * view.entries > view.rows * view.rows;
}

/* Returns whether an axis is shorter than the stencil is wide. The matrix is then also the matrix
 * of a grid of fewer axes, whose coefficients differ from point to point. */
static bool is_narrow(const fur_stencil_definition *d)
{
    for (int k = 0; k < d->points; k++) {
        const int32_t offset[] = {d->offsets[k].x, d->offsets[k].y, d->offsets[k].z};
        for (int axis = 0; axis < d->axes; axis++)
            if (d->extent[axis] <= 2 * abs((int)offset[axis]))
                return true;
    }
    return false;
}

void recognise_random(subject *s, fur_value_type value, int trials)
{
    for (int trial = 0; trial < trials; trial++) {
        fur_stencil_offset offsets[MAX_POINTS];
        fur_scalar coefficients[MAX_POINTS];
        fur_vector *fields[MAX_POINTS] = {NULL};
        fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
        fur_stencil_definition d = {.size = sizeof d, .value_type = value, .axes = 1 + trial % 3};
        draw_offsets(&d, &s->random, offsets, coefficients);
        draw_extents(&d, &s->random, 3000);
        if (trial % 2)
            draw_fields(s->context, &d, &s->random,
                        d.extent[0] * (d.axes > 1 ? d.extent[1] : 1) *
                            (d.axes > 2 ? d.extent[2] : 1),
                        fields);
        fur_csr *a = assemble(s->context, &d);
        check(s, a, &report);
        if (!report.recognised && !is_nearly_dense(a) &&
            !((d.fields || is_narrow(&d)) && strstr(report.reason, "more bytes than")))
            fail_definition(&d, &report);
        fur_csr_destroy(a);
        for (int k = 0; k < MAX_POINTS; k++)
            fur_vector_destroy(fields[k]);
    }
}

static bool is_listed(const fur_recognised *r, int32_t row)
{
    int64_t count = fur_csr_get(fur_recognised_rows(r))->rows;
    for (int64_t i = 0; i < count; i++)
        if (fur_recognised_row_numbers(r)[i] == row)
            return true;
    return false;
}

void recognise_altered(subject *s, int way, int trials)
{
    for (int n = 0; n < COUNT_OF(named_points); n++)
        for (int trial = 0; trial < trials; trial++) {
            fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
            int32_t row;
            fur_csr *whole = grid(s->context, named_points[n], 17, 12, 11);
            fur_csr *a = altered(s->context, whole, &s->random, way, 1, &row);
            check(s, a, &report);
            fur_recognised *found = recognise(s->context, a, &report);
            ck_assert_msg(found && is_listed(found, row), "row %d: %s", row, report.reason);
            ck_assert_int_eq(report.rows_differing, 1);
            ck_assert(!report.variable);
            fur_recognised_destroy(found);
            fur_csr_destroy(a);
            fur_csr_destroy(whole);
        }
}

void recognise_much_altered(subject *s, int trials)
{
    static const int64_t extents[] = {1, 2, 3, 4, 6, 9, 14};
    rng *r = &s->random;
    int recognised = 0;
    for (int trial = 0; trial < trials; trial++) {
        fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
        int32_t row;
        int points = named_points[rng_below(r, COUNT_OF(named_points))];
        fur_csr *whole =
            grid(s->context, points, 2 + rng_below(r, 20), extents[rng_below(r, COUNT_OF(extents))],
                 extents[rng_below(r, COUNT_OF(extents))]);
        int64_t count = rng_below(r, 1 + fur_csr_get(whole)->rows / 4);
        fur_csr *a = altered(s->context, whole, r, -1, count, &row);
        check(s, a, &report);
        recognised += report.recognised;
        fur_csr_destroy(a);
        fur_csr_destroy(whole);
    }
    ck_assert_int_gt(recognised, 0);
}

void recognise_boundaries(subject *s)
{
    for (int boundary = FUR_BOUNDARY_NEUMANN; boundary <= FUR_BOUNDARY_PERIODIC; boundary++)
        for (int n = 0; n < 3; n++) {
            fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
            fur_stencil_definition d = named(2 * n + 3, FUR_F64, n ? 60 : 1000, 56, 58);
            set_boundaries(&d, boundary * 13);
            int64_t inner = 1;
            int64_t rows = 1;
            for (int axis = 0; axis < d.axes; axis++) {
                inner *= d.extent[axis] - 2;
                rows *= d.extent[axis];
            }
            fur_csr *a = assemble(s->context, &d);
            check(s, a, &report);
            ck_assert_msg(report.recognised && report.axes == d.axes, "%s", report.reason);
            ck_assert_int_eq(report.rows_differing, rows - inner);
            ck_assert_int_eq(memcmp(report.extent, d.extent, (size_t)d.axes * sizeof *d.extent), 0);
            fur_csr_destroy(a);
        }
}

void recognise_shape(subject *s, int number)
{
    fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
    fur_csr *a = matrix_random(s->context, &s->random, &shapes[number],
                               (fur_value_type)(number % FUR_VALUE_COUNT),
                               (fur_offset_type)(number % FUR_OFFSET_COUNT));
    check(s, a, &report);
    fur_csr_destroy(a);
}

static void refuse(subject *s, fur_csr *a, const char *reason)
{
    fur_recognised *r = (fur_recognised *)(void *)&a; /* to become NULL */
    fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
    ck_ok(s->context, fur_stencil_recognise(a, NULL, &report, &r));
    ck_assert_ptr_null(r);
    ck_assert_msg(strstr(report.reason, reason), "%s", report.reason);
    ck_assert(!report.recognised && report.points == 0 && report.bytes == 0);
    if (s->also)
        s->also(s, a, NULL, &report);
    fur_csr_destroy(a);
}

void recognise_none(subject *s)
{
    static const char nothing_common[] =
        "no offset (column minus row) except 0 occurs in an eighth of the rows";
    fur_context *context = s->context;
    refuse(s, empty_matrix(context, 3, 5),
           "the matrix is 3 x 5; the matrix of a stencil is square");
    refuse(s, empty_matrix(context, 0, 0), "the matrix has no rows");
    refuse(s, empty_matrix(context, 9, 9), nothing_common);
    refuse(s, shape_matrix(context, "diagonal"), nothing_common);
    refuse(s, permuted_grid(context), nothing_common);
    refuse(s, circulant(context, 10007, 3001),
           "no grid of 10007 points explains the frequent offsets (column minus row)");
    refuse(s, dense_random(context, 37),
           "no grid of 37 points explains the frequent offsets (column minus row)");
    refuse(s, shape_matrix(context, "empty rows"), nothing_common);
    refuse(s, scattered(context, 4000, 60),
           "rows have more than 2048 different offsets (column minus row)");
    refuse(s, periodic_grid(context, 12),
           "of 512 sampled rows, 219 do not fit the best grid, 12 x 12 x 12; one is row 1726, "
           "counting from 1");
    refuse(s, dense_random(context, 5),
           "9 coefficients for each point take more bytes than the matrix");
}

void recognise_too_many(subject *s)
{
    bool failed = false;
    for (int trial = 0; trial < 64 && !failed; trial++) {
        fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
        fur_csr *a = grid(s->context, 5, 100, 100, 1);
        alter_rows(a, &s->random, 1251);
        check(s, a, &report);
        failed =
            strcmp(report.reason, "1251 of 10000 rows differ from the stencil of most rows") == 0;
        ck_assert(!failed || !report.recognised);
        fur_csr_destroy(a);
    }
    ck_assert(failed);
}
