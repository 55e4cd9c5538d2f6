/* The specifier of functions that the host and CUDA devices share. */
#ifndef FURROW_BASE_ANYWHERE_H
#define FURROW_BASE_ANYWHERE_H

#ifdef __CUDACC__
#    define FUR_ANYWHERE static inline __host__ __device__
#else
#    define FUR_ANYWHERE static inline
#endif

#endif
