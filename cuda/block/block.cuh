// Operations on blocks of vectors, and products by dense blocks, for the backend's table.
#ifndef FURROW_CUDA_BLOCK_CUH
#define FURROW_CUDA_BLOCK_CUH

#include "device.cuh"

extern "C" {
extern const fur_block_kernels fur_cuda_block;
fur_block_operation fur_cuda_block_multiply;
fur_dense_blocks_apply fur_cuda_dense_blocks;
}

#endif
