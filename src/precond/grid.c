/* Geometric multigrid for a matrix whose entries couple the neighbours on a grid, with any
 * coefficients. M is D^-1/2, one cycle, and D^-1/2 again. The cycle is for the stencil of constant
 * coefficients that is nearest to D^-1/2 A D^-1/2.
 *
 * If coefficients are smooth, this scaled operator is the Laplacian and a potential, for any range
 * of the coefficients (Concus and Golub 1973). A solve then takes few iterations. If coefficients
 * jump, it takes many. */
#include "precond.h"

#include <furrow/author/recognised.h>
#include <furrow/multigrid.h>
#include <furrow/stencil.h>

#include <math.h>

#include "value_type.h"

#define AXES 3

/* Numbers that a cycle moves for a point of each level: two sweeps down, two up, and a residual. */
#define MOVED 16

typedef struct grid {
    fur_multigrid *multigrid;
    fur_operator *cycle;
    fur_vector *scaling; /* D^-1/2 */
    fur_vector *scaled;
    fur_vector *solved;
} grid;

/* Figures of the scaled matrix, by axis. */
typedef struct survey {
    const fur_csr_view *a;
    const double *scaling;
    int64_t extent[AXES];
    int64_t stride[AXES];
    double coupling[AXES]; /* sums of the negative entries */
    int64_t couplings[AXES];
    double least[AXES]; /* the smallest and the largest of these entries */
    double most[AXES];
    double excess[AXES + 1]; /* sums of row sums at the ends of one axis alone, and of inner rows */
    int64_t rows[AXES + 1];
} survey;

static bool is_end(const survey *s, int64_t i, int axis)
{
    int64_t at = i / s->stride[axis] % s->extent[axis];
    return s->extent[axis] > 1 && (at == 0 || at == s->extent[axis] - 1);
}

/* Returns the only axis at whose end row i is; AXES if there is no such axis, -1 if there are
 * several. */
static int end_of(const survey *s, int64_t i)
{
    int found = AXES;
    for (int axis = 0; axis < AXES; axis++)
        if (is_end(s, i, axis))
            found = found == AXES ? axis : -1;
    return found;
}

static int axis_of(const survey *s, int64_t i, int64_t j)
{
    int64_t distance = i > j ? i - j : j - i;
    for (int axis = 0; axis < AXES; axis++)
        if (s->extent[axis] > 1 && s->stride[axis] == distance)
            return axis;
    return -1;
}

static void add_coupling(survey *s, int axis, double k)
{
    s->least[axis] = s->couplings[axis] > 0 ? fmin(s->least[axis], k) : k;
    s->most[axis] = fmax(s->most[axis], k);
    s->coupling[axis] += k;
    s->couplings[axis]++;
}

/* Measures a row, in the order of its entries. */
static void look_at_row(survey *s, int64_t i)
{
    const fur_csr_view *a = s->a;
    const int parts = fur_value_parts(a->value_type);
    double sum = 0;
    for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++) {
        int64_t j = a->columns[k];
        double entry = fur_value_part(a->value_type, a->values, k * parts);
        int axis = axis_of(s, i, j);
        sum += entry;
        if (axis >= 0)
            add_coupling(s, axis, -entry * s->scaling[i] * s->scaling[j]);
    }
    int end = end_of(s, i);
    if (end < 0)
        return;
    s->excess[end] += sum * s->scaling[i] * s->scaling[i];
    s->rows[end]++;
}

static double mean(double sum, int64_t count)
{
    return count > 0 ? sum / (double)count : 0;
}

/* Makes the stencil: couplings k by axis, and 2 (k_x + k_y + k_z) + s at the centre. An axis has
 * Dirichlet boundaries if the sums of rows at its ends exceed the sums of inner rows by a quarter
 * of its coupling. */
static fur_status make_stencil(fur_context *context, const survey *s, fur_stencil **out)
{
    static const fur_stencil_offset offsets[] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0},
                                                 {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    fur_stencil_definition d = {
        .size = sizeof d, .value_type = s->a->value_type, .axes = AXES, .points = 1};
    fur_scalar coefficients[2 * AXES + 1];
    fur_stencil_offset used[2 * AXES + 1] = {{0, 0, 0}};
    double inner = mean(s->excess[AXES], s->rows[AXES]);
    double centre = fmax(inner, 0);
    for (int axis = 0; axis < AXES; axis++) {
        double k = mean(s->coupling[axis], s->couplings[axis]);
        double excess = mean(s->excess[axis], s->rows[axis]) - inner;
        d.extent[axis] = s->extent[axis];
        d.boundary[axis] = s->extent[axis] == 1 || excess < 0.25 * k ? FUR_BOUNDARY_NEUMANN
                                                                     : FUR_BOUNDARY_DIRICHLET;
        if (s->extent[axis] == 1)
            continue;
        centre += 2 * k;
        for (int side = 1; side <= 2; side++) {
            used[d.points] = offsets[2 * axis + side];
            coefficients[d.points++] = fur_real(-k);
        }
    }
    coefficients[0] = fur_real(centre);
    d.offsets = used;
    d.coefficients = coefficients;
    return fur_stencil_create(context, &d, out);
}

/* Finds the grid of the matrix. Its points must have neighbours along the axes only. */
static fur_status find_grid(const fur_csr *a, survey *s)
{
    fur_recognise_report found = FUR_DEFAULT(fur_recognise_report);
    fur_recognised *stencil = NULL;
    FUR_TRY(fur_stencil_recognise(a, NULL, &found, &stencil));
    fur_recognised_destroy(stencil);
    if (!found.recognised || found.points != 2 * found.axes + 1)
        return fur_context_fail(
            a->context, FUR_UNSUPPORTED,
            "\"grid\" needs the matrix of a stencil with the nearest neighbours along the axes; %s",
            found.reason);
    for (int axis = 0; axis < AXES; axis++) {
        s->extent[axis] = found.extent[axis];
        s->stride[axis] = axis > 0 ? s->stride[axis - 1] * s->extent[axis - 1] : 1;
    }
    return FUR_OK;
}

