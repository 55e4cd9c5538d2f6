/* Decompressing what is read. */
#ifndef FURROW_IO_DECOMPRESS_H
#define FURROW_IO_DECOMPRESS_H

#include "stage.h"

/* If what *top has is compressed, puts the stage that decompresses it on top. FUR_UNSUPPORTED if
 * this build lacks the library for it. */
fur_status fur_decompress(fur_stage **top, fur_failure *failure);

/* The stages: each has the decompressed bytes of the one below, which it takes over if it is made.
 * FUR_MALFORMED where the data is damaged or ends too early. */
fur_status fur_decompress_gzip(fur_stage *below, fur_failure *failure, fur_stage **out);
fur_status fur_decompress_zstd(fur_stage *below, fur_failure *failure, fur_stage **out);

/* FUR_MALFORMED: the compressed bytes of `stage` end where more are expected. */
fur_status fur_decompress_truncated(const fur_stage *stage, fur_failure *failure);

/* FUR_MALFORMED: the compressed bytes of `stage` are wrong shortly before the next one; `what` was
 * found there. */
fur_status fur_decompress_damaged(const fur_stage *stage, const char *what, fur_failure *failure);

#endif
