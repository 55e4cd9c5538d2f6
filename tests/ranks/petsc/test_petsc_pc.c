/* Calls that a user of PETSc makes for the preconditioner "furrow", and for solvers with
 * FUR_PETSC_AIJ. */
#include "petsc_support.h"

#include <string.h>

#define POINTS 7

/* Solves with PETSc's block Jacobi on FUR_PETSC_AIJ: PETSc factors the block of each rank. */
static void use_factors(void)
{
    sample s = sample_grid(POINTS, 0.25);
    Mat a = sample_ours(&s);
    KSP solver;
    KSPConvergedReason reason;
    PC pc;
    Vec b;
    Vec x;
    MUST(MatCreateVecs(a, &x, &b));
    x_fill(b);
    MUST(KSPCreate(PETSC_COMM_WORLD, &solver));
    MUST(KSPSetOperators(solver, a, a));
    MUST(KSPGetPC(solver, &pc));
    MUST(PCSetType(pc, PCBJACOBI));
    MUST(KSPSolve(solver, b, x));
    MUST(KSPGetConvergedReason(solver, &reason));
    EXPECT(reason > 0, "reason %d", (int)reason);
    MUST(KSPDestroy(&solver));
    MUST(VecDestroy(&b));
    MUST(VecDestroy(&x));
    MUST(MatDestroy(&a));
}

/* Solves with the preconditioner of the options and returns the iterations. */
static PetscInt solve(KSP solver, Vec b, Vec x)
{
    PetscInt iterations;
    KSPConvergedReason reason;
    MUST(KSPSolve(solver, b, x));
    MUST(KSPGetConvergedReason(solver, &reason));
    MUST(KSPGetIterationNumber(solver, &iterations));
    EXPECT(reason > 0, "reason %d", (int)reason);
    return iterations;
}

