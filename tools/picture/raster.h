/* The pattern of a matrix in a grid of cells, where each cell covers a block of the matrix. It
 * shows any matrix in bounded space. */
#ifndef FURROW_TOOLS_RASTER_H
#define FURROW_TOOLS_RASTER_H

#include <furrow/furrow.h>

/* Tones of a cell: 0 for an empty cell, up to RASTER_TONES for the densest. */
#define RASTER_TONES 12

typedef struct raster_side {
    int64_t size;  /* rows or columns of the matrix */
    int64_t block; /* rows or columns per cell; the last cell may have fewer */
    int cells;     /* at least 1 */
    int scale;     /* pixels per cell */
} raster_side;

typedef struct raster {
    fur_context *context;
    raster_side rows;
    raster_side cols;
    int64_t entries; /* entries of the matrix */
    int64_t *counts; /* entries of each cell, row by row */
} raster;

/* Counts the entries of A in O(entries + cells) time. A may lie on any device. The longer side gets
 * at most `pixels` pixels, and a cell for each row and column if they suffice. Both sides have the
 * same scale, but each side has at least a tenth of the pixels. */
fur_status raster_create(const fur_csr *a, int pixels, raster *out);

void raster_destroy(raster *r);

/* Returns entries / (rows x columns) of the densest cell. */
double raster_densest(const raster *r);

/* Returns the tone of a cell by the logarithm of its density. A single entry in a whole block has
 * tone 1. A cell with the density `densest` has tone RASTER_TONES. */
int raster_tone(const raster *r, int row, int col, double densest);

#endif
