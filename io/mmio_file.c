/* Reading whole coordinate files through the mmio interface. */
#include "mmio.h"
#include "mmio_line.h"

#include <stdlib.h>
#include <string.h>

/* Entries there is room for at first; more as they are found. */
#define FIRST_CAPACITY 4096

typedef struct triplets {
    MM_typecode matcode;
    int rows;
    int cols;
    int entries;
    int *row;
    int *col;
    double *values; /* none for a pattern */
} triplets;

static void release(triplets *t)
{
    free(t->row);
    free(t->col);
    free(t->values);
}

static size_t value_parts(const triplets *t)
{
    return mm_is_pattern(t->matcode) ? 0 : mm_is_complex(t->matcode) ? 2 : 1;
}

/* Makes room for a number of entries, at least one. */
static int resize(triplets *t, int entries)
{
    size_t count = entries > 0 ? (size_t)entries : 1;
    size_t value_bytes = value_parts(t) * count * sizeof(double);
    int *row = realloc(t->row, count * sizeof *row);
    if (row)
        t->row = row;
    int *col = realloc(t->col, count * sizeof *col);
    if (col)
        t->col = col;
    double *values = value_bytes > 0 ? realloc(t->values, value_bytes) : NULL;
    if (values)
        t->values = values;
    return row && col && (values || value_bytes == 0) ? 0 : MM_COULD_NOT_READ_FILE;
}

/* Reads the entries in pieces that double, so that a size line that promises too much does not ask
 * for memory that the file cannot fill. */
static int read_entries(FILE *f, triplets *t)
{
    int capacity = t->entries < FIRST_CAPACITY ? t->entries : FIRST_CAPACITY;
    int error = resize(t, capacity);
    for (int read = 0; !error && read < t->entries;) {
        size_t value_offset = value_parts(t) * (size_t)read;
        error =
            mm_read_mtx_crd_data(f, t->rows, t->cols, capacity - read, t->row + read, t->col + read,
                                 t->values ? t->values + value_offset : NULL, t->matcode);
        read = capacity;
        capacity = t->entries / 2 > capacity ? 2 * capacity : t->entries;
        if (!error)
            error = resize(t, capacity);
    }
    return error;
}

/* MM_NOT_MTX unless only comments and blank lines are left. */
static int expect_end(FILE *f)
{
    fur_line line = {.text = NULL};
    int error = fur_line_read_content(f, &line);
    fur_line_release(&line);
    return error == MM_PREMATURE_EOF ? 0 : error ? error : MM_NOT_MTX;
}

static int read_stream(FILE *f, triplets *t)
{
    int error = mm_read_banner(f, &t->matcode);
    if (!error && !(mm_is_valid(t->matcode) && mm_is_sparse(t->matcode)))
        error = MM_UNSUPPORTED_TYPE;
    if (!error)
        error = mm_read_mtx_crd_size(f, &t->rows, &t->cols, &t->entries);
    return error ? error : read_entries(f, t);
}

static int read_file(const char *fname, triplets *t)
{
    memset(t, 0, sizeof *t);
    int error;
    if (strcmp(fname, "stdin") == 0) {
        error = read_stream(stdin, t);
    } else {
        FILE *f = fopen(fname, "r");
        if (!f)
            return MM_COULD_NOT_READ_FILE;
        error = read_stream(f, t);
        if (!error)
            error = expect_end(f);
        fclose(f);
    }
    if (error)
        release(t);
    return error;
}

int mm_read_mtx_crd(char *fname, int *M, int *N, int *nz, int **row, int **col, double **val,
                    MM_typecode *matcode)
{
    triplets t;
    int error = read_file(fname, &t);
    if (error)
        return error;
    *M = t.rows;
    *N = t.cols;
    *nz = t.entries;
    *row = t.row;
    *col = t.col;
    *val = t.values;
    memcpy(*matcode, t.matcode, sizeof t.matcode);
    return 0;
}

int mm_read_unsymmetric_sparse(const char *fname, int *M, int *N, int *nz, double **val, int **row,
                               int **col)
{
    triplets t;
    if (read_file(fname, &t))
        return -1;
    if (!mm_is_real(t.matcode) && !mm_is_integer(t.matcode)) {
        release(&t);
        return -1;
    }
    for (int k = 0; k < t.entries; k++) {
        t.row[k]--;
        t.col[k]--;
    }
    *M = t.rows;
    *N = t.cols;
    *nz = t.entries;
    *row = t.row;
    *col = t.col;
    *val = t.values;
    return 0;
}
