/* Clouds of points for tests of nearest neighbours, and the matrix that must come out. */
#ifndef FURROW_TESTS_CLOUDS_H
#define FURROW_TESTS_CLOUDS_H

#include "support.h"

/* A family of clouds: writes coordinate j of point i. */
typedef struct cloud_kind {
    const char *name;
    double (*at)(rng *r, int64_t i, int j, int64_t n);
} cloud_kind;

extern const cloud_kind cloud_kinds[];
extern const int cloud_kind_count;

/* n x d coordinates of a real type, row by row, in memory of malloc. */
void *cloud_make(const cloud_kind *kind, rng *r, fur_value_type value, int64_t n, int d);

/* The points as a block of the context, in a layout and, if `gaps`, with some. */
fur_vectors *cloud_block(fur_context *context, fur_value_type value, int64_t n, int d,
                         const void *points, fur_layout layout, bool gaps);

/* The answer that fur_neighbours must find: columns and values, n x k, allocated by malloc. It
 * selects among all distances of each point, computed in the order of docs/numerics.md. */
typedef struct cloud_answer {
    int64_t n;
    int64_t k;
    int32_t *columns;
    void *values;
} cloud_answer;

cloud_answer cloud_solve(fur_value_type value, int64_t n, int d, const void *points, int64_t k,
                         bool squared, bool with_self);
void cloud_answer_release(cloud_answer *a);

/* Fails, with `what` and the place, unless the matrix, on any device, is the answer to the bit. */
void cloud_check(const char *what, const cloud_answer *answer, const fur_csr *g);

#endif
