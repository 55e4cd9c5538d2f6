/* PETSc's solvers with the library's matrices and preconditioners, compared with PETSc's own. */
#include "petsc_support.h"

/* A function that sets the preconditioner of a solver. */
typedef void (*preparation)(KSP solver, Mat shell);

static void petsc_jacobi(KSP solver, Mat shell)
{
    PC pc;
    (void)shell;
    MUST(KSPGetPC(solver, &pc));
    MUST(PCSetType(pc, PCJACOBI));
}

/* Sets PETSc's default: a block for each rank, solved with ILU(0). */
static void petsc_blocks(KSP solver, Mat shell)
{
    PC pc;
    (void)shell;
    MUST(KSPGetPC(solver, &pc));
    MUST(PCSetType(pc, PCBJACOBI));
}

static void blocks_of(KSP solver, Mat shell, const char *kind)
{
    fur_precond_options own = {.size = sizeof own, .kind = kind};
    fur_ranks_precond_options options = {.size = sizeof options, .precond = &own};
    PC pc;
    MUST(KSPGetPC(solver, &pc));
    MUST(fur_petsc_pc_ranks(pc, shell, &options));
}

static void our_jacobi(KSP solver, Mat shell)
{
    blocks_of(solver, shell, "jacobi");
}

/* Sets two preconditioners, of which the second replaces the first. */
static void our_blocks(KSP solver, Mat shell)
{
    blocks_of(solver, shell, "ssor");
    blocks_of(solver, shell, "ilu0");
}

static void our_amg(KSP solver, Mat shell)
{
    blocks_of(solver, shell, "amg");
}

/* Solves A x = b for a random b and returns the iterations. */
static PetscInt solve(Mat a, const char *method, preparation prepare, Mat shell, Vec x)
{
    KSP solver;
    KSPConvergedReason reason;
    PetscInt iterations;
    Vec b;
    MUST(VecDuplicate(x, &b));
    x_fill(b);
    MUST(KSPCreate(PETSC_COMM_WORLD, &solver));
    MUST(KSPSetOperators(solver, a, a));
    MUST(KSPSetType(solver, method));
    MUST(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    prepare(solver, shell);
    MUST(KSPSolve(solver, b, x));
    MUST(KSPGetConvergedReason(solver, &reason));
    MUST(KSPGetIterationNumber(solver, &iterations));
    EXPECT(reason > 0, "%s ended with reason %d", method, (int)reason);
    MUST(KSPDestroy(&solver));
    MUST(VecDestroy(&b));
    return iterations;
}

/* Checks |x - y| <= 1e-7 |x|. Both residuals are at most 1e-10, and the condition is below 1000. */
static void compare_solutions(Vec x, Vec y)
{
    PetscReal size;
    PetscReal difference;
    MUST(VecNorm(x, NORM_2, &size));
    MUST(VecAXPY(y, -1, x));
    MUST(VecNorm(y, NORM_2, &difference));
    EXPECT(difference <= 1e-7 * size, "solutions differ by %g of %g", difference, size);
}

static void compare_solves(const sample *s, const char *method, preparation theirs,
                           preparation ours)
{
    Mat shell;
    Vec x;
    Vec y;
    Mat a = sample_petsc(s);
    MUST(fur_petsc_mat_convert(a, place(), &shell));
    MUST(MatCreateVecs(shell, &x, &y));
    PetscInt their_iterations = solve(a, method, theirs, shell, x);
    PetscInt iterations = solve(shell, method, ours, shell, y);
    MUST(PetscPrintf(PETSC_COMM_WORLD, "%s: %d iterations, PETSc's %d\n", method, (int)iterations,
                     (int)their_iterations));
    EXPECT(iterations <= their_iterations + 1, "%s took %d iterations, PETSc's %d", method,
           (int)iterations, (int)their_iterations);
    if (ours != our_amg)
        EXPECT(iterations >= their_iterations - 1, "%s took %d iterations, PETSc's %d", method,
               (int)iterations, (int)their_iterations);
    compare_solutions(x, y);
    MUST(VecDestroy(&x));
    MUST(VecDestroy(&y));
    MUST(MatDestroy(&shell));
    MUST(MatDestroy(&a));
}

void test_solves(void)
{
    sample symmetric = sample_grid(12, 0);
    sample windy = sample_grid(11, 0.4);
    compare_solves(&symmetric, KSPCG, petsc_jacobi, our_jacobi);
    compare_solves(&symmetric, KSPCG, petsc_jacobi, petsc_jacobi);
    compare_solves(&symmetric, KSPCG, petsc_jacobi, our_amg);
    compare_solves(&windy, KSPGMRES, petsc_blocks, our_blocks);
    compare_solves(&windy, KSPBICG, petsc_jacobi, petsc_jacobi);
}
