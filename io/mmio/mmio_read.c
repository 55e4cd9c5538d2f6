/* Reading through the mmio interface: lines of any length, parsed word by word; streams in pieces;
 * whole coordinate files. */
#include "mmio.h"
#include "number.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A line of a stream and the words in it. */
typedef struct text_line {
    char *text; /* from malloc, with the line end */
    size_t capacity;
    const char *at; /* after the words that were taken */
    const char *end;
} text_line;

/* Reads the next line. Returns 0, MM_PREMATURE_EOF or MM_COULD_NOT_READ_FILE. */
static int line_read(FILE *f, text_line *line)
{
    ssize_t length = getline(&line->text, &line->capacity, f);
    if (length < 0)
        return feof(f) ? MM_PREMATURE_EOF : MM_COULD_NOT_READ_FILE;
    line->at = line->text;
    line->end = line->text + length;
    return 0;
}

/* Blanks and line ends. A CR counts as one only directly before the end of the line. A second CR
 * therefore makes its word unreadable. */
static bool is_blank(const text_line *line, const char *at)
{
    if (*at == '\r')
        return at + 1 == line->end || at[1] == '\n';
    return *at == ' ' || *at == '\t' || *at == '\n';
}

static void skip_blanks(text_line *line)
{
    while (line->at < line->end && is_blank(line, line->at))
        line->at++;
}

/* As above, but skips blank lines and comments. */
static int line_read_content(FILE *f, text_line *line)
{
    int error;
    do {
        error = line_read(f, line);
        if (!error)
            skip_blanks(line);
    } while (!error && (line->at == line->end || *line->at == '%'));
    return error;
}

static void line_release(text_line *line)
{
    free(line->text);
}

/* Returns the next word in *begin and *end, or false if there is none. */
static bool line_word(text_line *line, const char **begin, const char **end)
{
    skip_blanks(line);
    *begin = line->at;
    while (line->at < line->end && !is_blank(line, line->at))
        line->at++;
    *end = line->at;
    return *begin < *end;
}

/* Takes the next word if it is `word`, which is in lower case. Returns whether it was. */
static bool line_take(text_line *line, const char *word)
{
    const char *begin, *end, *start = line->at;
    line_word(line, &begin, &end);
    while (begin < end && *word) {
        char lower = *begin >= 'A' && *begin <= 'Z' ? (char)(*begin + 32) : *begin;
        if (lower != *word)
            break;
        begin++;
        word++;
    }
    if (begin == end && !*word)
        return true;
    line->at = start;
    return false;
}

static bool line_is_done(text_line *line)
{
    skip_blanks(line);
    return line->at == line->end;
}

/* Reads an integer from `least` to INT_MAX. Returns 0, MM_NOT_MTX or, above INT_MAX,
 * MM_UNSUPPORTED_TYPE. */
static int line_int(text_line *line, int least, int *out)
{
    const char *begin, *end;
    fur_number number;
    line_word(line, &begin, &end);
    if (!fur_number_scan(begin, end, &number) || !number.integer)
        return MM_NOT_MTX;
    if (number.negative && (number.significand > 0 || !number.exact))
        return MM_NOT_MTX;
    if (!number.exact || number.significand > INT_MAX)
        return MM_UNSUPPORTED_TYPE;
    if ((int)number.significand < least)
        return MM_NOT_MTX;
    *out = (int)number.significand;
    return 0;
}

/* Reads a number, an integer, an infinity or NaN. Returns 0 or MM_NOT_MTX. */
static int line_double(text_line *line, bool integer, double *out)
{
    const char *begin, *end;
    fur_number number;
    line_word(line, &begin, &end);
    if (!fur_number_scan(begin, end, &number))
        return MM_NOT_MTX;
    if (integer && number.kind == FUR_NUMBER_FINITE && !number.integer)
        return MM_NOT_MTX;
    *out = fur_number_f64(&number);
    return 0;
}

