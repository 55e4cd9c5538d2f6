/* Fuzz target: any bytes as a program that calls the interface. The bytes choose the objects, their
 * options, numbers and sizes, and the calls. Options may be valid or invalid, numbers may be NaN
 * and infinity. The program runs with 1 and with 3 threads, the second time in another mode of
 * floating-point arithmetic. Every status, message and result must be the same, to the bit. Within
 * a run, kernels are compared with the reference kernel, stencils with their matrices, and a
 * written file with its contents read back. A call that fails must have a message and leave its
 * result unchanged. At the end all memory must be freed. In one program of four an allocation
 * fails. */
#include "fuzz_program.h"

#include <furrow/author.h>

#include "float_modes.h"

/* Limits of sizes. With them a program takes milliseconds. */
#define MAX_ROWS 3000
#define MAX_ENTRIES 9000
#define MAX_POINTS 3000
#define MAX_ITERATIONS 20
/* Largest number of points of a stencil. */
#define MAX_OFFSETS 30
#define LONGEST_OPTIONS 1024

/* Draws the size of options, which is mostly correct. A larger size is drawn only if no struct is
 * so long, because the library would read that many bytes. */
static size_t draw_size(run *r, size_t size)
{
    size_t drawn = draw(r, 32) == 0 ? (size_t)draw_integer(r) : size;
    return drawn > size && drawn <= LONGEST_OPTIONS ? size : drawn;
}

/* Returns a name of the list, an unknown name, "auto" or NULL. */
static const char *draw_name(run *r, const char *const *names, unsigned count)
{
    unsigned n = draw(r, count + 4);
    return n < count ? names[n] : n == count ? "no such name" : n == count + 1 ? "auto" : NULL;
}

static fur_csr *make_coordinates(run *r)
{
    bool large = draw(r, 8) == 0;
    int64_t rows = draw(r, large ? MAX_ROWS : 40);
    int64_t cols = draw(r, 4) == 0 ? (int64_t)draw(r, large ? MAX_ROWS : 40) : rows;
    fur_value_type value = (fur_value_type)draw(r, FUR_VALUE_COUNT);
    int64_t entries = rows && cols ? draw(r, large ? MAX_ENTRIES : 200) : 0;
    uint64_t state = draw_bits(r) | 1;
    unsigned bad = draw(r, 32) == 0;
    int32_t *at = malloc((size_t)(2 * entries + 1) * sizeof *at);
    void *values = malloc((size_t)(entries + 1) * fur_value_size(value));
    fur_csr *a = NULL;
    for (int64_t k = 0; k < entries; k++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        at[k] = (int32_t)((int64_t)(state >> 33) % (rows + bad));
        at[entries + k] = (int32_t)((int64_t)(state >> 20 & UINT32_MAX) % (cols + bad));
    }
    draw_entries(r, value, entries, values);
    fur_coo_view coo = {sizeof coo, rows, cols, entries, value, at, at + entries, values};
    (void)MAKE(r, &a, fur_csr_from_coo(r->context, &coo, (fur_duplicates)draw_kind(r, 4), &a));
    free(values);
    free(at);
    return a;
}

/* Makes a matrix from arrays of the correct sizes with any contents. */
static fur_csr *make_arrays(run *r)
{
    int64_t rows = draw(r, 6), entries = draw(r, 9);
    int32_t offsets[8], columns[9];
    double values[18];
    fur_csr *a = NULL;
    for (int i = 0; i < 8; i++)
        offsets[i] = i == 0 ? 0 : i == rows ? (int32_t)entries : (int32_t)draw_integer(r);
    for (int k = 0; k < 9; k++)
        columns[k] = (int32_t)draw_integer(r);
    fur_value_type value = (fur_value_type)draw(r, FUR_VALUE_COUNT);
    draw_entries(r, value, 9, values);
    fur_csr_view view = {sizeof view, rows, 8, entries, value, FUR_I32, offsets, columns, values};
    if (draw(r, 8) == 0)
        view.cols = draw_integer(r);
    (void)CALL(r, fur_csr_check(r->context, &view));
    (void)MAKE(r, &a, fur_csr_create(r->context, &view, FUR_OWNERSHIP_COPY, &a));
    return a;
}

