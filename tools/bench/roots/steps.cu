// The list of the steps, test arrays for the race, and the comparison of the bits of results.
#include "dense.cuh"

#define BLOCK 256

namespace
{

// Half a unit in the last place of tf32, which has eleven bits.
#define TF32_ERROR 0x1p-11

const dense_step doubles[] = {
    {"1 naive", 0, dense_run_naive<double>},
    {"2 shared tiles", 0, dense_run_tile<double>},
    {"3 register tiles", 0, dense_run_registers<double>},
    {"4 16-byte loads, two buffers", 0, dense_run_vectors<double>},
    {"5 warp tiles", 0, dense_run_warps<double>},
    {"6 tensor cores", 0, dense_run_tensor<double>},
};

const dense_step singles[] = {
    {"1 naive", 0, dense_run_naive<float>},
    {"2 shared tiles", 0, dense_run_tile<float>},
    {"3 register tiles", 0, dense_run_registers<float>},
    {"4 16-byte loads, two buffers", 0, dense_run_vectors<float>},
    {"5 warp tiles", 0, dense_run_warps<float>},
    {"6 tensor cores, tf32", TF32_ERROR, dense_run_tensor<float>},
};

template <int count> const dense_step *step_at(const dense_step (&steps)[count], int index)
{
    return index >= 0 && index < count ? &steps[index] : nullptr;
}

template <class T> __global__ void fill(uint32_t seed, int64_t count, T *x)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < count)
        x[i] = static_cast<T>(dense_entry(seed, i));
}

// Word is an integer of the same size as the type.
template <class Word>
__global__ void compare(int64_t count, const Word *x, const Word *y, unsigned long long *different)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    int block_different = __syncthreads_count(i < count && x[i] != y[i]);
    if (threadIdx.x == 0 && block_different > 0)
        atomicAdd(different, static_cast<unsigned long long>(block_different));
}

unsigned blocks_for(int64_t count)
{
    return static_cast<unsigned>((count + BLOCK - 1) / BLOCK);
}

template <class Word>
cudaError_t count_different(int64_t count, const void *x, const void *y, cudaStream_t stream,
                            unsigned long long *different)
{
    unsigned long long *counter = nullptr;
    cudaError_t error = cudaMallocAsync(&counter, sizeof *counter, stream);
    if (error != cudaSuccess)
        return error;
    cudaMemsetAsync(counter, 0, sizeof *counter, stream);
    compare<<<blocks_for(count), BLOCK, 0, stream>>>(count, static_cast<const Word *>(x),
                                                     static_cast<const Word *>(y), counter);
    cudaMemcpyAsync(different, counter, sizeof *different, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(counter, stream);
    return cudaStreamSynchronize(stream);
}

} // namespace

extern "C" const dense_step *dense_step_at(int is_double, int index)
{
    return is_double ? step_at(doubles, index) : step_at(singles, index);
}

extern "C" int dense_fill(int is_double, uint32_t seed, int64_t count, void *x, void *stream)
{
    auto on = static_cast<cudaStream_t>(stream);
    if (is_double)
        fill<<<blocks_for(count), BLOCK, 0, on>>>(seed, count, static_cast<double *>(x));
    else
        fill<<<blocks_for(count), BLOCK, 0, on>>>(seed, count, static_cast<float *>(x));
    return cudaGetLastError();
}

extern "C" int dense_compare(int is_double, int64_t count, const void *x, const void *y,
                             void *stream, int64_t *different)
{
    auto on = static_cast<cudaStream_t>(stream);
    unsigned long long found = 0;
    cudaError_t error = is_double ? count_different<uint64_t>(count, x, y, on, &found)
                                  : count_different<uint32_t>(count, x, y, on, &found);
    *different = static_cast<int64_t>(found);
    return error;
}
