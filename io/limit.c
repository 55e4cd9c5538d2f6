/* Where no limit is given it grows with the file: memory and time are then in proportion to what
 * somebody has stored or sent. */
#include "limit.h"
#include "scan.h"
#include "split.h"

/* Rows plus columns of any file, however small, and for each of its bytes and entries. Offsets and
 * vectors are as long as a header says, whatever the entries: what is refused has nearly only empty
 * rows or columns. */
#define SHAPE_ALWAYS (INT64_C(1) << 22)
#define SHAPE_PER_BYTE 8
#define SHAPE_PER_ENTRY 2

/* Bytes that any packed file may become, and each of its bytes. Matrices shrink to a tenth,
 * regular ones to a fiftieth. */
#define UNPACKED_ALWAYS (INT64_C(1) << 28)
#define UNPACKED_PER_BYTE 128

/* a * b for a, b >= 0, or the largest number there is. */
static int64_t times(int64_t a, int64_t b)
{
    return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

fur_status fur_limits_check(fur_context *context, const fur_read_limits *limits)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"shape", (double)limits->shape},
               {"entries", (double)limits->entries},
               {"unpacked", (double)limits->unpacked},
               {"seconds", limits->seconds}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(all[i].value >= 0))
            return fur_context_fail(context, FUR_INVALID,
                                    "the limit '%s' is %g, expected 0 for the default or a "
                                    "positive number",
                                    all[i].name, all[i].value);
    return FUR_OK;
}

/* Rows and columns come one by one below 2^63; their sum may not. */
static fur_status check_shape(const fur_read_limits *limits, const fur_mtx_header *header,
                              int64_t bytes, fur_failure *failure)
{
    long long rows = header->rows, cols = header->cols;
    int64_t grown = fur_larger(times(SHAPE_PER_BYTE, bytes < 0 ? INT64_MAX : bytes),
                               times(SHAPE_PER_ENTRY, header->entries_in_file));
    long long most = limits->shape > 0 ? limits->shape : fur_larger(SHAPE_ALWAYS, grown);
    if (rows <= most && cols <= most - rows)
        return FUR_OK;
    if (limits->shape > 0)
        return fur_failure_set(failure, FUR_OVERFLOW,
                               "found a matrix of %lld x %lld, expected at most %lld rows and "
                               "columns together, the limit 'shape'",
                               rows, cols, most);
    return fur_failure_set(failure, FUR_OVERFLOW,
                           "found a matrix of %lld x %lld in a file of %lld bytes, expected at "
                           "most %lld rows and columns together; if it is right, raise the limit "
                           "'shape'",
                           rows, cols, (long long)bytes, most);
}

fur_status fur_limits_check_header(const fur_read_limits *limits, const fur_mtx_header *header,
                                   int64_t bytes, fur_failure *failure)
{
    FUR_TRY(check_shape(limits, header, bytes, failure));
    if (limits->entries == 0 || header->entries_in_file <= limits->entries)
        return FUR_OK;
    return fur_failure_set(failure, FUR_OVERFLOW,
                           "found %lld entries, expected at most %lld, the limit 'entries'",
                           (long long)header->entries_in_file, (long long)limits->entries);
}

fur_status fur_limits_check_unpacked(const fur_read_limits *limits, int64_t unpacked, int64_t bytes,
                                     const char *name, fur_failure *failure)
{
    int64_t grown = fur_larger(UNPACKED_ALWAYS, times(UNPACKED_PER_BYTE, bytes));
    int64_t most = limits->unpacked > 0 ? limits->unpacked : grown;
    if (unpacked <= most)
        return FUR_OK;
    if (limits->unpacked > 0)
        return fur_failure_set(failure, FUR_OVERFLOW,
                               "%.400s: found more than %lld bytes when it was unpacked, the limit "
                               "'unpacked'",
                               name, (long long)most);
    return fur_failure_set(failure, FUR_OVERFLOW,
                           "%.400s: found more than %lld bytes when %lld bytes of it were "
                           "unpacked; if it is right, raise the limit 'unpacked'",
                           name, (long long)most, (long long)bytes);
}
