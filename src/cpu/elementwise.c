/* Element-wise vector operations. Bytes an entry: fill 1, axpby 3 (2 with beta = 0), multiply 3
 * entry sizes. */
#ifndef FUR_TEMPLATE
#    include "coefficient.h"
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"

/* Entries below which a further thread costs more than it brings. */
#    define ENTRY_GRAIN 16384

#    define FUR_TEMPLATE "elementwise.c"
#    include "foreach_value.h"

extern const fur_elementwise_kernels ISA(elementwise_kernels);
const fur_elementwise_kernels ISA(elementwise_kernels) = {
    .fill = FUR_VALUE_TABLE(fill),
    .axpby = FUR_VALUE_TABLE(axpby),
    .multiply = FUR_VALUE_TABLE(multiply),
};
#else

static fur_status FN(fill)(fur_env *env, int64_t n, fur_scalar value, void *x)
{
    VALUE *out = x;
    VALUE filler = V(from)(value);
    int team = fur_team(env->threads, n, ENTRY_GRAIN);
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++)
        out[i] = filler;
    return FUR_OK;
}

static void FN(scale)(int team, int64_t n, VALUE alpha, const VALUE *in, VALUE *out)
{
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++)
        out[i] = V(mul)(alpha, in[i]);
}

/* As it is, y is added also where multiplying it by 1 + 0i would make infinity a NaN. */
static void FN(add_scaled)(int team, int64_t n, VALUE alpha, const VALUE *in, VALUE *out)
{
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++)
        out[i] = V(fma)(alpha, in[i], out[i]);
}

static fur_status FN(axpby)(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x,
                            const fur_ratio *beta, void *y)
{
    fur_scalar p;
    fur_scalar q;
    if (!fur_coefficient_read(alpha, &p) || !fur_coefficient_read(beta, &q))
        return FUR_OK;
    const VALUE *in = x;
    VALUE *out = y;
    VALUE a = V(from)(p);
    VALUE b = V(from)(q);
    int team = fur_team(env->threads, n, ENTRY_GRAIN);
    if (V(is_zero)(b)) {
        FN(scale)(team, n, a, in, out);
        return FUR_OK;
    }
    if (q.re == 1 && q.im == 0) {
        FN(add_scaled)(team, n, a, in, out);
        return FUR_OK;
    }
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++)
        out[i] = V(fma)(a, in[i], V(mul)(b, out[i]));
    return FUR_OK;
}

static fur_status FN(multiply)(fur_env *env, int64_t n, const void *x, const void *y, void *z)
{
    const VALUE *a = x;
    const VALUE *b = y;
    VALUE *out = z;
    int team = fur_team(env->threads, n, ENTRY_GRAIN);
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++)
        out[i] = V(mul)(a[i], b[i]);
    return FUR_OK;
}

#endif
