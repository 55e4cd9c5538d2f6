/* The pattern of a matrix in a grid of cells, each of which covers a block of it: a picture of any
 * matrix in bounded space. */
#ifndef FURROW_TOOLS_RASTER_H
#define FURROW_TOOLS_RASTER_H

#include <furrow/furrow.h>

/* Tones of a cell: 0 for an empty one, up to RASTER_TONES for the densest. */
#define RASTER_TONES 12

typedef struct raster_side {
    int64_t size;  /* rows or columns of the matrix */
    int64_t block; /* of them to a cell; the last cell may have fewer */
    int cells;     /* at least 1 */
    int scale;     /* pixels to a cell */
} raster_side;

typedef struct raster {
    fur_context *context;
    raster_side rows;
    raster_side cols;
    int64_t entries; /* of the matrix */
    int64_t *counts; /* entries of each cell, row by row */
} raster;

/* Counts the entries of A, wherever it lies, in O(entries + cells) time. Its longer side gets at
 * most `pixels` of them, and a cell for each row and column if they suffice. Both sides have one
 * scale, but none less than a tenth of the pixels. */
fur_status raster_create(const fur_csr *a, int pixels, raster *out);

void raster_destroy(raster *r);

/* Entries / (rows x columns) of the densest cell. */
double raster_densest(const raster *r);

/* The tone of a cell: from 1 for a single entry in a whole block to RASTER_TONES for a cell as
 * dense as `densest`, by the density's logarithm. */
int raster_tone(const raster *r, int row, int col, double densest);

#endif
