/* Cuts a file into blocks of whole lines. */
#include "feed.h"

#include <furrow/author/try.h>

#include "split.h"
#include "system.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* A guess of the length of a line. This many bytes are read together with the block. */
#define LINE_GUESS 256

/* The longest line of a text of unknown size. Without a limit, a few packed bytes could use up all
 * memory. */
#define LINE_MAX ((size_t)64 << 20)

/* A line may be as long as the file. It is read in steps of this size, and the caller is asked
 * between two of them. */
#define STEP (INT64_C(16) << 20)

void fur_feed_open(fur_storage *storage, fur_input *input, size_t block, fur_feed *feed)
{
    *feed = (fur_feed){.storage = storage, .input = input, .block = block};
    feed->anywhere = fur_input_memory(input) || fur_input_descriptor(input) >= 0;
    feed->size = feed->anywhere ? fur_input_size(input) : -1;
    pthread_mutex_init(&feed->turn, NULL);
}

void fur_feed_close(fur_feed *feed)
{
    fur_storage_release(feed->storage, feed->head);
    pthread_mutex_destroy(&feed->turn);
}

fur_status fur_feed_look(fur_feed *feed, size_t wanted, fur_failure *failure)
{
    FUR_TRY(fur_storage_grow(feed->storage, &feed->head, &feed->head_capacity, wanted,
                             feed->head_size, failure));
    while (!feed->ended && feed->head_size < wanted) {
        size_t got = 0;
        FUR_TRY(fur_input_read(feed->input, feed->head + feed->head_size, wanted - feed->head_size,
                               &got, failure));
        feed->head_size += got;
        feed->ended = got == 0;
    }
    return FUR_OK;
}

void fur_feed_begin(fur_feed *feed, size_t at)
{
    feed->begin = (int64_t)at;
    feed->head_size -= at;
    if (!feed->anywhere && feed->head_size > 0)
        memmove(feed->head, feed->head + at, feed->head_size);
    atomic_store(&feed->passed, feed->begin);
}

int64_t fur_feed_size(const fur_feed *feed)
{
    return feed->anywhere ? feed->size - feed->begin : -1;
}

/* Makes room in the block for `size` bytes of text, with a margin before and after them. The first
 * `kept` bytes are preserved. */
static bool make_room(fur_feed *feed, fur_block *block, size_t size, size_t kept)
{
    if (fur_storage_grow(feed->storage, &block->memory, &block->capacity,
                         size + 2 * FUR_BLOCK_MARGIN, kept + FUR_BLOCK_MARGIN,
                         block->failure) != FUR_OK)
        return false;
    memset(block->memory, 0, FUR_BLOCK_MARGIN);
    block->room = block->memory + FUR_BLOCK_MARGIN;
    return true;
}

/* Sets the text to the bytes of the block's room from `begin` to `end`. */
static void set_text(fur_block *block, size_t begin, size_t end)
{
    block->text = block->room + begin;
    block->size = end - begin;
    memset(block->room + end, 0, FUR_BLOCK_MARGIN);
    if (end > begin && block->room[end - 1] != '\n')
        block->room[end] = '\n';
}

/* Returns whether to continue reading. */
static bool goes_on(const fur_feed *feed, fur_failure *failure)
{
    fur_watch *watch = fur_input_watch(feed->input);
    if (fur_watch_goes_on(watch, 0))
        return true;
    fur_watch_tell(watch, fur_input_name(feed->input), failure);
    return false;
}

static bool fail_read(const fur_feed *feed, fur_block *block)
{
    fur_failure_set(block->failure, FUR_IO_ERROR, "%.400s: cannot read: %s",
                    fur_input_name(feed->input), strerror(errno));
    return false;
}

