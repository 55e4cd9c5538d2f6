/* A matrix of all ranks: the rows of this rank in two parts, and the halo between ranks. */
#ifndef FURROW_RANKS_MATRIX_H
#define FURROW_RANKS_MATRIX_H

#include "space.h"

#include <furrow/spmv.h>

/* Rows of this rank that become a matrix. Columns are numbered in the whole matrix, with 64 or 32
 * bits. */
typedef struct local_rows {
    int64_t rows;
    int64_t cols; /* of the whole matrix */
    fur_value_type value;
    const int64_t *offsets;
    const int64_t *wide;   /* columns in 64 bits; NULL: */
    const int32_t *narrow; /* columns in 32 bits */
    const void *values;
    /* bounds of x by rank, copied; NULL: the rows of a square matrix, otherwise even */
    const int64_t *column_bounds;
    /* Leading columns: the first `lead` entries of this rank's part of x. No other rank has matrix
     * entries in these columns. In a row, such an entry comes before all others. 0 on a GPU. */
    int64_t lead;
} local_rows;

static inline int64_t column_of(const local_rows *r, int64_t k)
{
    return r->wide ? r->wide[k] : r->narrow[k];
}

/* Returns where a row's entries begin. */
static inline int64_t view_offset(const fur_csr_view *a, int64_t row)
{
    return a->offset_type == FUR_I32 ? ((const int32_t *)a->offsets)[row]
                                     : ((const int64_t *)a->offsets)[row];
}

/* Entries of x that are exchanged between this rank and another. */
typedef struct neighbour {
    int rank;
    int64_t count;
    int64_t at; /* where they begin: received entries in the boundary's x, sent entries in `give` */
} neighbour;

/* x of the boundary rows: the columns with entries there, in the order of a row. The order is:
 * leading columns of this rank, columns of lower ranks, of this rank, and of higher ranks. */
typedef struct halo {
    int64_t columns; /* of the boundary */
    int64_t lead;    /* number of leading columns among them */
    int64_t *column; /* their numbers in the whole matrix */
    int64_t own_at;  /* this rank's first other column; own_count: their number */
    int64_t own_count;
    neighbour *sources; /* ranks that send to this rank */
    int source_count;
    neighbour *targets; /* ranks that receive from this rank */
    int target_count;
    int64_t give_count;
    int64_t *give; /* own entries to send, ordered by target */
    void *packed;  /* values of these entries */
} halo;

struct fur_ranks_csr {
    space space;        /* of y */
    space domain_space; /* of x, if its bounds differ from those of y */
    fur_ranks *group;
    fur_context *context;   /* of y */
    fur_context *domain;    /* of x; usually the context of y */
    int64_t *bounds;        /* of rows */
    int64_t *column_bounds; /* of columns; equal to `bounds` if they are the same */
    fur_csr *inner;         /* rows inner_first .. inner_end-1; boundary rows are empty here */
    fur_csr *outer;         /* the boundary's rows and columns */
    fur_spmv *inner_plan;
    fur_spmv *outer_plan;
    int64_t inner_first;
    int64_t inner_end;
    bool ends_only; /* no boundary row is within the inner range */
    int64_t boundary_rows;
    int64_t *boundary; /* the boundary rows */
    halo halo;
    fur_vector *outer_x;
    fur_vector *outer_y;
    fur_vector *diagonal; /* of a square matrix */
    double factor;        /* y = factor A x; 1 on a GPU */
    fur_operator *operator;
    struct device_part *part; /* of the halo on a GPU */
    fur_ranks_report report;
};

/* Makes a matrix from the rows of all ranks. Collective, but ends without an agreement. bounds: of
 * rows, copied. On failure, *out is NULL. */
fur_status matrix_build(fur_ranks *g, const local_rows *rows, const int64_t *bounds,
                        fur_ranks_csr **out);

/* Makes the two parts and lists the columns of the boundary (matrix_split.c). */
fur_status matrix_split(fur_ranks_csr *m, const local_rows *rows);

/* Plans the exchange between ranks (halo.c). */
fur_status halo_plan(fur_ranks_csr *m, size_t value_size);
/* Fills `outer` with the entries of x at the halo's columns, in order, of `size` bytes each. All
 * arrays are in host memory. packed: workspace for the entries that other ranks need. */
fur_status halo_exchange(fur_ranks_csr *m, size_t size, const void *x, void *packed, void *outer);
/* Waits for a message of the halo, and counts the time. */
fur_status halo_receive(fur_ranks_csr *m, int from, void *data, size_t bytes);
void halo_release(fur_ranks_csr *m);

/* y = A x for x of any context on the host, which is lent to the context of y. */
fur_status matrix_multiply_lent(fur_ranks_csr *m, const fur_vector *x, fur_vector *y);

/* Finds two colours of all ranks' rows, as in furrow/author/operator.h (two_colours.c). user: the
 * matrix. Collective. */
fur_status matrix_two_colours(void *user, const fur_vector *inverse, fur_two_colours *out,
                              int *found);

/* Checks the caller's bounds. FUR_INVALID for a partition that does not fit. */
fur_status matrix_check_bounds(fur_ranks *g, const int64_t *bounds, int64_t rows);

/* Ends a collective function that makes a matrix. Returns it in *out if all ranks succeeded, and
 * otherwise destroys it. */
fur_status matrix_finish(fur_ranks *g, fur_status status, fur_ranks_csr *made, fur_ranks_csr **out);

/* As fur_ranks_csr_scatter, without the agreement. */
fur_status matrix_scatter(fur_ranks *g, const fur_csr *a, const int64_t *bounds,
                          fur_ranks_csr **out);

#endif
