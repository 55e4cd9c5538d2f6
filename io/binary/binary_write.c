/* Writes .fur files. */
#include "arguments.h"
#include "binary_format.h"
#include "matrix.h"
#include "value_type.h"

#include <furrow/author/context.h>
#include <furrow/author/files.h>
#include <furrow/author/options.h>
#include <furrow/author/try.h>
#include <furrow/files.h>

/* Takes the options. If they name no origin, the field is real or complex by the value type. */
static fur_status take_options(fur_context *context, const fur_binary_write_options *options,
                               fur_value_type value, fur_binary_write_options *out)
{
    static const fur_mtx_header real = {.field = FUR_MTX_REAL},
                                complex = {.field = FUR_MTX_COMPLEX};
    FUR_TAKE_OPTIONS(context, fur_binary_write_options, out, options);
    FUR_CHECK_REPORT(context, fur_mtx_header, out->origin);
    if (!out->origin)
        out->origin = fur_value_is_complex(value) ? &complex : &real;
    if ((unsigned)out->origin->field > FUR_MTX_PATTERN)
        return fur_context_fail(context, FUR_INVALID, "%d is not a field", (int)out->origin->field);
    if ((unsigned)out->origin->symmetry > FUR_MTX_HERMITIAN)
        return fur_context_fail(context, FUR_INVALID, "%d is not a symmetry",
                                (int)out->origin->symmetry);
    return FUR_OK;
}

/* Writes zeros up to the beginning of the section, then its bytes. */
static fur_status write_section(fur_output *output, const fur_binary_extent *section,
                                const void *bytes)
{
    static const char zeros[FUR_BINARY_ALIGNMENT];
    if (section->at > 0) {
        uint64_t end = section[-1].at + section[-1].size;
        FUR_TRY(fur_output_write(output, zeros, section->at - end));
    }
    return fur_output_write(output, bytes, section->size);
}

/* Errors are not returned here: the output stores the first failure. */
static void write_sections(fur_output *output, const fur_binary_layout *layout,
                           const void *const arrays[FUR_BINARY_SECTIONS])
{
    for (int i = 0; i < FUR_BINARY_SECTIONS; i++)
        if (write_section(output, &layout->sections[i], arrays[i]) != FUR_OK)
            return;
}

/* Completes the header and writes the file. */
static fur_status write_file(fur_context *context, const char *path, bool sync,
                             fur_binary_header *header, const void *arrays[FUR_BINARY_SECTIONS])
{
    fur_output *output = NULL;
    void *table = NULL;
    fur_binary_layout layout = fur_binary_lay_out(header);
    uint64_t table_size = layout.sections[FUR_BINARY_TABLE].size;
    FUR_TRY(fur_binary_need(context, path));
    FUR_TRY(fur_context_allocate(context, table_size, &table));
    fur_binary_make_table(context, &layout, arrays, table);
    fur_binary_complete(header);
    header->table_sum = fur_binary_sum(table, table_size);
    header->header_sum = fur_binary_header_sum(header);
    arrays[FUR_BINARY_HEADER] = header;
    arrays[FUR_BINARY_TABLE] = table;
    fur_status status = fur_output_create(context, path, &output);
    if (status == FUR_OK) {
        write_sections(output, &layout, arrays);
        status = fur_output_commit(output, sync);
    }
    fur_context_release(context, table);
    return status;
}

/* Writes a matrix in memory that the host can access. */
static fur_status write_csr(const fur_csr *a, const char *path,
                            const fur_binary_write_options *options)
{
    fur_context *context = fur_csr_context(a);
    fur_csr_view view = *fur_csr_get(a);
    fur_binary_write_options taken;
    FUR_TRY(take_options(context, options, view.value_type, &taken));
    FUR_TRY(fur_csr_check(context, &view));
    const fur_mtx_header *origin = taken.origin;
    if (origin->symmetry != FUR_MTX_GENERAL)
        FUR_TRY(fur_verify_symmetry(a, origin->symmetry, origin->field != FUR_MTX_PATTERN));
    fur_binary_header header = {.kind = FUR_BINARY_MATRIX,
                                .value = view.value_type,
                                .offset = view.offset_type,
                                .field = origin->field,
                                .symmetry = origin->symmetry,
                                .rows = (uint64_t)view.rows,
                                .cols = (uint64_t)view.cols,
                                .entries = (uint64_t)view.entries};
    const void *arrays[FUR_BINARY_SECTIONS] = {[FUR_BINARY_OFFSETS] = view.offsets,
                                               [FUR_BINARY_COLUMNS] = view.columns,
                                               [FUR_BINARY_VALUES] = view.values};
    return write_file(context, path, taken.sync != 0, &header, arrays);
}

fur_status fur_binary_write_csr(const fur_csr *a, const char *path,
                                const fur_binary_write_options *options)
{
    FUR_NEED(fur_csr_context(a), a, path);
    fur_context *context = fur_csr_context(a);
    fur_csr *copy = NULL;
    FUR_TRY(fur_csr_to_companion(&a, &copy));
    fur_status status = write_csr(a, path, options);
    fur_csr_destroy(copy);
    return fur_from_companion(context, status);
}

/* Writes a vector in memory that the host can access. */
static fur_status write_vector(const fur_vector *x, const char *path,
                               const fur_binary_write_options *options)
{
    fur_context *context = fur_vector_context(x);
    fur_value_type value = fur_vector_value_type(x);
    uint64_t size = (uint64_t)fur_vector_size(x);
    fur_binary_write_options taken;
    FUR_TRY(take_options(context, options, value, &taken));
    if (taken.origin->field == FUR_MTX_PATTERN || taken.origin->symmetry != FUR_MTX_GENERAL)
        return fur_context_fail(context, FUR_INVALID,
                                "a vector cannot be written as a pattern or as symmetric; write it "
                                "as general and real, integer or complex");
    fur_binary_header header = {.kind = FUR_BINARY_VECTOR,
                                .value = value,
                                .field = taken.origin->field,
                                .rows = size,
                                .cols = 1,
                                .entries = size};
    const void *arrays[FUR_BINARY_SECTIONS] = {[FUR_BINARY_VALUES] = fur_vector_const_data(x)};
    return write_file(context, path, taken.sync != 0, &header, arrays);
}

fur_status fur_binary_write_vector(const fur_vector *x, const char *path,
                                   const fur_binary_write_options *options)
{
    FUR_NEED(fur_vector_context(x), x, path);
    fur_context *context = fur_vector_context(x);
    fur_vector *copy = NULL;
    FUR_TRY(fur_vector_to_companion(&x, &copy));
    fur_status status = write_vector(x, path, options);
    fur_vector_destroy(copy);
    return fur_from_companion(context, status);
}
