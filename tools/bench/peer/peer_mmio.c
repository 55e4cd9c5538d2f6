/* NIST's mmio, called as in its own examples. */
#include "peer_io.h"

#include <stdio.h>
#include <stdlib.h>

#include <mmio.h> /* needs stdio.h */

typedef struct arrays {
    int *rows;
    int *cols;
    double *values;
} arrays;

static double mirror(MM_typecode code)
{
    return mm_is_general(code) ? 0 : mm_is_skew(code) ? -1 : 1;
}

/* Reads the entries. mmio does not read the values of an integer file, so that such a file is read
 * as a real one. */
static bool read_data(FILE *file, MM_typecode code, int entries, arrays *a, peer_matrix *out)
{
    size_t room = (size_t)entries + 1;
    a->rows = malloc(room * sizeof *a->rows);
    a->cols = malloc(room * sizeof *a->cols);
    a->values = mm_is_pattern(code) ? NULL : malloc(room * sizeof *a->values);
    out->row_indices = a->rows;
    out->col_indices = a->cols;
    out->values = a->values;
    if (!a->rows || !a->cols || (!a->values && !mm_is_pattern(code)))
        return false;
    if (mm_is_integer(code))
        mm_set_real((MM_typecode *)code);
    return mm_read_mtx_crd_data(file, (int)out->rows, (int)out->cols, entries, a->rows, a->cols,
                                a->values, code) == 0;
}

static bool read_file(FILE *file, peer_matrix *out)
{
    MM_typecode code;
    int rows = 0;
    int cols = 0;
    int entries = 0;
    if (mm_read_banner(file, &code) != 0 || !mm_is_coordinate(code) || mm_is_complex(code) ||
        mm_read_mtx_crd_size(file, &rows, &cols, &entries) != 0)
        return false;
    *out = (peer_matrix){.rows = rows,
                         .cols = cols,
                         .entries = entries,
                         .base = 1,
                         .mirror = mirror(code),
                         .storage = calloc(1, sizeof(arrays))};
    return out->storage && read_data(file, code, entries, out->storage, out);
}

static bool read_path(const char *path, int threads, peer_matrix *out)
{
    (void)threads;
    FILE *file = fopen(path, "r");
    bool done = file && read_file(file, out);
    if (file)
        fclose(file);
    return done;
}

static void release(peer_matrix *matrix)
{
    arrays *a = matrix->storage;
    if (a) {
        free(a->rows);
        free(a->cols);
        free(a->values);
        free(a);
    }
}

const peer_io peer_mmio = {
    .name = "mmio", .label = "NIST mmio", .read = read_path, .release = release};
