/* Bad input gives the same error message on all ranks. */
#include "petsc_support.h"

#include "shell.h"

#include <string.h>

static void refuse_arguments(void)
{
    fur_ranks_options unsized = {.threads = 1};
    sample s = sample_grid(4, 0);
    Mat a = sample_petsc(&s);
    Mat made = NULL;
    fur_ranks_csr *inside = NULL;
    PC pc;
    MUST(PCCreate(PETSC_COMM_WORLD, &pc));
    REFUSES("given NULL", fur_petsc_mat_convert(NULL, NULL, &made));
    REFUSES("given NULL", fur_petsc_mat_read(PETSC_COMM_WORLD, NULL, NULL, &made));
    REFUSES("given NULL", fur_petsc_mat_wrap(PETSC_COMM_WORLD, NULL, &made));
    REFUSES("given NULL", fur_petsc_mat_ranks(NULL, &inside));
    REFUSES("given NULL", fur_petsc_pc_ranks(NULL, a, NULL));
    REFUSES("given NULL", fur_petsc_pc_operator(pc, a, NULL));
    REFUSES("write .size = sizeof(fur_ranks_options)", fur_petsc_mat_convert(a, &unsized, &made));
    REFUSES("not a matrix of furrow_petsc", fur_petsc_mat_ranks(a, &inside));
    REFUSES("not a matrix of furrow_petsc", fur_petsc_pc_ranks(pc, a, NULL));
    EXPECT(!made && !inside, "something was made");
    MUST(PCDestroy(&pc));
    MUST(MatDestroy(&a));
}

static void refuse_matrices(void)
{
    Mat unfinished;
    Mat shell;
    Mat made = NULL;
    MUST(MatCreateAIJ(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL,
                      &unfinished));
    MUST(MatCreateShell(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, NULL, &shell));
    MUST(MatAssemblyBegin(shell, MAT_FINAL_ASSEMBLY));
    MUST(MatAssemblyEnd(shell, MAT_FINAL_ASSEMBLY));
    REFUSES("not assembled", fur_petsc_mat_convert(unfinished, NULL, &made));
    REFUSES("without MatGetRow", fur_petsc_mat_convert(shell, NULL, &made));
    REFUSES("missing.mtx",
            fur_petsc_mat_read(PETSC_COMM_WORLD, FURROW_DATA "/missing.mtx", NULL, &made));
    REFUSES("entries of type c128",
            fur_petsc_mat_read(PETSC_COMM_WORLD, FURROW_DATA "/scattering.mtx", NULL, &made));
    EXPECT(!made, "something was made");
    MUST(MatDestroy(&unfinished));
    MUST(MatDestroy(&shell));
}

/* Wraps a matrix of a user's own group. PETSc shows the group's error message. */
static void refuse_precision(void)
{
    const int64_t offsets[] = {0, 1};
    const float values[] = {1};
    MPI_Comm comm = PETSC_COMM_WORLD;
    fur_ranks *group;
    fur_ranks_csr *a;
    Mat made = NULL;
    MUST(petsc_open(comm, NULL, &group));
    int64_t column = fur_ranks_rank(group);
    fur_ranks_rows rows = {.size = sizeof rows,
                           .rows = 1,
                           .cols = fur_ranks_count(group),
                           .value_type = FUR_F32,
                           .offsets = offsets,
                           .columns = &column,
                           .values = values};
    EXPECT(fur_ranks_csr_create(group, &rows, &a) == FUR_OK, "%s", fur_ranks_error(group));
    REFUSES("entries of type f32", fur_petsc_mat_wrap(comm, a, &made));
    EXPECT(strcmp(refusal_sentence(), fur_ranks_error(group)) == 0, "%s", fur_ranks_error(group));
    fur_ranks_csr_destroy(a);
    fur_ranks_close(group);
}

/* Refuses an operator of another context, an unknown kind, and a row without a diagonal entry. */
static void refuse_preconditioners(void)
{
    sample s = {.rows = 40, .cols = 40};
    sample grid = sample_grid(4, 0);
    Mat a = sample_petsc(&grid);
    Mat shell;
    Mat scattered;
    Mat other;
    fur_precond_options kind = {.size = sizeof kind, .kind = "unheard"};
    fur_ranks_precond_options unheard = {.size = sizeof unheard, .precond = &kind};
    fur_ranks_csr *inside;
    PC pc;
    Mat b = sample_petsc(&s);
    MUST(fur_petsc_mat_convert(a, NULL, &shell));
    MUST(fur_petsc_mat_convert(a, NULL, &other));
    MUST(fur_petsc_mat_convert(b, NULL, &scattered));
    MUST(fur_petsc_mat_ranks(other, &inside));
    MUST(PCCreate(PETSC_COMM_WORLD, &pc));
    REFUSES("another context than the matrix",
            fur_petsc_pc_operator(pc, shell, fur_ranks_csr_operator(inside)));
    REFUSES("unheard", fur_petsc_pc_ranks(pc, shell, &unheard));
    REFUSES("diagonal", fur_petsc_pc_ranks(pc, scattered, NULL));
    MUST(PCDestroy(&pc));
    MUST(MatDestroy(&shell));
    MUST(MatDestroy(&other));
    MUST(MatDestroy(&scattered));
    MUST(MatDestroy(&a));
    MUST(MatDestroy(&b));
}

/* Products after all ranks have failed, and entries on the wrong device. */
static void refuse_products(void)
{
    sample s = sample_grid(4, 0);
    Mat shell;
    Vec x;
    Vec y;
    fur_ranks_csr *inside;
    fur_vector *none = NULL;
    const PetscScalar entry = 1;
    Mat a = sample_petsc(&s);
    MUST(fur_petsc_mat_convert(a, place(), &shell));
    MUST(fur_petsc_mat_ranks(shell, &inside));
    MUST(MatCreateVecs(shell, &x, &y));
    fur_ranks *group = fur_ranks_csr_group(inside);
    fur_status status = petsc_entries(group, fur_ranks_csr_context(inside), 1, &entry,
                                      place() ? PETSC_MEMTYPE_HOST : PETSC_MEMTYPE_CUDA, &none);
    const char *said =
        place() ? "on the CPU, but the matrix is on a GPU" : "on a device, but the matrix is on";
    EXPECT(status == FUR_UNSUPPORTED && strstr(fur_ranks_error(group), said), "%s",
           fur_ranks_error(group));
    REFUSES(said, MatMult(shell, x, y));
    REFUSES(said, MatMultTranspose(shell, x, y));
    REFUSES(said, MatGetDiagonal(shell, y));
    MUST(VecDestroy(&x));
    MUST(VecDestroy(&y));
    MUST(MatDestroy(&shell));
    MUST(MatDestroy(&a));
}

void test_refusals(void)
{
    refuse_arguments();
    refuse_matrices();
    refuse_precision();
    refuse_preconditioners();
    refuse_products();
}
