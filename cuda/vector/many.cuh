// Several vectors that a kernel reads together with one vector.
#ifndef FURROW_CUDA_MANY_CUH
#define FURROW_CUDA_MANY_CUH

#include "vector.cuh"

namespace
{

// The vectors as kernel arguments.
template <class Value> struct many_of {
    int64_t n;
    int count;
    bool in_pieces; // they and y are aligned to pieces
    Value *y;
    const Value *x[FUR_MANY_MAX];
    Value alpha[FUR_MANY_MAX];

    many_of(int64_t size, const fur_many *m, const void *vector)
        : n(size), count(m->count), in_pieces(fur_in_pieces(vector)),
          y(static_cast<Value *>(const_cast<void *>(vector)))
    {
        for (int k = 0; k < count; k++) {
            x[k] = static_cast<const Value *>(m->x[k]);
            alpha[k] = fur_from<Value>(m->alpha[k]);
            in_pieces = in_pieces && fur_in_pieces(x[k]);
        }
    }
};

// y += sum_k alpha_k x_k for a thread's pieces of several rows, from entry `at` on. Pieces are
// loaded and stored by the rules of fur_load.
template <bool Whole, class Value, int Rows>
__device__ inline void add_rows(const many_of<Value> &m, int64_t at, int left,
                                fur_piece<Value> (&y)[Rows], int first = 0)
{
    constexpr int entries = fur_piece<Value>::entries;
    constexpr int row = FUR_WARP * entries;
#pragma unroll
    for (int r = 0; r < Rows; r++)
        fur_load<Whole>(&y[r], m.y + at + r * row, left - r * row, first - r * row);
#pragma unroll(4 / Rows)
    for (int k = 0; k < m.count; k++) {
        fur_piece<Value> x[Rows];
#pragma unroll
        for (int r = 0; r < Rows; r++)
            fur_load<Whole>(&x[r], m.x[k] + at + r * row, left - r * row, first - r * row);
#pragma unroll
        for (int r = 0; r < Rows; r++)
#pragma unroll
            for (int i = 0; i < entries; i++)
                y[r].entry[i] = fur_fma(m.alpha[k], x[r].entry[i], y[r].entry[i]);
    }
#pragma unroll
    for (int r = 0; r < Rows; r++)
        fur_store<Whole>(y[r], m.y + at + r * row, left - r * row, first - r * row);
}

} // namespace

#endif
