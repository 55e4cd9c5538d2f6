/* Stable counting sort: the one primitive behind transposition and assembly from coordinates. */
#ifndef FURROW_CORE_BUCKET_H
#define FURROW_CORE_BUCKET_H

#include "env.h"

/* Orders `count` elements by key, equal keys in the order given: element e belongs at place[e], and
 * key k's elements stand at starts[k] .. starts[k+1]-1. Keys lie in 0 .. keys_end-1; starts has
 * keys_end + 1 elements. The result does not depend on the number of threads. */
fur_status fur_bucket_sort(fur_env *env, int64_t count, const int32_t *keys, int64_t keys_end,
                           int64_t *starts, int64_t *place);

#endif
