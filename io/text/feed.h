/* A file's text in blocks of whole lines, which threads take one after the other.
 *
 * Each thread reads its own block of a plain file or of memory. A line belongs to the block in
 * whose range of bytes it begins. All other inputs are read by one thread at a time. It leaves an
 * incomplete line to the next block. In this way, one thread decompresses while the others
 * parse. */
#ifndef FURROW_IO_FEED_H
#define FURROW_IO_FEED_H

#include "input.h"
#include "parallel.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Bytes that may be read before and after a block's text. */
#define FUR_BLOCK_MARGIN 64

typedef struct fur_feed {
    fur_storage *storage;
    fur_input *input;
    size_t block;     /* approximate bytes of a block */
    char *head;       /* the text read so far, during the search for the head */
    size_t head_size; /* later: the part of it that is still to be distributed */
    size_t head_capacity;
    bool ended;    /* the input has no more text */
    int64_t begin; /* position of the first block in the file */
    bool anywhere; /* any byte up to `size` can be read at any time */
    int64_t size;
    pthread_mutex_t turn; /* held by the thread that reads a stream */
    atomic_llong next;    /* number of the next block */
    atomic_llong passed;  /* bytes of text in the distributed blocks */
} fur_feed;

/* The block of a thread; all zero at first. */
typedef struct fur_block {
    int64_t number; /* 0, 1, 2 ... in the order of the file */
    /* begins with a line, ends with LF or the end of the file; LF and zeros follow */
    const char *text;
    size_t size;
    char *memory; /* memory of the block, `capacity` bytes */
    size_t capacity;
    char *room;           /* start of the room for text in `memory` */
    fur_failure *failure; /* why the feed could not read past this text; otherwise FUR_OK */
} fur_block;

/* Opens a feed on the input, which must outlive it. */
void fur_feed_open(fur_storage *storage, fur_input *input, size_t block, fur_feed *feed);
void fur_feed_close(fur_feed *feed);

/* Reads from the beginning until the head has at least `wanted` bytes or the input ends. */
fur_status fur_feed_look(fur_feed *feed, size_t wanted, fur_failure *failure);

/* Sets where the first block begins: at byte `at` of the head. */
void fur_feed_begin(fur_feed *feed, size_t at);

/* Returns the bytes of text from there to the end, or -1 if this is not known yet. */
int64_t fur_feed_size(const fur_feed *feed);

/* Takes the next block. Returns false if there is none, or if the input's watch stops the reading.
 * A failure comes with the last block, in block->failure. */
bool fur_feed_next(fur_feed *feed, fur_block *block);

void fur_block_release(fur_storage *storage, fur_block *block);

#endif
