/* Writing through the mmio interface, type codes, and their words. */
#include "mmio.h"
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int mm_is_valid(MM_typecode matcode)
{
    if (!mm_is_matrix(matcode))
        return 0;
    if (mm_is_dense(matcode) && mm_is_pattern(matcode))
        return 0;
    if (mm_is_hermitian(matcode) && !mm_is_complex(matcode))
        return 0;
    return !(mm_is_pattern(matcode) && mm_is_skew(matcode));
}

char *mm_strdup(const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, s, size) : NULL;
}

static const char *format_word(MM_typecode matcode)
{
    return mm_is_coordinate(matcode) ? MM_COORDINATE_STR
           : mm_is_array(matcode)    ? MM_ARRAY_STR
                                     : NULL;
}

static const char *field_word(MM_typecode matcode)
{
    return mm_is_real(matcode)      ? MM_REAL_STR
           : mm_is_complex(matcode) ? MM_COMPLEX_STR
           : mm_is_pattern(matcode) ? MM_PATTERN_STR
           : mm_is_integer(matcode) ? MM_INT_STR
                                    : NULL;
}

static const char *symmetry_word(MM_typecode matcode)
{
    return mm_is_general(matcode)     ? MM_GENERAL_STR
           : mm_is_symmetric(matcode) ? MM_SYMM_STR
           : mm_is_hermitian(matcode) ? MM_HERM_STR
           : mm_is_skew(matcode)      ? MM_SKEW_STR
                                      : NULL;
}

char *mm_typecode_to_str(MM_typecode matcode)
{
    const char *format = format_word(matcode);
    const char *field = field_word(matcode);
    const char *symmetry = symmetry_word(matcode);
    if (!mm_is_matrix(matcode) || !format || !field || !symmetry)
        return NULL;
    char words[MM_MAX_LINE_LENGTH];
    snprintf(words, sizeof words, "%s %s %s %s", MM_MTX_STR, format, field, symmetry);
    return mm_strdup(words);
}

int mm_write_banner(FILE *f, MM_typecode matcode)
{
    char *words = mm_typecode_to_str(matcode);
    if (!words)
        return MM_COULD_NOT_WRITE_FILE;
    int written = fprintf(f, "%s %s\n", MatrixMarketBanner, words);
    free(words);
    return written < 0 ? MM_COULD_NOT_WRITE_FILE : 0;
}

int mm_write_mtx_crd_size(FILE *f, int M, int N, int nz)
{
    return fprintf(f, "%d %d %d\n", M, N, nz) < 0 ? MM_COULD_NOT_WRITE_FILE : 0;
}

int mm_write_mtx_array_size(FILE *f, int M, int N)
{
    return fprintf(f, "%d %d\n", M, N) < 0 ? MM_COULD_NOT_WRITE_FILE : 0;
}

static void write_value(FILE *f, double value, bool integer)
{
    char text[FUR_NUMBER_SIZE];
    if (integer && isfinite(value))
        fprintf(f, " %.0f", value);
    else
        fprintf(f, " %.*s", (int)fur_number_print_f64(value, text), text);
}

static void write_entry(FILE *f, int row, int col, const double *value, MM_typecode matcode)
{
    fprintf(f, "%d %d", row, col);
    if (!mm_is_pattern(matcode))
        write_value(f, value[0], mm_is_integer(matcode));
    if (mm_is_complex(matcode))
        write_value(f, value[1], false);
    fputc('\n', f);
}

static int write_stream(FILE *f, int M, int N, int nz, const int row[], const int col[],
                        const double val[], MM_typecode matcode)
{
    int error = mm_write_banner(f, matcode);
    if (!error)
        error = mm_write_mtx_crd_size(f, M, N, nz);
    size_t parts = mm_is_complex(matcode) ? 2 : 1;
    for (int k = 0; k < nz && !error; k++)
        write_entry(f, row[k], col[k], mm_is_pattern(matcode) ? NULL : val + parts * (size_t)k,
                    matcode);
    return error ? error : fflush(f) != 0 || ferror(f) ? MM_COULD_NOT_WRITE_FILE : 0;
}

static bool are_integers(const double val[], int nz)
{
    for (int k = 0; k < nz; k++)
        if (isfinite(val[k]) && val[k] != floor(val[k]))
            return false;
    return true;
}

static bool can_be_written(MM_typecode matcode)
{
    return mm_is_matrix(matcode) && mm_is_coordinate(matcode) &&
           (mm_is_real(matcode) || mm_is_integer(matcode) || mm_is_complex(matcode) ||
            mm_is_pattern(matcode));
}

int mm_write_mtx_crd(char fname[], int M, int N, int nz, int row[], int col[], double val[],
                     MM_typecode matcode)
{
    if (!can_be_written(matcode) || (mm_is_integer(matcode) && !are_integers(val, nz)))
        return MM_UNSUPPORTED_TYPE;
    if (strcmp(fname, "stdout") == 0)
        return write_stream(stdout, M, N, nz, row, col, val, matcode);
    FILE *f = fopen(fname, "w");
    if (!f)
        return MM_COULD_NOT_WRITE_FILE;
    int error = write_stream(f, M, N, nz, row, col, val, matcode);
    if (fclose(f) != 0 && !error)
        error = MM_COULD_NOT_WRITE_FILE;
    return error;
}
