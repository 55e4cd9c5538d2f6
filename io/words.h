/* The words of a banner, in any case of letters. */
#ifndef FURROW_IO_WORDS_H
#define FURROW_IO_WORDS_H

#include <furrow/mtx.h>

#include "scan.h"

/* False if the token is not such a word. "double" is real, "unsigned-integer" is integer. */
bool fur_words_format(fur_token token, fur_mtx_format *out);
bool fur_words_field(fur_token token, fur_mtx_field *out);
bool fur_words_symmetry(fur_token token, fur_mtx_symmetry *out);

#endif
