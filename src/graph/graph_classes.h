/* Rows divided into classes. */
#ifndef FURROW_GRAPH_CLASSES_H
#define FURROW_GRAPH_CLASSES_H

#include <furrow/graph.h>

#include "csr.h"

struct fur_classes {
    fur_context *context;
    int64_t rows;
    int64_t count;
    int32_t *of;    /* each row */
    int64_t *begin; /* count + 1 */
};

/* A way to divide the rows of a square matrix that the host reaches: sets the class of each, and
 * how many there are. */
typedef fur_status fur_classifier(const fur_csr *a, const void *arguments, int32_t *of,
                                  int64_t *count);

/* The classes of a, wherever it lies; the sentence of a failure begins with `purpose`. */
fur_status fur_classes_create(const fur_csr *a, const char *purpose, fur_classifier *classify,
                              const void *arguments, fur_classes **out);

#endif
