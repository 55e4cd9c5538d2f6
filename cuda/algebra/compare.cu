// Compares two matrices within a tolerance. A thread merges a row of A with the same row of B. The
// host combines the findings of the blocks. If two differences are equal, the difference in the
// earlier row counts.
#include "algebra.cuh"
#include "magnitude.cuh"

#define BLOCK 128
#define BLOCKS_A_MULTIPROCESSOR 16

namespace
{

// The findings in a range of rows, with the fields of fur_csr_difference.
struct finding {
    int64_t beyond;
    // bits of the largest difference; they compare like magnitudes, and NaN is above infinity
    int64_t bits;
    int64_t row;
    int64_t col;
    fur_scalar a;
    fur_scalar b;
};

template <class Value> __device__ fur_scalar widen(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {double(a.re), double(a.im)};
    else
        return {double(a), 0};
}

// Returns the modulus of x - y, for a part of an entry. Equal parts give 0 without a subtraction,
// which would turn inf - inf into NaN.
__device__ double distance(double x, double y)
{
    return x == y || (isnan(x) && isnan(y)) ? 0 : x - y;
}

// Adds the findings of later rows. They replace the largest difference only if theirs is larger.
__host__ __device__ void join(finding *f, const finding &other)
{
    int64_t beyond = f->beyond + other.beyond;
    if (other.bits > f->bits || (other.bits == f->bits && other.bits > 0 && other.row < f->row))
        *f = other;
    f->beyond = beyond;
}

struct tolerance {
    double rtol;
    double atol;
};

__device__ void compare_entries(tolerance t, int64_t row, int64_t col, fur_scalar a, fur_scalar b,
                                finding *f)
{
    double apart = fur_magnitude(distance(a.re, b.re), distance(a.im, b.im));
    if (apart == 0)
        return;
    if (!(apart <= t.atol + t.rtol * fur_magnitude(b.re, b.im)) || isinf(apart))
        f->beyond++;
    int64_t bits = __double_as_longlong(fabs(apart));
    if (bits > f->bits)
        *f = {f->beyond, bits, row, col, a, b};
}

// Bytes: A and B.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    compare(fur_matrix<Value> a, fur_matrix<Value> b, int64_t rows, tolerance t, finding *found)
{
    __shared__ finding all[BLOCK];
    finding f = {};
    for (int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x; row < rows;
         row += gridDim.x * int64_t(BLOCK)) {
        int64_t i = a.starts[row];
        int64_t j = b.starts[row];
        int64_t i_end = a.starts[row + 1];
        int64_t j_end = b.starts[row + 1];
        while (i < i_end || j < j_end) {
            int64_t left = i < i_end ? int64_t(a.columns[i]) : INT64_MAX;
            int64_t right = j < j_end ? int64_t(b.columns[j]) : INT64_MAX;
            fur_scalar of_a = left <= right ? widen(a.values[i]) : fur_scalar{0, 0};
            fur_scalar of_b = right <= left ? widen(b.values[j]) : fur_scalar{0, 0};
            compare_entries(t, row, min(left, right), of_a, of_b, &f);
            i += left <= right;
            j += right <= left;
        }
    }
    all[threadIdx.x] = f;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            join(&all[threadIdx.x], all[threadIdx.x + half]);
    }
    if (threadIdx.x == 0)
        found[blockIdx.x] = all[0];
}

fur_status launch(fur_env *env, const fur_csr_view *a, const fur_csr_view *b, tolerance t,
                  unsigned blocks, finding *found)
{
    return fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        compare<<<blocks, BLOCK, 0, fur_cuda_stream(env)>>>(
            fur_matrix<Value>(a), fur_matrix<Value>(b), a->rows, t, found);
        return fur_cuda_launched(env, "compare");
    });
}

// Combines the findings of the blocks, which are in host memory.
void report(const finding *found, unsigned blocks, fur_csr_difference *out)
{
    finding f = found[0];
    for (unsigned block = 1; block < blocks; block++)
        join(&f, found[block]);
    *out = {out->size, f.beyond, fur_magnitude_from(f.bits), f.row, f.col, f.a, f.b};
}

} // namespace

// Sets every member of *out except `size`.
fur_status fur_cuda_csr_compare(fur_env *env, const fur_csr_view *a, const fur_csr_view *b,
                                double rtol, double atol, fur_csr_difference *out)
{
    finding *found = nullptr;
    finding *near = nullptr;
    int64_t most = int64_t(env->device->multiprocessors) * BLOCKS_A_MULTIPROCESSOR;
    int64_t needed = fur_ceil_div(a->rows, BLOCK);
    auto blocks = static_cast<unsigned>(needed < most ? needed : most);
    int64_t bytes = blocks * int64_t(sizeof *found);
    if (blocks == 0) {
        *out = {out->size, 0, 0, 0, 0, {0, 0}, {0, 0}};
        return FUR_OK;
    }
    FUR_TRY(fur_env_allocate(env, blocks, sizeof *near, &near));
    fur_status status = fur_cuda_allocate(env, blocks, sizeof *found, &found);
    if (status == FUR_OK)
        status = launch(env, a, b, {rtol, atol}, blocks, found);
    if (status == FUR_OK)
        status = fur_cuda_copy(env, near, found, bytes);
    if (status == FUR_OK)
        report(near, blocks, out);
    fur_cuda_release(env, found);
    fur_env_release(env, near);
    return status;
}
