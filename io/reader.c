/* The threads take blocks of the file and read their entries; in the order of the file each block
 * has its turn, when it gets its place and its line numbers and when the first thing wrong is told;
 * then, again side by side, the entries are put into their place. */
#include "reader.h"
#include "options.h"
#include "array.h"
#include "assemble.h"
#include "entry.h"
#include "head.h"
#include "locate.h"
#include "symmetry.h"
#include "waiting.h"

#include <stdio.h>
#include <string.h>

/* A block and the entries in it fit the second-level cache of a core. What is read by one thread
 * after the other changes hands, which takes time, less often. */
#define BLOCK ((size_t)262144)
#define STREAM_BLOCK (4 * BLOCK)

/* Arrays of a matrix are allocated before the text has been unpacked if they are at most so many
 * times as large as the packed file. */
#define UNPACKED_TIMES 16

typedef struct reader {
    fur_input_request request; /* with this reader's watch */
    fur_input *input;
    fur_heap heap;
    fur_feed feed;
    fur_reading reading;
    fur_scan size_line;
    fur_collection collection;
    fur_watch watch;
    atomic_llong turn;   /* number of the block whose turn it is */
    atomic_bool stopped; /* there is no use in going on */
    /* What belongs to whose turn it is: */
    fur_failure failure;
    int64_t line;    /* of the block's first line */
    int64_t tail;    /* column behind the text so far */
    int64_t entries; /* of the blocks before */
    fur_note notes[FUR_NOTES];
} reader;

/* A thread's own. */
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

/* Tells the caller how far the reading is, and stops if that is wanted. */
static void look(reader *r)
{
    int64_t passed = r->feed.anywhere ? atomic_load(&r->feed.passed) : 0;
    if (!fur_watch_goes_on(&r->watch, passed))
        stop(r);
}

/* Looks of one who waits between two of the caller's. */
#define LOOKS_UNASKED 1024

/* False if there is nothing to wait for any more. */
static bool await_turn(reader *r, int64_t number)
{
    for (int looks = 0; atomic_load(&r->turn) != number; looks++) {
        if (looks % LOOKS_UNASKED == LOOKS_UNASKED - 1)
            look(r);
        if (atomic_load(&r->stopped))
            return false;
        fur_wait(looks);
    }
    return true;
}

static int64_t expected_entries(const reader *r)
{
    return r->reading.banner.header.entries_in_file;
}

/* The place of entry k of the worker's block. */
static fur_scan place_of(reader *r, const worker *w, int64_t k)
{
    fur_scan scan = fur_batch_place(&r->reading, &w->block, k, &r->failure);
    scan.line += r->line - 1;
    return scan;
}

/* More content after the last entry, if there is any before a line that cannot be read. */
static fur_status refuse_excess(reader *r, const worker *w)
{
    bool broken = w->batch.failure.status != FUR_OK && w->batch.failure.name;
    char expected[80];
    fur_scan scan = place_of(r, w, expected_entries(r) - r->entries);
    if (!fur_scan_content(&scan) || (broken && scan.line >= r->line + w->batch.failure.line))
        return FUR_OK;
    snprintf(expected, sizeof expected, "the end of the file, as all entries (%lld) have been read",
             (long long)expected_entries(r));
    return fur_scan_unexpected(&scan, fur_scan_token(&scan), expected);
}

/* Tells what is wrong with the block, if it is in the block's text, where and after how many
 * entries. */
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

/* A hermitian array has its diagonal among its numbers, of which there may be too many. */
static fur_status check_diagonal(reader *r, const worker *w)
{
    int64_t left = expected_entries(r) - r->entries;
    int64_t count = w->batch.count < left ? w->batch.count : left;
    int64_t k = fur_array_find_not_real(&r->reading, &w->batch, count);
    if (k < 0)
        return FUR_OK;
    fur_entry entry;
    fur_scan scan = place_of(r, w, k);
    const char *place = scan.at;
    FUR_TRY(fur_entry_read(&scan, &r->reading, &entry));
    return fur_entry_check_diagonal(&scan, place, &r->reading, &entry);
}