/* Reads the file's bytes [from, to) into the block, after its first `at` bytes. */
static bool read_range(const fur_feed *feed, fur_block *block, size_t at, int64_t from, int64_t to)
{
    const char *memory = fur_input_memory(feed->input);
    if (memory) {
        memcpy(block->room + at, memory + from, (size_t)(to - from));
        return true;
    }
    while (from < to) {
        if (!goes_on(feed, block->failure))
            return false;
        ssize_t got = fur_system.pread(fur_input_descriptor(feed->input), block->room + at,
                                       (size_t)fur_smaller(to - from, STEP), (off_t)from);
        if (got == 0)
            errno = ENODATA; /* the file was truncated while it was being read */
        if (got == 0 || (got < 0 && errno != EINTR))
            return fail_read(feed, block);
        from += got > 0 ? got : 0;
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Returns the end of the line that contains byte `at` of the block's memory, and reads more if
 * needed. The block has `size` bytes, up to byte `to` of the file. Returns 0 on failure. */
static size_t complete_line(fur_feed *feed, fur_block *block, size_t at, size_t size, int64_t to)
{
    for (;;) {
        const char *newline = memchr(block->room + at, '\n', size - at);
        if (newline)
            return (size_t)(newline - block->room) + 1;
        if (to == feed->size)
            return size;
        int64_t further = fur_smaller(to + (int64_t)size, feed->size);
        size_t larger = size + (size_t)(further - to);
        if (!make_room(feed, block, larger, size) || !read_range(feed, block, size, to, further))
            return 0;
        at = size;
        size = larger;
        to = further;
    }
}

/* Takes the lines that begin in the file's bytes [from, to). Reading starts one byte earlier: this
 * byte tells whether a line begins at `from`. */
static void take_range(fur_feed *feed, fur_block *block, int64_t from, int64_t to)
{
    size_t before = block->number > 0 ? 1 : 0;
    size_t range = (size_t)(to - from) + before;
    int64_t read_to = fur_smaller(to + LINE_GUESS, feed->size);
    size_t size = range + (size_t)(read_to - to);
    if (!make_room(feed, block, size, 0) ||
        !read_range(feed, block, 0, from - (int64_t)before, read_to))
        return;
    const char *newline = before ? memchr(block->room, '\n', range - 1) : NULL;
    if (before && !newline)
        return;
    size_t begin = newline ? (size_t)(newline - block->room) + 1 : 0;
    size_t end = complete_line(feed, block, range - 1, size, read_to);
    if (end > 0)
        set_text(block, begin, end);
}

/* Takes the next range of bytes of a file that threads read in parallel. */
static bool next_anywhere(fur_feed *feed, fur_block *block)
{
    block->number = atomic_fetch_add(&feed->next, 1);
    int64_t step = (int64_t)feed->block;
    if (block->number > (feed->size - feed->begin) / step)
        return false;
    int64_t from = feed->begin + block->number * step;
    if (from >= feed->size)
        return false;
    int64_t to = fur_smaller(from + step, feed->size);
    block->size = 0;
    take_range(feed, block, from, to);
    atomic_fetch_add(&feed->passed, to - from);
    return true;
}

/* Reads into the block until it is full or the input ends. A failure ends the input. */
static size_t fill(fur_feed *feed, fur_block *block, size_t size, size_t wanted)
{
    while (!feed->ended && size < wanted) {
        size_t got = 0;
        fur_status status =
            fur_input_read(feed->input, block->room + size, wanted - size, &got, block->failure);
        size += status == FUR_OK ? got : 0;
        feed->ended = status != FUR_OK || got == 0;
    }
    return size;
}

/* Leaves the bytes after the last line end to the next block. If no more can be read, they are
 * dropped, because an incomplete line has no meaning. The head is no longer needed, so its memory
 * is used, and grown if necessary. */
static void leave_rest(fur_feed *feed, fur_block *block, size_t size)
{
    bool broken = block->failure->status != FUR_OK;
    const char *newline = feed->ended && !broken ? NULL : memrchr(block->room, '\n', size);
    size_t whole = newline ? (size_t)(newline - block->room) + 1 : broken ? 0 : size;
    size_t rest = broken ? 0 : size - whole;
    if (fur_storage_grow(feed->storage, &feed->head, &feed->head_capacity, rest, 0,
                         block->failure) != FUR_OK) {
        feed->ended = true;
        return;
    }
    if (rest > 0)
        memcpy(feed->head, block->room + whole, rest);
    feed->head_size = rest;
    set_text(block, 0, whole);
}

/* Takes text of at least one line, if there is any. */
static void take_stream(fur_feed *feed, fur_block *block)
{
    size_t size = feed->head_size;
    size_t wanted = size > feed->block ? size : feed->block;
    feed->head_size = 0;
    if (!make_room(feed, block, wanted, 0)) {
        feed->ended = true;
        return;
    }
    if (size > 0)
        memcpy(block->room, feed->head, size);
    size = fill(feed, block, size, wanted);
    while (!feed->ended && !memrchr(block->room, '\n', size)) {
        if (size > LINE_MAX)
            fur_failure_set(block->failure, FUR_MALFORMED,
                            "%.400s: found a line of more than %zu bytes",
                            fur_input_name(feed->input), LINE_MAX);
        if (size > LINE_MAX || !make_room(feed, block, 2 * size, size))
            feed->ended = true;
        else
            size = fill(feed, block, size, 2 * size);
    }
    leave_rest(feed, block, size);
}

/* Waits for the turn to read. If the calling thread is the caller, it tests the watch from time to
 * time. Returns false if waiting must stop. */
static bool take_turn(fur_feed *feed)
{
    fur_watch *watch = fur_input_watch(feed->input);
    if (!fur_watch_asks(watch)) {
        pthread_mutex_lock(&feed->turn);
        return true;
    }
    while (pthread_mutex_trylock(&feed->turn) != 0) {
        if (!fur_watch_goes_on(watch, 0))
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    return true;
}

/* Takes the next block of an input that only one thread at a time can read. */
static bool next_in_stream(fur_feed *feed, fur_block *block)
{
    if (!take_turn(feed))
        return false;
    bool more = !feed->ended || feed->head_size > 0;
    if (more) {
        block->number = atomic_fetch_add(&feed->next, 1);
        block->size = 0;
        take_stream(feed, block);
        atomic_fetch_add(&feed->passed, (int64_t)block->size);
    }
    pthread_mutex_unlock(&feed->turn);
    return more;
}

bool fur_feed_next(fur_feed *feed, fur_block *block)
{
    return feed->anywhere ? next_anywhere(feed, block) : next_in_stream(feed, block);
}

void fur_block_release(fur_storage *storage, fur_block *block)
{
    fur_storage_release(storage, block->memory);
}
