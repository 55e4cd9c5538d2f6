/* The limits of reading a file, one rule for text, packed text and binary files; and whether to go
 * on: the caller may stop the reading, and it may take too long. Every step that may take long
 * asks, so that the caller need not wait. */
#ifndef FURROW_IO_LIMIT_H
#define FURROW_IO_LIMIT_H

#include "failure.h"

#include <furrow/mtx.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* FUR_INVALID if one of the limits is not a valid number. */
fur_status fur_limits_check(fur_context *context, const fur_read_limits *limits);

/* FUR_OVERFLOW if a file of that many bytes may not hold what its header says, with a sentence
 * about it. For a file whose size is not known yet, -1, only if no size would do. */
fur_status fur_limits_check_header(const fur_read_limits *limits, const fur_mtx_header *header,
                                   int64_t bytes, fur_failure *failure);

/* FUR_OVERFLOW if a file of `bytes` bytes may not unpack to `unpacked` bytes. */
fur_status fur_limits_check_unpacked(const fur_read_limits *limits, int64_t unpacked, int64_t bytes,
                                     const char *name, fur_failure *failure);

typedef struct fur_watch {
    fur_read_limits limits;
    int (*progress)(void *user, int64_t done, int64_t total); /* NULL: nobody wants to know */
    void *user;
    pthread_t caller; /* the only thread that calls progress */
    double end;       /* when the limit of seconds is reached */
    int64_t size;     /* bytes of the file; -1: not known */
    atomic_llong done;
    atomic_int outcome; /* 0: go on */
} fur_watch;

/* A watch that begins now and asks what the options have; the calling thread is the caller. */
void fur_watch_begin(fur_watch *watch, const fur_mtx_read_options *options);

/* Says that `done` bytes of the file have been read (the largest number that was said counts), and
 * returns whether to go on. May be called from any thread; true without a watch. */
bool fur_watch_goes_on(fur_watch *watch, int64_t done);

/* Whether a thread that waits has to look now and then: it is the caller, and there is something to
 * ask. */
bool fur_watch_asks(const fur_watch *watch);

/* FUR_CANCELLED with the sentence of why it does not go on; FUR_OK if it does. */
fur_status fur_watch_tell(const fur_watch *watch, const char *name, fur_failure *failure);

#endif
