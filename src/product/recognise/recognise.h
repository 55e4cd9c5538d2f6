/* A stencil that was found in an assembled matrix. There are a guess from a few rows, its proof
 * over all rows, the rows that differ, and the update for new values of the matrix. */
#ifndef FURROW_RECOGNISE_RECOGNISE_H
#define FURROW_RECOGNISE_RECOGNISE_H

#include <furrow/author/recognised.h>
#include <furrow/stencil.h>

#include "spmv.h"
#include "stencil.h"

/* At most one row in FUR_FEW may differ. */
#define FUR_FEW 8

/* The most rows of a sample. */
#define FUR_SAMPLE_MAX 512

/* Rows from all parts of a matrix, readable by the host. A row with more entries than a stencil can
 * have counts as empty. */
typedef struct fur_sample {
    int count;
    int64_t row[FUR_SAMPLE_MAX];   /* row numbers, rising */
    int64_t begin[FUR_SAMPLE_MAX]; /* beginning of each row's entries in the next two */
    int length[FUR_SAMPLE_MAX];
    const int32_t *columns; /* arrays of the matrix, of its copy, or in `fetched` */
    const void *values;
    void *fetched; /* fetched from a device that can extract rows */
    fur_csr *copy; /* copy of the matrix, if the device cannot */
} fur_sample;

/* A stencil that a matrix may be. */
typedef struct fur_guess {
    int axes;
    fur_stencil_view s; /* over the arrays below; if coefficients is NULL, they vary */
    fur_stencil_offset offsets[FUR_STENCIL_POINTS];
    /* of any value type */
    _Alignas(double) char coefficients[FUR_STENCIL_POINTS * 2 * sizeof(double)];
} fur_guess;

struct fur_recognised {
    fur_context *context;
    fur_stencil *stencil;
    int field_count; /* number of the stencil's fields; 0: coefficients are constant */
    fur_vector **fields;
    fur_csr *rows;           /* the rows that differ */
    int32_t *numbers;        /* their numbers, where the context's kernels work */
    fur_spmv *plan;          /* plan of their product */
    fur_vector *y;           /* result of their product */
    const fur_csr *a;        /* the matrix in which it was found, while it exists */
    void *constants;         /* constant coefficients, or NULL: new values are written here */
    fur_dependent dependent; /* on the matrix */
};

/* Registers r as made from its matrix, and its stencil as made from r. */
void fur_recognised_follow(fur_recognised *r);

/* The rows that differ from s, if there are at most `most`, as in fur_remote.stencil.prove. If s
 * has no coefficients, r's fields get the values of the other rows. */
fur_status fur_recognised_compare(const fur_recognised *r, const fur_stencil_view *s, int64_t most,
                                  int32_t **numbers, int64_t *count);

/* Sets the reason why there is no stencil. Returns false, which the caller can return. */
bool fur_recognise_refuse(fur_recognise_report *report, const char *format, ...) FUR_PRINTF(2, 3);

/* Takes one row of each of `count` parts of the matrix, or all rows if there are fewer. The sample
 * must be released in the matrix's context. */
fur_status fur_sample_take(const fur_csr *a, int count, fur_sample *out);
void fur_sample_release(fur_context *context, fur_sample *s);

/* *found = whether the matrix seems to be a stencil, judging from some rows. It is then in *out,
 * otherwise the reason is in *report. */
fur_status fur_recognise_guess(const fur_csr *a, fur_guess *out, fur_recognise_report *report,
                               bool *found);

/* Sets each coefficient to the value that more than half of the sampled rows with the stencil's
 * columns share, in the value type. A coefficient that has no such majority is unchanged. */
fur_status fur_recognise_constants(const fur_csr *a, const fur_stencil_view *s, void *coefficients);

/* fur_remote.stencil.prove on the host. */
fur_status fur_recognise_prove(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                               int64_t most, int32_t **numbers, int64_t *count);

#endif
