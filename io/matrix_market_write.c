/* Writing matrices and vectors as Matrix Market files. */
#include <furrow/mtx.h>

#include "companion.h"
#include "number.h"
#include "options.h"
#include "output.h"
#include "rows.h"
#include "scan.h"
#include "verify.h"

#include <stdio.h>
#include <string.h>

/* Room for two indices, two numbers and what is between them. */
#define LINE_SIZE 128

static bool is_complex(fur_value value)
{
    return value == FUR_C64 || value == FUR_C128;
}

/* Prints one number of an array of values; complex values are two numbers each. */
static size_t print_part(const void *values, fur_value value, int64_t index, char *out)
{
    return value == FUR_F32 || value == FUR_C64
               ? fur_number_print_f32(((const float *)values)[index], out)
               : fur_number_print_f64(((const double *)values)[index], out);
}

static size_t print_value(const void *values, fur_value value, int64_t k, char *out)
{
    if (!is_complex(value))
        return print_part(values, value, k, out);
    size_t length = print_part(values, value, 2 * k, out);
    out[length++] = ' ';
    return length + print_part(values, value, 2 * k + 1, out + length);
}

static fur_status write_text(fur_output *output, const char *text)
{
    return fur_output_write(output, text, strlen(text));
}

/* Every line of the comment, behind a %. */
static fur_status write_comment(fur_output *output, const char *comment)
{
    while (comment && *comment) {
        size_t length = strcspn(comment, "\n");
        FUR_TRY(write_text(output, "% "));
        FUR_TRY(fur_output_write(output, comment, length));
        FUR_TRY(write_text(output, "\n"));
        comment += length + (comment[length] == '\n');
    }
    return FUR_OK;
}

static fur_status write_banner(fur_output *output, const fur_mtx_header *header,
                               const char *comment)
{
    char line[LINE_SIZE];
    snprintf(line, sizeof line, "%%%%MatrixMarket matrix %s %s %s\n",
             fur_mtx_format_name(header->format), fur_mtx_field_name(header->field),
             fur_mtx_symmetry_name(header->symmetry));
    FUR_TRY(write_text(output, line));
    return write_comment(output, comment);
}

/* Whether the file stores an entry: all of a general matrix, else those of the lower triangle. */
static bool is_stored(fur_mtx_symmetry symmetry, int64_t row, int64_t col)
{
    return symmetry == FUR_MTX_GENERAL || col < row ||
           (col == row && symmetry != FUR_MTX_SKEW_SYMMETRIC);
}

static int64_t count_stored(const fur_csr_view *view, fur_mtx_symmetry symmetry)
{
    int64_t count = 0;
    for (int64_t row = 0; row < view->rows; row++)
        for (int64_t k = fur_row_begin(view, row); k < fur_row_begin(view, row + 1); k++)
            count += is_stored(symmetry, row, view->columns[k]);
    return count;
}

static fur_status write_entry(fur_output *output, const fur_csr_view *view, bool pattern,
                              int64_t row, int64_t k)
{
    char line[LINE_SIZE];
    size_t length = fur_number_print_i64(row + 1, line);
    line[length++] = ' ';
    length += fur_number_print_i64((int64_t)view->columns[k] + 1, line + length);
    if (!pattern) {
        line[length++] = ' ';
        length += print_value(view->values, view->value, k, line + length);
    }
    line[length++] = '\n';
    return fur_output_write(output, line, length);
}

static fur_status write_entries(fur_output *output, const fur_csr_view *view,
                                const fur_mtx_header *header)
{
    bool pattern = header->field == FUR_MTX_PATTERN;
    for (int64_t row = 0; row < view->rows; row++)
        for (int64_t k = fur_row_begin(view, row); k < fur_row_begin(view, row + 1); k++)
            if (is_stored(header->symmetry, row, view->columns[k]))
                FUR_TRY(write_entry(output, view, pattern, row, k));
    return FUR_OK;
}

static fur_status write_matrix(fur_output *output, const fur_csr_view *view,
                               const fur_mtx_header *header, const char *comment)
{
    char line[LINE_SIZE];
    FUR_TRY(write_banner(output, header, comment));
    snprintf(line, sizeof line, "%lld %lld %lld\n", (long long)header->rows,
             (long long)header->cols, (long long)header->entries_in_file);
    FUR_TRY(write_text(output, line));
    return write_entries(output, view, header);
}

