/* furrow stencil: compares a stencil without a matrix with its matrix. */
#include "command.h"

#include <stdio.h>

#include "forms.h"
#include "line.h"
#include "output.h"
#include "sweeps.h"

/* Default of --rounds. */
#define ROUNDS 21

typedef struct stencil_options {
    command_common common;
    forms_request request;
    int sweeps; /* 0: none */
} stencil_options;

static void put_extent(output *out, const forms *f)
{
    const fur_stencil_definition *d = &f->definition;
    json_t *extent = json_array();
    json_t *boundary = json_array();
    for (int axis = 0; axis < d->axes; axis++) {
        output_append(extent, json_integer(d->extent[axis]));
        output_append(boundary, output_string(grid_boundary_name(d->boundary[axis])));
    }
    output_member(out, "extent", extent);
    output_member(out, "boundary", boundary);
}

/* Writes the stencil and its matrix, which are the first two forms. */
static void put_members(output *out, const forms *f)
{
    const form *stencil = &f->forms[0];
    const form *csr = &f->forms[1];
    output_count(out, "points", NULL, f->definition.points);
    put_extent(out, f);
    output_text(out, "type", NULL, fur_value_name(f->definition.value_type));
    output_text(out, "kernel_stencil", NULL, stencil->kernel);
    output_text(out, "kernel_csr", NULL, csr->kernel);
    output_number(out, "ns_per_point_stencil", NULL, form_ns_per_point(stencil));
    output_number(out, "ns_per_point_csr", NULL, form_ns_per_point(csr));
    output_number(out, "ratio", NULL, form_ratio(csr));
    output_number(out, "gbps_stencil", NULL, form_gbps(stencil));
    output_number(out, "gbps_csr", NULL, form_gbps(csr));
    output_number(out, "percent_of_copy", NULL, 100 * form_of_copy(stencil));
    output_member(out, "forms", forms_to_json(f));
}

static double largest_difference(const forms *f)
{
    double largest = 0;
    for (int i = 0; i < f->count; i++)
        largest = f->forms[i].difference > largest ? f->forms[i].difference : largest;
    return largest;
}

/* Volkov's figures are from his talk of 2010, for a GeForce GTX 280. */
static void print_table(const forms *f)
{
    char text[160];
    json_t *lines = forms_to_json(f);
    forms_describe(f, text, sizeof text);
    printf("\n%s\n", text);
    record_print_lines(lines, forms_columns);
    json_decref(lines);
    printf("Volkov 2010, GTX 280: ratio 4.7 (7-point f32), 4.2 (f64), 8.9 (27-point f64)\n");
}

/* sweeps: not printed if it has no lines. */
static fur_status print(const forms *f, const sweeps *s, const command_common *common)
{
    output out = output_begin(common->json);
    timing_put(&out, f->timing);
    output_seconds(&out, "seconds_assemble", "time to assemble", f->seconds_assemble);
    output_number(&out, "max_difference", "largest difference", largest_difference(f));
    output_rate(&out, "copy_gbps", "a copy moves", 1e-9 * f->copy_rate);
    if (common->json)
        put_members(&out, f);
    else
        print_table(f);
    if (s->lines > 0)
        sweeps_put(&out, s);
    return output_end(&out, f->context);
}

static fur_status sweeps_steps(const stencil_options *options, const forms *f, sweeps *s)
{
    const forms_request *request = &options->request;
    FUR_TRY(sweeps_create(f, request->kernel, options->sweeps, false, s));
    FUR_TRY(sweeps_check(s));
    return sweeps_race(s, request->rounds);
}

static fur_status stencil_steps(timing *t, const stencil_options *options, forms *f, sweeps *s)
{
    FUR_TRY(command_while(t->context, "preparing", "to measure", timing_prepare(t)));
    FUR_TRY(forms_create(t, &options->request, f));
    FUR_TRY(forms_check(f));
    FUR_TRY(forms_race(f, options->request.rounds));
    FUR_TRY(options->sweeps > 0 ? sweeps_steps(options, f, s) : FUR_OK);
    return print(f, s, &options->common);
}

static fur_status stencil(timing *t, const void *options)
{
    forms f = {.count = 0};
    sweeps s = {.lines = 0};
    fur_status status = stencil_steps(t, options, &f, &s);
    sweeps_destroy(&s);
    forms_destroy(&f);
    return status;
}

static void settle(struct argp_state *state, void *options)
{
    stencil_options *o = options;
    command_pairing rounds = {"--rounds", o->request.rounds != 0, !command_on_gpu(&o->common),
                              "with --device cpu"};
    command_check(state, &rounds, 1);
    grid_check(state, "--points", &o->request.grid);
    o->request.rounds = o->request.rounds != 0 ? o->request.rounds : ROUNDS;
}

#define AT(member) .at = offsetof(stencil_options, member)
static const line_option own_options[] = {
    {"points", "POINTS", "Stencil: the negated Laplacian with 3, 5, 7, 9, 13, 19 or 27 points",
     LINE_OWN, AT(request.grid), .parse = grid_parse_points},
    {"extent", "NX,NY,NZ", GRID_EXTENT_DOC, LINE_OWN, AT(request.grid), .parse = grid_parse_extent},
    {"boundary", "X,Y,Z", GRID_BOUNDARY_DOC, LINE_OWN, AT(request.grid),
     .parse = grid_parse_boundary},
    {"type", "TYPE", GRID_TYPE_DOC, LINE_OWN, AT(request.grid), .parse = grid_parse_type},
    {"kernel", "NAME", "Kernel of the stencil, from furrow kernels (default: auto, the fastest)",
     LINE_TEXT, AT(request.kernel)},
    {"against", "LIST", FORMS_AGAINST_DOC, LINE_TEXT, AT(request.against)},
    {"rounds", "N", "Number of timed products of each form on the CPU (default: 21)", LINE_COUNT,
     AT(request.rounds), .most = RACE_ROUNDS_MAX},
    {"sweeps", "N", SWEEPS_DOC, LINE_COUNT, AT(sweeps), .most = SWEEPS_COUNT_MAX},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "--points POINTS --extent NX,NY,NZ",
    .settle = settle,
    .doc = "Time a stencil against the same operator stored as a matrix. The command first "
           "compares the results: bit for bit if the terms are added in the same order, otherwise "
           "within rounding bounds.\vTimes are medians. The forms run alternately, each with cold "
           "caches.\n\nThe manual page furrow-stencil explains the columns of the table.",
};

int command_stencil(int argc, char **argv)
{
    stencil_options options = {.request = {.grid = grid_none()}};
    line_parse(&line_of, argc, argv, &options);
    return timing_run(&options.common, stencil, &options);
}
