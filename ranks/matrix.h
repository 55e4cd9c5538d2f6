/* A matrix of all ranks: the rows of this one in two parts, and the halo between ranks. */
#ifndef FURROW_RANKS_MATRIX_H
#define FURROW_RANKS_MATRIX_H

#include "space.h"

#include <furrow/spmv.h>

/* Rows of this rank on their way to becoming a matrix: columns are of the whole one, in one of two
 * widths. */
typedef struct local_rows {
    int64_t rows;
    int64_t cols; /* of the whole matrix */
    fur_value_type value;
    const int64_t *offsets;
    const int64_t *wide;   /* columns; NULL: */
    const int32_t *narrow; /* these */
    const void *values;
    /* entries of x of each rank, copied; NULL: the rows of a square matrix, else even */
    const int64_t *column_bounds;
    /* Leading columns: the first `lead` entries of this rank's part of x. No other rank has entries
     * in these columns. In a row such an entry comes before all others. 0 on a GPU. */
    int64_t lead;
} local_rows;

static inline int64_t column_of(const local_rows *r, int64_t k)
{
    return r->wide ? r->wide[k] : r->narrow[k];
}

/* Where a row's entries begin. */
static inline int64_t view_offset(const fur_csr_view *a, int64_t row)
{
    return a->offset_type == FUR_I32 ? ((const int32_t *)a->offsets)[row]
                                     : ((const int64_t *)a->offsets)[row];
}

/* Entries of x that pass between this rank and another. */
typedef struct neighbour {
    int rank;
    int64_t count;
    int64_t at; /* where they begin: received ones in the boundary's x, sent ones in `give` */
} neighbour;

/* x of the boundary rows: the columns that have entries there, in the order of a row. So these are
 * leading ones of this rank, those of lower ranks, of this one and of higher ranks. */
typedef struct halo {
    int64_t columns; /* of the boundary */
    int64_t lead;    /* leading ones among them */
    int64_t *column; /* their numbers in the whole matrix */
    int64_t own_at;  /* the first of this rank's other ones, and how many they are */
    int64_t own_count;
    neighbour *sources; /* ranks that send to this one */
    int source_count;
    neighbour *targets; /* ranks to which this one sends */
    int target_count;
    int64_t give_count;
    int64_t *give; /* own entries to send, of all targets one after the other */
    void *packed;  /* their values */
} halo;

struct fur_ranks_csr {
    space space;        /* of y */
    space domain_space; /* of x, where its bounds are other ones */
    fur_ranks *group;
    fur_context *context;   /* of y */
    fur_context *domain;    /* of x: mostly that of y */
    int64_t *bounds;        /* of rows */
    int64_t *column_bounds; /* of columns; `bounds` itself where they are the same */
    fur_csr *inner; /* rows inner_first .. inner_end-1; those of the boundary are empty here */
    fur_csr *outer; /* the boundary's rows and columns */
    fur_spmv *inner_plan;
    fur_spmv *outer_plan;
    int64_t inner_first;
    int64_t inner_end;
    bool ends_only; /* no row of the boundary is among them */
    int64_t boundary_rows;
    int64_t *boundary; /* their numbers */
    halo halo;
    fur_vector *outer_x;
    fur_vector *outer_y;
    fur_vector *diagonal; /* of a square matrix */
    double factor;        /* y = factor A x; 1 on a GPU */
    fur_operator *operator;
    struct device_part *part; /* of the halo on a GPU */
    fur_ranks_report report;
};

/* The matrix of the rows of all ranks; collective, but ends without an agreement. bounds: of rows,
 * copied. On failure *out is NULL. */
fur_status matrix_build(fur_ranks *g, const local_rows *rows, const int64_t *bounds,
                        fur_ranks_csr **out);

/* The two parts and the columns of the boundary (matrix_split.c). */
fur_status matrix_split(fur_ranks_csr *m, const local_rows *rows);

/* Who sends what to whom (halo.c). */
fur_status halo_plan(fur_ranks_csr *m, size_t value_size);
/* outer = the entries of x at the halo's columns, in their order, of `size` bytes each. All are in
 * the host's memory. packed: room for those that other ranks need. */
fur_status halo_exchange(fur_ranks_csr *m, size_t size, const void *x, void *packed, void *outer);
/* Waits for a message of the halo, and counts the seconds. */
fur_status halo_receive(fur_ranks_csr *m, int from, void *data, size_t bytes);
void halo_release(fur_ranks_csr *m);

/* y = A x for x of any context of the host, which is lent to that of y. */
fur_status matrix_multiply_lent(fur_ranks_csr *m, const fur_vector *x, fur_vector *y);

/* Two colours of all ranks' rows, as in furrow/author/operator.h: user is the matrix
 * (two_colours.c). Collective. */
fur_status matrix_two_colours(void *user, const fur_vector *inverse, fur_two_colours *out,
                              int *found);

/* Checks bounds of the caller's; FUR_INVALID for a partition that does not fit. */
fur_status matrix_check_bounds(fur_ranks *g, const int64_t *bounds, int64_t rows);

/* Ends a collective function that makes a matrix: hands it out if all ranks have it, else destroys
 * it. */
fur_status matrix_finish(fur_ranks *g, fur_status status, fur_ranks_csr *made, fur_ranks_csr **out);

/* fur_ranks_csr_scatter without the agreement. */
fur_status matrix_scatter(fur_ranks *g, const fur_csr *a, const int64_t *bounds,
                          fur_ranks_csr **out);

#endif
