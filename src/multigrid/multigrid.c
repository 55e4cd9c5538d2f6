/* Multigrid: the stencils that it accepts, and its levels.
 *
 * The finest level is the stencil itself. Its diagonal is exactly the centre's coefficient, not the
 * rounded sum of its neighbours' coefficients and s. If rounding has made s negative, coarser
 * levels have s = 0. A correction need not be exact, and the coarser operators are then positive
 * definite. */
#include "multigrid.h"

#include <furrow/author/options.h>

#include "slabs.h"

#include <float.h>
#include <math.h>

/* An axis is coarsened with the others if its coupling is at least this fraction of the strongest.
 * Relaxation smooths only along strong couplings. */
#define WEAK 0.5
/* The most double sweeps on the coarsest level. More would not help. */
#define BOTTOM_SWEEPS 1000
/* A point and its neighbours along each axis. */
#define AXIS_POINTS 7

/* The coefficients of a stencil: 2 (k_x + k_y + k_z) + s at the centre, -k around it. */
typedef struct model {
    double k[3];
    double centre;
    double s;
    double rounding; /* s may differ from 0 by this much because of rounding */
} model;

static fur_status refuse(const fur_stencil *a, const char *reason)
{
    return fur_context_fail(a->context, FUR_UNSUPPORTED,
                            "multigrid does not support this stencil: %s", reason);
}

static double coefficient(const fur_stencil_view *s, int k)
{
    return s->value_type == FUR_F32 ? (double)((const float *)s->coefficients)[k]
                                    : ((const double *)s->coefficients)[k];
}

/* Sorts the points: found[axis][1 + offset] for neighbours. The centre is found[axis][1] of every
 * axis. */
static bool sort_points(const fur_stencil_view *s, double found[3][3])
{
    for (int n = 0; n < s->points; n++) {
        fur_stencil_offset o = s->offsets[n];
        const int32_t along[3] = {o.x, o.y, o.z};
        bool centre = o.x == 0 && o.y == 0 && o.z == 0;
        if (o.x * o.x + o.y * o.y + o.z * o.z > 1)
            return false;
        for (int axis = 0; axis < 3; axis++)
            if (centre || along[axis] != 0)
                found[axis][1 + along[axis]] = coefficient(s, n);
    }
    return true;
}

/* Finds the coefficients. The centre is compared with the sum of the others up to rounding. */
static fur_status find_model(const fur_stencil *a, model *out)
{
    const fur_stencil_view *s = &a->view;
    double found[3][3] = {{0}};
    double around = 0;
    if (!sort_points(s, found))
        return refuse(a, "it has offsets that are not the nearest neighbours along an axis");
    for (int axis = 0; axis < 3; axis++) {
        out->k[axis] = -found[axis][0];
        around += 2 * out->k[axis];
        if (found[axis][0] != found[axis][2])
            return refuse(a, "the coefficients at -1 and +1 along an axis differ");
        if (!(out->k[axis] > 0) && s->extent[axis] > 1)
            return refuse(a, "each axis needs both neighbours, with negative coefficients");
    }
    out->centre = found[0][1];
    out->s = out->centre - around;
    out->rounding = 8 * (s->value_type == FUR_F32 ? (double)FLT_EPSILON : DBL_EPSILON) * around;
    if (!(out->centre > 0) || !(out->s >= -out->rounding) || isinf(out->centre))
        return refuse(
            a, "the coefficient of the centre must be at least the sum of the neighbours' moduli");
    return FUR_OK;
}

/* The least eigenvalue of the springs, without s. Springs hold x along an axis with a Dirichlet
 * boundary. */
static double least_eigenvalue(const fur_stencil_view *s, const model *m)
{
    const double pi = 3.14159265358979323846;
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double sine = sin(pi / 2 / ((double)s->extent[axis] + 1));
        if (s->boundary[axis] == FUR_BOUNDARY_DIRICHLET)
            sum += 4 * m->k[axis] * sine * sine;
    }
    return sum;
}

