/* Classical coarsening: some rows of a level are the next level's, and the others are interpolated
 * from them. All of it is of the host, on matrices with real values. */
#ifndef FURROW_AMG_CLASSICAL_H
#define FURROW_AMG_CLASSICAL_H

#include "hierarchy.h"

/* Entries of a row of P at most. */
#define FUR_AMG_INTERPOLATED 4

typedef struct fur_amg_second fur_amg_second;

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
    fur_amg_second *second; /* NULL: not aggressive */
};

/* The second stage of an aggressive step: all of the host's context. */
struct fur_amg_second {
    fur_csr *first;          /* P of the first stage, to the rows that are coarse in it */
    fur_csr *rows;           /* these rows of A */
    fur_spgemm *times;       /* rows times first */
    fur_csr *between;        /* the product: the level that is passed over */
    fur_amg_classical stage; /* of that level */
    fur_csr *p;              /* its P */
    fur_spgemm *join;        /* first times p */
    fur_csr *joined;         /* the product, of which P keeps the largest entries */
};

/* Rows that a row is interpolated from, each once, with their weights. */
typedef struct fur_amg_list {
    int64_t count;
    int32_t *column;
    double *weight;
} fur_amg_list;

/* P(k) of a matrix with real values. */
void fur_amg_set(fur_csr *p, int64_t k, double value);

/* Row i of P from a list: its largest weights, or those of the columns that P has, times a factor
 * that makes their sum that of all. number: of each row of the list its column of P; NULL: the
 * same.
 */
void fur_amg_write_row(const fur_amg_list *l, const int32_t *number, bool is_planned, int64_t i,
                       fur_csr *p);

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

/* One stage: the coarse rows of A, and P. */
fur_status fur_amg_take_stage(const fur_csr *a, double theta, fur_amg_classical *c, fur_csr **out);

/* The second stage after a first one, whose P it takes over and replaces; none if the level
 * between has no coarse row. P again for new values, with the types of fur_csr_fill_on_host. */
fur_status fur_amg_take_second(const fur_csr *a, double theta, fur_amg_classical *c, fur_csr **p);
void fur_amg_second_again(const fur_csr *a, const void *classical, fur_csr *to);
void fur_amg_release_second(fur_env *env, fur_amg_second *second);
int64_t fur_amg_second_bytes(const fur_amg_second *second);

/* Gives back what a stage keeps. */
void fur_amg_release_stage(fur_env *env, fur_amg_classical *c);

#endif
