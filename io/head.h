/* Reading as much of a file as its banner and size line take. */
#ifndef FURROW_IO_HEAD_H
#define FURROW_IO_HEAD_H

#include "banner.h"
#include "feed.h"

/* Reads the head from the beginning of the feed, and leaves *scan behind the size line; name is the
 * file's in sentences. */
fur_status fur_head_read(fur_feed *feed, const char *name, bool refuse_dialects,
                         fur_failure *failure, fur_banner *banner, fur_scan *scan);

#endif
