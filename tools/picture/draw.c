/* Layout and colours of a picture. */
#include "draw.h"

#include <math.h>
#include <string.h>

#include "utf8.h"

/* Sizes in pixels. */
#define MARGIN 18
#define GAP 4      /* between the cells and their frame */
#define TICK 5     /* length of a tick */
#define LINE 20    /* height of a line of text */
#define BETWEEN 40 /* distance between panels */
#define SWATCH 16  /* side of a tone in the legend */
#define APART 64   /* least distance of numbers along an axis */

const int draw_em[DRAW_FACES] = {18, 14, 14, 12};

const draw_color draw_paper = {255, 255, 255};
const draw_color draw_ink = {30, 41, 59};
const draw_color draw_soft = {91, 104, 123};
const draw_color draw_frame = {148, 163, 184};

static const draw_color lightest = {160, 190, 240};
static const draw_color darkest = {10, 28, 80};

static uint8_t mix(uint8_t from, uint8_t to, int tone)
{
    return (uint8_t)(from + (to - from) * (tone - 1) / (RASTER_TONES - 1));
}

draw_color draw_tone(int tone)
{
    return (draw_color){.red = mix(lightest.red, darkest.red, tone),
                        .green = mix(lightest.green, darkest.green, tone),
                        .blue = mix(lightest.blue, darkest.blue, tone)};
}

