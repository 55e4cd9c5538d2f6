/* Times PETSc's MatMult through furrow_petsc, the library's product without PETSc, and PETSc's own
 * product of MATAIJ, in turn on the same vectors.
 *
 *   mpirun -n 2 race-petsc [-points 100] [-rounds 51] [-varied]
 *
 * The matrix has 7 points on a grid of points^3. With -varied, every row has other numbers, so that
 * no values repeat. Each time is for one product after a barrier, and the maximum over all ranks.
 * The output has medians over the rounds. In brackets are the medians of each time over the time of
 * MatMult through furrow_petsc in the same round. */
#include <furrow/petsc.h>

enum { SHELL = 0, DIRECT, OWN, RUNNERS };

typedef struct race {
    Mat aij;
    Mat shell;
    Vec x;
    Vec y;
    fur_ranks_csr *inside;
    fur_vector *from; /* from and to use the memory of x and y */
    fur_vector *to;
} race;

/* Returns a number in (0, 1) for an entry. */
static PetscScalar varied_by(PetscInt row, PetscInt column)
{
    double turns = 0.6180339887 * row + 0.7548776662 * column;
    return turns - (double)(PetscInt64)turns;
}

static PetscErrorCode set_row(Mat a, PetscInt n, PetscInt row, PetscBool varied)
{
    PetscInt step[3] = {1, n, n * n};
    PetscInt at[3] = {row % n, row / n % n, row / n / n};
    PetscInt columns[7] = {row};
    PetscScalar values[7] = {6};
    PetscInt count = 1;

    PetscFunctionBeginUser;
    for (int d = 0; d < 3; d++)
        for (int side = -1; side <= 1; side += 2)
            if (at[d] + side >= 0 && at[d] + side < n) {
                columns[count] = row + side * step[d];
                values[count++] = -1;
            }
    for (PetscInt k = 0; varied && k < count; k++)
        values[k] += varied_by(row, columns[k]);
    PetscCall(MatSetValues(a, 1, &row, count, columns, values, INSERT_VALUES));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_aij(PetscInt n, PetscBool varied, Mat *out)
{
    PetscInt rows = n * n * n;
    PetscInt begin;
    PetscInt end;

    PetscFunctionBeginUser;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, rows, 7, NULL, 3,
                           NULL, out));
    PetscCall(MatGetOwnershipRange(*out, &begin, &end));
    for (PetscInt row = begin; row < end; row++)
        PetscCall(set_row(*out, n, row, varied));
    PetscCall(MatAssemblyBegin(*out, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*out, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* Makes the library's vectors over the entries of PETSc's vectors, without a copy. */
static PetscErrorCode make_vectors(race *r)
{
    fur_context *context = fur_ranks_csr_context(r->inside);
    PetscInt size;
    PetscScalar *x;
    PetscScalar *y;

    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(r->aij, &r->x, &r->y));
    PetscCall(VecSet(r->x, 1));
    PetscCall(VecGetLocalSize(r->x, &size));
    PetscCall(VecGetArray(r->x, &x));
    PetscCall(VecGetArray(r->y, &y));
    fur_status status = fur_vector_wrap(context, FUR_F64, size, x, FUR_OWNERSHIP_BORROW, &r->from);
    if (status == FUR_OK)
        status = fur_vector_wrap(context, FUR_F64, size, y, FUR_OWNERSHIP_BORROW, &r->to);
    PetscCheck(status == FUR_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", fur_context_error(context));
    PetscCall(VecRestoreArray(r->x, &x));
    PetscCall(VecRestoreArray(r->y, &y));
    PetscFunctionReturn(0);
}

static PetscErrorCode multiply(race *r, int runner)
{
    PetscFunctionBeginUser;
    if (runner == SHELL)
        PetscCall(MatMult(r->shell, r->x, r->y));
    else if (runner == OWN)
        PetscCall(MatMult(r->aij, r->x, r->y));
    else
        PetscCheck(fur_ranks_multiply(r->inside, r->from, r->to) == FUR_OK, PETSC_COMM_WORLD,
                   PETSC_ERR_LIB, "%s", fur_ranks_error(fur_ranks_csr_group(r->inside)));
    PetscFunctionReturn(0);
}

/* Times one product. */
static PetscErrorCode time_one(race *r, int runner, PetscReal *seconds)
{
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    double start = MPI_Wtime();
    PetscCall(multiply(r, runner));
    *seconds = MPI_Wtime() - start;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

/* Medians of the contenders' times, and of their ratios to SHELL in the same round. */
typedef struct outcome {
    PetscReal seconds[RUNNERS];
    PetscReal ratio[RUNNERS];
} outcome;

/* Returns the median of `numbers`, which it sorts. */
static PetscErrorCode take_median(PetscInt count, PetscReal *numbers, PetscReal *median)
{
    PetscFunctionBeginUser;
    PetscCall(PetscSortReal(count, numbers));
    *median = numbers[count / 2];
    PetscFunctionReturn(0);
}

/* Fills seconds[runner * rounds + round]. Each contender follows each other one equally often. The
 * first rounds are dropped. */
static PetscErrorCode time_rounds(race *r, PetscInt rounds, PetscReal *seconds)
{
    PetscFunctionBeginUser;
    for (PetscInt round = -3; round < rounds; round++)
        for (int k = 0; k < RUNNERS; k++) {
            int turn = (int)((round + 3 + k) % RUNNERS);
            int runner = round % 2 ? RUNNERS - 1 - turn : turn;
            PetscReal one;
            PetscCall(time_one(r, runner, &one));
            if (round >= 0)
                seconds[runner * rounds + round] = one;
        }
    PetscFunctionReturn(0);
}

static PetscErrorCode run(race *r, PetscInt rounds, outcome *out)
{
    PetscReal *seconds;
    PetscReal *ratios;

    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1((size_t)rounds * RUNNERS, &seconds));
    PetscCall(PetscMalloc1((size_t)rounds, &ratios));
    PetscCall(time_rounds(r, rounds, seconds));
    /* SHELL last: sorting its times destroys the order of rounds */
    for (int k = RUNNERS - 1; k >= 0; k--) {
        for (PetscInt i = 0; i < rounds; i++)
            ratios[i] = seconds[k * rounds + i] / seconds[SHELL * rounds + i];
        PetscCall(take_median(rounds, ratios, &out->ratio[k]));
        PetscCall(take_median(rounds, seconds + k * rounds, &out->seconds[k]));
    }
    PetscCall(PetscFree(seconds));
    PetscCall(PetscFree(ratios));
    PetscFunctionReturn(0);
}

static PetscErrorCode report(PetscInt points, PetscBool varied, const outcome *o)
{
    PetscMPIInt ranks;

    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "7 points on %d^3%s, ranks %d: through PETSc %.3f ms, without %.3f ms "
                          "(%.3f of it), PETSc's own %.3f ms (%.2f)\n",
                          (int)points, varied ? ", varied" : "", ranks, 1e3 * o->seconds[SHELL],
                          1e3 * o->seconds[DIRECT], o->ratio[DIRECT], 1e3 * o->seconds[OWN],
                          o->ratio[OWN]));
    PetscFunctionReturn(0);
}

static PetscErrorCode hold(PetscInt points, PetscInt rounds, PetscBool varied)
{
    race r = {0};
    outcome o;

    PetscFunctionBeginUser;
    PetscCall(make_aij(points, varied, &r.aij));
    PetscCall(fur_petsc_mat_convert(r.aij, NULL, &r.shell));
    PetscCall(fur_petsc_mat_ranks(r.shell, &r.inside));
    PetscCall(make_vectors(&r));
    PetscCall(run(&r, rounds, &o));
    PetscCall(report(points, varied, &o));
    fur_vector_destroy(r.from);
    fur_vector_destroy(r.to);
    PetscCall(VecDestroy(&r.x));
    PetscCall(VecDestroy(&r.y));
    PetscCall(MatDestroy(&r.shell));
    PetscCall(MatDestroy(&r.aij));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscInt points = 100;
    PetscInt rounds = 51;
    PetscBool varied = PETSC_FALSE;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-points", &points, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
    PetscCall(PetscOptionsHasName(NULL, NULL, "-varied", &varied));
    PetscCheck(points > 0 && rounds > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "-points and -rounds must be at least 1");
    PetscCall(hold(points, rounds, varied));
    PetscCall(PetscFinalize());
    return 0;
}
