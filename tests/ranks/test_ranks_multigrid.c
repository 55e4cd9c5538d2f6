/* Geometric multigrid on 1 to 8 ranks, as a solver and as a preconditioner of conjugate gradients.
 * It has the bits of one context for any bounds, and for any first level whose points all ranks
 * hold. On a GPU, 1 to 3 ranks on GPUs have the bits of the CPU. */
#include "ranks_support.h"

#include <furrow/ranks_stencil.h>

#include <string.h>

typedef struct cycles {
    fur_stencil_definition d;
    fur_multigrid_options options;
    int64_t points;
    const int64_t *planes;
    const void *b;
    void *x; /* solution by cycles alone */
    void *z; /* solution by "cg" with cycles, if these are symmetric */
    fur_solver_report report[2];
    bool symmetric;
} cycles;

static void draw_options(rng *r, cycles *c)
{
    static const int sweeps[] = {0, 1, 3, FUR_MULTIGRID_NO_SWEEPS};
    c->options = (fur_multigrid_options){.size = sizeof c->options};
    c->options.cycle = rng_below(r, 3) == 0 ? FUR_CYCLE_F : FUR_CYCLE_V;
    c->options.pre_sweeps = sweeps[rng_below(r, 3)];
    c->options.post_sweeps = rng_below(r, 3) == 0 ? sweeps[rng_below(r, 4)] : c->options.pre_sweeps;
    c->options.levels = rng_below(r, 4) == 0 ? 1 + (int)rng_below(r, 3) : 0;
    c->options.gather_points = 1 + rng_below(r, 3) * 60;
    c->symmetric =
        c->options.cycle == FUR_CYCLE_V && c->options.pre_sweeps == c->options.post_sweeps;
}

static int64_t draw_extent(rng *r, int axis, int axes)
{
    return axis < axes ? 1 + rng_below(r, axis + 1 == axes ? 30 : 14) : 1;
}

/* Draws extents, which are even on periodic axes. */
static void draw_extents(rng *r, int axes, cycles *c)
{
    c->points = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t n = draw_extent(r, axis, axes);
        c->d.boundary[axis] = (fur_boundary)rng_below(r, FUR_BOUNDARY_COUNT);
        if (n > 1 && c->d.boundary[axis] == FUR_BOUNDARY_PERIODIC)
            n += n % 2;
        c->d.extent[axis] = n;
        c->points *= n;
    }
}

static void draw_case(rng *r, int number, fur_scalar *coefficients, cycles *c)
{
    memset(c, 0, sizeof *c);
    c->d.size = sizeof c->d;
    c->d.value_type = number % 2 ? FUR_F32 : FUR_F64;
    int axes = 1 + (on_gpu() ? number / 3 : number) % 3;
    fur_stencil_named(2 * axes + 1, &c->d);
    draw_extents(r, axes, c);
    /* Couplings differ by axis, so that some axes are not coarsened at first. */
    double k[3] = {1, number % 5 == 0 ? 0.2 : 1, number % 7 == 0 ? 0.1 : 1};
    double around = 0;
    for (int n = 0; n < c->d.points; n++) {
        fur_stencil_offset o = c->d.offsets[n];
        double here = o.x ? k[0] : o.y ? k[1] : o.z ? k[2] : 0;
        coefficients[n] = fur_real(-here);
        around += here;
    }
    for (int n = 0; n < c->d.points; n++)
        if (c->d.offsets[n].x == 0 && c->d.offsets[n].y == 0 && c->d.offsets[n].z == 0)
            coefficients[n] = fur_real(around + 0.0625);
    c->d.coefficients = coefficients;
    draw_options(r, c);
}

static fur_solver_options options_of(const fur_operator *m)
{
    return (fur_solver_options){.size = sizeof(fur_solver_options),
                                .method = "cg",
                                .preconditioner = m,
                                .max_iterations = 4,
                                .no_reduction = 1};
}

/* Solves by ranks, or by one context if `group` is NULL. */
static fur_status solve(fur_ranks *group, const int64_t *bounds, const fur_operator *a,
                        fur_multigrid *mg, cycles *c)
{
    fur_context *context = fur_operator_context(a);
    int rank = group ? fur_ranks_rank(group) : 0;
    int64_t own = fur_operator_rows(a);
    size_t size = fur_value_size(c->d.value_type);
    char *first = (char *)c->b + (group ? (size_t)bounds[rank] * size : 0);
    fur_solver_report report[2] = {FUR_DEFAULT(fur_solver_report), FUR_DEFAULT(fur_solver_report)};
    void *to[] = {c->x, c->z};
    fur_vector *b = NULL;
    fur_vector *x[2] = {NULL};
    fur_operator *m = NULL;
    fur_status status =
        fur_vector_wrap(context, c->d.value_type, own, first, FUR_OWNERSHIP_COPY, &b);
    for (int i = 0; i < 2 && status == FUR_OK; i++) {
        status = fur_vector_create(context, c->d.value_type, own, &x[i]);
        if (status == FUR_OK)
            status = fur_vector_fill(x[i], fur_real(0.5));
    }
    if (status == FUR_OK)
        status = fur_multigrid_solve(mg, b, x[0], 0, 3, &report[0]);
    if (status == FUR_OK && c->symmetric)
        status = fur_operator_from_multigrid(mg, &m);
    if (group) {
        fur_ranks_pass_on(group, context, status);
        status = fur_ranks_agree(group, status);
    }
    fur_solver_options options = options_of(m);
    if (status == FUR_OK && c->symmetric && group) {
        status = fur_ranks_solve_operator(group, a, &options, b, x[1], &report[1]);
    } else if (status == FUR_OK && c->symmetric) {
        fur_solver *solver;
        ck_ok(context, fur_solver_create(a, &options, &solver));
        ck_ok(context, fur_solver_solve(solver, b, x[1], &report[1]));
        fur_solver_destroy(solver);
    }
    for (int i = 0; i < 2 && status == FUR_OK; i++)
        status = group ? fur_ranks_gather(group, bounds, x[i], rank == 0 ? to[i] : NULL)
                       : fur_vector_download(x[i], to[i]);
    if (rank == 0)
        memcpy(c->report, report, sizeof report);
    fur_operator_destroy(m);
    for (int i = 0; i < 2; i++)
        fur_vector_destroy(x[i]);
    fur_vector_destroy(b);
    return status;
}

