/* A stencil found in an assembled matrix: a guess from a few rows, its proof over all, the rows
 * that differ, and how what was found follows the matrix to new values. */
#ifndef FURROW_RECOGNISE_RECOGNISE_H
#define FURROW_RECOGNISE_RECOGNISE_H

#include <furrow/recognise.h>

#include "spmv.h"
#include "stencil.h"

/* At most one row in FUR_FEW may differ. */
#define FUR_FEW 8

/* Rows of a sample at most. */
#define FUR_SAMPLE_MOST 512

/* Rows from all over a matrix, where the host reads them. One of more entries than a stencil can
 * have counts as empty. */
typedef struct fur_sample {
    int count;
    int64_t row[FUR_SAMPLE_MOST];   /* their numbers, which rise */
    int64_t begin[FUR_SAMPLE_MOST]; /* of their entries in the next two */
    int length[FUR_SAMPLE_MOST];
    const int32_t *columns; /* the matrix's own, its copy's, or in `fetched` */
    const void *values;
    void *fetched; /* from a device that can take some rows of its own */
    fur_csr *copy; /* of the matrix on one that cannot */
} fur_sample;

/* A stencil that a matrix may be. */
typedef struct fur_guess {
    int axes;
    fur_stencil_view s; /* over the arrays below; without coefficients they vary */
    fur_stencil_offset offsets[FUR_STENCIL_POINTS];
    _Alignas(double) char coefficients[FUR_STENCIL_POINTS * 2 * sizeof(double)]; /* of any type */
} fur_guess;

struct fur_recognised {
    fur_context *context;
    fur_stencil *stencil;
    int field_count; /* of the stencil; 0: its coefficients are constants */
    fur_vector **fields;
    fur_csr *rows;    /* that differ */
    int32_t *numbers; /* of them, where the context's kernels work */
    fur_spmv *plan;   /* of their product */
    fur_vector *y;    /* its result */
    const fur_csr *a; /* that it was found in, as long as that lives */
    void *constants;  /* the coefficients, if they are constants: new ones reach the stencil here */
    fur_dependent dependent; /* on the matrix */
};

/* Lists r as made from its matrix, and its stencil as made from r. */
void fur_recognised_follow(fur_recognised *r);

/* The rows that differ from s, if they are not more than `most`, as fur_remote.stencil.prove has
 * them. Where s has no coefficients, r's fields get the values of the others. */
fur_status fur_recognised_compare(const fur_recognised *r, const fur_stencil_view *s, int64_t most,
                                  int32_t **numbers, int64_t *count);

/* Sets the reason why there is no stencil; false, for the caller to return. */
bool fur_recognise_refuse(fur_recognise_report *report, const char *format, ...) FUR_PRINTF(2, 3);

/* One row of each of `count` parts of the matrix; all rows if there are no more. To be released in
 * the matrix's context. */
fur_status fur_sample_take(const fur_csr *a, int count, fur_sample *out);
void fur_sample_release(fur_context *context, fur_sample *s);

/* *found = whether the matrix, judged by some rows, is a stencil, which is then in *out, else the
 * reason in *report. */
fur_status fur_recognise_guess(const fur_csr *a, fur_guess *out, fur_recognise_report *report,
                               bool *found);

/* The coefficients that more than half of the sampled rows with the stencil's columns share, in the
 * value type; a coefficient without such a majority stays as it is. */
fur_status fur_recognise_constants(const fur_csr *a, const fur_stencil_view *s, void *coefficients);

/* fur_remote.stencil.prove on the host. */
fur_status fur_recognise_prove(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                               int64_t most, int32_t **numbers, int64_t *count);

#endif
