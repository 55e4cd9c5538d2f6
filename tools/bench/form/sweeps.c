/* Checks and times repeated sweeps. */
#include "sweeps.h"

#include <furrow/author/kernels.h>

#include <stdio.h>
#include <string.h>

enum { WITH_B, WITHOUT_B, VARIANTS };

/* Damps Jacobi's iteration, so that no error grows. */
#define OMEGA (2.0 / 3)

static bool is_centre(fur_stencil_offset o)
{
    return o.x == 0 && o.y == 0 && o.z == 0;
}

static void define(const fur_stencil_definition *a, const char *kernel, sweeps *s)
{
    double diagonal = 0;
    for (int k = 0; k < a->points; k++)
        diagonal = is_centre(a->offsets[k]) ? a->coefficients[k].re : diagonal;
    for (int k = 0; k < a->points; k++) {
        double unit = is_centre(a->offsets[k]) ? 1 : 0;
        s->coefficients[k] = fur_real(unit - OMEGA / diagonal * a->coefficients[k].re);
    }
    s->alpha = fur_real(OMEGA / diagonal);
    s->definition = *a;
    s->definition.coefficients = s->coefficients;
    s->definition.kernel = kernel;
}

static fur_status add_line(sweeps *s, const char *sweep_kernel)
{
    sweeps_line *line = &s->line[s->lines];
    s->definition.sweep_kernel = sweep_kernel;
    if (s->lines == SWEEPS_LINES_MAX) {
        return fur_context_fail(s->f->context, FUR_INVALID,
                                "there are more than %d kernels for sweeps to compare; name fewer",
                                SWEEPS_LINES_MAX - 1);
    }
    FUR_TRY(fur_stencil_create(s->f->context, &s->definition, &line->stencil));
    s->lines++;
    return FUR_OK;
}

static const char *kernel_of(const sweeps_line *line)
{
    return fur_stencil_describe(line->stencil)->sweep_kernel;
}

static bool has_kernel(const sweeps *s, const char *name)
{
    for (int i = 0; i < s->lines; i++)
        if (strcmp(kernel_of(&s->line[i]), name) == 0)
            return true;
    return false;
}

/* Adds all suitable kernels that have not been added yet. */
static fur_status add_others(sweeps *s)
{
    fur_context *context = s->f->context;
    const fur_kernel_info *kernel;
    for (int i = 0; (kernel = fur_stencil_sweep_kernel_at(context, i)); i++) {
        if (!has_kernel(s, kernel->name)) {
            fur_status status = add_line(s, kernel->name);
            FUR_TRY(status == FUR_UNSUPPORTED ? FUR_OK : status);
        }
    }
    return FUR_OK;
}

fur_status sweeps_create(const forms *f, const char *kernel, int count, bool all, sweeps *s)
{
    *s = (sweeps){.f = f, .count = count};
    if (!f->forms[0].exact) {
        return fur_context_fail(f->context, FUR_UNSUPPORTED,
                                "sweeps are compared bit by bit, and kernel %s rounds in another "
                                "order; leave out --sweeps, or --kernel",
                                f->forms[0].kernel);
    }
    define(&f->definition, kernel, s);
    FUR_TRY(fur_vector_create(f->context, f->definition.value_type, f->rows, &s->x));
    FUR_TRY(add_line(s, "single"));
    FUR_TRY(add_line(s, "auto"));
    if (strcmp(kernel_of(&s->line[1]), "single") == 0)
        fur_stencil_destroy(s->line[--s->lines].stencil);
    return all ? add_others(s) : FUR_OK;
}

void sweeps_destroy(sweeps *s)
{
    for (int i = 0; i < s->lines; i++)
        fur_stencil_destroy(s->line[i].stencil);
    fur_vector_destroy(s->x);
}

static fur_status run(const sweeps *s, int line, int variant)
{
    return fur_stencil_sweep(s->line[line].stencil, s->count, s->alpha,
                             variant == WITH_B ? s->f->x : NULL, s->x, s->f->y);
}

/* Computes the expected result on the CPU. found: a work vector on the host. */
static fur_status expect(const sweeps *s, int variant, fur_vector *found, fur_vector *expected)
{
    const forms *f = s->f;
    fur_stencil_definition d = s->definition;
    fur_stencil *stencil = NULL;
    d.kernel = NULL;
    d.sweep_kernel = "single";
    FUR_TRY(fur_vector_copy(f->host_x, expected));
    FUR_TRY(fur_stencil_create(f->host, &d, &stencil));
    fur_status status = fur_stencil_sweep(stencil, s->count, s->alpha,
                                          variant == WITH_B ? f->host_x : NULL, expected, found);
    fur_stencil_destroy(stencil);
    return status;
}

static fur_status compare(const sweeps *s, int line, const fur_vector *found,
                          const fur_vector *expected)
{
    size_t size = fur_value_size(s->definition.value_type);
    const char *is = fur_vector_const_data(found);
    const char *should = fur_vector_const_data(expected);
    for (int64_t p = 0; p < s->f->rows; p++) {
        if (memcmp(is + size * (size_t)p, should + size * (size_t)p, size) != 0) {
            return fur_context_fail(s->f->context, FUR_INVALID,
                                    "%d sweeps by kernel %s differ from the CPU's products at "
                                    "point %lld; this is a defect of furrow",
                                    s->count, kernel_of(&s->line[line]), (long long)p);
        }
    }
    return FUR_OK;
}

