/* Reading Matrix Market files into matrices and vectors. */
#include "companion.h"
#include "read.h"
#include "entries.h"
#include "options.h"
#include "repeat.h"
#include "rows.h"
#include "source.h"
#include "symmetry.h"

#include <string.h>

/* What is read of a file at first when only its head is wanted. */
#define HEAD_SIZE 65536

/* The options with defaults in place of what is missing. */
static fur_status take_options(fur_context *context, const fur_mtx_read_options *options,
                               fur_mtx_read_options *out)
{
    fur_take_options(out, sizeof *out, options);
    if (out->convert && fur_value_size(out->value) == 0)
        return fur_context_fail(context, FUR_INVALID, "%d is not a value type", (int)out->value);
    return FUR_OK;
}

/* The value type to read into. */
static fur_status choose_value(const fur_scan *scan, const fur_banner *banner,
                               const fur_mtx_read_options *options, fur_value *out)
{
    bool complex = banner->header.field == FUR_MTX_COMPLEX;
    fur_value value = options->convert ? options->value : complex ? FUR_C128 : FUR_F64;
    if (complex && (value == FUR_F32 || value == FUR_F64))
        return fur_scan_fail(scan, FUR_INVALID, scan->line_start,
                             "the file is complex and does not fit %s; read it as c64 or c128",
                             fur_value_name(value));
    *out = value;
    return FUR_OK;
}

/* Replaces the sentence about a repeated entry by one that names the lines. */
static fur_status name_repeat(const fur_entries *entries)
{
    fur_repeat repeat;
    FUR_TRY(fur_repeat_find(entries, FUR_REPEAT_SAME, &repeat));
    fur_scan first = fur_entries_place(entries, repeat.first);
    fur_scan second = fur_entries_place(entries, repeat.second);
    return fur_scan_fail(&second, FUR_INVALID, second.at,
                         "found an entry at the same position as in line %lld, expected each "
                         "position once",
                         (long long)first.line);
}

static fur_status assemble(const fur_entries *entries, const fur_mtx_header *header,
                           fur_duplicates duplicates, fur_csr **out)
{
    fur_coo_view coo = {.rows = header->rows,
                        .cols = header->cols,
                        .entries = entries->count,
                        .value = entries->value,
                        .row_indices = entries->rows,
                        .col_indices = entries->cols,
                        .values = entries->values};
    fur_status status = fur_csr_from_coo(entries->context, &coo, duplicates, out);
    return status == FUR_INVALID && duplicates == FUR_DUPLICATES_ERROR ? name_repeat(entries)
                                                                       : status;
}

/* The matrix of the entries below the head. */
static fur_status read_body(fur_scan *scan, const fur_banner *banner,
                            const fur_mtx_read_options *options, fur_value value, fur_csr **out)
{
    const fur_mtx_header *header = &banner->header;
    bool symmetric = header->symmetry != FUR_MTX_GENERAL;
    bool expand = symmetric && !options->keep_triangle;
    fur_entries entries;
    FUR_TRY(fur_entries_read(scan, banner, value, expand, &entries));
    fur_status status;
    if (symmetric)
        FUR_TRY_DONE(fur_symmetry_normalise(&entries, header->symmetry));
    if (expand)
        fur_symmetry_expand(&entries, header->symmetry);
    status = assemble(&entries, header, options->duplicates, out);
done:
    fur_entries_release(&entries);
    return status;
}

fur_status fur_read_text(fur_context *context, const char *name, const char *text, size_t size,
                         const fur_mtx_read_options *options, fur_csr **out)
{
    fur_mtx_read_options taken;
    FUR_TRY(take_options(context, options, &taken));
    fur_scan scan = fur_scan_start(context, name, text, size);
    fur_banner banner;
    fur_value value = FUR_F64;
    FUR_TRY(fur_banner_read(&scan, &banner));
    FUR_TRY(choose_value(&scan, &banner, &taken, &value));
    FUR_TRY(fur_banner_check_room(&scan, &banner));
    FUR_TRY(read_body(&scan, &banner, &taken, value, out));
    if (taken.header)
        *taken.header = banner.header;
    return FUR_OK;
}