static fur_status check_boundaries(const fur_stencil *a, const model *m)
{
    const fur_stencil_view *s = &a->view;
    double least = least_eigenvalue(s, m);
    for (int axis = 0; axis < 3; axis++)
        if (s->boundary[axis] == FUR_BOUNDARY_PERIODIC && s->extent[axis] % 2 == 1 &&
            s->extent[axis] > 1)
            return fur_context_fail(a->context, FUR_UNSUPPORTED,
                                    "axis %d is periodic and has %lld points; red-black relaxation "
                                    "needs an even number of points on a periodic axis",
                                    axis, (long long)s->extent[axis]);
    if (least == 0 && m->s <= m->rounding)
        return fur_context_fail(a->context, FUR_UNSUPPORTED,
                                "the stencil is singular: A maps constants to 0; use a Dirichlet "
                                "boundary on an axis, or increase the centre's coefficient");
    if (!(m->s > -least))
        return fur_context_fail(a->context, FUR_UNSUPPORTED,
                                "the stencil is not positive definite: by rounding the centre is "
                                "%.1e below the sum of the neighbours, and the boundaries add only "
                                "%.1e; use f64, or increase the centre's coefficient",
                                -m->s, least);
    return FUR_OK;
}

static fur_status check_stencil(const fur_stencil *a, model *out)
{
    const fur_backend *backend = a->context->backend;
    if (!backend->multigrid)
        return fur_context_fail(a->context, FUR_UNSUPPORTED,
                                "device %s has no multigrid; use device \"cpu\"", backend->device);
    if (fur_slabs_are_needed(a->context) && !fur_slabs_can_pass(a->context))
        return fur_context_fail(
            a->context, FUR_UNSUPPORTED,
            "multigrid on shared vectors of a GPU needs queue_pass of the sharing");
    if (a->view.value_type != FUR_F32 && a->view.value_type != FUR_F64)
        return refuse(a, "its values are complex");
    if (a->view.fields)
        return refuse(a, "its coefficients differ from point to point");
    FUR_TRY(find_model(a, out));
    return check_boundaries(a, out);
}

/* The number of sweeps that an option means. */
static int sweeps_of(int option)
{
    return option == FUR_MULTIGRID_NO_SWEEPS ? 0 : option ? option : 2;
}

static fur_status check_options(fur_env *env, fur_multigrid_options *o)
{
    if ((unsigned)o->cycle > FUR_CYCLE_F)
        return fur_env_fail(env, FUR_INVALID, "%d is not a cycle; use FUR_CYCLE_V or FUR_CYCLE_F",
                            (int)o->cycle);
    if (o->pre_sweeps < FUR_MULTIGRID_NO_SWEEPS || o->post_sweeps < FUR_MULTIGRID_NO_SWEEPS ||
        o->levels < 0 || o->coarsest < 0)
        return fur_env_fail(
            env, FUR_INVALID,
            "pre_sweeps, post_sweeps, levels and coarsest must not be negative, except "
            "FUR_MULTIGRID_NO_SWEEPS for pre_sweeps and post_sweeps");
    if (o->gather_points < 0)
        return fur_env_fail(env, FUR_INVALID, "options.gather_points must not be negative");
    o->pre_sweeps = sweeps_of(o->pre_sweeps);
    o->post_sweeps = sweeps_of(o->post_sweeps);
    if (o->pre_sweeps == 0 && o->post_sweeps == 0)
        return fur_env_fail(
            env, FUR_INVALID,
            "a cycle needs at least one sweep; set options.pre_sweeps or options.post_sweeps");
    o->coarsest = o->coarsest ? o->coarsest : 1;
    if (o->levels == 0 || o->levels > FUR_MULTIGRID_LEVELS)
        o->levels = FUR_MULTIGRID_LEVELS;
    return FUR_OK;
}

/* The levels under construction, and the axes of the last level, on the host. */
typedef struct builder {
    fur_multigrid *mg;
    fur_axis axis[3];
    double coupling[3];
    double shift; /* added to the level's diagonal, as a part of axis 0 */
} builder;

fur_status fur_multigrid_upload(fur_context *context, const void *from, int64_t count, size_t size,
                                void *out)
{
    void *memory;
    FUR_TRY(fur_memory_allocate(context, count, size, &memory));
    fur_status status = fur_memory_copy(context, memory, from, count * (int64_t)size);
    if (status == FUR_OK)
        *(void **)out = memory;
    else
        fur_memory_release(context, memory);
    return status;
}

