// Products with the inverse of the coarsest matrix.
#ifndef FURROW_CUDA_AMG_INVERSE_CUH
#define FURROW_CUDA_AMG_INVERSE_CUH

#include "device.cuh"

// Rows of a block, one for each thread, and the columns that it loads at once.
#define FUR_INVERSE_ROWS FUR_WARP
#define FUR_INVERSE_COLUMNS 128

struct fur_inverse_tile {
    double entry[FUR_INVERSE_COLUMNS][FUR_INVERSE_ROWS];
    double part[FUR_INVERSE_COLUMNS];
};

// Rows top .. top + 31 of x = G b. Needs a block of at least 128 threads. The columns are added in
// order.
template <class Real>
__device__ void fur_apply_inverse(int64_t order, const double *inverse, const Real *b, Real *x,
                                  int64_t top, fur_inverse_tile *tile)
{
    int rows = static_cast<int>(min(order - top, int64_t(FUR_INVERSE_ROWS)));
    int lane = threadIdx.x % FUR_INVERSE_ROWS;
    int thread = static_cast<int>(threadIdx.x);
    int step = static_cast<int>(blockDim.x) / FUR_INVERSE_ROWS;
    double sum = 0;
    for (int64_t first = 0; first < order; first += FUR_INVERSE_COLUMNS) {
        int count = static_cast<int>(min(order - first, int64_t(FUR_INVERSE_COLUMNS)));
        __syncthreads();
        for (int j = thread / FUR_INVERSE_ROWS; j < count && lane < rows; j += step)
            tile->entry[j][lane] = inverse[(first + j) * order + top + lane];
        if (thread < count)
            tile->part[thread] = double(b[first + thread]);
        __syncthreads();
        if (thread < rows)
#pragma unroll 8
            for (int j = 0; j < count; j++)
                sum += tile->entry[j][lane] * tile->part[j];
    }
    if (thread < rows)
        x[top + lane] = static_cast<Real>(sum);
}

#endif
