/* Solves a system by hypre's PCG with BoomerAMG, for compare_amg.py:
 *
 *     mpirun -n 2 peer_hypre SYSTEM COARSENING AGGRESSIVE THETA
 *
 * COARSENING: 8 PMIS, 10 HMIS. THETA is the strength threshold. Uses extended+i interpolation of at
 * most 4 entries and hybrid symmetric Gauss-Seidel, as hypre recommends. Solves to 1e-8 for b = 1.
 * Each rank has consecutive rows. Prints the seconds of set-up and solve, iterations and the
 * residual.
 *
 *     mpicc -O2 -I/usr/include/hypre peer_hypre.c -lHYPRE -o peer_hypre */
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include "system_file.h"

/* Makes hypre's matrix from the rows of this rank, first to last. */
static HYPRE_ParCSRMatrix take(const system_file *s, HYPRE_BigInt first, HYPRE_BigInt last)
{
    HYPRE_IJMatrix a;
    void *object;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &a);
    HYPRE_IJMatrixSetObjectType(a, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(a);
    for (HYPRE_BigInt i = first; i <= last; i++) {
        HYPRE_Int count = (HYPRE_Int)(s->offsets[i + 1] - s->offsets[i]);
        HYPRE_IJMatrixSetValues(a, 1, &count, &i, s->columns + s->offsets[i],
                                s->values + s->offsets[i]);
    }
    HYPRE_IJMatrixAssemble(a);
    HYPRE_IJMatrixGetObject(a, &object);
    return object;
}

static HYPRE_ParVector fill(HYPRE_BigInt first, HYPRE_BigInt last, double value)
{
    HYPRE_IJVector v;
    void *object;
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &v);
    HYPRE_IJVectorSetObjectType(v, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(v);
    for (HYPRE_BigInt i = first; i <= last; i++)
        HYPRE_IJVectorSetValues(v, 1, &i, &value);
    HYPRE_IJVectorAssemble(v);
    HYPRE_IJVectorGetObject(v, &object);
    return object;
}

static HYPRE_Solver make_amg(char **options)
{
    HYPRE_Solver amg;
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetCoarsenType(amg, atoi(options[0]));
    HYPRE_BoomerAMGSetAggNumLevels(amg, atoi(options[1]));
    HYPRE_BoomerAMGSetStrongThreshold(amg, atof(options[2]));
    HYPRE_BoomerAMGSetInterpType(amg, 6);
    HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
    HYPRE_BoomerAMGSetRelaxType(amg, 6);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetTol(amg, 0);
    return amg;
}

static void solve(HYPRE_ParCSRMatrix a, HYPRE_BigInt first, HYPRE_BigInt last, char **options)
{
    HYPRE_ParVector b = fill(first, last, 1);
    HYPRE_ParVector x = fill(first, last, 0);
    HYPRE_Solver amg = make_amg(options);
    HYPRE_Solver pcg;
    HYPRE_Int iterations;
    double residual;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
    HYPRE_PCGSetTol(pcg, 1e-8);
    HYPRE_PCGSetTwoNorm(pcg, 1);
    HYPRE_PCGSetMaxIter(pcg, 5000);
    HYPRE_PCGSetPrecond(pcg, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                        (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, amg);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = seconds_now();
    HYPRE_ParCSRPCGSetup(pcg, a, b, x);
    MPI_Barrier(MPI_COMM_WORLD);
    double made = seconds_now();
    HYPRE_ParCSRPCGSolve(pcg, a, b, x);
    double end = seconds_now();
    HYPRE_PCGGetNumIterations(pcg, &iterations);
    HYPRE_PCGGetFinalRelativeResidualNorm(pcg, &residual);
    if (rank == 0)
        printf("%.6f %.6f %d %.2e\n", made - begin, end - made, (int)iterations, residual);
    HYPRE_ParCSRPCGDestroy(pcg);
    HYPRE_BoomerAMGDestroy(amg);
}

int main(int argc, char **argv)
{
    int rank;
    int ranks;
    MPI_Init(&argc, &argv);
    HYPRE_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 5) {
        fputs("usage: peer_hypre SYSTEM COARSENING AGGRESSIVE THETA\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    system_file s = read_system(argv[1]);
    HYPRE_BigInt first = (HYPRE_BigInt)(s.rows * rank / ranks);
    HYPRE_BigInt last = (HYPRE_BigInt)(s.rows * (rank + 1) / ranks - 1);
    HYPRE_ParCSRMatrix a = take(&s, first, last);
    for (int run = 0; run < RUNS; run++)
        solve(a, first, last, argv + 2);
    HYPRE_Finalize();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
