/* Cases for recognition on the CPU and on a GPU. Each matrix is recognised on the CPU and the
 * result is checked. A test of a GPU adds its checks. */
#ifndef FURROW_TESTS_RECOGNISE_CASES_H
#define FURROW_TESTS_RECOGNISE_CASES_H

#include "recognise_matrices.h"

typedef struct subject {
    fur_context *context; /* on the CPU */
    rng random;
    /* An additional check of a matrix and of the CPU's result, NULL if it found none. `also` may be
     * NULL. */
    void (*also)(struct subject *s, const fur_csr *a, const fur_recognised *found,
                 const fur_recognise_report *report);
    fur_context *other; /* the context of `also` */
} subject;

fur_recognised *recognise(fur_context *context, const fur_csr *a, fur_recognise_report *report);

/* Checks what is recognised, if anything is. */
void check(subject *s, const fur_csr *a, fur_recognise_report *report);

/* Named stencils of all points, `trials` grids each, at one of the combinations of boundaries. */
void recognise_named(subject *s, fur_value_type value, int boundaries, int trials);
void recognise_random(subject *s, fur_value_type value, int trials);
/* A row altered in one way is listed. */
void recognise_altered(subject *s, int way, int trials);
/* No result is wrong for any number of altered rows. */
void recognise_much_altered(subject *s, int trials);
/* Large grids whose boundaries are few rows: those differ. */
void recognise_boundaries(subject *s);
/* No matrix of any shape is recognised wrongly. */
void recognise_shape(subject *s, int number);
void recognise_none(subject *s);
/* So few more than an eighth of the rows are altered that it takes the proof to know. */
void recognise_too_many(subject *s);

#endif
