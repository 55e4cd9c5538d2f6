/* Matrices made on the spot, by name: "7-point:128", "27-point:100", "random:1000000x16",
 * "rmat:20". */
#ifndef FURROW_TOOLS_GENERATE_H
#define FURROW_TOOLS_GENERATE_H

#include <furrow/csr.h>

#include <stdbool.h>

/* Whether name has the form of a generated matrix rather than of a file. */
bool generate_knows(const char *name);

/* The f64 matrix of that name:
 *   5-point:N, 7-point:N, 9-point:N, 27-point:N   Laplacian on a grid of N points an axis, zero
 * outside random:RxK    R rows with K entries each, columns uniformly random rmat:S        2^S
 * rows, 16 entries a row before duplicates are summed, by the recursive model of Chakrabarti, Zhan,
 * Faloutsos 2004 with (.57 .19 .19 .05) The random ones always come out the same. */
fur_status generate_matrix(fur_context *context, const char *name, fur_csr **out);

#endif
