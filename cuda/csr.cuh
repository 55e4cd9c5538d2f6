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
fur_status fur_cuda_csr_transpose_values(fur_env *env, const fur_csr_view *a, bool conjugate,
                                         const fur_csr_view *out);
fur_status fur_cuda_csr_permute(fur_env *env, const fur_csr_view *a, const int32_t *row_order,
                                const int32_t *col_position, const fur_csr_view *b);
fur_status fur_cuda_row_starts(fur_env *env, const fur_csr_view *a, int64_t count,
                               const int32_t *numbers, int64_t most, int64_t *starts);
fur_status fur_cuda_take_rows(fur_env *env, const fur_csr_view *a, const int32_t *numbers,
                              const int64_t *starts, const fur_csr_view *out);
fur_status fur_cuda_csr_diagonal(fur_env *env, const fur_csr_view *a, const int32_t *numbers,
                                 void *d);
fur_status fur_cuda_reciprocals(fur_env *env, fur_value_type value, int64_t n, void *x,
                                int64_t *bad);
fur_status fur_cuda_gather(fur_env *env, fur_value_type value, int64_t n, const int32_t *from,
                           const void *x, void *y);
fur_status fur_cuda_scatter(fur_env *env, fur_value_type value, int64_t n, const int32_t *to,
                            const void *x, void *y);
fur_status fur_cuda_cuthill_mckee(fur_env *env, const fur_csr_view *a, bool reversed,
                                  bool allow_worse, int32_t *order, int32_t *position,
                                  fur_reorder_report *report, bool *found);
fur_status fur_cuda_stencil_starts(fur_env *env, const fur_stencil_view *s, int64_t *starts);
fur_status fur_cuda_stencil_fill(fur_env *env, const fur_stencil_view *s, const int64_t *starts,
                                 const fur_csr_view *a);
fur_status fur_cuda_stencil_diagonal(fur_env *env, const fur_stencil_view *s, void *d);
fur_status fur_cuda_stencil_prove(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                                  int64_t most, int32_t **numbers, int64_t *count);
}

#endif
