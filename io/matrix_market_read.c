/* Reading Matrix Market files into matrices and vectors. */
#include "arguments.h"
#include "column.h"
#include "companion.h"
#include "limit.h"
#include "options.h"
#include "read.h"
#include "reader.h"
#include "scan.h"

/* Flags and enumerations are what they may be. */
static fur_status check_options(fur_context *context, const fur_mtx_read_options *options)
{
    const struct {
        const char *name;
        int value;
        int most;
    } all[] = {{"convert", (int)options->convert, FUR_MTX_AS_C128},
               {"keep_triangle", options->keep_triangle, 1},
               {"duplicates", (int)options->duplicates, FUR_DUPLICATES_KEEP},
               {"mirrored", (int)options->mirrored, FUR_MTX_MIRRORED_LOWER},
               {"drop_zeros", options->drop_zeros, 1},
               {"allow_trailing", options->allow_trailing, 1},
               {"refuse_nonfinite", options->refuse_nonfinite, 1},
               {"refuse_range", options->refuse_range, 1},
               {"refuse_dialects", options->refuse_dialects, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value < 0 || all[i].value > all[i].most)
            return fur_context_fail(context, FUR_INVALID,
                                    "the reading option '%s' is %d, expected 0 to %d", all[i].name,
                                    all[i].value, all[i].most);
    return fur_limits_check(context, &options->limits);
}

/* The options with defaults in place of what is missing. */
static fur_status take_options(fur_context *context, const fur_mtx_read_options *options,
                               fur_mtx_read_options *out)
{
    FUR_TAKE_OPTIONS(context, fur_mtx_read_options, out, options);
    FUR_CHECK_REPORT(context, fur_mtx_header, out->header);
    return check_options(context, out);
}

fur_status fur_read_in_blocks(fur_context *context, const fur_input_request *source, size_t block,
                              const fur_mtx_read_options *options, fur_csr **out)
{
    fur_mtx_read_options taken;
    fur_input_request request = *source;
    FUR_TRY(take_options(context, options, &taken));
    request.member = taken.member;
    return fur_reader_read(context, &request, block, &taken, out);
}

fur_status fur_mtx_read_csr(fur_context *context, const char *path,
                            const fur_mtx_read_options *options, fur_csr **out)
{
    FUR_NEED(context, context, path, out);
    return fur_read_in_blocks(context, &(fur_input_request){.path = path}, 0, options, out);
}

fur_status fur_mtx_read_header(fur_context *context, const char *path, fur_mtx_header *out)
{
    FUR_NEED(context, context, path, out);
    FUR_CHECK_REPORT(context, fur_mtx_header, out);
    const fur_input_request request = {.path = path};
    return fur_reader_read_header(context, &request, out);
}

fur_status fur_mtx_read_vector(fur_context *context, const char *path,
                               const fur_mtx_read_options *options, fur_vector **out)
{
    FUR_NEED(context, context, path, out);
    fur_csr *matrix = NULL;
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    fur_mtx_read_options taken;
    FUR_TRY(take_options(context, options, &taken));
    fur_mtx_header *wanted = taken.header;
    taken.header = &header;
    FUR_TRY(fur_from_companion(context,
                               fur_mtx_read_csr(fur_context_host(context), path, &taken, &matrix)));
    fur_status status = fur_column_to_vector(context, path, matrix, out);
    fur_csr_destroy(matrix);
    if (status == FUR_OK)
        fur_report_fill(wanted, &header, sizeof header);
    return status;
}
