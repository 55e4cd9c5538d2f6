// Prefix sums and stable sorts by non-negative keys, on the context's stream. They use CUB and are
// compiled in separate files, because its headers take the compiler longer than most kernels do.
#ifndef FURROW_CUDA_ARRANGE_CUH
#define FURROW_CUDA_ARRANGE_CUH

#include "device.cuh"

extern "C" {
// For elements of 4 or 8 bytes. Use the templates below.
fur_status fur_cuda_exclusive_scan(fur_env *env, size_t size, void *a, int64_t n);
fur_status fur_cuda_sort(fur_env *env, size_t key_size, const void *keys, void *sorted_keys,
                         size_t value_size, const void *values, void *sorted_values, int64_t n,
                         int bits);
}

// Replaces a[i] by a[0] + ... + a[i - 1] for i < n, which turns counts into offsets.
template <class Count> fur_status fur_exclusive_scan(fur_env *env, Count *a, int64_t n)
{
    static_assert(sizeof(Count) == 4 || sizeof(Count) == 8, "sums of 32 or 64 bits");
    return fur_cuda_exclusive_scan(env, sizeof(Count), a, n);
}

// Sorts n pairs of a key and a value. Keys are not negative and less than 2^bits. Equal keys keep
// their order.
template <class Key, class Item>
fur_status fur_sort_pairs(fur_env *env, const Key *keys, Key *sorted_keys, const Item *values,
                          Item *sorted_values, int64_t n, int bits)
{
    static_assert(sizeof(Key) == 4 || sizeof(Key) == 8, "keys of 32 or 64 bits");
    static_assert(sizeof(Item) == 4 || sizeof(Item) == 8, "values of 32 or 64 bits");
    return fur_cuda_sort(env, sizeof(Key), keys, sorted_keys, sizeof(Item), values, sorted_values,
                         n, bits);
}

#endif
