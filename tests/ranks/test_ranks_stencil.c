/* Stencils on 1 to 8 ranks: products, diagonals, matrices and solves have the bits of one context.
 * On a GPU, 1 to 3 ranks on GPUs have the bits of the CPU. */
#include "ranks_support.h"

#include <furrow/ranks_stencil.h>

#include <string.h>

/* A stencil, its input, and the expected result. */
typedef struct grid_case {
    fur_stencil_definition d; /* with constant coefficients, unless `varies` selects */
    void *fields[32];         /* the fields, which have all points */
    bool varies;
    int64_t points;
    const int64_t *planes;
    const void *x;
    void *y;
    void *diagonal;
    void *solved;     /* five iterations of "bicgstab" */
    void *multiplied; /* product with the matrix */
    double residual;
} grid_case;

static fur_solver_options options_of(const fur_operator *m)
{
    return (fur_solver_options){.size = sizeof(fur_solver_options),
                                .method = "bicgstab",
                                .preconditioner = m,
                                .max_iterations = 5,
                                .no_reduction = 1};
}

static void draw_extents(rng *r, grid_case *c)
{
    c->points = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t most = axis + 1 == c->d.axes ? 24 : 12;
        c->d.extent[axis] = axis < c->d.axes ? 1 + rng_below(r, most) : 1;
        c->d.boundary[axis] = (fur_boundary)rng_below(r, FUR_BOUNDARY_COUNT);
        c->points *= c->d.extent[axis];
    }
}

/* Draws random offsets, which include the centre, and returns their number. */
static int draw_offsets(rng *r, int axes, fur_stencil_offset *offsets)
{
    int radius = 1 + (int)rng_below(r, 3);
    int count = 0;
    while (count < 12) {
        int32_t at[3] = {0, 0, 0};
        bool known = false;
        for (int axis = 0; axis < axes && count > 0; axis++)
            at[axis] = (int32_t)rng_below(r, 2 * radius + 1) - radius;
        for (int k = 0; k < count; k++)
            known |= offsets[k].x == at[0] && offsets[k].y == at[1] && offsets[k].z == at[2];
        if (known && count >= 3)
            break;
        if (!known)
            offsets[count++] = (fur_stencil_offset){at[0], at[1], at[2]};
    }
    return count;
}

static void draw_case(rng *r, int number, fur_stencil_offset *offsets, fur_scalar *coefficients,
                      grid_case *c)
{
    memset(c, 0, sizeof *c);
    c->d.size = sizeof c->d;
    c->d.value_type = (fur_value_type)(number % FUR_VALUE_COUNT);
    c->d.axes = 1 + (on_gpu() ? number / 3 : number) % 3;
    c->varies = number % 4 == 3;
    c->d.points = draw_offsets(r, c->d.axes, offsets);
    c->d.offsets = offsets;
    draw_extents(r, c);
    for (int k = 0; k < c->d.points; k++) {
        coefficients[k] = (fur_scalar){k == 0 ? 20 : rng_unit(r) - 0.5, rng_unit(r)};
        if (c->varies)
            c->fields[k] = entries_random(r, c->d.value_type, c->points);
    }
    c->d.coefficients = c->varies ? NULL : coefficients;
}

/* Sets the definition on `count` points from `first` on, and makes its fields. */
static fur_status define(fur_context *context, const grid_case *c, int64_t first, int64_t count,
                         fur_vector **fields, fur_stencil_definition *out)
{
    fur_status status = FUR_OK;
    size_t size = fur_value_size(c->d.value_type);
    *out = c->d;
    for (int k = 0; c->varies && k < c->d.points && status == FUR_OK; k++)
        status = fur_vector_wrap(context, c->d.value_type, count,
                                 (char *)c->fields[k] + (size_t)first * size, FUR_OWNERSHIP_COPY,
                                 &fields[k]);
    if (c->varies)
        out->fields = (const fur_vector *const *)fields;
    return status;
}

static void release(fur_vector **fields)
{
    for (int k = 0; k < 32; k++)
        fur_vector_destroy(fields[k]);
}

