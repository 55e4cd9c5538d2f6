// Rows of more than FUR_ROW_SEGMENT entries, whose sums have lanes: kernels leave them to a launch
// of their own.
#ifndef FURROW_CUDA_LONG_ROWS_CUH
#define FURROW_CUDA_LONG_ROWS_CUH

#include "spmm.cuh"

extern "C" {
// A kernel's plan that has the list of A's long rows; waits for their number.
fur_status fur_cuda_long_rows_plan(fur_env *env, const fur_csr_view *a, void **state);
void fur_cuda_long_rows_release(fur_env *env, void *state);

// The rows of Y that are long in A.
fur_status fur_cuda_long_rows_apply(const fur_spmm_call *call);
}

#endif
