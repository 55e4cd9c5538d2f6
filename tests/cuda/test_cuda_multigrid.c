/* Multigrid on a GPU. Operations on every level, cycles, solutions, and conjugate gradients with
 * multigrid have the bits of the CPU. */
#include "cuda_support.h"
#include "stencil_trial.h"

#include "multigrid.h"

#include <string.h>

#define SIDES 2 /* side 0 is the host, side 1 the device */

/* A problem that both sides have. */
typedef struct problem {
    fur_context *context[SIDES];
    fur_stencil *a[SIDES];
    fur_multigrid *mg[SIDES];
    fur_value_type value;
    int64_t rows;
} problem;

static const fur_multigrid_kernels *kernels(const problem *p, int side)
{
    return p->context[side]->backend->multigrid;
}

/* Returns Poisson's equation with 2 axes + 1 points. `boundaries` has a digit for each axis. */
static fur_stencil_definition poisson(fur_value_type value, const int64_t extent[3], int boundaries)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = value};
    int axes = extent[2] > 0 ? 3 : extent[1] > 0 ? 2 : 1;
    ck_assert(fur_stencil_named(2 * axes + 1, &d));
    memcpy(d.extent, extent, sizeof d.extent);
    set_boundaries(&d, boundaries);
    return d;
}

/* Returns whether multigrid accepts the problem: an axis has a Dirichlet boundary, and periodic
 * axes can be coloured. */
static bool is_solvable(const fur_stencil_definition *d)
{
    bool held = false;
    for (int axis = 0; axis < d->axes; axis++) {
        held = held || d->boundary[axis] == FUR_BOUNDARY_DIRICHLET;
        if (d->boundary[axis] == FUR_BOUNDARY_PERIODIC && d->extent[axis] % 2 == 1 &&
            d->extent[axis] > 1)
            return false;
    }
    return held;
}

static problem open_problem(fur_context *context, const fur_stencil_definition *d,
                            const fur_multigrid_options *options)
{
    problem p = {
        .context = {fur_context_host(context), context}, .value = d->value_type, .rows = 1};
    for (int axis = 0; axis < d->axes; axis++)
        p.rows *= d->extent[axis];
    for (int side = 0; side < SIDES; side++) {
        ck_ok(p.context[side], fur_stencil_create(p.context[side], d, &p.a[side]));
        ck_ok(p.context[side], fur_multigrid_create(p.a[side], options, &p.mg[side]));
    }
    ck_assert_int_eq(p.mg[0]->levels, p.mg[1]->levels);
    return p;
}

static void close_problem(problem *p)
{
    for (int side = 0; side < SIDES; side++) {
        fur_multigrid_destroy(p->mg[side]);
        fur_stencil_destroy(p->a[side]);
    }
}

/* Equal entries on both sides, which begin after `shift` other entries. */
typedef struct arrays {
    fur_vector *whole[SIDES];
    void *data[SIDES];
} arrays;

static arrays draw_arrays(const problem *p, rng *r, int64_t n, int64_t shift)
{
    arrays a;
    void *entries = entries_random(r, p->value, n + shift);
    for (int side = 0; side < SIDES; side++) {
        a.whole[side] = vector_from(p->context[side], p->value, n + shift, entries);
        a.data[side] =
            (char *)fur_vector_data(a.whole[side]) + (size_t)shift * fur_value_size(p->value);
    }
    free(entries);
    return a;
}

static void release_arrays(arrays *a)
{
    for (int side = 0; side < SIDES; side++)
        fur_vector_destroy(a->whole[side]);
}

static void check_same(const problem *p, int level, const char *what, fur_vector *const v[SIDES])
{
    void *should = vector_entries(v[0]);
    void *is = vector_entries(v[1]);
    int64_t i = first_difference(p->value, fur_vector_size(v[0]), is, should);
    const fur_grid_axis *axis = p->mg[0]->level[level].grid.axis;
    ck_assert_msg(i == -1, "%s, %s, level %d of %lld x %lld x %lld%s%s%s: entry %lld is %a, not %a",
                  what, fur_value_name(p->value), level, (long long)axis[0].points,
                  (long long)axis[1].points, (long long)axis[2].points,
                  axis[0].periodic ? ", x periodic" : "", axis[1].periodic ? ", y periodic" : "",
                  axis[2].periodic ? ", z periodic" : "", (long long)i,
                  entry_get(p->value, is, i < 0 ? 0 : i).re,
                  entry_get(p->value, should, i < 0 ? 0 : i).re);
    free(is);
    free(should);
}

