// Vectors on the device: element-wise operations, reductions, entries moved and inverted. What they
// share is here.
//
// A vector is read in pieces of 16 bytes. The kernels are written for pieces; a vector's end, and a
// borrowed vector that is aligned to its entries only, are served entry by entry by the same code.
#ifndef FURROW_CUDA_VECTOR_CUH
#define FURROW_CUDA_VECTOR_CUH

#include "device.cuh"
#include "slot.h"
#include "value.cuh"

extern "C" {
extern const fur_elementwise_kernels fur_cuda_elementwise;
extern const fur_reduction_kernels fur_cuda_reduction;

// The vector part of fur_remote.
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

// The entries from x on. Whole: they all exist, and x is a multiple of 16 bytes; otherwise those
// from `first` to left-1 exist, of which both may be out of the piece, and no others are touched.
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

// Reads a coefficient that lies on the device: every thread does, where a kernel begins.
// False, for all threads alike, if the kernel must do nothing; the scalars are halted then. Threads
// that read them after that find them halted instead of not finite, which is no difference.
__device__ inline bool fur_coefficient_read(const fur_ratio &ratio, fur_scalar *out)
{
    bool usable = fur_ratio_value(&ratio, out);
    if (!usable && blockIdx.x == 0 && threadIdx.x == 0)
        fur_ratio_halt(&ratio);
    return usable;
}

// The memory of reductions in a context: so many doubles a block, and a ticket for each group of
// vectors.
#define FUR_SUMS 8
#define FUR_REDUCTION_THREADS 128
// The last block combines the others' results 32 to one for each of its threads.
#define FUR_REDUCTION_BLOCKS (32 * FUR_REDUCTION_THREADS)

#define FUR_PARTIALS (FUR_SUMS * FUR_REDUCTION_BLOCKS)
#define FUR_TICKETS (2 * FUR_MANY_MAX / FUR_SUMS)

#endif
