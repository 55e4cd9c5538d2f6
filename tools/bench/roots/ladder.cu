// The ladder of M. Harris, Optimizing Parallel Reduction in CUDA (2007), step by step; the
// reduction of Nickolls, Buck, Garland and Skadron, Scalable Parallel Programming with CUDA (ACM
// Queue 2008); and CUB's reduction. Every step is a separate kernel, so that the steps can be
// compared while reading.
//
// Each reads its input once, with one addition a value.
#include "ladder.h"

#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define BLOCK 256
#define WARP 32
#define ALL_LANES 0xffffffffu
// Values of a block in the last step.
#define MANY (64 * BLOCK)

namespace
{

template <class T> __device__ T value_or_0(int64_t n, const T *in, int64_t i)
{
    return i < n ? in[i] : T(0);
}

// In steps 1 to 3, a thread reads one value.
template <class T> __device__ T one_value(int64_t n, const T *in)
{
    return value_or_0(n, in, blockIdx.x * int64_t(BLOCK) + threadIdx.x);
}

// In steps 4 to 6, a thread reads two values and adds them first.
template <class T> __device__ T two_values(int64_t n, const T *in)
{
    int64_t i = blockIdx.x * int64_t(2 * BLOCK) + threadIdx.x;
    return value_or_0(n, in, i) + value_or_0(n, in, i + BLOCK);
}

// 1: the adding threads are spread over all warps, most of which have only a few of them.
template <class T> __global__ void interleaved_divergent(int64_t n, const T *in, T *out)
{
    __shared__ T sum[BLOCK];
    unsigned thread = threadIdx.x;
    sum[thread] = one_value(n, in);
    __syncthreads();
    for (unsigned distance = 1; distance < BLOCK; distance *= 2) {
        if (thread % (2 * distance) == 0)
            sum[thread] += sum[thread + distance];
        __syncthreads();
    }
    if (thread == 0)
        out[blockIdx.x] = sum[0];
}

// 2: the first threads add, but their addresses are in the same banks of shared memory.
template <class T> __global__ void interleaved_strided(int64_t n, const T *in, T *out)
{
    __shared__ T sum[BLOCK];
    unsigned thread = threadIdx.x;
    sum[thread] = one_value(n, in);
    __syncthreads();
    for (unsigned distance = 1; distance < BLOCK; distance *= 2) {
        unsigned i = 2 * distance * thread;
        if (i < BLOCK)
            sum[i] += sum[i + distance];
        __syncthreads();
    }
    if (thread == 0)
        out[blockIdx.x] = sum[0];
}

// Halves the number of sums from `from` down to `to`. Neighbouring threads use neighbouring
// addresses.
template <class T> __device__ void halve(T *sum, unsigned from, unsigned to)
{
    for (unsigned half = from / 2; half >= to; half /= 2) {
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
}

// 3: there are no bank conflicts, but half of the threads are idle from the start.
template <class T> __global__ void sequential(int64_t n, const T *in, T *out)
{
    __shared__ T sum[BLOCK];
    sum[threadIdx.x] = one_value(n, in);
    __syncthreads();
    halve(sum, BLOCK, 1);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum[0];
}

// 4: every thread adds at least once. The remaining costs are instructions and barriers.
template <class T> __global__ void first_add_during_load(int64_t n, const T *in, T *out)
{
    __shared__ T sum[BLOCK];
    sum[threadIdx.x] = two_values(n, in);
    __syncthreads();
    halve(sum, BLOCK, 1);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum[0];
}

// Returns the sum of the first 2 WARP sums, in thread 0. The original relied on lanes of a warp
// that run in lockstep, which is no longer guaranteed. Shuffles synchronise them.
template <class T> __device__ T last_warp(const T *sum)
{
    if (threadIdx.x >= WARP)
        return 0;
    T mine = sum[threadIdx.x] + sum[threadIdx.x + WARP];
#pragma unroll
    for (int half = WARP / 2; half > 0; half /= 2)
        mine += __shfl_down_sync(ALL_LANES, mine, half);
    return mine;
}

// 5: the last warp needs no barriers.
template <class T> __global__ void last_warp_unrolled(int64_t n, const T *in, T *out)
{
    __shared__ T sum[BLOCK];
    sum[threadIdx.x] = two_values(n, in);
    __syncthreads();
    halve(sum, BLOCK, 2 * WARP);
    T total = last_warp(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

// Returns the sum of the values of `Size` threads, without a loop.
template <unsigned Size, class T> __device__ T unrolled(T *sum)
{
    if constexpr (Size == 2 * WARP) {
        return last_warp(sum);
    } else {
        if (threadIdx.x < Size / 2)
            sum[threadIdx.x] += sum[threadIdx.x + Size / 2];
        __syncthreads();
        return unrolled<Size / 2>(sum);
    }
}

// 6: the size of the block is known at compile time.
template <class T> __global__ void completely_unrolled(int64_t n, const T *in, T *out)
{
    __shared__ T sum[BLOCK];
    sum[threadIdx.x] = two_values(n, in);
    __syncthreads();
    T total = unrolled<BLOCK>(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

// 7: most additions are in registers, before any thread waits for another (Brent's theorem).
template <class T> __global__ void several_a_thread(int64_t n, const T *in, T *out)
{
    __shared__ T sum[BLOCK];
    T mine = 0;
    int64_t i = blockIdx.x * int64_t(2 * BLOCK) + threadIdx.x;
    for (; i < n; i += gridDim.x * int64_t(2 * BLOCK))
        mine += in[i] + value_or_0(n, in, i + BLOCK);
    sum[threadIdx.x] = mine;
    __syncthreads();
    T total = unrolled<BLOCK>(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

// The reduction of the 2008 article: one launch, whose blocks add to the total in any order.
template <class T> __global__ void atomic_total(int64_t n, const T *in, T *total)
{
    __shared__ T sum[BLOCK];
    sum[threadIdx.x] = one_value(n, in);
    __syncthreads();
    halve(sum, BLOCK, 1);
    if (threadIdx.x == 0)
        atomicAdd(total, sum[0]);
}

// Test values: integers from a hash of their index (the finalizer of Stafford's variant 13, 2011),
// times a power of two. The host therefore knows their sum exactly.
template <class T> struct random_values;
template <> struct random_values<int> {
    static constexpr int64_t span = 201;
    static constexpr int unit = 1;
    static constexpr double rounding = 0;
};
template <> struct random_values<float> {
    static constexpr int64_t span = int64_t(1) << 24;
    static constexpr float unit = 0x1p-23f;
    static constexpr double rounding = FLT_EPSILON / 2;
};
template <> struct random_values<double> {
    static constexpr int64_t span = int64_t(1) << 32;
    static constexpr double unit = 0x1p-31;
    static constexpr double rounding = DBL_EPSILON / 2;
};

__host__ __device__ inline int64_t random_integer(int64_t i, int64_t span)
{
    uint64_t h = static_cast<uint64_t>(i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return static_cast<int64_t>((h ^ (h >> 31)) >> 16) % span - span / 2;
}

template <class T> __global__ void fill(int64_t n, T *x)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < n)
        x[i] = T(random_integer(i, random_values<T>::span)) * random_values<T>::unit;
}

// The first failed call ends the race. Its name and reason are stored.
struct failure {
    char *text;
    size_t size;

    bool operator()(cudaError_t error, const char *what) const
    {
        if (error != cudaSuccess)
            snprintf(text, size, "%s: %s", what, cudaGetErrorString(error));
        return error != cudaSuccess;
    }
};

struct memory {
    void *data = nullptr;

    memory() = default;
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory()
    {
        cudaFree(data);
    }
    cudaError_t allocate(size_t bytes)
    {
        return cudaMalloc(&data, std::max<size_t>(bytes, 16));
    }
};

struct event {
    cudaEvent_t handle = nullptr;

    event() = default;
    event(const event &) = delete;
    event &operator=(const event &) = delete;
    ~event()
    {
        if (handle)
            cudaEventDestroy(handle);
    }
};

int64_t blocks_for(int64_t n, int64_t values_a_block)
{
    return (n + values_a_block - 1) / values_a_block;
}

// The data of the contenders.
template <class T> struct race {
    int64_t n;
    memory in;
    memory parts[2];
    memory scratch;
    size_t scratch_bytes = 0;
    event begin;
    event end;
    double exact = 0;     // the sum
    double exact_abs = 0; // of the absolute values

    const T *input() const
    {
        return static_cast<const T *>(in.data);
    }
    T *part(int i) const
    {
        return static_cast<T *>(parts[i].data);
    }
};

template <class T> struct contender {
    const char *name;
    // Queues one reduction. *result: the address of the sum.
    cudaError_t (*run)(const race<T> &r, const T **result);
    // The number of roundings that affect a term, with n values.
    double (*roundings)(int64_t n);
};

// Runs passes until one value is left. Each pass leaves one value for each block.
template <class T, void (*Kernel)(int64_t, const T *, T *), int Values>
cudaError_t run_passes(const race<T> &r, const T **result)
{
    const T *from = r.input();
    int64_t left = r.n;
    int side = 0;
    do {
        int64_t blocks = blocks_for(left, Values);
        Kernel<<<static_cast<unsigned>(blocks), BLOCK>>>(left, from, r.part(side));
        from = r.part(side);
        left = blocks;
        side = 1 - side;
    } while (left > 1);
    *result = from;
    return cudaGetLastError();
}

template <class T> cudaError_t run_atomic(const race<T> &r, const T **result)
{
    cudaError_t error = cudaMemsetAsync(r.part(0), 0, sizeof(T));
    if (error != cudaSuccess)
        return error;
    atomic_total<<<static_cast<unsigned>(blocks_for(r.n, BLOCK)), BLOCK>>>(r.n, r.input(),
                                                                           r.part(0));
    *result = r.part(0);
    return cudaGetLastError();
}

template <class T> cudaError_t run_cub(const race<T> &r, const T **result)
{
    size_t bytes = r.scratch_bytes;
    *result = r.part(0);
    return cub::DeviceReduce::Sum(r.scratch.data, bytes, r.input(), r.part(0), r.n);
}

// A term goes through log2(BLOCK) additions in each pass, and the additions in registers.
template <int Values> double roundings_of_passes(int64_t n)
{
    double roundings = 0;
    for (; n > 1; n = blocks_for(n, Values))
        roundings += Values / BLOCK + std::log2(BLOCK);
    return roundings;
}

// For additions of n values in any order, the error grows like the square root of their number
// (Higham and Mary, A new approach to probabilistic rounding error analysis, 2019; lambda = 8).
double roundings_of_any_order(int64_t n)
{
    return 8 * std::sqrt(static_cast<double>(n));
}

template <class T, void (*Kernel)(int64_t, const T *, T *), int Values>
contender<T> step(const char *name)
{
    return {name, run_passes<T, Kernel, Values>, roundings_of_passes<Values>};
}

template <class T> std::vector<contender<T>> contenders()
{
    return {
        step<T, interleaved_divergent<T>, BLOCK>("1 interleaved, divergent"),
        step<T, interleaved_strided<T>, BLOCK>("2 interleaved, strided"),
        step<T, sequential<T>, BLOCK>("3 sequential"),
        step<T, first_add_during_load<T>, 2 * BLOCK>("4 first add during load"),
        step<T, last_warp_unrolled<T>, 2 * BLOCK>("5 last warp unrolled"),
        step<T, completely_unrolled<T>, 2 * BLOCK>("6 completely unrolled"),
        step<T, several_a_thread<T>, MANY>("7 several elements a thread"),
        {"atomicAdd, one launch", run_atomic<T>, roundings_of_any_order},
        {"CUB DeviceReduce::Sum", run_cub<T>, roundings_of_any_order},
    };
}

template <class T> void sum_exactly(race<T> *r)
{
    int64_t sum = 0;
    double sum_abs = 0;
    for (int64_t i = 0; i < r->n; i++) {
        int64_t k = random_integer(i, random_values<T>::span);
        sum += k;
        sum_abs += static_cast<double>(k < 0 ? -k : k);
    }
    r->exact = static_cast<double>(sum) * random_values<T>::unit;
    r->exact_abs = sum_abs * random_values<T>::unit;
}

template <class T> bool prepare(race<T> *r, const failure &failed)
{
    size_t bytes = static_cast<size_t>(r->n) * sizeof(T);
    size_t part_bytes = static_cast<size_t>(blocks_for(r->n, BLOCK)) * sizeof(T);
    if (failed(r->in.allocate(bytes), "cudaMalloc of the input") ||
        failed(r->parts[0].allocate(part_bytes), "cudaMalloc of partial sums") ||
        failed(r->parts[1].allocate(part_bytes), "cudaMalloc of partial sums") ||
        failed(cub::DeviceReduce::Sum(nullptr, r->scratch_bytes, r->input(), r->part(0), r->n),
               "cub::DeviceReduce::Sum") ||
        failed(r->scratch.allocate(r->scratch_bytes), "cudaMalloc of CUB's scratch") ||
        failed(cudaEventCreate(&r->begin.handle), "cudaEventCreate") ||
        failed(cudaEventCreate(&r->end.handle), "cudaEventCreate"))
        return false;
    fill<<<static_cast<unsigned>(blocks_for(r->n, BLOCK)), BLOCK>>>(r->n,
                                                                    static_cast<T *>(r->in.data));
    if (failed(cudaGetLastError(), "filling the input"))
        return false;
    sum_exactly(r);
    return !failed(cudaDeviceSynchronize(), "filling the input");
}

template <class T>
bool run_timed(const race<T> &r, const contender<T> &c, const failure &failed, double *seconds,
               const T **result)
{
    float milliseconds = 0;
    if (failed(cudaEventRecord(r.begin.handle), "cudaEventRecord") ||
        failed(c.run(r, result), c.name) ||
        failed(cudaEventRecord(r.end.handle), "cudaEventRecord") ||
        failed(cudaEventSynchronize(r.end.handle), c.name) ||
        failed(cudaEventElapsedTime(&milliseconds, r.begin.handle, r.end.handle),
               "cudaEventElapsedTime"))
        return false;
    *seconds = 1e-3 * milliseconds;
    return true;
}

double median(std::vector<double> &times)
{
    std::sort(times.begin(), times.end());
    size_t middle = times.size() / 2;
    return times.size() % 2 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

template <class T>
bool measure(const race<T> &r, const contender<T> &c, int rounds, const failure &failed,
             ladder_row *row)
{
    const int warm_up = 3;
    std::vector<double> times(static_cast<size_t>(rounds + warm_up));
    const T *result = nullptr;
    T sum = 0;
    for (double &seconds : times)
        if (!run_timed(r, c, failed, &seconds, &result))
            return false;
    if (failed(cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost), "cudaMemcpy"))
        return false;
    times.erase(times.begin(), times.begin() + warm_up);
    double bound = random_values<T>::rounding * c.roundings(r.n) * r.exact_abs;
    row->name = c.name;
    row->seconds = median(times);
    row->gbps = 1e-9 * static_cast<double>(r.n) * sizeof(T) / row->seconds;
    row->result_ok = std::fabs(static_cast<double>(sum) - r.exact) <= bound;
    return true;
}

template <class T>
bool run_ladder(int64_t n, int rounds, ladder_row rows[], int max_rows, int *count,
                const failure &failed)
{
    race<T> r;
    r.n = n;
    if (!prepare(&r, failed))
        return false;
    int done = 0;
    for (const contender<T> &c : contenders<T>()) {
        if (done == max_rows)
            break;
        ladder_row *row = &rows[done];
        if (!measure(r, c, std::max(rounds, 20), failed, row))
            return false;
        row->step_speedup = done > 0 ? rows[done - 1].seconds / row->seconds : 1;
        row->total_speedup = rows[0].seconds / row->seconds;
        done++;
    }
    *count = done;
    return true;
}

} // namespace

extern "C" int ladder_run(const char *type, int64_t n, int rounds, ladder_row rows[], int max_rows,
                          int *count, char *error, size_t error_size)
{
    failure failed = {error, error_size};
    // Blocks with one value for each thread are indexed by 31 bits.
    if (n <= 0 || n > int64_t(INT32_MAX) * BLOCK) {
        snprintf(error, error_size, "%lld values: must be 1 to 2^39", static_cast<long long>(n));
        return -1;
    }
    bool ok = false;
    if (strcmp(type, "i32") == 0)
        ok = run_ladder<int>(n, rounds, rows, max_rows, count, failed);
    else if (strcmp(type, "f32") == 0)
        ok = run_ladder<float>(n, rounds, rows, max_rows, count, failed);
    else if (strcmp(type, "f64") == 0)
        ok = run_ladder<double>(n, rounds, rows, max_rows, count, failed);
    else
        snprintf(error, error_size, "type %s: must be i32, f32 or f64", type);
    return ok ? 0 : -1;
}
