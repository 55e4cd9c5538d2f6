/* What the files of furrow_petsc share. */
#ifndef FURROW_PETSC_SHELL_H
#define FURROW_PETSC_SHELL_H

#include <furrow/petsc.h>
#include <stdbool.h>

/* PETSc's error for the library's. */
PetscErrorCode petsc_code(fur_status status);

/* Ends a function where a call fails with a sentence that all ranks of the group have agreed on. */
#define PETSC_TRY(comm, group, call)                                                               \
    do {                                                                                           \
        fur_status petsc_try_status = (call);                                                      \
        PetscCheck(petsc_try_status == FUR_OK, comm, petsc_code(petsc_try_status), "%s",           \
                   fur_ranks_error(group));                                                        \
    } while (0)

/* The value type of PetscScalar. */
fur_value_type petsc_value(void);

/* The group of a communicator. */
PetscErrorCode petsc_open(MPI_Comm comm, const fur_ranks_options *options, fur_ranks **out);

/* A shell matrix around `a`. owns: MatDestroy destroys `a` and closes its group. */
PetscErrorCode petsc_wrap(MPI_Comm comm, fur_ranks_csr *a, PetscBool owns, Mat *out);

/* The shell matrix that has the library's: `mat` itself, or that of FUR_PETSC_AIJ as its entries
 * are now. NULL: there is none. */
PetscErrorCode petsc_find_shell(Mat mat, Mat *out);
/* The latter alone. */
PetscErrorCode petsc_aij_shell(Mat mat, Mat *out);

/* Of PCRegister. */
PetscErrorCode petsc_pc_create(PC pc);

bool petsc_on_gpu(const fur_context *context);

/* A vector of the library over `size` entries of PETSc's; FUR_UNSUPPORTED if they do not lie where
 * the context's vectors do. */
fur_status petsc_entries(fur_ranks *group, fur_context *context, PetscInt size,
                         const PetscScalar *entries, PetscMemType where, fur_vector **out);

/* y = A x on the entries of PETSc's vectors, agreed on all ranks of the group. */
PetscErrorCode petsc_apply(MPI_Comm comm, fur_ranks *group, const fur_operator *a, Vec x, Vec y);

/* d_i = A(i, i), in the same way. */
PetscErrorCode petsc_diagonal(MPI_Comm comm, fur_ranks *group, const fur_operator *a, Vec d);

#endif
