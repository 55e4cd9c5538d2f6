/* What reading a file may cost: one rule for text, packed text and binary files. */
#ifndef FURROW_IO_LIMIT_H
#define FURROW_IO_LIMIT_H

#include "failure.h"

#include <furrow/mtx.h>

/* FUR_INVALID if one of the limits is none. */
fur_status fur_limits_check(fur_context *context, const fur_read_limits *limits);

/* FUR_OVERFLOW if a file of that many bytes may not hold what its header says, with a sentence
 * about it; of a file whose size is not known yet, -1, only if no size would do. */
fur_status fur_limits_check_header(const fur_read_limits *limits, const fur_mtx_header *header,
                                   int64_t bytes, fur_failure *failure);

/* FUR_OVERFLOW if a file of so many bytes may not become `unpacked` ones. */
fur_status fur_limits_check_unpacked(const fur_read_limits *limits, int64_t unpacked, int64_t bytes,
                                     const char *name, fur_failure *failure);

#endif
