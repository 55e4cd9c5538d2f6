/* Reads .fur files into matrices and vectors. */
#include "arguments.h"
#include "assemble.h"
#include "binary_file.h"
#include "matrix.h"
#include "system.h"

#include <furrow/author/options.h>
#include <furrow/author/try.h>
#include <furrow/files.h>

#include <fcntl.h>
#include <string.h>

int fur_binary_detect(const char *path)
{
    struct stat status;
    uint64_t signature = 0;
    if (!path || fur_system.fstatat(AT_FDCWD, path, &status, 0) != 0 || !S_ISREG(status.st_mode))
        return 0;
    int descriptor = fur_system.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return 0;
    ssize_t got = fur_system.pread(descriptor, &signature, sizeof signature, 0);
    fur_system.close(descriptor);
    return got == (ssize_t)sizeof signature && signature == FUR_BINARY_SIGNATURE;
}

fur_status fur_binary_read_header(fur_context *context, const char *path, fur_mtx_header *out)
{
    FUR_NEED(context, context, path, out);
    FUR_CHECK_REPORT(context, fur_mtx_header, out);
    const fur_read_limits any = {.shape = FUR_NO_LIMIT};
    fur_binary_file file;
    FUR_TRY(fur_binary_open(context, path, &any, &file));
    fur_mtx_header header = fur_binary_describe(&file.header);
    fur_report_fill(out, &header, sizeof header);
    fur_binary_close(&file);
    return FUR_OK;
}

/* Makes the values of a pattern, which the file does not contain. */
static fur_status make_ones(fur_binary_file *file)
{
    fur_value_type value = (fur_value_type)file->header.value;
    int64_t count = (int64_t)file->header.entries;
    fur_context *host = fur_context_host(file->context);
    fur_vector *ones = NULL;
    void **values = &file->arrays.of[FUR_BINARY_VALUES];
    FUR_TRY(fur_context_allocate(file->context, (size_t)count * fur_value_size(value), values));
    fur_status status = fur_vector_wrap(host, value, count, *values, FUR_OWNERSHIP_BORROW, &ones);
    if (status == FUR_OK)
        status = fur_vector_fill(ones, fur_real(1));
    fur_vector_destroy(ones);
    return fur_from_companion(file->context, status);
}

/* Makes the pattern of one full column for the values of a vector. */
static fur_status make_column(fur_binary_file *file)
{
    size_t rows = (size_t)file->header.rows;
    if (rows > INT32_MAX)
        return fur_context_fail(
            file->context, FUR_OVERFLOW,
            "%.400s: a vector of %zu entries is too long for a matrix; read the file as a vector",
            file->path, rows);
    void **offsets = &file->arrays.of[FUR_BINARY_OFFSETS],
         **columns = &file->arrays.of[FUR_BINARY_COLUMNS];
    FUR_TRY(fur_context_allocate(file->context, (rows + 1) * sizeof(int32_t), offsets));
    FUR_TRY(fur_context_allocate(file->context, rows * sizeof(int32_t), columns));
    for (size_t i = 0; i <= rows; i++)
        ((int32_t *)*offsets)[i] = (int32_t)i;
    if (rows > 0)
        memset(*columns, 0, rows * sizeof(int32_t));
    return FUR_OK;
}

/* Makes all arrays of the matrix. */
static fur_status load_matrix(fur_binary_file *file)
{
    FUR_TRY(fur_binary_load(file));
    if (file->header.kind == FUR_BINARY_VECTOR)
        return make_column(file);
    return file->header.field == FUR_MTX_PATTERN ? make_ones(file) : FUR_OK;
}

/* Releases the arrays that a matrix has owned. */
static void release_kept(void *user)
{
    fur_binary_arrays arrays = *(fur_binary_arrays *)user;
    fur_context_release(arrays.context, user);
    fur_binary_release(&arrays);
}

/* Passes the ownership of the arrays to the matrix that uses them. */
static fur_status pass_arrays(fur_binary_file *file, fur_csr *matrix)
{
    void *kept = NULL;
    FUR_TRY(fur_context_allocate(file->context, sizeof file->arrays, &kept));
    memcpy(kept, &file->arrays, sizeof file->arrays);
    fur_status status = fur_csr_on_destroy(matrix, release_kept, kept);
    if (status == FUR_OK)
        file->arrays = (fur_binary_arrays){.context = file->context};
    else
        fur_context_release(file->context, kept);
    return status;
}

/* Makes a matrix of the arrays of a mapped file. The matrix owns the mapping and unmaps the file
 * when it is destroyed. In a context of a device with its own memory, makes a copy, and the file
 * keeps the arrays. */
