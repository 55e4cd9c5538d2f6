/* Writes matrices and vectors as Matrix Market files, with a line for each entry. */
#include <furrow/author/files.h>
#include <furrow/author/options.h>
#include <furrow/author/try.h>
#include <furrow/files.h>

#include "arguments.h"
#include "matrix.h"
#include "number.h"
#include "split.h"
#include "value_type.h"
#include "write.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes for the banner and for the sizes. */
#define HEAD_SIZE 256

/* Rows that justify a thread when entries are counted. */
#define ROW_GRAIN 1024

/* Entries of an array, which are numbers of a field. */
typedef struct field_numbers {
    const void *values;
    fur_value_type value_type;
    fur_mtx_field field; /* pattern: no numbers; integer: values that fit int64_t; complex: pairs */
} field_numbers;

/* The entries of a matrix or of its lower triangle. */
typedef struct matrix_entries {
    fur_csr_view view;
    fur_mtx_symmetry symmetry;
    field_numbers numbers;
} matrix_entries;

/* Returns whether a file of this symmetry stores the entry. A general matrix stores all entries,
 * and any other stores its lower triangle. The zeros on the diagonal of a skew-symmetric matrix
 * count as part of it. */
static bool is_stored(fur_mtx_symmetry symmetry, int64_t row, int64_t col)
{
    return symmetry == FUR_MTX_GENERAL || col <= row;
}

/* Bytes of a number and the following blank or line end. */
#define NUMBER_ROOM (FUR_NUMBER_SIZE + 1)

/* Bytes of a row's number and a blank. All of them are copied before every entry of the row: with a
 * constant length, this is one move instead of a call. */
#define LABEL_SIZE 16
_Static_assert(LABEL_SIZE <= NUMBER_ROOM, "a label overruns the room of its line");

/* Returns the most bytes of an entry's numbers, each with the character after it. */
static size_t numbers_room(fur_mtx_field field)
{
    return field == FUR_MTX_PATTERN ? 0 : field == FUR_MTX_COMPLEX ? 2 * NUMBER_ROOM : NUMBER_ROOM;
}

/* As above, with row and column. */
static size_t entry_room(fur_mtx_field field)
{
    return 2 * NUMBER_ROOM + numbers_room(field);
}

/* Prints part `index` of the array. A complex value has two parts. */
static char *print_part(const field_numbers *n, int64_t index, char *out)
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

static char *print_numbers(const field_numbers *n, int64_t k, char *out)
{
    if (n->field != FUR_MTX_COMPLEX)
        return print_part(n, k, out);
    out = print_part(n, 2 * k, out);
    *out++ = ' ';
    return print_part(n, 2 * k + 1, out);
}

/* Prints entries begin .. end-1 of field_numbers and returns the end of the text. */
static char *print_array(const void *numbers, int64_t begin, int64_t end, char *out)
{
    for (int64_t k = begin; k < end; k++) {
        out = print_numbers(numbers, k, out);
        *out++ = '\n';
    }
    return out;
}

