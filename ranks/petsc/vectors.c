/* Applies operators in place to the entries of PETSc's vectors, on the CPU or a GPU. The library's
 * vectors over them are small handles, which are made for one call. */
#include "shell.h"

#include <furrow/author/context.h>
#include <furrow/author/operator.h>

#include <petscdevice.h>
#include <string.h>

#if defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_SINGLE)
#    define PETSC_VALUE FUR_C64
#elif defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)
#    define PETSC_VALUE FUR_C128
#elif defined(PETSC_USE_REAL_SINGLE)
#    define PETSC_VALUE FUR_F32
#elif defined(PETSC_USE_REAL_DOUBLE)
#    define PETSC_VALUE FUR_F64
#else
#    error "furrow_petsc needs a PETSc of single or double precision"
#endif

fur_value_type petsc_value(void)
{
    return PETSC_VALUE;
}

bool petsc_on_gpu(const fur_context *context)
{
    return strcmp(fur_context_device(context), "cpu") != 0;
}

fur_status petsc_entries(fur_ranks *group, fur_context *context, PetscInt size,
                         const PetscScalar *entries, PetscMemType where, fur_vector **out)
{
    bool on_gpu = petsc_on_gpu(context);
    if (size > 0 && PetscMemTypeDevice(where) != on_gpu)
        return fur_ranks_fail(
            group, FUR_UNSUPPORTED,
            "the vector of rank %d has its entries on %s, but the matrix is on %s; use vectors of "
            "MatCreateVecs or %s",
            fur_ranks_rank(group), on_gpu ? "the CPU" : "a device", on_gpu ? "a GPU" : "the CPU",
            on_gpu ? "of type VECCUDA" : "of type VECSTANDARD, or call VecBindToCPU");
    fur_status status =
        fur_vector_wrap(context, PETSC_VALUE, size, (void *)entries, FUR_OWNERSHIP_BORROW, out);
    return fur_ranks_pass_on(group, context, status);
}

/* Waits until PETSc's queued work on the GPU is finished, because the library uses another
 * stream. */
static PetscErrorCode wait_for_petsc(const fur_context *context)
{
    PetscFunctionBegin;
#if defined(PETSC_HAVE_CUDA)
    if (petsc_on_gpu(context)) {
        PetscDeviceContext queue;
        PetscCall(PetscDeviceContextGetCurrentContext(&queue));
        PetscCall(PetscDeviceContextSynchronize(queue));
    }
#else
    (void)context;
#endif
    PetscFunctionReturn(0);
}

/* Waits until the library's queued work is finished, so that PETSc may read the result. */
static fur_status wait_for_product(fur_ranks *group, fur_context *context, fur_status status)
{
    if (status == FUR_OK && petsc_on_gpu(context))
        status = fur_context_synchronize(context);
    return fur_ranks_pass_on(group, context, status);
}

PetscErrorCode petsc_apply(MPI_Comm comm, fur_ranks *group, const fur_operator *a, Vec x, Vec y)
{
    fur_context *context = fur_operator_context(a);
    const PetscScalar *in;
    PetscScalar *out;
    PetscMemType in_at;
    PetscMemType out_at;
    PetscInt in_size;
    PetscInt out_size;
    fur_vector *from = NULL;
    fur_vector *to = NULL;

    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(x, &in_size));
    PetscCall(VecGetLocalSize(y, &out_size));
    PetscCall(VecGetArrayReadAndMemType(x, &in, &in_at));
    PetscCall(VecGetArrayWriteAndMemType(y, &out, &out_at));
    PetscCall(wait_for_petsc(context));
    fur_status status = petsc_entries(group, fur_operator_domain(a), in_size, in, in_at, &from);
    if (status == FUR_OK)
        status = petsc_entries(group, context, out_size, out, out_at, &to);
    if (status == FUR_OK)
        status = wait_for_product(group, context, fur_operator_apply(a, from, to));
    status = fur_ranks_agree(group, status);
    fur_vector_destroy(from);
    fur_vector_destroy(to);
    PetscCall(VecRestoreArrayWriteAndMemType(y, &out));
    PetscCall(VecRestoreArrayReadAndMemType(x, &in));
    PETSC_TRY(comm, group, status);
    PetscFunctionReturn(0);
}

PetscErrorCode petsc_diagonal(MPI_Comm comm, fur_ranks *group, const fur_operator *a, Vec d)
{
    fur_context *context = fur_operator_context(a);
    PetscScalar *out;
    PetscMemType out_at;
    PetscInt size;
    fur_vector *to = NULL;

    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(d, &size));
    PetscCall(VecGetArrayWriteAndMemType(d, &out, &out_at));
    PetscCall(wait_for_petsc(context));
    fur_status status = petsc_entries(group, context, size, out, out_at, &to);
    if (status == FUR_OK)
        status = wait_for_product(group, context, fur_operator_diagonal(a, to));
    status = fur_ranks_agree(group, status);
    fur_vector_destroy(to);
    PetscCall(VecRestoreArrayWriteAndMemType(d, &out));
    PETSC_TRY(comm, group, status);
    PetscFunctionReturn(0);
}
