/* Two colours for the rows of a matrix: true of 5- and 7-point matrices, lines and trees, in any
 * numbering. */
#ifndef FURROW_SOLVER_COLOURS_H
#define FURROW_SOLVER_COLOURS_H

#include "kernel.h"

/* The colours of a square pattern that the host reaches. Of a connected part red is the colour of
 * fewer rows, or that of its first row. There are none if a cycle has an odd length, if a row has
 * no entry on the diagonal, or two, without a red row, and unless red and black rows have as many
 * entries off the diagonal. Only entries left of the diagonal are looked at: if the pattern is not
 * symmetric, others may still join two rows of one colour. Takes the time of one or two products.
 */
fur_status fur_colours_find(fur_env *env, const fur_csr_view *a, fur_colours *c);

/* The blocks of a pattern with such colours: fur_colour_services has the contract. */
fur_status fur_colours_split(fur_env *env, const fur_csr_view *a, const fur_colours *c,
                             const fur_colour_blocks *out, bool *clean);

#endif
