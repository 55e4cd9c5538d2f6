/* Furrow's matrices of several ranks (furrow/ranks.h) and their preconditioners for PETSc's
 * solvers. They are in a separate library, furrow_petsc, for PETSc 3.18 or newer.
 *
 * There are two kinds of matrices:
 *
 * - FUR_PETSC_AIJ is a PETSc matrix type derived from MATAIJ. It supports everything that MATAIJ
 *   supports: MatSetValues, MatAXPY, MatNorm, factors. Its MatMult and MatMultTranspose are the
 *   library's, on the CPU. The first product after a change of entries copies them, so that both
 *   copies take memory.
 * - Shell matrices (MATSHELL) store the entries once, on the CPU or on GPUs. They support MatMult,
 *   MatMultTranspose, MatGetDiagonal and MatView, and the functions that MATSHELL derives from
 *   these, such as MatScale, MatShift, MatAXPY and MatZeroRows. Duplicates share the entries.
 *   Other calls, such as MatSetValues, fail with PETSC_ERR_SUP.
 *
 * Products use the entries of PETSc's vectors in place, without a copy. If the matrix's group is on
 * GPUs, the vectors must be of type VECCUDA, and PETSc needs CUDA. The results have the bits of the
 * library without ranks, for any number of ranks. Dot products and norms are PETSc's own, and their
 * bits depend on the ranks.
 *
 * Entries are of PETSc's type PetscScalar: a matrix of another value type is refused. All calls are
 * collective. A call fails on all ranks or on none. PETSc's error then contains the library's
 * message, which fur_ranks_error also returns, and the matrix's group is broken. */
#ifndef FURROW_PETSC_H
#define FURROW_PETSC_H

#include <furrow/ranks.h>
#include <furrow/ranks_precond.h>

#include <petscksp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of a matrix (MatSetType, MatConvert, -mat_type).
 *
 * -mat_furrow_threads N: threads of each rank. Default 1. */
#define FUR_PETSC_AIJ "aijfurrow"
/* The type of a preconditioner (PCSetType, -pc_type).
 *
 * It accepts any matrix that supports MatGetRow.
 *
 * -pc_furrow_kind NAME: a kind of fur_precond. Default jacobi.
 * -pc_furrow_whole: builds it from the whole matrix instead of each rank's rows.
 *
 * It is rebuilt if the matrix has changed. PCApplyTranspose works for symmetric kinds of real
 * matrices. MatScale and MatShift of a shell matrix do not change it. */
#define FUR_PETSC_PC "furrow"

/* Registers both types with PETSc. Call it after PetscInitialize. Not collective. */
FUR_API PetscErrorCode fur_petsc_register(void);

/* Reads a matrix from a file, as fur_ranks_csr_read does.
 *
 * The ranks of `comm` share its rows, balanced by their entries. options NULL: defaults. Destroy it
 * by MatDestroy. */
FUR_API PetscErrorCode fur_petsc_mat_read(MPI_Comm comm, const char *path,
                                          const fur_ranks_options *options, Mat *out);

/* Copies an assembled PETSc matrix with its layout.
 *
 * Its type must support MatGetRow, as MATAIJ does. MATMPIAIJ stores each row in two parts; the copy
 * has whole rows in order. Later changes of `a` do not change the copy. */
FUR_API PetscErrorCode fur_petsc_mat_convert(Mat a, const fur_ranks_options *options, Mat *out);

/* Makes a Mat of a matrix whose group is on the MPI communicator `comm`. Borrowed: the matrix must
 * outlive *out. */
FUR_API PetscErrorCode fur_petsc_mat_wrap(MPI_Comm comm, fur_ranks_csr *a, Mat *out);

/* Returns the library's matrix in a shell matrix or a FUR_PETSC_AIJ.
 *
 * `mat` owns it. For FUR_PETSC_AIJ, the call is collective, and the returned matrix is valid until
 * the next call after its entries have changed. */
FUR_API PetscErrorCode fur_petsc_mat_ranks(Mat mat, fur_ranks_csr **out);

/* Makes pc the preconditioner of fur_ranks_precond_create.
 *
 * mat: a shell matrix or a FUR_PETSC_AIJ. Later changes of it do not change pc.
 * options: as of fur_ranks_precond_create. NULL: "jacobi". */
FUR_API PetscErrorCode fur_petsc_pc_ranks(PC pc, Mat mat, const fur_ranks_precond_options *options);

/* Makes pc apply z = m r.
 *
 * m: an operator in the matrix's context (fur_ranks_csr_context). Borrowed: m must outlive pc. */
FUR_API PetscErrorCode fur_petsc_pc_operator(PC pc, Mat mat, const fur_operator *m);

#ifdef __cplusplus
}
#endif
#endif
