/* A file's text in blocks of whole lines, for threads to take one after the other.
 *
 * Each thread reads its own block of a plain file or of memory; a line belongs to the block in
 * whose range of bytes it begins. Everything else is read by one thread at a time, which leaves the
 * beginning of a line that it did not finish to the next: so one thread decompresses while the
 * others parse. */
#ifndef FURROW_IO_FEED_H
#define FURROW_IO_FEED_H

#include "input.h"
#include "parallel.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Bytes that may be read before and behind a block's text. */
#define FUR_BLOCK_MARGIN 64

typedef struct fur_feed {
    fur_storage *storage;
    fur_input *input;
    size_t block;     /* bytes of a block, more or less */
    char *head;       /* the text so far, while the head is looked for */
    size_t head_size; /* later: what of it is still to be handed out */
    size_t head_capacity;
    bool ended;    /* the input has no more text */
    int64_t begin; /* where the first block begins in the file */
    bool anywhere; /* any byte can be read at any time, up to `size` */
    int64_t size;
    pthread_mutex_t turn; /* held by the thread that reads a stream */
    atomic_llong next;    /* number of the next block */
    atomic_llong passed;  /* bytes of text in the blocks handed out */
} fur_feed;

/* A thread's block; all zero at first. */
typedef struct fur_block {
    int64_t number;   /* 0, 1, 2 ... in the order of the file */
    const char *text; /* begins with a line, ends with LF or the file; LF and zeros are behind it */
    size_t size;
    char *memory; /* of the block's own, `capacity` bytes */
    size_t capacity;
    char *room;           /* where in it there may be text */
    fur_failure *failure; /* what kept the feed from reading on behind this text; else FUR_OK */
} fur_block;

/* Feeds on the input, which must outlive it. */
void fur_feed_open(fur_storage *storage, fur_input *input, size_t block, fur_feed *feed);
void fur_feed_close(fur_feed *feed);

/* Reads from the beginning until at least `wanted` bytes are in head or the input has ended. */
fur_status fur_feed_look(fur_feed *feed, size_t wanted, fur_failure *failure);

/* The blocks begin at this byte of the head. */
void fur_feed_begin(fur_feed *feed, size_t at);

/* Bytes of text from begin to the end, -1 if that is not known yet. */
int64_t fur_feed_size(const fur_feed *feed);

/* Takes the next block. False if there is none, or if the input's watch says to stop. A failure
 * comes with the last block that was read, in block->failure. */
bool fur_feed_next(fur_feed *feed, fur_block *block);

void fur_block_release(fur_storage *storage, fur_block *block);

#endif
