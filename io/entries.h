/* The entries of a file as a coordinate list. */
#ifndef FURROW_IO_ENTRIES_H
#define FURROW_IO_ENTRIES_H

#include "banner.h"

typedef struct fur_entries {
    fur_context *context;
    fur_value value;
    int64_t in_file; /* those that stand in the file; they come first, in its order */
    int64_t count;   /* with those that follow from symmetry */
    int64_t capacity;
    int32_t *rows; /* positions count from 0 */
    int32_t *cols;
    void *values;
    fur_scan start; /* where the first of them is looked for */
} fur_entries;

/* Reads all entries below the size line, up to the end of the file; pattern entries are 1.
 * Positions are those of the file. With `mirrored`, there is room for a second entry for each. On
 * failure nothing is left to release. */
fur_status fur_entries_read(fur_scan *scan, const fur_banner *banner, fur_value value,
                            bool mirrored, fur_entries *out);

void fur_entries_release(fur_entries *entries);

/* The cursor at entry k of a coordinate file. */
fur_scan fur_entries_place(const fur_entries *entries, int64_t k);

#endif
