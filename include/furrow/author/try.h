/* Macros that return early with the status of a call that failed. */
#ifndef FURROW_AUTHOR_TRY_H
#define FURROW_AUTHOR_TRY_H

#include <furrow/base.h>

/* Returns from the enclosing function if a call fails, with the call's status. */
#define FUR_TRY(expression)                                                                        \
    do {                                                                                           \
        fur_status try_status = (expression);                                                      \
        if (try_status != FUR_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

/* Stores a call's status in `status` and jumps to label `done` if the call fails. */
#define FUR_TRY_DONE(expression)                                                                   \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (status != FUR_OK)                                                                      \
            goto done;                                                                             \
    } while (0)

#endif
