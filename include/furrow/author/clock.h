/* Wall-clock time for reports. It is never part of a result. */
#ifndef FURROW_AUTHOR_CLOCK_H
#define FURROW_AUTHOR_CLOCK_H

#include <furrow/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the seconds since a fixed moment, by a clock that only moves forward. */
FUR_API double fur_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
