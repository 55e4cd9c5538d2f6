// Rows of more than FUR_ROW_SEGMENT entries, whose sums have lanes. The kernels leave them to a
// separate launch.
#ifndef FURROW_CUDA_LONG_ROWS_CUH
#define FURROW_CUDA_LONG_ROWS_CUH

#include "spmm.cuh"

extern "C" {
// The plan of a kernel: lists the long rows of A, and waits for their number.
fur_status fur_cuda_long_rows_plan(fur_env *env, const fur_csr_view *a, void **state);
void fur_cuda_long_rows_release(fur_env *env, void *state);

// Computes the rows of Y that are long in A.
fur_status fur_cuda_long_rows_apply(const fur_spmm_call *call);
}

#endif
