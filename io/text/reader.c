/* Threads take blocks of the file and read their entries in parallel. Then each block takes its
 * turn in the order of the file: it gets its place and its line numbers, and the first error is
 * reported. Finally the entries are stored at their places, again in parallel. */
#include "reader.h"

#include <furrow/author/context.h>
#include <furrow/author/options.h>
#include <furrow/author/try.h>

#include "assemble.h"
#include "entry.h"
#include "head.h"
#include "parallel.h"
#include "split.h"

#include <stdio.h>
#include <string.h>

/* A block and its entries fit in the second-level cache of a core. A stream is read by one thread
 * after the other. Its blocks are larger, because passing it on takes time. */
#define BLOCK ((size_t)262144)
#define STREAM_BLOCK (4 * BLOCK)

/* If the arrays of a matrix are at most UNPACKED_TIMES as large as the packed file, they are
 * allocated before the text has been unpacked. */
#define UNPACKED_TIMES 16

typedef struct reader {
    fur_input_request request; /* with the watch of this reader */
    fur_input *input;
    fur_storage storage;
    fur_feed feed;
    fur_job job;
    fur_banner banner;
    fur_cursor size_line;
    fur_collection collection;
    fur_watch watch;
    atomic_llong turn;   /* number of the block whose turn it is */
    atomic_bool stopped; /* continuing is pointless */
    /* Only the thread whose turn it is may access these: */
    fur_failure failure;
    int64_t line;    /* of the block's first line */
    int64_t tail;    /* column after the text so far */
    int64_t entries; /* of the previous blocks */
    fur_note notes[FUR_NOTES];
} reader;

/* The data of one thread. */
typedef struct worker {
    fur_block block;
    fur_batch batch;
    fur_delivery delivery;
    fur_failure failure; /* of the feed */
} worker;

static void stop(reader *r)
{
    atomic_store(&r->stopped, true);
}

/* Reports the progress to the caller, and stops if the caller requests it. */
static void report_progress(reader *r)
{
    int64_t passed = r->feed.anywhere ? atomic_load(&r->feed.passed) : 0;
    if (!fur_watch_goes_on(&r->watch, passed))
        stop(r);
}

/* A waiting thread asks the caller once in this many tests. */
#define POLLS_UNASKED 1024

/* Waits for the turn of a block. Returns false if the reading has stopped. */
static bool await_turn(reader *r, int64_t number)
{
    for (int polls = 0; atomic_load(&r->turn) != number; polls++) {
        if (polls % POLLS_UNASKED == POLLS_UNASKED - 1)
            report_progress(r);
        if (atomic_load(&r->stopped))
            return false;
        fur_wait(polls);
    }
    return true;
}

static int64_t expected_entries(const reader *r)
{
    return r->job.header.entries_in_file;
}

/* Returns the place of entry k of the worker's block. */
static fur_cursor place_of(reader *r, const worker *w, int64_t k)
{
    fur_cursor cursor = fur_block_cursor(&r->job, &w->block, k, &r->failure);
    cursor.line += r->line - 1;
    return cursor;
}

/* Returns a clause for messages about the numbers that an array of this symmetry has. */
static const char *part_of_array(const fur_job *job)
{
    if (job->indices > 0 || job->header.symmetry == FUR_MTX_GENERAL)
        return "";
    return job->header.symmetry == FUR_MTX_SKEW_SYMMETRIC
               ? ": a skew-symmetric array has only the numbers below the diagonal; leave out the "
                 "zeros on the diagonal, which MATLAB writes"
               : ": such an array has only the lower triangle";
}

/* Refuses content after the last entry, unless a line that cannot be read comes first. */
static fur_status refuse_excess(reader *r, const worker *w)
{
    bool broken = w->batch.failure.status != FUR_OK && w->batch.failure.name;
    char expected[256];
    fur_cursor cursor = place_of(r, w, expected_entries(r) - r->entries);
    if (!fur_cursor_content(&cursor) || (broken && cursor.line >= r->line + w->batch.failure.line))
        return FUR_OK;
    snprintf(expected, sizeof expected,
             "the end of the file, as all entries (%lld) have been read%s",
             (long long)expected_entries(r), part_of_array(&r->job));
    return fur_cursor_unexpected(&cursor, fur_cursor_token(&cursor), expected);
}

/* Reports the error of the block. If it is an error in the text, also reports its place and the
 * number of entries before it. */
