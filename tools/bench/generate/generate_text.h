/* Matrix Market files made on the spot: "real", "pattern:100000", "integer:60". */
#ifndef FURROW_TOOLS_GENERATE_TEXT_H
#define FURROW_TOOLS_GENERATE_TEXT_H

#include <furrow/context.h>

#include <stdbool.h>

/* Whether name has the form of a generated file. */
bool generate_text_knows(const char *name);

/* Writes the file of that name to path:
 *
 *   real:N      7-point stencil on a grid of N points an axis, random values with 17 significant
 *               digits; N = 110 if not given: 9.2 million entries, 324 MB
 *   integer:N   the same with 6 on the diagonal and -1 beside it; N = 140: 19 million, 345 MB
 *   pattern:R   R rows with 16 random columns each; R = 1000000: 219 MB
 *
 * They always come out the same. FUR_INVALID for another size or name, FUR_IO_ERROR. */
fur_status generate_text(fur_context *context, const char *name, const char *path);

#endif
