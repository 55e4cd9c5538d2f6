/* Furrow's matrices of several ranks (furrow/ranks.h) and their preconditioners for PETSc's
 * solvers. A library of its own, furrow_petsc, for PETSc 3.18 or newer.
 *
 * There are two kinds of matrices:
 *
 * - FUR_PETSC_AIJ is a type of PETSc's, made from MATAIJ. It does all that MATAIJ does:
 * MatSetValues, MatAXPY, MatNorm, factors. Its MatMult and MatMultTranspose are the library's, on
 * the CPU. The first product after a change of entries copies them, so it takes the memory of both.
 * - Shell matrices (MATSHELL) have the entries once, on the CPU or on GPUs. They know MatMult,
 *   MatMultTranspose, MatGetDiagonal and MatView, and what MATSHELL makes of these, such as
 * MatScale, MatShift, MatAXPY and MatZeroRows. Duplicates share the entries. Other calls, such as
 *   MatSetValues, fail with PETSC_ERR_SUP.
 *
 * Products work on the entries of PETSc's vectors where they
 * lie, without a copy: on GPUs, where the matrix's group is, those of vectors of type VECCUDA, of a
 * PETSc with CUDA. Their bits are those of the library without ranks, on any number of ranks;
 * dot products and norms are PETSc's own, whose bits depend on the ranks.
 *
 * Entries are of PETSc's type PetscScalar: a matrix of another value type is refused. All calls are
 * collective. One that fails does so on all ranks: PETSc's error has the library's sentence, which
 * fur_ranks_error repeats, and the matrix's group is broken then. */
#ifndef FURROW_PETSC_H
#define FURROW_PETSC_H

#include <furrow/ranks.h>
#include <furrow/ranks_precond.h>

#include <petscksp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of a matrix (MatSetType, MatConvert, -mat_type). -mat_furrow_threads N: threads of each
 * rank, default 1. */
#define FUR_PETSC_AIJ "aijfurrow"
/* The type of a preconditioner (PCSetType, -pc_type), of any matrix with rows to read (MatGetRow).
 * -pc_furrow_kind NAME: a kind of fur_precond, default jacobi. -pc_furrow_whole: of the whole
 * matrix, not of each rank's rows. It is made anew if the matrix has changed. PCApplyTranspose
 * works for symmetric kinds of real matrices. MatScale and MatShift of a shell matrix do not change
 * it. */
#define FUR_PETSC_PC "furrow"

/* Makes both types known to PETSc. Call it after PetscInitialize. Not collective. */
FUR_API PetscErrorCode fur_petsc_register(void);

/* The matrix of a file, as fur_ranks_csr_read has it, on the ranks of a communicator; rows are
 * balanced by their entries. options NULL: defaults. Destroy it by MatDestroy. */
FUR_API PetscErrorCode fur_petsc_mat_read(MPI_Comm comm, const char *path,
                                          const fur_ranks_options *options, Mat *out);

/* A copy of an assembled matrix of PETSc's of any type that knows MatGetRow, such as MATAIJ, with
 * its layout. Rows of MATMPIAIJ, which keeps two parts of each, are whole and in order again. Later
 * changes of `a` are not seen. */
FUR_API PetscErrorCode fur_petsc_mat_convert(Mat a, const fur_ranks_options *options, Mat *out);

/* A matrix of a group of MPI, on whose communicator `comm` it is. Borrowed: it must outlive *out.
 */
FUR_API PetscErrorCode fur_petsc_mat_wrap(MPI_Comm comm, fur_ranks_csr *a, Mat *out);

/* The matrix inside of a shell matrix or a FUR_PETSC_AIJ, to which it belongs. Collective for the
 * latter, whose matrix inside lives until the next call after its entries have changed. */
FUR_API PetscErrorCode fur_petsc_mat_ranks(Mat mat, fur_ranks_csr **out);

/* pc becomes the preconditioner of fur_ranks_precond_create for `mat`, a shell matrix or a
 * FUR_PETSC_AIJ: of each rank's rows, or of the whole matrix. options NULL: "jacobi". It stays as
 * it is if `mat` changes. */
FUR_API PetscErrorCode fur_petsc_pc_ranks(PC pc, Mat mat, const fur_ranks_precond_options *options);

/* pc becomes z = m r, by an operator of the matrix's context (fur_ranks_csr_context). Borrowed: m
 * must outlive pc. */
FUR_API PetscErrorCode fur_petsc_pc_operator(PC pc, Mat mat, const fur_operator *m);

#ifdef __cplusplus
}
#endif
#endif
