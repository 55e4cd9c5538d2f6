/* A row of a stencil's matrix, by its point. */
#ifndef FURROW_CORE_STENCIL_ROW_H
#define FURROW_CORE_STENCIL_ROW_H

#include "stencil.h"

/* A term of a row: c_k(p) in a column. */
typedef struct fur_stencil_term {
    int64_t column;
    int k;
} fur_stencil_term;

/* Whether all neighbours of point p are inside: its row then has a term for each offset, in their
 * order. */
bool fur_stencil_is_inner(const fur_stencil_view *s, int64_t p);

/* The terms of row p of a stencil, by column and then in the order of the offsets: at boundaries
 * several may have the same column. Returns how many there are. */
int fur_stencil_row(const fur_stencil_view *s, int64_t p,
                    fur_stencil_term terms[FUR_STENCIL_POINTS]);

#endif
