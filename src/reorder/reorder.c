/* Orders of rows and columns: the code that all methods share. */
#include "components.h"
#include "reorder.h"
#include "names.h"
#include "csr.h"

#include <furrow/author/clock.h>
#include <furrow/author/options.h>

#include "atomic.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUR_REORDER(method) extern const fur_reorder_entry method;
#include "methods.def"
#undef FUR_REORDER

#define FUR_REORDER(method) &method,
static const fur_reorder_entry *const methods[] = {
#include "methods.def"
};
#undef FUR_REORDER

#define ROW_GRAIN 4096

#define METHOD_COUNT ((int)(sizeof methods / sizeof *methods))

/* A call in progress. */
typedef struct ordering {
    fur_env *env;
    const fur_backend *host;
    const fur_reorder_entry *method;
    fur_reorder_options options;
    fur_pattern pattern;
    fur_walk walk;
    fur_components components; /* its order becomes the matrix's order */
    bool *kept;                /* for each span: whether it keeps the input's order */
    int32_t *scratch;
    /* For renumbered components: the rows of the current component, and the order in its own
     * numbers. */
    fur_renumbered renumbered;
    int32_t *index;
    int32_t *places;
    fur_reorder_report report;
} ordering;

const fur_method_info *fur_reorder_method_at(int index)
{
    return index >= 0 && index < METHOD_COUNT ? &methods[index]->info : NULL;
}

static fur_status refuse_method(fur_env *env, const char *name)
{
    char names[256] = "";
    for (int i = 0; i < METHOD_COUNT; i++)
        fur_names_add(names, sizeof names, methods[i]->info.name);
    return fur_env_fail(env, FUR_UNSUPPORTED, "there is no reordering \"%s\"; there are: %s", name,
                        names);
}

static fur_status find_method(fur_env *env, const char *name, const fur_reorder_entry **out)
{
    for (int i = 0; i < METHOD_COUNT; i++) {
        if (!name || strcmp(methods[i]->info.name, name) == 0) {
            *out = methods[i];
            return FUR_OK;
        }
    }
    return refuse_method(env, name);
}

static fur_status check_square(fur_env *env, const fur_csr_view *a)
{
    if (a->rows == a->cols)
        return FUR_OK;
    return fur_env_fail(env, FUR_INVALID,
                        "only a square matrix can be reordered; this one is %lld x %lld",
                        (long long)a->rows, (long long)a->cols);
}

static fur_status run_method(ordering *o, int64_t s, const fur_component *component, int32_t *order)
{
    fur_component_order result = {order, true, 0};
    FUR_TRY(o->method->run(component, &result));
    o->kept[s] = !result.better && !o->options.allow_worse;
    o->report.components_kept += o->kept[s];
    if (!o->kept[s] && result.bandwidth > o->report.bandwidth_after)
        o->report.bandwidth_after = result.bandwidth;
    return FUR_OK;
}

/* Replaces the order by which one component was found by the method's order. */
static fur_status order_span(ordering *o, int64_t s)
{
    const fur_span *span = &o->components.spans[s];
    fur_component component = {
        .env = o->env,
        .graph = o->pattern.graph,
        .vertices = span->end - span->begin,
        .first = span->pass,
        .edges = o->pattern.edges,
        .input_bandwidth = o->pattern.bandwidth,
        .walk = &o->walk,
        .scratch = o->scratch,
    };
    int32_t *order = o->components.order + span->begin;
    if (!o->method->renumbered)
        return run_method(o, s, &component, order);

    component.graph = fur_renumbered_graph(&o->renumbered, span);
    component.index = o->index;
    o->walk.graph = &component.graph;
    uint64_t *seen = o->walk.lanes->seen;
    memset(seen, 0, (size_t)(component.vertices / 64 + 1) * sizeof *seen);
    memcpy(o->index, order, (size_t)component.vertices * sizeof *order);
    for (int32_t i = 0; i < component.vertices; i++)
        o->places[i] = i;
    FUR_TRY(run_method(o, s, &component, o->places));
    for (int32_t i = 0; i < component.vertices; i++)
        order[i] = o->index[o->places[i]];
    return FUR_OK;
}

/* Puts the vertices of the kept components in the input's order, each component at its own places.
 * If the order will be reversed, vertices are visited from the last one. place: workspace, which
 * first has for each vertex the span of its component, or -1 if it is not kept; later the vertex's
 * place. */
static void keep_order(ordering *o, int32_t *place)
{
    int64_t n = o->pattern.graph.vertices;
    const fur_components *c = &o->components;
    memset(place, -1, (size_t)n * sizeof *place);
    for (int64_t s = 0; s < c->count; s++)
        for (int32_t p = c->spans[s].begin; o->kept[s] && p < c->spans[s].end; p++)
            place[c->order[p]] = (int32_t)s;
    for (int64_t i = 0; i < n; i++) {
        int64_t v = o->method->reversed ? n - 1 - i : i;
        if (place[v] >= 0) {
            place[v] = c->spans[place[v]].begin++;
            c->order[place[v]] = (int32_t)v;
        }
    }
}

typedef struct measuring {
    const fur_graph *graph;
    const int32_t *place;
    fur_shared bandwidth;
} measuring;

static void measure_rows(void *job, int64_t begin, int64_t end)
{
    measuring *m = job;
    const fur_graph *g = m->graph;
    const int32_t *place = m->place;
    int64_t bandwidth = 0;
    for (int64_t v = begin; v < end; v++) {
        if (place[v] < 0)
            continue;
        int64_t distance = abs(place[v] - place[g->neighbours[fur_graph_begin(g, v)]]);
        bandwidth = distance > bandwidth ? distance : bandwidth;
    }
    fur_shared_largest(&m->bandwidth, bandwidth);
}

