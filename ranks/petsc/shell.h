/* Shared functions of furrow_petsc. */
#ifndef FURROW_PETSC_SHELL_H
#define FURROW_PETSC_SHELL_H

#include <furrow/petsc.h>

#include <stdbool.h>

/* Returns PETSc's error for a status of the library. */
PetscErrorCode petsc_code(fur_status status);

/* Returns from the calling function if a call fails, with the message on which all ranks of the
 * group have agreed. */
#define PETSC_TRY(comm, group, call)                                                               \
    do {                                                                                           \
        fur_status petsc_try_status = (call);                                                      \
        PetscCheck(petsc_try_status == FUR_OK, comm, petsc_code(petsc_try_status), "%s",           \
                   fur_ranks_error(group));                                                        \
    } while (0)

/* Returns the value type of PetscScalar. */
fur_value_type petsc_value(void);

/* Opens the group of a communicator. */
PetscErrorCode petsc_open(MPI_Comm comm, const fur_ranks_options *options, fur_ranks **out);

/* Makes a shell matrix around `a`. owns: MatDestroy destroys `a` and closes its group. */
PetscErrorCode petsc_wrap(MPI_Comm comm, fur_ranks_csr *a, PetscBool owns, Mat *out);

/* Finds the shell matrix with the library's matrix: `mat` itself, or the one for the current
 * entries of a FUR_PETSC_AIJ. NULL: there is none. */
PetscErrorCode petsc_find_shell(Mat mat, Mat *out);
/* As above, only for FUR_PETSC_AIJ. */
PetscErrorCode petsc_aij_shell(Mat mat, Mat *out);

/* The function for PCRegister. */
PetscErrorCode petsc_pc_create(PC pc);

bool petsc_on_gpu(const fur_context *context);

/* Makes a vector of the library over `size` entries of PETSc. FUR_UNSUPPORTED if the entries are
 * not on the same device as the context's vectors. */
fur_status petsc_entries(fur_ranks *group, fur_context *context, PetscInt size,
                         const PetscScalar *entries, PetscMemType where, fur_vector **out);

/* y = A x on the entries of PETSc's vectors. All ranks of the group agree on the result. */
PetscErrorCode petsc_apply(MPI_Comm comm, fur_ranks *group, const fur_operator *a, Vec x, Vec y);

/* d_i = A(i, i), in the same way. */
PetscErrorCode petsc_diagonal(MPI_Comm comm, fur_ranks *group, const fur_operator *a, Vec d);

#endif
