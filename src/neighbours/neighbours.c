/* Nearest neighbours: the options, the choice of the method, and the device that runs it. */
#include <furrow/author/clock.h>
#include <furrow/author/options.h>
#include <furrow/graph.h>

#include "csr.h"
#include "vectors.h"

/* A search that has been checked. */
typedef struct task {
    const fur_vectors *points;
    fur_neighbours_call call;
    fur_neighbours_report report;
} task;

static fur_status check_points(const fur_vectors *points)
{
    const fur_vectors_view *v = &points->view;
    fur_env *env = &points->context->env;
    if (v->value_type != FUR_F32 && v->value_type != FUR_F64)
        return fur_env_fail(env, FUR_INVALID,
                            "the points have coordinates of type %s; they must be f32 or f64",
                            fur_value_name(v->value_type));
    if (v->cols == 0)
        return fur_env_fail(env, FUR_INVALID, "the points have no coordinates");
    if (v->rows > INT32_MAX || v->cols > INT32_MAX)
        return fur_env_fail(
            env, FUR_OVERFLOW,
            "%lld points in %lld dimensions are too many; both numbers must be at most 2^31-1",
            (long long)v->rows, (long long)v->cols);
    return FUR_OK;
}

static fur_status check_k(const fur_vectors *points, int64_t k, bool with_self)
{
    int64_t most = points->view.rows - (with_self ? 0 : 1);
    if (k >= 1 && k <= most)
        return FUR_OK; /* n k < 2^62 */
    if (most < 1)
        return fur_env_fail(&points->context->env, FUR_INVALID,
                            "%lld points have no neighbours; give at least two points",
                            (long long)points->view.rows);
    return fur_env_fail(
        &points->context->env, FUR_INVALID,
        "%lld neighbours for each of %lld points were requested; ask for 1 to %lld%s", (long long)k,
        (long long)points->view.rows, (long long)most,
        with_self ? "" : ", as a point is not its own neighbour");
}

static fur_status check_finite(const fur_vectors *points, const fur_neighbours_kernels *kernels)
{
    int64_t row;
    FUR_TRY(kernels->find_bad(&points->context->env, &points->view, &row));
    if (row < 0)
        return FUR_OK;
    return fur_env_fail(&points->context->env, FUR_INVALID,
                        "point %lld, counting from 1, has a coordinate that is not finite",
                        (long long)row + 1);
}

static bool is_auto(const char *method)
{
    return !method || strcmp(method, "auto") == 0;
}

static bool has_grid(const fur_vectors *points)
{
    return points->view.cols <= FUR_NEIGHBOURS_GRID_DIMENSIONS;
}

static fur_status check_method(const fur_vectors *points, const char *method)
{
    fur_env *env = &points->context->env;
    bool grid = !is_auto(method) && strcmp(method, "grid") == 0;
    if (!is_auto(method) && !grid && strcmp(method, "brute") != 0)
        return fur_env_fail(env, FUR_INVALID,
                            "there is no method \"%s\" for neighbours; use auto, brute or grid",
                            method);
    if (grid && !has_grid(points))
        return fur_env_fail(env, FUR_UNSUPPORTED,
                            "method \"grid\" supports at most %d dimensions, but the points have "
                            "%lld; use method \"brute\"",
                            FUR_NEIGHBOURS_GRID_DIMENSIONS, (long long)points->view.cols);
    return FUR_OK;
}

/* Sets the method in the call and in the report. Its name has been checked. */
static void choose(const char *method, int64_t grid_from, task *t)
{
    bool few = has_grid(t->points);
    bool grid =
        is_auto(method) ? few && t->points->view.rows >= grid_from : strcmp(method, "grid") == 0;
    t->call.grid = grid;
    t->report.method = grid ? "grid" : "brute";
    t->report.reason = !is_auto(method) ? "asked for by name"
                       : grid           ? "in few dimensions a grid skips most points"
                       : few            ? "few points: comparing all is faster than building a grid"
                                        : "in many dimensions a grid skips too few points";
}

/* Searches in the memory of the points. Returns FUR_UNSUPPORTED if the device leaves it to the
 * companion. */
static fur_status search_here(task *t, const char *method, fur_csr **out)
{
    fur_context *context = t->points->context;
    const fur_neighbours_kernels *kernels = context->backend->neighbours;
    int64_t n = t->points->view.rows;
    fur_csr *g;
    if (!kernels)
        return FUR_UNSUPPORTED;
    choose(method, kernels->grid_from, t);
    FUR_TRY(check_finite(t->points, kernels));
    FUR_TRY(fur_csr_allocate(context, n, n, n * t->call.k, t->points->view.value_type,
                             fur_offset_for(n * t->call.k), &g));
    fur_status status = kernels->find(&context->env, &t->call, &g->view);
    if (status == FUR_OK)
        *out = g;
    else
        fur_csr_destroy(g);
    return status;
}

/* Searches in the companion, on a copy. The result is moved back. */
static fur_status search_near(task *t, const char *method, fur_csr **out)
{
    fur_context *context = t->points->context;
    fur_context *host = context->host;
    const fur_vectors_view *v = &t->points->view;
    fur_status status = FUR_OK;
    fur_vectors *near = NULL;
    fur_csr *found = NULL;
    FUR_TRY_DONE(fur_context_pass_on(
        host, context,
        fur_vectors_allocate(host, v->value_type, v->rows, v->cols, v->layout, &near)));
    FUR_TRY_DONE(fur_vectors_copy(t->points, near));
    task there = *t;
    there.points = near;
    there.call.points = &near->view;
    there.call.seconds_plan = &there.report.seconds_plan;
    FUR_TRY_DONE(fur_context_pass_on(host, context, search_here(&there, method, &found)));
    t->report = there.report;
    status = fur_context_pass_on(host, context, fur_csr_transfer(found, context, out));
done:
    fur_csr_destroy(found);
    fur_vectors_destroy(near);
    return status;
}

fur_status fur_neighbours(const fur_vectors *points, int64_t k,
                          const fur_neighbours_options *options, fur_neighbours_report *report,
                          fur_csr **out)
{
    FUR_NEED(fur_vectors_context(points), points, out);
    double start = fur_seconds();
    fur_context *context = points->context;
    fur_neighbours_options o;
    FUR_TAKE_OPTIONS(context, fur_neighbours_options, &o, options);
    FUR_CHECK_REPORT(context, fur_neighbours_report, report);
    FUR_TRY(check_points(points));
    FUR_TRY(check_k(points, k, o.with_self));
    FUR_TRY(check_method(points, o.method));
    task t = {.points = points, .report = {.size = sizeof t.report}};
    t.call = (fur_neighbours_call){.points = &points->view,
                                   .k = k,
                                   .squared = o.squared,
                                   .with_self = o.with_self,
                                   .seconds_plan = &t.report.seconds_plan};
    fur_csr *found = NULL;
    fur_status status = search_here(&t, o.method, &found);
    if (status == FUR_UNSUPPORTED)
        status = search_near(&t, o.method, &found);
    if (status != FUR_OK)
        return status;
    t.report.bytes =
        points->view.rows * points->view.cols * (int64_t)fur_value_size(points->view.value_type) +
        fur_csr_bytes(&found->view);
    t.report.seconds = fur_seconds() - start;
    fur_report_fill(report, &t.report, sizeof t.report);
    *out = found;
    return FUR_OK;
}
