/* Furrow's matrices of several ranks (furrow/ranks.h) as PETSc's: shell matrices (MATSHELL) and
 * preconditioners (PCSHELL) for its solvers. A library of its own, furrow_petsc, for PETSc 3.18 or
 * newer.
 *
 * A matrix knows MatMult, MatMultTranspose and MatGetDiagonal, and what a shell matrix makes of
 * them, such as MatScale and MatShift. Products work on the entries of PETSc's vectors where they
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

/* The matrix inside of one that these functions have made; it belongs to that one. Not collective.
 */
FUR_API PetscErrorCode fur_petsc_mat_ranks(Mat mat, fur_ranks_csr **out);

/* pc becomes the preconditioner of fur_ranks_precond_create for `mat`, which one of these functions
 * has made: of each rank's rows, or of the whole matrix. options NULL: "jacobi". */
FUR_API PetscErrorCode fur_petsc_pc_ranks(PC pc, Mat mat, const fur_ranks_precond_options *options);

/* pc becomes z = m r, by an operator of the matrix's context (fur_ranks_csr_context). Borrowed: m
 * must outlive pc. */
FUR_API PetscErrorCode fur_petsc_pc_operator(PC pc, Mat mat, const fur_operator *m);

#ifdef __cplusplus
}
#endif
#endif
