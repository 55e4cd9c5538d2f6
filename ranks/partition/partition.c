/* Partitions from numbers, from a matrix or from a file. */
#include "partition.h"

#include <furrow/author/context.h>
#include <furrow/author/options.h>
#include <furrow/author/try.h>
#include <furrow/files.h>
#include <furrow/reorder.h>

#include <string.h>

/* The least rows of a part, and the usual number of parts, if the caller gives no number. */
#define PART_ROWS 64
#define PARTS_USUAL 1024

static const char *const methods[] = {"contiguous", "rcm", "metis", "scotch", "bricks"};

#define METHODS ((int)(sizeof methods / sizeof *methods))

const char *fur_partition_method_at(int index)
{
    return index >= 0 && index < METHODS ? methods[index] : NULL;
}

static fur_status allocate(fur_context *context, int64_t count, size_t size, void *out)
{
    void *memory;
    FUR_TRY(fur_context_allocate(context, (size_t)count * size, &memory));
    memcpy(out, &memory, sizeof memory);
    return FUR_OK;
}

/* Makes an empty partition, which fur_partition_destroy can release. */
static fur_status begin(fur_context *context, int64_t rows, fur_partition **out)
{
    if (rows < 0 || rows > INT32_MAX) {
        fur_context_fail(context, FUR_OVERFLOW,
                         "a partition can have 0 to 2147483647 rows, not %lld", (long long)rows);
        return FUR_OVERFLOW;
    }
    FUR_TRY(allocate(context, 1, sizeof **out, out));
    **out = (fur_partition){.context = context, .rows = rows};
    return FUR_OK;
}

/* Returns the partition, or releases its parts after a failure. */
static fur_status finish(fur_status status, fur_partition *made, fur_partition **out)
{
    if (status == FUR_OK)
        *out = made;
    else
        fur_partition_destroy(made);
    return status;
}

void fur_partition_destroy(fur_partition *partition)
{
    if (!partition)
        return;
    fur_permutation_destroy(partition->order);
    fur_context_release(partition->context, partition->of_rows);
    fur_context_release(partition->context, partition->begin);
    fur_context_release(partition->context, partition);
}

fur_status partition_from_order(fur_context *context, int64_t rows, const int32_t *order,
                                fur_partition **out)
{
    fur_partition *made = NULL;
    FUR_TRY(begin(context, rows, &made));
    return finish(fur_permutation_create(context, rows, order, &made->order), made, out);
}

/* Counts the parts and checks their numbers. */
static fur_status count_parts(fur_partition *p, const int32_t *part)
{
    for (int64_t i = 0; i < p->rows; i++) {
        if (part[i] < 0 || part[i] >= PARTS_MAX)
            return fur_context_fail(
                p->context, FUR_INVALID,
                "row %lld, counting from 1, is in part %d; parts have numbers from 0 to %d",
                (long long)i + 1, part[i], PARTS_MAX - 1);
        p->parts = part[i] >= p->parts ? part[i] + 1 : p->parts;
    }
    p->parts = p->parts > 0 ? p->parts : 1;
    return FUR_OK;
}

/* Sorts rows stably by part. */
static fur_status sort_rows(fur_partition *p)
{
    int32_t *order;
    FUR_TRY(allocate(p->context, p->rows, sizeof *order, &order));
    memset(p->begin, 0, ((size_t)p->parts + 1) * sizeof *p->begin);
    for (int64_t i = 0; i < p->rows; i++)
        p->begin[p->of_rows[i] + 1]++;
    for (int k = 0; k < p->parts; k++)
        p->begin[k + 1] += p->begin[k];
    for (int64_t i = 0; i < p->rows; i++)
        order[p->begin[p->of_rows[i]]++] = (int32_t)i;
    for (int k = p->parts; k > 0; k--)
        p->begin[k] = p->begin[k - 1];
    p->begin[0] = 0;
    fur_status status = fur_permutation_create(p->context, p->rows, order, &p->order);
    fur_context_release(p->context, order);
    return status;
}

