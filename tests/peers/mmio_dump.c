/* Reads a Matrix Market file by mmio and writes the result to standard output. This source is built
 * with the reference mmio and with Furrow's. compare_mmio compares the outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mmio.h"
#include "mmio_dump.h"

/* Limit for one file: the reference does not return from some files. */
#define SECONDS 60

typedef struct dump {
    mmio_dump head;
    int *row;
    int *col;
    double *values;
} dump;

static int value_parts(MM_typecode code)
{
    return mm_is_pattern(code) ? 0 : mm_is_complex(code) ? 2 : 1;
}

static int allocate(dump *d, int entries)
{
    size_t count = (size_t)entries + 1;
    d->head.entries = entries;
    d->row = malloc(count * sizeof *d->row);
    d->col = malloc(count * sizeof *d->col);
    d->values = malloc(2 * count * sizeof *d->values);
    return d->row && d->col && d->values;
}

/* Reads an integer file as real. The reference does not set the values of an integer file. */
static int read_coordinates(FILE *file, dump *d, MM_typecode code)
{
    int entries;
    int status = mm_read_mtx_crd_size(file, &d->head.rows, &d->head.cols, &entries);
    if (status)
        return status;
    if (!allocate(d, entries))
        return -1;
    if (mm_is_integer(code))
        mm_set_real((MM_typecode *)code);
    return mm_read_mtx_crd_data(file, d->head.rows, d->head.cols, entries, d->row, d->col,
                                d->values, code);
}

/* Reads the numbers of an array file as programs do, because mmio has no function for this. */
static int read_array(FILE *file, dump *d, MM_typecode code)
{
    int status = mm_read_mtx_array_size(file, &d->head.rows, &d->head.cols);
    if (status)
        return status;
    if (!allocate(d, d->head.rows * d->head.cols))
        return -1;
    int k = 0;
    for (int col = 0; col < d->head.cols; col++) {
        int first = mm_is_general(code) ? 0 : mm_is_skew(code) ? col + 1 : col;
        for (int row = first; row < d->head.rows; row++, k++) {
            d->row[k] = row + 1;
            d->col[k] = col + 1;
            for (int part = 0; part < d->head.parts; part++)
                if (fscanf(file, "%lg", &d->values[d->head.parts * k + part]) != 1)
                    return MM_PREMATURE_EOF;
        }
    }
    d->head.entries = k;
    return 0;
}

static int read_file(FILE *file, dump *d)
{
    MM_typecode code;
    int status = mm_read_banner(file, &code);
    if (status)
        return status;
    memcpy(d->head.code, code, sizeof d->head.code);
    d->head.parts = value_parts(code);
    return mm_is_coordinate(code) ? read_coordinates(file, d, code) : read_array(file, d, code);
}

static void write_out(const dump *d)
{
    size_t entries = (size_t)d->head.entries;
    fwrite(&d->head, sizeof d->head, 1, stdout);
    if (d->head.status)
        return;
    fwrite(d->row, sizeof *d->row, entries, stdout);
    fwrite(d->col, sizeof *d->col, entries, stdout);
    fwrite(d->values, sizeof *d->values, entries * (size_t)d->head.parts, stdout);
}

int main(int count, char **arguments)
{
    dump d = {0};
    if (count != 2)
        return 2;
    alarm(SECONDS);
    FILE *file = fopen(arguments[1], "r");
    if (!file)
        return 2;
    d.head.status = read_file(file, &d);
    fclose(file);
    write_out(&d);
    free(d.row);
    free(d.col);
    free(d.values);
    return 0;
}
