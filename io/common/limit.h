/* The limits for reading a file, by the same rule for text, packed text and binary files; and
 * cancellation. The caller may stop the reading, and it may exceed its time limit. Every long step
 * tests this, so that the caller need not wait. */
#ifndef FURROW_IO_LIMIT_H
#define FURROW_IO_LIMIT_H

#include "failure.h"

#include <furrow/files.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Returns FUR_INVALID if one of the limits is not a valid number. */
fur_status fur_limits_check(fur_context *context, const fur_read_limits *limits);

/* Returns FUR_OVERFLOW with a message if a file of `bytes` bytes may not have the shape in its
 * header. If the size is not known yet (-1), this is only the case if no size would be enough. */
fur_status fur_limits_check_header(const fur_read_limits *limits, const fur_mtx_header *header,
                                   int64_t bytes, fur_failure *failure);

/* Returns FUR_OVERFLOW if a file of `bytes` bytes may not unpack to `unpacked` bytes. */
fur_status fur_limits_check_unpacked(const fur_read_limits *limits, int64_t unpacked, int64_t bytes,
                                     const char *name, fur_failure *failure);

typedef struct fur_watch {
    fur_read_limits limits;
    int (*progress)(void *user, int64_t done, int64_t total); /* NULL: progress is not reported */
    void *user;
    pthread_t caller; /* the only thread that calls progress */
    double end;       /* time at which the limit of seconds is reached */
    int64_t size;     /* bytes of the file; -1: unknown */
    atomic_llong done;
    atomic_int outcome; /* 0: continue */
} fur_watch;

/* Starts a watch with the given options. The calling thread becomes the caller. */
void fur_watch_begin(fur_watch *watch, const fur_mtx_read_options *options);

/* Reports that `done` bytes of the file have been read, and returns whether to continue. The
 * largest reported number counts. May be called from any thread. Returns true if there is no
 * watch. */
bool fur_watch_goes_on(fur_watch *watch, int64_t done);

/* Returns whether a waiting thread must test the watch from time to time: it is the caller, and
 * there is something to test. */
bool fur_watch_asks(const fur_watch *watch);

/* Returns FUR_CANCELLED with the reason if reading must stop, and otherwise FUR_OK. */
fur_status fur_watch_tell(const fur_watch *watch, const char *name, fur_failure *failure);

#endif
