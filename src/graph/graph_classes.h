/* Rows divided into classes. */
#ifndef FURROW_GRAPH_CLASSES_H
#define FURROW_GRAPH_CLASSES_H

#include <furrow/graph.h>

#include "csr.h"

#include <furrow/permutation.h>

struct fur_classes {
    fur_context *context;
    int64_t rows;
    int64_t count;
    int32_t *of;            /* each row */
    int64_t *begin;         /* count + 1 */
    fur_permutation *order; /* NULL, or the rows by class where a device has found it */
};

/* A way to divide the rows of a square matrix that the host reaches: sets the class of each, and
 * how many there are. */
typedef fur_status fur_classifier(const fur_csr *a, const void *arguments, int32_t *of,
                                  int64_t *count);

/* The same for a matrix on a device, all of c; *found is false, and c as it was, where the device
 * cannot. */
typedef fur_status fur_far_classifier(const fur_csr *a, const void *arguments, fur_classes *c,
                                      bool *found);

/* What classes are called, and how they are found; by_device: NULL, on a copy. */
typedef struct fur_classification {
    const char *name;
    fur_classifier *by_host;
    fur_far_classifier *by_device;
} fur_classification;

/* The classes of a, wherever it lies. */
fur_status fur_classes_create(const fur_csr *a, const fur_classification *how,
                              const void *arguments, fur_classes **out);

/* Colours at distance 1 of a symmetric pattern. arguments: fur_colour_options */
fur_far_classifier fur_colours_by_device;

#endif