/* Computes the product, the diagonal, the solve, and the product with the matrix. */
static fur_status apply_all(fur_ranks *group, const int64_t *bounds, fur_context *context,
                            const fur_operator *a, const fur_operator *matrix, grid_case *c)
{
    int rank = group ? fur_ranks_rank(group) : 0;
    int64_t own = fur_operator_rows(a);
    fur_value_type type = c->d.value_type;
    char *first = (char *)c->x + (group ? (size_t)bounds[rank] * fur_value_size(type) : 0);
    void *to[] = {c->y, c->diagonal, c->solved, c->multiplied};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver_options options = options_of(NULL);
    fur_context *other = fur_operator_context(matrix);
    fur_vector *x = NULL;
    fur_vector *z = NULL;
    fur_vector *y[4] = {NULL};
    fur_status status = fur_vector_wrap(context, type, own, first, FUR_OWNERSHIP_COPY, &x);
    if (status == FUR_OK)
        status = fur_vector_wrap(other, type, own, first, FUR_OWNERSHIP_COPY, &z);
    for (int i = 0; i < 4 && status == FUR_OK; i++)
        status = fur_vector_create(i < 3 ? context : other, type, own, &y[i]);
    if (status == FUR_OK)
        status = fur_vector_fill(y[2], fur_real(0));
    if (status == FUR_OK)
        status = fur_operator_apply(a, x, y[0]);
    if (status == FUR_OK)
        status = fur_operator_diagonal(a, y[1]);
    if (status == FUR_OK)
        status = fur_operator_apply(matrix, z, y[3]);
    if (group) {
        fur_ranks_pass_on(group, context, status);
        status = fur_ranks_agree(group, status);
    }
    if (status == FUR_OK && group) {
        status = fur_ranks_solve_operator(group, a, &options, x, y[2], &report);
    } else if (status == FUR_OK) {
        fur_solver *solver;
        ck_ok(context, fur_solver_create(a, &options, &solver));
        ck_ok(context, fur_solver_solve(solver, x, y[2], &report));
        fur_solver_destroy(solver);
    }
    for (int i = 0; i < 4 && status == FUR_OK; i++)
        status = group ? fur_ranks_gather(group, bounds, y[i], rank == 0 ? to[i] : NULL)
                       : fur_vector_download(y[i], to[i]);
    if (rank == 0)
        c->residual = report.residual;
    for (int i = 0; i < 4; i++)
        fur_vector_destroy(y[i]);
    fur_vector_destroy(x);
    fur_vector_destroy(z);
    return status;
}