/* Computes 1 / sqrt(a_ii) from the host's copy. */
static fur_status take_roots(const fur_precond *p, const fur_csr_view *a, double *roots)
{
    const int parts = fur_value_parts(a->value_type);
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t k = fur_csr_find(a, i, i);
        bool there = k < fur_offset_at(a, i + 1) && a->columns[k] == i;
        double d = there ? fur_value_part(a->value_type, a->values, k * parts) : 0;
        if (!(d > 0 && isfinite(d)))
            return fur_context_fail(
                p->context, FUR_INVALID,
                "the diagonal entry of row %lld, counting from 1, is not positive",
                (long long)i + 1);
        roots[i] = 1 / sqrt(d);
    }
    return FUR_OK;
}

/* Copies the roots into a vector of the context. */
static fur_status upload(const fur_precond *p, const double *roots, fur_vector *to)
{
    fur_env *env = &p->context->env;
    int64_t n = p->a->view.rows;
    void *rounded;
    FUR_TRY(fur_env_allocate(env, n, fur_value_size(to->value_type), &rounded));
    fur_convert_values(env, n, FUR_F64, roots, to->value_type, rounded);
    fur_status status = fur_vector_upload(rounded, to);
    fur_env_release(env, rounded);
    return status;
}

/* Returns the largest coupling of an axis over the smallest; of all axes the largest ratio. */
static double spread_of(const survey *s)
{
    double spread = 1;
    for (int axis = 0; axis < AXES; axis++)
        if (s->couplings[axis] > 0)
            spread = fmax(spread, s->least[axis] > 0 ? s->most[axis] / s->least[axis] : INFINITY);
    return spread;
}

/* Makes the levels for the measured figures. */
static fur_status make_levels(fur_precond *p, const survey *s)
{
    grid *own = p->state;
    fur_stencil *stencil = NULL;
    p->report.spread = spread_of(s);
    FUR_TRY(make_stencil(p->context, s, &stencil));
    fur_status status = fur_multigrid_create(stencil, NULL, &own->multigrid);
    fur_stencil_destroy(stencil);
    FUR_TRY(status);
    const fur_multigrid_report *levels = fur_multigrid_describe(own->multigrid);
    p->report.levels = levels->levels;
    p->report.bytes = (double)(MOVED * levels->points + 6 * s->a->rows) *
                      (double)fur_value_size(s->a->value_type);
    return fur_operator_from_multigrid(own->multigrid, &own->cycle);
}

static void drop_levels(grid *own)
{
    fur_operator_destroy(own->cycle);
    fur_multigrid_destroy(own->multigrid);
    own->cycle = NULL;
    own->multigrid = NULL;
}

/* Measures the host's copy, and makes the levels. */
static fur_status take(fur_precond *p, const fur_csr_view *a, survey *s)
{
    fur_env *env = &p->context->env;
    grid *own = p->state;
    double *roots;
    fur_status status = FUR_OK;
    FUR_TRY(fur_env_allocate(env, a->rows, sizeof *roots, &roots));
    FUR_TRY_DONE(take_roots(p, a, roots));
    s->a = a;
    s->scaling = roots;
    for (int64_t i = 0; i < a->rows; i++)
        look_at_row(s, i);
    FUR_TRY_DONE(upload(p, roots, own->scaling));
    FUR_TRY_DONE(make_levels(p, s));
done:
    fur_env_release(env, roots);
    return status;
}

static fur_status update(fur_precond *p)
{
    survey s = {.a = NULL};
    const fur_csr *near;
    fur_csr *copy = NULL;
    drop_levels(p->state);
    FUR_TRY(find_grid(p->a, &s));
    FUR_TRY(fur_csr_to_host(p->a, &near, &copy));
    fur_status status = take(p, &near->view, &s);
    fur_csr_destroy(copy);
    return status;
}

static fur_status create(fur_precond *p, const void *options)
{
    const fur_csr_view *a = &p->a->view;
    grid *own;
    (void)options;
    if (fur_value_is_complex(a->value_type))
        return fur_context_fail(p->context, FUR_UNSUPPORTED,
                                "\"grid\" needs a real matrix; this one has type %s",
                                fur_value_name(a->value_type));
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    FUR_TRY(fur_vector_create(p->context, a->value_type, a->rows, &own->scaling));
    FUR_TRY(fur_vector_create(p->context, a->value_type, a->rows, &own->scaled));
    FUR_TRY(fur_vector_create(p->context, a->value_type, a->rows, &own->solved));
    return update(p);
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const grid *own = p->state;
    FUR_TRY(fur_multiply_elementwise(own->scaling, r, own->scaled));
    FUR_TRY(fur_operator_apply(own->cycle, own->scaled, own->solved));
    return fur_multiply_elementwise(own->scaling, own->solved, z);
}

static void release(fur_precond *p)
{
    grid *own = p->state;
    if (!own)
        return;
    drop_levels(own);
    fur_vector_destroy(own->solved);
    fur_vector_destroy(own->scaled);
    fur_vector_destroy(own->scaling);
    fur_env_release(&p->context->env, own);
}

const fur_precond_kind fur_precond_grid = {
    .info = {"grid",
             "geometric multigrid for the closest constant coefficients; for matrices on a grid "
             "with smooth coefficients",
             "Concus and Golub 1973"},
    .place = FUR_PRECOND_ANYWHERE,
    .symmetric = true,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
