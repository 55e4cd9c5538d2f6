/* Stencil operators: the object, its checks, and the product. */
#include "stencil.h"

#include <furrow/author/options.h>

#include <stdlib.h>

/* With this limit, sums and products of extents in kernels cannot overflow. */
#define MAX_POINTS (INT64_C(1) << 59)

static fur_status check_grid(fur_env *env, const fur_stencil_definition *d)
{
    int64_t rows = 1;
    if (fur_value_size(d->value_type) == 0)
        return fur_env_fail(env, FUR_INVALID, "%d is not a value type", (int)d->value_type);
    if (d->axes < 1 || d->axes > 3)
        return fur_env_fail(env, FUR_INVALID, "a grid has 1, 2 or 3 axes, not %d", d->axes);
    for (int axis = 0; axis < d->axes; axis++) {
        if (d->extent[axis] < 1)
            return fur_env_fail(env, FUR_INVALID,
                                "axis %d has %lld points; a grid needs at least 1", axis,
                                (long long)d->extent[axis]);
        if ((unsigned)d->boundary[axis] >= FUR_BOUNDARY_COUNT)
            return fur_env_fail(
                env, FUR_INVALID,
                "%d is not a boundary; use FUR_BOUNDARY_DIRICHLET, FUR_BOUNDARY_NEUMANN or "
                "FUR_BOUNDARY_PERIODIC",
                (int)d->boundary[axis]);
        if (__builtin_mul_overflow(rows, d->extent[axis], &rows) || rows >= MAX_POINTS)
            return fur_env_fail(
                env, FUR_OVERFLOW,
                "the grid has 2^59 points or more, which is too large for a vector");
    }
    return FUR_OK;
}

static fur_status check_lists(fur_env *env, const fur_stencil_definition *d)
{
    if (d->points < 1 || !d->offsets)
        return fur_env_fail(env, FUR_INVALID, "a stencil needs at least one offset");
    if (!d->coefficients == !d->fields)
        return fur_env_fail(env, FUR_INVALID,
                            "a stencil needs either coefficients or fields; %s were given",
                            d->fields ? "both" : "none");
    return FUR_OK;
}

static fur_status check_field(fur_context *context, const fur_stencil_view *s, int k,
                              const fur_vector *field)
{
    if (!field)
        return fur_context_fail(context, FUR_INVALID, "field %d is NULL", k);
    if (field->context != context)
        return fur_context_fail(context, FUR_INVALID,
                                "field %d belongs to another context than the stencil", k);
    if (field->value_type != s->value_type || field->size != fur_stencil_rows(s))
        return fur_context_fail(
            context, FUR_INVALID,
            "field %d has %lld entries of type %s, but the grid needs %lld of type %s", k,
            (long long)field->size, fur_value_name(field->value_type),
            (long long)fur_stencil_rows(s), fur_value_name(s->value_type));
    return FUR_OK;
}

static bool is_within(int32_t distance, int axis, int axes)
{
    int most = axis < axes ? FUR_STENCIL_RADIUS : 0;
    return distance >= -most && distance <= most;
}

static fur_status check_offset(fur_env *env, const fur_stencil_definition *d, int k)
{
    fur_stencil_offset o = d->offsets[k];
    if (is_within(o.x, 0, d->axes) && is_within(o.y, 1, d->axes) && is_within(o.z, 2, d->axes))
        return FUR_OK;
    return fur_env_fail(env, FUR_INVALID,
                        "offset %d is (%d, %d, %d); it must be at most %d along each of %d axes", k,
                        o.x, o.y, o.z, FUR_STENCIL_RADIUS, d->axes);
}

/* The place of an offset among all possible offsets, by z, then y, then x. */
static int place_of(fur_stencil_offset o)
{
    return o.x + FUR_STENCIL_RADIUS +
           FUR_STENCIL_WIDTH *
               (o.y + FUR_STENCIL_RADIUS + FUR_STENCIL_WIDTH * (o.z + FUR_STENCIL_RADIUS));
}