/* --- operations ------------------------------------------------------------------------------- */

/* Vectors b and x of a level, and memory for a result. */
typedef struct trial {
    problem *p;
    int level;
    arrays b;
    arrays x;
    arrays out;
} trial;

static void check_relax(const trial *t, rng *r)
{
    fur_colour first = (fur_colour)rng_below(r, 2);
    int sweeps = 1 + (int)rng_below(r, 4);
    for (int side = 0; side < SIDES; side++)
        ck_ok(t->p->context[side],
              kernels(t->p, side)
                  ->relax(&t->p->context[side]->env, &t->p->mg[side]->level[t->level].grid, first,
                          sweeps, t->b.data[side], t->x.data[side], t->out.data[side]));
    check_same(t->p, t->level, "relax", t->x.whole);
}

static void check_transfers(const trial *t, rng *r)
{
    int64_t points = fur_grid_points(&t->p->mg[0]->level[t->level + 1].grid);
    arrays coarse = draw_arrays(t->p, r, points, rng_below(r, 2));
    for (int side = 0; side < SIDES; side++) {
        fur_env *env = &t->p->context[side]->env;
        const fur_grid *g = &t->p->mg[side]->level[t->level].grid;
        ck_ok(t->p->context[side],
              kernels(t->p, side)->correction(env, g, coarse.data[side], t->x.data[side]));
        ck_ok(t->p->context[side],
              kernels(t->p, side)
                  ->restriction(env, g, t->b.data[side], t->x.data[side], coarse.data[side]));
    }
    check_same(t->p, t->level, "correction", t->x.whole);
    check_same(t->p, t->level, "restriction", coarse.whole);
    release_arrays(&coarse);
}

static void check_level(problem *p, int level, rng *r)
{
    int64_t points = fur_grid_points(&p->mg[0]->level[level].grid);
    trial t = {.p = p, .level = level};
    t.b = draw_arrays(p, r, points, rng_below(r, 2));
    t.x = draw_arrays(p, r, points, rng_below(r, 2));
    t.out = draw_arrays(p, r, points, rng_below(r, 2));
    check_relax(&t, r);
    if (level + 1 < p->mg[0]->levels)
        check_transfers(&t, r);
    release_arrays(&t.out);
    release_arrays(&t.x);
    release_arrays(&t.b);
}

static void check_levels(fur_context *context, const fur_stencil_definition *d, rng *r)
{
    problem p = open_problem(context, d, NULL);
    for (int level = 0; level < p.mg[0]->levels; level++)
        check_level(&p, level, r);
    close_problem(&p);
}

static const int64_t extents[][3] = {
    {1, 1, 1},  {2, 0, 0},   {17, 0, 0},   {3, 5, 0},   {2, 33, 0}, {130, 1, 2}, {8, 8, 8},
    {5, 8, 17}, {33, 17, 5}, {64, 33, 20}, {1, 2, 600}, {6, 10, 2}, {61, 14, 9}, {62, 18, 12},
};

/* Operations have the bits of the host. Loops over combinations of boundaries. */
START_TEST(operations_have_the_bits_of_the_host)
{
    fur_context *context = context_cuda();
    rng r = rng_stream((uint64_t)_i);
    for (int n = 0; n < COUNT_OF(extents); n++) {
        fur_stencil_definition d = poisson((fur_value_type)((n + _i) % 2), extents[n], _i);
        if (is_solvable(&d))
            check_levels(context, &d, &r);
    }
    fur_context_destroy(context);
}
END_TEST

/* Grids with more lines or planes than a launch has blocks, or with many tiles and chunks of
 * planes. */
static const int64_t large_extents[][3] = {{70000, 0, 0},  {700, 301, 0},   {3, 2, 66000},
                                           {2, 66000, 3},  {256, 130, 128}, {258, 130, 128},
                                           {131, 256, 127}};

