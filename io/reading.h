/* What is being read and how: the same for all threads. */
#ifndef FURROW_IO_READING_H
#define FURROW_IO_READING_H

#include "banner.h"

typedef struct fur_reading {
    const char *name; /* of the file, for sentences */
    fur_banner banner;
    fur_value_type value_type; /* what the entries are read as */
    fur_mtx_read_options options;
    int indices;     /* on a line: 2, of a vector 1, in an array 0 */
    int numbers;     /* 1, complex 2, pattern 0 */
    const char *isa; /* as fur_context_isa of the host names it */
} fur_reading;

static inline bool fur_reading_is_single(const fur_reading *reading)
{
    return reading->value_type == FUR_F32 || reading->value_type == FUR_C64;
}

static inline bool fur_reading_is_complex(const fur_reading *reading)
{
    return reading->value_type == FUR_C64 || reading->value_type == FUR_C128;
}

#endif
