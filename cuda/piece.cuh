// A vector in pieces of 16 bytes, the most that a thread loads at once. The kernels are written for
// pieces; a vector's end, and a borrowed vector that is aligned to its entries only, are served
// entry by entry by the same code.
#ifndef FURROW_CUDA_PIECE_CUH
#define FURROW_CUDA_PIECE_CUH

#include "value.cuh"

template <class Value> struct alignas(16) fur_piece {
    static constexpr int entries = 16 / sizeof(Value);
    Value entry[entries];
};

static inline bool fur_in_pieces(const void *vector)
{
    return reinterpret_cast<uintptr_t>(vector) % 16 == 0;
}

// The entries from x on. Whole: they all exist, and x is a multiple of 16 bytes; otherwise the
// first `left` exist, which may be more than a piece or less than none, and no others are touched.
template <bool Whole, class Value>
__device__ inline void fur_load(fur_piece<Value> *piece, const Value *x, int left)
{
    if constexpr (Whole) {
        *piece = *reinterpret_cast<const fur_piece<Value> *>(x);
    } else {
#pragma unroll
        for (int i = 0; i < fur_piece<Value>::entries; i++)
            if (i < left)
                piece->entry[i] = x[i];
    }
}

template <bool Whole, class Value>
__device__ inline void fur_store(const fur_piece<Value> &piece, Value *x, int left)
{
    if constexpr (Whole) {
        *reinterpret_cast<fur_piece<Value> *>(x) = piece;
    } else {
#pragma unroll
        for (int i = 0; i < fur_piece<Value>::entries; i++)
            if (i < left)
                x[i] = piece.entry[i];
    }
}

#endif