/* Operations on large grids have the bits of the host. Loops over the large extents. */
START_TEST(operations_have_the_bits_of_the_host_on_large_grids)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(101 + (uint64_t)_i);
    fur_stencil_definition d = poisson((fur_value_type)(_i % 2), large_extents[_i], _i);
    if (is_solvable(&d))
        check_levels(context, &d, &r);
    fur_context_destroy(context);
}
END_TEST

/* --- cycles ----------------------------------------------------------------------------------- */

static const struct {
    int64_t extent[3];
    int boundaries;
    fur_multigrid_options options;
} cycled[] = {
    {{40, 0, 0}, 0, {.cycle = FUR_CYCLE_V}},
    {{9000, 0, 0}, 0, {.cycle = FUR_CYCLE_V}},
    {{64, 48, 0}, 6, {.cycle = FUR_CYCLE_F}},
    {{17, 33, 20}, 18, {.cycle = FUR_CYCLE_F, .pre_sweeps = 1, .post_sweeps = 3}},
    {{30, 31, 32}, 1, {.cycle = FUR_CYCLE_V, .pre_sweeps = 3, .post_sweeps = 1}},
    {{40, 26, 34}, 0, {.cycle = FUR_CYCLE_V, .levels = 2}},
    {{21, 22, 23}, 9, {.cycle = FUR_CYCLE_F, .coarsest = 100}},
};

/* Cycles have the bits of the host. Loops over the table. */
START_TEST(cycles_have_the_bits_of_the_host)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(201 + (uint64_t)_i);
    fur_multigrid_options options = cycled[_i].options;
    options.size = sizeof options;
    for (int value = 0; value < 2; value++) {
        fur_stencil_definition d =
            poisson((fur_value_type)value, cycled[_i].extent, cycled[_i].boundaries);
        problem p = open_problem(context, &d, &options);
        arrays b = draw_arrays(&p, &r, p.rows, 0);
        arrays x = draw_arrays(&p, &r, p.rows, 0);
        for (int side = 0; side < SIDES; side++)
            for (int cycle = 0; cycle < 2; cycle++)
                ck_ok(p.context[side],
                      fur_multigrid_cycle(p.mg[side], b.whole[side], x.whole[side]));
        check_same(&p, 0, "two cycles", x.whole);
        release_arrays(&x);
        release_arrays(&b);
        close_problem(&p);
    }
    fur_context_destroy(context);
}
END_TEST

/* --- solutions -------------------------------------------------------------------------------- */