/* at[place] = the number of the offset there, or -1. */
static fur_status place_offsets(fur_env *env, const fur_stencil_definition *d,
                                int at[FUR_STENCIL_POINTS])
{
    for (int place = 0; place < FUR_STENCIL_POINTS; place++)
        at[place] = -1;
    for (int k = 0; k < d->points; k++) {
        FUR_TRY(check_offset(env, d, k));
        int *slot = &at[place_of(d->offsets[k])];
        if (*slot >= 0)
            return fur_env_fail(env, FUR_INVALID, "offsets %d and %d are the same", *slot, k);
        *slot = k;
    }
    return FUR_OK;
}

/* A definition as a view, without its lists. */
static fur_stencil_view view_of(const fur_stencil_definition *d)
{
    fur_stencil_view s = {.value_type = d->value_type, .extent = {1, 1, 1}, .points = d->points};
    for (int axis = 0; axis < d->axes; axis++) {
        s.extent[axis] = d->extent[axis];
        s.boundary[axis] = d->boundary[axis];
    }
    for (int k = 0; k < d->points; k++) {
        fur_stencil_widen(s.radius, d->offsets[k]);
    }
    return s;
}

/* Rounds a coefficient to the value type. For a real type the imaginary part is dropped. */
static void set_coefficient(const fur_env *env, fur_value_type type, const fur_scalar *c, int n,
                            void *coefficients)
{
    (void)fur_convert_values(env, 1, FUR_C128, c, type,
                             (char *)coefficients + (size_t)n * fur_value_size(type));
}

/* Sets the lists of the view: offsets and coefficients in the order of the places. */
static fur_status set_lists(fur_stencil *stencil, const fur_stencil_definition *d,
                            const int at[FUR_STENCIL_POINTS])
{
    fur_stencil_view *s = &stencil->view;
    fur_env *env = &stencil->context->env;
    fur_stencil_offset *offsets;
    void *coefficients = NULL;
    const void **fields = NULL;
    FUR_TRY(fur_env_allocate(env, d->points, sizeof *offsets, &offsets));
    s->offsets = offsets;
    if (d->coefficients)
        FUR_TRY(fur_env_allocate(env, d->points, fur_value_size(d->value_type), &coefficients));
    else
        FUR_TRY(fur_env_allocate(env, d->points, sizeof *fields, &fields));
    s->coefficients = coefficients;
    s->fields = fields;
    int n = 0;
    for (int place = 0; place < FUR_STENCIL_POINTS; place++) {
        int k = at[place];
        if (k < 0)
            continue;
        offsets[n] = d->offsets[k];
        if (fields) {
            FUR_TRY(check_field(stencil->context, s, k, d->fields[k]));
            fields[n] = d->fields[k]->data;
        } else {
            set_coefficient(env, d->value_type, &d->coefficients[k], n, coefficients);
        }
        n++;
    }
    return FUR_OK;
}

static fur_status choose(fur_stencil *stencil, const char *name)
{
    fur_context *context = stencil->context;
    fur_stencil_registry products = fur_stencil_products(context);
    FUR_TRY(fur_stencil_choose(context, &stencil->view, &products, name, &stencil->product));
    return stencil->product.kernel
               ? FUR_OK
               : fur_context_fail(context, FUR_UNSUPPORTED,
                                  "device %s has no kernel for this stencil; use device \"cpu\"",
                                  context->backend->device);
}

/* If there is no kernel for sweeps, sweeps are single products. */
static fur_status choose_sweep(fur_stencil *stencil, const char *name)
{
    fur_stencil_registry sweeps = fur_stencil_sweeps(stencil->context);
    return name && strcmp(name, "single") == 0
               ? FUR_OK
               : fur_stencil_choose(stencil->context, &stencil->view, &sweeps, name,
                                    &stencil->sweep);
}

/* If the device has too little memory for a sweep kernel that was not asked for, none is used. */
static fur_status plan_sweep(fur_stencil *stencil, const char *name)
{
    bool asked = name && strcmp(name, "auto") != 0;
    fur_status status = fur_stencil_plan(&stencil->context->env, &stencil->view, &stencil->sweep);
    if (status != FUR_UNSUPPORTED || asked)
        return status;
    stencil->sweep.kernel = NULL;
    return FUR_OK;
}