static KSP make_solver(Mat a, const char *method)
{
    KSP solver;
    PC pc;
    MUST(KSPCreate(PETSC_COMM_WORLD, &solver));
    MUST(KSPSetOptionsPrefix(solver, "ours_"));
    MUST(KSPSetOperators(solver, a, a));
    MUST(KSPSetType(solver, method));
    MUST(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    MUST(KSPGetPC(solver, &pc));
    MUST(PCSetType(pc, FUR_PETSC_PC));
    MUST(KSPSetFromOptions(solver));
    return solver;
}

/* Adds to the diagonal, so that fewer iterations are needed. */
static void change(Mat a)
{
    PetscInt begin;
    PetscInt end;
    MUST(MatGetOwnershipRange(a, &begin, &end));
    for (PetscInt row = begin; row < end; row++)
        MUST(MatSetValue(a, row, row, 20, ADD_VALUES));
    MUST(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    MUST(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

/* After the values of A change, KSPSolve needs as many iterations as a new solver. */
static void use_new_values(Mat a)
{
    Vec b;
    Vec x;
    MUST(PetscOptionsSetValue(NULL, "-ours_pc_furrow_kind", "ilu0"));
    KSP solver = make_solver(a, KSPGMRES);
    MUST(MatCreateVecs(a, &x, &b));
    x_fill(b);
    PetscInt first = solve(solver, b, x);
    change(a);
    PetscInt second = solve(solver, b, x);
    KSP fresh = make_solver(a, KSPGMRES);
    PetscInt want = solve(fresh, b, x);
    EXPECT(second == want && second < first, "%d iterations, then %d, afresh %d", (int)first,
           (int)second, (int)want);
    MUST(KSPDestroy(&fresh));
    MUST(KSPDestroy(&solver));
    MUST(VecDestroy(&b));
    MUST(VecDestroy(&x));
    MUST(MatDestroy(&a));
}

static PetscInt iterations_with(Mat a, Vec b, Vec x, const char *kind)
{
    MUST(PetscOptionsSetValue(NULL, "-ours_pc_furrow_kind", kind));
    KSP solver = make_solver(a, KSPGMRES);
    PetscInt iterations = solve(solver, b, x);
    MUST(KSPDestroy(&solver));
    return iterations;
}

/* A kind with options of 172 characters is read to its end: the last option counts. */
static void use_long_text(void)
{
    sample s = sample_grid(POINTS, 0.25);
    Mat a = sample_petsc(&s);
    char text[256] = "ilu0:";
    Vec b;
    Vec x;
    MUST(MatCreateVecs(a, &x, &b));
    x_fill(b);
    for (int i = 0; i < 20; i++)
        strcat(text, "shift=0,");
    strcat(text, "shift=1");
    PetscInt plain = iterations_with(a, b, x, "ilu0");
    PetscInt shifted = iterations_with(a, b, x, "ilu0:shift=1");
    PetscInt found = iterations_with(a, b, x, text);
    EXPECT(found == shifted && found > plain, "%d iterations, with a shift %d, without %d",
           (int)found, (int)shifted, (int)plain);
    MUST(VecDestroy(&b));
    MUST(VecDestroy(&x));
    MUST(MatDestroy(&a));
}

/* Checks that (M x, y) = (x, M^T y), or that the preconditioner refuses the transpose. */
static void use_transposes(PetscReal wind, const char *kind, bool known)
{
    sample s = sample_grid(POINTS, wind);
    Mat a = sample_petsc(&s);
    Vec x;
    Vec y;
    Vec z;
    PC pc;
    PetscScalar left;
    PetscScalar right;
    MUST(PetscOptionsSetValue(NULL, "-ours_pc_furrow_kind", kind));
    KSP solver = make_solver(a, KSPBICG);
    MUST(KSPSetUp(solver));
    MUST(KSPGetPC(solver, &pc));
    MUST(MatCreateVecs(a, &x, &y));
    MUST(VecDuplicate(x, &z));
    x_fill(x);
    MUST(VecSet(y, 1));
    MUST(PCApply(pc, x, z));
    MUST(VecDot(z, y, &left));
    if (known) {
        MUST(PCApplyTranspose(pc, y, z));
        MUST(VecDot(x, z, &right));
        EXPECT(PetscAbsScalar(left - right) <= 1e-10 * s.rows, "%s: %g, %g", kind,
               PetscRealPart(left), PetscRealPart(right));
        solve(solver, x, z);
    } else {
        REFUSES("this preconditioner has no transpose", PCApplyTranspose(pc, y, z));
    }
    MUST(KSPDestroy(&solver));
    MUST(VecDestroy(&x));
    MUST(VecDestroy(&y));
    MUST(VecDestroy(&z));
    MUST(MatDestroy(&a));
}

/* -ksp_view prints the kind of the preconditioner. */
static void use_view(void)
{
    sample s = sample_grid(POINTS, 0);
    Mat a = sample_shell(&s);
    char text[8192] = "";
    PetscViewer viewer;
    MUST(PetscOptionsSetValue(NULL, "-ours_pc_furrow_kind", "ic0"));
    KSP solver = make_solver(a, KSPCG);
    MUST(KSPSetUp(solver));
    FILE *file = tmpfile();
    MUST(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
    MUST(KSPView(solver, viewer));
    MUST(PetscViewerDestroy(&viewer));
    rewind(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    PetscMPIInt rank;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    EXPECT(rank > 0 || (size > 0 && strstr(text, "type: furrow") && strstr(text, "kind ic0") &&
                        strstr(text, "entries of type f64")),
           "%s", text);
    MUST(KSPDestroy(&solver));
    MUST(MatDestroy(&a));
}

void test_preconditioners(void)
{
    sample s = sample_grid(POINTS, 0.25);
    MUST(fur_petsc_register());
    use_factors();
    use_new_values(sample_ours(&s));
    use_new_values(sample_petsc(&s));
    use_long_text();
    use_transposes(0, "ic0", true);
    use_transposes(0.25, "jacobi", true);
    use_transposes(0.25, "ilu0", false);
    use_view();
}
