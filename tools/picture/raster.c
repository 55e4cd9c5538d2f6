/* Counts the entries in cells. */
#include "raster.h"

#include <furrow/author/context.h>

#include <math.h>
#include <string.h>

#include "offset.h"

/* The shorter side has at least pixels / THINNEST cells, so that a thin matrix is not a line. */
#define THINNEST 10

static int64_t ceiling(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static raster_side make_side(int64_t size, int64_t block, int scale, int least)
{
    raster_side side = {.size = size, .block = block, .scale = scale};
    if (size / block < least)
        side.block = size > least ? size / least : 1;
    side.cells = size > 0 ? (int)ceiling(size, side.block) : 1;
    if (side.cells * scale < least)
        side.scale = (int)ceiling(least, side.cells);
    return side;
}

static void choose_sides(const fur_csr_view *a, int pixels, raster *r)
{
    int64_t longer = a->rows > a->cols ? a->rows : a->cols;
    int64_t block = longer > pixels ? ceiling(longer, pixels) : 1;
    int scale = longer > pixels ? 1 : pixels / (int)(longer > 0 ? longer : 1);
    r->rows = make_side(a->rows, block, scale, pixels / THINNEST);
    r->cols = make_side(a->cols, block, scale, pixels / THINNEST);
}

/* Indices and blocks have 31 bits, because dividing them is faster than with 64 bits. */
static void count(const fur_csr_view *a, raster *r)
{
    uint32_t block = (uint32_t)r->cols.block;
    for (int64_t row = 0; row < a->rows; row++) {
        int64_t *cells = r->counts + row / r->rows.block * r->cols.cells;
        int64_t end = offset_at(a, row + 1);
        for (int64_t k = offset_at(a, row); k < end; k++)
            cells[(uint32_t)a->columns[k] / block]++;
    }
}

/* Counts a matrix that lies on the host. */
static fur_status make(fur_context *context, const fur_csr *a, int pixels, raster *out)
{
    fur_csr_view view = *fur_csr_get(a);
    raster r = {.context = context, .entries = view.entries};
    choose_sides(&view, pixels, &r);
    size_t bytes = (size_t)r.rows.cells * (size_t)r.cols.cells * sizeof *r.counts;
    void *memory = NULL;
    fur_status status = fur_context_allocate(context, bytes, &memory);
    if (status != FUR_OK)
        return status;
    r.counts = memset(memory, 0, bytes);
    count(&view, &r);
    *out = r;
    return FUR_OK;
}

fur_status raster_create(const fur_csr *a, int pixels, raster *out)
{
    fur_context *context = fur_csr_context(a);
    fur_context *host = fur_context_host(context);
    if (host == context)
        return make(context, a, pixels, out);
    fur_csr *copy = NULL;
    fur_status status = fur_csr_transfer(a, host, &copy);
    if (status == FUR_OK) {
        status = make(context, copy, pixels, out);
        fur_csr_destroy(copy);
    }
    return status;
}

void raster_destroy(raster *r)
{
    if (r->context)
        fur_context_release(r->context, r->counts);
}

/* Returns the rows or columns that a cell covers; 1 for an empty matrix. */
static double covered(const raster_side *side, int cell)
{
    int64_t left = side->size - cell * side->block;
    int64_t whole = left < side->block ? left : side->block;
    return whole > 0 ? (double)whole : 1.0;
}

static double density(const raster *r, int row, int col)
{
    int64_t entries = r->counts[(int64_t)row * r->cols.cells + col];
    return (double)entries / (covered(&r->rows, row) * covered(&r->cols, col));
}

double raster_densest(const raster *r)
{
    double densest = 0.0;
    for (int row = 0; row < r->rows.cells; row++)
        for (int col = 0; col < r->cols.cells; col++)
            densest = fmax(densest, density(r, row, col));
    return densest;
}

/* A cell at the edge may cover less than a block, so it may be denser than the others. */
int raster_tone(const raster *r, int row, int col, double densest)
{
    double block = (double)r->rows.block * (double)r->cols.block;
    double most = densest * block;
    double entries = density(r, row, col) * block;
    if (entries == 0.0)
        return 0;
    if (most <= 1.0)
        return RASTER_TONES;
    return 1 + (int)lround((RASTER_TONES - 1) * log(entries) / log(most));
}
