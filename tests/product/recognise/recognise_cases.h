/* Cases for recognition on the CPU and on a GPU. The CPU recognises each matrix, and the result is
 * checked. Tests on a GPU add a check of their own. */
#ifndef FURROW_TESTS_RECOGNISE_CASES_H
#define FURROW_TESTS_RECOGNISE_CASES_H

#include "recognise_matrices.h"

typedef struct subject {
    fur_context *context; /* on the CPU */
    rng random;
    /* An additional check, or NULL. Its arguments are a matrix and the CPU's result, which is NULL
     * if nothing was recognised. */
    void (*also)(struct subject *s, const fur_csr *a, const fur_recognised *found,
                 const fur_recognise_report *report);
    fur_context *other; /* the context of `also` */
} subject;

fur_recognised *recognise(fur_context *context, const fur_csr *a, fur_recognise_report *report);

/* Recognises a matrix and checks the result, if there is one. */
void check(subject *s, const fur_csr *a, fur_recognise_report *report);

/* Recognises `trials` grids of each named stencil, with one combination of boundaries. */
void recognise_named(subject *s, fur_value_type value, int boundaries, int trials);
void recognise_random(subject *s, fur_value_type value, int trials);
/* Checks that a row altered in one way is listed. */
void recognise_altered(subject *s, int way, int trials);
/* Checks that no result is wrong for any number of altered rows. */
void recognise_much_altered(subject *s, int trials);
/* Checks large grids in which few rows are on a boundary. Exactly these rows must differ. */
void recognise_boundaries(subject *s);
/* Checks that a matrix of any shape is not recognised wrongly. */
void recognise_shape(subject *s, int number);
void recognise_none(subject *s);
/* Checks a matrix in which slightly more than an eighth of the rows is altered. Only the proof can
 * notice that these are too many. */
void recognise_too_many(subject *s);

#endif
