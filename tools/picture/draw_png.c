/* Pictures as PNG: painted into an image of palette indices, which libpng packs and writes. */
#include "draw.h"

#include <png.h>
#include <string.h>

#include "font.h"

/* The palette: the tones of a raster, 0 being paper, and behind them two more. 14 colours need four
 * bits a pixel. */
enum { FRAME = RASTER_TONES + 1, INK, COLORS };

/* From this scale on neighbours stand apart. */
#define SCALE_WITH_GAPS 4
#define LETTER_SCALE 2
#define CLEAR 0
#define OPAQUE 255

typedef struct canvas {
    fur_context *context;
    int width;
    int height;
    uint8_t *pixels;
} canvas;

static fur_status canvas_create(fur_context *context, int width, int height, canvas *out)
{
    size_t bytes = (size_t)width * (size_t)height;
    void *memory = NULL;
    fur_status status = fur_context_allocate(context, bytes, &memory);
    if (status == FUR_OK)
        *out = (canvas){context, width, height, memset(memory, 0, bytes)};
    return status;
}

static void fill(canvas *c, int left, int top, int width, int height, int color)
{
    for (int y = top; y < top + height; y++)
        memset(c->pixels + (size_t)y * (size_t)c->width + left, color, (size_t)width);
}

static void paint_letter(canvas *c, int left, int top, char letter)
{
    for (int y = 0; y < FONT_HEIGHT; y++) {
        for (int x = 0; x < FONT_WIDTH; x++) {
            if (font_pixel(letter, x, y)) {
                fill(c, left + x * LETTER_SCALE, top + y * LETTER_SCALE, LETTER_SCALE, LETTER_SCALE,
                     INK);
            }
        }
    }
}

static void paint_text(canvas *c, int left, int top, const char *text)
{
    for (int i = 0; text[i]; i++)
        paint_letter(c, left + i * DRAW_LETTER, top, text[i]);
}

static void paint_cells(canvas *c, int left, int top, const raster *r, double densest)
{
    int gap = r->rows.scale < SCALE_WITH_GAPS || r->cols.scale < SCALE_WITH_GAPS ? 0 : 1;
    for (int row = 0; row < r->rows.cells; row++) {
        for (int col = 0; col < r->cols.cells; col++) {
            fill(c, left + col * r->cols.scale, top + row * r->rows.scale, r->cols.scale - gap,
                 r->rows.scale - gap, raster_tone(r, row, col, densest));
        }
    }
}

/* Filled, and emptied again inside. */
static void paint_frame(canvas *c, int left, int top, int width, int height)
{
    fill(c, left, top, width, height, FRAME);
    fill(c, left + 1, top + 1, width - 2, height - 2, 0);
}

static void paint_panel(canvas *c, const draw_sheet *sheet, int index, double densest)
{
    const draw_panel *panel = &sheet->panels[index];
    draw_box box = draw_place(sheet, index);
    int width = panel->cells.cols.cells * panel->cells.cols.scale;
    paint_text(c, box.left, DRAW_MARGIN, panel->title);
    paint_frame(c, box.left, box.top - DRAW_GAP, width + 2 * DRAW_GAP, box.height + 2 * DRAW_GAP);
    paint_cells(c, box.left + DRAW_GAP, box.top, &panel->cells, densest);
    for (int i = 0; i < sheet->lines; i++) {
        paint_text(c, box.left, box.top + box.height + 3 * DRAW_GAP + i * DRAW_ROW,
                   panel->lines[i]);
    }
}

/* Red, green, blue and opacity of each index. */
static void make_palette(uint8_t palette[COLORS][4], uint8_t opacity_of_paper)
{
    for (int i = 0; i < COLORS; i++) {
        draw_color color = i == 0       ? draw_paper
                           : i == FRAME ? draw_frame
                           : i == INK   ? draw_ink
                                        : draw_tone(i);
        uint8_t opacity = i == 0 ? opacity_of_paper : OPAQUE;
        uint8_t entry[4] = {color.red, color.green, color.blue, opacity};
        memcpy(palette[i], entry, sizeof entry);
    }
}

/* The canvas as a PNG file in memory, which is the caller's to release. */
static fur_status canvas_pack(const canvas *c, uint8_t opacity_of_paper, void **bytes, size_t *size)
{
    uint8_t palette[COLORS][4];
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)c->width,
                       .height = (png_uint_32)c->height,
                       .format = PNG_FORMAT_RGBA_COLORMAP,
                       .colormap_entries = COLORS};
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image);
    void *memory = NULL;
    fur_status status = fur_context_allocate(c->context, room, &memory);
    if (status != FUR_OK)
        return status;
    make_palette(palette, opacity_of_paper);
    if (!png_image_write_to_memory(&image, memory, &room, 0, c->pixels, 0, palette)) {
        fur_context_release(c->context, memory);
        return fur_context_fail(c->context, FUR_OUT_OF_MEMORY, "libpng refuses the picture: %s",
                                image.message);
    }
    *bytes = memory;
    *size = room;
    return FUR_OK;
}

fur_status draw_png(fur_context *context, const draw_sheet *sheet, FILE *stream)
{
    draw_box extent = draw_extent(sheet);
    double densest = draw_densest(sheet);
    void *bytes = NULL;
    size_t size = 0;
    canvas c;
    fur_status status = canvas_create(context, extent.width, extent.height, &c);
    if (status != FUR_OK)
        return status;
    for (int i = 0; i < sheet->count; i++)
        paint_panel(&c, sheet, i, densest);
    status = canvas_pack(&c, OPAQUE, &bytes, &size);
    if (status == FUR_OK)
        fwrite(bytes, 1, size, stream);
    fur_context_release(context, bytes);
    fur_context_release(context, c.pixels);
    return status;
}

fur_status draw_png_cells(fur_context *context, const raster *cells, double densest, void **bytes,
                          size_t *size)
{
    canvas c;
    fur_status status = canvas_create(context, cells->cols.cells * cells->cols.scale,
                                      cells->rows.cells * cells->rows.scale, &c);
    if (status != FUR_OK)
        return status;
    paint_cells(&c, 0, 0, cells, densest);
    status = canvas_pack(&c, CLEAR, bytes, size);
    fur_context_release(context, c.pixels);
    return status;
}