static fur_status place_numbers(reader *r, worker *w)
{
    fur_array_place(&r->reading, r->entries, &w->batch);
    return r->reading.banner.header.symmetry == FUR_MTX_HERMITIAN ? check_diagonal(r, w) : FUR_OK;
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

static fur_status take_turn(reader *r, worker *w)
{
    bool array = r->reading.indices == 0;
    if (array)
        FUR_TRY(place_numbers(r, w));
    FUR_TRY(check_block(r, w));
    if (array)
        fur_batch_settle(&r->reading, &w->batch);
    take_notes(r, &w->batch);
    FUR_TRY(fur_collection_claim(&r->collection, &w->batch, &w->delivery, &r->failure));
    r->entries += w->batch.in_file;
    r->line += w->batch.lines;
    if (w->block.size > 0)
        r->tail = w->batch.tail;
    return FUR_OK;
}

/* Reads a block and puts it where it belongs; false if that was the last thing to do. */
static bool handle(reader *r, worker *w)
{
    fur_batch_read(&r->heap, &r->reading, &w->block, fur_symmetry_expands(&r->reading), &w->batch);
    if (w->batch.failure.status == FUR_OK && w->failure.status != FUR_OK)
        w->batch.failure = w->failure;
    w->delivery.parted = false;
    if (r->reading.indices > 0)
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

/* A thread's part: blocks, until none is left. */
static void work(void *user, int64_t begin, int64_t end)
{
    (void)begin, (void)end;
    reader *r = user;
    worker w = {.block = {.number = 0}};
    w.block.failure = &w.failure;
    while (!atomic_load(&r->stopped) && fur_feed_next(&r->feed, &w.block) && handle(r, &w))
        look(r);
    fur_batch_release(&r->heap, &w.batch);
    fur_block_release(&r->heap, &w.block);
}

/* Threads that have something to do. */
static int team(const reader *r)
{
    int threads = fur_context_threads(r->heap.context);
    int64_t size = fur_feed_size(&r->feed);
    int64_t blocks = size / (int64_t)r->feed.block + 1;
    return size >= 0 && blocks < threads ? (int)blocks : threads;
}

static fur_status read_body(reader *r)
{
    fur_context_parallel(r->heap.context, team(r), 1, work, r);
    if (!atomic_load(&r->stopped))
        look(r);
    FUR_TRY(fur_watch_tell(&r->watch, r->reading.name, &r->failure));
    if (r->failure.status != FUR_OK)
        return r->failure.status;
    if (r->entries == expected_entries(r))
        return FUR_OK;
    fur_failure_set(&r->failure, FUR_MALFORMED,
                    "found the end of the file after %lld of %lld entries", (long long)r->entries,
                    (long long)expected_entries(r));
    r->failure.name = r->reading.name;
    r->failure.line = r->line;
    r->failure.column = r->tail;
    return r->failure.status;
}

/* Whether the matrix that the header tells of may be expected of a packed file of this size. */
static bool is_plausible(const reader *r)
{
    const fur_mtx_header *header = &r->reading.banner.header;
    size_t entry = sizeof(int32_t) + fur_value_size(r->reading.value_type);
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
               : fur_locate_conflict(&r->heap, &r->request, &r->reading, &conflict, &r->failure);
}

/* What the file cannot hold or justify is refused: before anything is read, if its size is known.
 */
static fur_status check_head(const reader *r)
{
    const fur_banner *banner = &r->reading.banner;
    int64_t left = fur_feed_size(&r->feed);
    if (left >= 0)
        FUR_TRY(fur_banner_check_room(&r->size_line, banner, left));
    return fur_banner_check_limits(&r->size_line, banner, &r->watch.limits,
                                   fur_input_size(r->input));
}

/* The same when all has been read. */
static fur_status check_read(const reader *r)
{
    const fur_banner *banner = &r->reading.banner;
    int64_t passed = atomic_load(&r->feed.passed);
    if (fur_feed_size(&r->feed) >= 0)
        return FUR_OK;
    FUR_TRY(fur_banner_check_room(&r->size_line, banner, passed - r->feed.begin));
    return fur_banner_check_limits(&r->size_line, banner, &r->watch.limits,
                                   fur_input_consumed(r->input));
}

static fur_status read_entries(reader *r, fur_csr **out)
{
    bool likely = fur_feed_size(&r->feed) >= 0 || is_plausible(r);
    FUR_TRY(check_head(r));
    FUR_TRY(fur_collection_open(&r->heap, &r->reading, likely, &r->failure, &r->collection));
    fur_status status;
    FUR_TRY_DONE(read_body(r));
    FUR_TRY_DONE(check_read(r));
    status = make_matrix(r, out);
done:
    fur_collection_close(&r->collection);
    return status;
}

/* The value type to read into. */
static fur_status choose_value(const fur_scan *scan, fur_reading *reading)
{
    const fur_mtx_read_options *options = &reading->options;
    bool complex = reading->banner.header.field == FUR_MTX_COMPLEX;
    reading->value_type = options->convert ? (fur_value_type)(options->convert - FUR_MTX_AS_F32)
                          : complex        ? FUR_C128
                                           : FUR_F64;
    if (complex && !fur_reading_is_complex(reading))
        return fur_scan_fail(scan, FUR_INVALID, scan->line_start,
                             "the file is complex and does not fit %s; read it as c64 or c128",
                             fur_value_name(reading->value_type));
    return FUR_OK;
}

static fur_status read_head(reader *r)
{
    fur_reading *reading = &r->reading;
    fur_scan scan;
    FUR_TRY(fur_head_read(&r->feed, reading->name, reading->options.refuse_dialects, &r->failure,
                          &reading->banner, &scan));
    const fur_banner *banner = &reading->banner;
    FUR_TRY(choose_value(&scan, reading));
    FUR_TRY(fur_banner_check_size(&scan, banner));
    reading->indices = banner->header.format == FUR_MTX_ARRAY ? 0 : banner->vector ? 1 : 2;
    reading->numbers = banner->header.field == FUR_MTX_PATTERN   ? 0
                       : banner->header.field == FUR_MTX_COMPLEX ? 2
                                                                 : 1;
    r->size_line = scan;
    r->line = scan.line;
    r->tail = scan.at - scan.line_start + 1;
    fur_feed_begin(&r->feed, (size_t)(scan.at - scan.text));
    return FUR_OK;
}

/* Says what was accepted but may not be meant. */
static void warn(const reader *r)
{
    const fur_mtx_read_options *options = &r->reading.options;
    char sentence[2 * FUR_SENTENCE_SIZE];
    if (!options->warn)
        return;
    if (r->reading.banner.dialect.name)
        options->warn(options->user,
                      fur_failure_print(&r->reading.banner.dialect, sentence, sizeof sentence));
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
    fur_watch_begin(&r->watch, &r->reading.options);
    r->request.watch = &r->watch;
    FUR_TRY(fur_input_open(context, &r->request, &r->failure, &r->input));
    r->reading.name = fur_input_name(r->input);
    r->reading.isa = fur_context_isa(fur_context_host(context));
    fur_heap_open(&r->heap, context);
    fur_feed_open(&r->heap, r->input, block, &r->feed);
    if (block == 0)
        r->feed.block = r->feed.anywhere ? BLOCK : STREAM_BLOCK;
    return FUR_OK;
}

static void close_reader(reader *r)
{
    fur_feed_close(&r->feed);
    fur_heap_close(&r->heap);
    fur_input_close(r->input);
}

fur_status fur_reader_read(fur_context *context, const fur_input_request *request, size_t block,
                           const fur_mtx_read_options *options, fur_csr **out)
{
    reader r = {.request = *request, .reading = {.options = *options}};
    if (open_reader(&r, context, block) != FUR_OK)
        return fur_failure_report(&r.failure, context);
    fur_status status;
    FUR_TRY_DONE(read_head(&r));
    FUR_TRY_DONE(read_entries(&r, out));
    warn(&r);
    fur_report_fill(options->header, &r.reading.banner.header, sizeof(fur_mtx_header));
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
    fur_scan scan;
    if (open_reader(&r, context, 0) != FUR_OK)
        return fur_failure_report(&r.failure, context);
    fur_status status =
        fur_head_read(&r.feed, r.reading.name, false, &r.failure, &r.reading.banner, &scan);
    if (status == FUR_OK)
        fur_report_fill(out, &r.reading.banner.header, sizeof *out);
    else
        fur_failure_report(&r.failure, context);
    close_reader(&r);
    return status;
}
