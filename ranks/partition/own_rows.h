/* The rows of this rank on the host, from the two parts of its matrix. */
#ifndef FURROW_RANKS_OWN_ROWS_H
#define FURROW_RANKS_OWN_ROWS_H

#include "matrix.h"

typedef struct own_rows {
    const fur_ranks_csr *m;
    fur_csr *copies[2]; /* copies of a matrix on a device */
    const fur_csr_view *inner;
    const fur_csr_view *outer;
    int64_t begin; /* first row in the whole matrix */
    int64_t count;
    int64_t *place; /* of each row in `outer`; -1: the row is inner */
} own_rows;

/* own_rows_close is required even after a failure. */
fur_status own_rows_open(const fur_ranks_csr *m, own_rows *r);
void own_rows_close(own_rows *r);

/* Returns the part with row 0 .. count-1, and the range of its entries there. */
const fur_csr_view *own_rows_find(const own_rows *r, int64_t row, int64_t *first, int64_t *end);

/* Returns the column in the whole matrix of entry k of a part. */
static inline int64_t own_rows_column(const own_rows *r, const fur_csr_view *part, int64_t k)
{
    return part == r->inner ? part->columns[k] + r->m->column_bounds[r->m->group->rank]
                            : r->m->halo.column[part->columns[k]];
}

#endif
