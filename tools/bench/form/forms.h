/* One operator on a grid in several forms, which all compute y = S x: a stencil without a matrix,
 * and its matrix with different kernels. */
#ifndef FURROW_TOOLS_FORMS_H
#define FURROW_TOOLS_FORMS_H

#include <jansson.h>

#include "grid.h"
#include "record.h"
#include "timing.h"

#define FORMS_MAX (RACE_CONTENDERS - 1) /* the copy takes part, too */

typedef struct forms_request {
    grid_request grid;
    const char *kernel; /* of the stencil; NULL or "auto": chosen */
    /* The forms to race with the kernel that auto chooses, separated by commas: compressed,
     * cusparse, names of kernels. NULL: the first two, if they are available. */
    const char *against;
    /* adds all other kernels for stencils, except the CPU's single-threaded reference */
    bool stencils;
    int rounds; /* on the CPU; 0: RACE_ROUNDS */
} forms_request;

#define FORMS_AGAINST_DOC                                                                          \
    "Further forms, such as compressed,rows (default: compressed and cusparse if they exist)"

typedef struct form {
    const struct forms *owner;
    char name[24]; /* "stencil", "csr", "compressed", "cusparse" or the kernel's name */
    const char *kernel;
    fur_stencil *stencil; /* one of stencil and plan is NULL */
    fur_spmv *plan;
    int64_t bytes;     /* compulsory traffic of a product */
    bool exact;        /* adds in the order of docs/numerics.md */
    double difference; /* the largest |y(p) - expected(p)|; set by the check */
    double seconds;    /* of one product with cold caches; set by the race */
} form;

typedef struct forms {
    timing *timing;
    fur_context *context;
    fur_context *host;
    fur_stencil_definition definition;
    int64_t rows;
    fur_vector *host_x; /* on the CPU equal to x */
    fur_vector *x;
    fur_vector *y;
    fur_csr *a;
    double seconds_assemble;
    int count;
    form forms[FORMS_MAX]; /* the stencil, the matrix, the others */
    double copy_rate;      /* bytes a second, read and written; set by the race */
} forms;

/* Makes all requested forms. FUR_OVERFLOW if there are more points than a matrix can have rows.
 * FUR_OUT_OF_MEMORY before anything large is allocated, if it cannot fit. forms_destroy releases
 * the forms in every case. */
fur_status forms_create(timing *t, const forms_request *request, forms *f);
void forms_destroy(forms *f);

/* Computes one product by a form. */
fur_status form_run(void *self);

/* Compares all products with the stencil's product on the CPU. If terms are added in the same
 * order, the bits must agree. Otherwise the differences must be within the rounding errors. The
 * message of FUR_INVALID says where they are not. */
fur_status forms_check(forms *f);

/* Times all forms and a copy, in turn. */
fur_status forms_race(forms *f, int rounds);

/* An item that is timed in turn with others. */
typedef struct forms_racer {
    fur_status (*run)(void *self);
    void *self;
    double seconds; /* of one run with cold caches; set by the race */
} forms_racer;

/* As above, for at most RACE_CONTENDERS - 1 items that have succeeded before. *copy_rate: bytes a
 * second, read and written. */
fur_status forms_race_in_turn(const forms *f, int rounds, int count, forms_racer *racers,
                              double *copy_rate);

/* Returns the distance of offset k along an axis, in either direction. */
int64_t forms_reach(const fur_stencil_definition *d, int k, int axis);

/* Converts a status of the host's context, with its message, to a status of the device's
 * context. */
fur_status forms_relay(const forms *f, fur_status status);

/* "7-point 256 x 256 x 256 f64" */
void forms_describe(const forms *f, char *text, size_t size);

/* Returns the time of a form over the time of the stencil. */
double form_ratio(const form *c);
double form_ns_per_point(const form *c);
double form_gbps(const form *c);
double form_of_copy(const form *c);

/* The lines of all forms, and the columns of their table. */
json_t *forms_to_json(const forms *f);
extern const record_column forms_columns[];

#endif
