/* Two colours for the rows of a matrix. They exist for 5- and 7-point matrices, lines and trees, in
 * any numbering. */
#ifndef FURROW_SOLVER_COLOURS_H
#define FURROW_SOLVER_COLOURS_H

#include "kernel.h"

/* The colours of a square pattern that the host can read. In each connected part, the colour with
 * fewer rows is red. If both have equally many rows, the colour of the first row is red.
 *
 * Colours exist only if all cycles have even length, each row has exactly one entry on the
 * diagonal, and some row is red. Red and black rows must also have equally many entries off the
 * diagonal. Only entries left of the diagonal are read. If the pattern is not symmetric, other
 * entries may still join two rows of one colour. Takes the time of one or two products. */
fur_status fur_colours_find(fur_env *env, const fur_csr_view *a, fur_colours *c);

/* The blocks of a pattern with such colours, as described at fur_colour_services. */
fur_status fur_colours_split(fur_env *env, const fur_csr_view *a, const fur_colours *c,
                             const fur_colour_blocks *out, bool *clean);

#endif
