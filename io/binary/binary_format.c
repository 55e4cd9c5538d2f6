/* The header of a .fur file. Every word of it is either bounded or determined by other words. */
#include "binary_format.h"

#include <furrow/author/try.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef FURROW_WITH_XXHASH
#    define XXH_INLINE_ALL
#    include <xxhash.h>
#else
/* Unused in a build without checksums: fur_binary_need refuses reading and writing. */
#    define XXH3_64bits(bytes, size) ((void)(bytes), (void)(size), UINT64_C(0))
#endif

#define WORDS (sizeof(fur_binary_header) / sizeof(uint64_t))
_Static_assert(sizeof(fur_binary_header) == 19 * sizeof(uint64_t), "a header is made of words");

/* With at most this many entries, neither the size of a section nor the sum of sizes overflows. */
#define MAX_ENTRIES (UINT64_C(1) << 56)

/* The names of the words in messages, and their largest values. */
static const struct {
    const char *name;
    uint64_t most;
} words[WORDS] = {
    {"signature", UINT64_MAX},
    {"version", UINT64_MAX},
    {"size of the header", UINT64_MAX},
    {"size of a piece", UINT64_MAX},
    {"kind", FUR_BINARY_VECTOR},
    {"value type", FUR_VALUE_COUNT - 1},
    {"offset type", FUR_OFFSET_COUNT - 1},
    {"field", FUR_MTX_PATTERN},
    {"symmetry", FUR_MTX_HERMITIAN},
    {"rows", MAX_ENTRIES},
    {"columns", INT32_MAX},
    {"entries", MAX_ENTRIES},
    {"place of the checksums", UINT64_MAX},
    {"place of the offsets", UINT64_MAX},
    {"place of the columns", UINT64_MAX},
    {"place of the values", UINT64_MAX},
    {"size of the file", UINT64_MAX},
    {"checksum of the checksums", UINT64_MAX},
    {"checksum of the header", UINT64_MAX},
};

static int64_t count_pieces(const fur_binary_extent *section)
{
    return (int64_t)((section->size + FUR_BINARY_PIECE - 1) / FUR_BINARY_PIECE);
}

/* Counts the pieces of offsets, columns and values. Each section begins a new piece. */
static int64_t count_all_pieces(const fur_binary_layout *layout)
{
    int64_t count = 0;
    for (int i = FUR_BINARY_OFFSETS; i < FUR_BINARY_SECTIONS; i++)
        count += count_pieces(&layout->sections[i]);
    return count;
}

fur_binary_piece fur_binary_get_piece(const fur_binary_layout *layout, int64_t index)
{
    int i = FUR_BINARY_OFFSETS;
    for (; index >= count_pieces(&layout->sections[i]); i++)
        index -= count_pieces(&layout->sections[i]);
    uint64_t begin = (uint64_t)index * FUR_BINARY_PIECE;
    uint64_t left = layout->sections[i].size - begin;
    return (fur_binary_piece){.section = (fur_binary_section)i,
                              .begin = begin,
                              .size = left < FUR_BINARY_PIECE ? left : FUR_BINARY_PIECE};
}

fur_status fur_binary_need(fur_context *context, const char *path)
{
#ifdef FURROW_WITH_XXHASH
    (void)context, (void)path;
    return FUR_OK;
#else
    return fur_context_fail(context, FUR_UNSUPPORTED,
                            "%.400s: this build cannot read or write .fur files; build furrow with "
                            "FURROW_WITH_XXHASH=ON",
                            path);
#endif
}

uint64_t fur_binary_sum(const void *bytes, uint64_t size)
{
    return XXH3_64bits(bytes, size);
}

typedef struct summing {
    const fur_binary_layout *layout;
    const void *const *arrays;
    uint64_t *table;
} summing;

static void sum_pieces(void *user, int64_t begin, int64_t end)
{
    const summing *s = user;
    for (int64_t i = begin; i < end; i++) {
        fur_binary_piece piece = fur_binary_get_piece(s->layout, i);
        const char *bytes = s->arrays[piece.section];
        s->table[i] = fur_binary_sum(bytes + piece.begin, piece.size);
    }
}

void fur_binary_make_table(fur_context *context, const fur_binary_layout *layout,
                           const void *const arrays[FUR_BINARY_SECTIONS], uint64_t *table)
{
    fur_context_parallel(context, layout->pieces, 1, sum_pieces, &(summing){layout, arrays, table});
}

static uint64_t align(uint64_t at)
{
    return (at + FUR_BINARY_ALIGNMENT - 1) / FUR_BINARY_ALIGNMENT * FUR_BINARY_ALIGNMENT;
}

fur_binary_layout fur_binary_lay_out(const fur_binary_header *header)
{
    bool matrix = header->kind == FUR_BINARY_MATRIX;
    bool pattern = header->field == FUR_MTX_PATTERN;
    uint64_t value_size = pattern ? 0 : fur_value_size((fur_value_type)header->value);
    uint64_t offset_size = matrix ? fur_offset_size((fur_offset_type)header->offset) : 0;
    fur_binary_layout layout = {0};
    fur_binary_extent *sections = layout.sections;
    sections[FUR_BINARY_HEADER].size = sizeof *header;
    sections[FUR_BINARY_OFFSETS].size = (header->rows + 1) * offset_size;
    sections[FUR_BINARY_COLUMNS].size = matrix ? header->entries * sizeof(int32_t) : 0;
    sections[FUR_BINARY_VALUES].size = header->entries * value_size;
    layout.pieces = count_all_pieces(&layout);
    sections[FUR_BINARY_TABLE].size = (uint64_t)layout.pieces * sizeof(uint64_t);
    for (int i = 1; i < FUR_BINARY_SECTIONS; i++)
        sections[i].at = align(sections[i - 1].at + sections[i - 1].size);
    layout.file_size = sections[FUR_BINARY_VALUES].at + sections[FUR_BINARY_VALUES].size;
    return layout;
}

