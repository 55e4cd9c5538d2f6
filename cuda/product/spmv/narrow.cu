// Narrow forms of the values in slices. A sample gives the table of distinct values. Each slice is
// converted in place to its narrowest form. Bytes an entry: the wide value twice, the second time
// possibly from the cache, and the narrow value once.
#include "narrow.cuh"

#define COLLECT_BLOCK 1024
// Values of the sample that a thread loads together, the number of such rounds, and the slots of
// the hash table of distinct values.
#define COLLECT_UNROLL 8
#define COLLECT_ROUNDS 2
#define COLLECT_PLACES 1024
#define COLLECT_TRIES 32
// Entries of a lane that are tested together.
#define UNROLL 4
// Blocks that should fit on a multiprocessor.
#define RESIDENT 10

namespace
{

// An integer with the bits of a value of at most 8 bytes.
template <size_t size> struct key_of {
    using type = unsigned long long;
};
template <> struct key_of<4> {
    using type = unsigned;
};
template <class Value> using key = typename key_of<sizeof(Value)>::type;

// Adds the new keys of a warp to the keys of a block. The key with all bits set marks a free slot
// and is never added. If a key finds no free slot nearby, *found exceeds NARROW_TABLE.
template <class Key> __device__ void collect_keys(Key own, Key *keys, int *found)
{
    // the first lane with this key
    int equal = __ffs(static_cast<int>(__match_any_sync(~0U, own))) - 1;
    if (own == ~Key(0) || equal != static_cast<int>(threadIdx.x % FUR_WARP))
        return;
    unsigned place = static_cast<unsigned>((own ^ own >> 29) * 0x9e3779b9U >> 7);
    for (int tries = 0; tries < COLLECT_TRIES; tries++, place++) {
        Key there = atomicCAS(&keys[place % COLLECT_PLACES], ~Key(0), own);
        if (there == ~Key(0))
            atomicAdd(found, 1);
        if (there == ~Key(0) || there == own)
            return;
    }
    atomicAdd(found, NARROW_TABLE + 1);
}

// The distinct keys of a sample in ascending order, or none if there are more than NARROW_TABLE.
// One block.
template <class Key>
__global__ void __launch_bounds__(COLLECT_BLOCK)
    collect(int64_t entries, const Key *values, Key *table, int *count)
{
    __shared__ Key keys[COLLECT_PLACES];
    __shared__ int found;
    constexpr int64_t most = int64_t(COLLECT_BLOCK) * COLLECT_UNROLL * COLLECT_ROUNDS;
    int64_t sample = min(entries, most);
    double step = static_cast<double>(entries) / static_cast<double>(sample);
    keys[threadIdx.x] = ~Key(0);
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    for (int64_t first = 0; first < sample; first += COLLECT_BLOCK * COLLECT_UNROLL) {
        Key own[COLLECT_UNROLL];
#pragma unroll
        for (int u = 0; u < COLLECT_UNROLL; u++) {
            int64_t i = min(first + u * COLLECT_BLOCK + threadIdx.x, sample - 1);
            own[u] = values[static_cast<int64_t>(static_cast<double>(i) * step)];
        }
#pragma unroll
        for (int u = 0; u < COLLECT_UNROLL; u++)
            collect_keys(own[u], keys, &found);
        if (__syncthreads_or(found > NARROW_TABLE))
            break;
    }
    bool fits = found <= NARROW_TABLE;
    Key own = keys[threadIdx.x];
    int rank = 0;
    for (int i = 0; i < COLLECT_PLACES; i++)
        rank += keys[i] < own;
    if (fits && own != ~Key(0))
        table[rank] = own;
    if (threadIdx.x < NARROW_TABLE && (!fits || threadIdx.x >= static_cast<unsigned>(found)))
        table[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        *count = fits ? found : 0;
}

// Returns the number of a value in the table, or -1 if it is missing.
template <class Value> __device__ int find(const key<Value> *table, int count, key<Value> own)
{
    int low = 0;
    int high = count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        bool below = table[middle] <= own;
        low = below ? middle : low;
        high = below ? high : middle;
    }
    return count > 0 && table[low] == own ? low : -1;
}

__device__ bool is_single(float)
{
    return false;
}
__device__ bool is_single(double a)
{
    return __double_as_longlong(fur_widen(static_cast<float>(a))) == __double_as_longlong(a);
}
template <class Real> __device__ bool is_single(fur_complex_of<Real> a)
{
    return is_single(a.re) && is_single(a.im);
}

__device__ float to_single(double a)
{
    return static_cast<float>(a);
}
__device__ fur_c64 to_single(fur_c128 a)
{
    return {static_cast<float>(a.re), static_cast<float>(a.im)};
}

// Loads the lane's entries k to k + UNROLL - 1. Past the end of the slice, repeats its last entry.
template <class T> __device__ void load(const fur_narrow &n, const fur_sell_place &p, int k, T *own)
{
    auto from = static_cast<const T *>(n.values) + p.start + p.lane();
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        own[u] = from[fur_sell_offset(p, k + u)];
}

// Returns whether single precision represents the values of all lanes exactly.
template <class Value> __device__ bool are_single(const fur_narrow &n, const fur_sell_place &p)
{
    for (int k = 0; k < p.width(); k += UNROLL) {
        Value own[UNROLL];
        bool single = true;
        load(n, p, k, own);
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            single = single && (k + u >= p.length() || is_single(own[u]));
        if (!__all_sync(~0U, single))
            return false;
    }
    return true;
}

// Returns whether all values of the slice are in the table, and whether the lanes share them. The
// first lane has the longest row.
template <class Value>
__device__ fur_narrow_form number_form(const fur_narrow &n, const fur_sell_place &p)
{
    auto table = static_cast<const key<Value> *>(n.table);
    int count = *n.count;
    bool shared = true;
    for (int k = 0; k < p.width(); k += UNROLL) {
        key<Value> own[UNROLL];
        bool number = count > 0;
        load(n, p, k, own);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            key<Value> first = __shfl_sync(~0U, own[u], 0);
            bool there = k + u < p.length();
            shared = shared && (!there || own[u] == first);
            number = number && (!there || find<Value>(table, count, own[u]) >= 0);
        }
        if (!__all_sync(~0U, number))
            return NARROW_WIDE;
    }
    return __all_sync(~0U, shared) ? NARROW_SHARED : NARROW_NUMBER;
}