static void solve_once(fur_context *context, cycles *c)
{
    fur_stencil *s;
    fur_operator *a;
    fur_multigrid *mg;
    ck_ok(context, fur_stencil_create(context, &c->d, &s));
    ck_ok(context, fur_operator_from_stencil(s, &a));
    ck_ok(context, fur_multigrid_create(s, &c->options, &mg));
    ck_ok(context, solve(NULL, NULL, a, mg, c));
    fur_multigrid_destroy(mg);
    fur_operator_destroy(a);
    fur_stencil_destroy(s);
}

static fur_status solve_by_ranks(fur_ranks *group, void *user)
{
    cycles *c = user;
    fur_ranks_stencil *s = NULL;
    fur_multigrid *mg = NULL;
    fur_status status = fur_ranks_stencil_create(group, &c->d, c->planes, &s);
    if (status == FUR_OK)
        status = fur_ranks_multigrid_create(s, &c->options, &mg);
    if (status == FUR_OK)
        status = solve(group, fur_ranks_stencil_bounds(s), fur_ranks_stencil_operator(s), mg, c);
    fur_multigrid_destroy(mg);
    fur_ranks_stencil_destroy(s);
    return status;
}

static void compare(const cycles *got, const cycles *want, int ranks)
{
    size_t bytes = (size_t)want->points * fur_value_size(want->d.value_type);
    ck_assert_msg(memcmp(got->x, want->x, bytes) == 0, "cycles on %d ranks", ranks);
    ck_assert_msg(memcmp(got->z, want->z, bytes) == 0, "cg on %d ranks", ranks);
    for (int i = 0; i < 2; i++) {
        const fur_solver_report *a = &got->report[i];
        const fur_solver_report *b = &want->report[i];
        ck_assert_int_eq(a->outcome, b->outcome);
        ck_assert_int_eq(a->iterations, b->iterations);
        ck_assert(memcmp(&a->residual, &b->residual, sizeof a->residual) == 0);
    }
}

START_TEST(cycles_on_ranks)
{
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_cpu(NULL, 1);
    fur_scalar coefficients[7];
    cycles want;
    draw_case(&r, _i, coefficients, &want);
    const int64_t *n = want.d.extent;
    int64_t last = n[2] > 1 ? n[2] : n[1] > 1 ? n[1] : n[0];
    want.b = entries_random(&r, want.d.value_type, want.points);
    want.x = entries_make(want.d.value_type, want.points);
    want.z = entries_make(want.d.value_type, want.points);
    solve_once(context, &want);
    for (int ranks = 1; ranks <= (on_gpu() ? 3 : RANKS_MAX); ranks++) {
        int64_t planes[RANKS_MAX + 1];
        fur_ranks_options options = {.size = sizeof options, .threads = 1 + ranks % 2};
        cycles got = want;
        if (on_gpu() && !options_on_gpus(_i, ranks, &options))
            continue;
        bounds_random(&r, (ranks + _i) % BOUND_KINDS, ranks, last, planes);
        got.planes = planes;
        got.x = entries_make(want.d.value_type, want.points);
        got.z = entries_make(want.d.value_type, want.points);
        fur_status status = fur_ranks_run(ranks, &options, solve_by_ranks, &got);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        compare(&got, &want, ranks);
        free(got.x);
        free(got.z);
    }
    free(want.x);
    free(want.z);
    free((void *)want.b);
    fur_context_destroy(context);
}
END_TEST

/* All ranks refuse a problem that multigrid cannot solve. */
static fur_status refuse(fur_ranks *group, void *user)
{
    int number = *(const int *)user;
    fur_ranks_stencil *s = NULL;
    fur_multigrid *mg = NULL;
    fur_multigrid_options options = {.size = sizeof options, .gather_points = number == 1 ? -1 : 0};
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {3, 4, 4}};
    fur_stencil_named(number == 0 ? 27 : 7, &d);
    fur_status status = fur_ranks_stencil_create(group, &d, NULL, &s);
    if (status == FUR_OK)
        status = fur_ranks_multigrid_create(s, &options, &mg);
    fur_multigrid_destroy(mg);
    fur_ranks_stencil_destroy(s);
    return status;
}

START_TEST(refusals)
{
    static const fur_status expected[] = {FUR_UNSUPPORTED, FUR_INVALID};
    ck_assert_int_eq(fur_ranks_run(3, NULL, refuse, &_i), expected[_i]);
    ck_assert_int_gt((int)strlen(fur_context_error(NULL)), 20);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_turns(tests, cycles_on_ranks, !on_gpu() ? 90 : test_small() ? 12 : 36, 3);
    if (!on_gpu())
        tcase_add_loop_test(tests, refusals, 0, 2);
}

int main(void)
{
    return run_tests("ranks_multigrid", add);
}
