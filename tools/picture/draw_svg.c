/* Draws pictures as SVG with one path per tone. A line of the path is a horizontal run of cells. */
#include "draw.h"

#include <stdlib.h>

static void put_color(FILE *stream, const char *attribute, draw_color color)
{
    fprintf(stream, " %s=\"#%02x%02x%02x\"", attribute, color.red, color.green, color.blue);
}

static void put_text(void *self, int x, int baseline, draw_face face, draw_anchor anchor,
                     const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(self, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" font-weight=\"%d\" text-anchor=\"%s\"",
            x, baseline, draw_em[face], face <= DRAW_HEAD ? 600 : 400, anchors[anchor]);
    put_color(self, "fill", face == DRAW_SMALL ? draw_soft : draw_ink);
    fputs(">", self);
    words_put(self, text);
    fputs("</text>\n", self);
}

static void put_box(void *self, int left, int top, int width, int height, draw_color color)
{
    fprintf(self, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", left, top, width, height);
    put_color(self, "fill", color);
    fputs("/>\n", self);
}

/* Writes the runs of one tone in one row: distance from the last run's end, and length. */
static void put_runs(FILE *stream, const raster *r, int row, int tone, double densest)
{
    int end = -1; /* end of the last run */
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

/* Writes the cells. The unit is a cell, and the middle of a cell is half a unit from grid lines. */
static void put_cells(void *self, int left, int top, const raster *r, double densest)
{
    fprintf(self,
            "<g transform=\"translate(%d %d) scale(%d %d) translate(0 .5)\" fill=\"none\" "
            "stroke-width=\"1\" shape-rendering=\"crispEdges\">\n",
            left, top, r->cols.scale, r->rows.scale);
    for (int tone = 1; tone <= RASTER_TONES; tone++) {
        fputs("<path", self);
        put_color(self, "stroke", draw_tone(tone));
        fputs(" d=\"", self);
        for (int row = 0; row < r->rows.cells; row++)
            put_runs(self, r, row, tone, densest);
        fputs("\"/>\n", self);
    }
    fputs("</g>\n", self);
}

fur_status draw_svg(fur_context *context, const draw_sheet *sheet, FILE *stream)
{
    (void)context;
    draw_size extent = draw_extent(sheet);
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n",
            extent.width, extent.height, extent.width, extent.height);
    put_box(stream, 0, 0, extent.width, extent.height, draw_paper);
    draw_run(sheet, &(draw_pen){stream, put_text, put_box, put_cells});
    fputs("</svg>\n", stream);
    return FUR_OK;
}
