/* The head of a file: how long it is shows only when the size line is found. */
#include "head.h"
#include "foreign.h"

/* What is read at first, and what of a text whose size is not known before it has been read. */
#define FIRST_LOOK 65536
#define LAST_LOOK ((size_t)64 << 20)

/* Whether the text has a whole line below the first that is neither blank nor comment. */
static bool has_size_line(fur_scan scan)
{
    return fur_scan_next_line(&scan) && fur_scan_content(&scan) && fur_scan_next_line(&scan);
}

static fur_scan start(const fur_feed *feed, const char *name, fur_failure *failure)
{
    return fur_scan_start(failure, name, feed->head, feed->head_size);
}

fur_status fur_head_read(fur_feed *feed, const char *name, bool refuse_dialects,
                         fur_failure *failure, fur_banner *banner, fur_scan *scan)
{
    size_t wanted = FIRST_LOOK;
    FUR_TRY(fur_feed_look(feed, wanted, failure));
    *scan = start(feed, name, failure);
    FUR_TRY(fur_foreign_refuse(scan));
    while (!feed->ended && !has_size_line(*scan)) {
        if (wanted >= LAST_LOOK && fur_feed_size(feed) < 0)
            return fur_failure_set(failure, FUR_MALFORMED,
                                   "%.400s: found no size line in the first %zu bytes of the text",
                                   name, feed->head_size);
        wanted *= 4;
        FUR_TRY(fur_feed_look(feed, wanted, failure));
        *scan = start(feed, name, failure);
    }
    return fur_banner_read(scan, refuse_dialects, banner);
}
