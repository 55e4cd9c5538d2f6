/* Classical coarsening: some rows of a level are the rows of the next level, and the others are
 * interpolated from them. Everything is on the host, with real values. */
#ifndef FURROW_AMG_CLASSICAL_DATA_H
#define FURROW_AMG_CLASSICAL_DATA_H

#include "hierarchy.h"

/* Largest number of entries of a row of P. */
#define FUR_AMG_INTERPOLATED 4

typedef struct fur_amg_second fur_amg_second;

/* Data of a step that new values need. */
struct fur_amg_classical {
    fur_amg_graph strong; /* the rows that a row depends on */
    int32_t *coarse;      /* number of each row on the next level; -1: none */
    int64_t count;        /* rows of the next level */
    int lanes;            /* number of threads with separate work arrays: */
    int64_t longest;      /* largest number of rows that a row is interpolated from */
    int32_t *place;       /* for each lane and row: -1, except while a row is interpolated */
    int32_t *column;      /* `longest` for each lane */
    double *weight;
    fur_amg_second *second; /* NULL: not aggressive */
};

/* The second stage of an aggressive step. All objects are in the host's context. */
struct fur_amg_second {
    fur_csr *first;          /* P of the first stage, to the rows that are coarse in it */
    fur_csr *rows;           /* these rows of A */
    fur_spgemm *times;       /* rows times first */
    fur_csr *between;        /* the product B, for the level between */
    fur_amg_classical stage; /* stage of the level between */
    fur_csr *p;              /* P of the level between */
    fur_spgemm *join;        /* first times p */
    fur_csr *joined;         /* the product; P keeps its largest entries */
};

/* Rows that a row is interpolated from, each once, with their weights. */
typedef struct fur_amg_list {
    int64_t count;
    int32_t *column;
    double *weight;
} fur_amg_list;

/* Sets value k of a matrix with real values. */
void fur_amg_set(fur_csr *p, int64_t k, double value);

/* Writes row i of P from a list. It takes the largest weights, or the weights of P's planned
 * columns. A factor makes their sum the sum of all weights. `number` has the column in P of each
 * row of the list. NULL: the list has columns. */
void fur_amg_write_row(const fur_amg_list *l, const int32_t *number, bool is_planned, int64_t i,
                       fur_csr *p);

/* Returns value k of a matrix with real values. */
static inline double fur_amg_number(const fur_csr_view *a, int64_t k)
{
    return a->value_type == FUR_F64 ? ((const double *)a->values)[k]
                                    : (double)((const float *)a->values)[k];
}

/* Returns A(i, i), or 0 if it is not stored. */
static inline double fur_amg_diagonal(const fur_csr_view *a, int64_t i)
{
    int64_t k = fur_csr_find(a, i, i);
    return k < fur_offset_at(a, i + 1) && a->columns[k] == i ? fur_amg_number(a, k) : 0;
}

/* Finds the dependences: -a_ij >= theta max_k -a_ik, for a_ii > 0. */
fur_status fur_amg_find_dependences(fur_env *env, const fur_csr_view *a, double theta,
                                    fur_amg_graph *graph);

/* Chooses the rows of the next level. */
fur_status fur_amg_split(fur_env *env, fur_amg_classical *out);

/* Makes P of A, and fills its values for new values of A. The second function has the type for
 * fur_csr_on_host. */
fur_status fur_amg_plan_interpolation(fur_env *env, const fur_csr_view *a, fur_amg_classical *c);
fur_status fur_amg_interpolate(const fur_csr *a, const fur_amg_classical *c, fur_csr **out);
void fur_amg_interpolate_again(const fur_csr *a, const void *classical, fur_csr *to);

/* Makes one stage: the coarse rows of A, and P. */
fur_status fur_amg_take_stage(const fur_csr *a, double theta, fur_amg_classical *c, fur_csr **out);
void fur_amg_release_stage(fur_env *env, fur_amg_classical *c);
int64_t fur_amg_stage_bytes(const fur_amg_classical *c);

/* Makes the second stage after a first stage, and replaces P. It makes none if the level between
 * has no coarse row. The other function fills P for new values, with the type for
 * fur_csr_fill_on_host. */
fur_status fur_amg_take_second(const fur_csr *a, double theta, fur_amg_classical *c, fur_csr **p);
void fur_amg_second_again(const fur_csr *a, const void *classical, fur_csr *to);
void fur_amg_release_second(fur_env *env, fur_amg_second *second);
int64_t fur_amg_second_bytes(const fur_amg_second *second);

#endif