// Returns the narrowest form for all values of a slice. All lanes must call it.
template <class Value>
__device__ fur_narrow_form form_of(const fur_narrow &n, const fur_sell_place &p)
{
    if constexpr (fur_has_number<Value>) {
        fur_narrow_form form = number_form<Value>(n, p);
        if (form != NARROW_WIDE)
            return form;
    }
    return fur_has_single<Value> && are_single<Value>(n, p) ? NARROW_SINGLE : NARROW_WIDE;
}

// Packs the numbers of a lane's entries 4 w to 4 w + 3 into a word.
template <class Value>
__device__ uint32_t word_of(const fur_narrow &n, const fur_sell_place &p, int w)
{
    static_assert(UNROLL == NARROW_WORD, "a word at a time");
    key<Value> own[UNROLL];
    uint32_t word = 0;
    load(n, p, w * NARROW_WORD, own);
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (w * NARROW_WORD + u < p.length())
            word |= static_cast<uint32_t>(
                        find<Value>(static_cast<const key<Value> *>(n.table), *n.count, own[u]))
                    << (8 * u);
    return word;
}

// Converts a slice to a form, in place and in the order of its entries. A write never goes to a
// place that a lane has still to read. Returns the bytes of the form.
template <class Value>
__device__ int bring(const fur_narrow &n, const fur_sell_place &p, fur_narrow_form form)
{
    auto slice = static_cast<Value *>(n.values) + p.start;
    int words = (p.width() + NARROW_WORD - 1) / NARROW_WORD;
    if constexpr (fur_has_single<Value>)
        if (form == NARROW_SINGLE) {
            auto to = reinterpret_cast<typename fur_single_of<Value>::type *>(slice);
            for (int k = 0; k < p.width(); k++) {
                auto own = to_single(slice[k * SELL_LANES + p.lane()]);
                __syncwarp();
                to[k * SELL_LANES + p.lane()] = own;
            }
            return p.width() * SELL_LANES * static_cast<int>(sizeof(Value)) / 2;
        }
    if constexpr (fur_has_number<Value>)
        if (form != NARROW_WIDE) {
            auto to = reinterpret_cast<uint32_t *>(slice);
            for (int w = 0; w < words; w++) {
                uint32_t own = word_of<Value>(n, p, w);
                __syncwarp();
                if (form == NARROW_NUMBER)
                    to[w * SELL_LANES + p.lane()] = own;
                else if (p.lane() == 0)
                    to[w] = own;
            }
            return words * static_cast<int>(sizeof *to) * (form == NARROW_NUMBER ? SELL_LANES : 1);
        }
    return p.width() * SELL_LANES * static_cast<int>(sizeof(Value));
}

