/* furrow bench stencil: every kernel for a stencil, compared with its matrix. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "sweeps.h"

/* Returns whether the rest of a name is a value type or empty. */
static bool parse_type(const char *text, fur_value_type *value)
{
    for (int i = 0; i < FUR_VALUE_COUNT; i++) {
        if (*text == ':' && strcmp(text + 1, fur_value_name((fur_value_type)i)) == 0) {
            *value = (fur_value_type)i;
            return true;
        }
    }
    return *text == '\0';
}

/* Sets the grid from a name such as 7-point:256 or 7-point:256:f32. */
static bool parse(const char *name, grid_request *grid)
{
    char *end = NULL;
    fur_stencil_definition d;
    long points = strtol(name, &end, 10);
    long long n = 0;
    if (strncmp(end, "-point:", 7) == 0)
        n = strtoll(end + 7, &end, 10);
    if (n < 1 || points < 1 || points > 27 || !fur_stencil_named((int)points, &d))
        return false;
    grid->points = (int)points;
    grid->extents = d.axes;
    for (int axis = 0; axis < d.axes; axis++)
        grid->extent[axis] = n;
    return parse_type(end, &grid->value);
}

static fur_status run_steps(bench *b, const char *name, const forms_request *request, forms *f,
                            json_t **result)
{
    FUR_TRY(forms_create(b->timing, request, f));
    FUR_TRY(forms_check(f));
    FUR_TRY(forms_race(f, request->rounds));
    *result = bench_matrix(name, f->a);
    json_object_set_new(*result, "copy_gbps", json_real(1e-9 * f->copy_rate));
    json_object_set_new(*result, "against", output_string("its matrix, csr"));
    json_object_set_new(*result, "contenders", forms_to_json(f));
    bench_keep(b, *result, forms_columns);
    return FUR_OK;
}

/* Runs all kernels for sweeps. Their lines go to the case's result. */
static fur_status sweep_steps(const bench *b, const forms *f, sweeps *s, json_t *result)
{
    FUR_TRY(sweeps_create(f, NULL, b->sweeps, true, s));
    FUR_TRY(sweeps_check(s));
    FUR_TRY(sweeps_race(s, b->rounds));
    json_t *lines = sweeps_to_json(s);
    if (!b->common->json)
        sweeps_print(s, lines);
    json_object_set_new(result, "sweeps", json_integer(b->sweeps));
    json_object_set_new(result, "sweep_kernels", lines);
    return FUR_OK;
}

static fur_status run_sweeps(const bench *b, const forms *f, json_t *result)
{
    sweeps s = {.lines = 0};
    fur_status status = sweep_steps(b, f, &s, result);
    sweeps_destroy(&s);
    return status;
}

fur_status bench_stencil(bench *b, const char *name)
{
    forms_request request = {
        .grid = grid_none(), .against = b->against, .stencils = true, .rounds = b->rounds};
    forms f = {.count = 0};
    if (!parse(name, &request.grid)) {
        return fur_context_fail(
            b->context, FUR_INVALID,
            "'%s' is not a stencil; use P-point:N with P = 3, 5, 7, 9, 13, 19 or 27, such as "
            "7-point:100; append :f32, :c64 or :c128 to change the type",
            name);
    }
    json_t *result = NULL;
    fur_status status = run_steps(b, name, &request, &f, &result);
    if (status == FUR_OK && b->sweeps > 0)
        status = run_sweeps(b, &f, result);
    forms_destroy(&f);
    return status;
}