static void check_reports(const fur_solver_report report[SIDES])
{
    for (int side = 0; side < SIDES; side++)
        ck_assert_int_eq(report[side].outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(report[0].iterations, report[1].iterations);
    ck_assert(memcmp(&report[0].residual, &report[1].residual, sizeof report->residual) == 0);
}

/* Checks the solutions by cycles. A V(2,2) cycle reduces the residual at least by a factor of ten,
 * so ten cycles reach 1e-10. */
static void check_solution(problem *p, rng *r)
{
    fur_solver_report report[SIDES] = {FUR_DEFAULT(fur_solver_report),
                                       FUR_DEFAULT(fur_solver_report)};
    arrays b = draw_arrays(p, r, p->rows, 0);
    arrays x = draw_arrays(p, r, p->rows, 0);
    for (int side = 0; side < SIDES; side++)
        ck_ok(p->context[side],
              fur_multigrid_solve(p->mg[side], b.whole[side], x.whole[side], 0, 0, &report[side]));
    check_reports(report);
    ck_assert_int_le(report[1].iterations, 10);
    check_same(p, 0, "the solution by cycles", x.whole);
    release_arrays(&x);
    release_arrays(&b);
}

static void solve_by_cg(const problem *p, int side, const arrays *b, arrays *x,
                        fur_solver_report *report)
{
    fur_context *context = p->context[side];
    fur_operator *a = NULL;
    fur_operator *m = NULL;
    fur_solver *solver = NULL;
    ck_ok(context, fur_operator_from_stencil(p->a[side], &a));
    ck_ok(context, fur_operator_from_multigrid(p->mg[side], &m));
    fur_solver_options options = {
        .size = sizeof options, .rtol = p->value == FUR_F32 ? 1e-4 : 1e-10, .preconditioner = m};
    ck_ok(context, fur_solver_create(a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, b->whole[side], x->whole[side], report));
    fur_solver_destroy(solver);
    fur_operator_destroy(m);
    fur_operator_destroy(a);
}

static void check_cg(problem *p, rng *r)
{
    fur_solver_report report[SIDES] = {FUR_DEFAULT(fur_solver_report),
                                       FUR_DEFAULT(fur_solver_report)};
    arrays b = draw_arrays(p, r, p->rows, 0);
    arrays x = draw_arrays(p, r, p->rows, 0);
    for (int side = 0; side < SIDES; side++)
        solve_by_cg(p, side, &b, &x, &report[side]);
    check_reports(report);
    ck_assert_int_le(report[1].iterations, 12);
    check_same(p, 0, "the solution by conjugate gradients", x.whole);
    release_arrays(&x);
    release_arrays(&b);
}

static const struct {
    int64_t extent[3];
    int boundaries;
} solved[] = {{{33, 0, 0}, 0},    {{64, 65, 0}, 0},  {{8, 8, 8}, 0},
              {{17, 33, 20}, 0},  {{32, 32, 32}, 0}, {{34, 30, 31}, 9},
              {{40, 26, 34}, 18}, {{64, 33, 20}, 4}, {{100, 60, 50}, 21}};

/* Solutions have the bits of the host. Loops over the table. */
START_TEST(solutions_have_the_bits_of_the_host)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(301 + (uint64_t)_i);
    for (int value = 0; value < 2; value++) {
        fur_stencil_definition d =
            poisson((fur_value_type)value, solved[_i].extent, solved[_i].boundaries);
        problem p = open_problem(context, &d, NULL);
        check_solution(&p, &r);
        check_cg(&p, &r);
        close_problem(&p);
    }
    fur_context_destroy(context);
}
END_TEST

/* If an allocation fails, multigrid reports it and releases all memory. */
START_TEST(memory_that_runs_out_is_reported_and_released)
{
    counted c;
    const int64_t extent[3] = {5, 6, 8};
    fur_stencil_definition d = poisson(FUR_F64, extent, 18);
    fur_stencil *a = NULL;
    fur_multigrid *mg = NULL;
    int64_t failures = 0;
    counted_open(&c);
    ck_ok(c.context, fur_stencil_create(c.context, &d, &a));
    int64_t outstanding = c.device.outstanding;
    for (fur_status status = FUR_OUT_OF_MEMORY; status != FUR_OK; failures++) {
        c.device.fail_at = c.device.calls + failures + 1;
        status = fur_multigrid_create(a, NULL, &mg);
        c.device.fail_at = 0;
        ck_assert(status == FUR_OK || status == FUR_OUT_OF_MEMORY);
        ck_assert(status == FUR_OK || (!mg && c.device.outstanding == outstanding));
    }
    ck_assert_int_gt(failures, 20);
    fur_multigrid_destroy(mg);
    ck_assert_int_eq(c.device.outstanding, outstanding);
    fur_stencil_destroy(a);
    counted_close(&c);
}
END_TEST

static void add_tests(TCase *tests)
{
    int step = test_small() ? 9 : 1;
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += step)
        tcase_add_loop_test(tests, operations_have_the_bits_of_the_host, boundaries,
                            boundaries + 1);
    tcase_add_loop_test(tests, operations_have_the_bits_of_the_host_on_large_grids,
                        test_small() ? COUNT_OF(large_extents) - 1 : 0, COUNT_OF(large_extents));
    tcase_add_loop_test(tests, cycles_have_the_bits_of_the_host, 0, COUNT_OF(cycled));
    tcase_add_loop_test(tests, solutions_have_the_bits_of_the_host, 0,
                        test_small() ? 4 : COUNT_OF(solved));
    tcase_add_test(tests, memory_that_runs_out_is_reported_and_released);
}

int main(void)
{
    return run_gpu_tests("multigrid on a GPU", add_tests);
}
