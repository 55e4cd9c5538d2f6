/* Adds several vectors to a range of one vector, a group at a time. The range stays in a cache for
 * the next group. Hardware prefetchers follow a group of streams better than one stream that soon
 * ends. */
#ifndef FUR_TEMPLATE
#    ifndef FURROW_CPU_ADD_MANY_H
#        define FURROW_CPU_ADD_MANY_H

#        include "kernel.h"
#        include "scalar.h"

/* Vectors that are read side by side. */
#        define GROUP 4

#        define FUR_TEMPLATE "vector/add_many.h"
#        include "foreach_value.h"
#        undef FUR_TEMPLATE

#    endif
#else

/* y_i = y_i + sum_k alpha_k x_k,i for constant count <= GROUP */
static inline void FN(add_group)(int count, const fur_scalar *alpha, const void *const *x, VALUE *y,
                                 int64_t begin, int64_t end)
{
    VALUE a[GROUP];
    const VALUE *v[GROUP];
    for (int k = 0; k < count; k++) {
        a[k] = V(from)(alpha[k]);
        v[k] = x[k];
    }
    for (int64_t i = begin; i < end; i++) {
        VALUE sum = y[i];
        for (int k = 0; k < count; k++)
            sum = V(fma)(a[k], v[k][i], sum);
        y[i] = sum;
    }
}

/* As above, for the first `count` vectors of m. */
static inline void FN(add_many)(const fur_many *m, int count, VALUE *y, int64_t begin, int64_t end)
{
    for (int k = 0; k < count; k += GROUP) {
        const fur_scalar *alpha = m->alpha + k;
        const void *const *x = m->x + k;
        switch (count - k) {
        case 1:
            FN(add_group)(1, alpha, x, y, begin, end);
            break;
        case 2:
            FN(add_group)(2, alpha, x, y, begin, end);
            break;
        case 3:
            FN(add_group)(3, alpha, x, y, begin, end);
            break;
        default:
            FN(add_group)(GROUP, alpha, x, y, begin, end);
        }
    }
}

#endif