/* Returns the least width of the text in usual faces. */
static int text_width(draw_face face, const char *text)
{
    int characters = 0;
    for (size_t size; *text; text += size ? size : 1) {
        size = utf8_size(text);
        characters++;
    }
    return characters * draw_em[face] * (face <= DRAW_HEAD ? 68 : 60) / 100 + 2;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int pixels(const raster_side *side)
{
    return side->cells * side->scale;
}

/* Returns the smallest of 1, 2, 5, 10, 20 ... that is at least x. */
static double round_step(double x)
{
    double power = pow(10, floor(log10(fmax(x, 1))));
    double lead = fmax(x, 1) / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void set_tick(const raster_side *side, double number, draw_tick *tick)
{
    tick->at = (number - 0.5) / (double)(side->block * side->cells);
    words_number(number, 0, tick->number);
}

int draw_ticks(const raster_side *side, int apart, draw_tick ticks[DRAW_TICKS_MAX])
{
    double size = (double)side->size;
    double least = apart * (double)side->block / side->scale;
    double step = round_step(fmax(least, size / (DRAW_TICKS_MAX - 2)));
    int count = 0;
    if (size >= 1)
        set_tick(side, 1, &ticks[count++]);
    for (int i = 1; i * step <= size - least; i++)
        if (i * step >= 1 + least)
            set_tick(side, i * step, &ticks[count++]);
    if (size > 1 && size - 1 >= least / 2)
        set_tick(side, size, &ticks[count++]);
    return count;
}

/* Returns the density that all panels use as the darkest tone, so that tones can be compared. */
static double densest_of(const draw_sheet *sheet)
{
    double densest = 0;
    for (int i = 0; i < sheet->count; i++)
        densest = fmax(densest, raster_densest(&sheet->panels[i].cells));
    return densest;
}

/* Returns the width left of the cells: row numbers, ticks and the frame. */
static int left_of_cells(const draw_panel *panel)
{
    char last[WORDS_BYTES];
    words_number((double)panel->cells.rows.size, 0, last);
    return text_width(DRAW_SMALL, last) + TICK + GAP + 6;
}

static int panel_width(const draw_panel *panel)
{
    char last[WORDS_BYTES];
    words_number((double)panel->cells.cols.size, 0, last);
    int width = left_of_cells(panel) + pixels(&panel->cells.cols) +
                larger(GAP, text_width(DRAW_SMALL, last) / 2);
    width = larger(width, text_width(DRAW_HEAD, panel->title));
    for (int i = 0; i < DRAW_LINES; i++)
        width = larger(width, text_width(DRAW_TEXT, panel->lines[i]));
    return width;
}

/* Returns the number of text lines above the panels, the same for all panels. */
static int lines_above(const draw_sheet *sheet)
{
    int most = 0;
    for (int i = 0; i < sheet->count; i++) {
        const draw_panel *panel = &sheet->panels[i];
        int lines = panel->title[0] != '\0';
        for (int k = 0; k < DRAW_LINES; k++)
            lines += panel->lines[k][0] != '\0';
        most = larger(most, lines);
    }
    return most;
}

/* Returns the top of the cells. The title, the panel's lines and the column numbers are above. */
static int top_of_cells(const draw_sheet *sheet)
{
    return MARGIN + 2 * LINE + 10 + lines_above(sheet) * LINE + LINE + TICK + GAP;
}

static int bottom_of_cells(const draw_sheet *sheet)
{
    int bottom = 0;
    for (int i = 0; i < sheet->count; i++)
        bottom = larger(bottom, pixels(&sheet->panels[i].cells.rows));
    return top_of_cells(sheet) + bottom + GAP;
}

static bool has_legend(const draw_sheet *sheet)
{
    const raster *r = &sheet->panels[0].cells;
    return densest_of(sheet) * (double)r->rows.block * (double)r->cols.block > 1;
}

/* Returns the height of a row over the width of a column; 1: true proportions. */
static double stretch(const draw_sheet *sheet)
{
    const raster *r = &sheet->panels[0].cells;
    return (double)(r->rows.scale * r->cols.block) / (double)(r->cols.scale * r->rows.block);
}

static void say_legend(const draw_sheet *sheet, char text[DRAW_LINE_BYTES])
{
    const raster *r = &sheet->panels[0].cells;
    char rows[WORDS_BYTES];
    char cols[WORDS_BYTES];
    words_number((double)r->rows.block, 0, rows);
    words_number((double)r->cols.block, 0, cols);
    snprintf(text, DRAW_LINE_BYTES, "entries in a cell of %s × %s", rows, cols);
}

static void say_stretch(const draw_sheet *sheet, char text[DRAW_LINE_BYTES])
{
    double ratio = stretch(sheet);
    char times[WORDS_BYTES];
    words_number(fmax(ratio, 1 / ratio), fmax(ratio, 1 / ratio) < 10 ? 1 : 0, times);
    snprintf(text, DRAW_LINE_BYTES,
             ratio > 1 ? "stretched: a row is drawn %s times as high as a column is wide"
                       : "stretched: a column is drawn %s times as wide as a row is high",
             times);
}

/* Formats the largest number of the legend: the entries of a full cell with the densest tone. */
static void say_most(const draw_sheet *sheet, char text[WORDS_BYTES])
{
    const raster *r = &sheet->panels[0].cells;
    words_number(densest_of(sheet) * (double)r->rows.block * (double)r->cols.block, 0, text);
}

draw_size draw_extent(const draw_sheet *sheet)
{
    char text[DRAW_LINE_BYTES];
    char most[WORDS_BYTES];
    draw_size size = {-BETWEEN, bottom_of_cells(sheet)};
    for (int i = 0; i < sheet->count; i++)
        size.width += panel_width(&sheet->panels[i]) + BETWEEN;
    size.width = larger(size.width, text_width(DRAW_TITLE, sheet->title));
    size.width = larger(size.width, text_width(DRAW_TEXT, sheet->subtitle));
    if (has_legend(sheet)) {
        say_legend(sheet, text);
        say_most(sheet, most);
        size.width = larger(size.width, text_width(DRAW_TEXT, text) + 40 + RASTER_TONES * SWATCH +
                                            text_width(DRAW_TEXT, most));
        size.height += LINE + 10;
    }
    if (stretch(sheet) != 1) {
        say_stretch(sheet, text);
        size.width = larger(size.width, text_width(DRAW_TEXT, text));
        size.height += LINE + (has_legend(sheet) ? 0 : 10);
    }
    size.width += 2 * MARGIN;
    size.height += MARGIN;
    return size;
}

/* Draws the four sides of a box, each one pixel wide. */
static void draw_outline(const draw_pen *pen, int left, int top, int width, int height)
{
    pen->box(pen->self, left, top, width, 1, draw_frame);
    pen->box(pen->self, left, top + height - 1, width, 1, draw_frame);
    pen->box(pen->self, left, top, 1, height, draw_frame);
    pen->box(pen->self, left + width - 1, top, 1, height, draw_frame);
}

/* Draws the numbers above the columns and left of the rows. left, top: position of the cells. */
static void draw_axes(const draw_pen *pen, const raster *r, int left, int top)
{
    draw_tick ticks[DRAW_TICKS_MAX];
    int count = draw_ticks(&r->cols, APART, ticks);
    for (int i = 0; i < count; i++) {
        int x = left + (int)(ticks[i].at * pixels(&r->cols));
        pen->box(pen->self, x, top - GAP - TICK, 1, TICK, draw_frame);
        pen->text(pen->self, x, top - GAP - TICK - 4, DRAW_SMALL, DRAW_AROUND, ticks[i].number);
    }
    count = draw_ticks(&r->rows, APART, ticks);
    for (int i = 0; i < count; i++) {
        int y = top + (int)(ticks[i].at * pixels(&r->rows));
        pen->box(pen->self, left - GAP - TICK, y, TICK, 1, draw_frame);
        pen->text(pen->self, left - GAP - TICK - 4, y + 4, DRAW_SMALL, DRAW_UP_TO, ticks[i].number);
    }
}

static void draw_one(const draw_sheet *sheet, const draw_panel *panel, int left,
                     const draw_pen *pen)
{
    const raster *r = &panel->cells;
    int baseline = MARGIN + 3 * LINE + 4;
    int top = top_of_cells(sheet);
    if (panel->title[0] != '\0') {
        pen->text(pen->self, left, baseline, DRAW_HEAD, DRAW_FROM, panel->title);
        baseline += LINE;
    }
    for (int i = 0; i < DRAW_LINES; i++) {
        if (panel->lines[i][0] != '\0')
            pen->text(pen->self, left, baseline, DRAW_TEXT, DRAW_FROM, panel->lines[i]);
        baseline += LINE;
    }
    left += left_of_cells(panel);
    draw_axes(pen, r, left, top);
    draw_outline(pen, left - GAP, top - GAP, pixels(&r->cols) + 2 * GAP,
                 pixels(&r->rows) + 2 * GAP);
    pen->cells(pen->self, left, top, r, densest_of(sheet));
}

/* Draws the legend: 1, the tones, and the largest number of entries in a cell. */
static void draw_legend(const draw_sheet *sheet, int baseline, const draw_pen *pen)
{
    char text[DRAW_LINE_BYTES];
    char most[WORDS_BYTES];
    say_legend(sheet, text);
    say_most(sheet, most);
    int left = MARGIN + text_width(DRAW_TEXT, text) + 24;
    pen->text(pen->self, MARGIN, baseline, DRAW_TEXT, DRAW_FROM, text);
    pen->text(pen->self, left - 6, baseline, DRAW_TEXT, DRAW_UP_TO, "1");
    for (int tone = 1; tone <= RASTER_TONES; tone++)
        pen->box(pen->self, left + (tone - 1) * SWATCH, baseline - 12, SWATCH, 14, draw_tone(tone));
    pen->text(pen->self, left + RASTER_TONES * SWATCH + 6, baseline, DRAW_TEXT, DRAW_FROM, most);
}

void draw_run(const draw_sheet *sheet, const draw_pen *pen)
{
    char text[DRAW_LINE_BYTES];
    int left = MARGIN;
    int baseline = bottom_of_cells(sheet) + LINE + 6;
    pen->text(pen->self, MARGIN, MARGIN + 16, DRAW_TITLE, DRAW_FROM, sheet->title);
    pen->text(pen->self, MARGIN, MARGIN + 16 + LINE, DRAW_TEXT, DRAW_FROM, sheet->subtitle);
    for (int i = 0; i < sheet->count; i++) {
        draw_one(sheet, &sheet->panels[i], left, pen);
        left += panel_width(&sheet->panels[i]) + BETWEEN;
    }
    if (has_legend(sheet)) {
        draw_legend(sheet, baseline, pen);
        baseline += LINE;
    }
    if (stretch(sheet) != 1) {
        say_stretch(sheet, text);
        pen->text(pen->self, MARGIN, baseline, DRAW_TEXT, DRAW_FROM, text);
    }
}