static fur_status check_variant(const sweeps *s, int variant, fur_vector *found,
                                fur_vector *expected)
{
    FUR_TRY(forms_relay(s->f, expect(s, variant, found, expected)));
    for (int i = 0; i < s->lines; i++) {
        FUR_TRY(fur_vector_copy(s->f->x, s->x));
        FUR_TRY(run(s, i, variant));
        FUR_TRY(fur_vector_copy(s->x, found));
        FUR_TRY(compare(s, i, found, expected));
    }
    return FUR_OK;
}

fur_status sweeps_check(sweeps *s)
{
    const forms *f = s->f;
    fur_vector *found = NULL;
    fur_vector *expected = NULL;
    fur_status status =
        forms_relay(f, fur_vector_create(f->host, f->definition.value_type, f->rows, &found));
    if (status == FUR_OK) {
        status = forms_relay(
            f, fur_vector_create(f->host, f->definition.value_type, f->rows, &expected));
    }
    for (int variant = 0; variant < VARIANTS && status == FUR_OK; variant++)
        status = check_variant(s, variant, found, expected);
    fur_vector_destroy(expected);
    fur_vector_destroy(found);
    return status;
}

/* The sweeps of one line, with or without b. */
typedef struct turn {
    const sweeps *s;
    int line;
    int variant;
} turn;

static fur_status run_turn(void *self)
{
    const turn *t = self;
    return run(t->s, t->line, t->variant);
}

fur_status sweeps_race(sweeps *s, int rounds)
{
    forms_racer racers[VARIANTS * SWEEPS_LINES_MAX];
    turn turns[VARIANTS * SWEEPS_LINES_MAX];
    double copy_rate = 0;
    int count = VARIANTS * s->lines;
    for (int i = 0; i < count; i++) {
        turns[i] = (turn){s, i / VARIANTS, i % VARIANTS};
        racers[i] = (forms_racer){.run = run_turn, .self = &turns[i]};
    }
    FUR_TRY(forms_race_in_turn(s->f, rounds, count, racers, &copy_rate));
    for (int i = 0; i < count; i++)
        s->line[i / VARIANTS].seconds[i % VARIANTS] = racers[i].seconds / s->count;
    return FUR_OK;
}

static double ns_per_point(const sweeps *s, const sweeps_line *line, int variant)
{
    return 1e9 * line->seconds[variant] / (double)s->f->rows;
}

/* Returns the time of single sweeps over the time of a line. */
static double ratio(const sweeps *s, const sweeps_line *line, int variant)
{
    return s->line[0].seconds[variant] / line->seconds[variant];
}

json_t *sweeps_to_json(const sweeps *s)
{
    json_t *lines = json_array();
    for (int i = 0; i < s->lines; i++) {
        const sweeps_line *line = &s->line[i];
        output_append(lines,
                      json_pack("{s:s, s:o, s:i, s:f, s:f, s:f, s:f}", "name", "sweeps", "kernel",
                                output_string(kernel_of(line)), "depth",
                                fur_stencil_describe(line->stencil)->sweep_depth, "ns_per_point",
                                ns_per_point(s, line, WITH_B), "ratio", ratio(s, line, WITH_B),
                                "ns_per_point_without_b", ns_per_point(s, line, WITHOUT_B),
                                "ratio_without_b", ratio(s, line, WITHOUT_B)));
    }
    return lines;
}

void sweeps_print(const sweeps *s, const json_t *lines)
{
    static const record_column columns[] = {{"", "name", -11, 0, 0, ""},
                                            {"kernel", "kernel", -15, 0, 0, ""},
                                            {"at once", "depth", 9, 0, 1, ""},
                                            {"ns/point", "ns_per_point", 9, 4, 1, ""},
                                            {"ratio", "ratio", 8, 2, 1, ""},
                                            {"without b", "ns_per_point_without_b", 11, 4, 1, ""},
                                            {"ratio", "ratio_without_b", 8, 2, 1, ""},
                                            {0}};
    printf("\n%d sweeps, x := S x + alpha b, a sweep:\n", s->count);
    record_print_lines(lines, columns);
}

void sweeps_put(output *out, const sweeps *s)
{
    json_t *lines = sweeps_to_json(s);
    if (!out->json) {
        sweeps_print(s, lines);
        json_decref(lines);
        return;
    }
    const sweeps_line *chosen = &s->line[s->lines > 1 ? 1 : 0];
    output_count(out, "sweeps", NULL, s->count);
    output_text(out, "kernel_sweep", NULL, kernel_of(chosen));
    output_number(out, "ns_per_point_sweep", NULL, ns_per_point(s, chosen, WITH_B));
    output_number(out, "sweep_ratio", NULL, ratio(s, chosen, WITH_B));
    output_number(out, "ns_per_point_sweep_without_b", NULL, ns_per_point(s, chosen, WITHOUT_B));
    output_number(out, "sweep_ratio_without_b", NULL, ratio(s, chosen, WITHOUT_B));
    output_member(out, "sweep_kernels", lines);
}
