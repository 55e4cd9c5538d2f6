/* Printing the entries of a matrix or of a vector, a line each. */
#ifndef FURROW_IO_PRINT_H
#define FURROW_IO_PRINT_H

#include <furrow/mtx.h>

#include <stddef.h>

/* Entries of an array, as numbers of a field. */
typedef struct fur_print_numbers {
    const void *values;
    fur_value_type value_type;
    fur_mtx_field field; /* pattern: none; integer: the values fit int64_t; complex: pairs */
} fur_print_numbers;

/* Entries of a matrix, or of its lower triangle. */
typedef struct fur_print_matrix {
    fur_csr_view view;
    fur_mtx_symmetry symmetry;
    fur_print_numbers numbers;
} fur_print_matrix;

/* Whether a file of that symmetry stores the entry: all of a general matrix, else those of the
 * lower triangle. */
static inline int fur_print_is_stored(fur_mtx_symmetry symmetry, int64_t row, int64_t col)
{
    return symmetry == FUR_MTX_GENERAL || col < row ||
           (col == row && symmetry != FUR_MTX_SKEW_SYMMETRIC);
}

/* Bytes that the numbers of an entry take at most, each with what stands behind it. */
size_t fur_print_numbers_size(fur_mtx_field field);
/* The same with row and column. */
size_t fur_print_entry_size(fur_mtx_field field);

/* Print entries begin .. end-1 of a fur_print_numbers, of a fur_print_matrix; return the end of the
 * text. */
char *fur_print_array(const void *numbers, int64_t begin, int64_t end, char *out);
char *fur_print_coordinates(const void *matrix, int64_t begin, int64_t end, char *out);

#endif