fur_status fur_mtx_read_csr(fur_context *context, const char *path,
                            const fur_mtx_read_options *options, fur_csr **out)
{
    if (!path || !out)
        return fur_context_fail(context, FUR_INVALID, "fur_mtx_read_csr was given NULL");
    fur_source source;
    FUR_TRY(fur_source_open(context, path, &source));
    fur_status status;
    FUR_TRY_DONE(fur_source_fill(&source, SIZE_MAX));
    status = fur_read_text(context, path, source.text, source.size, options, out);
done:
    fur_source_close(&source);
    return status;
}

/* Whether the text has a whole line below the first that is neither blank nor comment. */
static bool has_size_line(const fur_source *source)
{
    fur_scan scan = fur_scan_start(source->context, source->path, source->text, source->size);
    return fur_scan_next_line(&scan) && fur_scan_content(&scan) && fur_scan_next_line(&scan);
}

fur_status fur_mtx_read_header(fur_context *context, const char *path, fur_mtx_header *out)
{
    if (!path || !out)
        return fur_context_fail(context, FUR_INVALID, "fur_mtx_read_header was given NULL");
    fur_source source;
    FUR_TRY(fur_source_open(context, path, &source));
    fur_status status;
    size_t wanted = HEAD_SIZE;
    do {
        FUR_TRY_DONE(fur_source_fill(&source, wanted));
        wanted *= 4;
    } while (!source.complete && !has_size_line(&source));
    fur_scan scan = fur_scan_start(context, path, source.text, source.size);
    fur_banner banner;
    FUR_TRY_DONE(fur_banner_read(&scan, &banner));
    *out = banner.header;
done:
    fur_source_close(&source);
    return status;
}

/* Writes the entries of a matrix of one column, or one row, to their places among zeros. */
static void scatter(const fur_csr_view *view, void *dense)
{
    size_t size = fur_value_size(view->value);
    const char *values = view->values;
    for (int64_t row = 0; row < view->rows; row++) {
        int64_t end = fur_row_begin(view, row + 1);
        for (int64_t k = fur_row_begin(view, row); k < end; k++) {
            size_t index = (size_t)(view->cols == 1 ? row : view->columns[k]);
            memcpy((char *)dense + index * size, values + (size_t)k * size, size);
        }
    }
}

static fur_status make_vector(fur_context *context, const char *path, const fur_csr *matrix,
                              fur_vector **out)
{
    fur_csr_view view = fur_csr_get(matrix);
    if (view.rows != 1 && view.cols != 1)
        return fur_context_fail(context, FUR_INVALID,
                                "%.400s: found a matrix of %lld x %lld, expected one column or one "
                                "row for a vector",
                                path, (long long)view.rows, (long long)view.cols);
    int64_t size = view.cols == 1 ? view.rows : view.cols;
    fur_vector *vector;
    FUR_TRY(fur_vector_create(context, view.value, size, &vector));
    scatter(&view, fur_vector_data(vector));
    *out = vector;
    return FUR_OK;
}

static fur_status read_vector(fur_context *context, const char *path,
                              const fur_mtx_read_options *options, fur_vector **out)
{
    fur_csr *matrix = NULL;
    fur_mtx_read_options taken;
    fur_mtx_header header;
    FUR_TRY(take_options(context, options, &taken));
    fur_mtx_header *wanted = taken.header;
    taken.header = &header;
    FUR_TRY(fur_mtx_read_csr(context, path, &taken, &matrix));
    fur_status status = make_vector(context, path, matrix, out);
    fur_csr_destroy(matrix);
    if (status == FUR_OK && wanted)
        *wanted = header;
    return status;
}

fur_status fur_mtx_read_vector(fur_context *context, const char *path,
                               const fur_mtx_read_options *options, fur_vector **out)
{
    fur_context *host = fur_context_host(context);
    fur_vector *near = NULL;
    if (!out)
        return fur_context_fail(context, FUR_INVALID, "fur_mtx_read_vector was given NULL");
    if (host == context)
        return read_vector(context, path, options, out);
    FUR_TRY(fur_from_companion(context, read_vector(host, path, options, &near)));
    fur_status status = fur_vector_wrap(context, fur_vector_value(near), fur_vector_size(near),
                                        fur_vector_data(near), FUR_COPY, out);
    fur_vector_destroy(near);
    return status;
}