void fur_binary_complete(fur_binary_header *header)
{
    fur_binary_layout layout = fur_binary_lay_out(header);
    header->signature = FUR_BINARY_SIGNATURE;
    header->version = FUR_BINARY_VERSION;
    header->header_size = sizeof *header;
    header->piece_size = FUR_BINARY_PIECE;
    header->table_at = layout.sections[FUR_BINARY_TABLE].at;
    header->offsets_at = layout.sections[FUR_BINARY_OFFSETS].at;
    header->columns_at = layout.sections[FUR_BINARY_COLUMNS].at;
    header->values_at = layout.sections[FUR_BINARY_VALUES].at;
    header->file_size = layout.file_size;
}

uint64_t fur_binary_header_sum(const fur_binary_header *header)
{
    return fur_binary_sum(header, offsetof(fur_binary_header, header_sum));
}

/* Completes the header of a vector, which is one column of real or complex numbers. */
static void complete_vector(fur_binary_header *header)
{
    header->offset = 0;
    header->field = header->field == FUR_MTX_PATTERN ? FUR_MTX_REAL : header->field;
    header->symmetry = FUR_MTX_GENERAL;
    header->cols = 1;
    header->entries = header->rows;
}

/* Returns the header that follows from the free words of `found`. */
static fur_binary_header expect(const fur_binary_header *found)
{
    fur_binary_header header = *found;
    if (found->kind == FUR_BINARY_VECTOR)
        complete_vector(&header);
    fur_binary_complete(&header);
    return header;
}

static fur_status check_limits(fur_context *context, const char *path, const uint64_t *found)
{
    for (size_t i = 0; i < WORDS; i++)
        if (found[i] > words[i].most)
            return FUR_BINARY_FAIL(
                context, path, i * sizeof *found, "found %llu as %s, expected at most %llu",
                (unsigned long long)found[i], words[i].name, (unsigned long long)words[i].most);
    return FUR_OK;
}

static fur_status check_equal(fur_context *context, const char *path, const uint64_t *found,
                              const uint64_t *expected)
{
    for (size_t i = 0; i < WORDS; i++)
        if (found[i] != expected[i])
            return FUR_BINARY_FAIL(context, path, i * sizeof *found,
                                   "found %llu as %s, expected %llu", (unsigned long long)found[i],
                                   words[i].name, (unsigned long long)expected[i]);
    return FUR_OK;
}

/* Signature, checksum and version have the same meaning in every version. */
static fur_status check_version(fur_context *context, const char *path,
                                const fur_binary_header *header)
{
    uint64_t sum = fur_binary_header_sum(header);
    if (header->signature != FUR_BINARY_SIGNATURE)
        return FUR_BINARY_FAIL(context, path, 0, "found %#llx, expected the signature %#llx",
                               (unsigned long long)header->signature,
                               (unsigned long long)FUR_BINARY_SIGNATURE);
    if (header->header_sum != sum)
        return FUR_BINARY_FAIL(context, path, offsetof(fur_binary_header, header_sum),
                               "found %#llx as checksum of the header, expected %#llx",
                               (unsigned long long)header->header_sum, (unsigned long long)sum);
    if (header->version > FUR_BINARY_VERSION)
        return fur_context_fail(context, FUR_UNSUPPORTED,
                                "%.400s: the file has version %llu of the format, but this library "
                                "reads up to version %d; use a newer library",
                                path, (unsigned long long)header->version, FUR_BINARY_VERSION);
    return FUR_OK;
}

fur_status fur_binary_check(fur_context *context, const char *path, const fur_binary_header *header,
                            uint64_t file_size)
{
    uint64_t found[WORDS], expected[WORDS];
    FUR_TRY(check_version(context, path, header));
    memcpy(found, header, sizeof found);
    FUR_TRY(check_limits(context, path, found));
    fur_binary_header own = expect(header);
    memcpy(expected, &own, sizeof expected);
    FUR_TRY(check_equal(context, path, found, expected));
    if (header->file_size != file_size)
        return FUR_BINARY_FAIL(context, path, file_size < own.file_size ? file_size : own.file_size,
                               "found a file of %llu bytes, expected %llu",
                               (unsigned long long)file_size, (unsigned long long)own.file_size);
    return FUR_OK;
}

fur_mtx_header fur_binary_describe(const fur_binary_header *header)
{
    bool matrix = header->kind == FUR_BINARY_MATRIX;
    return (fur_mtx_header){.size = sizeof(fur_mtx_header),
                            .format = matrix ? FUR_MTX_COORDINATE : FUR_MTX_ARRAY,
                            .field = (fur_mtx_field)header->field,
                            .symmetry = (fur_mtx_symmetry)header->symmetry,
                            .rows = (int64_t)header->rows,
                            .cols = (int64_t)header->cols,
                            .entries_in_file = (int64_t)header->entries};
}
