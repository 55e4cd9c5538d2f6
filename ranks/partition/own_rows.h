/* The rows of this rank, out of the two parts of its matrix, on the host. */
#ifndef FURROW_RANKS_OWN_ROWS_H
#define FURROW_RANKS_OWN_ROWS_H

#include "matrix.h"

typedef struct own_rows {
    const fur_ranks_csr *m;
    fur_csr *copies[2]; /* of a matrix elsewhere */
    const fur_csr_view *inner;
    const fur_csr_view *outer;
    int64_t begin; /* of the rows in the whole matrix */
    int64_t count;
    int64_t *place; /* in outer, of each row; -1: it is inner */
} own_rows;

/* Needs own_rows_close even after a failure. */
fur_status own_rows_open(const fur_ranks_csr *m, own_rows *r);
void own_rows_close(own_rows *r);

/* The part that has row 0 .. count-1, and where its entries begin and end there. */
const fur_csr_view *own_rows_find(const own_rows *r, int64_t row, int64_t *first, int64_t *end);

/* The column of the whole matrix that entry k of a part has. */
static inline int64_t own_rows_column(const own_rows *r, const fur_csr_view *part, int64_t k)
{
    return part == r->inner ? part->columns[k] + r->m->column_bounds[r->m->group->rank]
                            : r->m->halo.column[part->columns[k]];
}

#endif
