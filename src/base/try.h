/* Returning early with the status of a call that failed. */
#ifndef FURROW_BASE_TRY_H
#define FURROW_BASE_TRY_H

#include <furrow/base.h>

#define FUR_TRY(expression)                                                                        \
    do {                                                                                           \
        fur_status try_status = (expression);                                                      \
        if (try_status != FUR_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

/* The same where there is something to clean up: sets `status` and jumps to `done`. */
#define FUR_TRY_DONE(expression)                                                                   \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (status != FUR_OK)                                                                      \
            goto done;                                                                             \
    } while (0)

#endif
