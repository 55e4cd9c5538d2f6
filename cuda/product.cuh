// What the kernels of y = alpha A x + beta y share: the typed arrays of a product, and making the
// state of a plan.
#ifndef FURROW_CUDA_PRODUCT_CUH
#define FURROW_CUDA_PRODUCT_CUH

#include "device.cuh"
#include "value.cuh"

template <class Value, class Offset> struct fur_product {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    const Offset *offsets;
    const int32_t *columns;
    const Value *values;
    const Value *x;
    Value *y;
    fur_finish<Value> finish;

    explicit fur_product(const fur_spmv_call *call)
        : rows(call->a->rows), cols(call->a->cols), entries(call->a->entries),
          offsets(static_cast<const Offset *>(call->a->offsets)), columns(call->a->columns),
          values(static_cast<const Value *>(call->a->values)),
          x(static_cast<const Value *>(call->x)), y(static_cast<Value *>(call->y)), finish(call)
    {
    }
};

// Calls f with the product in its types.
template <class F> fur_status fur_with_product(const fur_spmv_call *call, F f)
{
    return fur_with_types(call->a, [&](auto value, auto offset) {
        return f(fur_product<decltype(value), decltype(offset)>(call));
    });
}

// Makes *out a cleared State for build to fill; releases it if that fails.
template <class State, class Build>
fur_status fur_make_state(fur_env *env, void (*release)(fur_env *, void *), void **out, Build build)
{
    State *state;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *state, &state));
    fur_status status = build(state);
    if (status == FUR_OK)
        *out = state;
    else
        release(env, state);
    return status;
}

#endif