static fur_status tell_failure(reader *r, const worker *w)
{
    r->failure = w->batch.failure;
    if (!r->failure.name)
        return r->failure.status;
    size_t length = strlen(r->failure.sentence);
    long long before = r->entries, read = w->batch.in_file, all = expected_entries(r);
    r->failure.line += r->line - 1;
    snprintf(r->failure.sentence + length, sizeof r->failure.sentence - length,
             " (after %lld of %lld entries)", before + read, all);
    return r->failure.status;
}

static fur_status check_block(reader *r, const worker *w)
{
    int64_t read = r->entries + w->batch.in_file;
    bool broken = w->batch.failure.status != FUR_OK;
    if (read > expected_entries(r) ||
        (read == expected_entries(r) && broken && w->batch.failure.name))
        FUR_TRY(refuse_excess(r, w));
    return broken ? tell_failure(r, w) : FUR_OK;
}

/* The diagonal of a Hermitian array is among its numbers and must be real. Excess numbers are
 * refused elsewhere. */
static fur_status check_diagonal(reader *r, const worker *w)
{
    int64_t left = expected_entries(r) - r->entries;
    int64_t k = fur_batch_find_not_real(&r->job, &w->batch, fur_smaller(w->batch.count, left));
    if (k < 0)
        return FUR_OK;
    fur_entry entry;
    fur_cursor cursor = place_of(r, w, k);
    const char *place = cursor.at;
    FUR_TRY(fur_entry_read(&cursor, &r->job, &entry));
    return fur_entry_check_diagonal(&cursor, place, &r->job, &entry);
}

static fur_status place_numbers(reader *r, worker *w)
{
    fur_batch_set_positions(&r->job, r->entries, &w->batch);
    return r->job.header.symmetry == FUR_MTX_HERMITIAN ? check_diagonal(r, w) : FUR_OK;
}

static void take_notes(reader *r, const fur_batch *batch)
{
    for (int kind = 0; kind < FUR_NOTES; kind++) {
        const fur_note *note = &batch->notes[kind];
        if (note->count > 0 && r->notes[kind].count == 0) {
            r->notes[kind].first = note->first;
            r->notes[kind].first.line += r->line - 1;
        }
        r->notes[kind].count += note->count;
    }
}

/* Does the work that must follow the order of the file: positions, the first error, and room in the
 * matrix. */
static fur_status take_turn(reader *r, worker *w)
{
    bool array = r->job.indices == 0;
    if (array)
        FUR_TRY(place_numbers(r, w));
    FUR_TRY(check_block(r, w));
    if (array)
        fur_batch_settle(&r->job, &w->batch);
    take_notes(r, &w->batch);
    FUR_TRY(fur_collection_claim(&r->collection, &w->batch, &w->delivery, &r->failure));
    r->entries += w->batch.in_file;
    r->line += w->batch.lines;
    if (w->block.size > 0)
        r->tail = w->batch.tail;
    return FUR_OK;
}

/* Reads a block and stores its entries. Returns false if there is nothing more to do. */
static bool handle(reader *r, worker *w)
{
    fur_batch_read(&r->storage, &r->job, &w->block, fur_job_expands(&r->job), &w->batch);
    if (w->batch.failure.status == FUR_OK && w->failure.status != FUR_OK)
        w->batch.failure = w->failure;
    w->delivery.parted = false;
    if (r->job.indices > 0)
        fur_collection_prepare(&r->collection, &w->batch, &w->delivery);
    if (!await_turn(r, w->block.number))
        return false;
    if (take_turn(r, w) != FUR_OK) {
        stop(r);
        return false;
    }
    atomic_store(&r->turn, w->block.number + 1);
    fur_collection_put(&r->collection, &w->batch, &w->delivery);
    return true;
}

/* A thread's part: takes blocks until none is left. */
static void work(void *user, int64_t begin, int64_t end)
{
    (void)begin, (void)end;
    reader *r = user;
    worker w = {.block = {.number = 0}};
    w.block.failure = &w.failure;
    while (!atomic_load(&r->stopped) && fur_feed_next(&r->feed, &w.block) && handle(r, &w))
        report_progress(r);
    fur_batch_release(&r->storage, &w.batch);
    fur_block_release(&r->storage, &w.block);
}