/* Bytes of x, y and the fields, read or written once. INT64_MAX if the number is larger. */
static int64_t bytes_of(const fur_stencil_view *s)
{
    int64_t row = (s->fields ? s->points + 2 : 2) * (int64_t)fur_value_size(s->value_type);
    int64_t bytes;
    return __builtin_mul_overflow(fur_stencil_rows(s), row, &bytes) ? INT64_MAX : bytes;
}

static fur_stencil_report report_of(const fur_stencil *stencil)
{
    const fur_stencil_view *s = &stencil->view;
    return (fur_stencil_report){
        .size = sizeof(fur_stencil_report),
        .kernel = stencil->product.kernel->info.name,
        .reason = stencil->product.reason,
        .rows = fur_stencil_rows(s),
        .points = s->points,
        .bytes = bytes_of(s),
        .sweep_kernel = stencil->sweep.kernel ? stencil->sweep.kernel->info.name : "single",
        .sweep_depth = fur_stencil_depth(stencil),
    };
}

static fur_status build(fur_stencil *stencil, const fur_stencil_definition *d,
                        const int at[FUR_STENCIL_POINTS])
{
    fur_env *env = &stencil->context->env;
    FUR_TRY(set_lists(stencil, d, at));
    FUR_TRY(choose(stencil, d->kernel));
    FUR_TRY(choose_sweep(stencil, d->sweep_kernel));
    FUR_TRY(fur_stencil_plan(env, &stencil->view, &stencil->product));
    FUR_TRY(plan_sweep(stencil, d->sweep_kernel));
    stencil->report = report_of(stencil);
    return FUR_OK;
}

fur_status fur_stencil_create(fur_context *context, const fur_stencil_definition *definition,
                              fur_stencil **out)
{
    FUR_NEED(context, context, definition, out);
    fur_env *env = &context->env;
    fur_stencil_definition d;
    int at[FUR_STENCIL_POINTS];
    fur_stencil *stencil;
    FUR_TAKE_OPTIONS(context, fur_stencil_definition, &d, definition);
    FUR_TRY(check_grid(env, &d));
    FUR_TRY(check_lists(env, &d));
    FUR_TRY(place_offsets(env, &d, at));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *stencil, &stencil));
    stencil->context = context;
    stencil->view = view_of(&d);
    fur_status status = build(stencil, &d, at);
    if (status == FUR_OK)
        *out = stencil;
    else
        fur_stencil_destroy(stencil);
    return status;
}

/* Plans the same kernel for other coefficients, of which it may have its own copy. */
static fur_status plan_again(fur_env *env, const fur_stencil_view *s, fur_stencil_choice *choice)
{
    fur_stencil_choice fresh = {.kernel = choice->kernel, .reason = choice->reason};
    const char *refusal = fresh.kernel && fresh.kernel->refusal ? fresh.kernel->refusal(s) : NULL;
    if (refusal)
        return fur_env_fail(env, FUR_UNSUPPORTED, "kernel \"%s\" does not suit the stencil: %s",
                            fresh.kernel->info.name, refusal);
    FUR_TRY(fur_stencil_plan(env, s, &fresh));
    fur_stencil_drop(env, choice);
    *choice = fresh;
    return FUR_OK;
}

fur_status fur_stencil_set_coefficients(fur_stencil *stencil, const void *coefficients)
{
    fur_env *env = &stencil->context->env;
    const fur_stencil_view *s = &stencil->view;
    memcpy((void *)(uintptr_t)s->coefficients, coefficients,
           (size_t)s->points * fur_value_size(s->value_type));
    FUR_TRY(plan_again(env, s, &stencil->product));
    return plan_again(env, s, &stencil->sweep);
}

