/* Draws pictures as PNG, in an image of palette indices that libpng compresses and writes. */
#include "draw.h"

#include <png.h>
#include <string.h>

#include "font.h"
#include "utf8.h"

/* The palette: tones of a raster (0 is paper), the frame, and shades of ink and soft ink. A picture
 * of cells only uses the tones, so four bits per pixel suffice. */
#define SHADES 15
enum { FRAME = RASTER_TONES + 1, INK = FRAME + 1, SOFT = INK + SHADES, COLORS = SOFT + SHADES };

/* From this scale on there are gaps between neighbouring cells. */
#define SCALE_WITH_GAPS 4
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

static void paint_cells(void *self, int left, int top, const raster *r, double densest)
{
    canvas *c = self;
    int gap = r->rows.scale < SCALE_WITH_GAPS || r->cols.scale < SCALE_WITH_GAPS ? 0 : 1;
    for (int row = 0; row < r->rows.cells; row++) {
        for (int col = 0; col < r->cols.cells; col++) {
            fill(c, left + col * r->cols.scale, top + row * r->rows.scale, r->cols.scale - gap,
                 r->rows.scale - gap, raster_tone(r, row, col, densest));
        }
    }
}

/* Returns the glyph of a letter, or of U+FFFD; NULL if the build found no font. */
static const font_glyph *find_glyph(const font_face *face, uint32_t letter)
{
    int i = 0;
    while (i < face->count - 1 && face->glyphs[i].letter < letter)
        i++;
    if (face->count == 0)
        return NULL;
    return face->glyphs[i].letter == letter ? &face->glyphs[i] : &face->glyphs[face->count - 1];
}

/* Returns the first glyph of the text and advances past its bytes. */
static const font_glyph *next_glyph(const font_face *face, const char **text)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *bytes = (const unsigned char *)*text;
    size_t size = utf8_size(*text);
    uint32_t letter = bytes[0] & lead[size];
    for (size_t i = 1; i < size; i++)
        letter = letter << 6 | (bytes[i] & 0x3f);
    *text += size ? size : 1;
    return find_glyph(face, size ? letter : UINT32_MAX);
}

static int measure_text(const font_face *face, const char *text)
{
    int width = 0;
    while (*text && face->count > 0)
        width += next_glyph(face, &text)->advance;
    return width;
}

/* Paints a glyph on paper and clips it to the canvas. */
static void paint_glyph(canvas *c, const font_face *face, const font_glyph *g, int left,
                        int baseline, int ink)
{
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++) {
            int at_x = left + g->left + x;
            int at_y = baseline - g->top + y;
            int shade = face->coverage[g->coverage + (uint32_t)(y * g->width + x)] * SHADES / 255;
            if (shade > 0 && at_x >= 0 && at_x < c->width && at_y >= 0 && at_y < c->height)
                c->pixels[(size_t)at_y * (size_t)c->width + (size_t)at_x] =
                    (uint8_t)(ink + shade - 1);
        }
}

static void paint_text(void *self, int x, int baseline, draw_face which, draw_anchor anchor,
                       const char *text)
{
    const font_face *face = &font_faces[which];
    x -= anchor == DRAW_FROM ? 0 : measure_text(face, text) / (anchor == DRAW_AROUND ? 2 : 1);
    while (*text && face->count > 0) {
        const font_glyph *g = next_glyph(face, &text);
        paint_glyph(self, face, g, x, baseline, which == DRAW_SMALL ? SOFT : INK);
        x += g->advance;
    }
}

/* Returns the colour between paper and ink for a number of shades. */
static draw_color shade_of(draw_color ink, int shade)
{
    return (draw_color){(uint8_t)(255 - (255 - ink.red) * shade / SHADES),
                        (uint8_t)(255 - (255 - ink.green) * shade / SHADES),
                        (uint8_t)(255 - (255 - ink.blue) * shade / SHADES)};
}

static draw_color color_of(int index)
{
    if (index == 0)
        return draw_paper;
    if (index < FRAME)
        return draw_tone(index);
    if (index == FRAME)
        return draw_frame;
    return index < SOFT ? shade_of(draw_ink, index - INK + 1)
                        : shade_of(draw_soft, index - SOFT + 1);
}

/* Paints a box. Boxes have the colours of tones and frames only. */
static void paint_box(void *self, int left, int top, int width, int height, draw_color color)
{
    int index = 0;
    draw_color known = draw_paper;
    while (index < FRAME && memcmp(&known, &color, sizeof color) != 0)
        known = color_of(++index);
    fill(self, left, top, width, height, index);
}

static void make_palette(uint8_t palette[COLORS][4], uint8_t opacity_of_paper)
{
    for (int i = 0; i < COLORS; i++) {
        draw_color color = color_of(i);
        uint8_t opacity = i == 0 ? opacity_of_paper : OPAQUE;
        uint8_t entry[4] = {color.red, color.green, color.blue, opacity};
        memcpy(palette[i], entry, sizeof entry);
    }
}

/* Returns the canvas as a PNG file in memory, which the caller frees. */
static fur_status canvas_pack(const canvas *c, int colors, uint8_t opacity_of_paper, void **bytes,
                              size_t *size)
{
    uint8_t palette[COLORS][4];
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)c->width,
                       .height = (png_uint_32)c->height,
                       .format = PNG_FORMAT_RGBA_COLORMAP,
                       .colormap_entries = (png_uint_32)colors};
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image);
    void *memory = NULL;
    fur_status status = fur_context_allocate(c->context, room, &memory);
    if (status != FUR_OK)
        return status;
    make_palette(palette, opacity_of_paper);
    if (!png_image_write_to_memory(&image, memory, &room, 0, c->pixels, 0, palette)) {
        fur_context_release(c->context, memory);
        return fur_context_fail(c->context, FUR_OUT_OF_MEMORY,
                                "libpng cannot write the picture: %s", image.message);
    }
    *bytes = memory;
    *size = room;
    return FUR_OK;
}

bool draw_png_has_words(void)
{
    return font_faces[DRAW_TEXT].count > 0;
}

fur_status draw_png(fur_context *context, const draw_sheet *sheet, FILE *stream)
{
    draw_size extent = draw_extent(sheet);
    void *bytes = NULL;
    size_t size = 0;
    canvas c;
    fur_status status = canvas_create(context, extent.width, extent.height, &c);
    if (status != FUR_OK)
        return status;
    draw_run(sheet, &(draw_pen){&c, paint_text, paint_box, paint_cells});
    status = canvas_pack(&c, COLORS, OPAQUE, &bytes, &size);
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
    status = canvas_pack(&c, FRAME, CLEAR, bytes, size);
    fur_context_release(context, c.pixels);
    return status;
}