/* Returns the number of threads that have work. */
static int team(const reader *r)
{
    int threads = fur_context_threads(r->storage.context);
    int64_t size = fur_feed_size(&r->feed);
    int64_t blocks = size / (int64_t)r->feed.block + 1;
    return size >= 0 && blocks < threads ? (int)blocks : threads;
}

/* Reads all blocks, and checks that the number of entries agrees with the header. */
static fur_status read_body(reader *r)
{
    fur_context_parallel(r->storage.context, team(r), 1, work, r);
    if (!atomic_load(&r->stopped))
        report_progress(r);
    FUR_TRY(fur_watch_tell(&r->watch, r->job.name, &r->failure));
    if (r->failure.status != FUR_OK)
        return r->failure.status;
    if (r->entries == expected_entries(r))
        return FUR_OK;
    fur_failure_set(&r->failure, FUR_MALFORMED,
                    "found the end of the file after %lld of %lld entries", (long long)r->entries,
                    (long long)expected_entries(r));
    r->failure.name = r->job.name;
    r->failure.line = r->line;
    r->failure.column = r->tail;
    return r->failure.status;
}

/* Returns whether a packed file of this size is likely to contain the matrix that the header
 * describes. */
static bool is_plausible(const reader *r)
{
    const fur_mtx_header *header = &r->job.header;
    size_t entry = sizeof(int32_t) + fur_value_size(r->job.value_type);
    double bytes = (double)header->entries_in_file * (double)entry +
                   (double)header->rows * (double)sizeof(int64_t);
    return bytes <= UNPACKED_TIMES * (double)fur_input_size(r->input);
}

static fur_status make_matrix(reader *r, fur_csr **out)
{
    fur_conflict conflict;
    FUR_TRY(fur_assemble(&r->collection, &r->failure, &conflict, out));
    return conflict.row < 0
               ? FUR_OK
               : fur_reader_locate(&r->storage, &r->request, &r->job, &conflict, &r->failure);
}

/* Refuses a header that promises more than the file can hold or the limits allow. If the size of
 * the file is known, this happens before anything else is read. */
static fur_status check_head(const reader *r)
{
    int64_t left = fur_feed_size(&r->feed);
    if (left >= 0)
        FUR_TRY(fur_banner_check_room(&r->size_line, &r->banner, left));
    return fur_banner_check_limits(&r->size_line, &r->banner, &r->watch.limits,
                                   fur_input_size(r->input));
}

/* As above, for a stream, whose size is known after it has been read. */
static fur_status check_read(const reader *r)
{
    int64_t passed = atomic_load(&r->feed.passed);
    if (fur_feed_size(&r->feed) >= 0)
        return FUR_OK;
    FUR_TRY(fur_banner_check_room(&r->size_line, &r->banner, passed - r->feed.begin));
    return fur_banner_check_limits(&r->size_line, &r->banner, &r->watch.limits,
                                   fur_input_consumed(r->input));
}

static fur_status read_entries(reader *r, fur_csr **out)
{
    bool likely = fur_feed_size(&r->feed) >= 0 || is_plausible(r);
    FUR_TRY(check_head(r));
    fur_status status;
    FUR_TRY_DONE(fur_collection_open(&r->storage, &r->job, likely, &r->failure, &r->collection));
    FUR_TRY_DONE(read_body(r));
    FUR_TRY_DONE(check_read(r));
    status = make_matrix(r, out);
done:
    fur_collection_close(&r->collection);
    return status;
}

/* Chooses the value type of the result. */
static fur_status choose_value(const fur_cursor *cursor, fur_job *job)
{
    const fur_mtx_read_options *options = &job->options;
    bool complex = job->header.field == FUR_MTX_COMPLEX;
    job->value_type = options->convert ? (fur_value_type)(options->convert - FUR_MTX_AS_F32)
                      : complex        ? FUR_C128
                                       : FUR_F64;
    if (complex && !fur_value_is_complex(job->value_type))
        return fur_cursor_fail(cursor, FUR_INVALID, cursor->line_start,
                               "the file is complex and does not fit %s; read it as c64 or c128",
                               fur_value_name(job->value_type));
    return FUR_OK;
}

/* Reads the banner, and moves the cursor after the size line. */
static fur_status find_entries(reader *r, fur_cursor *cursor)
{
    FUR_TRY(fur_head_read(&r->feed, r->job.name, r->job.options.refuse_dialects, &r->failure,
                          &r->banner, cursor));
    r->job.header = r->banner.header;
    return FUR_OK;
}