/* What the options ask for must exist in the format and be true of the matrix. */
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
    if (symmetry == FUR_MTX_HERMITIAN && !is_complex(fur_csr_get(a).value))
        return fur_context_fail(context, FUR_INVALID,
                                "a real matrix cannot be hermitian; write it as symmetric");
    return fur_verify_symmetry(a, symmetry, !options->pattern);
}

/* Writes a matrix that the host reaches. */
static fur_status write_csr(const fur_csr *a, const char *path,
                            const fur_mtx_write_options *options)
{
    fur_mtx_write_options taken;
    fur_take_options(&taken, sizeof taken, options);
    fur_context *context = fur_csr_context(a);
    if (!path)
        return fur_context_fail(context, FUR_INVALID, "fur_mtx_write_csr was given no path");
    FUR_TRY(check_symmetry(a, &taken));
    fur_csr_view view = fur_csr_get(a);
    fur_mtx_header header = {.field = taken.pattern            ? FUR_MTX_PATTERN
                                      : is_complex(view.value) ? FUR_MTX_COMPLEX
                                                               : FUR_MTX_REAL,
                             .symmetry = taken.symmetry,
                             .rows = view.rows,
                             .cols = view.cols,
                             .entries_in_file = count_stored(&view, taken.symmetry)};
    fur_output output;
    FUR_TRY(fur_output_open(context, path, &output));
    return fur_output_close(&output, write_matrix(&output, &view, &header, taken.comment));
}

fur_status fur_mtx_write_csr(const fur_csr *a, const char *path,
                             const fur_mtx_write_options *options)
{
    fur_context *context = fur_csr_context(a);
    fur_context *host = fur_context_host(context);
    fur_csr *copy = NULL;
    if (host != context)
        FUR_TRY(fur_csr_transfer(a, host, &copy));
    fur_status status = write_csr(copy ? copy : a, path, options);
    fur_csr_destroy(copy);
    return fur_from_companion(context, status);
}

static fur_status write_numbers(fur_output *output, const fur_vector *x, const char *comment)
{
    fur_value value = fur_vector_value(x);
    fur_mtx_header header = {.format = FUR_MTX_ARRAY,
                             .field = is_complex(value) ? FUR_MTX_COMPLEX : FUR_MTX_REAL};
    char line[LINE_SIZE];
    FUR_TRY(write_banner(output, &header, comment));
    snprintf(line, sizeof line, "%lld 1\n", (long long)fur_vector_size(x));
    FUR_TRY(write_text(output, line));
    for (int64_t k = 0; k < fur_vector_size(x); k++) {
        size_t length = print_value(fur_vector_const_data(x), value, k, line);
        line[length++] = '\n';
        FUR_TRY(fur_output_write(output, line, length));
    }
    return FUR_OK;
}

/* Writes a vector that the host reaches. */
static fur_status write_vector(const fur_vector *x, const char *path,
                               const fur_mtx_write_options *options)
{
    fur_mtx_write_options taken;
    fur_take_options(&taken, sizeof taken, options);
    fur_context *context = fur_vector_context(x);
    if (!path)
        return fur_context_fail(context, FUR_INVALID, "fur_mtx_write_vector was given no path");
    fur_output output;
    FUR_TRY(fur_output_open(context, path, &output));
    return fur_output_close(&output, write_numbers(&output, x, taken.comment));
}

fur_status fur_mtx_write_vector(const fur_vector *x, const char *path,
                                const fur_mtx_write_options *options)
{
    fur_context *context = fur_vector_context(x);
    fur_context *host = fur_context_host(context);
    fur_vector *copy = NULL;
    if (host != context) {
        FUR_TRY(fur_from_companion(
            context, fur_vector_create(host, fur_vector_value(x), fur_vector_size(x), &copy)));
        fur_status moved = fur_vector_copy(x, copy);
        if (moved != FUR_OK) {
            fur_vector_destroy(copy);
            return moved;
        }
    }
    fur_status status = write_vector(copy ? copy : x, path, options);
    fur_vector_destroy(copy);
    return fur_from_companion(context, status);
}
