// Multiplies the values of a matrix by diagonal matrices from both sides.
#include "algebra.cuh"

namespace
{

// values = (r_i c_j) A(i, j). If r or c is null, its factors are 1. Bytes an entry: twice its size,
// its column, and c from the caches.
template <class Value>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    scale(fur_matrix<Value> a, int64_t rows, int64_t entries, const Value *r, const Value *c,
          Value *values)
{
    fur_for_entries(rows, entries, a.starts, [&](int64_t row, int64_t k) {
        Value factor = c ? c[fur_stream(a.columns + k)] : fur_from<Value>({1, 0});
        if (r)
            factor = c ? fur_mul(r[row], factor) : r[row];
        values[k] = fur_mul(factor, a.values[k]);
    });
}

} // namespace

fur_status fur_cuda_csr_scale(fur_env *env, const fur_csr_view *a, const void *r, const void *c,
                              void *values)
{
    if (a->entries == 0)
        return FUR_OK;
    return fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        scale<<<fur_entries_blocks(a->entries), FUR_ENTRIES_BLOCK, 0, fur_cuda_stream(env)>>>(
            fur_matrix<Value>(a), a->rows, a->entries, static_cast<const Value *>(r),
            static_cast<const Value *>(c), static_cast<Value *>(values));
        return fur_cuda_launched(env, "scale");
    });
}
