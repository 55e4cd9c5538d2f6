/* Files that are something else than Matrix Market text. */
#ifndef FURROW_IO_FOREIGN_H
#define FURROW_IO_FOREIGN_H

#include "scan.h"

/* FUR_MALFORMED with what the text is and what to do about it, if its first bytes tell: compressed
 * data, UTF-16, a web page, lines that end with CR only, NUL bytes; or nothing at all. */
fur_status fur_foreign_refuse(const fur_scan *scan);

#endif
