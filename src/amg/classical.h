/* Classical coarsening: some rows of a level are the next level's, and the others are interpolated
 * from them. All of it is of the host, on matrices with real values. */
#ifndef FURROW_AMG_CLASSICAL_H
#define FURROW_AMG_CLASSICAL_H

#include "hierarchy.h"

/* Entries of a row of P at most. */
#define FUR_AMG_INTERPOLATED 4

/* What is kept of a step for new values. */
struct fur_amg_classical {
    fur_amg_graph strong; /* the rows that a row depends on */
    int32_t *coarse;      /* of each row its number on the next level, -1: none */
    int64_t count;        /* rows of the next level */
    int lanes;            /* threads that have room of their own: */
    int64_t longest;      /* the most rows that one is interpolated from */
    int32_t *place;       /* for each lane and row: -1, but for the row that is worked on */
    int32_t *column;      /* `longest` for each lane */
    double *weight;
};

/* Entry k of a matrix with real values. */
static inline double fur_amg_number(const fur_csr_view *a, int64_t k)
{
    return a->value_type == FUR_F64 ? ((const double *)a->values)[k]
                                    : (double)((const float *)a->values)[k];
}

/* A(i, i), 0 where it is not stored. */
static inline double fur_amg_diagonal(const fur_csr_view *a, int64_t i)
{
    int64_t k = fur_csr_find(a, i, i);
    return k < fur_offset_at(a, i + 1) && a->columns[k] == i ? fur_amg_number(a, k) : 0;
}

/* The dependences: -a_ij >= theta max_k -a_ik, for a_ii > 0. */
fur_status fur_amg_find_dependences(fur_env *env, const fur_csr_view *a, double theta,
                                    fur_amg_graph *graph);

/* Which rows are the next level's. */
fur_status fur_amg_split(fur_env *env, fur_amg_classical *out);

/* P of A, and its values for new ones of A. The latter has the types of fur_csr_on_host. */
fur_status fur_amg_plan_interpolation(fur_env *env, const fur_csr_view *a, fur_amg_classical *c);
fur_status fur_amg_interpolate(const fur_csr *a, const fur_amg_classical *c, fur_csr **out);
void fur_amg_interpolate_again(const fur_csr *a, const void *classical, fur_csr *to);

#endif
