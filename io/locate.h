/* Finding two entries of a file again, for a sentence that names their lines. */
#ifndef FURROW_IO_LOCATE_H
#define FURROW_IO_LOCATE_H

#include "input.h"
#include "order.h"
#include "reading.h"

/* Sets the failure that says which two entries of the file are in conflict. The input is read again
 * from its beginning; where that cannot be done, the sentence does without lines. */
fur_status fur_locate_conflict(fur_heap *heap, const fur_input_request *request,
                               const fur_reading *reading, const fur_conflict *conflict,
                               fur_failure *failure);

#endif
