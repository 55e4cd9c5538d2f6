/* Rank 0 unpacks a file and sends each rank consecutive lines. Rank 1 parses its lines while the
 * lines of rank 2 are unpacked. A message is a number of bytes and the bytes. The number 0 ends the
 * lines of a rank, and -1 tells that no more lines follow. */
#include "text_stream.h"

#include <furrow/author/files.h>

#include <string.h>

#define CHUNK_BYTES ((int64_t)1 << 20)

/* Lines of this rank, which become a range. */
typedef struct heap {
    fur_ranks *g;
    char *memory; /* with room for a head */
    int64_t bytes;
    int64_t room;
} heap;

/* Makes room for more bytes after the existing ones. */
static fur_status heap_reserve(heap *h, int64_t bytes)
{
    char *larger;
    int64_t room = h->room > 0 ? h->room : CHUNK_BYTES;
    if (h->memory && h->bytes + bytes <= h->room)
        return FUR_OK;
    while (room < h->bytes + bytes)
        room *= 2;
    FUR_TRY(group_allocate(h->g, HEAD_MAX + room, 1, &larger));
    if (h->memory)
        memcpy(larger + HEAD_MAX, h->memory + HEAD_MAX, (size_t)h->bytes);
    group_release(h->g, h->memory);
    h->memory = larger;
    h->room = room;
    return FUR_OK;
}

static fur_status heap_append(heap *h, const char *text, int64_t bytes)
{
    FUR_TRY(heap_reserve(h, bytes));
    memcpy(h->memory + HEAD_MAX + h->bytes, text, (size_t)bytes);
    h->bytes += bytes;
    return FUR_OK;
}

/* The state of rank 0 while it distributes the text. */
typedef struct dealing {
    fur_ranks *g;
    int64_t announced; /* lines of all ranks, by the head */
    head_state state;
    int target;
    int64_t lines; /* lines of the current target so far */
    heap own;
    heap chunk; /* for the target, if it is another rank */
    fur_status status;
} dealing;

static fur_status flush(dealing *d)
{
    int64_t bytes = d->chunk.bytes;
    if (bytes == 0)
        return FUR_OK;
    d->chunk.bytes = 0;
    FUR_TRY(group_send(d->g, d->target, &bytes, sizeof bytes));
    return group_send(d->g, d->target, d->chunk.memory + HEAD_MAX, (size_t)bytes);
}

static fur_status give(dealing *d, const char *text, int64_t bytes)
{
    if (d->target == 0)
        return heap_append(&d->own, text, bytes);
    FUR_TRY(heap_append(&d->chunk, text, bytes));
    return d->chunk.bytes >= CHUNK_BYTES ? flush(d) : FUR_OK;
}

/* Ends the lines of the target. */
static fur_status next_target(dealing *d, int64_t word)
{
    if (d->target > 0) {
        if (word == 0)
            FUR_TRY(flush(d));
        FUR_TRY(group_send(d->g, d->target, &word, sizeof word));
    }
    d->target++;
    d->lines = 0;
    return FUR_OK;
}

/* Returns the number of lines for the target. The last rank gets all remaining lines. */
static int64_t share(const dealing *d)
{
    if (d->target + 1 == d->g->count)
        return INT64_MAX;
    int64_t even = d->announced / d->g->count;
    int64_t more = d->announced % d->g->count;
    return even + (d->target < more);
}

/* Returns the bytes up to the end of the target's last line, and counts lines. */
static int64_t take_lines(dealing *d, const char *text, int64_t bytes)
{
    const char *at = text;
    const char *end = text + bytes;
    for (int64_t most = share(d); at < end && d->lines < most; d->lines++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            return bytes; /* the line continues in the next piece */
        at = line_end + 1;
    }
    return at - text;
}

static fur_status deal(dealing *d, const char *text, int64_t bytes)
{
    while (bytes > 0 && d->state != BODY) {
        d->state = head_advance(d->state, *text++);
        bytes--;
    }
    while (bytes > 0) {
        int64_t part = take_lines(d, text, bytes);
        if (part > 0)
            FUR_TRY(give(d, text, part));
        if (d->lines >= share(d))
            FUR_TRY(next_target(d, 0));
        text += part;
        bytes -= part;
    }
    return FUR_OK;
}

static int take(void *user, const char *text, size_t bytes)
{
    dealing *d = user;
    d->status = deal(d, text, (int64_t)bytes);
    return d->status != FUR_OK;
}

/* Distributes the text. *whole = whether the file was unpacked to its end. */
static fur_status deal_out(dealing *d, const char *path, bool *whole)
{
    *whole = fur_mtx_unpack(d->g->home, path, take, d) == FUR_OK && d->state == BODY;
    FUR_TRY(d->status);
    while (d->target < d->g->count)
        FUR_TRY(next_target(d, *whole ? 0 : -1));
    return FUR_OK;
}

/* Receives lines from rank 0. */
static fur_status receive(heap *own, bool *whole)
{
    int64_t bytes;
    for (;;) {
        FUR_TRY(group_receive(own->g, 0, &bytes, sizeof bytes));
        *whole = bytes == 0;
        if (bytes <= 0)
            return FUR_OK;
        FUR_TRY(heap_reserve(own, bytes));
        FUR_TRY(group_receive(own->g, 0, own->memory + HEAD_MAX + own->bytes, (size_t)bytes));
        own->bytes += bytes;
    }
}

fur_status text_stream_read(fur_ranks *g, const char *path, const fur_mtx_header *header,
                            text_range *t, bool *found)
{
    dealing d = {.g = g, .announced = header->entries_in_file, .own = {.g = g}, .chunk = {.g = g}};
    fur_status status = g->rank == 0 ? deal_out(&d, path, found) : receive(&d.own, found);
    if (status == FUR_OK)
        status = heap_reserve(&d.own, 1);
    group_release(g, d.chunk.memory);
    t->memory = d.own.memory;
    if (status == FUR_OK)
        text_range_head(t, d.own.bytes, header);
    return status;
}