/* The bandwidth of the components whose vertices have a place. The places are in the order of the
 * vertices' indices, or all in the opposite order. */
static int64_t kept_bandwidth(const fur_env *env, const fur_graph *g, const int32_t *place)
{
    measuring m = {g, place, 0};
    fur_parallel(env, g->vertices / ROW_GRAIN, g->vertices, measure_rows, &m);
    return m.bandwidth;
}

static fur_status keep(ordering *o)
{
    int32_t *place;
    if (o->report.components_kept == 0)
        return FUR_OK;
    FUR_TRY(fur_env_allocate(o->env, o->pattern.graph.vertices, sizeof *place, &place));
    keep_order(o, place);
    int64_t bandwidth = kept_bandwidth(o->env, &o->pattern.graph, place);
    if (bandwidth > o->report.bandwidth_after)
        o->report.bandwidth_after = bandwidth;
    fur_env_release(o->env, place);
    return FUR_OK;
}

static void reverse(int32_t *order, int64_t n)
{
    for (int64_t i = 0; i < n / 2; i++) {
        int32_t v = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = v;
    }
}

static fur_status order_components(ordering *o)
{
    const fur_components *c = &o->components;
    o->report = (fur_reorder_report){.components = c->isolated + c->count,
                                     .bandwidth_before = o->pattern.bandwidth};
    for (int64_t s = 0; s < c->count; s++)
        FUR_TRY(order_span(o, s));
    FUR_TRY(keep(o));
    if (o->method->reversed)
        reverse(c->order, o->pattern.graph.vertices);
    return FUR_OK;
}

static fur_status allocate(ordering *o)
{
    fur_env *env = o->env;
    int64_t largest = o->components.largest;
    FUR_TRY(fur_env_allocate(env, o->components.count, sizeof *o->kept, &o->kept));
    FUR_TRY(
        fur_env_allocate(env, o->method->scratch * (largest + 1), sizeof *o->scratch, &o->scratch));
    if (!o->method->renumbered)
        return FUR_OK;
    FUR_TRY(fur_renumbered_create(env, &o->pattern, &o->components, &o->renumbered));
    FUR_TRY(fur_env_allocate(env, largest, sizeof *o->index, &o->index));
    return fur_env_allocate(env, largest, sizeof *o->places, &o->places);
}

static fur_status run(ordering *o, const fur_csr_view *a)
{
    fur_env *env = o->env;
    FUR_TRY(fur_pattern_create(env, o->host, a, &o->pattern));
    FUR_TRY(fur_walk_open(env, &o->pattern, &o->walk));
    FUR_TRY(fur_components_create(env, &o->pattern, &o->walk, &o->components));
    FUR_TRY(allocate(o));
    return order_components(o);
}

static void release(ordering *o)
{
    fur_env_release(o->env, o->places);
    fur_env_release(o->env, o->index);
    fur_renumbered_release(o->env, &o->renumbered);
    fur_env_release(o->env, o->scratch);
    fur_env_release(o->env, o->kept);
    fur_components_release(o->env, &o->components);
    fur_walk_close(o->env, &o->walk);
    fur_pattern_release(o->env, &o->pattern);
}

/* Orders a matrix on the host. The permutation is in `context`. */
static fur_status reorder(const fur_csr *a, ordering *o, fur_context *context,
                          fur_permutation **out)
{
    fur_status status = run(o, &a->view);
    status = fur_context_pass_on(a->context, context, status);
    if (status == FUR_OK)
        status = fur_permutation_create(context, a->view.rows, o->components.order, out);
    release(o);
    return status;
}

/* Orders on the host, with a copy of the matrix if needed. */
static fur_status reorder_on_host(const fur_csr *a, ordering *o, fur_permutation **out)
{
    const fur_csr *here;
    fur_csr *copy;
    FUR_TRY(fur_csr_to_host(a, &here, &copy));
    fur_status status = reorder(here, o, a->context, out);
    fur_csr_destroy(copy);
    return status;
}

static fur_status reorder_remote(const fur_csr *a, fur_order_service *service, ordering *o,
                                 fur_permutation **out)
{
    fur_context *context = a->context;
    bool found = false;
    fur_permutation *p;
    FUR_TRY(fur_permutation_allocate(context, a->view.rows, &p));
    fur_status status =
        service(&context->env, &a->view, o->method->reversed, o->options.allow_worse != 0, p->order,
                p->position, &o->report, &found);
    if (status == FUR_OK && found) {
        *out = p;
        return FUR_OK;
    }
    fur_permutation_destroy(p);
    return status == FUR_OK ? reorder_on_host(a, o, out) : status;
}

fur_status fur_reorder(const fur_csr *a, const char *method, const fur_reorder_options *options,
                       fur_reorder_report *report, fur_permutation **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    double start = fur_seconds();
    fur_context *context = a->context;
    ordering o = {.env = &context->host->env, .host = context->host->backend};
    FUR_TAKE_OPTIONS(context, fur_reorder_options, &o.options, options);
    FUR_CHECK_REPORT(context, fur_reorder_report, report);
    FUR_TRY(check_square(&context->env, &a->view));
    FUR_TRY(find_method(&context->env, method, &o.method));
    fur_order_service *service =
        o.method->service ? o.method->service(&fur_services(context)->order) : NULL;
    fur_status status = service ? reorder_remote(a, service, &o, out) : reorder_on_host(a, &o, out);
    o.report.seconds = fur_seconds() - start;
    if (status == FUR_OK)
        fur_report_fill(report, &o.report, sizeof o.report);
    return status;
}
