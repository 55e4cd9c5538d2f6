/* Pictures as SVG: one path a tone, in whose strokes a horizontal run of cells is one line. */
#include "draw.h"

#include <stdlib.h>

static void put_color(FILE *stream, const char *attribute, draw_color color)
{
    fprintf(stream, " %s=\"#%02x%02x%02x\"", attribute, color.red, color.green, color.blue);
}

/* Labels are of the command's own words, numbers and methods' names: nothing of XML is in them. */
static void put_text(FILE *stream, int left, int baseline, const char *weight, const char *text)
{
    fprintf(stream, "<text x=\"%d\" y=\"%d\" font-size=\"17\" font-weight=\"%s\"", left, baseline,
            weight);
    put_color(stream, "fill", draw_ink);
    fprintf(stream, ">%s</text>\n", text);
}

/* The runs of one tone in one row: how far from the last one's end, and how long. */
static void put_runs(FILE *stream, const raster *r, int row, int tone, double densest)
{
    int end = -1; /* of the last run */
    for (int col = 0; col < r->cols.cells; col++) {
        if (raster_tone(r, row, col, densest) != tone)
            continue;
        int start = col;
        while (col + 1 < r->cols.cells && raster_tone(r, row, col + 1, densest) == tone)
            col++;
        if (end < 0)
            fprintf(stream, "M%d %d", start, row);
        else
            fprintf(stream, "m%d 0", start - end);
        end = col + 1;
        fprintf(stream, "h%d", end - start);
    }
}

static void put_cells(FILE *stream, const raster *r, double densest)
{
    for (int tone = 1; tone <= RASTER_TONES; tone++) {
        fputs("<path", stream);
        put_color(stream, "stroke", draw_tone(tone));
        fputs(" d=\"", stream);
        for (int row = 0; row < r->rows.cells; row++)
            put_runs(stream, r, row, tone, densest);
        fputs("\"/>\n", stream);
    }
}

/* Cells are drawn in units of cells, their middles half a unit from the grid's lines. */
static void put_panel(FILE *stream, const draw_sheet *sheet, int index, double densest)
{
    const draw_panel *panel = &sheet->panels[index];
    const raster *r = &panel->cells;
    draw_box box = draw_place(sheet, index);
    put_text(stream, box.left, DRAW_MARGIN + DRAW_ROW - DRAW_GAP, "600", panel->title);
    fprintf(stream, "<rect x=\"%d.5\" y=\"%d.5\" width=\"%d\" height=\"%d\" fill=\"none\"",
            box.left, box.top - DRAW_GAP, r->cols.cells * r->cols.scale + 2 * DRAW_GAP - 1,
            box.height + 2 * DRAW_GAP - 1);
    put_color(stream, "stroke", draw_frame);
    fprintf(stream,
            "/>\n<g transform=\"translate(%d %d) scale(%d %d) translate(0 .5)\" fill=\"none\" "
            "stroke-width=\"1\" shape-rendering=\"crispEdges\">\n",
            box.left + DRAW_GAP, box.top, r->cols.scale, r->rows.scale);
    put_cells(stream, r, densest);
    fputs("</g>\n", stream);
    for (int i = 0; i < sheet->lines; i++) {
        put_text(stream, box.left, box.top + box.height + 2 * DRAW_GAP + (i + 1) * DRAW_ROW - 5,
                 "400", panel->lines[i]);
    }
}

fur_status draw_svg(fur_context *context, const draw_sheet *sheet, FILE *stream)
{
    (void)context;
    draw_box extent = draw_extent(sheet);
    double densest = draw_densest(sheet);
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"system-ui, sans-serif\">\n"
            "<rect width=\"100%%\" height=\"100%%\"",
            extent.width, extent.height, extent.width, extent.height);
    put_color(stream, "fill", draw_paper);
    fputs("/>\n", stream);
    for (int i = 0; i < sheet->count; i++)
        put_panel(stream, sheet, i, densest);
    fputs("</svg>\n", stream);
    return FUR_OK;
}