/* Prints entries begin .. end-1, which are in one row. */
static char *print_row(const matrix_entries *m, int64_t row, int64_t begin, int64_t end, char *out)
{
    char label[LABEL_SIZE + FUR_NUMBER_SIZE];
    size_t label_size = fur_number_print_i64(row + 1, label);
    label[label_size++] = ' ';
    for (int64_t k = begin; k < end; k++) {
        int64_t col = m->view.columns[k];
        if (!is_stored(m->symmetry, row, col))
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

/* As print_array, for matrix_entries. */
static char *print_coordinates(const void *matrix, int64_t begin, int64_t end, char *out)
{
    const matrix_entries *m = matrix;
    for (int64_t k = begin, row = fur_view_row_of(&m->view, begin); k < end; row++) {
        int64_t stop = fur_smaller(fur_view_begin(&m->view, row + 1), end);
        if (k < stop)
            out = print_row(m, row, k, stop, out);
        k = stop;
    }
    return out;
}

/* Writes every line of the comment after a %. It takes at most three bytes for each byte of the
 * comment and its end. */
static char *put_comment(const char *comment, char *out)
{
    while (*comment) {
        size_t length = strcspn(comment, "\n");
        *out++ = '%';
        *out++ = ' ';
        memcpy(out, comment, length);
        out += length;
        *out++ = '\n';
        comment += length + (comment[length] == '\n');
    }
    return out;
}

static char *put_banner(const fur_mtx_header *header, char *out)
{
    return out + snprintf(out, HEAD_SIZE, "%%%%MatrixMarket matrix %s %s %s\n",
                          fur_mtx_format_name(header->format), fur_mtx_field_name(header->field),
                          fur_mtx_symmetry_name(header->symmetry));
}

static char *put_sizes(const fur_mtx_header *header, char *out)
{
    long long rows = header->rows, cols = header->cols, entries = header->entries_in_file;
    return out + (header->format == FUR_MTX_ARRAY
                      ? snprintf(out, HEAD_SIZE, "%lld %lld\n", rows, cols)
                      : snprintf(out, HEAD_SIZE, "%lld %lld %lld\n", rows, cols, entries));
}

/* Writes the head of the text from the header, and writes the file. */
static fur_status write_file(fur_context *context, const char *path, const fur_mtx_header *header,
                             const fur_mtx_write_options *options, fur_text *text)
{
    const char *comment = options->comment ? options->comment : "";
    void *head;
    FUR_TRY(fur_context_allocate(context, 2 * HEAD_SIZE + 3 * (strlen(comment) + 1), &head));
    char *end = put_sizes(header, put_comment(comment, put_banner(header, head)));
    text->head = head;
    text->head_size = (size_t)(end - (char *)head);
    fur_status status = fur_text_write(context, path, text, options->sync != 0);
    fur_context_release(context, head);
    return status;
}

typedef struct stored {
    const fur_csr_view *view;
    fur_mtx_symmetry symmetry;
    _Atomic int64_t count;
} stored;

static void count_stored_in_rows(void *user, int64_t begin, int64_t end)
{
    stored *s = user;
    int64_t count = 0;
    for (int64_t row = begin; row < end; row++)
        for (int64_t k = fur_view_begin(s->view, row); k < fur_view_begin(s->view, row + 1); k++)
            count += is_stored(s->symmetry, row, s->view->columns[k]);
    s->count += count;
}

static int64_t count_stored(const fur_csr *a, fur_mtx_symmetry symmetry)
{
    fur_csr_view view = *fur_csr_get(a);
    if (symmetry == FUR_MTX_GENERAL)
        return view.entries;
    stored s = {.view = &view, .symmetry = symmetry};
    fur_context_parallel(fur_csr_context(a), view.rows, ROW_GRAIN, count_stored_in_rows, &s);
    return s.count;
}

/* Chooses the field that the options request, if values of that type can be written in it. */
static fur_status choose_field(fur_context *context, const fur_mtx_write_options *options,
                               fur_value_type value, fur_mtx_field *out)
{
    if (options->integer && options->pattern)
        return fur_context_fail(
            context, FUR_INVALID,
            "a pattern has no values to write as integers; request either a pattern or integers");
    if (options->integer && fur_value_is_complex(value))
        return fur_context_fail(context, FUR_INVALID,
                                "complex values cannot be written as integers");
    *out = options->pattern              ? FUR_MTX_PATTERN
           : options->integer            ? FUR_MTX_INTEGER
           : fur_value_is_complex(value) ? FUR_MTX_COMPLEX
                                         : FUR_MTX_REAL;
    return FUR_OK;
}

/* Checks that the requested symmetry exists in the format and holds for the matrix. */
static fur_status check_symmetry(const fur_csr *a, const fur_mtx_write_options *options)
{
    fur_context *context = fur_csr_context(a);
    fur_mtx_symmetry symmetry = options->symmetry;
    if (symmetry == FUR_MTX_GENERAL)
        return FUR_OK;
    if ((unsigned)symmetry > FUR_MTX_HERMITIAN)
        return fur_context_fail(context, FUR_INVALID, "%d is not a symmetry", (int)symmetry);
    if (options->pattern && symmetry != FUR_MTX_SYMMETRIC)
        return fur_context_fail(context, FUR_INVALID,
                                "a pattern cannot be %s; write it as symmetric or general",
                                fur_mtx_symmetry_name(symmetry));
    if (symmetry == FUR_MTX_HERMITIAN && !fur_value_is_complex(fur_csr_get(a)->value_type))
        return fur_context_fail(context, FUR_INVALID,
                                "a real matrix cannot be hermitian; write it as symmetric");
    return fur_verify_symmetry(a, symmetry, !options->pattern);
}

/* Writes a matrix in memory that the host can access. */
static fur_status write_csr(const fur_csr *a, const char *path,
                            const fur_mtx_write_options *options)
{
    fur_mtx_write_options taken;
    fur_context *context = fur_csr_context(a);
    FUR_TAKE_OPTIONS(context, fur_mtx_write_options, &taken, options);
    fur_csr_view view = *fur_csr_get(a);
    fur_mtx_field field = FUR_MTX_REAL;
    FUR_TRY(choose_field(context, &taken, view.value_type, &field));
    FUR_TRY(check_symmetry(a, &taken));
    if (field == FUR_MTX_INTEGER)
        FUR_TRY(fur_verify_integers(a));
    matrix_entries matrix = {
        .view = view, .symmetry = taken.symmetry, .numbers = {view.values, view.value_type, field}};
    fur_mtx_header header = {.field = field,
                             .symmetry = taken.symmetry,
                             .rows = view.rows,
                             .cols = view.cols,
                             .entries_in_file = count_stored(a, taken.symmetry)};
    fur_text text = {.entries = view.entries,
                     .entry_size = entry_room(field),
                     .print = print_coordinates,
                     .user = &matrix};
    return write_file(context, path, &header, &taken, &text);
}

fur_status fur_mtx_write_csr(const fur_csr *a, const char *path,
                             const fur_mtx_write_options *options)
{
    FUR_NEED(fur_csr_context(a), a, path);
    fur_context *context = fur_csr_context(a);
    fur_csr *copy;
    FUR_TRY(fur_csr_to_companion(&a, &copy));
    fur_status status = write_csr(a, path, options);
    fur_csr_destroy(copy);
    return fur_from_companion(context, status);
}

/* Writes entries in memory that the host can access, column by column. */
static fur_status write_array(fur_context *context, const fur_vectors_view *x, const char *path,
                              const fur_mtx_write_options *options)
{
    fur_mtx_write_options taken;
    FUR_TAKE_OPTIONS(context, fur_mtx_write_options, &taken, options);
    bool complex = fur_value_is_complex(x->value_type);
    field_numbers numbers = {.values = x->data,
                             .value_type = x->value_type,
                             .field = complex ? FUR_MTX_COMPLEX : FUR_MTX_REAL};
    fur_mtx_header header = {
        .format = FUR_MTX_ARRAY, .field = numbers.field, .rows = x->rows, .cols = x->cols};
    fur_text text = {.entries = x->rows * x->cols,
                     .entry_size = numbers_room(numbers.field),
                     .print = print_array,
                     .user = &numbers};
    return write_file(context, path, &header, &taken, &text);
}

/* Writes a vector in memory that the host can access. */
static fur_status write_vector(const fur_vector *x, const char *path,
                               const fur_mtx_write_options *options)
{
    const fur_vectors_view one = {.rows = fur_vector_size(x),
                                  .cols = 1,
                                  .value_type = fur_vector_value_type(x),
                                  .data = (void *)(uintptr_t)fur_vector_const_data(x)};
    return write_array(fur_vector_context(x), &one, path, options);
}

fur_status fur_mtx_write_vector(const fur_vector *x, const char *path,
                                const fur_mtx_write_options *options)
{
    FUR_NEED(fur_vector_context(x), x, path);
    fur_context *context = fur_vector_context(x);
    fur_vector *copy;
    FUR_TRY(fur_vector_to_companion(&x, &copy));
    fur_status status = write_vector(x, path, options);
    fur_vector_destroy(copy);
    return fur_from_companion(context, status);
}

fur_status fur_mtx_write_vectors(const fur_vectors *x, const char *path,
                                 const fur_mtx_write_options *options)
{
    FUR_NEED(fur_vectors_context(x), x, path);
    const fur_vectors_view *v = fur_vectors_get(x);
    fur_context *context = fur_vectors_context(x);
    fur_context *host = fur_context_host(context);
    fur_vectors *copy; /* stored by columns without gaps */
    FUR_TRY(fur_from_companion(context, fur_vectors_create(host, v->value_type, v->rows, v->cols,
                                                           FUR_LAYOUT_COLUMNS, &copy)));
    fur_status status = fur_vectors_copy(x, copy);
    if (status == FUR_OK)
        status =
            fur_from_companion(context, write_array(host, fur_vectors_get(copy), path, options));
    fur_vectors_destroy(copy);
    return status;
}