static fur_status fill(fur_partition *p, const int32_t *part)
{
    FUR_TRY(count_parts(p, part));
    FUR_TRY(allocate(p->context, p->rows, sizeof *p->of_rows, &p->of_rows));
    FUR_TRY(allocate(p->context, (int64_t)p->parts + 1, sizeof *p->begin, &p->begin));
    if (p->rows > 0)
        memcpy(p->of_rows, part, (size_t)p->rows * sizeof *part);
    return sort_rows(p);
}

fur_status fur_partition_from_parts(fur_context *context, int64_t rows, const int32_t *part,
                                    fur_partition **out)
{
    fur_partition *made = NULL;
    if (!context || !out || (rows > 0 && !part))
        return fur_context_fail(context, FUR_INVALID, "%s was given NULL", __func__);
    FUR_TRY(begin(context, rows, &made));
    return finish(fill(made, part), made, out);
}

static fur_status by_rcm(const fur_csr *a, fur_partition **out)
{
    fur_partition *made = NULL;
    FUR_TRY(begin(fur_csr_context(a), fur_csr_get(a)->rows, &made));
    return finish(fur_reorder(a, "rcm", NULL, NULL, &made->order), made, out);
}

static int usual_parts(int64_t rows)
{
    int64_t parts = rows / PART_ROWS < PARTS_USUAL ? rows / PART_ROWS : PARTS_USUAL;
    return parts > 1 ? (int)parts : 1;
}

static fur_status by_parts(const fur_csr *a, const fur_partition_options *o, fur_partition **out)
{
    fur_context *context = fur_csr_context(a);
    int64_t rows = fur_csr_get(a)->rows;
    int32_t *part;
    FUR_TRY(allocate(context, rows, sizeof *part, &part));
    fur_status status =
        strcmp(o->method, "bricks") == 0
            ? brick_parts(a, o->extent, part)
            : graph_parts(a, o->method, o->parts ? o->parts : usual_parts(rows), part);
    if (status == FUR_OK)
        status = fur_partition_from_parts(context, rows, part, out);
    fur_context_release(context, part);
    return status;
}

/* The extents must be 0, or those of a grid with `rows` points. */
static fur_status check_extent(fur_context *context, int64_t rows, const int64_t extent[3])
{
    int64_t points = 1;
    if (extent[0] == 0 && extent[1] == 0 && extent[2] == 0)
        return FUR_OK;
    for (int i = 0; i < 3 && points > 0; i++)
        points = extent[i] < 1 || extent[i] > rows / points ? 0 : points * extent[i];
    if (points == rows && points > 0)
        return FUR_OK;
    return fur_context_fail(context, FUR_INVALID,
                            "a grid of %lld x %lld x %lld points does not match the %lld rows of "
                            "the matrix; give the points along each axis, and 1 for a missing axis",
                            (long long)extent[0], (long long)extent[1], (long long)extent[2],
                            (long long)rows);
}

fur_status partition_check_options(fur_context *context, int64_t rows,
                                   const fur_partition_options *options)
{
    int64_t most = rows < 1 ? 1 : rows < PARTS_MAX ? rows : PARTS_MAX;
    if (options->parts < 0 || options->parts > most)
        return fur_context_fail(
            context, FUR_INVALID,
            "a matrix of %lld rows cannot have %d parts; use 1 to %lld, or 0 for the default",
            (long long)rows, options->parts, (long long)most);
    FUR_TRY(check_extent(context, rows, options->extent));
    for (int i = 0; options->method && i < METHODS; i++)
        if (strcmp(options->method, methods[i]) == 0)
            return FUR_OK;
    if (!options->method)
        return FUR_OK;
    return fur_context_fail(
        context, FUR_INVALID,
        "there is no partition \"%s\"; use contiguous, rcm, metis, scotch or bricks",
        options->method);
}

