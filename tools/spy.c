/* furrow spy: draws a picture of a matrix's pattern. */
#include "command.h"

#include "draw.h"
#include "line.h"
#include "load.h"
#include "new_file.h"
#include "output.h"

#define PIXELS 600
#define PIXELS_LEAST 16
#define PIXELS_MAX 4000

typedef fur_status drawer(fur_context *context, const draw_sheet *sheet, FILE *stream);

static const struct {
    const char *suffix;
    drawer *draw;
} kinds[] = {{".png", draw_png}, {".svg", draw_svg}};

typedef struct spy_options {
    command_common common;
    const char *out;
    drawer *draw;
    const char *method; /* NULL: no second panel */
    bool allow_worse;
    int pixels;
} spy_options;

/* All objects of a run, released in one place. */
typedef struct spy_job {
    fur_context *context;
    const spy_options *options;
    loaded_matrix a;
    fur_permutation *order;
    fur_csr *reordered;
    draw_sheet sheet;
} spy_job;

static fur_status add_panel(spy_job *job, const fur_csr *a, const fur_permutation *order,
                            const char *title)
{
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    char number[WORDS_BYTES];
    draw_panel *panel = &job->sheet.panels[job->sheet.count];
    FUR_TRY(fur_csr_measure(a, &figures));
    FUR_TRY(raster_create(a, job->options->pixels, &panel->cells));
    job->sheet.count++;
    snprintf(panel->title, sizeof panel->title, "%s", title);
    words_number((double)figures.bandwidth, 0, number);
    snprintf(panel->lines[0], DRAW_LINE_BYTES, "bandwidth %s", number);
    if (job->options->method) {
        fur_order_figures profile = FUR_DEFAULT(fur_order_figures);
        FUR_TRY(fur_order_measure(job->a.matrix, order, &profile));
        words_number((double)profile.profile, 0, number);
        snprintf(panel->lines[1], DRAW_LINE_BYTES, "profile %s", number);
    }
    return FUR_OK;
}

static void set_titles(spy_job *job)
{
    fur_csr_view a = *fur_csr_get(job->a.matrix);
    char rows[WORDS_BYTES], cols[WORDS_BYTES], entries[WORDS_BYTES];
    words_number((double)a.rows, 0, rows);
    words_number((double)a.cols, 0, cols);
    words_number((double)a.entries, 0, entries);
    snprintf(job->sheet.title, DRAW_LINE_BYTES, "%s", words_file(job->options->common.operands[0]));
    snprintf(job->sheet.subtitle, DRAW_LINE_BYTES, "%s %s · %s %s · %s %s", rows,
             a.rows == 1 ? "row" : "rows", cols, a.cols == 1 ? "column" : "columns", entries,
             a.entries == 1 ? "entry" : "entries");
}

static fur_status make_panels(spy_job *job)
{
    const spy_options *options = job->options;
    char after[DRAW_LINE_BYTES];
    set_titles(job);
    if (!options->method)
        return add_panel(job, job->a.matrix, NULL, "");
    fur_reorder_options how = {.size = sizeof how, .allow_worse = options->allow_worse};
    FUR_TRY(fur_reorder(job->a.matrix, options->method, &how, NULL, &job->order));
    FUR_TRY(fur_csr_permute(job->a.matrix, job->order, job->order, &job->reordered));
    snprintf(after, sizeof after, "after %s", options->method);
    FUR_TRY(add_panel(job, job->a.matrix, NULL, "before"));
    return add_panel(job, job->reordered, job->order, after);
}

static fur_status save_picture(const spy_job *job)
{
    new_file file;
    if (job->options->draw == draw_png && !draw_png_has_words() && !job->options->common.quiet)
        command_error("note: the picture has no labels, because this build found no font; use .svg "
                      "for a picture with labels");
    FUR_TRY(new_file_open(job->context, job->options->out, &file));
    return new_file_close(&file, job->options->draw(job->context, &job->sheet, file.stream));
}

