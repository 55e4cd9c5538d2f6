/* Files of other formats. */
#ifndef FURROW_IO_FOREIGN_H
#define FURROW_IO_FOREIGN_H

#include "cursor.h"

/* Returns FUR_MALFORMED if the text is empty, or if its first bytes belong to another format. The
 * message names the format and what to do. */
fur_status fur_foreign_refuse(const fur_cursor *cursor);

#endif