static fur_status lend(fur_binary_file *file, const fur_csr_view *view, fur_csr **out)
{
    fur_context *host = fur_context_host(file->context);
    fur_csr *matrix = NULL;
    FUR_TRY(fur_from_companion(file->context,
                               fur_csr_create(host, view, FUR_OWNERSHIP_BORROW, &matrix)));
    if (host != file->context) {
        fur_status status =
            fur_from_companion(file->context, fur_csr_transfer(matrix, file->context, out));
        fur_csr_destroy(matrix);
        return status;
    }
    fur_status status = pass_arrays(file, matrix);
    if (status == FUR_OK)
        *out = matrix;
    else
        fur_csr_destroy(matrix);
    return status;
}

/* Passes the arrays to a matrix. Mapped arrays are lent. */
static fur_status create_matrix(fur_binary_file *file, fur_context *context, fur_csr **out)
{
    fur_csr_view view = {.size = sizeof view,
                         .rows = (int64_t)file->header.rows,
                         .cols = (int64_t)file->header.cols,
                         .entries = (int64_t)file->header.entries,
                         .value_type = (fur_value_type)file->header.value,
                         .offset_type = (fur_offset_type)file->header.offset,
                         .offsets = file->arrays.of[FUR_BINARY_OFFSETS],
                         .columns = file->arrays.of[FUR_BINARY_COLUMNS],
                         .values = file->arrays.of[FUR_BINARY_VALUES]};
    if (file->arrays.mapping)
        return lend(file, &view, out);
    FUR_TRY(fur_csr_create(context, &view, FUR_OWNERSHIP_ADOPT, out));
    memset(file->arrays.of, 0, sizeof file->arrays.of);
    return FUR_OK;
}

/* The checksums are correct here, so that invalid arrays were already written as such. */
static fur_status make_matrix(fur_binary_file *file, fur_context *context, fur_csr **out)
{
    fur_status status = create_matrix(file, context, out);
    if (status == FUR_INVALID || status == FUR_OVERFLOW)
        return fur_context_fail(context, FUR_MALFORMED,
                                "%.400s: %s; create the file again from the original", file->path,
                                fur_context_error(context));
    return status;
}

/* Stores the header if the options request it. */
static void give_header(const fur_binary_file *file, const fur_binary_read_options *options)
{
    fur_mtx_header header = fur_binary_describe(&file->header);
    fur_report_fill(options->header, &header, sizeof header);
}

fur_status fur_binary_read_csr(fur_context *context, const char *path,
                               const fur_binary_read_options *options, fur_csr **out)
{
    FUR_NEED(context, context, path, out);
    fur_binary_read_options taken;
    FUR_TAKE_OPTIONS(context, fur_binary_read_options, &taken, options);
    FUR_CHECK_REPORT(context, fur_mtx_header, taken.header);
    fur_binary_file file;
    FUR_TRY(fur_binary_open(context, path, &taken.limits, &file));
    if (taken.map)
        fur_binary_map(&file);
    fur_status status;
    FUR_TRY_DONE(load_matrix(&file));
    FUR_TRY_DONE(make_matrix(&file, context, out));
    give_header(&file, &taken);
done:
    fur_binary_close(&file);
    return status;
}

static fur_status adopt_vector(fur_binary_file *file, fur_vector **out)
{
    void **values = &file->arrays.of[FUR_BINARY_VALUES];
    FUR_TRY(fur_binary_load(file));
    FUR_TRY(fur_vector_wrap(file->context, (fur_value_type)file->header.value,
                            (int64_t)file->header.rows, *values, FUR_OWNERSHIP_ADOPT, out));
    *values = NULL;
    return FUR_OK;
}

/* A matrix of another shape is refused after it has been read. */
static fur_status read_column(fur_binary_file *file, fur_vector **out)
{
    fur_context *host = fur_context_host(file->context);
    fur_csr *matrix = NULL;
    FUR_TRY(load_matrix(file));
    FUR_TRY(fur_from_companion(file->context, make_matrix(file, host, &matrix)));
    fur_status status = fur_column_to_vector(file->context, file->path, matrix, out);
    fur_csr_destroy(matrix);
    return status;
}

fur_status fur_binary_read_vector(fur_context *context, const char *path,
                                  const fur_binary_read_options *options, fur_vector **out)
{
    FUR_NEED(context, context, path, out);
    fur_binary_read_options taken;
    FUR_TAKE_OPTIONS(context, fur_binary_read_options, &taken, options);
    FUR_CHECK_REPORT(context, fur_mtx_header, taken.header);
    fur_binary_file file;
    FUR_TRY(fur_binary_open(context, path, &taken.limits, &file));
    fur_status status;
    if (file.header.kind == FUR_BINARY_VECTOR)
        FUR_TRY_DONE(adopt_vector(&file, out));
    else
        FUR_TRY_DONE(read_column(&file, out));
    give_header(&file, &taken);
done:
    fur_binary_close(&file);
    return status;
}