static fur_status upload_weights(fur_context *context, fur_value_type value, int64_t count,
                                 const double *weights, const void **out)
{
    void *rounded;
    FUR_TRY(fur_env_allocate(&context->env, count, fur_value_size(value), &rounded));
    fur_convert_values(&context->env, count, FUR_F64, weights, value, rounded);
    fur_status status = fur_multigrid_upload(context, rounded, count, fur_value_size(value), out);
    fur_env_release(&context->env, rounded);
    return status;
}

/* Makes an axis for kernels. coarse: the axis on the next level, or NULL. */
static fur_status set_axis(builder *b, int number, const fur_axis *coarse, fur_grid *grid)
{
    fur_context *context = b->mg->context;
    const fur_axis *axis = &b->axis[number];
    fur_grid_axis *out = &grid->axis[number];
    int64_t n = axis->points;
    double *weights = NULL;
    int64_t *places = NULL;
    fur_status status;
    *out = (fur_grid_axis){.points = n, .periodic = axis->periodic};
    FUR_TRY_DONE(
        fur_env_allocate_zeros(&context->env, n * FUR_GRID_WEIGHTS, sizeof *weights, &weights));
    FUR_TRY_DONE(
        fur_env_allocate_zeros(&context->env, n * FUR_GRID_PLACES, sizeof *places, &places));
    fur_axis_set_rows(axis, number == 0 ? b->shift : 0, weights);
    if (coarse) {
        out->coarse = coarse->points;
        fur_axis_set_transfer(axis, coarse, weights, places);
    }
    FUR_TRY_DONE(
        upload_weights(context, grid->value_type, n * FUR_GRID_WEIGHTS, weights, &out->weights));
    FUR_TRY_DONE(
        fur_multigrid_upload(context, places, n * FUR_GRID_PLACES, sizeof *places, &out->places));
done:
    fur_env_release(&context->env, places);
    fur_env_release(&context->env, weights);
    return status;
}

/* Returns whether the axis is coarsened with the others. */
static bool is_strong(const builder *b, int number)
{
    double strongest = 0;
    for (int n = 0; n < 3; n++)
        if (b->axis[n].points > 1 && b->coupling[n] > strongest)
            strongest = b->coupling[n];
    return b->axis[number].points > 1 && b->coupling[number] >= WEAK * strongest;
}

static void release_axes(fur_env *env, fur_axis axes[3])
{
    for (int number = 0; number < 3; number++)
        fur_axis_release(env, &axes[number]);
}

/* On failure the caller also releases the axes that `out` has received. */
static fur_status coarsen_axes(const builder *b, fur_axis out[3])
{
    fur_env *env = &b->mg->context->env;
    for (int number = 0; number < 3; number++)
        FUR_TRY(fur_axis_coarsen(env, &b->axis[number], is_strong(b, number), &out[number]));
    return FUR_OK;
}

/* Makes the grid of the last level, and the axes of the next level, if there is one. */
static fur_status set_grid(builder *b, bool last, fur_grid *grid)
{
    fur_axis coarse[3] = {{0}};
    fur_status status = last ? FUR_OK : coarsen_axes(b, coarse);
    for (int number = 0; number < 3 && status == FUR_OK; number++) {
        status = set_axis(b, number, last ? NULL : &coarse[number], grid);
        if (coarse[number].points < b->axis[number].points)
            b->coupling[number] *= 0.25;
    }
    release_axes(&b->mg->context->env, b->axis);
    memcpy(b->axis, coarse, sizeof coarse);
    return status;
}

/* The overrelaxation factor, from the number of axes that a level still has. It is within a few per
 * cent of the best smoothing factor of red-black sweeps (Yavneh 1996). A level with one axis, or
 * one point, is solved exactly without overrelaxation. */
static double omega_of(const fur_grid *grid)
{
    int axes = 0;
    for (int number = 0; number < 3; number++)
        axes += grid->axis[number].points > 1;
    return axes > 1 ? 1 + 0.125 * (axes - 1) : 1;
}

