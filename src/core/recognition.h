/* The steps of fur_stencil_recognise: a guess from a few rows, its proof over all, the rows that
 * differ. */
#ifndef FURROW_CORE_RECOGNITION_H
#define FURROW_CORE_RECOGNITION_H

#include "object.h"

/* At most one row in so many may differ. */
#define FUR_FEW 8

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
    int32_t *numbers; /* of them */
    fur_spmv *plan;   /* of their product */
    fur_vector *y;    /* its result */
};

/* Sets the reason why there is no stencil; false, for the caller to return. */
bool fur_recognise_refuse(fur_recognise_report *report, const char *format, ...) FUR_PRINTF(2, 3);

/* *found = whether the matrix, judged by some rows, is a stencil, which is then in *out, else the
 * reason in *report. */
fur_status fur_recognise_guess(fur_env *env, const fur_csr_view *a, fur_guess *out,
                               fur_recognise_report *report, bool *found);

/* Compares all rows with the stencil: differs[i] = 1 where row i is another, else 0. Sets fields[k]
 * to the coefficients of the other rows if there are fields. Returns the number of rows that
 * differ. */
int64_t fur_recognise_prove(int threads, const fur_csr_view *a, const fur_stencil_view *s,
                            fur_vector *const *fields, uint8_t *differs);

/* The rows of a with these numbers. */
fur_status fur_csr_take_rows(const fur_csr *a, int64_t count, const int32_t *numbers,
                             fur_csr **out);

#endif
