/* What the kinds of pictures share: where things are, and their colours. */
#include "draw.h"

#include <math.h>
#include <string.h>

const draw_color draw_paper = {255, 255, 255};
const draw_color draw_ink = {30, 41, 59};
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

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int measure_width(const draw_panel *panel)
{
    int width = panel->cells.cols.cells * panel->cells.cols.scale + 2 * DRAW_GAP;
    width = larger(width, (int)strlen(panel->title) * DRAW_LETTER);
    for (int i = 0; i < DRAW_LINES; i++)
        width = larger(width, (int)strlen(panel->lines[i]) * DRAW_LETTER);
    return width;
}

draw_box draw_place(const draw_sheet *sheet, int panel)
{
    draw_box box = {.left = DRAW_MARGIN, .top = DRAW_MARGIN + DRAW_ROW + 2 * DRAW_GAP};
    for (int i = 0; i < panel; i++)
        box.left += measure_width(&sheet->panels[i]) + 2 * DRAW_MARGIN;
    const raster_side *rows = &sheet->panels[panel].cells.rows;
    box.width = measure_width(&sheet->panels[panel]);
    box.height = rows->cells * rows->scale;
    return box;
}

draw_box draw_extent(const draw_sheet *sheet)
{
    draw_box last = draw_place(sheet, sheet->count - 1);
    int below = 2 * DRAW_GAP + sheet->lines * DRAW_ROW + DRAW_MARGIN;
    return (draw_box){.width = last.left + last.width + DRAW_MARGIN,
                      .height = last.top + last.height + below};
}

double draw_densest(const draw_sheet *sheet)
{
    double densest = 0.0;
    for (int i = 0; i < sheet->count; i++)
        densest = fmax(densest, raster_densest(&sheet->panels[i].cells));
    return densest;
}
