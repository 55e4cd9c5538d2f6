// The largest sum of the moduli in a row, in the order of docs/numerics.md. A row is summed in
// segments of FUR_ROW_SEGMENT entries, and then the segment sums are added in order. A block copies
// the moduli of its rows into shared memory in pieces, and each thread adds those in its row.
#include "algebra.cuh"
#include "magnitude.cuh"

#define BLOCK 256
#define PIECE 2048

namespace
{

// The running sum of a row, as in src/algebra/norms.c.
struct tally {
    double whole;
    double part;
    int64_t count;

    __device__ void add(double modulus)
    {
        part += modulus;
        if (++count % FUR_ROW_SEGMENT == 0) {
            whole += part;
            part = 0;
        }
    }
};

// Magnitudes are ordered like their bits, and NaN is above infinity.
__device__ unsigned long long bits_of(double x)
{
    return static_cast<unsigned long long>(__double_as_longlong(fabs(x)));
}

// *largest = the bits of the largest sum. Bytes: the size of each entry and an offset for each row.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    sum_rows(fur_row_starts starts, const Value *values, int64_t rows, unsigned long long *largest)
{
    __shared__ double moduli[PIECE];
    __shared__ unsigned long long block;
    int64_t first = blockIdx.x * int64_t(BLOCK);
    int64_t last = starts[min(first + BLOCK, rows)];
    int64_t own = min(first + threadIdx.x, rows);
    int64_t begin = starts[own];
    int64_t end = own < rows ? starts[own + 1] : begin;
    tally t = {0, 0, 0};
    if (threadIdx.x == 0)
        block = 0;
    for (int64_t piece = starts[first]; piece < last; piece += PIECE) {
        int64_t stop = min(piece + PIECE, last);
        __syncthreads();
        for (int64_t k = piece + threadIdx.x; k < stop; k += BLOCK)
            moduli[k - piece] = magnitude(fur_stream(values + k));
        __syncthreads();
        for (int64_t k = max(begin, piece); k < min(end, stop); k++)
            t.add(moduli[k - piece]);
    }
    unsigned long long mine = bits_of(t.whole + t.part);
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
        mine = max(mine, __shfl_down_sync(~0U, mine, half));
    __syncthreads();
    if (threadIdx.x % FUR_WARP == 0)
        atomicMax(&block, mine);
    __syncthreads();
    if (threadIdx.x == 0 && block > 0)
        atomicMax(largest, block);
}

fur_status find(fur_env *env, const fur_csr_view *a, unsigned long long *largest, int64_t *bits)
{
    FUR_TRY(fur_cuda_clear(env, largest, sizeof *largest));
    FUR_TRY(fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        sum_rows<<<fur_blocks(a->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            fur_starts_of(a), static_cast<const Value *>(a->values), a->rows, largest);
        return fur_cuda_launched(env, "sums of rows");
    }));
    return fur_cuda_copy(env, bits, largest, sizeof *bits);
}

} // namespace

fur_status fur_cuda_csr_norm_inf(fur_env *env, const fur_csr_view *a, double *out)
{
    unsigned long long *largest;
    int64_t bits = 0;
    if (a->rows == 0) {
        *out = 0;
        return FUR_OK;
    }
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *largest, &largest));
    fur_status status = find(env, a, largest, &bits);
    fur_cuda_release(env, largest);
    if (status == FUR_OK)
        *out = fur_magnitude_from(bits);
    return status;
}
