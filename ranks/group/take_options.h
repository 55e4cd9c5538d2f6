/* Copies a caller's options struct on a rank. */
#ifndef FURROW_RANKS_TAKE_OPTIONS_H
#define FURROW_RANKS_TAKE_OPTIONS_H

#include "group.h"

#include <furrow/author/options.h>

/* As FUR_TAKE_OPTIONS, but the message goes to the group. */
#define RANKS_TAKE_OPTIONS(group, type, own, given)                                                \
    do {                                                                                           \
        if (!fur_options_copy(own, sizeof(type), given)) {                                         \
            group_pass_on(group, NULL, FUR_FAIL_SIZE(NULL, #type, sizeof(type), given));           \
            return FUR_INVALID;                                                                    \
        }                                                                                          \
    } while (0)

#endif
