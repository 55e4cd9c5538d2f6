/* The CPU backend of one instruction set: the tables of its kernels. */
#include "isa.h"
#include "kernel.h"

#define FUR_SPMV_KERNEL(name) extern const fur_spmv_kernel ISA(name);
#include "kernels.def"
#undef FUR_SPMV_KERNEL

#define FUR_SPMV_KERNEL(name) &ISA(name),
static const fur_spmv_kernel *const spmv_kernels[] = {
#include "kernels.def"
};
#undef FUR_SPMV_KERNEL

#define FUR_SPMM_KERNEL(name) extern const fur_spmm_kernel ISA(name);
#include "spmm_kernels.def"
#undef FUR_SPMM_KERNEL

#define FUR_SPMM_KERNEL(name) &ISA(name),
static const fur_spmm_kernel *const spmm_kernels[] = {
#include "spmm_kernels.def"
};
#undef FUR_SPMM_KERNEL

#define FUR_STENCIL_KERNEL(name) extern const fur_stencil_kernel ISA(name);
#include "stencils.def"
#undef FUR_STENCIL_KERNEL

#define FUR_STENCIL_KERNEL(name) &ISA(name),
static const fur_stencil_kernel *const stencil_kernels[] = {
#include "stencils.def"
};
#undef FUR_STENCIL_KERNEL

extern const fur_spmv_kernel ISA(spmv_half)[];
extern const fur_elementwise_kernels ISA(elementwise_kernels);
extern const fur_reduction_kernels ISA(reduction_kernels);
extern const fur_block_kernels ISA(block_kernels);
extern void ISA(pattern_scan)(const fur_env *env, const fur_csr_view *a, uint64_t seed,
                              fur_pattern_scan *out);
extern const fur_multigrid_kernels ISA(multigrid_kernels);
extern const fur_spgemm_kernels ISA(spgemm_kernels);
extern const fur_triple_kernels ISA(triple_kernels);
extern fur_trsv_solve ISA(trsv_solve);
extern fur_factor ISA(factor);
extern fur_dense_blocks_apply ISA(dense_blocks_apply);
extern fur_dense_blocks_invert ISA(dense_blocks_invert);
extern fur_fsai ISA(fsai);
extern fur_fsai_search ISA(fsai_search);
extern fur_spai ISA(spai);
extern const fur_neighbours_kernels ISA(neighbours_kernels);
extern fur_sddmm ISA(sddmm);
extern fur_stencil_block ISA(stencil_block);
extern const fur_batch_kernels ISA(batch_kernels);
extern const fur_backend ISA(backend_cpu);

const fur_backend ISA(backend_cpu) = {
    .device = "cpu",
    .isa = FUR_ISA_NAME,
    .elementwise = &ISA(elementwise_kernels),
    .reduction = &ISA(reduction_kernels),
    .spmv = spmv_kernels,
    .spmv_count = (int)(sizeof spmv_kernels / sizeof *spmv_kernels),
    .spmv_half = ISA(spmv_half),
    .block = &ISA(block_kernels),
    .spmm = spmm_kernels,
    .spmm_count = (int)(sizeof spmm_kernels / sizeof *spmm_kernels),
    .sddmm = ISA(sddmm),
    .stencil = stencil_kernels,
    .stencil_count = (int)(sizeof stencil_kernels / sizeof *stencil_kernels),
    .stencil_block = ISA(stencil_block),
    .multigrid = &ISA(multigrid_kernels),
    .spgemm = &ISA(spgemm_kernels),
    .triple = &ISA(triple_kernels),
    .trsv = ISA(trsv_solve),
    .dense_blocks = ISA(dense_blocks_apply),
    .factor = ISA(factor),
    .fsai = ISA(fsai),
    .fsai_search = ISA(fsai_search),
    .spai = ISA(spai),
    .invert_blocks = ISA(dense_blocks_invert),
    .neighbours = &ISA(neighbours_kernels),
    .batch = &ISA(batch_kernels),
    .uses_assumed = 50, /* an iterative solve */
    .pattern_scan = ISA(pattern_scan),
};
