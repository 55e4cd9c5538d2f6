/* Returns the unpacked text of a file, for users who parse it themselves. */
#include "arguments.h"

#include <furrow/author/files.h>
#include <furrow/author/try.h>

#include "input.h"

#define PIECE_BYTES ((size_t)1 << 18)

static fur_status give(fur_input *input, char *piece,
                       int (*take)(void *user, const char *text, size_t bytes), void *user,
                       fur_failure *failure)
{
    size_t got;
    do {
        FUR_TRY(fur_input_read(input, piece, PIECE_BYTES, &got, failure));
        if (got > 0 && take(user, piece, got))
            return fur_failure_set(failure, FUR_CANCELLED,
                                   "the caller's callback stopped reading %s",
                                   fur_input_name(input));
    } while (got > 0);
    return FUR_OK;
}

fur_status fur_mtx_unpack(fur_context *context, const char *path,
                          int (*take)(void *user, const char *text, size_t bytes), void *user)
{
    FUR_NEED(context, context, path);
    if (!take)
        return fur_context_fail(context, FUR_INVALID, "%s was given NULL", __func__);
    fur_mtx_read_options options = {.size = sizeof options};
    fur_failure failure = {.status = FUR_OK};
    fur_watch watch;
    fur_input_request request = {.path = path, .watch = &watch};
    fur_input *input = NULL;
    void *piece;
    FUR_TRY(fur_context_allocate(context, PIECE_BYTES, &piece));
    fur_watch_begin(&watch, &options);
    fur_status status = fur_input_open(context, &request, &failure, &input);
    if (status == FUR_OK) {
        status = give(input, piece, take, user, &failure);
        fur_input_close(input);
    }
    fur_context_release(context, piece);
    return status == FUR_OK ? FUR_OK : fur_failure_report(&failure, context);
}
