/* Two colours for the rows of a matrix: no entry off the diagonal joins two rows of one colour.
 * True of 5- and 7-point matrices, lines and trees, in any numbering. */
#ifndef FURROW_SOLVER_COLOURS_H
#define FURROW_SOLVER_COLOURS_H

#include "kernel.h"

/* The order that lists red rows before black ones, both as they were. */
typedef struct fur_colours {
    int64_t red;       /* rows of that colour, at most half of all */
    int32_t *order;    /* to be released; NULL, as the next, where there are no two colours */
    int32_t *position; /* its inverse */
} fur_colours;

/* The colours of a square pattern that the host reaches. Of a connected part with two classes, red
 * are the rows of the smaller one, or that of its first row. There are none if the graph has a
 * cycle of odd length, if a row has no entry on the diagonal, or two, and without a red row. Only
 * entries left of the diagonal are looked at: if the pattern is not symmetric, those right of it
 * may still join two rows of one colour. Takes the time of a few products. */
fur_status fur_colours_find(fur_env *env, const fur_csr_view *a, fur_colours *out);
void fur_colours_release(fur_env *env, fur_colours *colours);

#endif