fur_status fur_partition_create(const fur_csr *a, const fur_partition_options *options,
                                fur_partition **out)
{
    fur_partition_options o;
    if (!a || !out)
        return fur_context_fail(a ? fur_csr_context(a) : NULL, FUR_INVALID, "%s was given NULL",
                                __func__);
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *v = fur_csr_get(a);
    FUR_TAKE_OPTIONS(context, fur_partition_options, &o, options);
    FUR_TRY(partition_check_options(context, v->rows, &o));
    if (strcmp(fur_context_device(context), "cpu") != 0)
        return fur_context_fail(
            context, FUR_UNSUPPORTED,
            "partitions are computed on the CPU; copy the matrix there by fur_csr_transfer");
    if (v->rows != v->cols)
        return fur_context_fail(context, FUR_INVALID,
                                "the matrix is %lld x %lld; a partition needs a square matrix",
                                (long long)v->rows, (long long)v->cols);
    if (!o.method || strcmp(o.method, "contiguous") == 0)
        return partition_from_order(context, v->rows, NULL, out);
    if (strcmp(o.method, "rcm") == 0)
        return by_rcm(a, out);
    return by_parts(a, &o, out);
}

/* Converts the numbers in a file to parts. */
static fur_status convert(fur_context *context, const char *path, const double *numbers,
                          int64_t rows, int32_t *part)
{
    for (int64_t i = 0; i < rows; i++) {
        if (!(numbers[i] >= 0 && numbers[i] < PARTS_MAX) ||
            numbers[i] != (double)(int32_t)numbers[i])
            return fur_context_fail(
                context, FUR_INVALID,
                "%s: row %lld, counting from 1, has the part %g; parts are integers from 0 to %d",
                path, (long long)i + 1, numbers[i], PARTS_MAX - 1);
        part[i] = (int32_t)numbers[i];
    }
    return FUR_OK;
}

fur_status fur_partition_read(fur_context *context, const char *path, int64_t rows,
                              fur_partition **out)
{
    fur_mtx_read_options options = {.size = sizeof options, .convert = FUR_MTX_AS_F64};
    fur_vector *numbers = NULL;
    int32_t *part = NULL;
    if (!context || !path || !out)
        return fur_context_fail(context, FUR_INVALID, "%s was given NULL", __func__);
    fur_status status = fur_mtx_read_vector(context, path, &options, &numbers);
    if (status == FUR_OK && fur_vector_size(numbers) != rows)
        status = fur_context_fail(context, FUR_INVALID,
                                  "%s has the parts of %lld rows, but the matrix has %lld rows; "
                                  "give a partition of this matrix",
                                  path, (long long)fur_vector_size(numbers), (long long)rows);
    if (status == FUR_OK)
        status = allocate(context, rows, sizeof *part, &part);
    if (status == FUR_OK)
        status = convert(context, path, fur_vector_const_data(numbers), rows, part);
    if (status == FUR_OK)
        status = fur_partition_from_parts(context, rows, part, out);
    fur_context_release(context, part);
    fur_vector_destroy(numbers);
    return status;
}

fur_status fur_partition_write(const fur_partition *partition, const char *path)
{
    static const fur_mtx_write_options options = {
        .size = sizeof options, .comment = "the part of each row, counted from 0"};
    fur_vector *numbers = NULL;
    if (!partition || !path)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    if (partition->parts == 0)
        return fur_context_fail(partition->context, FUR_INVALID,
                                "%s was not written: this partition is an order of rows without "
                                "parts; only partitions of metis or scotch can be written",
                                path);
    FUR_TRY(fur_vector_create(partition->context, FUR_F64, partition->rows, &numbers));
    for (int64_t i = 0; i < partition->rows; i++)
        ((double *)fur_vector_data(numbers))[i] = partition->of_rows[i];
    fur_status status = fur_mtx_write_vector(numbers, path, &options);
    fur_vector_destroy(numbers);
    return status;
}

int64_t fur_partition_rows(const fur_partition *partition)
{
    return partition ? partition->rows : 0;
}

int fur_partition_parts(const fur_partition *partition)
{
    return partition ? partition->parts : 0;
}

const int32_t *fur_partition_of_rows(const fur_partition *partition)
{
    return partition ? partition->of_rows : NULL;
}

const int64_t *fur_partition_begin(const fur_partition *partition)
{
    return partition ? partition->begin : NULL;
}

const fur_permutation *fur_partition_order(const fur_partition *partition)
{
    return partition ? partition->order : NULL;
}
