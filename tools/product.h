/* Timing of products. */
#ifndef FURROW_TOOLS_PRODUCT_H
#define FURROW_TOOLS_PRODUCT_H

#include <furrow/furrow.h>

/* Seconds of one of `count` products y = op(A) x that are waited for together. */
fur_status product_time(const fur_spmv *plan, const fur_vector *x, fur_vector *y, int64_t count,
                        double *seconds);

#endif
