/* Returning early with the status of a call that failed. */
#ifndef FURROW_AUTHOR_TRY_H
#define FURROW_AUTHOR_TRY_H

#include <furrow/base.h>

/* Returns the status of a call that fails from the enclosing function. */
#define FUR_TRY(expression)                                                                        \
    do {                                                                                           \
        fur_status try_status = (expression);                                                      \
        if (try_status != FUR_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

/* Stores the status of a call in `status`, and jumps to the label `done` if the call fails. */
#define FUR_TRY_DONE(expression)                                                                   \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (status != FUR_OK)                                                                      \
            goto done;                                                                             \
    } while (0)

#endif
