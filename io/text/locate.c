/* Reads a file a second time, to find two entries in conflict. */
#include "entry.h"

#include <furrow/author/files.h>

#include "head.h"
#include "reader.h"
#include "system.h"

#include <fcntl.h>
#include <stdlib.h>

/* Bytes of text that are searched at a time. */
#define BLOCK 262144

typedef struct search {
    const fur_job *job; /* drops nothing, so that entry k of a batch is entry k of the block */
    bool drop_zeros;    /* the first reading has dropped zeros */
    const fur_conflict *conflict;
    int64_t line;       /* of the block's first line */
    int64_t first_line; /* of the first entry; 0: not found yet */
    bool first_above;   /* it is above the diagonal */
} search;

/* Returns whether an entry of the file is one of the entries in conflict. */
static bool is_meant(const search *s, int32_t row, int32_t col)
{
    const fur_conflict *c = s->conflict;
    bool symmetric = s->job->header.symmetry != FUR_MTX_GENERAL;
    return (row == c->row && col == c->col) || (symmetric && row == c->col && col == c->row);
}

/* Sets the message about the second entry, with the line of the first. */
static fur_status tell(const search *s, const fur_cursor *second, int32_t row, int32_t col)
{
    if (!s->conflict->mirrored)
        return fur_cursor_fail(second, FUR_INVALID, second->at,
                               "found an entry at the same position as in line %lld, expected each "
                               "position once",
                               (long long)s->first_line);
    return fur_cursor_fail(
        second, FUR_MALFORMED, second->at,
        "found entry (%d, %d) and its mirror image in line %lld, expected only one of both in a %s "
        "file; the option mirrored=lower reads the entry below the diagonal",
        row + 1, col + 1, (long long)s->first_line, fur_mtx_symmetry_name(s->job->header.symmetry));
}

/* Returns whether entry k of a batch is in conflict. If the conflict is with a mirror image, the
 * second entry must be on the other side of the diagonal. */
static bool is_found(const search *s, const fur_batch *batch, int64_t k)
{
    int32_t row = batch->rows[k], col = batch->cols[k];
    if (!is_meant(s, row, col) || (s->drop_zeros && fur_batch_is_zero(s->job, batch, k)))
        return false;
    return s->first_line == 0 || s->conflict->mirrored == ((row < col) != s->first_above);
}

/* Searches the entries of a block. Returns true when the second entry has been found and
 * reported. */
static bool look_through(search *s, const fur_block *block, const fur_batch *batch,
                         fur_failure *failure)
{
    for (int64_t k = 0; k < batch->count; k++) {
        if (!is_found(s, batch, k))
            continue;
        fur_cursor place = fur_block_cursor(s->job, block, k, failure);
        place.line += s->line - 1;
        if (s->first_line > 0) {
            tell(s, &place, batch->rows[k], batch->cols[k]);
            return true;
        }
        s->first_line = place.line;
        s->first_above = batch->rows[k] < batch->cols[k];
    }
    return false;
}

/* Reads blocks until both entries have been found. */
static void search_body(fur_storage *storage, fur_feed *feed, search *s, fur_failure *failure)
{
    fur_block block = {.failure = failure};
    fur_batch batch = {0};
    while (failure->status == FUR_OK && fur_feed_next(feed, &block)) {
        fur_batch_read(storage, s->job, &block, false, &batch);
        if (batch.failure.status != FUR_OK)
            *failure = batch.failure;
        else if (look_through(s, &block, &batch, failure))
            break;
        s->line += batch.lines;
    }
    fur_batch_release(storage, &batch);
    fur_block_release(storage, &block);
}

static void search_input(fur_storage *storage, fur_input *input, search *s, fur_failure *failure)
{
    fur_feed feed;
    fur_banner banner;
    fur_cursor cursor;
    fur_feed_open(storage, input, BLOCK, &feed);
    if (fur_head_read(&feed, s->job->name, false, failure, &banner, &cursor) == FUR_OK) {
        s->line = cursor.line;
        fur_feed_begin(&feed, (size_t)(cursor.at - cursor.text));
        search_body(storage, &feed, s, failure);
    }
    fur_feed_close(&feed);
}

/* Pipes and similar inputs can be read only once. */
static bool can_be_read_again(const fur_input_request *request)
{
    struct stat status;
    return request->memory || (fur_system.fstatat(AT_FDCWD, request->path, &status, 0) == 0 &&
                               S_ISREG(status.st_mode));
}

fur_status fur_reader_locate(fur_storage *storage, const fur_input_request *request,
                             const fur_job *job, const fur_conflict *conflict, fur_failure *failure)
{
    fur_job again = *job;
    again.options.drop_zeros = 0;
    search s = {.job = &again, .drop_zeros = job->options.drop_zeros != 0, .conflict = conflict};
    fur_input *input = NULL;
    failure->status = FUR_OK;
    if (can_be_read_again(request) &&
        fur_input_open(storage->context, request, failure, &input) == FUR_OK) {
        search_input(storage, input, &s, failure);
        fur_input_close(input);
    }
    if (failure->status != FUR_OK)
        return failure->status;
    if (conflict->mirrored)
        return fur_failure_set(
            failure, FUR_MALFORMED,
            "%.400s: found entry (%lld, %d) twice, on both sides of the diagonal, expected each "
            "position once; the option mirrored=lower reads the entry below",
            job->name, (long long)conflict->row + 1, conflict->col + 1);
    return fur_failure_set(failure, FUR_INVALID,
                           "%.400s: found entry (%lld, %d) twice, expected each position once",
                           job->name, (long long)conflict->row + 1, conflict->col + 1);
}
