/* Printing entries: no check of the room, which the caller has taken by the sizes below. */
#include "number.h"
#include "split.h"
#include "value_type.h"
#include "view.h"
#include "write.h"

#include <string.h>

/* A number and the blank or the end of line behind it. */
#define NUMBER_ROOM (FUR_NUMBER_SIZE + 1)

/* Room for a row's number and a blank. It is copied as a whole, in front of every entry of the row:
 * a length known to the compiler is a move, any other a call. */
#define LABEL_SIZE 16
_Static_assert(LABEL_SIZE <= NUMBER_ROOM, "a label overruns the room of its line");

size_t fur_print_numbers_size(fur_mtx_field field)
{
    return field == FUR_MTX_PATTERN ? 0 : field == FUR_MTX_COMPLEX ? 2 * NUMBER_ROOM : NUMBER_ROOM;
}

size_t fur_print_entry_size(fur_mtx_field field)
{
    return 2 * NUMBER_ROOM + fur_print_numbers_size(field);
}

/* Part `index` of the array: complex values are two parts each. */
static char *print_part(const fur_print_numbers *n, int64_t index, char *out)
{
    if (fur_value_is_single(n->value_type)) {
        float part = ((const float *)n->values)[index];
        return out + (n->field == FUR_MTX_INTEGER ? fur_number_print_i64((int64_t)part, out)
                                                  : fur_number_print_f32(part, out));
    }
    double part = ((const double *)n->values)[index];
    return out + (n->field == FUR_MTX_INTEGER ? fur_number_print_i64((int64_t)part, out)
                                              : fur_number_print_f64(part, out));
}

static char *print_numbers(const fur_print_numbers *n, int64_t k, char *out)
{
    if (n->field != FUR_MTX_COMPLEX)
        return print_part(n, k, out);
    out = print_part(n, 2 * k, out);
    *out++ = ' ';
    return print_part(n, 2 * k + 1, out);
}

char *fur_print_array(const void *numbers, int64_t begin, int64_t end, char *out)
{
    for (int64_t k = begin; k < end; k++) {
        out = print_numbers(numbers, k, out);
        *out++ = '\n';
    }
    return out;
}

/* Prints entries begin .. end-1, which are of one row. */
static char *print_row(const fur_print_matrix *m, int64_t row, int64_t begin, int64_t end,
                       char *out)
{
    char label[LABEL_SIZE + FUR_NUMBER_SIZE];
    size_t label_size = fur_number_print_i64(row + 1, label);
    label[label_size++] = ' ';
    for (int64_t k = begin; k < end; k++) {
        int64_t col = m->view.columns[k];
        if (!fur_print_is_stored(m->symmetry, row, col))
            continue;
        memcpy(out, label, LABEL_SIZE);
        out += label_size;
        out += fur_number_print_i64(col + 1, out);
        if (m->numbers.field != FUR_MTX_PATTERN) {
            *out++ = ' ';
            out = print_numbers(&m->numbers, k, out);
        }
        *out++ = '\n';
    }
    return out;
}

char *fur_print_coordinates(const void *matrix, int64_t begin, int64_t end, char *out)
{
    const fur_print_matrix *m = matrix;
    for (int64_t k = begin, row = fur_view_row_of(&m->view, begin); k < end; row++) {
        int64_t stop = fur_smaller(fur_view_begin(&m->view, row + 1), end);
        if (k < stop)
            out = print_row(m, row, k, stop, out);
        k = stop;
    }
    return out;
}