static int read_field(text_line *line, MM_typecode *matcode)
{
    if (line_take(line, MM_REAL_STR) || line_take(line, "double"))
        mm_set_real(matcode);
    else if (line_take(line, MM_INT_STR) || line_take(line, "unsigned-integer"))
        mm_set_integer(matcode);
    else if (line_take(line, MM_COMPLEX_STR))
        mm_set_complex(matcode);
    else if (line_take(line, MM_PATTERN_STR))
        mm_set_pattern(matcode);
    else
        return MM_UNSUPPORTED_TYPE;
    return 0;
}

static int read_symmetry(text_line *line, MM_typecode *matcode)
{
    if (line_take(line, MM_GENERAL_STR))
        mm_set_general(matcode);
    else if (line_take(line, MM_SYMM_STR))
        mm_set_symmetric(matcode);
    else if (line_take(line, MM_HERM_STR))
        mm_set_hermitian(matcode);
    else if (line_take(line, MM_SKEW_STR))
        mm_set_skew(matcode);
    else
        return MM_UNSUPPORTED_TYPE;
    return 0;
}

/* Reads the words of the banner after the first. A line that ends before the last of them is
 * truncated. */
static int read_words(text_line *line, MM_typecode *matcode)
{
    if (line_is_done(line))
        return MM_PREMATURE_EOF;
    if (!line_take(line, MM_MTX_STR))
        return MM_UNSUPPORTED_TYPE;
    mm_set_matrix(matcode);
    if (line_is_done(line))
        return MM_PREMATURE_EOF;
    if (line_take(line, MM_COORDINATE_STR))
        mm_set_coordinate(matcode);
    else if (line_take(line, MM_ARRAY_STR))
        mm_set_array(matcode);
    else
        return MM_UNSUPPORTED_TYPE;
    if (line_is_done(line))
        return MM_PREMATURE_EOF;
    int error = read_field(line, matcode);
    if (!error && line_is_done(line))
        return MM_PREMATURE_EOF;
    return error ? error : read_symmetry(line, matcode);
}

int mm_read_banner(FILE *f, MM_typecode *matcode)
{
    text_line line = {.text = NULL};
    mm_clear_typecode(matcode);
    int error = line_read(f, &line);
    if (!error && line.end - line.at >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0)
        line.at += 3;
    if (!error && !line_take(&line, "%%matrixmarket") && !line_take(&line, "%matrixmarket"))
        error = MM_NO_HEADER;
    if (!error)
        error = read_words(&line, matcode);
    line_release(&line);
    return error;
}

/* Reads a line of at least `least` and at most three sizes. */
static int read_sizes(FILE *f, int least, int sizes[3])
{
    text_line line = {.text = NULL};
    int error = line_read_content(f, &line);
    for (int i = 0; i < 3 && !error && (i < least || !line_is_done(&line)); i++)
        error = line_int(&line, 0, &sizes[i]);
    if (!error && !line_is_done(&line))
        error = MM_NOT_MTX;
    line_release(&line);
    return error;
}

int mm_read_mtx_crd_size(FILE *f, int *M, int *N, int *nz)
{
    int sizes[3];
    int error = read_sizes(f, 3, sizes);
    if (error)
        return error;
    *M = sizes[0];
    *N = sizes[1];
    *nz = sizes[2];
    return 0;
}

/* Some programs write the count of numbers after the sizes of an array. */
int mm_read_mtx_array_size(FILE *f, int *M, int *N)
{
    int sizes[3];
    int error = read_sizes(f, 2, sizes);
    if (error)
        return error;
    *M = sizes[0];
    *N = sizes[1];
    return 0;
}

/* Returns the number of doubles in a value, or -1 for a code without a field. */
static int value_parts(MM_typecode matcode)
{
    return mm_is_pattern(matcode)                          ? 0
           : mm_is_real(matcode) || mm_is_integer(matcode) ? 1
           : mm_is_complex(matcode)                        ? 2
                                                           : -1;
}