static fur_status allocate_vectors(fur_multigrid *mg, fur_grid_level *level)
{
    int64_t points = fur_grid_points(&level->grid);
    size_t size = fur_value_size(level->grid.value_type);
    void *b;
    FUR_TRY(fur_memory_allocate(mg->context, points, size, &b));
    level->b = b;
    return fur_memory_allocate(mg->context, points, size, &level->x);
}

/* The number of double sweeps on a coarsest grid whose longest axis has n points. A double
 * Gauss-Seidel sweep on that axis alone multiplies the error by cos(pi / (n + 1))^4. All sweeps
 * together reduce it by 10^8. A single point is exact at once. */
static int bottom_sweeps(const fur_grid *grid)
{
    int64_t n = 1;
    for (int number = 0; number < 3; number++)
        n = grid->axis[number].points > n ? grid->axis[number].points : n;
    return n == 1 ? 1 : n > 30 ? BOTTOM_SWEEPS : (int)((n + 1) * (n + 1));
}

static fur_multigrid_report report_of(const fur_multigrid *mg)
{
    fur_multigrid_report report = {.size = sizeof report, .levels = mg->levels};
    for (int l = 0; l < mg->levels; l++)
        report.points += fur_grid_points(&mg->level[l].grid);
    report.coarsest = fur_grid_points(&mg->level[mg->levels - 1].grid);
    return report;
}

static fur_status build_levels(builder *b, const model *m, const fur_multigrid_options *o,
                               fur_value_type value)
{
    fur_multigrid *mg = b->mg;
    for (bool last = false; !last;) {
        fur_grid_level *level = &mg->level[mg->levels++];
        int64_t points = b->axis[0].points * b->axis[1].points * b->axis[2].points;
        last = points <= o->coarsest || mg->levels == o->levels;
        level->grid.value_type = value;
        FUR_TRY(set_grid(b, last, &level->grid));
        b->shift = m->s > 0 ? m->s : 0;
        level->grid.omega = omega_of(&level->grid);
        if (mg->levels > 1 && !fur_slabs_are_needed(mg->context))
            FUR_TRY(allocate_vectors(mg, level));
    }
    mg->report = report_of(mg);
    mg->bottom = bottom_sweeps(&mg->level[mg->levels - 1].grid);
    return FUR_OK;
}

static double round_to(fur_value_type value, double a)
{
    return value == FUR_F32 ? (double)(float)a : a;
}

/* The shift of axis 0 that makes the diagonal of the finest level equal to the centre's
 * coefficient. The diagonal is a rounded sum of rounded terms. */
static double finest_shift(fur_value_type value, const double edge[3], double centre)
{
    double across = round_to(value, round_to(value, 2 * edge[1]) + round_to(value, 2 * edge[2]));
    return centre - across - 2 * edge[0];
}

/* Copies the stencil, with the kernel of its products, for the planes that exist here. */
static fur_status copy_stencil(const fur_stencil *a, const fur_multigrid *mg, fur_stencil **out)
{
    const fur_stencil_view *s = &a->view;
    fur_scalar coefficients[AXIS_POINTS];
    fur_stencil_definition d = {
        .size = sizeof d,
        .value_type = s->value_type,
        .axes = 3,
        .points = s->points,
        .offsets = s->offsets,
        .coefficients = coefficients,
        .kernel = a->product.kernel->info.name,
        .sweep_kernel = "single",
    };
    memcpy(d.extent, s->extent, sizeof d.extent);
    memcpy(d.boundary, s->boundary, sizeof d.boundary);
    if (!fur_slabs_cut(mg, &d))
        return FUR_OK;
    for (int n = 0; n < s->points; n++)
        coefficients[n] = fur_real(coefficient(s, n));
    return fur_stencil_create(a->context, &d, out);
}

/* Kernels cut grids along the last axis. If there are two axes, the second therefore becomes the
 * last. */
