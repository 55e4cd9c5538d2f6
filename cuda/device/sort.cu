// Stable sorts by keys of a given number of bits.
#include "arrange.cuh"
#include "cub.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace
{

template <class Key, class Item>
fur_status sort(fur_env *env, const void *keys, void *sorted_keys, const void *values,
                void *sorted_values, int64_t n, int bits)
{
    return fur_with_storage(
        env, "cub::DeviceRadixSort::SortPairs", [&](void *storage, size_t &bytes) {
            return cub::DeviceRadixSort::SortPairs(
                storage, bytes, static_cast<const Key *>(keys), static_cast<Key *>(sorted_keys),
                static_cast<const Item *>(values), static_cast<Item *>(sorted_values), n, 0, bits,
                fur_cuda_stream(env));
        });
}

} // namespace

extern "C" fur_status fur_cuda_sort(fur_env *env, size_t key_size, const void *keys,
                                    void *sorted_keys, size_t value_size, const void *values,
                                    void *sorted_values, int64_t n, int bits)
{
    static decltype(&sort<uint32_t, uint32_t>)
        const sorts[2][2] = {{sort<uint32_t, uint32_t>, sort<uint32_t, uint64_t>},
                             {sort<uint64_t, uint32_t>, sort<uint64_t, uint64_t>}};
    return sorts[key_size == 8][value_size == 8](env, keys, sorted_keys, values, sorted_values, n,
                                                 bits);
}