// Finds the form of each slice and converts it, one warp for each slice.
template <class Value>
__global__ void __launch_bounds__(SELL_BLOCK) narrow(fur_sell s, fur_narrow n)
{
    fur_sell_for_slice(s, [&](int64_t slice, const fur_sell_place &p) {
        fur_narrow_form form = form_of<Value>(n, p);
        __syncwarp();
        int bytes = bring<Value>(n, p, form);
        if (p.lane() == 0) {
            n.forms[slice] = form;
            atomicAdd(reinterpret_cast<unsigned long long *>(n.bytes),
                      static_cast<unsigned long long>(bytes));
        }
    });
}

// Makes the table of the values of a matrix, in the order of the stream.
template <class Value>
fur_status make_table(fur_env *env, const fur_csr_view *a, const fur_narrow *n)
{
    if constexpr (fur_has_number<Value>) {
        collect<<<1, COLLECT_BLOCK, 0, fur_cuda_stream(env)>>>(
            a->entries, static_cast<const key<Value> *>(a->values),
            static_cast<key<Value> *>(n->table), n->count);
        return fur_cuda_launched(env, "narrow: collect");
    }
    return fur_cuda_clear(env, n->count, sizeof *n->count);
}

} // namespace

fur_status fur_narrow_create(fur_env *env, const fur_csr_view *a, const fur_sell *s, fur_narrow *n)
{
    size_t size = fur_value_size(a->value_type);
    FUR_TRY(fur_cuda_allocate(env, s->padded, size, &n->values));
    FUR_TRY(fur_cuda_allocate(env, s->slices, sizeof *n->forms, &n->forms));
    FUR_TRY(fur_cuda_allocate(env, NARROW_TABLE, size, &n->table));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *n->count, &n->count));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *n->bytes, &n->bytes));
    FUR_TRY(fur_cuda_clear(env, n->forms, s->slices * static_cast<int64_t>(sizeof *n->forms)));
    FUR_TRY(fur_cuda_clear(env, n->bytes, sizeof *n->bytes));
    return fur_narrow_fill(env, a, s, n);
}

fur_status fur_narrow_fill(fur_env *env, const fur_csr_view *a, const fur_sell *s,
                           const fur_narrow *n)
{
    if (s->padded == 0)
        return FUR_OK;
    FUR_TRY(fur_sell_spread(env, a, s, fur_value_size(a->value_type), a->values, n->values));
    FUR_TRY(fur_cuda_clear(env, n->bytes, sizeof *n->bytes));
    return fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        FUR_TRY(make_table<Value>(env, a, n));
        narrow<Value><<<fur_sell_blocks(s->slices), SELL_BLOCK, 0, fur_cuda_stream(env)>>>(*s, *n);
        return fur_cuda_launched(env, "narrow: narrow");
    });
}

fur_status fur_narrow_bytes(fur_env *env, const fur_narrow *n, int64_t *bytes)
{
    return fur_cuda_copy(env, bytes, n->bytes, sizeof *bytes);
}

void fur_narrow_release(fur_env *env, fur_narrow *n)
{
    fur_cuda_release(env, n->values);
    fur_cuda_release(env, n->forms);
    fur_cuda_release(env, n->table);
    fur_cuda_release(env, n->count);
    fur_cuda_release(env, n->bytes);
}
