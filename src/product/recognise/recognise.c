/* Recognition of a stencil in a matrix: the guess, the proof, and the resulting object. */
#include <furrow/author/clock.h>
#include <furrow/author/options.h>

#include "recognise.h"

#include <stdio.h>

static bool may_be_stencil(const fur_csr *a, fur_recognise_report *report)
{
    const fur_csr_view *v = &a->view;
    if (v->rows != v->cols)
        return fur_recognise_refuse(report,
                                    "the matrix is %lld x %lld; the matrix of a stencil is square",
                                    (long long)v->rows, (long long)v->cols);
    return v->rows > 0 || fur_recognise_refuse(report, "the matrix has no rows");
}

/* Returns whether the caller wants a stencil of this kind. */
static bool is_wanted(const fur_recognise_options *o, const fur_stencil_view *s,
                      fur_recognise_report *report)
{
    return !o->constant || s->coefficients ||
           fur_recognise_refuse(report,
                                "the coefficients vary, but constant coefficients were requested");
}

/* Returns whether the stencil has fewer bytes to read than the matrix, without x and y. */
static bool is_smaller(const fur_csr_view *a, const fur_stencil_view *s,
                       fur_recognise_report *report)
{
    int64_t fields = s->coefficients ? 0 : s->points;
    return fields * a->rows * (int64_t)fur_value_size(a->value_type) < fur_csr_bytes(a) ||
           fur_recognise_refuse(
               report, "%d coefficients for each point take more bytes than the matrix", s->points);
}

/* Makes fields of zeros. */
static fur_status make_fields(fur_recognised *r, const fur_stencil_view *s)
{
    FUR_TRY(fur_env_allocate_zeros(&r->context->env, s->points, sizeof *r->fields, &r->fields));
    for (; r->field_count < s->points; r->field_count++)
        FUR_TRY(fur_vector_create(r->context, s->value_type, fur_stencil_rows(s),
                                  &r->fields[r->field_count]));
    return FUR_OK;
}

static fur_status make_stencil(fur_recognised *r, const fur_guess *g, const char *kernel)
{
    fur_scalar coefficients[FUR_STENCIL_POINTS];
    const fur_stencil_view *s = &g->s;
    fur_stencil_definition d = {.size = sizeof d,
                                .value_type = s->value_type,
                                .axes = g->axes,
                                .points = s->points,
                                .offsets = s->offsets,
                                .kernel = kernel};
    memcpy(d.extent, s->extent, sizeof d.extent);
    if (s->coefficients) {
        FUR_TRY(fur_env_allocate_zeros(&r->context->env, s->points, fur_value_size(s->value_type),
                                       &r->constants));
        fur_convert_values(&r->context->env, s->points, s->value_type, s->coefficients, FUR_C128,
                           coefficients);
        d.coefficients = coefficients;
    } else {
        d.fields = (const fur_vector *const *)r->fields;
    }
    return fur_stencil_create(r->context, &d, &r->stencil);
}

static fur_status take_rows(fur_recognised *r, const fur_csr *a, int64_t count)
{
    FUR_TRY(fur_csr_take_rows(a, count, r->numbers, &r->rows));
    FUR_TRY(fur_vector_create(r->context, a->view.value_type, count, &r->y));
    return fur_spmv_plan(r->rows, NULL, &r->plan);
}

/* Writes "a stencil of 7 points ... on 10 x 20 x 30 points; 0 rows differ". */
static void set_sentence(fur_recognise_report *report)
{
    char extents[64] = "";
    int length = 0;
    for (int axis = 0; axis < report->axes; axis++)
        length += snprintf(extents + length, sizeof extents - (size_t)length, "%s%lld",
                           axis > 0 ? " x " : "", (long long)report->extent[axis]);
    snprintf(report->reason, sizeof report->reason,
             "a stencil of %d points with %s coefficients on a grid of %s; %lld rows differ",
             report->points, report->variable ? "variable" : "constant", extents,
             (long long)report->rows_differing);
}

static void describe(const fur_recognised *r, const fur_guess *g, fur_recognise_report *report)
{
    const fur_stencil_view *s = &g->s;
    const fur_csr_view *rows = &r->rows->view;
    int64_t row =
        (int64_t)(sizeof *r->numbers + fur_value_size(s->value_type)); /* its number, and its y */
    report->recognised = 1;
    report->axes = g->axes;
    memcpy(report->extent, s->extent, sizeof report->extent);
    report->points = s->points;
    report->variable = !s->coefficients;
    report->rows_differing = rows->rows;
    report->bytes = fur_stencil_describe(r->stencil)->bytes +
                    (rows->rows > 0 ? fur_csr_bytes(rows) + rows->rows * row : 0);
    set_sentence(report);
}

/* Proves the guess. If too many rows differ, r gets no stencil. */
static fur_status prove(fur_recognised *r, const fur_csr *a, const fur_guess *g, const char *kernel,
                        fur_recognise_report *report)
{
    int64_t rows = a->view.rows;
    int64_t most = rows / FUR_FEW;
    int64_t count = 0;
    if (!g->s.coefficients)
        FUR_TRY(make_fields(r, &g->s));
    FUR_TRY(fur_recognised_compare(r, &g->s, most, &r->numbers, &count));
    if (count > most) {
        fur_recognise_refuse(report, "%lld of %lld rows differ from the stencil of most rows",
                             (long long)count, (long long)rows);
        return FUR_OK;
    }
    FUR_TRY(make_stencil(r, g, kernel));
    FUR_TRY(take_rows(r, a, count));
    fur_recognised_follow(r);
    describe(r, g, report);
    return FUR_OK;
}

/* If nothing is recognised, *out stays NULL. */
static fur_status build(const fur_csr *a, const fur_guess *g, const fur_recognise_options *o,
                        fur_recognise_report *report, fur_recognised **out)
{
    fur_recognised *r;
    if (!is_wanted(o, &g->s, report) || !is_smaller(&a->view, &g->s, report))
        return FUR_OK;
    FUR_TRY(fur_env_allocate_zeros(&a->context->env, 1, sizeof *r, &r));
    r->context = a->context;
    r->a = a;
    fur_status status = prove(r, a, g, o->kernel, report);
    if (status == FUR_OK && r->stencil)
        *out = r;
    else
        fur_recognised_destroy(r);
    return status;
}

fur_status fur_stencil_recognise(const fur_csr *a, const fur_recognise_options *options,
                                 fur_recognise_report *report, fur_recognised **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    double start = fur_seconds();
    fur_env *env = &a->context->env;
    fur_status status = FUR_OK;
    fur_recognise_options o;
    fur_recognise_report found = {0};
    fur_recognised *r = NULL;
    fur_guess *g = NULL;
    bool likely = false;
    FUR_TAKE_OPTIONS(a->context, fur_recognise_options, &o, options);
    FUR_CHECK_REPORT(a->context, fur_recognise_report, report);
    if (may_be_stencil(a, &found)) {
        FUR_TRY_DONE(fur_env_allocate_zeros(env, 1, sizeof *g, &g));
        FUR_TRY_DONE(fur_recognise_guess(a, g, &found, &likely));
        if (likely)
            FUR_TRY_DONE(build(a, g, &o, &found, &r));
    }
    found.seconds = fur_seconds() - start;
    fur_report_fill(report, &found, sizeof found);
    *out = r;
done:
    fur_env_release(env, g);
    return status;
}
