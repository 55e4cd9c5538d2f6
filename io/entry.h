/* One entry of a file, read with care: whatever the format allows, and a sentence for the rest. */
#ifndef FURROW_IO_ENTRY_H
#define FURROW_IO_ENTRY_H

#include "number.h"
#include "reading.h"
#include "scan.h"

typedef struct fur_entry {
    int32_t row; /* from 0; of an array both are 0 */
    int32_t col;
    fur_number re; /* of a pattern 1 */
    fur_number im;
    fur_token text; /* of the value, for sentences; empty if there is none */
    bool trailing;  /* text behind the entry was passed over */
} fur_entry;

/* Reads an entry that begins at the cursor; of a coordinate file up to the end of its line. */
fur_status fur_entry_read(fur_scan *scan, const fur_reading *reading, fur_entry *out);

/* The diagonal of a skew-symmetric matrix is zero, that of a hermitian one is real: FUR_MALFORMED,
 * naming the place, if the file's symmetry forbids the value there. */
fur_status fur_entry_check_diagonal(const fur_scan *scan, const char *place,
                                    const fur_reading *reading, const fur_entry *entry);

#endif
