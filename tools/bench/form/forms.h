/* One operator on a grid in several forms, each of which computes y = S x: a stencil without a
 * matrix, and its matrix by one kernel or another. */
#ifndef FURROW_TOOLS_FORMS_H
#define FURROW_TOOLS_FORMS_H

#include <jansson.h>

#include "grid.h"
#include "record.h"
#include "timing.h"

#define FORMS_MOST (RACE_CONTENDERS - 1) /* the copy races, too */

typedef struct forms_request {
    grid_request grid;
    const char *kernel; /* of the stencil; NULL or "auto": chosen */
    /* The forms to race beside the kernel that auto takes, separated by commas:
     * compressed, cusparse, names of kernels. NULL: the first two, where they are there. */
    const char *against;
    bool stencils; /* all other kernels for stencils, but the CPU's reference with its one thread */
    int rounds;    /* on the CPU; 0: RACE_ROUNDS */
} forms_request;

#define FORMS_AGAINST_DOC                                                                          \
    "What the stencil races beside csr, the matrix in the kernel that auto takes: compressed, "    \
    "whose matrix takes fewer bytes, cusparse, or any of furrow kernels, with commas between"

typedef struct form {
    const struct forms *owner;
    char name[24]; /* "stencil", "csr", "compressed", "cusparse" or the kernel's */
    const char *kernel;
    fur_stencil *stencil; /* of these two one is NULL */
    fur_spmv *plan;
    int64_t bytes;     /* compulsory traffic of a product */
    bool exact;        /* adds in the order of docs/numerics.md */
    double difference; /* the largest |y(p) - expected(p)|, once checked */
    double seconds;    /* of one product that finds nothing in the caches, once raced */
} form;

typedef struct forms {
    timing *timing;
    fur_context *context;
    fur_context *host;
    fur_stencil_definition definition;
    int64_t rows;
    fur_vector *host_x; /* on the CPU the same as x */
    fur_vector *x;
    fur_vector *y;
    fur_csr *a;
    double seconds_assemble;
    int count;
    form forms[FORMS_MOST]; /* the stencil, the matrix, the others */
    double copy_rate;       /* bytes a second, read and written, once raced */
} forms;

/* Makes all forms of what is requested. FUR_OVERFLOW for more points than a matrix can have rows,
 * FUR_OUT_OF_MEMORY, before anything large is allocated, if it cannot fit. Whatever the outcome,
 * forms_destroy releases what there is. */
fur_status forms_create(timing *t, const forms_request *request, forms *f);
void forms_destroy(forms *f);

/* One product by a form. */
fur_status form_run(void *self);

/* Compares all products with the CPU's by the stencil: the same bits where terms are added in the
 * same order, else no more apart than rounding explains. FUR_INVALID says where they are not. */
fur_status forms_check(forms *f);

/* Times all forms and a copy, in turn. */
fur_status forms_race(forms *f, int rounds);

/* One of those that are timed in turn. */
typedef struct forms_racer {
    fur_status (*run)(void *self);
    void *self;
    double seconds; /* of one run that finds nothing in the caches, once raced */
} forms_racer;

/* The same for anything that has succeeded before, at most RACE_CONTENDERS - 1 of them. *copy_rate:
 * bytes a second, read and written. */
fur_status forms_race_in_turn(const forms *f, int rounds, int count, forms_racer *racers,
                              double *copy_rate);

/* How far along an axis the k-th offset goes, in either direction. */
int64_t forms_reach(const fur_stencil_definition *d, int k, int axis);

/* A status of the host's context, with its sentence, as one of the device's. */
fur_status forms_relay(const forms *f, fur_status status);

/* "7-point 256 x 256 x 256 f64" */
void forms_describe(const forms *f, char *text, size_t size);

/* How many times as long as the stencil a form takes. */
double form_ratio(const form *c);
double form_ns_per_point(const form *c);
double form_gbps(const form *c);
double form_of_copy(const form *c);

/* A line for each form, and the columns of its table. */
json_t *forms_to_json(const forms *f);
extern const record_column forms_columns[];

#endif
