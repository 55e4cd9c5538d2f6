/* Generates matrices by name: "7-point:128", "27-point:100", "random:1000000x16", "rmat:20". */
#ifndef FURROW_TOOLS_GENERATE_H
#define FURROW_TOOLS_GENERATE_H

#include <furrow/csr.h>

#include <stdbool.h>

/* Returns whether `name` is a generated matrix rather than a file. */
bool generate_knows(const char *name);

/* Generates the f64 matrix of that name, in a context on the CPU:
 *
 *   5-point:N, 7-point:N, 9-point:N, 27-point:N
 *                Laplacian on a grid of N points along each axis, zero outside
 *   nodes3:N     three unknowns a point of 27-point:N: the Kronecker product with the 3 x 3 matrix
 *                that has 1 on its diagonal and 1/4 elsewhere. Blocks of 3, 81 entries a row.
 *   random:RxK   R rows with K entries each, with uniformly random columns
 *   rmat:S       2^S rows, 16 entries a row before duplicates are added, by the recursive model of
 *                Chakrabarti, Zhan, Faloutsos 2004 with (.57 .19 .19 .05)
 *   power:R      R rows whose lengths follow a power law of exponent 2.1: at least k entries are
 *                drawn with probability k^-1.1, at most 32768. Columns follow the same law: column
 *                c has a density of (c + 1)^(-10/11). A column that is drawn again for the same row
 *                counts once. With 4 million rows, the mean row has 6.5 entries and the longest
 *                22661. One in 89 entries is in the first column, and 60 % are in the first 3 % of
 *                the columns.
 *
 * A random matrix of a given name is always the same. */
fur_status generate_matrix(fur_context *context, const char *name, fur_csr **out);

/* Matrix Market files can also be generated: "real", "pattern:100000", "integer:60". Returns
 * whether `name` is such a file. */
bool generate_text_knows(const char *name);

/* Writes the file of that name to `path`:
 *
 *   real:N      7-point stencil on a grid of N points along each axis, random values with 17
 *               significant digits. Default N = 110: 9.2 million entries, 324 MB.
 *   integer:N   as above, with 6 on the diagonal and -1 elsewhere. Default N = 140: 19 million
 *               entries, 345 MB.
 *   pattern:R   R rows with 16 random columns each. Default R = 1000000: 219 MB.
 *
 * A file of a given name is always the same. Errors: FUR_INVALID for another size or name,
 * FUR_IO_ERROR. */
fur_status generate_text(fur_context *context, const char *name, const char *path);

#endif
