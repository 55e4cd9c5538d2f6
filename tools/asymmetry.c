/* Comparison of each entry with the one opposite. */
#include "asymmetry.h"

#include <math.h>

#include "command.h"

static int64_t row_begin(const fur_csr_view *a, int64_t row)
{
    return a->offset_type == FUR_I32 ? ((const int32_t *)a->offsets)[row]
                                     : ((const int64_t *)a->offsets)[row];
}

/* Real and imaginary part of entry k; 0 for k = -1. */
static void read_entry(const fur_csr_view *a, int64_t k, double out[2])
{
    bool single = a->value_type == FUR_F32 || a->value_type == FUR_C64;
    int parts = a->value_type == FUR_C64 || a->value_type == FUR_C128 ? 2 : 1;
    out[0] = out[1] = 0.0;
    for (int part = 0; k >= 0 && part < parts; part++) {
        int64_t at = parts * k + part;
        out[part] = single ? (double)((const float *)a->values)[at] : ((double *)a->values)[at];
    }
}

/* Where (row, col) is stored, or -1: columns rise along a row. */
static int64_t find_entry(const fur_csr_view *a, int64_t row, int64_t col)
{
    int64_t begin = row_begin(a, row);
    int64_t end = row_begin(a, row + 1);
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (a->columns[middle] == col)
            return middle;
        if (a->columns[middle] < col)
            begin = middle + 1;
        else
            end = middle;
    }
    return -1;
}

static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* Counts the pair of entry k if it differs, and keeps it if it differs most so far. */
static void compare(const fur_csr_view *a, int64_t row, int64_t k, double *most, asymmetry *out)
{
    asymmetry pair = {.pairs = out->pairs + 1, .row = row, .col = a->columns[k]};
    int64_t opposite = find_entry(a, pair.col, row);
    if (opposite >= 0 && pair.col < row)
        return; /* seen from there */
    read_entry(a, k, pair.here);
    read_entry(a, opposite, pair.opposite);
    if (same(pair.here[0], pair.opposite[0]) && same(pair.here[1], -pair.opposite[1]))
        return;
    double distance = hypot(pair.here[0] - pair.opposite[0], pair.here[1] + pair.opposite[1]);
    if (distance <= *most) {
        out->pairs = pair.pairs;
    } else {
        *out = pair;
        *most = distance;
    }
}

static asymmetry find_here(const fur_csr_view *a)
{
    asymmetry found = {.pairs = 0};
    double most = -1.0;
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t k = row_begin(a, row); k < row_begin(a, row + 1); k++)
            compare(a, row, k, &most, &found);
    return found;
}

fur_status asymmetry_find(const fur_csr *a, asymmetry *out)
{
    fur_context *context = fur_csr_context(a);
    fur_context *host = fur_context_host(context);
    fur_csr *near = NULL;
    if (host != context)
        COMMAND_TRY(fur_csr_transfer(a, host, &near));
    fur_csr_view view = *fur_csr_get(near ? near : a);
    *out = find_here(&view);
    fur_csr_destroy(near);
    return FUR_OK;
}
