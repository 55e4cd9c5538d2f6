/* Clouds of points for tests of nearest neighbours, and the matrices expected for them. */
#ifndef FURROW_TESTS_CLOUDS_H
#define FURROW_TESTS_CLOUDS_H

#include "support.h"

/* A family of clouds. `at` returns coordinate j of point i of n points. */
typedef struct cloud_kind {
    const char *name;
    double (*at)(rng *r, int64_t i, int j, int64_t n);
} cloud_kind;

extern const cloud_kind cloud_kinds[];
extern const int cloud_kind_count;

/* Returns n x d coordinates of a real type in row-major order. The caller frees them. */
void *cloud_make(const cloud_kind *kind, rng *r, fur_value_type value, int64_t n, int d);

/* Makes a block of vectors from the points in the given layout, with gaps in memory if `gaps`. */
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

/* Checks that the matrix, on any device, equals the answer bit for bit. A failure shows `what`. */
void cloud_check(const char *what, const cloud_answer *answer, const fur_csr *g);

#endif
