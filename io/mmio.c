/* Reading a stream piece by piece through the mmio interface. */
#include "mmio.h"
#include "mmio_line.h"

#include <limits.h>
#include <string.h>

static int read_field(fur_line *line, MM_typecode *matcode)
{
    if (fur_line_take(line, MM_REAL_STR) || fur_line_take(line, "double"))
        mm_set_real(matcode);
    else if (fur_line_take(line, MM_INT_STR) || fur_line_take(line, "unsigned-integer"))
        mm_set_integer(matcode);
    else if (fur_line_take(line, MM_COMPLEX_STR))
        mm_set_complex(matcode);
    else if (fur_line_take(line, MM_PATTERN_STR))
        mm_set_pattern(matcode);
    else
        return MM_UNSUPPORTED_TYPE;
    return 0;
}

static int read_symmetry(fur_line *line, MM_typecode *matcode)
{
    if (fur_line_take(line, MM_GENERAL_STR))
        mm_set_general(matcode);
    else if (fur_line_take(line, MM_SYMM_STR))
        mm_set_symmetric(matcode);
    else if (fur_line_take(line, MM_HERM_STR))
        mm_set_hermitian(matcode);
    else if (fur_line_take(line, MM_SKEW_STR))
        mm_set_skew(matcode);
    else
        return MM_UNSUPPORTED_TYPE;
    return 0;
}

/* The words behind the banner's first. A line that ends among them is cut off. */
static int read_words(fur_line *line, MM_typecode *matcode)
{
    if (fur_line_is_done(line))
        return MM_PREMATURE_EOF;
    if (!fur_line_take(line, MM_MTX_STR))
        return MM_UNSUPPORTED_TYPE;
    mm_set_matrix(matcode);
    if (fur_line_is_done(line))
        return MM_PREMATURE_EOF;
    if (fur_line_take(line, MM_COORDINATE_STR))
        mm_set_coordinate(matcode);
    else if (fur_line_take(line, MM_ARRAY_STR))
        mm_set_array(matcode);
    else
        return MM_UNSUPPORTED_TYPE;
    if (fur_line_is_done(line))
        return MM_PREMATURE_EOF;
    int error = read_field(line, matcode);
    if (!error && fur_line_is_done(line))
        return MM_PREMATURE_EOF;
    return error ? error : read_symmetry(line, matcode);
}

int mm_read_banner(FILE *f, MM_typecode *matcode)
{
    fur_line line = {.text = NULL};
    mm_clear_typecode(matcode);
    int error = fur_line_read(f, &line);
    if (!error && line.end - line.at >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0)
        line.at += 3;
    if (!error && !fur_line_take(&line, "%%matrixmarket") && !fur_line_take(&line, "%matrixmarket"))
        error = MM_NO_HEADER;
    if (!error)
        error = read_words(&line, matcode);
    fur_line_release(&line);
    return error;
}

int mm_read_mtx_crd_size(FILE *f, int *M, int *N, int *nz)
{
    fur_line line = {.text = NULL};
    int rows, cols, entries;
    int error = fur_line_read_content(f, &line);
    if (!error)
        error = fur_line_int(&line, 0, &rows);
    if (!error)
        error = fur_line_int(&line, 0, &cols);
    if (!error)
        error = fur_line_int(&line, 0, &entries);
    if (!error && !fur_line_is_done(&line))
        error = MM_NOT_MTX;
    fur_line_release(&line);
    if (error)
        return error;
    *M = rows;
    *N = cols;
    *nz = entries;
    return 0;
}

/* Some programs write the count of numbers behind the sizes of an array. */
int mm_read_mtx_array_size(FILE *f, int *M, int *N)
{
    fur_line line = {.text = NULL};
    int rows, cols, count;
    int error = fur_line_read_content(f, &line);
    if (!error)
        error = fur_line_int(&line, 0, &rows);
    if (!error)
        error = fur_line_int(&line, 0, &cols);
    if (!error && !fur_line_is_done(&line))
        error = fur_line_int(&line, 0, &count);
    if (!error && !fur_line_is_done(&line))
        error = MM_NOT_MTX;
    fur_line_release(&line);
    if (error)
        return error;
    *M = rows;
    *N = cols;
    return 0;
}

/* Doubles of one value; -1 for a code without a field. */
static int value_parts(MM_typecode matcode)
{
    return mm_is_pattern(matcode)                          ? 0
           : mm_is_real(matcode) || mm_is_integer(matcode) ? 1
           : mm_is_complex(matcode)                        ? 2
                                                           : -1;
}

/* One entry of an M x N matrix. */
static int read_entry(FILE *f, fur_line *line, int M, int N, int *row, int *col, double *value,
                      MM_typecode matcode)
{
    int error = fur_line_read_content(f, line);
    if (!error)
        error = fur_line_int(line, 1, row);
    if (!error)
        error = fur_line_int(line, 1, col);
    for (int part = 0; !error && part < value_parts(matcode); part++)
        error = fur_line_double(line, mm_is_integer(matcode), &value[part]);
    if (!error && (!fur_line_is_done(line) || *row > M || *col > N))
        error = MM_NOT_MTX;
    return error;
}

int mm_read_mtx_crd_data(FILE *f, int M, int N, int nz, int row[], int col[], double val[],
                         MM_typecode matcode)
{
    int parts = value_parts(matcode);
    if (parts < 0)
        return MM_UNSUPPORTED_TYPE;
    fur_line line = {.text = NULL};
    double value[2];
    int error = 0;
    for (int k = 0; k < nz && !error; k++) {
        error = read_entry(f, &line, M, N, &row[k], &col[k], value, matcode);
        for (int part = 0; part < parts && !error; part++)
            val[(size_t)parts * (size_t)k + (size_t)part] = value[part];
    }
    fur_line_release(&line);
    return error;
}

int mm_read_mtx_crd_entry(FILE *f, int *row, int *col, double *real, double *img,
                          MM_typecode matcode)
{
    int parts = value_parts(matcode);
    if (parts < 0)
        return MM_UNSUPPORTED_TYPE;
    fur_line line = {.text = NULL};
    double value[2];
    int i, j;
    int error = read_entry(f, &line, INT_MAX, INT_MAX, &i, &j, value, matcode);
    fur_line_release(&line);
    if (error)
        return error;
    *row = i;
    *col = j;
    if (parts > 0)
        *real = value[0];
    if (parts > 1)
        *img = value[1];
    return 0;
}