static fur_status print_picture(const spy_job *job)
{
    const raster *cells = &job->sheet.panels[0].cells;
    draw_size extent = draw_extent(&job->sheet);
    output out = output_begin(job->options->common.json);
    output_text(&out, "picture", "picture", job->options->out);
    output_count(&out, "width", "pixels wide", extent.width);
    output_count(&out, "height", "pixels high", extent.height);
    output_count(&out, "rows", "rows", cells->rows.size);
    output_count(&out, "cols", "columns", cells->cols.size);
    output_count(&out, "entries", "entries", cells->entries);
    output_count(&out, "cell_rows", "rows to a cell", cells->rows.block);
    output_count(&out, "cell_cols", "columns to a cell", cells->cols.block);
    output_count(&out, "threads", "threads", fur_context_threads(job->context));
    return output_end(&out, job->context);
}

static fur_status spy_steps(spy_job *job)
{
    const command_common *common = &job->options->common;
    const char *name = common->operands[0];
    FUR_TRY(command_while(job->context, "reading", name,
                          load_matrix(job->context, common, name, &job->a)));
    FUR_TRY(command_while(job->context, "drawing", name, make_panels(job)));
    FUR_TRY(save_picture(job));
    return print_picture(job);
}

static fur_status spy(fur_context *context, const void *options)
{
    spy_job job = {.context = context, .options = options};
    fur_status status = spy_steps(&job);
    for (int i = 0; i < job.sheet.count; i++)
        raster_destroy(&job.sheet.panels[i].cells);
    fur_csr_destroy(job.reordered);
    fur_permutation_destroy(job.order);
    fur_csr_destroy(job.a.matrix);
    return status;
}

/* Returns the kind of picture for the file name. */
static drawer *find_kind(const char *path)
{
    for (size_t i = 0; path && i < sizeof kinds / sizeof *kinds; i++)
        if (new_file_is(path, kinds[i].suffix))
            return kinds[i].draw;
    return NULL;
}

static void parse_size(struct argp_state *state, const char *option, const char *text, void *pixels)
{
    *(int *)pixels = (int)command_whole_number(state, option, text, PIXELS_LEAST, PIXELS_MAX);
}

static void settle(struct argp_state *state, void *options)
{
    spy_options *o = options;
    command_pairing worse = {"--allow-worse", o->allow_worse, o->method, "with --reorder"};
    if (!o->out)
        argp_error(state, "--out is missing; it takes the name of the picture");
    o->draw = find_kind(o->out);
    if (!o->draw)
        argp_error(state, "--out takes a name that ends in .png or .svg, not '%s'", o->out);
    command_check(state, &worse, 1);
}

#define AT(member) .at = offsetof(spy_options, member)
static const line_option own_options[] = {
    {"out", "PICTURE", "Picture to write; its name ends in .png or .svg (required)", LINE_TEXT,
     AT(out), .letter = 'o'},
    {"reorder", "METHOD", "Also draw the reordered matrix; METHOD is a method of furrow reorder",
     LINE_CHOICE, AT(method), .names = command_method},
    {"allow-worse", NULL, "Use the method's order even if its bandwidth is larger", LINE_FLAG,
     AT(allow_worse)},
    {"size", "PIXELS", "Largest width and height of the pattern in pixels (default: 600)", LINE_OWN,
     AT(pixels), .parse = parse_size},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "FILE",
    .settle = settle,
    .doc = "Draw the pattern of a matrix. In the picture of a small matrix, each square is an "
           "entry. In the picture of a large matrix, each cell is a block of the matrix. Darker "
           "cells have more entries, on a logarithmic scale.",
};

int command_spy(int argc, char **argv)
{
    spy_options options = {.common = {.operands_min = 1, .operands_max = 1}, .pixels = PIXELS};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, spy, &options);
}
