/* Element-wise vector operations. Bytes an entry: fill 1, axpby 3 (2 with beta = 0), axpy_many 2
 * and one for each vector added, multiply 3, direction 6 (5 without d) entry sizes. */
#ifndef FUR_TEMPLATE
#    include "add_many.h"
#    include "coefficient.h"
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    define ENTRY_GRAIN 16384
/* Bytes of y in one range, which stay in the second-level cache. */
#    define NEAR_BYTES 65536

#    define FUR_TEMPLATE "vector/elementwise.c"
#    include "foreach_value.h"

extern const fur_elementwise_kernels ISA(elementwise_kernels);
const fur_elementwise_kernels ISA(elementwise_kernels) = {
    .fill = FUR_VALUE_TABLE(fill),
    .axpby = FUR_VALUE_TABLE(axpby),
    .axpy_many = FUR_VALUE_TABLE(axpy_many),
    .multiply = FUR_VALUE_TABLE(multiply),
    .direction = FUR_VALUE_TABLE(direction),
};
#else

/* The operands of y = alpha x + beta y and similar operations, for the threads. */
typedef struct FN(map) {
    VALUE alpha;
    VALUE beta;
    const VALUE *x;
    const VALUE *y;
    VALUE *out;
} FN(map);

static fur_status FN(run)(fur_env *env, int64_t n, fur_body *body, FN(map) map)
{
    fur_parallel(env, n / ENTRY_GRAIN, n, body, &map);
    return FUR_OK;
}

static void FN(fill_range)(void *job, int64_t begin, int64_t end)
{
    const FN(map) m = *(FN(map) *)job;
    for (int64_t i = begin; i < end; i++)
        m.out[i] = m.alpha;
}

static void FN(scale_range)(void *job, int64_t begin, int64_t end)
{
    const FN(map) m = *(FN(map) *)job;
    for (int64_t i = begin; i < end; i++)
        m.out[i] = V(mul)(m.alpha, m.x[i]);
}

/* Adds y itself: the product (1 + 0i) y would turn an infinity into NaN. */
static void FN(axpy_range)(void *job, int64_t begin, int64_t end)
{
    const FN(map) m = *(FN(map) *)job;
    for (int64_t i = begin; i < end; i++)
        m.out[i] = V(fma)(m.alpha, m.x[i], m.out[i]);
}

static void FN(axpby_range)(void *job, int64_t begin, int64_t end)
{
    const FN(map) m = *(FN(map) *)job;
    for (int64_t i = begin; i < end; i++)
        m.out[i] = V(fma)(m.alpha, m.x[i], V(mul)(m.beta, m.out[i]));
}

static void FN(multiply_range)(void *job, int64_t begin, int64_t end)
{
    const FN(map) m = *(FN(map) *)job;
    for (int64_t i = begin; i < end; i++)
        m.out[i] = V(mul)(m.x[i], m.y[i]);
}

static fur_status FN(fill)(fur_env *env, int64_t n, fur_scalar value, void *x)
{
    return FN(run)(env, n, FN(fill_range), (FN(map)){.alpha = V(from)(value), .out = x});
}

static fur_status FN(axpby)(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x,
                            const fur_ratio *beta, void *y)
{
    fur_scalar p;
    fur_scalar q;
    if (!fur_coefficient_read(alpha, &p) || !fur_coefficient_read(beta, &q))
        return FUR_OK;
    const FN(map) map = {.alpha = V(from)(p), .beta = V(from)(q), .x = x, .out = y};
    bool adds = q.re == 1 && q.im == 0;
    return FN(run)(env, n,
                   V(is_zero)(map.beta) ? FN(scale_range)
                   : adds               ? FN(axpy_range)
                                        : FN(axpby_range),
                   map);
}

typedef struct FN(sum) {
    const fur_many *many;
    VALUE *y;
} FN(sum);

static void FN(axpy_many_range)(void *job, int64_t begin, int64_t end)
{
    const FN(sum) s = *(FN(sum) *)job;
    const int64_t near = NEAR_BYTES / (int64_t)sizeof(VALUE);
    for (int64_t i = begin; i < end; i += near)
        FN(add_many)(s.many, s.many->count, s.y, i, fur_smaller(end, i + near));
}

static fur_status FN(axpy_many)(fur_env *env, int64_t n, const fur_many *many, void *y)
{
    FN(sum) job = {many, y};
    fur_parallel(env, n / ENTRY_GRAIN * many->count, n, FN(axpy_many_range), &job);
    return FUR_OK;
}

typedef struct FN(directions) {
    VALUE alpha;
    VALUE beta;
    const VALUE *d;
    VALUE constant;
    const VALUE *z;
    VALUE *p;
    VALUE *x;
} FN(directions);

/* x += alpha p; p = z + beta p */
static inline void FN(turn)(VALUE alpha, VALUE beta, VALUE z, VALUE *p, VALUE *x)
{
    *x = V(fma)(alpha, *p, *x);
    *p = V(fma)(V(from)(fur_real(1)), z, V(mul)(beta, *p));
}

static void FN(direction_range)(void *job, int64_t begin, int64_t end)
{
    const FN(directions) m = *(FN(directions) *)job;
    for (int64_t i = begin; i < end; i++)
        FN(turn)(m.alpha, m.beta, m.z[i], &m.p[i], &m.x[i]);
}

static void FN(evenly_scaled_direction_range)(void *job, int64_t begin, int64_t end)
{
    const FN(directions) m = *(FN(directions) *)job;
    for (int64_t i = begin; i < end; i++)
        FN(turn)(m.alpha, m.beta, V(mul)(m.constant, m.z[i]), &m.p[i], &m.x[i]);
}

static void FN(scaled_direction_range)(void *job, int64_t begin, int64_t end)
{
    const FN(directions) m = *(FN(directions) *)job;
    for (int64_t i = begin; i < end; i++)
        FN(turn)(m.alpha, m.beta, V(mul)(m.d[i], m.z[i]), &m.p[i], &m.x[i]);
}

static fur_status FN(direction)(fur_env *env, int64_t n, const fur_ratio *alpha,
                                const fur_ratio *beta, const fur_diagonal *d, const void *z,
                                void *p, void *x)
{
    fur_scalar a;
    fur_scalar b;
    if (!fur_coefficient_read(alpha, &a) || !fur_coefficient_read(beta, &b))
        return FUR_OK;
    FN(directions) job = {V(from)(a), V(from)(b), d->entries, V(from)(d->constant), z, p, x};
    fur_parallel(env, n / ENTRY_GRAIN, n,
                 fur_is_unit(d) ? FN(direction_range)
                 : d->entries   ? FN(scaled_direction_range)
                                : FN(evenly_scaled_direction_range),
                 &job);
    return FUR_OK;
}

static fur_status FN(multiply)(fur_env *env, int64_t n, const void *x, const void *y, void *z)
{
    return FN(run)(env, n, FN(multiply_range), (FN(map)){.x = x, .y = y, .out = z});
}

#endif
