/* The head of a .fur file and where everything else in it lies: docs/binary-format.md. */
#ifndef FURROW_IO_BINARY_FORMAT_H
#define FURROW_IO_BINARY_FORMAT_H

#include <furrow/mtx.h>

/* Bytes go between memory and file as they are. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".fur files are little endian");

/* The bytes 89 'F' 'U' 'R' 0d 0a 1a 0a. As in PNG the first is not ASCII and the line ends do not
 * survive a transfer as text. */
#define FUR_BINARY_SIGNATURE UINT64_C(0x0a1a0a0d52554689)
#define FUR_BINARY_VERSION 1

/* Sections begin at multiples of a page, so that each can be mapped, or read past the cache. */
#define FUR_BINARY_ALIGNMENT 4096

/* Sections are checked in pieces of this size, which stay in a core's cache between reading and
 * checking. */
#define FUR_BINARY_PIECE ((uint64_t)1 << 18)

typedef enum fur_binary_kind { FUR_BINARY_MATRIX = 0, FUR_BINARY_VECTOR } fur_binary_kind;

/* In the order of the file. The table has the checksum of every piece of the sections behind it. */
typedef enum fur_binary_section {
    FUR_BINARY_HEADER = 0,
    FUR_BINARY_TABLE,
    FUR_BINARY_OFFSETS,
    FUR_BINARY_COLUMNS,
    FUR_BINARY_VALUES
} fur_binary_section;
#define FUR_BINARY_SECTIONS 5

/* The first bytes of a file. Every member is one word. */
typedef struct fur_binary_header {
    uint64_t signature;
    uint64_t version;
    uint64_t header_size;
    uint64_t piece_size;
    uint64_t kind;     /* fur_binary_kind */
    uint64_t value;    /* fur_value_type */
    uint64_t offset;   /* fur_offset_type */
    uint64_t field;    /* fur_mtx_field */
    uint64_t symmetry; /* fur_mtx_symmetry */
    uint64_t rows;
    uint64_t cols;
    uint64_t entries;
    uint64_t table_at;
    uint64_t offsets_at;
    uint64_t columns_at;
    uint64_t values_at;
    uint64_t file_size;
    uint64_t table_sum;
    uint64_t header_sum; /* of all words before */
} fur_binary_header;

/* Bytes of the file. */
typedef struct fur_binary_extent {
    uint64_t at;
    uint64_t size;
} fur_binary_extent;

typedef struct fur_binary_layout {
    fur_binary_extent sections[FUR_BINARY_SECTIONS];
    int64_t pieces;
    uint64_t file_size;
} fur_binary_layout;

/* The layout that follows from kind, types, field, rows and entries; these within their limits. */
fur_binary_layout fur_binary_lay_out(const fur_binary_header *header);

/* Fills in what is the same in every header or follows from the layout, without the checksums. */
void fur_binary_complete(fur_binary_header *header);

/* Checks all that a header says against itself and the size of the file. */
fur_status fur_binary_check(fur_context *context, const char *path, const fur_binary_header *header,
                            uint64_t file_size);

/* The checksum for header_sum. */
uint64_t fur_binary_header_sum(const fur_binary_header *header);

/* The sections behind the table are checked in pieces, of which each section begins a new one. */
typedef struct fur_binary_piece {
    fur_binary_section section;
    uint64_t begin; /* in the section */
    uint64_t size;
} fur_binary_piece;

/* The piece that the table has at this index. */
fur_binary_piece fur_binary_get_piece(const fur_binary_layout *layout, int64_t index);

/* FUR_UNSUPPORTED in a build without checksums. */
fur_status fur_binary_need(fur_context *context, const char *path);

/* XXH3, 64 bits, seed 0 (Collet 2019). */
uint64_t fur_binary_sum(const void *bytes, uint64_t size);

/* The table of the arrays, one for each section. */
void fur_binary_make_table(fur_context *context, const fur_binary_layout *layout,
                           const void *const arrays[FUR_BINARY_SECTIONS], uint64_t *table);

/* The header in the words of a Matrix Market file. */
fur_mtx_header fur_binary_describe(const fur_binary_header *header);

/* Sets the sentence "path: byte N: ...; make it again from the original" and gives FUR_MALFORMED.
 */
#define FUR_BINARY_FAIL(context, path, at, format, ...)                                            \
    fur_context_fail(context, FUR_MALFORMED,                                                       \
                     "%.400s: byte %llu: " format "; make it again from the original", path,       \
                     (unsigned long long)(at), __VA_ARGS__)

#endif
