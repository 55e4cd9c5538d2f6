/* Finding two entries of a file at one position, for sentences that name their lines. */
#ifndef FURROW_IO_REPEAT_H
#define FURROW_IO_REPEAT_H

#include "entries.h"

typedef enum fur_repeat_kind {
    FUR_REPEAT_SAME,    /* the same row and column */
    FUR_REPEAT_MIRRORED /* row and column exchanged */
} fur_repeat_kind;

/* Numbers of two entries, first < second; both -1 if there are none. */
typedef struct fur_repeat {
    int64_t first;
    int64_t second;
} fur_repeat;

/* Looks among the entries that stand in the file. Costs as much memory and time as making a matrix
 * of them. */
fur_status fur_repeat_find(const fur_entries *entries, fur_repeat_kind kind, fur_repeat *out);

#endif
