// Vectors on the device: the shared part of element-wise operations, reductions, permutations and
// reciprocals.
//
// A vector is read in pieces of 16 bytes. The same code handles single entries at a vector's end,
// and in a borrowed vector that is not aligned to 16 bytes.
#ifndef FURROW_CUDA_VECTOR_CUH
#define FURROW_CUDA_VECTOR_CUH

#include "device.cuh"
#include "slot.h"
#include "value.cuh"

extern "C" {
extern const fur_elementwise_kernels fur_cuda_elementwise;
extern const fur_reduction_kernels fur_cuda_reduction;

// The vector functions of fur_remote.
fur_status fur_cuda_gather(fur_env *env, fur_value_type value, int64_t n, const int32_t *from,
                           const void *x, void *y);
fur_status fur_cuda_scatter(fur_env *env, fur_value_type value, int64_t n, const int32_t *to,
                            const void *x, void *y);
fur_status fur_cuda_round_single(fur_env *env, int64_t n, const double *x, double *y);
fur_status fur_cuda_fill_hashed(fur_env *env, int64_t n, uint64_t first, bool single, void *x);
fur_status fur_cuda_is_constant(fur_env *env, fur_value_type value, int64_t n, const void *x,
                                bool *constant);
fur_status fur_cuda_reciprocals(fur_env *env, fur_value_type value, int64_t n, void *x,
                                int64_t *bad);
}

static inline bool fur_in_pieces(const void *vector)
{
    return reinterpret_cast<uintptr_t>(vector) % 16 == 0;
}

// Loads the entries from x on. Whole: all of them exist, and x is a multiple of 16 bytes. Otherwise
// only the entries from `first` to left-1 exist, and no others are accessed. Both bounds may be
// outside the piece.
template <bool Whole, class Value>
__device__ inline void fur_load(fur_piece<Value> *piece, const Value *x, int left, int first = 0)
{
    if constexpr (Whole) {
        *piece = *reinterpret_cast<const fur_piece<Value> *>(x);
    } else {
#pragma unroll
        for (int i = 0; i < fur_piece<Value>::entries; i++)
            if (i >= first && i < left)
                piece->entry[i] = x[i];
    }
}

// Writes the entries that fur_load reads.
template <bool Whole, class Value>
__device__ inline void fur_store(const fur_piece<Value> &piece, Value *x, int left, int first = 0)
{
    if constexpr (Whole) {
        *reinterpret_cast<fur_piece<Value> *>(x) = piece;
    } else {
#pragma unroll
        for (int i = 0; i < fur_piece<Value>::entries; i++)
            if (i >= first && i < left)
                x[i] = piece.entry[i];
    }
}

// Reads a coefficient on the device. Every thread calls it at the beginning of a kernel. Returns
// false in all threads if the kernel must do nothing. The scalars are then halted. Threads that
// read the scalars later see them as halted instead of nonfinite, with the same result.
__device__ inline bool fur_coefficient_read(const fur_ratio &ratio, fur_scalar *out)
{
    bool usable = fur_ratio_value(&ratio, out);
    if (!usable && blockIdx.x == 0 && threadIdx.x == 0)
        fur_ratio_halt(&ratio);
    return usable;
}

// The memory of reductions in a context: FUR_SUMS doubles for each block, and a ticket for each
// group of vectors.
#define FUR_SUMS 8
#define FUR_REDUCTION_THREADS 128
// Each thread of the last block combines the results of 32 blocks.
#define FUR_REDUCTION_BLOCKS (32 * FUR_REDUCTION_THREADS)

#define FUR_PARTIALS (FUR_SUMS * FUR_REDUCTION_BLOCKS)
#define FUR_TICKETS (2 * FUR_MANY_MAX / FUR_SUMS)

#endif
