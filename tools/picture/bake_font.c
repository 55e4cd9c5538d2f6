/* Writes font.c: the letters of Latin-1 and some others as pixels.
 *
 *   bake_font BOLD.ttf REGULAR.ttf font.c */
#include <ft2build.h>
#include FT_FREETYPE_H

#include <stdio.h>
#include <stdlib.h>

static const struct {
    int file; /* index of the argument */
    unsigned em;
} faces[] = {{1, 18}, {1, 14}, {2, 14}, {2, 12}}; /* draw_em and the boldness, in this order */
#define FACES (sizeof faces / sizeof *faces)

static void check(FT_Error error, const char *what)
{
    if (error) {
        fprintf(stderr, "bake_font: %s: FreeType's error %d\n", what, error);
        exit(EXIT_FAILURE);
    }
}

/* Calls `visit` for every letter in the face. */
static void for_letters(FT_Face face, void (*visit)(FT_GlyphSlot glyph, FT_ULong letter))
{
    static const FT_ULong others[] = {0x2013, 0x2026, 0x2192, 0xfffd};
    for (FT_ULong i = 0x20; i < 0x100 + sizeof others / sizeof *others; i++) {
        FT_ULong letter = i < 0x100 ? i : others[i - 0x100];
        if ((letter >= 0x7f && letter < 0xa0) || !FT_Get_Char_Index(face, letter))
            continue;
        check(FT_Load_Char(face, letter, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT), "a letter");
        visit(face->glyph, letter);
    }
}

static void put_pixels(FT_GlyphSlot glyph, FT_ULong letter)
{
    (void)letter;
    for (unsigned y = 0; y < glyph->bitmap.rows; y++)
        for (unsigned x = 0; x < glyph->bitmap.width; x++)
            printf("%d,", glyph->bitmap.buffer[(int)y * glyph->bitmap.pitch + (int)x]);
    puts("");
}

static unsigned at, letters;

static void put_glyph(FT_GlyphSlot glyph, FT_ULong letter)
{
    printf("{%lu,%d,%d,%u,%u,%ld,%u},\n", letter, glyph->bitmap_left, glyph->bitmap_top,
           glyph->bitmap.width, glyph->bitmap.rows, (glyph->advance.x + 32) / 64, at);
    at += glyph->bitmap.rows * glyph->bitmap.width;
    letters++;
}

int main(int argc, char **argv)
{
    FT_Library library;
    unsigned counts[FACES];
    if (argc != 4 || !freopen(argv[3], "w", stdout))
        return EXIT_FAILURE;
    check(FT_Init_FreeType(&library), "FreeType");
    puts("#include \"font.h\"");
    for (size_t i = 0; i < FACES; i++) {
        FT_Face face;
        check(FT_New_Face(library, argv[faces[i].file], 0, &face), argv[faces[i].file]);
        check(FT_Set_Pixel_Sizes(face, 0, faces[i].em), "its size");
        printf("static const uint8_t pixels_%zu[] = {\n", i);
        for_letters(face, put_pixels);
        printf("};\nstatic const font_glyph glyphs_%zu[] = {\n", i);
        at = letters = 0;
        for_letters(face, put_glyph);
        puts("};");
        counts[i] = letters;
        FT_Done_Face(face);
    }
    puts("const font_face font_faces[] = {");
    for (size_t i = 0; i < FACES; i++)
        printf("{%u,glyphs_%zu,pixels_%zu},\n", counts[i], i, i);
    puts("};");
    FT_Done_FreeType(library);
    return fclose(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
