/* Fuzz target: any bytes as a file for the mmio interface. If mm_read_mtx_crd accepts a file, it
 * must read the output of mm_write_mtx_crd for it. */
#include "fuzz.h"
#include "mmio.h"

#include <sys/mman.h>

typedef struct matrix {
    int rows, cols, entries;
    int *row, *col;
    double *values;
    MM_typecode code;
} matrix;

/* Makes a file in memory with these bytes. Stores its name in `path` and returns its descriptor,
 * which the caller closes. */
static int make_file(const uint8_t *data, size_t size, char *path)
{
    int descriptor = memfd_create("fuzz", 0);
    require(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size, "no file");
    snprintf(path, 32, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

static int read_matrix(char *path, matrix *m)
{
    return mm_read_mtx_crd(path, &m->rows, &m->cols, &m->entries, &m->row, &m->col, &m->values,
                           &m->code);
}

static void release(matrix *m)
{
    free(m->row);
    free(m->col);
    free(m->values);
}

static void check_indices(const matrix *m)
{
    for (int k = 0; k < m->entries; k++)
        require(m->row[k] >= 1 && m->row[k] <= m->rows && m->col[k] >= 1 && m->col[k] <= m->cols,
                "an index is outside the matrix");
}

static void check_round_trip(char *path, matrix *m)
{
    matrix back;
    size_t indices = (size_t)m->entries * sizeof *m->row;
    require(mm_write_mtx_crd(path, m->rows, m->cols, m->entries, m->row, m->col, m->values,
                             m->code) == 0,
            "cannot be written");
    require(read_matrix(path, &back) == 0, "what was written cannot be read");
    require(back.rows == m->rows && back.cols == m->cols && back.entries == m->entries &&
                memcmp(back.code, m->code, sizeof m->code) == 0,
            "the head changed");
    require(memcmp(back.row, m->row, indices) == 0 && memcmp(back.col, m->col, indices) == 0,
            "an index changed");
    release(&back);
}

/* Reads a file like a program that reads the banner, the size and each entry itself. */
static void read_in_pieces(const char *path)
{
    MM_typecode code;
    int rows, cols, entries, row, col;
    double re, im;
    FILE *file = fopen(path, "r");
    require(file != NULL, "the file cannot be opened");
    if (mm_read_banner(file, &code) == 0) {
        free(mm_typecode_to_str(code));
        int status = mm_is_array(code) ? mm_read_mtx_array_size(file, &rows, &cols)
                                       : mm_read_mtx_crd_size(file, &rows, &cols, &entries);
        while (status == 0 && mm_is_coordinate(code) && entries-- > 0)
            status = mm_read_mtx_crd_entry(file, &row, &col, &re, &im, code);
    }
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    matrix m;
    int descriptor = make_file(data, size, path);
    read_in_pieces(path);
    if (read_matrix(path, &m) == 0) {
        check_indices(&m);
        check_round_trip(path, &m);
        release(&m);
    }
    int *row, *col;
    if (mm_read_unsymmetric_sparse(path, &m.rows, &m.cols, &m.entries, &m.values, &row, &col) ==
        0) {
        free(row);
        free(col);
        free(m.values);
    }
    close(descriptor);
    return 0;
}
