// The matrix part of fur_remote.
#ifndef FURROW_CUDA_CSR_CUH
#define FURROW_CUDA_CSR_CUH

#include "kernel.h"

extern "C" {
fur_status fur_cuda_find_bad_offset(fur_env *env, const fur_csr_view *a, int64_t *row);
fur_status fur_cuda_find_bad_column(fur_env *env, const fur_csr_view *a, int64_t *row);
fur_status fur_cuda_csr_measure(fur_env *env, const fur_csr_view *a, fur_csr_statistics *out);
fur_status fur_cuda_spmv_profile(fur_env *env, const fur_csr_view *a, fur_spmv_profile *out);
fur_status fur_cuda_csr_transpose(fur_env *env, const fur_csr_view *a, bool conjugate,
                                  const fur_csr_view *out);
fur_status fur_cuda_csr_diagonal(fur_env *env, const fur_csr_view *a, void *d);
}

#endif
