// Shared code of the kernels that make whole matrices on the device. A result is made in two
// passes, as on the CPU (src/algebra/recipe.c). The first pass counts the entries of each row, and
// a prefix sum turns these lengths into offsets. The second pass writes the entries.
#ifndef FURROW_CUDA_ALGEBRA_CUH
#define FURROW_CUDA_ALGEBRA_CUH

#include "csr.cuh"
#include "device.cuh"
#include "value.cuh"

extern "C" {
// The algebra functions of fur_remote.
fur_status fur_cuda_making_count(fur_env *env, const fur_making *m, int64_t *starts);
fur_status fur_cuda_making_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                                const fur_csr_view *out);
fur_status fur_cuda_count_up(fur_env *env, const fur_csr_view *out);
fur_status fur_cuda_csr_scale(fur_env *env, const fur_csr_view *a, const void *r, const void *c,
                              void *values);
fur_status fur_cuda_scale_by_rows(fur_env *env, const fur_csr_view *a, void *v);
fur_status fur_cuda_row_errors(fur_env *env, const fur_csr_view *a, const void *b, const void *x,
                               void *errors);
fur_status fur_cuda_csr_norm_inf(fur_env *env, const fur_csr_view *a, double *out);
fur_status fur_cuda_csr_compare(fur_env *env, const fur_csr_view *a, const fur_csr_view *b,
                                double rtol, double atol, fur_csr_difference *out);

// The first function writes the length of each row of the result, followed by a 0. The second
// writes its columns and values.
fur_status fur_cuda_merge_lengths(fur_env *env, const fur_making *m, int64_t *lengths);
fur_status fur_cuda_merge_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                               const fur_csr_view *out);
fur_status fur_cuda_kron_lengths(fur_env *env, const fur_making *m, int64_t *lengths);
fur_status fur_cuda_kron_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                              const fur_csr_view *out);
fur_status fur_cuda_shift_lengths(fur_env *env, const fur_making *m, int64_t *lengths);
fur_status fur_cuda_shift_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                               const fur_csr_view *out);
fur_status fur_cuda_slice_lengths(fur_env *env, const fur_making *m, int64_t *lengths);
fur_status fur_cuda_slice_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                               const fur_csr_view *out);
fur_status fur_cuda_sieve_lengths(fur_env *env, const fur_making *m, int64_t *lengths);
fur_status fur_cuda_sieve_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                               const fur_csr_view *out);
fur_status fur_cuda_blocks_lengths(fur_env *env, const fur_making *m, int64_t *lengths);
fur_status fur_cuda_blocks_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                                const fur_csr_view *out);
}

// A matrix as the kernels read it.
template <class Value> struct fur_matrix {
    fur_row_starts starts;
    const int32_t *columns;
    const Value *values;

    explicit fur_matrix(const fur_csr_view *a)
        : starts{a->offsets, a->offset_type == FUR_I64}, columns(a->columns),
          values(static_cast<const Value *>(a->values))
    {
    }
};

static inline fur_row_starts fur_starts_of(const fur_csr_view *a)
{
    return {a->offsets, a->offset_type == FUR_I64};
}

#endif
