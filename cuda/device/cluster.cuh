// The largest group of blocks with a fast barrier: a cluster of eight blocks, or one block on a
// device without clusters.
#ifndef FURROW_CUDA_CLUSTER_CUH
#define FURROW_CUDA_CLUSTER_CUH

#include "device.cuh"

#include <cooperative_groups.h>

#define FUR_CLUSTER_BLOCKS 8
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#    define FUR_CLUSTER FUR_CLUSTER_BLOCKS
#else
#    define FUR_CLUSTER 1
#endif

// Returns the number of the calling block in its cluster.
__device__ inline unsigned fur_cluster_rank()
{
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().block_rank();
#else
    return 0;
#endif
}

// Barrier of all threads in the cluster. Afterwards, each thread sees what the others wrote.
__device__ inline void fur_cluster_wait()
{
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#else
    __syncthreads();
#endif
}

static inline cudaLaunchAttribute fur_cluster_attribute()
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = FUR_CLUSTER_BLOCKS;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    return attribute;
}

// Sets *out to whether a kernel was compiled for a device with clusters.
template <class Kernel> fur_status fur_has_clusters(fur_env *env, Kernel *kernel, bool *out)
{
    cudaFuncAttributes attributes;
    FUR_CUDA(env, cudaFuncGetAttributes(&attributes, kernel));
    *out = attributes.ptxVersion >= 90;
    return FUR_OK;
}

// Launches a kernel on one cluster. Each block has `threads` threads and `bytes` bytes of shared
// memory.
template <class... Parameters, class... Arguments>
fur_status fur_launch_cluster(fur_env *env, void (*kernel)(Parameters...), unsigned threads,
                              size_t bytes, Arguments... arguments)
{
    cudaLaunchAttribute attribute = fur_cluster_attribute();
    cudaLaunchConfig_t config = {};
    bool clustered = false;
    FUR_TRY(fur_has_clusters(env, kernel, &clustered));
    config.gridDim = clustered ? FUR_CLUSTER_BLOCKS : 1;
    config.blockDim = threads;
    config.dynamicSmemBytes = bytes;
    config.stream = fur_cuda_stream(env);
    config.attrs = &attribute;
    config.numAttrs = clustered ? 1 : 0;
    FUR_CUDA(env, cudaLaunchKernelEx(&config, kernel, arguments...));
    return FUR_OK;
}

#endif