/* Returns alpha op(A) x + beta y, computed by the kernel of these options. */
static fur_vector *multiply(run *r, const fur_csr *a, const fur_spmv_options *options,
                            const fur_vector *x, const fur_vector *y, const fur_scalar by[2],
                            bool *exact)
{
    fur_spmv *plan = NULL;
    fur_vector *out = NULL;
    *exact = true;
    if (!MAKE(r, &plan, fur_spmv_plan(a, options, &plan)))
        return NULL;
    const char *name = fur_spmv_describe(plan)->kernel;
    const fur_kernel_info *info;
    for (int i = 0; (info = fur_spmv_kernel_at(r->context, i)); i++)
        *exact = *exact && (info->exact || strcmp(info->name, name) != 0);
    out = make_copy(r, y);
    if (out && !CALL(r, fur_spmv_apply(plan, by[0], x, by[1], out))) {
        fur_vector_destroy(out);
        out = NULL;
    }
    fur_spmv_destroy(plan);
    return out;
}

static void try_products(run *r, const fur_csr *a)
{
    static const char *const kernels[] = {"reference", "rows", "row_pairs", "merge",
                                          "rows_simd", "sell", "sell_runs"};
    fur_spmv_options o = {.size = draw_size(r, sizeof o),
                          .op = (fur_op)draw_kind(r, 3),
                          .kernel = draw_name(r, kernels, 7),
                          .uses = draw(r, 4) == 0 ? draw_integer(r) : 0,
                          .measure = draw(r, 16) == 0};
    fur_spmv_options plain = {.size = sizeof plain, .op = o.op, .kernel = "reference"};
    fur_csr_view v = *fur_csr_get(a);
    bool exact, same;
    int64_t extra = draw(r, 32) == 0;
    fur_vector *x = make_vector(r, v.value_type, (o.op == FUR_OP_N ? v.cols : v.rows) + extra);
    fur_vector *y = make_vector(r, v.value_type, o.op == FUR_OP_N ? v.rows : v.cols);
    fur_scalar by[2] = {draw_scalar(r), draw_scalar(r)};
    if (x && y) {
        fur_vector *z = multiply(r, a, &o, x, y, by, &exact);
        fur_vector *reference = multiply(r, a, &plain, x, y, by, &same);
        if (z)
            put_vector(r, z);
        if (z && reference && exact)
            expect(r, same_entries(z, reference), "an exact kernel differs from the reference");
        fur_vector_destroy(reference);
        fur_vector_destroy(z);
    }
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

static bool equal(run *r, const fur_csr *a, const fur_csr *b)
{
    int same = 0;
    return !CALL(r, fur_csr_compare(a, b, &same)) || same;
}

/* A conversion and its inverse must restore the matrix. */
static void try_forms(run *r, const fur_csr *a)
{
    fur_csr_view v = *fur_csr_get(a);
    fur_csr *there = NULL, *back = NULL, *other = NULL;
    fur_vector *d = NULL;
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    fur_value_type value = (fur_value_type)draw_kind(r, FUR_VALUE_COUNT);
    fur_offset_type offset = (fur_offset_type)draw_kind(r, FUR_OFFSET_COUNT);
    int conjugate = (int)draw(r, 2);
    if (MAKE(r, &there, fur_csr_transpose(a, conjugate, &there)) &&
        MAKE(r, &back, fur_csr_transpose(there, conjugate, &back)))
        expect(r, equal(r, a, back), "a matrix differs from its transpose's transpose");
    if (MAKE(r, &other, fur_csr_convert(a, value, offset, &other)))
        put_matrix(r, other);
    if (MAKE(r, &d, fur_csr_diagonal(a, &d)))
        put_vector(r, d);
    if (CALL(r, fur_csr_measure(a, &figures)))
        put(r, &figures, sizeof figures);
    put(r, &v.entries, sizeof v.entries);
    fur_vector_destroy(d);
    fur_csr_destroy(other);
    fur_csr_destroy(back);
    fur_csr_destroy(there);
}

static fur_permutation *make_order(run *r, int64_t size)
{
    int32_t *order = malloc((size_t)size * sizeof *order + 1);
    fur_permutation *p = NULL;
    uint64_t state = draw_bits(r);
    for (int64_t i = 0; i < size; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        int64_t j = (int64_t)(state >> 33) % (i + 1);
        order[i] = order[j];
        order[j] = (int32_t)i;
    }
    if (size > 0 && draw(r, 16) == 0)
        order[draw(r, (unsigned)size)] = (int32_t)draw_integer(r);
    (void)MAKE(r, &p, fur_permutation_create(r->context, size, order, &p));
    free(order);
    return p;
}

/* An order and its inverse must restore a matrix and a vector. */
static void try_permuting(run *r, const fur_csr *a, const fur_permutation *p)
{
    int64_t n = fur_permutation_size(p);
    fur_permutation *inverse = NULL;
    fur_csr *b = NULL, *back = NULL;
    fur_vector *x = make_vector(r, fur_csr_get(a)->value_type, n);
    fur_vector *y = make_copy(r, x), *z = make_copy(r, x);
    if (MAKE(r, &inverse,
             fur_permutation_create(r->context, n, fur_permutation_position(p), &inverse)) &&
        MAKE(r, &b, fur_csr_permute(a, p, draw(r, 2) ? p : NULL, &b)))
        put_matrix(r, b);
    fur_csr_destroy(b);
    b = NULL;
    if (inverse && MAKE(r, &b, fur_csr_permute(a, p, NULL, &b)) &&
        MAKE(r, &back, fur_csr_permute(b, inverse, NULL, &back)))
        expect(r, equal(r, a, back), "a matrix was not permuted back");
    if (x && y && z && CALL(r, fur_vector_permute(p, x, y)) &&
        CALL(r, fur_vector_unpermute(p, y, z)))
        expect(r, same_entries(x, z), "a vector was not permuted back");
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(back);
    fur_csr_destroy(b);
    fur_permutation_destroy(inverse);
}

static void try_orders(run *r, const fur_csr *a)
{
    static const char *const methods[] = {"rcm", "cm", "rcm-quality", "sloan"};
    const char *method = draw_name(r, methods, 4);
    fur_reorder_options o = {.size = draw_size(r, sizeof o), .allow_worse = (int)draw(r, 2)};
    fur_permutation *p = NULL;
    fur_reorder_report report = FUR_DEFAULT(fur_reorder_report);
    fur_order_figures figures = FUR_DEFAULT(fur_order_figures);
    if (draw(r, 2))
        p = make_order(r, fur_csr_get(a)->rows);
    else if (MAKE(r, &p, fur_reorder(a, method, &o, &report, &p)) &&
             CALL(r, fur_order_measure(a, p, &figures)))
        expect(r, report.bandwidth_after == figures.bandwidth, "the bandwidth is another one");
    if (p && CALL(r, fur_order_measure(a, p, &figures)))
        put(r, &figures, sizeof figures);
    if (p) {
        put(r, fur_permutation_order(p), (size_t)fur_permutation_size(p) * sizeof(int32_t));
        try_permuting(r, a, p);
    }
    fur_permutation_destroy(p);
}

/* A matrix that is written and read must be unchanged. Matrix Market has no NaN with a sign or a
 * payload. */
static void try_files(run *r, const fur_csr *a)
{
    fur_mtx_write_options write = {.size = draw_size(r, sizeof write),
                                   .symmetry = (fur_mtx_symmetry)(draw(r, 4) ? 0 : draw_kind(r, 4)),
                                   .pattern = draw(r, 16) == 0,
                                   .integer = draw(r, 16) == 0,
                                   .comment = draw(r, 2) ? "a\n% b\n\n" : NULL};
    fur_mtx_read_options read = {.size = sizeof read,
                                 .convert = fur_mtx_as(fur_csr_get(a)->value_type)};
    fur_binary_read_options binary = {.size = sizeof binary, .map = (int)draw(r, 2)};
    fur_csr *back = NULL;
    if (CALL(r, fur_mtx_write_csr(a, fuzz_path(), &write)) &&
        MAKE(r, &back, fur_mtx_read_csr(r->context, fuzz_path(), &read, &back)) && !write.pattern)
        put_matrix(r, back);
    fur_csr_destroy(back);
    back = NULL;
    if (CALL(r, fur_binary_write_csr(a, fuzz_path(), NULL)) &&
        MAKE(r, &back, fur_binary_read_csr(r->context, fuzz_path(), &binary, &back)))
        expect(r, equal(r, a, back), "a .fur file gave another matrix");
    fur_csr_destroy(back);
    unlink(fuzz_path());
}

static void try_recognised(run *r, const fur_csr *a)
{
    fur_recognise_options o = {.size = draw_size(r, sizeof o)};
    const fur_spmv_options plain = {.size = sizeof plain, .kernel = "reference"};
    fur_recognised *found = NULL;
    fur_csr_view v = *fur_csr_get(a);
    bool exact;
    if (!CALL(r, fur_stencil_recognise(a, &o, NULL, &found)) || !found)
        return;
    fur_vector *x = make_vector(r, v.value_type, v.cols), *y = make_vector(r, v.value_type, v.rows);
    fur_scalar by[2] = {draw_scalar(r), draw_scalar(r)};
    if (x && y) {
        fur_vector *z = multiply(r, a, &plain, x, y, by, &exact);
        if (CALL(r, fur_recognised_apply(found, by[0], x, by[1], y)) && z)
            expect(r, same_entries(y, z), "a recognised stencil differs from its matrix");
        put_vector(r, y);
        fur_vector_destroy(z);
    }
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_recognised_destroy(found);
}

/* If a solve reports convergence, ||b - A x|| by the operator must meet the tolerance. */
static void check_converged(run *r, const fur_operator *a, const fur_vector *b, const fur_vector *x,
                            double rtol, double atol)
{
    bool single = fur_operator_value_type(a) == FUR_F32 || fur_operator_value_type(a) == FUR_C64;
    double size, left;
    rtol = rtol > 0 ? rtol : single ? 1e-5 : 1e-10;
    fur_vector *rest = make_copy(r, b);
    if (rest && CALL(r, fur_operator_apply(a, x, rest)) &&
        CALL(r, fur_axpby(fur_real(1), b, fur_real(-1), rest)) && CALL(r, fur_norm2(b, &size)) &&
        CALL(r, fur_norm2(rest, &left)))
        expect(r, left <= rtol * size * (1 + 1e-12) || left <= atol, "converged, but it is not");
    fur_vector_destroy(rest);
}

/* Solves with any operator. */
static void try_solve(run *r, const fur_operator *a)
{
    fur_operator *jacobi = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    if (draw(r, 2))
        (void)MAKE(r, &jacobi, fur_operator_jacobi(a, &jacobi));
    fur_solver_options o = {.size = draw_size(r, sizeof o),
                            .preconditioner = jacobi,
                            .rtol = draw(r, 4) ? 0 : draw_real(r),
                            .atol = draw(r, 4) ? 0 : draw_real(r),
                            .max_iterations = 1 + draw(r, MAX_ITERATIONS),
                            .check_every = draw(r, 4) ? 0 : draw_integer(r)};
    fur_vector *b = make_vector(r, fur_operator_value_type(a), fur_operator_rows(a));
    fur_vector *x = make_vector(r, fur_operator_value_type(a), fur_operator_rows(a));
    if (b && x && MAKE(r, &solver, fur_solver_create(a, &o, &solver)) &&
        CALL(r, fur_solver_solve(solver, b, x, &report))) {
        put_vector(r, x);
        put(r, &report.outcome, sizeof report.outcome);
        put(r, &report.iterations, sizeof report.iterations);
        put_entries(r, FUR_F64, 1, &report.residual);
        if (report.outcome == FUR_OUTCOME_CONVERGED)
            check_converged(r, a, b, x, o.rtol, o.atol);
    }
    fur_solver_destroy(solver);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_operator_destroy(jacobi);
}

static void try_matrix_operator(run *r, const fur_csr *a)
{
    fur_spmv *plan = NULL;
    fur_operator *op = NULL, *permuted = NULL;
    fur_permutation *p = draw(r, 2) ? make_order(r, fur_csr_get(a)->rows) : NULL;
    if (MAKE(r, &plan, fur_spmv_plan(a, NULL, &plan)) &&
        MAKE(r, &op, fur_operator_from_spmv(plan, &op)))
        try_solve(r, op);
    if (op && p && MAKE(r, &permuted, fur_operator_permute(op, p, &permuted)))
        try_solve(r, permuted);
    fur_operator_destroy(permuted);
    fur_permutation_destroy(p);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
}

/* Logs each member, because bytes between the members are not set. */
static void put_asymmetry(run *r, const fur_csr_asymmetry *found)
{
    const int64_t numbers[] = {found->found, found->row, found->col, found->missing};
    const fur_scalar entries[] = {found->entry, found->opposite};
    put(r, numbers, sizeof numbers);
    put_entries(r, FUR_C128, 2, entries);
}

/* Scales a copy and eliminates unknowns. Then reads an entry of the changed copy. */
static void try_changes(run *r, const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    fur_csr *b = NULL;
    fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
    fur_scalar entry = {0, 0};
    int32_t unknowns[4];
    fur_vector *x = make_vector(r, v->value_type, v->rows + (draw(r, 32) == 0));
    fur_vector *y = make_vector(r, v->value_type, v->cols);
    for (int n = 0; n < 4; n++)
        unknowns[n] = (int32_t)draw_integer(r);
    if (CALL(r, fur_csr_find_asymmetry(a, (fur_symmetry)draw_kind(r, 4), &found)))
        put_asymmetry(r, &found);
    if (x && y && MAKE(r, &b, fur_csr_transfer(a, r->context, &b))) {
        (void)CALL(r, fur_csr_scale(b, draw(r, 4) ? x : NULL, draw(r, 4) ? y : NULL));
        if (CALL(r, fur_csr_eliminate(b, draw(r, 5), unknowns, draw_scalar(r), x, y)))
            put_vector(r, y);
        if (CALL(r, fur_csr_entry(b, unknowns[0], unknowns[1], &entry)))
            put_entries(r, FUR_C128, 1, &entry);
        put_matrix(r, b);
    }
    fur_csr_destroy(b);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

/* Splits A into two parts and adds them. Also tests other parts, comparisons and norms. */
static void try_algebra(run *r, const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    int64_t cut = (int64_t)draw(r, 8) - 4, row = draw_integer(r), norms = 0;
    fur_csr *lower = NULL, *upper = NULL, *b = NULL;
    fur_csr_difference d = FUR_DEFAULT(fur_csr_difference);
    double norm;
    if (MAKE(r, &lower, fur_csr_band(a, INT64_MIN, cut, &lower)) &&
        MAKE(r, &upper, fur_csr_band(a, cut + 1, INT64_MAX, &upper)) &&
        MAKE(r, &b, fur_csr_add(lower, fur_real(1), upper, fur_real(1), &b)))
        expect(r, equal(r, a, b), "two triangles are not their matrix");
    fur_csr_destroy(b);
    b = NULL;
    if (MAKE(r, &b, fur_csr_submatrix(a, row, v->rows, 0, draw_integer(r), &b)))
        put_matrix(r, b);
    fur_csr_destroy(b);
    b = NULL;
    const int32_t list[] = {(int32_t)row, (int32_t)draw_integer(r), 0, (int32_t)row};
    if (MAKE(r, &b, fur_csr_select(a, draw(r, 5), list, draw(r, 5), draw(r, 2) ? list : NULL, &b)))
        put_matrix(r, b);
    if (lower && upper && CALL(r, fur_csr_compare_within(lower, upper, 0, draw_scalar(r).re, &d)))
        put(r, &d, sizeof d);
    const fur_norm all[] = {FUR_NORM_1, FUR_NORM_INF, FUR_NORM_MAX, FUR_NORM_FROBENIUS};
    for (; norms < 4; norms++)
        if (CALL(r, fur_csr_norm(a, all[norms], &norm)))
            put(r, &norm, sizeof norm);
    fur_csr_destroy(b);
    fur_csr_destroy(upper);
    fur_csr_destroy(lower);
}

static void use_matrix(run *r, const fur_csr *a)
{
    static void (*const uses[])(run *, const fur_csr *) = {
        try_products,   try_forms,           try_orders,  try_files,
        try_recognised, try_matrix_operator, try_changes, try_algebra};
    put_matrix(r, a);
    for (unsigned n = 1 + draw(r, 3); n > 0; n--)
        uses[draw(r, 8)](r, a);
}

/* The arrays of a stencil's definition. */
typedef struct parts {
    fur_stencil_offset offsets[MAX_OFFSETS];
    fur_scalar coefficients[MAX_OFFSETS];
    fur_vector *owned[MAX_OFFSETS];
    const fur_vector *fields[MAX_OFFSETS];
} parts;

static bool is_small(const fur_stencil_definition *d)
{
    int64_t points = 1;
    for (int axis = 0; axis < d->axes && axis < 3; axis++) {
        if (d->extent[axis] < 1 || d->extent[axis] > MAX_POINTS)
            return false;
        points *= d->extent[axis];
    }
    return points <= MAX_POINTS;
}

static void draw_points(run *r, fur_stencil_definition *d, parts *p)
{
    d->axes = draw_kind(r, 4);
    d->points = (int)draw(r, MAX_OFFSETS);
    int reach = 1 + (int)draw(r, 5);
    for (int k = 0; k < d->points; k++) {
        int32_t at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = axis < d->axes ? (int32_t)draw(r, (unsigned)(2 * reach + 1)) - reach : 0;
        p->offsets[k] = (fur_stencil_offset){at[0], at[1], at[2]};
        p->coefficients[k] = draw_scalar(r);
    }
    d->offsets = p->offsets;
    d->coefficients = p->coefficients;
}

static void draw_fields(run *r, fur_stencil_definition *d, parts *p)
{
    int64_t points = 1;
    for (int axis = 0; axis < d->axes && axis < 3; axis++)
        points *= d->extent[axis];
    for (int k = 0; k < d->points; k++)
        p->fields[k] = p->owned[k] = make_vector(r, d->value_type, points);
    d->fields = p->fields;
    d->coefficients = NULL;
}

static void draw_definition(run *r, fur_stencil_definition *d, parts *p)
{
    static const char *const kernels[] = {"reference", "blocked", "symmetric"};
    static const char *const sweeps[] = {"single"};
    static const int named[] = {3, 5, 7, 9, 13, 19, 27};
    *d = (fur_stencil_definition){.size = draw_size(r, sizeof *d),
                                  .value_type = (fur_value_type)draw_kind(r, FUR_VALUE_COUNT),
                                  .kernel = draw_name(r, kernels, 3),
                                  .sweep_kernel = draw_name(r, sweeps, 1)};
    for (int axis = 0; axis < 3; axis++) {
        d->extent[axis] = draw(r, 4) ? 1 + (int64_t)draw(r, 24) : draw_integer(r);
        d->boundary[axis] = (fur_boundary)draw_kind(r, FUR_BOUNDARY_COUNT);
    }
    if (draw(r, 2))
        require(fur_stencil_named(named[draw(r, 7)], d) == 1, "no such stencil");
    else
        draw_points(r, d, p);
    if (is_small(d) && d->points <= MAX_OFFSETS && draw(r, 4) == 0)
        draw_fields(r, d, p);
}

static void try_stencil_products(run *r, const fur_stencil_definition *d, const fur_stencil *s)
{
    fur_stencil_definition plain = *d;
    fur_stencil *reference = NULL;
    int64_t n = fur_stencil_describe(s)->rows;
    fur_vector *x = make_vector(r, d->value_type, n), *y = make_vector(r, d->value_type, n);
    fur_vector *z = make_copy(r, y);
    fur_scalar alpha = draw_scalar(r), beta = draw_scalar(r);
    plain.kernel = "reference";
    bool exact = strcmp(fur_stencil_describe(s)->kernel, "symmetric") != 0;
    if (x && y && z && MAKE(r, &reference, fur_stencil_create(r->context, &plain, &reference)) &&
        CALL(r, fur_stencil_apply(s, alpha, x, beta, y)) &&
        CALL(r, fur_stencil_apply(reference, alpha, x, beta, z))) {
        expect(r, !exact || same_entries(y, z), "a stencil differs from the reference");
        put_vector(r, y);
    }
    fur_stencil_destroy(reference);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

/* n sweeps must equal n products. */
static void try_sweeps(run *r, const fur_stencil_definition *d, const fur_stencil *s)
{
    int64_t n = fur_stencil_describe(s)->rows, count = draw(r, 4);
    fur_scalar alpha = draw_scalar(r);
    fur_vector *x = make_vector(r, d->value_type, n), *b = make_vector(r, d->value_type, n);
    fur_vector *y = make_copy(r, x), *work = make_copy(r, x);
    bool done = x && b && y && work && CALL(r, fur_stencil_sweep(s, count, alpha, b, x, work));
    for (int64_t i = 0; i < count && done; i++) {
        done = CALL(r, fur_vector_copy(b, work)) &&
               CALL(r, fur_stencil_apply(s, fur_real(1), y, alpha, work)) &&
               CALL(r, fur_vector_copy(work, y));
    }
    if (done)
        expect(r, same_entries(x, y), "sweeps differ from products");
    fur_vector_destroy(work);
    fur_vector_destroy(y);
    fur_vector_destroy(b);
    fur_vector_destroy(x);
}

static void try_assembled(run *r, const fur_stencil_definition *d, const fur_stencil *s)
{
    (void)d;
    fur_csr *a = NULL;
    if (MAKE(r, &a, fur_stencil_assemble(s, &a)))
        use_matrix(r, a);
    fur_csr_destroy(a);
}

static void try_stencil_operator(run *r, const fur_stencil_definition *d, const fur_stencil *s)
{
    (void)d;
    fur_operator *op = NULL;
    if (MAKE(r, &op, fur_operator_from_stencil(s, &op)))
        try_solve(r, op);
    fur_operator_destroy(op);
}

static void try_multigrid(run *r, const fur_stencil_definition *d, const fur_stencil *s)
{
    int64_t n = fur_stencil_describe(s)->rows;
    bool small = n < 400; /* a coarsest level is relaxed a thousand times */
    fur_multigrid_options o = {.size = draw_size(r, sizeof o),
                               .cycle = (fur_cycle)draw_kind(r, 2),
                               .pre_sweeps = (int)draw(r, 5) - (draw(r, 16) == 0),
                               .post_sweeps = (int)draw(r, 5),
                               .levels = small ? (int)draw_integer(r) : 0,
                               .coarsest = small ? draw_integer(r) : 0};
    fur_multigrid *mg = NULL;
    fur_operator *op = NULL, *a = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    double rtol = draw(r, 2) ? 0 : draw_real(r);
    fur_vector *b = make_vector(r, d->value_type, n), *x = make_vector(r, d->value_type, n);
    if (b && x && MAKE(r, &a, fur_operator_from_stencil(s, &a)) &&
        MAKE(r, &mg, fur_multigrid_create(s, &o, &mg))) {
        if (CALL(r, fur_multigrid_cycle(mg, b, x)))
            put_vector(r, x);
        if (CALL(r, fur_multigrid_solve(mg, b, x, rtol, 1 + draw(r, 12), &report))) {
            put_vector(r, x);
            if (report.outcome == FUR_OUTCOME_CONVERGED)
                check_converged(r, a, b, x, rtol, 0);
        }
        if (MAKE(r, &op, fur_operator_from_multigrid(mg, &op)) &&
            CALL(r, fur_operator_apply(op, b, x)))
            put_vector(r, x);
    }
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_operator_destroy(op);
    fur_operator_destroy(a);
    fur_multigrid_destroy(mg);
}

static void use_stencil(run *r)
{
    static void (*const uses[])(run *, const fur_stencil_definition *, const fur_stencil *) = {
        try_stencil_products, try_sweeps, try_assembled, try_stencil_operator, try_multigrid};
    static parts p;
    fur_stencil_definition d;
    fur_stencil *s = NULL;
    memset(&p, 0, sizeof p);
    draw_definition(r, &d, &p);
    if (MAKE(r, &s, fur_stencil_create(r->context, &d, &s))) {
        fur_stencil_report report = *fur_stencil_describe(s);
        require(report.bytes > 0 && report.rows > 0, "figures of a stencil");
        for (unsigned n = is_small(&d) ? 1 + draw(r, 3) : 0; n > 0; n--)
            uses[draw(r, 5)](r, &d, s);
    }
    fur_stencil_destroy(s);
    for (int k = 0; k < MAX_OFFSETS; k++)
        fur_vector_destroy(p.owned[k]);
}

static fur_coefficient draw_coefficient(run *r, const fur_scalars *scalars)
{
    return (fur_coefficient){.factor = draw_scalar(r),
                             .scalars = draw(r, 2) ? scalars : NULL,
                             .numerator = draw_kind(r, FUR_SCALARS_MAX),
                             .denominator = draw(r, 2) ? -1 : draw_kind(r, FUR_SCALARS_MAX)};
}

static void put_scalars(run *r, const fur_scalars *scalars)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    if (!CALL(r, fur_scalars_get(scalars, &state)))
        return;
    put_entries(r, FUR_C128, FUR_SCALARS_MAX, state.value);
    put(r, state.stores, sizeof state.stores);
    put(r, &state.halted, sizeof state.halted);
}

/* Functions that leave their results on the device give the results of the other functions. */
static void use_scalars(run *r, const fur_vector *x, fur_vector *y)
{
    fur_scalars *scalars = NULL;
    fur_scalars_state state = fur_scalars_initial();
    for (int i = 0; i < FUR_SCALARS_MAX; i++) {
        state.value[i] = draw_scalar(r);
        state.floor[i] = draw(r, 2) ? state.floor[i] : draw_real(r);
    }
    state.halted = draw(r, 4) ? -1 : draw_integer(r);
    if (!MAKE(r, &scalars, fur_scalars_create(r->context, &scalars)))
        return;
    (void)CALL(r, fur_scalars_set(scalars, &state));
    for (unsigned n = draw(r, 6); n > 0; n--) {
        int slot = draw_kind(r, FUR_SCALARS_MAX);
        fur_coefficient alpha = draw_coefficient(r, scalars), beta = draw_coefficient(r, scalars);
        unsigned what = draw(r, 3);
        (void)(what == 0   ? CALL(r, fur_dot_into(x, y, scalars, slot))
               : what == 1 ? CALL(r, fur_axpby_from(alpha, x, beta, y))
                           : CALL(r, fur_axpy_norm2_into(alpha, x, y, scalars, slot)));
    }
    put_scalars(r, scalars);
    put_vector(r, y);
    fur_scalars_destroy(scalars);
}

static void try_reductions(run *r, const fur_vector *x, fur_vector *y)
{
    double norm[4] = {0};
    fur_scalar dot = {0, 0};
    bool all = CALL(r, fur_norm1(x, &norm[0]));
    all = CALL(r, fur_norm2(x, &norm[1])) && all;
    all = CALL(r, fur_norm_max(x, &norm[2])) && all;
    (void)CALL(r, fur_dot(x, y, &dot));
    (void)CALL(r, fur_axpy_norm2(draw_scalar(r), x, y, &norm[3]));
    put_entries(r, FUR_F64, 4, norm);
    put_entries(r, FUR_C128, 1, &dot);
    expect(r, !all || !(norm[2] > norm[0]), "the largest is above the sum");
}

static void use_vectors(run *r)
{
    int64_t n = draw(r, 8) == 0 ? (int64_t)draw(r, 50000) : (int64_t)draw(r, 70);
    fur_value_type value = (fur_value_type)draw_kind(r, FUR_VALUE_COUNT);
    fur_vector *x = make_vector(r, value, draw(r, 32) ? n : draw_integer(r));
    fur_vector *y = draw(r, 16) ? make_vector(r, value, n) : make_vector(r, FUR_C64, n / 2);
    fur_vector *z = NULL;
    if (x && y) {
        (void)CALL(r, fur_axpby(draw_scalar(r), x, draw_scalar(r), y));
        (void)CALL(r, fur_multiply_elementwise(x, y, draw(r, 2) ? x : y));
        try_reductions(r, x, y);
        use_scalars(r, x, draw(r, 8) ? y : x);
        if (MAKE(r, &z, fur_vector_convert(x, (fur_value_type)draw_kind(r, FUR_VALUE_COUNT), &z)))
            put_vector(r, z);
        put_vector(r, x);
    }
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

static void run_program(run *r)
{
    for (unsigned n = 1 + draw(r, 2); n > 0; n--) {
        unsigned what = draw(r, 8);
        fur_csr *a = NULL;
        if (what < 3)
            use_stencil(r);
        else if (what < 5)
            use_vectors(r);
        else if ((a = what == 5 ? make_arrays(r) : make_coordinates(r)))
            use_matrix(r, a);
        fur_csr_destroy(a);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run runs[2];
    int64_t fail_at = size > 1 && data[0] % 4 == 3 ? data[1] : 0;
    size_t head = size < 2 ? size : 2;
    for (int i = 0; i < 2; i++) {
        if (run_begin(&runs[i], data + head, size - head, i == 0 ? 1 : 3, fail_at)) {
            runs[i].mode =
                i == 0 || head < 2 ? 0 : (int)((data[0] / 4 + data[1] + size) % FLOAT_MODES);
            run_program(&runs[i]);
        }
        run_end(&runs[i]);
    }
    if (fail_at == 0)
        require(runs[0].length == runs[1].length &&
                    (runs[0].length == 0 || memcmp(runs[0].log, runs[1].log, runs[0].length) == 0),
                "1 and 3 threads differ");
    free(runs[0].log);
    free(runs[1].log);
    return 0;
}