static void apply_alone(fur_context *context, grid_case *c)
{
    fur_vector *fields[32] = {NULL};
    fur_stencil_definition d;
    fur_stencil *s;
    fur_operator *a;
    fur_operator *m;
    fur_csr *matrix;
    fur_spmv *plan;
    ck_ok(context, define(context, c, 0, c->points, fields, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_operator_from_stencil(s, &a));
    ck_ok(context, fur_stencil_assemble(s, &matrix));
    ck_ok(context, fur_spmv_plan(matrix, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &m));
    ck_ok(context, apply_all(NULL, NULL, context, a, m, c));
    fur_operator_destroy(m);
    fur_spmv_destroy(plan);
    fur_csr_destroy(matrix);
    fur_operator_destroy(a);
    fur_stencil_destroy(s);
    release(fields);
}

static fur_status apply_on_ranks(fur_ranks *group, void *user)
{
    grid_case *c = user;
    int rank = fur_ranks_rank(group);
    int64_t plane = c->points / c->d.extent[c->d.extent[2] > 1 ? 2 : c->d.extent[1] > 1 ? 1 : 0];
    fur_vector *fields[32] = {NULL};
    fur_context *own = NULL;
    fur_ranks_stencil *s = NULL;
    fur_ranks_csr *matrix = NULL;
    fur_stencil_definition d;
    fur_status status = fur_context_create(NULL, &own);
    if (status == FUR_OK)
        status = define(own, c, c->planes[rank] * plane,
                        (c->planes[rank + 1] - c->planes[rank]) * plane, fields, &d);
    if (status == FUR_OK)
        status = fur_ranks_stencil_create(group, &d, c->planes, &s);
    release(fields);
    fur_context_destroy(own);
    if (status == FUR_OK)
        status = fur_ranks_stencil_assemble(s, &matrix);
    if (status == FUR_OK)
        status = apply_all(group, fur_ranks_stencil_bounds(s), fur_ranks_stencil_context(s),
                           fur_ranks_stencil_operator(s), fur_ranks_csr_operator(matrix), c);
    fur_ranks_csr_destroy(matrix);
    fur_ranks_stencil_destroy(s);
    return status;
}

static void make_results(grid_case *c)
{
    c->y = entries_make(c->d.value_type, c->points);
    c->diagonal = entries_make(c->d.value_type, c->points);
    c->solved = entries_make(c->d.value_type, c->points);
    c->multiplied = entries_make(c->d.value_type, c->points);
}

static void free_results(const grid_case *c)
{
    free(c->y);
    free(c->diagonal);
    free(c->solved);
    free(c->multiplied);
}

static void compare(const grid_case *got, const grid_case *want, int ranks)
{
    size_t bytes = (size_t)want->points * fur_value_size(want->d.value_type);
    ck_assert_msg(memcmp(got->y, want->y, bytes) == 0, "product on %d ranks", ranks);
    ck_assert_msg(memcmp(got->diagonal, want->diagonal, bytes) == 0, "diagonal, %d ranks", ranks);
    ck_assert_msg(memcmp(got->multiplied, want->multiplied, bytes) == 0, "matrix, %d ranks", ranks);
    ck_assert_msg(memcmp(got->solved, want->solved, bytes) == 0, "solution on %d ranks", ranks);
    ck_assert(memcmp(&got->residual, &want->residual, sizeof(double)) == 0);
}

START_TEST(stencils)
{
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_cpu(NULL, 1);
    fur_stencil_offset offsets[32];
    fur_scalar coefficients[32];
    grid_case want;
    draw_case(&r, _i, offsets, coefficients, &want);
    want.x = entries_random(&r, want.d.value_type, want.points);
    make_results(&want);
    apply_alone(context, &want);
    const int64_t *n = want.d.extent;
    for (int ranks = 1; ranks <= (on_gpu() ? 3 : RANKS_MAX); ranks++) {
        int64_t planes[RANKS_MAX + 1];
        fur_ranks_options options = {.size = sizeof options, .threads = 1 + ranks % 2};
        grid_case got = want;
        if (on_gpu() && !options_on_gpus(_i, ranks, &options))
            continue;
        bounds_random(&r, (ranks + _i) % BOUND_KINDS, ranks,
                      n[2] > 1   ? n[2]
                      : n[1] > 1 ? n[1]
                                 : n[0],
                      planes);
        got.planes = planes;
        make_results(&got);
        fur_status status = fur_ranks_run(ranks, &options, apply_on_ranks, &got);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        compare(&got, &want, ranks);
        free_results(&got);
    }
    free_results(&want);
    free((void *)want.x);
    for (int k = 0; k < 32; k++)
        free(want.fields[k]);
    fur_context_destroy(context);
}
END_TEST

/* Creates a stencil with the fault of this test number. */
static fur_status create_wrongly(fur_ranks *group, void *user)
{
    int number = *(const int *)user;
    int rank = fur_ranks_rank(group);
    int64_t planes[] = {0, number == 1 ? 5 : 2, number == 2 ? 3 : 4};
    fur_ranks_stencil *s = NULL;
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {3, 4, 4}};
    if (number == 0)
        d.extent[0] += rank;
    fur_stencil_named(number == 3 ? 6 : 7, &d);
    if (number == 4 && rank == 1)
        planes[1] = 1;
    fur_status status = fur_ranks_stencil_create(group, &d, planes, &s);
    fur_ranks_stencil_destroy(s);
    return status;
}

START_TEST(refusals)
{
    ck_assert_int_eq(fur_ranks_run(2, NULL, create_wrongly, &_i), FUR_INVALID);
    ck_assert_int_gt((int)strlen(fur_context_error(NULL)), 20);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_turns(tests, stencils, !on_gpu() ? 96 : test_small() ? 12 : 36, 3);
    if (!on_gpu())
        tcase_add_loop_test(tests, refusals, 0, 5);
}

int main(void)
{
    return run_tests("ranks_stencil", add);
}
