/* The header of a .fur file, and the positions of all other parts: docs/binary-format.md. */
#ifndef FURROW_IO_BINARY_FORMAT_H
#define FURROW_IO_BINARY_FORMAT_H

#include <furrow/files.h>

/* Bytes are copied between memory and file without conversion. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".fur files are little endian");

/* The bytes 89 'F' 'U' 'R' 0d 0a 1a 0a. As in PNG, the first byte is not ASCII, and a transfer in
 * text mode changes the line ends. */
#define FUR_BINARY_SIGNATURE UINT64_C(0x0a1a0a0d52554689)
#define FUR_BINARY_VERSION 1

/* Sections begin at multiples of a page, so that each can be mapped, or read with direct I/O. */
#define FUR_BINARY_ALIGNMENT 4096

/* Sections are checked in pieces of this size. A piece stays in a core's cache between reading and
 * checking. */
#define FUR_BINARY_PIECE ((uint64_t)1 << 18)

typedef enum fur_binary_kind { FUR_BINARY_MATRIX = 0, FUR_BINARY_VECTOR } fur_binary_kind;

/* The sections in the order of the file. The table holds the checksums of all pieces of the
 * sections after it. */
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
    uint64_t header_sum; /* checksum of all words before it */
} fur_binary_header;

/* A range of bytes in the file. */
typedef struct fur_binary_extent {
    uint64_t at;
    uint64_t size;
} fur_binary_extent;

typedef struct fur_binary_layout {
    fur_binary_extent sections[FUR_BINARY_SECTIONS];
    int64_t pieces;
    uint64_t file_size;
} fur_binary_layout;

/* Returns the layout that follows from kind, types, field, rows and entries. These must be within
 * their limits. */
fur_binary_layout fur_binary_lay_out(const fur_binary_header *header);

/* Sets the words that are constant or follow from the layout, except the checksums. */
void fur_binary_complete(fur_binary_header *header);

/* Checks a header for consistency and against the size of the file. */
fur_status fur_binary_check(fur_context *context, const char *path, const fur_binary_header *header,
                            uint64_t file_size);

/* Returns the checksum for header_sum. */
uint64_t fur_binary_header_sum(const fur_binary_header *header);

/* The sections after the table are checked in pieces. Each section begins a new piece. */
typedef struct fur_binary_piece {
    fur_binary_section section;
    uint64_t begin; /* position in the section */
    uint64_t size;
} fur_binary_piece;

/* Returns the piece at this index of the table. */
fur_binary_piece fur_binary_get_piece(const fur_binary_layout *layout, int64_t index);

/* Returns FUR_UNSUPPORTED in a build without checksums. */
fur_status fur_binary_need(fur_context *context, const char *path);

/* Returns the XXH3 checksum with 64 bits and seed 0 (Collet 2019). */
uint64_t fur_binary_sum(const void *bytes, uint64_t size);

/* Computes the table of checksums of the arrays, one array for each section. */
void fur_binary_make_table(fur_context *context, const fur_binary_layout *layout,
                           const void *const arrays[FUR_BINARY_SECTIONS], uint64_t *table);

/* Describes the header in terms of a Matrix Market file. */
fur_mtx_header fur_binary_describe(const fur_binary_header *header);

/* Sets the message "path: byte N: ...; make it again from the original" and returns
 * FUR_MALFORMED. */
#define FUR_BINARY_FAIL(context, path, at, format, ...)                                            \
    fur_context_fail(context, FUR_MALFORMED,                                                       \
                     "%.400s: byte %llu: " format "; create the file again from the original",     \
                     path, (unsigned long long)(at), __VA_ARGS__)

#endif
