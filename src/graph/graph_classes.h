/* Rows that are divided into classes. */
#ifndef FURROW_GRAPH_CLASSES_H
#define FURROW_GRAPH_CLASSES_H

#include <furrow/graph.h>

#include "csr.h"

#include <furrow/reorder.h>

struct fur_classes {
    fur_context *context;
    int64_t rows;
    int64_t count;
    int32_t *of;    /* class of each row */
    int64_t *begin; /* count + 1 numbers */
    fur_classes_view view;
    fur_permutation *order; /* NULL, or the rows by class if a device has found the order */
};

/* Divides the rows of a square matrix that the host can read. Sets the class of each row, and the
 * number of classes. */
typedef fur_status fur_classifier(const fur_csr *a, const void *arguments, int32_t *of,
                                  int64_t *count);

/* As above for a matrix on a device, but it sets all of c. If the device cannot, *found is false
 * and c is unchanged. */
typedef fur_status fur_far_classifier(const fur_csr *a, const void *arguments, fur_classes *c,
                                      bool *found);

/* The name of a kind of classes, and the functions that find them. by_device NULL: the host works
 * on a copy. */
typedef struct fur_classification {
    const char *name;
    fur_classifier *by_host;
    fur_far_classifier *by_device;
} fur_classification;

/* Finds the classes of a matrix in any memory. */
fur_status fur_classes_create(const fur_csr *a, const fur_classification *how,
                              const void *arguments, fur_classes **out);

/* Colours at distance 1 of a symmetric pattern. arguments: points to fur_colour_options. */
fur_far_classifier fur_colours_by_device;

#endif