/* Reads one entry of an M x N matrix. */
static int read_entry(FILE *f, text_line *line, int M, int N, int *row, int *col, double *value,
                      MM_typecode matcode)
{
    int error = line_read_content(f, line);
    if (!error)
        error = line_int(line, 1, row);
    if (!error)
        error = line_int(line, 1, col);
    for (int part = 0; !error && part < value_parts(matcode); part++)
        error = line_double(line, mm_is_integer(matcode), &value[part]);
    if (!error && (!line_is_done(line) || *row > M || *col > N))
        error = MM_NOT_MTX;
    return error;
}

int mm_read_mtx_crd_data(FILE *f, int M, int N, int nz, int row[], int col[], double val[],
                         MM_typecode matcode)
{
    int parts = value_parts(matcode);
    if (parts < 0)
        return MM_UNSUPPORTED_TYPE;
    text_line line = {.text = NULL};
    double value[2];
    int error = 0;
    for (int k = 0; k < nz && !error; k++) {
        error = read_entry(f, &line, M, N, &row[k], &col[k], value, matcode);
        for (int part = 0; part < parts && !error; part++)
            val[(size_t)parts * (size_t)k + (size_t)part] = value[part];
    }
    line_release(&line);
    return error;
}

int mm_read_mtx_crd_entry(FILE *f, int *row, int *col, double *real, double *img,
                          MM_typecode matcode)
{
    int parts = value_parts(matcode);
    if (parts < 0)
        return MM_UNSUPPORTED_TYPE;
    text_line line = {.text = NULL};
    double value[2];
    int i, j;
    int error = read_entry(f, &line, INT_MAX, INT_MAX, &i, &j, value, matcode);
    line_release(&line);
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

/* Capacity at first, in entries. It grows with the entries. */
#define FIRST_CAPACITY 4096

typedef struct triplets {
    MM_typecode matcode;
    int rows;
    int cols;
    int entries;
    int *row;
    int *col;
    double *values; /* NULL for a pattern */
} triplets;

static void release(triplets *t)
{
    free(t->row);
    free(t->col);
    free(t->values);
}

/* Resizes the arrays for a number of entries, at least one. */
static int resize(triplets *t, int entries)
{
    size_t count = entries > 0 ? (size_t)entries : 1;
    size_t value_bytes = (size_t)value_parts(t->matcode) * count * sizeof(double);
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

/* Reads the entries in pieces of doubling size. If the size line promises too many, no memory is
 * allocated that the file cannot fill. */
static int read_entries(FILE *f, triplets *t)
{
    int capacity = t->entries < FIRST_CAPACITY ? t->entries : FIRST_CAPACITY;
    int error = resize(t, capacity);
    for (int read = 0; !error && read < t->entries;) {
        size_t value_offset = (size_t)value_parts(t->matcode) * (size_t)read;
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

/* Returns MM_NOT_MTX unless only comments and blank lines remain. */
static int expect_end(FILE *f)
{
    text_line line = {.text = NULL};
    int error = line_read_content(f, &line);
    line_release(&line);
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

/* Reads a named file or standard input. Releases everything on failure. */
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

/* Passes the triplets to the caller. */
static void give(const triplets *t, int *M, int *N, int *nz, int **row, int **col, double **val)
{
    *M = t->rows;
    *N = t->cols;
    *nz = t->entries;
    *row = t->row;
    *col = t->col;
    *val = t->values;
}

int mm_read_mtx_crd(char *fname, int *M, int *N, int *nz, int **row, int **col, double **val,
                    MM_typecode *matcode)
{
    triplets t;
    int error = read_file(fname, &t);
    if (error)
        return error;
    give(&t, M, N, nz, row, col, val);
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
    give(&t, M, N, nz, row, col, val);
    return 0;
}