/* Reads the head, and decides how the entries are read. */
static fur_status read_head(reader *r)
{
    fur_job *job = &r->job;
    fur_cursor cursor;
    FUR_TRY(find_entries(r, &cursor));
    const fur_mtx_header *header = &job->header;
    FUR_TRY(choose_value(&cursor, job));
    FUR_TRY(fur_banner_check_size(&cursor, &r->banner));
    job->indices = header->format == FUR_MTX_ARRAY ? 0 : r->banner.vector ? 1 : 2;
    job->numbers = header->field == FUR_MTX_PATTERN ? 0 : header->field == FUR_MTX_COMPLEX ? 2 : 1;
    r->size_line = cursor;
    r->line = cursor.line;
    r->tail = cursor.at - cursor.line_start + 1;
    fur_feed_begin(&r->feed, (size_t)(cursor.at - cursor.text));
    return FUR_OK;
}

/* Warns of accepted input that its author may not have intended. */
static void warn(const reader *r)
{
    const fur_mtx_read_options *options = &r->job.options;
    char sentence[2 * FUR_SENTENCE_SIZE];
    if (!options->warn)
        return;
    if (r->banner.dialect.name)
        options->warn(options->user,
                      fur_failure_print(&r->banner.dialect, sentence, sizeof sentence));
    for (int kind = 0; kind < FUR_NOTES; kind++) {
        const fur_note *note = &r->notes[kind];
        if (note->count == 0)
            continue;
        fur_failure_print(&note->first, sentence, sizeof sentence);
        size_t length = strlen(sentence);
        if (note->count > 1)
            snprintf(sentence + length, sizeof sentence - length, " (and %lld more like it)",
                     (long long)(note->count - 1));
        options->warn(options->user, sentence);
    }
}

static fur_status open_reader(reader *r, fur_context *context, size_t block)
{
    fur_watch_begin(&r->watch, &r->job.options);
    r->request.watch = &r->watch;
    FUR_TRY(fur_input_open(context, &r->request, &r->failure, &r->input));
    r->job.name = fur_input_name(r->input);
    r->job.isa = fur_context_isa(fur_context_host(context));
    fur_storage_open(&r->storage, context);
    fur_feed_open(&r->storage, r->input, block, &r->feed);
    if (block == 0)
        r->feed.block = r->feed.anywhere ? BLOCK : STREAM_BLOCK;
    return FUR_OK;
}

static void close_reader(reader *r)
{
    fur_feed_close(&r->feed);
    fur_storage_close(&r->storage);
    fur_input_close(r->input);
}

/* Checks that flags and enumerations have valid values. */
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

/* Takes the options, with defaults for missing members. */
static fur_status take_options(fur_context *context, const fur_mtx_read_options *options,
                               fur_mtx_read_options *out)
{
    FUR_TAKE_OPTIONS(context, fur_mtx_read_options, out, options);
    FUR_CHECK_REPORT(context, fur_mtx_header, out->header);
    return check_options(context, out);
}

fur_status fur_reader_read(fur_context *context, const fur_input_request *request, size_t block,
                           const fur_mtx_read_options *options, fur_csr **out)
{
    reader r = {.request = *request};
    FUR_TRY(take_options(context, options, &r.job.options));
    r.request.member = r.job.options.member;
    if (open_reader(&r, context, block) != FUR_OK)
        return fur_failure_report(&r.failure, context);
    fur_status status;
    FUR_TRY_DONE(read_head(&r));
    FUR_TRY_DONE(read_entries(&r, out));
    warn(&r);
    fur_report_fill(r.job.options.header, &r.job.header, sizeof r.job.header);
done:
    if (status != FUR_OK)
        fur_failure_report(&r.failure, context);
    close_reader(&r);
    return status;
}

fur_status fur_reader_read_header(fur_context *context, const fur_input_request *request,
                                  fur_mtx_header *out)
{
    reader r = {.request = *request};
    fur_cursor cursor;
    if (open_reader(&r, context, 0) != FUR_OK)
        return fur_failure_report(&r.failure, context);
    fur_status status = find_entries(&r, &cursor);
    if (status == FUR_OK)
        fur_report_fill(out, &r.job.header, sizeof *out);
    else
        fur_failure_report(&r.failure, context);
    close_reader(&r);
    return status;
}
