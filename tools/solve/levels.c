/* The levels of a hierarchy: number of rows and entries, and a picture of the pattern. */
#include "levels.h"

#include <furrow/author/precond.h>

#include "command.h"
#include "draw.h"
#include "page.h"

#include <math.h>

/* Pixels on the longer side of a picture. */
#define PIXELS 160

static fur_status take_level(fur_context *context, const fur_csr *a, level_shown *out)
{
    raster cells;
    FUR_TRY(raster_create(a, PIXELS, &cells));
    out->rows = (double)fur_csr_get(a)->rows;
    out->entries = (double)fur_csr_get(a)->entries;
    out->width = cells.cols.cells * cells.cols.scale;
    out->height = cells.rows.cells * cells.rows.scale;
    fur_status status =
        draw_png_cells(context, &cells, raster_densest(&cells), &out->picture, &out->size);
    raster_destroy(&cells);
    return status;
}

fur_status levels_take(levels *l, fur_context *context, const fur_amg *amg)
{
    const fur_amg_level *level;
    levels_release(l);
    l->context = context;
    l->report = *fur_amg_describe(amg);
    while (l->count < LEVELS_MAX && (level = fur_amg_level_at(amg, l->count)) != NULL) {
        FUR_TRY(take_level(context, level->a, &l->shown[l->count]));
        l->count++;
    }
    return FUR_OK;
}

static void put_level(const levels *l, int index, FILE *stream)
{
    const level_shown *s = &l->shown[index];
    char rows[WORDS_BYTES];
    char entries[WORDS_BYTES];
    page_count(s->rows, rows);
    page_count(s->entries, entries);
    fprintf(stream,
            "<tr><th scope=\"row\">%d</th><td>%s</td><td>%s<div class=\"bar new\" "
            "style=\"width:%.1f%%\"></div></td><td>%.1f</td><td><img width=\"%d\" "
            "height=\"%d\" alt=\"Where the entries of level %d are\" "
            "src=\"data:image/png;base64,",
            index, rows, entries,
            l->shown[0].entries > 0 ? 100 * s->entries / l->shown[0].entries : 0,
            s->rows > 0 ? s->entries / s->rows : 0, s->width, s->height, index);
    page_put_base64(stream, s->picture, s->size);
    fputs("\"></td></tr>\n", stream);
}

void levels_put(const levels *l, double factor, FILE *stream)
{
    char bytes[WORDS_BYTES];
    char seconds[WORDS_BYTES];
    if (l->count == 0)
        return;
    page_count((double)l->report.bytes, bytes);
    page_time(l->report.seconds_setup, seconds);
    fputs("<section class=\"card\">\n<h2>Levels of multigrid</h2>\n<table class=\"levels\">\n"
          "<thead><tr><th scope=\"col\">level</th><th scope=\"col\">rows</th>"
          "<th scope=\"col\">entries</th><th scope=\"col\">a row</th><th scope=\"col\">pattern</th>"
          "</tr></thead>\n<tbody>\n",
          stream);
    for (int i = 0; i < l->count; i++)
        put_level(l, i, stream);
    fprintf(stream,
            "</tbody>\n</table>\n<p class=\"note\">All levels have %.2f times the entries of the "
            "matrix and %.2f times its rows, need %s more bytes, and were built in %s. "
            "Smoother: %s.",
            l->report.operator_complexity, l->report.grid_complexity, bytes, seconds,
            l->report.smoother);
    if (isfinite(factor))
        fprintf(stream, " An iteration reduces the residual to %.2f on average.", factor);
    fputs("</p>\n</section>\n", stream);
}

void levels_release(levels *l)
{
    for (int i = 0; i < LEVELS_MAX; i++) {
        if (l->shown[i].picture)
            fur_context_release(l->context, l->shown[i].picture);
        l->shown[i] = (level_shown){0};
    }
    l->count = 0;
}