static fur_status build(fur_multigrid *mg, const fur_stencil_view *s, const model *m,
                        const fur_multigrid_options *o)
{
    fur_env *env = &mg->context->env;
    builder b = {.mg = mg};
    fur_status status = FUR_OK;
    /* This comes first, so that there is memory for all entries that are counted below. */
    if (!fur_slabs_are_needed(mg->context))
        status = fur_vector_create(mg->context, s->value_type, fur_stencil_rows(s), &mg->residual);
    for (int number = 0; number < 3 && status == FUR_OK; number++) {
        int from = number > 0 && s->extent[2] == 1 ? 3 - number : number;
        b.coupling[number] = m->k[from];
        status =
            fur_axis_create(env, s->boundary[from], s->extent[from], m->k[from], &b.axis[number]);
    }
    b.shift = finest_shift(s->value_type, b.coupling, m->centre);
    if (status == FUR_OK)
        status = build_levels(&b, m, o, s->value_type);
    release_axes(env, b.axis);
    if (status == FUR_OK && fur_slabs_are_needed(mg->context))
        status = fur_slabs_create(mg, o->gather_points);
    return status == FUR_OK ? fur_multigrid_list_steps(mg) : status;
}

/* The levels and their coarsening follow from the coefficients, which must not change. */
static fur_status update(void *object)
{
    const fur_multigrid *mg = object;
    const fur_stencil *a = mg->source;
    size_t bytes = (size_t)a->view.points * fur_value_size(a->view.value_type);
    FUR_TRY(fur_dependent_check(&mg->context->env, &a->dependent));
    if (!mg->stencil) /* a rank that has no planes */
        return FUR_OK;
    return memcmp(a->view.coefficients, mg->stencil->view.coefficients, bytes) == 0
               ? FUR_OK
               : fur_context_fail(mg->context, FUR_INVALID,
                                  "the coefficients of the multigrid's stencil have changed; "
                                  "create another multigrid");
}

/* Checks the source's coefficients, which must not change while the source exists. */
static void watch(fur_multigrid *mg, const fur_stencil *a)
{
    mg->source = a;
    mg->dependent = (fur_dependent){"the multigrid", mg, update, .reads = false};
    fur_dependent_join(&mg->dependent, &a->dependent.made);
}

fur_status fur_multigrid_create(const fur_stencil *a, const fur_multigrid_options *options,
                                fur_multigrid **out)
{
    FUR_NEED(a ? a->context : NULL, a, out);
    fur_env *env = &a->context->env;
    fur_multigrid_options o;
    model m = {.s = 0};
    fur_multigrid *mg;
    FUR_TAKE_OPTIONS(a->context, fur_multigrid_options, &o, options);
    FUR_TRY(fur_dependent_check(env, &a->dependent));
    FUR_TRY(check_options(env, &o));
    FUR_TRY(check_stencil(a, &m));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *mg, &mg));
    mg->context = a->context;
    mg->cycle = o.cycle;
    mg->pre_sweeps = o.pre_sweeps;
    mg->post_sweeps = o.post_sweeps;
    fur_status status = build(mg, &a->view, &m, &o);
    if (status == FUR_OK)
        status = copy_stencil(a, mg, &mg->stencil);
    if (status != FUR_OK) {
        fur_multigrid_destroy(mg);
        return status;
    }
    watch(mg, a);
    *out = mg;
    return FUR_OK;
}

static void release_level(fur_context *context, const fur_grid_level *level, bool owns_vectors)
{
    for (int number = 0; number < 3; number++) {
        fur_memory_release(context, (void *)(uintptr_t)level->grid.axis[number].weights);
        fur_memory_release(context, (void *)(uintptr_t)level->grid.axis[number].places);
    }
    if (owns_vectors) {
        fur_memory_release(context, (void *)(uintptr_t)level->b);
        fur_memory_release(context, level->x);
    }
}

void fur_multigrid_destroy(fur_multigrid *mg)
{
    if (!mg)
        return;
    fur_dependent_leave(&mg->dependent);
    for (int l = 0; l < mg->levels; l++)
        release_level(mg->context, &mg->level[l], l > 0 || mg->slabs);
    for (int first = 0; first < 2; first++)
        fur_env_release(&mg->context->env, mg->steps[first]);
    fur_vector_destroy(mg->residual);
    fur_slabs_destroy(mg);
    fur_stencil_destroy(mg->stencil);
    fur_env_release(&mg->context->env, mg);
}

const fur_multigrid_report *fur_multigrid_describe(const fur_multigrid *mg)
{
    static const fur_multigrid_report none = {.size = sizeof none};
    return mg ? &mg->report : &none;
}