void fur_stencil_destroy(fur_stencil *stencil)
{
    if (!stencil)
        return;
    fur_env *env = &stencil->context->env;
    fur_dependent_leave(&stencil->dependent);
    fur_stencil_drop(env, &stencil->sweep);
    fur_stencil_drop(env, &stencil->product);
    fur_env_release(env, (void *)(uintptr_t)stencil->view.fields);
    fur_env_release(env, (void *)(uintptr_t)stencil->view.coefficients);
    fur_env_release(env, (void *)(uintptr_t)stencil->view.offsets);
    fur_env_release(env, stencil);
}

fur_status fur_stencil_check_vector(const fur_stencil *stencil, const char *name,
                                    const fur_vector *v)
{
    const fur_stencil_view *s = &stencil->view;
    fur_env *env = &stencil->context->env;
    if (v->context != stencil->context)
        return fur_env_fail(env, FUR_INVALID, "%s belongs to another context than the stencil",
                            name);
    if (v->value_type != s->value_type || v->size != fur_stencil_rows(s))
        return fur_env_fail(env, FUR_INVALID,
                            "%s has %lld entries of type %s, but the grid needs %lld of type %s",
                            name, (long long)v->size, fur_value_name(v->value_type),
                            (long long)fur_stencil_rows(s), fur_value_name(s->value_type));
    return FUR_OK;
}

fur_status fur_stencil_check(const fur_stencil *stencil, const fur_vector *x, const fur_vector *y)
{
    FUR_TRY(fur_dependent_check(&stencil->context->env, &stencil->dependent));
    FUR_TRY(fur_stencil_check_vector(stencil, "x", x));
    FUR_TRY(fur_stencil_check_vector(stencil, "y", y));
    return fur_vector_check_apart(x, "x", y, "y");
}

fur_status fur_stencil_apply(const fur_stencil *stencil, fur_scalar alpha, const fur_vector *x,
                             fur_scalar beta, fur_vector *y)
{
    FUR_NEED(stencil ? stencil->context : NULL, stencil, x, y);
    FUR_TRY(fur_stencil_check(stencil, x, y));
    fur_stencil_call call = {
        .env = &stencil->context->env,
        .s = &stencil->view,
        .state = stencil->product.state,
        .sweeps = 1,
        .alpha = alpha,
        .beta = beta,
        .x = x->data,
        .z = y->data,
        .y = y->data,
    };
    return stencil->product.kernel->apply(&call);
}

const fur_stencil_report *fur_stencil_describe(const fur_stencil *stencil)
{
    static const fur_stencil_report none = {
        .size = sizeof none, .kernel = "", .reason = "", .sweep_kernel = ""};
    return stencil ? &stencil->report : &none;
}

static int64_t field_bytes(const fur_stencil_view *s)
{
    return fur_stencil_rows(s) * (int64_t)fur_value_size(s->value_type);
}

fur_status fur_stencil_to_host(fur_context *context, const fur_stencil_view *s,
                               fur_stencil_on_host *out)
{
    fur_status status = FUR_OK;
    out->view = *s;
    if (!s->fields)
        return FUR_OK;
    out->view.fields = (const void *const *)out->fields;
    memset(out->fields, 0, (size_t)s->points * sizeof *out->fields);
    for (int k = 0; k < s->points && status == FUR_OK; k++)
        status = fur_memory_to_host(context, s->fields[k], field_bytes(s), &out->fields[k]);
    if (status != FUR_OK)
        fur_stencil_drop_copies(context, s, out);
    return status;
}

fur_status fur_stencil_from_host(fur_context *context, const fur_stencil_view *s,
                                 fur_stencil_on_host *near)
{
    fur_status status = FUR_OK;
    for (int k = 0; s->fields && k < s->points && status == FUR_OK; k++)
        if (near->fields[k] != s->fields[k])
            status = fur_memory_copy(context, (void *)(uintptr_t)s->fields[k], near->fields[k],
                                     field_bytes(s));
    fur_stencil_drop_copies(context, s, near);
    return status;
}

void fur_stencil_drop_copies(fur_context *context, const fur_stencil_view *s,
                             fur_stencil_on_host *near)
{
    for (int k = 0; s->fields && k < s->points; k++)
        fur_memory_drop(context, s->fields[k], near->fields[k]);
}
